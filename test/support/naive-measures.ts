import type { FillRow, OrderRow, PeriodRow, RoundTripRow } from '../../src/results/result-rows.js'
import {
  crossedSpans, Decimal, endNs, exchangeTimes, instrumentOf, isoOf, linesOf, midAtEnd, minutes, nsOf, part, rounded, settlementCode, signed, sum, summaryOf, text, unknownSpans, valueAt, type Amount, type Rows,
} from './measure-rows.ts'
import { MADE_MIDNIGHT_NS } from './made-market-file.ts'
import { SIGNAL_TIMES, type JournalLine } from './measures-scenes.ts'

/** Figures by name, each made of rows. */
type Naive = Readonly<Record<string, (rows: Rows) => unknown>>

/** An amount of an underlying in the currency of the total, by the spot market's mid. */
function converted(rows: Rows, code: string, amount: string | Amount): Amount {
  const { currency } = summaryOf(rows).total
  if (code === currency) return rounded(new Decimal(amount))
  const mid = midAtEnd(rows, rows.played.instruments.find(({ type }) => type === 'spot')!.id)
  return rounded(code === 'BASE' ? new Decimal(amount).times(mid) : new Decimal(amount).div(mid))
}

const totalOf = (name: 'startEquity' | 'profit' | 'fees' | 'turnover') => (rows: Rows): Amount => (
  sum(summaryOf(rows).money.map((money) => converted(rows, money.underlying, money[name]))))

const sizes = (fills: readonly FillRow[]): Amount => sum(fills.map(({ value }) => new Decimal(value).abs()))
const makers = ({ fills }: Rows): FillRow[] => fills.filter(({ added_liquidity: isMaker }) => isMaker)
const feesOf = (lines: readonly JournalLine[]): Amount => sum(lines.map(({ feeAmount }) => (feeAmount as string | undefined) ?? '0'))
/** Lines of the journal that moved money without an order, of an underlying and one kind, or all. */
const moved = ({ journal, code }: Rows, kind?: string): JournalLine[] => journal.filter((line) => (
  line.side === 'exchange' && typeof line['amount'] === 'string' && (kind === undefined || line.kind === kind) && line['underlyingId'] === (code === 'BASE' ? 1 : 2)))

/** The rows that are samples of the ratios, and their returns. */
function samples({ days, hours }: Rows): { readonly unit: 'day' | 'hour'; readonly rows: readonly PeriodRow[]; readonly r: number[]; readonly periods: number } {
  const covered = (rows: readonly PeriodRow[]): PeriodRow[] => rows.filter((row) => row.covered >= 0.5)
  const isDaily = covered(days).length >= 20
  const rows = isDaily ? days : hours
  const [unit, periods] = isDaily ? ['day', 365] as const : ['hour', 8760] as const
  const broken = rows.findIndex((row) => row.covered >= 0.5 && row.return === null)
  if (broken >= 0) return { unit, rows: rows.slice(0, broken), r: [], periods }
  return { unit, rows, r: covered(rows).map((row) => row.return!), periods }
}

const mean = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0) / values.length
const deviation = (values: readonly number[]): number => Math.sqrt(values.reduce((total, one) => total + (one - mean(values)) ** 2, 0) / (values.length - 1))
const wealth = (r: readonly number[]): number[] => r.reduce((all, one) => [...all, all.at(-1)! * (1 + one)], [1])
const deepest = (r: readonly number[]): number => Math.max(...wealth(r).map((w, at) => 1 - w / Math.max(...wealth(r).slice(0, at + 1))))
/** Statistics need 20 returns. */
const ratio = (of: (r: number[], periods: number) => number | null) => (rows: Rows): number | null => {
  const { r, periods } = samples(rows)
  return r.length < 20 ? null : of(r, periods)
}
const above = (r: readonly number[]): number[] => r.filter((one) => one > 0)
const below = (r: readonly number[]): number[] => r.filter((one) => one < 0)
const total = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

