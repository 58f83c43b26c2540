import { constantLatency, type OrderLatency } from '../exchange/order-latency.js'
import type { ExchangeTop } from '../exchange/fused-book.js'
import { queueModelFromName, type QueueModel } from '../exchange/queue-model.js'
import type { GapPolicy } from '../exchange/world-orders.js'
import { BacktapeError } from '../model/error.js'
import { constantFeedLatency, recordedFeedLatency, type FeedLatency } from '../replay/feed-latency.js'

/** What a researcher may argue about (exchange rules 1.5). Everything left out has the conservative default, and the result names all of it. */
export interface AssumptionOptions {
  /** A name, a name with an exponent, or a model of your own. Default `riskAverse`. */
  readonly queue?: string | { readonly model: string; readonly exponent?: number } | QueueModel
  /** Default `partial`. */
  readonly fills?: 'partial' | 'whole'
  /** Default `fused`. */
  readonly exchangeTop?: ExchangeTop
  /** Default `assumeWorst`. */
  readonly gaps?: GapPolicy
  /** `recorded` (default), `recorded+2ms`, `constant 5ms`, or a model of your own. Shared by all worlds of a pass. */
  readonly feedLatency?: string | FeedLatency
  /** A duration such as `10ms` (default), `250us`, `1s`, or a model of your own. */
  readonly requestLatency?: string | OrderLatency
  readonly responseLatency?: string | OrderLatency
}

/** All assumptions of a run, none left open. */
export interface Assumptions {
  readonly queue: QueueModel
  readonly fills: 'partial' | 'whole'
  readonly exchangeTop: ExchangeTop
  readonly gaps: GapPolicy
  readonly feedLatency: FeedLatency
  readonly requestLatency: OrderLatency
  readonly responseLatency: OrderLatency
}

const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1_000, ms: 1_000_000, s: 1_000_000_000 }
const DURATION = /^(\d{1,9})(ns|us|ms|s)$/
const GAP_POLICIES: readonly GapPolicy[] = ['assumeWorst', 'cancelAndWait', 'freeze', 'halt']
const KNOWN = ['queue', 'fills', 'exchangeTop', 'gaps', 'feedLatency', 'requestLatency', 'responseLatency']

function refused(field: string, expected: string, found: unknown): BacktapeError {
  const text = JSON.stringify(found) ?? String(found)
  return new BacktapeError('OPTION_INVALID', `Cannot read assumptions.${field}: it must be ${expected}, found ${text}`, { field: `assumptions.${field}`, expected, found: text.slice(0, 80) })
}

/** Whole nanoseconds of `10ms`, `250us`, `1s`, `5ns`. */
export function durationNs(text: string, field: string): number {
  const match = DURATION.exec(text)
  if (match === null) throw refused(field, 'a duration such as 10ms, 250us or 1s', text)
  return Number(match[1]) * (UNITS_NS[match[2] ?? 'ns'] ?? 1)
}

function oneOf<T extends string>(field: string, values: readonly T[], found: unknown): T {
  const value = values.find((candidate) => candidate === found)
  if (value === undefined) throw refused(field, `one of ${values.join(', ')}`, found)
  return value
}

function queueOf(option: NonNullable<AssumptionOptions['queue']>): QueueModel {
  if (typeof option === 'string') return queueModelFromName(option)
  return 'ahead' in option ? option : queueModelFromName(option.model, option.exponent)
}

function feedLatencyOf(option: string | FeedLatency): FeedLatency {
  if (typeof option !== 'string') return option
  if (option === 'recorded') return recordedFeedLatency()
  if (option.startsWith('recorded+')) return recordedFeedLatency(durationNs(option.slice('recorded+'.length), 'feedLatency'))
  if (option.startsWith('constant ')) return constantFeedLatency(durationNs(option.slice('constant '.length), 'feedLatency'))
  throw refused('feedLatency', 'recorded, recorded+2ms, constant 5ms or a model', option)
}

function latencyOf(option: string | OrderLatency, field: string): OrderLatency {
  return typeof option === 'string' ? constantLatency(durationNs(option, field)) : option
}

/** The assumptions of a run with every default filled in; a sentence for a name that means nothing. */
export function assumptionsFromOptions(options: AssumptionOptions = {}): Assumptions {
  for (const key of Object.keys(options)) if (!KNOWN.includes(key)) throw refused(key, `one of ${KNOWN.join(', ')}`, key)
  return {
    queue: queueOf(options.queue ?? 'riskAverse'),
    fills: oneOf('fills', ['partial', 'whole'], options.fills ?? 'partial'),
    exchangeTop: oneOf('exchangeTop', ['fused', 'depth'], options.exchangeTop ?? 'fused'),
    gaps: oneOf('gaps', GAP_POLICIES, options.gaps ?? 'assumeWorst'),
    feedLatency: feedLatencyOf(options.feedLatency ?? 'recorded'),
    requestLatency: latencyOf(options.requestLatency ?? '10ms', 'requestLatency'),
    responseLatency: latencyOf(options.responseLatency ?? '10ms', 'responseLatency'),
  }
}

/** The names of all assumptions in force: a part of the result and of its configDigest. */
export function assumptionNames(assumptions: Assumptions): Readonly<Record<string, string>> {
  const { queue, fills, exchangeTop, gaps, feedLatency, requestLatency, responseLatency } = assumptions
  return { queue: queue.name, fills, exchangeTop, gaps, feedLatency: feedLatency.name, requestLatency: requestLatency.name, responseLatency: responseLatency.name }
}
