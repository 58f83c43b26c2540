import { openQuantity } from '../exchange/accounts/account-position.js'
import { averageEntryPrice } from '../model/position-sums.js'
import { feeText } from '../exchange/accounts/fees.js'
import { bookUnknownUntil } from '../exchange/market/market-participant.js'
import type { World } from '../exchange/world.js'
import { Decimal } from '../model/decimal.js'
import { isoFromTime } from '../model/time.js'
import type {
  HaltSummary, InstrumentSummary, MarketSummary, MoneyEventSummary, RunSummary, TermChangeSummary, WalletSummary,
  WarmUpSummary,
} from '../report/run-summary.js'
import {
  intervalsPerYear, makerShareOf, markOutSummaries, moneySummary, orderCounts, tradeSummary,
} from '../report/summary-making.js'
import { shownAsText } from '../report/summary-text.js'
import { moneyNotes } from './money-notes.js'
import type { Replay } from '../simulation/replay.js'
import { planNotes } from './plan-notes.js'
import { underlyingCode } from './result-tables.js'
import { runWarnings } from './run-warnings.js'
import type { SummaryParts } from './summary-parts.js'
import type { EndValuation } from './run-recorder.js'
import { RunValuation } from './run-valuation.js'

const ZERO: Decimal = new Decimal(0)

function nameOf({ directory }: Replay, instrumentId: number): string {
  const entry = directory.get(instrumentId)
  return entry === undefined ? String(instrumentId) : `${entry.instrument.exchangeCode}:${entry.instrument.code}`
}

/** Account and instrument of everything that was ordered or filled, in order. */
function tradedPairs({ world, report }: SummaryParts): (readonly [accountId: string, instrumentId: number])[] {
  return [...world.accounts].flatMap(([accountId, { positions }]) => {
    const ids = new Set([
      ...positions.keys(), ...(report.orders.sums.get(accountId)?.keys() ?? []),
      ...(report.fills.sums.get(accountId)?.keys() ?? []),
    ])
    return [...ids].sort((a, b) => a - b).map((id) => [accountId, id] as const)
  })
}

function instrumentSummary(
  parts: SummaryParts, end: EndValuation, accountId: string, instrumentId: number,
): InstrumentSummary | null {
  const { world, report, replay } = parts
  const entry = replay.directory.get(instrumentId)
  const account = world.accounts.get(accountId)
  if (entry === undefined || account?.config.exchangeCode !== entry.instrument.exchangeCode) return null
  const held = account.positionIn(entry)
  const { contract, sums, fees } = held
  const { price, by } = end.prices.get(instrumentId) ?? { price: null, by: 'nothing' as const }
  const unrealized = RunValuation.profitAt(held, price)
  const ownFees = fees.get(contract.settlementUnderlyingId) ?? ZERO
  return {
    instrumentId,
    instrument: nameOf(replay, instrumentId),
    accountId,
    underlying: underlyingCode(replay.underlyings, contract.settlementUnderlyingId),
    ...(contract.kind === 'spot'
      ? {
          position: null, netTraded: openQuantity(held).toFixed(),
          wallet: account.cashOf(contract.baseUnderlyingId ?? contract.settlementUnderlyingId).toFixed(),
        }
      : { position: openQuantity(held).toFixed() }),
    averageEntryPrice: averageEntryPrice(contract, sums)?.toFixed() ?? null,
    markPrice: price?.toFixed() ?? null,
    markedBy: by,
    realizedPnl: sums.realizedPnl.toFixed(),
    unrealizedPnl: unrealized.toFixed(),
    fees: Object.fromEntries(
      [...fees].map(([underlyingId, amount]) => [underlyingCode(replay.underlyings, underlyingId), amount.toFixed()]),
    ),
    profit: sums.realizedPnl.plus(unrealized).minus(ownFees).toFixed(),
    turnover: sums.turnover.toFixed(),
    ...tradeSummary(
      report.fills.sums.get(accountId)?.get(instrumentId), report.orders.sums.get(accountId)?.get(instrumentId),
      entry.quantityScale,
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
      const { periods, bookUnknownNs } = isEarlier ? bookUnknownUntil(market, nowNs) : market.bookUnknownTime
      return {
        instrumentId: feed.instrumentId,
        instrument: nameOf(replay, feed.instrumentId),
        firstEvent: isReceived ? timeText(feed.firstReceivedNs) : null,
        lastEvent: isReceived ? timeText(feed.receivedInRunNs) : null,
        bookUnknownCount: periods,
        bookUnknownNs,
        clampedTimes: feed.receivedTimeCounts(),
        feedLatency: feed.latencies.quantiles(),
      }
    })
}

/** Rates of the underlyings in which the accounts have cash. */
function usdRatesOf({ world, replay }: SummaryParts): RunSummary['usdRates'] {
  const ids = new Set([...world.accounts.values()].flatMap(({ cash }) => [...cash.keys()]))
  return [...ids].sort((a, b) => a - b).flatMap((id) => {
    const rate = world.config.money?.usdRates.get(id)
    return rate === undefined ? [] : [{ underlying: underlyingCode(replay.underlyings, id), ...rate }]
  })
}

/**
 * Wallets of accounts that dealt in spot: what was bought lies in one, and what it was bought with is gone from
 * another.
 */
