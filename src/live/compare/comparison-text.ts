import { exactDuration, type AnswerTimes, type FoundQueue } from './live-comparison.js'
import type { LiveComparison } from './compare-live.js'
import type { SideTotals, TradedInstrument } from './side-totals.js'

/** A comparison in words: order by order, then latencies, queue and totals. */
export function* comparisonLines(comparison: LiveComparison): Generator<string, void, undefined> {
  const { from, to, orders, isEqual, latency, queue, totals, notes } = comparison
  yield `${from} to ${to}, ${String(totals.live.orderCount)} orders live, ` +
    `${String(totals.backtest.orderCount)} in the backtest`
  for (const { account, number, ownOrderId, terms, differences } of orders) {
    yield `order ${String(number)} of ${account}, ${terms} (${ownOrderId})`
    for (const { words } of differences) yield `  ${words}`
  }
  yield isEqual ? 'No order differs.' : `${String(orders.length)} orders differ.`
  yield ''
  yield `latency   live ${answersText(latency.live)}; backtest ${answersText(latency.backtest)}`
  yield `queue     ${queueText(queue)}`
  yield* totalsLines('live     ', totals.live)
  yield* totalsLines('backtest ', totals.backtest)
  for (const note of notes) yield `note      ${note}`
}

function answersText({ count, medianNs, p90Ns }: AnswerTimes): string {
  if (medianNs === null || p90Ns === null) return 'no answers'
  const [median, most] = [medianNs, p90Ns].map((ns) => exactDuration(BigInt(ns))) as [string, string]
  return `median ${median}, 90 % within ${most}, of ${String(count)} answers`
}

function queueText({
  sameCount, earlierCount, laterCount, liveOnlyCount, backtestOnlyCount, medianEarlierNs, medianLaterNs,
}: FoundQueue): string {
  const by = (ns: number | null): string => (ns === null ? '' : ` (median ${exactDuration(BigInt(ns))})`)
  return `first fills in the backtest: ${String(sameCount)} at the same time, ${String(earlierCount)} earlier` +
    `${by(medianEarlierNs)}, ${String(laterCount)} later${by(medianLaterNs)}; filled live alone ` +
    `${String(liveOnlyCount)}, in the backtest alone ${String(backtestOnlyCount)}`
}

function* totalsLines(name: string, totals: SideTotals): Generator<string, void, undefined> {
  const { orderCount, refusedCount, fillCount, instruments, fees } = totals
  const stated = fees.map(({ underlying, amount }) => `${amount} ${underlying}`)
  const paid = stated.length === 0 ? 'none stated' : stated.join(', ')
  yield `${name} ${String(orderCount)} orders, ${String(refusedCount)} refused, ${String(fillCount)} fills, ` +
    `fees ${paid}`
  for (const one of instruments) yield `          ${tradedText(one)}`
}

function tradedText(
  { instrument, bought, sold, profit, underlying, valuedAt, makerFillCount }: TradedInstrument,
): string {
  const gained = profit === null ? 'not known' : `${profit} ${underlying ?? ''}`
  return `${instrument}: bought ${bought}, sold ${sold}, ${String(makerFillCount)} fills as maker, ` +
    `profit before fees ${gained}, valued at ${valuedAt}`
}
