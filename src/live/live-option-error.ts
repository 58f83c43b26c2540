import { BacktapeError } from '../model/error.js'

/** The error of an option of `runLive`. */
export function liveOptionError(field: string, expected: string, found: string): BacktapeError {
  return new BacktapeError(
    'OPTION_INVALID', `Cannot run live: ${field} must be ${expected}, found ${found}`, { field, expected, found },
  )
}
