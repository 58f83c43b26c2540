import {
  HFTBACKTEST_PRESET, RULE_SWITCHES, type EngineSwitches, type GapPolicy,
} from '../exchange/matching/assumptions.js'
import { MARKET_RULES, type ExchangeTop, type MarketRules } from '../exchange/market/touch-book.js'
import type { OrderLatency } from '../model/order-latency.js'
import { queueModelFromName, type QueueModel } from '../exchange/matching/queue-model.js'
import type { SameStamp } from '../model/exchange-order.js'
import { isDurationText } from '../model/duration.js'
import { asChecked, fault, pathPart, type Fault } from '../model/fault.js'
import { keptValue } from '../model/kept-value.js'
import { RandomNumbers } from '../model/random.js'
import {
  constantFeedLatency, exchangeFeedLatency, recordedFeedLatency, sampledFeedLatency, type FeedLatency,
} from '../replay/feed-latency.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import { crossedAfterOf, defaultCrossedAfter, type CrossedAfter } from './crossed-after.js'
import { drawOf, latencyNsOf, orderLatencyOf, type LatencyText } from './latency-options.js'
import { defaultStaleAfter, staleAfterOf, type StaleAfter } from './stale-after.js'

/**
 * The assumptions that a researcher may argue about (exchange rules 1.5). Everything left out has the conservative
 * default, and the result names all of it.
 */
export interface AssumptionOptions {
  /** `hftbacktest`: every switch below as that simulator has it, for comparison; what is said beside it wins. */
  readonly preset?: 'hftbacktest'
  /** A name, a name with an exponent, or a model of your own. Default `riskAverse`. */
  readonly queue?: string | { readonly model: string; readonly exponent?: number } | QueueModel
  /** `partial` (default), or `whole`: every order fills in one piece, liquidity is never used up. */
  readonly fills?: 'partial' | 'whole'
  /** Default `fused`. */
  readonly exchangeTop?: ExchangeTop
  /**
   * The order of trades and books of one exchange stamp (exchange rules 1.1): rows of trade lines first (`trades`,
   * default), or all as in the file (`file`). Shared by all worlds of a pass.
   */
  readonly sameStamp?: SameStamp
  /** Default `assumeWorst`. `ignore` trusts every book, whatever its chain says. */
  readonly gaps?: GapPolicy | 'ignore'
  /**
   * After how long without data an instrument's book is unknown (exchange rules 6.4): `30s`, `5min` (1s to 24h), or
   * `off`. Default 60s without a line of depth or top of book on perpetuals and futures, 10min without any line on
   * spot, options and prediction contracts; off under `gaps: 'ignore'` and the preset.
   */
  readonly staleAfter?: string
  /**
   * After how long a depth book that is crossed with itself, its best bid above its best ask without a break, is
   * unknown (exchange rules 6.5): `10s` (default), `500ms` (1ms to 24h), or `off`, which is the default under `gaps:
   * 'ignore'` and the preset. Shared by all worlds of a pass.
   */
  readonly crossedAfter?: string
  /** `difference` (default), or `rows`: a snapshot empties the book and sets its rows. */
  readonly snapshots?: 'difference' | 'rows'
  /** A request that would meet the account's own resting order: `reject` (default), or `ignore`. */
  readonly selfTrade?: 'reject' | 'ignore'
  /** A `postOnly` order that would cross: `reject` (default), or `expire` (accepted, then CANCELED). */
  readonly crossingPostOnly?: 'reject' | 'expire'
  /** Quantity ahead at a price that is not shown: `unknown` (default), or `zero`. */
  readonly notShown?: 'unknown' | 'zero'
  /**
   * `recorded` (default), `recorded+2ms`, `constant 5ms`, `uniform 1ms 3ms` and its like after exchange time, or a
   * model of your own. Shared by all worlds of a pass. An object states one for each exchange by its code; feeds of
   * exchanges that it leaves out come as recorded.
   */
  readonly feedLatency?: string | FeedLatency | Readonly<Record<string, string>>
  /** Words (`LatencyText`) or a model of your own; default `10ms`. */
  readonly requestLatency?: LatencyText | OrderLatency
  /** From the exchange's stamp to the client: words (`LatencyText`) or a model of your own; default `10ms`. */
  readonly responseLatency?: LatencyText | OrderLatency
}

/** All assumptions of a run, none left open. */
export interface Assumptions {
  readonly preset: 'hftbacktest' | null
  readonly queue: QueueModel
  readonly fills: 'partial' | 'whole'
  readonly exchangeTop: ExchangeTop
  readonly sameStamp: SameStamp
  readonly gaps: GapPolicy
  readonly staleAfter: StaleAfter
  readonly crossedAfter: CrossedAfter
  readonly market: MarketRules
  readonly switches: EngineSwitches
  readonly feedLatency: FeedLatency
  readonly requestLatency: OrderLatency
  readonly responseLatency: OrderLatency
}

function queueOf(option: NonNullable<AssumptionOptions['queue']>): QueueModel {
  if (typeof option === 'string') return queueModelFromName(option)
  return isQueueModel(option) ? option : queueModelFromName(option.model, option.exponent)
}

/** True where a value is a model of the user's own: an object with a name and a function. */
function isModel(value: unknown, method: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, [method]: called } = value as Readonly<Record<string, unknown>>
  return typeof name === 'string' && name !== '' && typeof called === 'function'
}

