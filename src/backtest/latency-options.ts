import { interpolatedLatency, proportionalLatency, sampledLatency, constantLatency, type OrderLatency } from '../exchange/order-latency.js'
import { BacktapeError } from '../model/error.js'
import { exactExp } from '../model/exact-math.js'
import type { RandomNumbers } from '../model/random.js'
import { NS_PER_DAY } from '../model/time.js'
import { readLatencyRecording } from './latency-reader.js'

/** The forms of a request or response latency, as a refusal names them. */
export const LATENCY_FORMS = '10ms, "uniform 5ms 15ms", "exponential 2ms 8ms", "lognormal 10ms 0.5", "1.5 x feed + 1ms", "recorded FILE.csv" or a model'

/**
 * How long a message takes one way, in words:
 *
 * - `10ms`: always (`250us`, `1s`, `0ns`);
 * - `uniform 5ms 15ms`: a seeded draw between the two;
 * - `exponential 2ms 8ms`: at least the first, and a seeded exponential draw of the second's mean on top;
 * - `lognormal 10ms 0.5`: a seeded draw with this median, the logarithm with this standard deviation;
 * - `1.5 x feed + 1ms`: so many times the latency of the feed at that moment, and a constant (which may be left out);
 * - `recorded FILE.csv`: between recorded orders, columns `request_ts,exchange_ts,response_ts` in epoch nanoseconds.
 */
export type LatencyText = string

const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1_000, ms: 1_000_000, s: 1_000_000_000 }
const DURATION = /^(\d{1,9})(ns|us|ms|s)$/
const FACTOR = /^\d{1,3}(?:\.\d{1,6})?$/

/** A refusal of an assumption: what it must be, and what was found. */
export function refusedAssumption(field: string, expected: string, found: unknown): BacktapeError {
  const text = JSON.stringify(found) ?? String(found)
  return new BacktapeError('OPTION_INVALID', `Cannot read assumptions.${field}: it must be ${expected}, found ${text}`, { field: `assumptions.${field}`, expected, found: text.slice(0, 80) })
}

/** Whole nanoseconds of `10ms`, `250us`, `1s`, `5ns`; null where the text is no duration. */
function nsOf(text: string | undefined): number | null {
  const match = DURATION.exec(text ?? '')
  return match === null ? null : Number(match[1]) * (UNITS_NS[match[2] ?? 'ns'] ?? 1)
}

/** Whole nanoseconds of `10ms`, `250us`, `1s`, `5ns`. */
export function durationNs(text: string, field: string): number {
  const ns = nsOf(text)
  if (ns === null) throw refusedAssumption(field, 'a duration such as 10ms, 250us or 1s', text)
  return ns
}

/** A seeded draw of whole nanoseconds, in words. */
export interface LatencyDraw {
  readonly name: string
  sampleNs(random: RandomNumbers, number: number): number
}

/** The draw that a text names; null where it names none. */
export function drawFromText(text: string): LatencyDraw | null {
  const [word, first, second, ...more] = text.split(' ')
  const base = nsOf(first)
  if (base === null || second === undefined || more.length > 0) return null
  const ns = nsOf(second)
  if (word === 'uniform' && ns !== null && ns >= base) return { name: text, sampleNs: (random, number) => base + random.below(ns - base + 1, number) }
  if (word === 'exponential' && ns !== null) return { name: text, sampleNs: (random, number) => Math.round(base + ns * random.exponential(number)) }
  if (word !== 'lognormal' || !FACTOR.test(second)) return null
  const deviation = Number(second)
  return { name: text, sampleNs: (random, number) => Math.round(base * exactExp(deviation * random.normal(number))) }
}

/** The latency that a text names; a sentence with all forms where it names none. */
export function latencyFromText(text: LatencyText, way: 'request' | 'response'): OrderLatency {
  const field = `${way}Latency`
  const constant = nsOf(text)
  if (constant !== null) return constantLatency(constant)
  const draw = drawFromText(text)
  if (draw !== null) return sampledLatency(draw.name, (random, number) => draw.sampleNs(random, number))
  const feed = /^(\S+) x feed(?: \+ (\S+))?$/.exec(text)
  if (feed !== null && FACTOR.test(feed[1] ?? '')) {
    const plusNs = feed[2] === undefined ? 0 : nsOf(feed[2])
    if (plusNs !== null) return proportionalLatency(Number(feed[1]), plusNs)
  }
  if (text.startsWith('recorded ')) return recordedLatency(text.slice('recorded '.length), way)
  throw refusedAssumption(field, LATENCY_FORMS, text)
}

/** Latencies between recorded orders: bound to the run's first midnight before it is used. */
function recordedLatency(path: string, way: 'request' | 'response'): OrderLatency {
  const { rows, digest } = readLatencyRecording(path)
  const name = `interpolated (${rows.length} recorded, sha256 ${digest})`
  const from = (epochDay: number): OrderLatency => {
    const base = BigInt(epochDay) * BigInt(NS_PER_DAY)
    const trips = rows.map(({ request, exchange, response }) => ({ requestNs: Number(request - base), exchangeNs: Number(exchange - base), responseNs: Number(response - base) }))
    return { ...interpolatedLatency(trips, way), name }
  }
  return { name, from, latencyNs: (moment) => from(0).latencyNs(moment) }
}
