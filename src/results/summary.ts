import { openQuantity } from '../exchange/accounts/account-position.js'
import { averageEntryPrice } from '../model/position-sums.js'
import { feeText } from '../exchange/accounts/fees.js'
import { bookUnknownUntil, crossedUntil } from '../exchange/market/unknown-book-time.js'
import type { World } from '../exchange/world.js'
import { Amount } from '../model/amount.js'
import { instrumentName } from '../model/instrument.js'
import { isoFromTime } from '../model/time.js'
import type { InstrumentSummary } from '../report/instrument-summary.js'
import type {
  HaltSummary, MarketSummary, MoneyEventSummary, RunSummary, StopSummary, StrategySummary,
  TermChangeSummary, WalletSummary, WarmUpSummary,
} from '../report/run-summary.js'
import {
  markOutSummaries, orderCounts, tradeSummary, moneySummary,
} from '../report/summary-making.js'
import { contractOf } from '../report/run-currency.js'
import { shownAsText } from '../report/summary-text.js'
import type { Replay } from '../simulation/replay.js'
import { underlyingCode } from '../venue/venue.js'
import type { OrderedPosition, SummaryNotes, SummaryParts } from './summary-parts.js'
import type { RowSetting } from './result-tables.js'
import { RunValuation } from './run-valuation.js'
import type { MoneySummary, SlippageSummary } from '../report/money-summary.js'
import type { EndValuation } from './recorder-state.js'
import { RunTotal } from './total-summary.js'
import type { SlippageSums } from './round-trip-recorder.js'

function slippageSummary(sums: SlippageSums | undefined): SlippageSummary {
  if (sums === undefined) return { measuredCount: 0, cost: '0', share: null }
  const [cost, value] = [sums.cost.toDecimal(), sums.value.toDecimal()]
  return {
    measuredCount: sums.measuredCount, cost: cost.toFixed(), share: value.isZero() ? null : cost.div(value).toNumber(),
  }
}

/** The money of each underlying of a world at its end. */
function moneySummaries({ report, setting }: SummaryParts, end: EndValuation): MoneySummary[] {
  const { equity, periods, roundTrips } = report
  return [...end.money].flatMap(([underlyingId, sums]) => {
    const track = equity.tracks.get(underlyingId)
    if (track === undefined) return []
    const records = {
      track, returns: periods.returnsOf(underlyingId), trips: roundTrips.trips.sums.get(underlyingId),
      slippage: slippageSummary(roundTrips.slippage.get(underlyingId)),
    }
    return [moneySummary(
      { underlyingId, underlying: underlyingCode(setting.underlyings, underlyingId) }, sums, records,
      (timeNs) => isoFromTime(timeNs, setting.epochDay),
    )]
  })
}

function nameOf({ instruments }: Pick<RowSetting, 'instruments'>, instrumentId: number): string {
  const entry = instruments.get(instrumentId)
  return entry === undefined ? String(instrumentId) : instrumentName(entry.instrument)
}

/** The position of an account in everything that it ordered, filled or holds: looked at, never made. */
export function orderedPositions({ world, report, setting }: SummaryParts): OrderedPosition[] {
  return [...world.accounts].flatMap(([accountId, account]) => {
    const ids = new Set([
      ...account.positions.keys(), ...(report.orders.sums.get(accountId)?.keys() ?? []),
      ...(report.fills.sums.get(accountId)?.keys() ?? []),
    ])
    return [...ids].sort((a, b) => a - b).flatMap((id) => {
      const entry = setting.instruments.get(id)
      // Over sockets an instrument may have been ordered of which no terms are known.
      return entry?.instrument.exchangeCode === account.config.exchangeCode && contractOf(entry.instrument) !== null
        ? [{ accountId, account, position: account.prospect(entry) }]
        : []
    })
  })
}

function instrumentSummary(parts: SummaryParts, { accountId, account, position }: OrderedPosition): InstrumentSummary {
  const { report, setting, end } = parts
  const { entry, contract, sums, fees } = position
  const instrumentId = entry.instrument.id
  const { price, by } = end.prices.get(instrumentId) ?? { price: null, by: 'nothing' as const }
  const unrealized = RunValuation.profitAt(position, price)
  return {
    instrumentId,
    instrument: nameOf(setting, instrumentId),
    accountId,
    underlying: underlyingCode(setting.underlyings, contract.settlementUnderlyingId),
    ...(contract.kind === 'spot'
      ? {
          position: null, netTraded: openQuantity(position).toFixed(),
          wallet: account.cashOf(contract.baseUnderlyingId ?? contract.settlementUnderlyingId).toFixed(),
        }
      : { position: openQuantity(position).toFixed() }),
    averageEntryPrice: averageEntryPrice(contract, sums)?.toFixed() ?? null,
    markPrice: price?.toFixed() ?? null,
    markedBy: by,
    realizedPnl: sums.realizedPnl.toFixed(),
    unrealizedPnl: unrealized.toFixed(),
    fees: Object.fromEntries(
      [...fees].map(([underlyingId, amount]) => [underlyingCode(setting.underlyings, underlyingId), amount.toFixed()]),
    ),
    profit: sums.realizedPnl.plus(unrealized).minus(fees.get(contract.settlementUnderlyingId) ?? Amount.ZERO).toFixed(),
    turnover: sums.turnover.toFixed(),
    ...tradeSummary(
      report.fills.sums.get(accountId)?.get(instrumentId), report.orders.sums.get(accountId)?.get(instrumentId),
      entry.quantityScale, parts.isSimulated,
    ),
    markOuts: markOutSummaries(report.markOuts.sums.get(instrumentId)),
  }
}

