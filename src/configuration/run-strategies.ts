import { createHash } from 'node:crypto'
import { isJsonObject } from '../model/json-object.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { Strategy } from '../strategy/strategy.js'
import { strategyBundle, strategySourceDigest } from './strategy-module-reader.js'

/** One of several strategies of a run, each a client of its own on the run's accounts. */
export interface StrategyEntry {
  /** Names it in parameters, journal, tables and summary; default: the name of its class. No two have the same. */
  readonly name?: string
  /** A class that extends Strategy. */
  readonly strategy: new () => Strategy
  /** Its parameters; those that `parameters` of the run states under its name stand in their place. */
  readonly parameters?: ParameterConfig
}

/** The strategies of a run: one, or a list. */
export interface StrategiesOptions {
  /** A class that extends Strategy; not together with `strategies`. */
  readonly strategy?: new () => Strategy
  /**
   * Several strategies in one world, each a client of its own on the run's accounts. At one instant they receive a line
   * in this order. `parameters` then holds the parameters of each under its name.
   */
  readonly strategies?: readonly StrategyEntry[]
}

/** A strategy of a run, whichever form states it. */
export interface RunStrategy {
  /** Its client in a world: its name, `strategy` where a run has one alone. */
  readonly clientId: string
  readonly strategy: new () => Strategy
  /** Its name among several; null of a run's only one. */
  readonly name: string | null
  /** Its own parameters of a set of the run. */
  readonly parametersOf: (set: ParameterConfig) => ParameterConfig
}

/** The client of a run with one strategy. */
const ONLY_CLIENT = 'strategy'

/** The name of one of several strategies: its own, else that of its class, which a file states as `./a.ts#Maker`. */
export function nameOfEntry({ name, strategy }: { readonly name?: unknown; readonly strategy?: unknown }): string {
  if (typeof name === 'string') return name
  return typeof strategy === 'function' ? strategy.name : String(strategy).replace(/^.*#/, '')
}

/** The strategies of a run, in the order in which it states them. */
export function runStrategies({ strategy, strategies }: StrategiesOptions): RunStrategy[] {
  if (strategy !== undefined)
    return [{ clientId: ONLY_CLIENT, strategy, name: null, parametersOf: (set) => set }]
  return (strategies ?? []).map((entry) => {
    const name = nameOfEntry(entry)
    return {
      clientId: name, strategy: entry.strategy, name,
      parametersOf: (set) => {
        const own = set[name]
        return { ...entry.parameters, ...(isJsonObject(own) ? own : {}) }
      },
    }
  })
}

/** The sets of parameters of a run: a world each. */
export function setsOf(parameters: ParameterConfig | readonly ParameterConfig[] = {}): readonly ParameterConfig[] {
  const isList = (given: typeof parameters): given is readonly ParameterConfig[] => Array.isArray(given)
  return isList(parameters) ? parameters : [parameters]
}

/** A set of a run as its result states it: of several strategies all of their parameters by their names. */
export function statedSet(strategies: readonly RunStrategy[], set: ParameterConfig): ParameterConfig {
  const [only] = strategies
  if (only?.name === null) return set
  return Object.fromEntries(strategies.map(({ clientId, parametersOf }) => [clientId, parametersOf(set)]))
}

/** The strategies as the configuration of a run with several states them. */
export function statedStrategies(strategies: readonly RunStrategy[]): readonly object[] {
  return strategies.map(({ clientId, strategy }) => ({ name: clientId, strategy: strategy.name }))
}

/** `Maker`, or `Maker and Hedger`: the classes of a run in a sentence. */
export function strategyWords(strategies: readonly RunStrategy[]): string {
  return strategies.map(({ strategy }) => strategy.name).join(' and ')
}

/** A digest of the sources of all strategies; undefined where those of one are not known. */
export function sourcesDigest(strategies: readonly RunStrategy[]): string | undefined {
  const digests = strategies.map(({ strategy }) => strategySourceDigest(strategy))
  if (digests.length < 2 || digests.includes(undefined)) return digests.length === 1 ? digests[0] : undefined
  return createHash('sha256').update(digests.join('\n')).digest('hex')
}

/** The code of all strategies, as {@link strategyBundle} gives that of one; null where that of one is not known. */
export function strategiesBundle(strategies: readonly RunStrategy[]): string | null {
  const bundles = strategies.map(({ strategy }) => strategyBundle(strategy))
  return bundles.length === 0 || bundles.includes(undefined) ? null : [...new Set(bundles)].join('\n')
}
