import { HFTBACKTEST_PRESET, RULE_SWITCHES, type EngineSwitches } from '../exchange/matching/assumptions.js'
import type { ExchangeTop } from '../exchange/market/touch-book.js'
import { MARKET_RULES, type MarketRules } from '../exchange/market/snapshot-policy.js'
import type { OrderLatency } from '../exchange/adapter/order-latency.js'
import { queueModelFromName, type QueueModel } from '../exchange/matching/queue-model.js'
import type { GapPolicy } from '../exchange/matching/gap-policy.js'
import { RandomNumbers } from '../model/random.js'
import {
  constantFeedLatency, recordedFeedLatency, sampledFeedLatency, type FeedLatency,
} from '../replay/feed-latency.js'
import {
  drawFromText, formsOf, latencyFromText, latencyNsFromText, refusedAssumption, type LatencyText,
} from './latency-options.js'
import { Refusals } from './refusals.js'
import { staleAfterFromOption, type StaleAfter } from './stale-after.js'

/**
 * What a researcher may argue about (exchange rules 1.5). Everything left out has the conservative default, and the
 * result names all of it.
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
  /** Default `assumeWorst`. `ignore` trusts every book, whatever its chain says. */
  readonly gaps?: GapPolicy | 'ignore'
  /**
   * After how long without data an instrument's book is unknown (exchange rules 6.4): `30s`, `5min` (1s to 24h), or
   * `off`. Default 60s without a line of depth or top of book on perpetuals and futures, 10min without any line on
   * spot, options and prediction contracts; off under `gaps: 'ignore'` and the preset.
   */
  readonly staleAfter?: string
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
   * model of your own. Shared by all worlds of a pass.
   */
  readonly feedLatency?: string | FeedLatency
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
  readonly gaps: GapPolicy
  readonly staleAfter: StaleAfter
  readonly market: MarketRules
  readonly switches: EngineSwitches
  readonly feedLatency: FeedLatency
  readonly requestLatency: OrderLatency
  readonly responseLatency: OrderLatency
}

const GAP_POLICIES: readonly (GapPolicy | 'ignore')[] = ['assumeWorst', 'cancelAndWait', 'freeze', 'halt', 'ignore']
const KNOWN = [
  'preset', 'queue', 'fills', 'exchangeTop', 'gaps', 'staleAfter', 'snapshots', 'selfTrade', 'crossingPostOnly',
  'notShown', 'feedLatency', 'requestLatency', 'responseLatency',
]

function oneOf<T extends string>(field: string, values: readonly T[], found: unknown): T {
  const value = values.find((candidate) => candidate === found)
  if (value === undefined) throw refusedAssumption(field, `one of ${values.join(', ')}`, found)
  return value
}

function queueOf(option: NonNullable<AssumptionOptions['queue']>): QueueModel {
  if (typeof option === 'string') return queueModelFromName(option)
  if (isQueueModel(option)) return option
  if (typeof option === 'object' && 'model' in option && typeof option.model === 'string')
    return queueModelFromName(option.model, option.exponent)
  throw refusedAssumption('queue', 'the name of a queue model, { model, exponent } or a model (name, ahead)', option)
}

/** True where a value is a model of the user's own: an object with a name and a function. */
function isModel(value: unknown, method: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, [method]: called } = value as Readonly<Record<string, unknown>>
  return typeof name === 'string' && name !== '' && typeof called === 'function'
}

const isQueueModel = (value: unknown): value is QueueModel => isModel(value, 'ahead')
const isFeedLatency = (value: unknown): value is FeedLatency => isModel(value, 'timesNs')
const isOrderLatency = (value: unknown): value is OrderLatency => isModel(value, 'latencyNs')

const FEED_LATENCY_FORMS =
  'recorded, recorded+2ms, constant 5ms, "uniform 1ms 3ms", "exponential 1ms 2ms", "lognormal 2ms 0.5" or a model ' +
    '(name, timesNs)'

