import {
  constantLatency, interpolatedLatency, LATENCY_LIMIT_NS, proportionalLatency, sampledLatency,
} from '../exchange/adapter/order-latency.js'
import type { OrderLatency } from '../model/order-latency.js'
import { durationOf, isDurationText } from '../model/duration.js'
import { exactExp } from '../model/exact-math.js'
import type { RandomNumbers } from '../model/random.js'
import { NS_PER_DAY, TIME_LIMIT_NS } from '../model/time.js'
import { readLatencyRecording } from './latency-reader.js'

/**
 * The time of a message one way, in words; a duration of these is at most `1h`, and a longer draw counts as `1h`:
 *
 * - `10ms`: always (`250us`, `1s`, `0ns`);
 * - `uniform 5ms 15ms`: a seeded draw between the two;
 * - `exponential 2ms 8ms`: at least the first, and a seeded exponential draw of the second's mean on top;
 * - `lognormal 10ms 0.5`: a seeded draw with this median, the logarithm with this standard deviation, at most 10;
 * - `1.5 x feed + 1ms`: so many times the latency of the feed at that moment, and a constant (which may be left out);
 * - `recorded FILE.csv`: between recorded orders, columns `request_ts,exchange_ts,response_ts` in epoch nanoseconds.
 */
export type LatencyText = string

/** Before the path of a recording. */
export const RECORDED = 'recorded '

const DEVIATION_LIMIT = 10
const FACTOR = /^\d{1,3}(?:\.\d{1,6})?$/

/** Whole nanoseconds of a latency as a duration, `0ns` to `1h`; the expected value in words for anything else. */
export function latencyNsOf(text: string, leastNs = 0): number | string {
  return durationOf(text, { leastNs, mostNs: LATENCY_LIMIT_NS })
}

/** A seeded draw of whole nanoseconds, in words. */
export interface LatencyDraw {
  readonly name: string
  sampleNs(random: RandomNumbers, number: number): number
}

/** The draw that a text names; null where it has the form of none, the expected value in words out of bounds. */
export function drawOf(text: string): LatencyDraw | string | null {
  const [word, first = '', second, ...more] = text.split(' ')
  if (second === undefined || more.length > 0 || !isDurationText(first)) return null
  const within = (ns: number): number => Math.min(LATENCY_LIMIT_NS, Math.round(ns))
  if (word === 'lognormal' && FACTOR.test(second)) {
    const [median, deviation] = [latencyNsOf(first, 1), Number(second)]
    if (deviation > DEVIATION_LIMIT)
      return `a lognormal latency with a standard deviation from 0 to ${DEVIATION_LIMIT}`
    if (typeof median === 'string') return median
    return { name: text, sampleNs: (random, number) => within(median * exactExp(deviation * random.normal(number))) }
  }
  if (!isDurationText(second) || (word !== 'uniform' && word !== 'exponential')) return null
  const [base, other] = [latencyNsOf(first), latencyNsOf(second, word === 'uniform' ? 0 : 1)]
  if (typeof base === 'string') return base
  if (typeof other === 'string') return other
  if (word === 'exponential')
    return { name: text, sampleNs: (random, number) => within(base + other * random.exponential(number)) }
  if (other < base) return 'a uniform latency whose second duration is not below its first'
  return { name: text, sampleNs: (random, number) => base + random.below(other - base + 1, number) }
}

/** The latency that a text names; null where it has the form of none, the expected value in words out of bounds. */
export function orderLatencyOf(text: LatencyText, way: 'request' | 'response'): OrderLatency | string | null {
  if (text.startsWith(RECORDED)) return recordedLatency(text.slice(RECORDED.length), way)
  if (isDurationText(text)) {
    const ns = latencyNsOf(text)
    return typeof ns === 'string' ? ns : constantLatency(ns)
  }
  const draw = drawOf(text)
  if (typeof draw === 'string') return draw
  if (draw !== null) return sampledLatency(draw.name, (random, number) => draw.sampleNs(random, number))
  const feed = /^(\S+) x feed(?: \+ (\S+))?$/.exec(text)
  const [, factor = '', plus = '0ns'] = feed ?? []
  if (feed === null || !FACTOR.test(factor) || !isDurationText(plus)) return null
  const plusNs = latencyNsOf(plus)
  return typeof plusNs === 'string' ? plusNs : proportionalLatency(Number(factor), plusNs)
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
