import type { KeptTactics } from '../strategy-tactics.js'
import { Cancellation } from './cancellation.js'
import { TargetPosition } from './target-position.js'

/**
 * The tactics behind `instrument.target` and `instrument.cancelAll`, for `startStrategy`.
 *
 * @example
 * ```ts
 * import { KEPT_TACTICS, type StrategyOptions } from 'backtape/columns'
 * const options: Pick<StrategyOptions, 'clientId' | 'tactics'> = { clientId: 'maker', tactics: KEPT_TACTICS }
 * if (options.tactics !== KEPT_TACTICS) throw new Error('a runtime takes it as it is')
 * ```
 */
export const KEPT_TACTICS: KeptTactics = {
  target: (instrument) => new TargetPosition(instrument),
  cancellation: (instrument) => new Cancellation(instrument),
}
