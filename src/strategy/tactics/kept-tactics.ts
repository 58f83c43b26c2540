import type { KeptTactics } from '../strategy-tactics.js'
import { Cancellation } from './cancellation.js'
import { TargetPosition } from './target-position.js'

/** The tactics behind `instrument.target` and `instrument.cancelAll`, for `startStrategy`. */
export const KEPT_TACTICS: KeptTactics = {
  target: (instrument) => new TargetPosition(instrument),
  cancellation: (instrument) => new Cancellation(instrument),
}
