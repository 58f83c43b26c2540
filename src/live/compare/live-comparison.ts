import { Decimal } from '../../model/decimal.js'
import { isoFromEpochNs } from '../../model/time.js'
import type { OrderTrack, TrackedFill } from './order-tracks.js'

/** One thing in which an order differs; `live` and `backtest` are texts, null for what a side does not have. */
export interface OrderDifference {
  readonly field: 'order' | 'sent' | 'answer' | 'fill'
  /** The number of the fill, from 1; null elsewhere. */
  readonly fill: number | null
  readonly live: string | null
  readonly backtest: string | null
  /** By so much later in the backtest, nanoseconds as text, where only the time differs. */
  readonly laterNs: string | null
  readonly words: string
}

/** An order of both sides, or of one. */
export interface ComparedOrder {
  readonly account: string
  readonly number: number
  readonly ownOrderId: string
  readonly terms: string
  readonly differences: readonly OrderDifference[]
}

/** The times from request to answer. Nanoseconds; null where there was none. */
export interface AnswerTimes {
  readonly count: number
  readonly medianNs: number | null
  readonly p90Ns: number | null
}

/** Where orders filled: first fills of orders that both sides sent, by exchange time where both state it. */
export interface FoundQueue {
  readonly sameCount: number
  readonly earlierCount: number
  readonly laterCount: number
  /** Orders that filled on one side only. */
  readonly liveOnlyCount: number
  readonly backtestOnlyCount: number
  /** Apart by so much are those that filled earlier and later, nanoseconds; null where there are none. */
  readonly medianEarlierNs: number | null
  readonly medianLaterNs: number | null
}

const NS_UNITS: readonly (readonly [name: string, digits: number])[] = [['s', 9], ['ms', 6], ['us', 3]]

/** A duration with every digit: `12.400321 ms`. */
export function exactDuration(ns: bigint): string {
  const magnitude = ns < 0n ? -ns : ns
  for (const [name, digits] of NS_UNITS) {
    const unit = 10n ** BigInt(digits)
    if (magnitude < unit) continue
    const rest = String(magnitude % unit).padStart(digits, '0').replace(/0+$/, '')
    return `${String(magnitude / unit)}${rest === '' ? '' : `.${rest}`} ${name}`
  }
  return `${String(magnitude)} ns`
}

/** Pairs orders by their places in their accounts; those that differ, in the order of the live run. */
export function compareOrders(live: readonly OrderTrack[], backtest: readonly OrderTrack[]): {
  readonly differing: readonly ComparedOrder[]; readonly pairs: readonly (readonly [OrderTrack, OrderTrack])[]
} {
  const others = new Map(backtest.map((order) => [keyOf(order), order]))
  const differing: ComparedOrder[] = []
  const pairs: (readonly [OrderTrack, OrderTrack])[] = []
  for (const own of live) {
    const other = others.get(keyOf(own))
    others.delete(keyOf(own))
    if (other !== undefined) pairs.push([own, other])
    const differences = other === undefined ? [onlyOn('live', own)] : differencesOf(own, other)
    if (differences.length > 0) differing.push(comparedOrder(own, differences))
  }
  for (const other of others.values()) differing.push(comparedOrder(other, [onlyOn('backtest', other)]))
  return { differing, pairs }
}

function keyOf({ account, number }: OrderTrack): string {
  return `${account} ${String(number)}`
}

function comparedOrder(
  { account, number, ownOrderId, terms }: OrderTrack, differences: readonly OrderDifference[],
): ComparedOrder {
  return { account, number, ownOrderId, terms, differences }
}

function onlyOn(side: 'live' | 'backtest', order: OrderTrack): OrderDifference {
  const at = isoFromEpochNs(order.sent)
  return {
    field: 'order', fill: null, live: null, backtest: null, laterNs: null, [side]: `${order.terms}, sent at ${at}`,
    words: side === 'live' ? `sent live at ${at}, not in the backtest` : `sent in the backtest at ${at}, not live`,
  }
}

function differencesOf(live: OrderTrack, backtest: OrderTrack): OrderDifference[] {
  const found: OrderDifference[] = []
  if (live.terms !== backtest.terms || live.instrumentId !== backtest.instrumentId)
    found.push({
      field: 'order', fill: null, live: termsOf(live), backtest: termsOf(backtest), laterNs: null,
      words: `the backtest sent ${termsOf(backtest)}`,
    })
  if (live.sent !== backtest.sent) found.push(timeDifference('sent', null, live.sent, backtest.sent, 'sent'))
  found.push(...answerDifferences(live, backtest))
  const [own, others] = [[...live.fills.values()], [...backtest.fills.values()]]
  for (let at = 0; at < Math.max(own.length, others.length); at++)
    found.push(...fillDifferences(at + 1, own[at], others[at]))
  return found
}

