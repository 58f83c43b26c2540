import {
  constantLatency, interpolatedLatency, LATENCY_LIMIT_NS, proportionalLatency, sampledLatency, type OrderLatency,
} from '../exchange/adapter/order-latency.js'
import { closedUpDurations, durationNsFromText, isDurationText } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { exactExp } from '../model/exact-math.js'
import type { RandomNumbers } from '../model/random.js'
import { NS_PER_DAY, TIME_LIMIT_NS } from '../model/time.js'
import { readLatencyRecording } from './latency-reader.js'

/** The forms of a request or response latency, as a refusal names them. */
const LATENCY_FORMS: string =
  '10ms, "uniform 5ms 15ms", "exponential 2ms 8ms", "lognormal 10ms 0.5", "1.5 x feed + 1ms", "recorded FILE.csv" ' +
    'or a model'

/**
 * How long a message takes one way, in words; a duration of these is at most `1h`, and a longer draw counts as `1h`:
 *
 * - `10ms`: always (`250us`, `1s`, `0ns`);
 * - `uniform 5ms 15ms`: a seeded draw between the two;
 * - `exponential 2ms 8ms`: at least the first, and a seeded exponential draw of the second's mean on top;
 * - `lognormal 10ms 0.5`: a seeded draw with this median, the logarithm with this standard deviation, at most 10;
 * - `1.5 x feed + 1ms`: so many times the latency of the feed at that moment, and a constant (which may be left out);
 * - `recorded FILE.csv`: between recorded orders, columns `request_ts,exchange_ts,response_ts` in epoch nanoseconds.
 */
export type LatencyText = string

const DEVIATION_LIMIT = 10
const FACTOR = /^\d{1,3}(?:\.\d{1,6})?$/

/** A refusal of an assumption: what it must be, and what was found. */
export function refusedAssumption(field: string, expected: string, found: unknown): BacktapeError {
  const text = JSON.stringify(found) ?? String(found)
  return new BacktapeError(
    'OPTION_INVALID', `Cannot read assumptions.${field}: it must be ${expected}, found ${text}`,
    { field: `assumptions.${field}`, expected, found: text.slice(0, 80) },
  )
}

/** Whole nanoseconds of a latency as a duration, `0ns` to `1h`; OPTION_INVALID for anything else. */
export function latencyNsFromText(text: string, field: string, leastNs = 0): number {
  return durationNsFromText(text, { leastNs, mostNs: LATENCY_LIMIT_NS }, (expected) =>
    refusedAssumption(field, expected, text),
  )
}

/** The same, but null where the text has not the form of a duration: another form of a latency may fit. */
function nsOf(text: string | undefined, field: string, leastNs = 0): number | null {
  return text === undefined || !isDurationText(text) ? null : latencyNsFromText(text, field, leastNs)
}

/** A seeded draw of whole nanoseconds, in words. */
export interface LatencyDraw {
  readonly name: string
  sampleNs(random: RandomNumbers, number: number): number
}

/** The draw that a text names, of at most the limit of latencies; null where it names none. */
export function drawFromText(text: string, field: string): LatencyDraw | null {
  const [word, first, second, ...more] = text.split(' ')
  if (second === undefined || more.length > 0) return null
  if (word === 'uniform') {
    const [base, top] = [nsOf(first, field), nsOf(second, field)]
    if (base === null || top === null || top < base) return null
    return { name: text, sampleNs: (random, number) => base + random.below(top - base + 1, number) }
  }
  const within = (ns: number): number => Math.min(LATENCY_LIMIT_NS, Math.round(ns))
  if (word === 'exponential') {
    const [base, mean] = [nsOf(first, field), nsOf(second, field, 1)]
    if (base === null || mean === null) return null
    return { name: text, sampleNs: (random, number) => within(base + mean * random.exponential(number)) }
  }
  if (word !== 'lognormal' || !FACTOR.test(second)) return null
  const [median, deviation] = [nsOf(first, field, 1), Number(second)]
  if (deviation > DEVIATION_LIMIT)
    throw refusedAssumption(field, `a lognormal latency with a standard deviation from 0 to ${DEVIATION_LIMIT}`, text)
  if (median === null) return null
  return { name: text, sampleNs: (random, number) => within(median * exactExp(deviation * random.normal(number))) }
}

/** The forms of a latency, and how a text is written that has a space between a number and its unit. */
export function formsOf(forms: string, text: unknown): string {
  const closed = typeof text === 'string' ? closedUpDurations(text) : text
  return closed === text ? forms : `${forms}; write ${String(closed)}`
}

/** The latency that a text names; a sentence with all forms where it names none. */
export function latencyFromText(text: LatencyText, way: 'request' | 'response'): OrderLatency {
  const field = `${way}Latency`
  const constant = nsOf(text, field)
  if (constant !== null) return constantLatency(constant)
  const draw = drawFromText(text, field)
  if (draw !== null) return sampledLatency(draw.name, (random, number) => draw.sampleNs(random, number))
  const feed = /^(\S+) x feed(?: \+ (\S+))?$/.exec(text)
  if (feed !== null && FACTOR.test(feed[1] ?? '')) {
    const plusNs = feed[2] === undefined ? 0 : nsOf(feed[2], field)
    if (plusNs !== null) return proportionalLatency(Number(feed[1]), plusNs)
  }
  if (text.startsWith('recorded ')) return recordedLatency(text.slice('recorded '.length), way)
  throw refusedAssumption(field, formsOf(LATENCY_FORMS, text), text)
}

/** A time of a recording; where it is months away from the run the nearest row counts, and its delays stay exact. */
function nearNs(ns: bigint): number {
  const farthest = BigInt(TIME_LIMIT_NS - 2 * LATENCY_LIMIT_NS)
  return Number(ns > farthest ? farthest : ns < -farthest ? -farthest : ns)
}

/** Latencies between recorded orders: bound to the run's first midnight before it is used. */
function recordedLatency(path: string, way: 'request' | 'response'): OrderLatency {
  const { rows, digest } = readLatencyRecording(path)
  const name = `interpolated (${rows.length} recorded, sha256 ${digest})`
  const from = (epochDay: number): OrderLatency => {
    const base = BigInt(epochDay) * BigInt(NS_PER_DAY)
    const trips = rows.map(({ request, exchange, response }) => {
      const requestNs = nearNs(request - base)
      const exchangeNs = requestNs + Number(exchange - request)
      return { requestNs, exchangeNs, responseNs: exchangeNs + Number(response - exchange) }
    })
    return { ...interpolatedLatency(trips, way), name }
  }
  return { name, from, latencyNs: (moment) => from(0).latencyNs(moment) }
}
