import type { RunOptions } from '../configuration/run-options.js'
import type { Fault } from '../model/fault.js'
import type { DescribedParameter } from '../strategy/parameter-description.js'
import type { ParameterConfig } from '../strategy/parameter-values.js'
import type { SocketVenue } from './instance-run.js'

/** A strategy of a folder, or a module of it that cannot be loaded. */
export interface InstalledStrategy {
  /** The path of its module in the folder, with `/`. */
  readonly module: string
  readonly strategyName?: string
  readonly parameters?: readonly DescribedParameter[]
  /** The reason why it cannot be used. */
  readonly error?: string
}

/** The options of a run but for its strategy. */
export type RunWithoutStrategy = Omit<RunOptions, 'strategy' | 'strategies'>

/** The run that parameters are checked for: over data, or over sockets. */
export type LookCheck =
  | RunWithoutStrategy | { readonly sockets: SocketVenue, readonly parameters: ParameterConfig }

/** The work of a thread that loads code of users: their modules may do anything when they are loaded. */
export interface LookOrder {
  /** Absolute paths of modules, whose strategies are described. */
  readonly modules: readonly string[]
  /** The name of a strategy of the first module, whose run is checked; null: none is. */
  readonly check: { readonly strategyName: string, readonly options: LookCheck } | null
  /** The folder of compiled strategies; null: none are kept. */
  readonly bundles: string | null
}

/** A message of such a thread: the strategies of a module, in the order of the modules, or the faults of a run. */
export type LookMessage =
  | { readonly kind: 'strategies', readonly found: readonly Omit<InstalledStrategy, 'module'>[] }
  | { readonly kind: 'faults', readonly faults: readonly Fault[] }