/** The greatest fall of the equity table. */
function fall(rows: Rows): { readonly amount: Amount; readonly peak: Amount; readonly from: bigint; readonly to: bigint } {
  let [peak, peakTs] = [new Decimal(NAIVE_MEASURES['MoneySummary']!['startEquity']!(rows) as string), nsOf(summaryOf(rows).start)]
  let found = { amount: new Decimal(0), peak, from: peakTs, to: peakTs }
  for (const { ts, equity: now } of rows.equity) {
    if (peak.lte(now)) [peak, peakTs] = [new Decimal(now), ts]
    if (peak.minus(now).gt(found.amount)) found = { amount: peak.minus(now), peak, from: peakTs, to: ts }
  }
  return found
}

const closed = ({ trips }: Rows): RoundTripRow[] => trips.filter((trip) => !trip.is_open)
const winners = (rows: Rows): RoundTripRow[] => closed(rows).filter(({ profit }) => new Decimal(profit).gt(0))
const losers = (rows: Rows): RoundTripRow[] => closed(rows).filter(({ profit }) => new Decimal(profit).lt(0))

const measured = ({ fills }: Rows): (FillRow & { readonly arrival_mid: string })[] => (
  fills.flatMap((fill) => (fill.arrival_mid === null || new Decimal(fill.arrival_mid).isZero() ? [] : [{ ...fill, arrival_mid: fill.arrival_mid }])))
const midValues = (rows: Rows): Amount => sum(measured(rows).map((fill) => valueAt(instrumentOf(rows, fill.instrument_id), fill.qty, fill.arrival_mid).abs()))
const slippage = (rows: Rows): Amount => sum(measured(rows).map((fill) => {
  const instrument = instrumentOf(rows, fill.instrument_id)
  const cost = signed(fill.side, new Decimal(fill.value).minus(valueAt(instrument, fill.qty, fill.arrival_mid)))
  return instrument.isInverse ? cost.negated() : cost
}))