function walletSummaries({ world, replay }: SummaryParts): WalletSummary[] {
  const dealers = [...world.accounts.values()].filter(
    ({ config, positions }) =>
      config.balances.size > 0 && [...positions.values()].some(({ contract }) => contract.kind === 'spot'),
  )
  return dealers.flatMap(({ config, cash, loans }) =>
    [...cash]
      .sort(([a], [b]) => a - b)
      .map(([underlyingId, amount]) => ({
        accountId: config.accountId, underlying: underlyingCode(replay.underlyings, underlyingId),
        cashBalance: amount.toFixed(), borrowed: loans.owed(underlyingId).toFixed(),
      })),
  )
}

function moneyEventSummaries({ report, replay }: SummaryParts): MoneyEventSummary[] {
  return report.moneySums.sums().map(({ kind, accountId, instrumentId, underlyingId, count, amount, feeAmount }) => ({
    kind, accountId, instrument: instrumentId === null ? null : nameOf(replay, instrumentId),
    underlying: underlyingCode(replay.underlyings, underlyingId), count, amount, fees: feeAmount,
  }))
}

function haltSummary({ world, replay }: SummaryParts): HaltSummary | null {
  const { halt } = world
  return halt === null
    ? null
    : {
        instrument: nameOf(replay, halt.instrumentId), time: isoFromTime(halt.timeNs, replay.clock.epochDay),
        reason: halt.reason,
      }
}

/** The fees of each account, beside the assumptions: `fees`, or `fees of NAME` where there are several. */
function feeTexts({ accounts }: World): Record<string, string> {
  return Object.fromEntries(
    [...accounts.values()].map(({ config: { accountId, fees }, positions }) => [
      accounts.size === 1 ? 'fees' : `fees of ${accountId}`, feeText(fees, positions.values()),
    ]),
  )
}

function termSummaries({ terms, replay }: SummaryParts): TermChangeSummary[] {
  return terms.flatMap(({ instrumentId, day, changes }) =>
    changes.map((change) => ({ instrument: nameOf(replay, instrumentId), day, ...change })),
  )
}

function warmUpSummaries({ pasts, replay }: SummaryParts): WarmUpSummary[] {
  const timeText = (timeNs: number): string => isoFromTime(timeNs, replay.clock.epochDay)
  return pasts.map(({ instrumentId, sinceNs, firstNs, days, holes }) => ({
    instrument: nameOf(replay, instrumentId), since: timeText(sinceNs),
    firstEvent: firstNs === null ? null : timeText(firstNs), days, holes,
  }))
}

/** Sums up a world at the end of its run. The exchange side of every market has been played up to it. */
export function summaryOf(parts: SummaryParts): RunSummary {
  const { report, replay, world } = parts
  const { intervalNs } = report
  const end = report.finish(replay.clock.nowNs())
  const timeText = (timeNs: number): string => isoFromTime(timeNs, replay.clock.epochDay)
  const fillSums = [...report.fills.sums.values()].flatMap((sums) => [...sums.values()])
  const orderSums = [...report.orders.sums.values()].flatMap((sums) => [...sums.values()])
  const notes = parts.isPartial ? [] : planNotes(world, end.timeNs)
  const money = [...end.money].flatMap(([underlyingId, sums]) => {
    const track = report.equity.tracks.get(underlyingId)
    return track === undefined
      ? []
      : [
          moneySummary({ underlyingId, underlying: underlyingCode(replay.underlyings, underlyingId) }, sums, track, {
            intervalNs, timeText,
          }),
        ]
  })
  const instruments = tradedPairs(parts).flatMap(
    ([accountId, id]) => instrumentSummary(parts, end, accountId, id) ?? [],
  )
  const wallets = walletSummaries(parts)
  const selected = parts.selection.filter(({ code }) => code === 'matched').map(({ sentence }) => sentence)
  return shownAsText({
    warnings: runWarnings(parts),
    start: timeText(report.equity.startNs),
    end: timeText(end.timeNs),
    trim: parts.trim,
    ...(selected.length === 0 ? {} : { selection: selected }),
    ...(parts.pasts.length === 0 ? {} : { warmUp: warmUpSummaries(parts) }),
    isPartial: parts.isPartial,
    halt: haltSummary(parts),
    stop: report.stop === null ? null : { time: timeText(report.stop.timeNs), reason: report.stop.reason },
    money,
    ...(wallets.length === 0 ? {} : { wallets }),
    sampling: {
      intervalNs, intervalCount: report.equity.intervalCount, leftOutCount: report.equity.holeCount,
      intervalsPerYear: intervalsPerYear(intervalNs),
    },
    instruments,
    orders: orderCounts(orderSums),
    fillCount: fillSums.reduce((sum, { fillCount }) => sum + fillCount, 0),
    unreceivedFillCount: report.fills.unreceivedCount,
    makerShare: makerShareOf(fillSums),
    rejections: report.requests.rejections(),
    requestLatency: report.requests.requestNs.quantiles(),
    responseLatency: report.requests.responseNs.quantiles(),
    markets: parts.markets,
    ...(parts.terms.length === 0 ? {} : { termChanges: termSummaries(parts) }),
    moneyEvents: moneyEventSummaries(parts),
    usdRates: usdRatesOf(parts),
    moneyNotes: moneyNotes(world),
    ...(notes.length === 0 ? {} : { planNotes: notes }),
    assumptions: { ...parts.assumptions, ...feeTexts(world) },
  })
}