/**
 * The summaries of some markets of a pass up to a time; where one of them halts a world then, the others have not come
 * to that instant, whether they were played up to it or not.
 */
export function marketSummaries(
  replay: Replay, askedIds: readonly number[], nowNs: number, haltingId: number | null = null,
): MarketSummary[] {
  const timeText = (timeNs: number): string => isoFromTime(timeNs, replay.clock.epochDay)
  return replay.instruments
    .filter(({ feed }) => askedIds.includes(feed.instrumentId))
    .map(({ feed, market }) => {
      feed.countReceived()
      const isReceived = feed.receivedInRunNs !== -Infinity
      const isEarlier =
        haltingId === null ||
        haltingId === feed.instrumentId ||
        market.bookUnknown === null ||
        market.bookUnknown.detectedNs < nowNs
      const { bookUnknownTime, crossedGapTime } = isEarlier ? bookUnknownUntil(market, nowNs) : market
      const crossed = crossedUntil(market, nowNs)
      return {
        instrumentId: feed.instrumentId,
        instrument: nameOf({ instruments: replay.directory }, feed.instrumentId),
        firstEvent: isReceived ? timeText(feed.firstReceivedNs) : null,
        lastEvent: isReceived ? timeText(feed.receivedInRunNs) : null,
        bookUnknownCount: bookUnknownTime.periods,
        bookUnknownNs: bookUnknownTime.bookUnknownNs,
        crossedCount: crossed.count,
        crossedNs: crossed.ns,
        crossedGapCount: crossedGapTime.periods,
        crossedGapNs: crossedGapTime.bookUnknownNs,
        clampedTimes: feed.receivedTimeCounts(),
        shownTrades: feed.shownTrades.counts(),
        feedLatency: feed.latencies.quantiles(),
      }
    })
}

/** Rates of the underlyings in which the accounts have cash. */
function usdRatesOf({ world, setting }: SummaryParts): RunSummary['usdRates'] {
  const ids = new Set([...world.accounts.values()].flatMap(({ cash }) => [...cash.keys()]))
  return [...ids].sort((a, b) => a - b).flatMap((id) => {
    const rate = world.config.money?.usdRates.get(id)
    return rate === undefined ? [] : [{ underlying: underlyingCode(setting.underlyings, id), ...rate }]
  })
}

/**
 * Wallets of accounts that dealt in spot: what was bought lies in one, and what it was bought with is gone from
 * another.
 */
function walletSummaries({ world, setting }: SummaryParts, ordered: readonly OrderedPosition[]): WalletSummary[] {
  const dealers = [...world.accounts.values()].filter(
    (account) =>
      account.config.balances.size > 0 &&
      ordered.some((one) => one.account === account && one.position.contract.kind === 'spot'),
  )
  return dealers.flatMap(({ config, cash, loans }) =>
    [...cash]
      .sort(([a], [b]) => a - b)
      .map(([underlyingId, amount]) => ({
        accountId: config.accountId, underlying: underlyingCode(setting.underlyings, underlyingId),
        cashBalance: amount.toFixed(), borrowed: loans.owed(underlyingId).toFixed(),
      })),
  )
}

function moneyEventSummaries({ report, setting }: SummaryParts): MoneyEventSummary[] {
  return report.moneySums.sums().map(({ kind, accountId, instrumentId, underlyingId, count, amount, feeAmount }) => ({
    kind, accountId, instrument: instrumentId === null ? null : nameOf(setting, instrumentId),
    underlying: underlyingCode(setting.underlyings, underlyingId), count, amount, fees: feeAmount,
  }))
}

function haltSummary({ world, setting }: SummaryParts): HaltSummary | null {
  const { halt } = world
  return halt === null
    ? null
    : {
        instrument: nameOf(setting, halt.instrumentId), time: isoFromTime(halt.timeNs, setting.epochDay),
        reason: halt.reason,
      }
}