/** Time of the union of round trips within spans. */
function openTime(rows: Rows): readonly [open: number, whole: number] {
  const edges = rows.trips.map(({ entry_ts: from, exit_ts: to }) => [from, to ?? endNs(rows)] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  const union: [bigint, bigint][] = []
  for (const [from, to] of edges) {
    const last = union.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = to > last[1] ? to : last[1]
    else union.push([from, to])
  }
  let [open, whole] = [0n, 0n]
  for (const span of minutes(rows).spans) {
    const [first, end] = [nsOf(span.from), nsOf(span.to)]
    whole += end - first
    for (const [from, to] of union) {
      const length = (to < end ? to : end) - (from > first ? from : first)
      if (length > 0n) open += length
    }
  }
  return [Number(open), Number(whole)]
}

const markOut = ({ horizonNs }: Rows): keyof FillRow => ({ 100_000_000: 'mark_out_100ms', 1_000_000_000: 'mark_out_1s', 10_000_000_000: 'mark_out_10s', 60_000_000_000: 'mark_out_60s' } as const)[horizonNs]!
const markedOut = (rows: Rows): (readonly [string, string])[] => rows.fills.flatMap((fill) => {
  const out = fill[markOut(rows)]
  return out === null ? [] : [[String(out), fill.qty] as const]
})

const accepted = ({ orders }: Rows): OrderRow[] => orders.filter(({ accepted_ts: time }) => time !== null)
const isSettled = (rows: Rows): boolean => settled(rows).length > 0
const net = ({ fills }: Rows): Amount => sum(fills.map(({ side, qty }) => signed(side, qty)))
const held = ({ fills }: Rows): Amount[] => [new Decimal(0), ...fills.map(({ position, net_traded: net }) => new Decimal(position ?? net ?? 0))]
const settled = ({ journal, instrument: { id } }: Rows): JournalLine[] => journal.filter(({ kind, instrumentId }) => kind === 'settlement' && instrumentId === id)
const realized = (rows: Rows): Amount => sum([...rows.fills.map(({ realized_pnl: pnl }) => pnl), ...settled(rows).map(({ amount }) => String(amount))])
const byFee = (rows: Rows): Record<string, Amount> => {
  const { fills, code } = rows
  const all: Record<string, Amount> = settled(rows).length === 0 ? {} : { [code]: feesOf(settled(rows)) }
  for (const { fee, fee_underlying: code } of fills) all[code] = (all[code] ?? new Decimal(0)).plus(fee)
  return all
}

/** Average entry price: value of what is open over its quantity, for inverse contracts the reverse. */
function averageEntry(rows: Rows): string | null {
  let [open, value] = [new Decimal(0), new Decimal(0)]
  for (const fill of rows.fills) {
    const change = signed(fill.side, fill.qty)
    const size = new Decimal(fill.value)
    if (open.isZero() || open.isPositive() === change.isPositive()) {
      value = value.plus(size)
      open = open.plus(change)
    } else if (change.abs().lte(open.abs())) {
      value = value.minus(value.times(change.abs()).div(open.abs()))
      open = open.plus(change)
    } else {
      value = size.times(open.plus(change).abs()).div(change.abs())
      open = open.plus(change)
    }
  }
  if (open.isZero() || isSettled(rows)) return null
  const { isInverse, contractValue } = rows.instrument
  return text(isInverse ? open.abs().times(contractValue ?? 1).div(value) : value.div(open.abs()))
}

const rank = (share: number) => ({ durations }: Rows): number | null => (
  durations.length === 0 ? null : Number([...durations].sort((a, b) => (a < b ? -1 : 1))[Math.max(1, Math.ceil(share * durations.length)) - 1]))

/** Cash of an underlying at the end. */
function walletOf(rows: Rows): Amount {
  const { played: { scene, result }, code } = rows
  const balances = (scene.options.account as { readonly balances: Record<string, string> }).balances
  const traded = result.fills.rows.map((fill) => {
    const instrument = instrumentOf(rows, fill.instrument_id)
    const paid = new Decimal(fill.fee_underlying === code ? fill.fee : 0).negated()
    if (instrument.type === 'spot') return paid.plus(code === 'BASE' ? signed(fill.side, fill.qty) : signed(fill.side, fill.value).negated())
    return settlementCode(instrument) === code ? paid.plus(fill.realized_pnl) : paid
  })
  const amounts = (kind: string): string[] => moved(rows, kind).map(({ amount }) => String(amount))
  const events = [...amounts('borrow'), ...amounts('repay').map((amount) => `-${amount}`), ...amounts('funding'), ...amounts('settlement')]
  return sum([balances[code] ?? '0', ...traded, ...events, feesOf(moved(rows)).negated()])
}

/** The default of `crossedAfter`. */
const CROSSED_AFTER_NS = 10_000_000_000
const sinceMidnight = (ns: bigint): number => Number(ns - MADE_MIDNIGHT_NS)

/** Each figure of the summary by its formula: the definition, written as plainly as it can be. */
export const NAIVE_MEASURES: Readonly<Record<string, Naive>> = {
  RunSummary: {
    exposure: (rows) => part(...openTime(rows)),
    fillCount: ({ fills }) => fills.length,
    unreceivedFillCount: ({ fills }) => fills.filter(({ ts }) => ts === null).length,
    makerShare: (rows) => {
      const codes = new Set(rows.fills.map(({ instrument_id: id }) => settlementCode(instrumentOf(rows, id))))
      const value = (fills: readonly FillRow[]): Amount => sum([...codes].map((code) => {
        const own = sizes(fills.filter(({ instrument_id: id }) => settlementCode(instrumentOf(rows, id)) === code))
        return codes.size > 1 ? converted(rows, code, own) : own
      }))
      return part(value(makers(rows)), value(rows.fills))
    },
    makerFillCount: (rows) => makers(rows).length,
  },
  Sampling: {
    intervalCount: (rows) => Number(minutes(rows).all),
    leftOutCount: (rows) => Number(minutes(rows).idle),
    covered: (rows) => minutes(rows).spans,
  },
  MarkOutSummary: {
    measuredCount: (rows) => markedOut(rows).length,
    mean: (rows) => (markedOut(rows).length === 0 ? null : text(rounded(sum(markedOut(rows).map(([out, qty]) => new Decimal(out).times(qty))).div(sum(markedOut(rows).map(([, qty]) => qty)))))),
  },
  OrderCounts: {
    orderCount: ({ orders }) => orders.length,
    acceptedCount: (rows) => accepted(rows).length,
    byState: ({ orders }) => {
      const counts: Record<string, number> = {}
      for (const { state } of orders) counts[state] = (counts[state] ?? 0) + 1
      return counts
    },
    openAtEndCount: ({ orders }) => orders.filter(({ ended_ts: time }) => time === null).length,
    touchedByGapCount: ({ orders }) => orders.filter(({ touched_by_gap: isTouched }) => isTouched).length,
    filledOrderShare: (rows) => part(accepted(rows).filter(({ executed_qty: qty }) => new Decimal(qty).gt(0)).length, accepted(rows).length),
  },
  InstrumentSummary: {
    position: (rows) => (rows.instrument.type === 'spot' ? null : isSettled(rows) ? '0' : text(net(rows))),
    netTraded: (rows) => (rows.instrument.type === 'spot' ? text(net(rows)) : undefined),
    wallet: (rows) => (rows.instrument.type === 'spot' ? summaryOf(rows).wallets?.find(({ underlying }) => underlying === 'BASE')?.cashBalance : undefined),
    lowestPosition: (rows) => text(Decimal.min(...held(rows))),
    highestPosition: (rows) => text(Decimal.max(...held(rows))),
    averageEntryPrice: averageEntry,
    markPrice: (rows) => {
      const mark = linesOf(rows, rows.instrument.id).findLast(({ line: { kind } }) => kind === 'mark')?.line
      return mark === undefined ? text(midAtEnd(rows, rows.instrument.id)) : text(new Decimal(mark.value!).div(10 ** mark.valueScale!))
    },
    realizedPnl: (rows) => text(realized(rows)),
    unrealizedPnl: (rows) => text(sum(rows.trips.map(({ gross_profit: gross }) => gross)).minus(realized(rows))),
    fees: (rows) => Object.fromEntries(Object.entries(byFee(rows)).map(([code, amount]) => [code, text(amount)])),
    profit: (rows) => text(sum(rows.trips.map(({ gross_profit: gross }) => gross)).minus(byFee(rows)[rows.code] ?? 0)),
    turnover: ({ fills }) => text(sizes(fills)),
    fillCount: ({ fills }) => fills.length,
    crossedFillCount: (rows) => {
      const spans = crossedSpans(rows)
      return rows.fills.filter(({ exchange_ts: ts }) => spans.some(([from, to]) => sinceMidnight(ts) >= from && sinceMidnight(ts) < to)).length
    },
    gapFillCount: ({ fills }) => fills.filter(({ cause }) => cause === 'gap').length,
    makerShare: (rows) => part(sizes(makers(rows)), sizes(rows.fills)),
    makerFillCount: (rows) => makers(rows).length,
    fillRatio: (rows) => part(sum(accepted(rows).map(({ executed_qty: qty }) => qty)), sum(accepted(rows).map(({ qty }) => qty ?? '0'))),
    queuedCount: ({ orders }) => orders.filter(({ quantity_ahead: ahead }) => ahead !== null).length,
    meanQuantityAhead: ({ orders }) => {
      const all = orders.flatMap(({ quantity_ahead: ahead }) => ahead ?? [])
      return all.length === 0 ? null : text(rounded(sum(all).div(all.length)))
    },
  },
  MarketSummary: {
    firstEvent: (rows) => isoOf(linesOf(rows, rows.instrument.id)[0]!.ns),
    lastEvent: (rows) => isoOf(linesOf(rows, rows.instrument.id).at(-1)!.ns),
    bookUnknownCount: (rows) => unknownSpans(rows).length,
    bookUnknownNs: (rows) => unknownSpans(rows).reduce((all, [from, to]) => all + to - from, 0),
    crossedCount: (rows) => crossedSpans(rows).length,
    crossedNs: (rows) => crossedSpans(rows).reduce((all, [from, to]) => all + to - from, 0),
    crossedGapCount: (rows) => crossedSpans(rows).filter(([, to, since]) => to > since + CROSSED_AFTER_NS).length,
    crossedGapNs: (rows) => crossedSpans(rows).reduce((all, [, to, since]) => all + Math.max(0, to - since - CROSSED_AFTER_NS), 0),
    clampedTimes: (rows) => {
      const counts = { missing: 0, afterAdapter: 0, movedUp: 0, adapterStepsBack: 0, adapterJumps: 0 }
      let before = -Infinity
      for (const { line: { kind, timeNs, adapterTimeNs } } of linesOf(rows, rows.instrument.id)) {
        if (kind !== 'ERROR' && Number.isNaN(timeNs)) counts.missing++
        if (kind !== 'ERROR' && timeNs > adapterTimeNs) counts.afterAdapter++
        if (adapterTimeNs < before) counts.adapterStepsBack++
        before = adapterTimeNs
      }
      counts.movedUp = exchangeTimes(rows).filter(({ isMovedUp }) => isMovedUp).length
      return counts
    },
  },
  MoneyEventSummary: {
    count: ({ journal }) => journal.length,
    amount: ({ journal }) => text(sum(journal.map(({ amount }) => String(amount)))),
    fees: ({ journal }) => text(feesOf(journal)),
  },
  WalletSummary: {
    cashBalance: (rows) => text(walletOf(rows)),
    borrowed: (rows) => text(sum([...moved(rows, 'borrow'), ...moved(rows, 'interest')].map(({ amount }) => String(amount))).minus(sum(moved(rows, 'repay').map(({ amount }) => String(amount))))),
  },
  SignalSummary: {
    playedCount: (rows) => SIGNAL_TIMES.map(nsOf).filter((ns) => ns >= nsOf(summaryOf(rows).start) && ns <= endNs(rows)).length,
    skippedCount: (rows) => SIGNAL_TIMES.map(nsOf).filter((ns) => ns < nsOf(summaryOf(rows).start)).length,
  },
  MoneySummary: {
    startEquity: ({ played: { scene }, code }) => (scene.options.account as { readonly balances: Record<string, string> }).balances[code] ?? '0',
    realizedPnl: ({ hours }) => text(sum(hours.map(({ realized_pnl: pnl }) => pnl))),
    unrealizedPnl: ({ hours }) => text(sum(hours.map(({ unrealized_pnl: pnl }) => pnl))),
    fees: (rows) => text(sum(rows.played.result.fills.rows.filter(({ fee_underlying: code }) => code === rows.code).map(({ fee }) => fee)).plus(feesOf(moved(rows)))),
    flows: ({ hours }) => text(sum(hours.map(({ flows }) => flows))),
    profit: ({ hours }) => text(sum(hours.flatMap(({ realized_pnl: pnl, unrealized_pnl: open, fees, flows }) => [pnl, open, new Decimal(fees).negated(), flows]))),
    endEquity: (rows) => text(sum(rows.hours.map(({ profit }) => profit)).plus(NAIVE_MEASURES['MoneySummary']!['startEquity']!(rows) as string)),
    turnover: ({ fills }) => text(sizes(fills)),
    return: (rows) => {
      const start = new Decimal(NAIVE_MEASURES['MoneySummary']!['startEquity']!(rows) as string)
      return start.isZero() ? null : part(sum(rows.hours.map(({ profit }) => profit)), start)
    },
    sharpe: ratio((r, periods) => mean(r) / deviation(r) * Math.sqrt(periods)),
    sortino: ratio((r, periods) => mean(r) / Math.sqrt(total(below(r).map((one) => one * one)) / r.length) * Math.sqrt(periods)),
  },
  ReturnsSummary: {
    unit: (rows) => samples(rows).unit,
    sampleCount: (rows) => samples(rows).r.length,
    leftOutCount: (rows) => samples(rows).rows.filter(({ covered, profit }) => covered < 0.5 && (covered > 0 || !new Decimal(profit).isZero())).length,
    periodsPerYear: (rows) => samples(rows).periods,
    volatility: ratio((r, periods) => deviation(r) * Math.sqrt(periods)),
    maxDrawdown: ratio((r) => deepest(r)),
    calmar: ratio((r, periods) => (wealth(r).at(-1)! ** (periods / r.length) - 1) / deepest(r)),
    winRate: ratio((r) => above(r).length / (above(r).length + below(r).length)),
    profitFactor: ratio((r) => total(above(r)) / -total(below(r))),
  },
  RoundTripSummary: {
    count: (rows) => closed(rows).length,
    winCount: (rows) => winners(rows).length,
    lossCount: (rows) => losers(rows).length,
    openCount: ({ trips }) => trips.filter((trip) => trip.is_open).length,
    wins: (rows) => text(sum(winners(rows).map(({ profit }) => profit))),
    losses: (rows) => text(sum(losers(rows).map(({ profit }) => profit)).abs()),
    winRate: (rows) => part(winners(rows).length, closed(rows).length),
    profitFactor: (rows) => part(sum(winners(rows).map(({ profit }) => profit)), sum(losers(rows).map(({ profit }) => profit)).abs()),
  },
  SlippageSummary: {
    measuredCount: (rows) => measured(rows).length,
    cost: (rows) => text(slippage(rows)),
    share: (rows) => part(slippage(rows), midValues(rows)),
  },
  TotalSummary: {
    startEquity: (rows) => text(totalOf('startEquity')(rows)),
    profit: (rows) => text(totalOf('profit')(rows)),
    fees: (rows) => text(totalOf('fees')(rows)),
    turnover: (rows) => text(totalOf('turnover')(rows)),
    endEquity: (rows) => text(totalOf('startEquity')(rows).plus(totalOf('profit')(rows))),
    return: (rows) => part(totalOf('profit')(rows), totalOf('startEquity')(rows)),
  },
  TotalRate: { rate: (rows) => text(converted(rows, rows.code, '1')) },
  DrawdownSummary: {
    amount: (rows) => text(fall(rows).amount),
    share: (rows) => part(fall(rows).amount, fall(rows).peak),
    from: (rows) => isoOf(fall(rows).from),
    to: (rows) => isoOf(fall(rows).to),
  },
  LatencyQuantiles: {
    count: ({ durations }) => durations.length,
    negativeCount: ({ durations }) => durations.filter((one) => one < 0n).length,
    smallestNs: rank(0),
    medianNs: rank(0.5),
    p90Ns: rank(0.9),
    p99Ns: rank(0.99),
    p999Ns: rank(0.999),
    largestNs: rank(1),
  },
  RejectionCount: { count: ({ journal, orders }) => journal.length + orders.length },
  ShownTradeCounts: {
    tradeRows: (rows) => linesOf(rows, rows.instrument.id).filter(({ line: { kind } }, at) => kind === 'trades' && at % 32_768 < 4_096).length,
    shownBefore: (rows) => {
      const lines = linesOf(rows, rows.instrument.id).map(({ line }) => line)
      return lines.filter((line, at) => line.kind === 'trades' && lines.slice(Math.max(0, at - 9), at).some((earlier) => (
        earlier.kind === 'update' && earlier.timeNs < line.timeNs && line.timeNs - earlier.timeNs <= 100e6))).length
    },
  },
}