function feedLatencyOf(option: string | FeedLatency, seed: number): FeedLatency {
  if (isFeedLatency(option)) return option
  if (typeof option !== 'string') throw refusedAssumption('feedLatency', FEED_LATENCY_FORMS, option)
  if (option === 'recorded') return recordedFeedLatency()
  if (option.startsWith('recorded+'))
    return recordedFeedLatency(latencyNsFromText(option.slice('recorded+'.length), 'feedLatency'))
  if (option.startsWith('constant '))
    return constantFeedLatency(latencyNsFromText(option.slice('constant '.length), 'feedLatency'))
  const draw = drawFromText(option, 'feedLatency')
  if (draw === null) throw refusedAssumption('feedLatency', formsOf(FEED_LATENCY_FORMS, option), option)
  const random = new Map<number, RandomNumbers>()
  return sampledFeedLatency(`${draw.name} from exchange time`, (instrumentId, eventNumber) => {
    let numbers = random.get(instrumentId)
    if (numbers === undefined) {
      numbers = new RandomNumbers(seed, 'feed-latency', instrumentId)
      random.set(instrumentId, numbers)
    }
    return draw.sampleNs(numbers, eventNumber)
  })
}

function latencyOf(option: LatencyText | OrderLatency, way: 'request' | 'response'): OrderLatency {
  if (typeof option === 'string') return latencyFromText(option, way)
  if (isOrderLatency(option)) return option
  return latencyFromText(JSON.stringify(option), way)
}

/**
 * The assumptions of a run with every default filled in; a sentence for each name that means nothing. `seed` is that of
 * seeded feed latencies.
 */
export function assumptionsFromOptions(options: AssumptionOptions = {}, seed = 1): Assumptions {
  const refusals = new Refusals()
  refusals.read(() => {
    for (const key of Object.keys(options))
      if (!KNOWN.includes(key)) throw refusedAssumption(key, `one of ${KNOWN.join(', ')}`, key)
  })
  const preset =
    options.preset === undefined ? null : refusals.read(() => oneOf('preset', ['hftbacktest'] as const, options.preset))
  const base =
    preset === null
      ? { fills: 'partial' as const, exchangeTop: 'fused' as const, market: MARKET_RULES, switches: RULE_SWITCHES }
      : HFTBACKTEST_PRESET
  // What is refused is null; then nothing is given back.
  const read = <T>(part: () => T): T => refusals.read(part) as T
  const gaps = read(() =>
    oneOf('gaps', GAP_POLICIES, options.gaps ?? (base.market.gaps === 'ignored' ? 'ignore' : 'assumeWorst')),
  )
  const assumptions: Assumptions = {
    preset,
    queue: read(() => queueOf(options.queue ?? 'riskAverse')),
    fills: read(() => oneOf('fills', ['partial', 'whole'], options.fills ?? base.fills)),
    exchangeTop: read(() => oneOf('exchangeTop', ['fused', 'depth'], options.exchangeTop ?? base.exchangeTop)),
    // A market whose book is always trusted never asks for a policy.
    gaps: gaps === 'ignore' ? 'assumeWorst' : gaps,
    staleAfter: read(() => staleAfterFromOption(options.staleAfter, gaps === 'ignore' || preset !== null)),
    market: {
      gaps: gaps === 'ignore' ? 'ignored' : 'observed',
      snapshots: read(() => oneOf('snapshots', ['difference', 'rows'], options.snapshots ?? base.market.snapshots)),
    },
    switches: {
      selfTrade: read(() => oneOf('selfTrade', ['reject', 'ignore'], options.selfTrade ?? base.switches.selfTrade)),
      crossingPostOnly: read(() =>
        oneOf('crossingPostOnly', ['reject', 'expire'], options.crossingPostOnly ?? base.switches.crossingPostOnly),
      ),
      notShown: read(() => oneOf('notShown', ['unknown', 'zero'], options.notShown ?? base.switches.notShown)),
    },
    feedLatency: read(() => feedLatencyOf(options.feedLatency ?? 'recorded', seed)),
    requestLatency: read(() => latencyOf(options.requestLatency ?? '10ms', 'request')),
    responseLatency: read(() => latencyOf(options.responseLatency ?? '10ms', 'response')),
  }
  refusals.end()
  return assumptions
}

/** The names of all assumptions in force: a part of the result and of its configDigest. */
export function assumptionNames(assumptions: Assumptions): Readonly<Record<string, string>> {
  const {
    preset, queue, fills, exchangeTop, gaps, staleAfter, market, switches, feedLatency, requestLatency, responseLatency,
  } = assumptions
  return {
    ...(preset === null ? {} : { preset }),
    queue: queue.name,
    fills,
    exchangeTop,
    gaps: market.gaps === 'ignored' ? 'ignore' : gaps,
    staleAfter: staleAfter.name,
    snapshots: market.snapshots,
    ...switches,
    feedLatency: feedLatency.name,
    requestLatency: requestLatency.name,
    responseLatency: responseLatency.name,
  }
}