export const isQueueModel = (value: unknown): value is QueueModel => isModel(value, 'ahead')
export const isFeedLatency = (value: unknown): value is FeedLatency => isModel(value, 'timesNs')
export const isOrderLatency = (value: unknown): value is OrderLatency => isModel(value, 'latencyNs')

/** The latency of the feed that a text names; null where it has the form of none, words out of bounds. */
export function feedLatencyOf(text: string, seed: number): FeedLatency | string | null {
  if (text === 'recorded') return recordedFeedLatency()
  const [, way, length = ''] = /^(recorded\+|constant )(.*)$/.exec(text) ?? []
  if (way !== undefined) {
    if (!isDurationText(length)) return null
    const ns = latencyNsOf(length)
    if (typeof ns === 'string') return ns
    return way === 'constant ' ? constantFeedLatency(ns) : recordedFeedLatency(ns)
  }
  const draw = drawOf(text)
  if (draw === null || typeof draw === 'string') return draw
  const random = new Map<number, RandomNumbers>()
  const numbersOf = (instrumentId: number): RandomNumbers => new RandomNumbers(seed, 'feed-latency', instrumentId)
  return sampledFeedLatency(`${draw.name} from exchange time`, (instrumentId, eventNumber) =>
    draw.sampleNs(keptValue(random, instrumentId, numbersOf), eventNumber))
}

function feedLatencyOfOption(option: NonNullable<AssumptionOptions['feedLatency']>, seed: number): FeedLatency {
  const read = (text: string): FeedLatency => asChecked(feedLatencyOf(text, seed))
  if (typeof option === 'string') return read(option)
  if (isFeedLatency(option)) return option
  return exchangeFeedLatency(new Map(Object.entries(option).map(([code, text]) => [code, read(text)])))
}

/** Latencies of feeds of exchanges that a run has no instrument of. */
export function feedLatencyFaults(
  { feedLatency = 'recorded' }: AssumptionOptions, { entries }: InstrumentDirectory,
): Fault[] {
  if (typeof feedLatency === 'string' || isFeedLatency(feedLatency)) return []
  const codes = [...new Set(entries.map(({ instrument }) => instrument.exchangeCode))].sort()
  return Object.keys(feedLatency).filter((code) => !codes.includes(code)).map((code) => fault(
    `assumptions.feedLatency${pathPart(code)}`, `an exchange of the run's instruments (${codes.join(', ')})`, code,
  ))
}

/**
 * The assumptions of a run with every default filled in. `seed` is that of seeded feed latencies. The options have
 * passed `checkOptions`; a recording of latencies is read here, and its faults are thrown.
 */
export function assumptionsFromOptions(options: AssumptionOptions = {}, seed = 1): Assumptions {
  const { preset = null, feedLatency = 'recorded', staleAfter, crossedAfter } = options
  const base =
    preset === null
      ? {
          fills: 'partial' as const, exchangeTop: 'fused' as const, sameStamp: 'trades' as const, market: MARKET_RULES,
          switches: RULE_SWITCHES,
        }
      : HFTBACKTEST_PRESET
  const { market, switches } = base
  const gaps = options.gaps ?? (market.gaps === 'ignored' ? 'ignore' : 'assumeWorst')
  const isTrusting = gaps === 'ignore' || preset !== null
  const latencyOf = (option: LatencyText | OrderLatency, way: 'request' | 'response'): OrderLatency =>
    typeof option === 'string' ? asChecked(orderLatencyOf(option, way)) : option
  return {
    preset,
    queue: queueOf(options.queue ?? 'riskAverse'),
    fills: options.fills ?? base.fills,
    exchangeTop: options.exchangeTop ?? base.exchangeTop,
    sameStamp: options.sameStamp ?? base.sameStamp,
    // A market whose book is always trusted never asks for a policy.
    gaps: gaps === 'ignore' ? 'assumeWorst' : gaps,
    staleAfter:
      staleAfter === undefined ? defaultStaleAfter(isTrusting) : asChecked(staleAfterOf(staleAfter)),
    crossedAfter:
      crossedAfter === undefined ? defaultCrossedAfter(isTrusting) : asChecked(crossedAfterOf(crossedAfter)),
    market: {
      gaps: gaps === 'ignore' ? 'ignored' : 'observed', snapshots: options.snapshots ?? market.snapshots,
    },
    switches: {
      selfTrade: options.selfTrade ?? switches.selfTrade,
      crossingPostOnly: options.crossingPostOnly ?? switches.crossingPostOnly,
      notShown: options.notShown ?? switches.notShown,
    },
    feedLatency: feedLatencyOfOption(feedLatency, seed),
    requestLatency: latencyOf(options.requestLatency ?? '10ms', 'request'),
    responseLatency: latencyOf(options.responseLatency ?? '10ms', 'response'),
  }
}

/** The names of all assumptions in force: a part of the result and of its configDigest. */
export function assumptionNames(assumptions: Assumptions): Readonly<Record<string, string>> {
  const {
    preset, queue, fills, exchangeTop, sameStamp, gaps, staleAfter, crossedAfter, market, switches, feedLatency,
    requestLatency, responseLatency,
  } = assumptions
  return {
    ...(preset === null ? {} : { preset }),
    queue: queue.name,
    fills,
    exchangeTop,
    sameStamp,
    gaps: market.gaps === 'ignored' ? 'ignore' : gaps,
    staleAfter: staleAfter.name,
    crossedAfter: crossedAfter.name,
    snapshots: market.snapshots,
    ...switches,
    feedLatency: feedLatency.name,
    requestLatency: requestLatency.name,
    responseLatency: responseLatency.name,
  }
}