/** Fees and own latencies of each account, beside the assumptions: `fees`, `fees of NAME` where there are several. */
export function accountTexts({ accounts }: World): Record<string, string> {
  const title = (field: string, accountId: string): string => (
    accounts.size === 1 && field === 'fees' ? field : `${field} of ${accountId}`)
  return Object.fromEntries(
    [...accounts.values()].flatMap(({ config: { accountId, fees, requestLatency, responseLatency }, positions }) => [
      [title('fees', accountId), feeText(fees, positions.values())] as const,
      ...(requestLatency === undefined ? [] : [[title('requestLatency', accountId), requestLatency.name] as const]),
      ...(responseLatency === undefined ? [] : [[title('responseLatency', accountId), responseLatency.name] as const]),
    ]),
  )
}

function termSummaries({ terms, setting }: SummaryParts): TermChangeSummary[] {
  return terms.flatMap(({ instrumentId, day, changes }) =>
    changes.map((change) => ({ instrument: nameOf(setting, instrumentId), day, ...change })),
  )
}

function warmUpSummaries({ pasts, setting }: SummaryParts): WarmUpSummary[] {
  const timeText = (timeNs: number): string => isoFromTime(timeNs, setting.epochDay)
  return pasts.map(({ instrumentId, sinceNs, firstNs, days, holes }) => ({
    instrument: nameOf(setting, instrumentId), since: timeText(sinceNs),
    firstEvent: firstNs === null ? null : timeText(firstNs), days, holes,
  }))
}

/** The stop of the run's one strategy; of several the last one, where all of them were stopped. */
function stopSummary({ report: { stops }, strategies, setting }: SummaryParts): StopSummary | null {
  const last = stops.at(-1)
  if (last === undefined || stops.length < strategies.length) return null
  return { time: isoFromTime(last.timeNs, setting.epochDay), reason: last.reason }
}

function strategySummaries({ report, strategies, setting }: SummaryParts): StrategySummary[] {
  return strategies.map(({ clientId, className }) => {
    const stop = report.stops.find((one) => one.clientId === clientId)
    return {
      name: clientId, strategy: className,
      stop: stop === undefined ? null : { time: isoFromTime(stop.timeNs, setting.epochDay), reason: stop.reason },
    }
  })
}

/**
 * Sums up a world at the end of its run. The exchange side of every market of a simulated one has been played up to
 * it.
 */
export function summaryOf(parts: SummaryParts, { warnings, moneyNotes, planNotes }: SummaryNotes): RunSummary {
  const { report, setting, end } = parts
  const { intervalNs } = report
  const timeText = (timeNs: number): string => isoFromTime(timeNs, setting.epochDay)
  const fillSums = [...report.fills.sums.values()].flatMap((sums) => [...sums.values()])
  const orderSums = [...report.orders.sums.values()].flatMap((sums) => [...sums.values()])
  const money = moneySummaries(parts, end)
  const { openShare, intervalCount, holeCount, spans } = report.dataTime
  const [ordered, total] = [orderedPositions(parts), new RunTotal(parts)]
  const instruments = ordered.map((one) => instrumentSummary(parts, one))
  const wallets = walletSummaries(parts, ordered)
  const selected = parts.selection.filter(({ code }) => code === 'matched').map(({ sentence }) => sentence)
  return shownAsText({
    warnings,
    start: timeText(report.equity.startNs),
    end: timeText(end.timeNs),
    trim: parts.trim,
    ...(selected.length === 0 ? {} : { selection: selected }),
    ...(parts.pasts.length === 0 ? {} : { warmUp: warmUpSummaries(parts) }),
    ...(parts.signals.length === 0 ? {} : { signals: parts.signals }),
    isPartial: parts.isPartial,
    halt: haltSummary(parts),
    stop: stopSummary(parts),
    ...(parts.strategies.length === 0 ? {} : { strategies: strategySummaries(parts) }),
    money,
    total: total.summary(),
    exposure: openShare,
    ...(wallets.length === 0 ? {} : { wallets }),
    sampling: {
      intervalNs, intervalCount, leftOutCount: holeCount,
      covered: spans.map(({ fromNs, toNs }) => ({ from: timeText(fromNs), to: timeText(toNs) })),
    },
    instruments,
    orders: orderCounts(orderSums, parts.isSimulated),
    fillCount: fillSums.reduce((sum, { fillCount }) => sum + fillCount, 0),
    unreceivedFillCount: report.fills.unreceivedCount,
    makerShare: total.makerShare(ordered),
    makerFillCount: fillSums.reduce((sum, { makerFillCount }) => sum + makerFillCount, 0),
    rejections: report.requests.rejections(),
    requestLatency: report.requests.requestNs.quantiles(),
    responseLatency: report.requests.responseNs.quantiles(),
    markets: parts.markets,
    ...(parts.terms.length === 0 ? {} : { termChanges: termSummaries(parts) }),
    moneyEvents: moneyEventSummaries(parts),
    usdRates: usdRatesOf(parts),
    moneyNotes,
    ...(planNotes.length === 0 ? {} : { planNotes }),
    assumptions: parts.assumptions,
  })
}