function termsOf({ terms, instrumentId }: OrderTrack): string {
  return `${terms} of instrument ${String(instrumentId)}`
}

function timeDifference(
  field: OrderDifference['field'], fill: number | null, live: bigint, backtest: bigint, what: string,
): OrderDifference {
  const later = backtest - live
  return {
    field, fill, live: String(live), backtest: String(backtest), laterNs: String(later),
    words: `${what} ${exactDuration(later)} ${later > 0n ? 'later' : 'earlier'} in the backtest`,
  }
}

function answerDifferences(
  { answer: live, sent }: OrderTrack, { answer: backtest, sent: otherSent }: OrderTrack,
): OrderDifference[] {
  const [own, other] = [answerText(live), answerText(backtest)]
  if (own !== other) {
    const words = `live ${own}, in the backtest ${other}`
    return [{ field: 'answer', fill: null, live: own, backtest: other, laterNs: null, words }]
  }
  if (live === null || backtest === null) return []
  const [took, otherTook] = [live.time - sent, backtest.time - otherSent]
  if (took === otherTook) return []
  return [{
    field: 'answer', fill: null, live: String(took), backtest: String(otherTook), laterNs: String(otherTook - took),
    words: `answered after ${exactDuration(took)} live, ${exactDuration(otherTook)} in the backtest`,
  }]
}

function answerText(answer: OrderTrack['answer']): string {
  if (answer === null) return 'without an answer'
  return answer.refusal === null ? 'accepted' : `refused: ${answer.refusal}`
}

function fillText({ price, quantity, isMaker }: TrackedFill): string {
  return `${quantity} at ${price} as ${isMaker ? 'maker' : 'taker'}`
}

function fillDifferences(
  number: number, live: TrackedFill | undefined, backtest: TrackedFill | undefined,
): OrderDifference[] {
  const [own, other] = [live, backtest].map((one) => (one === undefined ? null : fillText(one))) as [
    string | null, string | null]
  const name = `fill ${String(number)}`
  const difference = (words: string): OrderDifference => (
    { field: 'fill', fill: number, live: own, backtest: other, laterNs: null, words })
  if (live === undefined) return [difference(`${name}: none live, ${other ?? ''} in the backtest`)]
  if (backtest === undefined) return [difference(`${name}: ${own ?? ''} live, none in the backtest`)]
  const found: OrderDifference[] = []
  const isSame = decimalsEqual(live.price, backtest.price) && decimalsEqual(live.quantity, backtest.quantity) &&
    live.isMaker === backtest.isMaker
  if (!isSame) found.push(difference(`${name}: ${own ?? ''} live, ${other ?? ''} in the backtest`))
  const [time, otherTime] = fillTimes(live, backtest)
  if (time !== otherTime) found.push(timeDifference('fill', number, time, otherTime, name))
  return found
}

function decimalsEqual(one: string, other: string): boolean {
  return one === other || new Decimal(one).eq(other)
}

/** Times of the exchange where both state them, else those of their messages. */
function fillTimes(live: TrackedFill, backtest: TrackedFill): readonly [bigint, bigint] {
  const { exchangeTime: own } = live
  const { exchangeTime: other } = backtest
  return own === null || other === null ? [live.time, backtest.time] : [own, other]
}

/** The times that the answers of a side took. */
export function answerTimes(orders: readonly OrderTrack[]): AnswerTimes {
  const took = orders.flatMap(({ answer, sent }) => (answer === null ? [] : [Number(answer.time - sent)]))
  return { count: took.length, medianNs: rankOf(took, 0.5), p90Ns: rankOf(took, 0.9) }
}

/** The value of a rank: one that occurred, so exact; null of none. */
function rankOf(values: readonly number[], share: number): number | null {
  const ascending = [...values].sort((a, b) => a - b)
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? null
}

/** Where orders that both sides sent filled earlier, later or not at all. */
export function foundQueue(pairs: readonly (readonly [OrderTrack, OrderTrack])[]): FoundQueue {
  const [earlier, later]: [number[], number[]] = [[], []]
  let [sameCount, liveOnlyCount, backtestOnlyCount] = [0, 0, 0]
  for (const [live, backtest] of pairs) {
    const [[own], [other]] = [[...live.fills.values()], [...backtest.fills.values()]]
    if (own === undefined || other === undefined) {
      if (own !== undefined) liveOnlyCount++
      else if (other !== undefined) backtestOnlyCount++
      continue
    }
    const [time, otherTime] = fillTimes(own, other)
    if (otherTime === time) sameCount++
    else if (otherTime < time) earlier.push(Number(time - otherTime))
    else later.push(Number(otherTime - time))
  }
  return {
    sameCount, earlierCount: earlier.length, laterCount: later.length, liveOnlyCount, backtestOnlyCount,
    medianEarlierNs: rankOf(earlier, 0.5), medianLaterNs: rankOf(later, 0.5),
  }
}
