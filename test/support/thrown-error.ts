import { BacktapeError } from '../../src/model/error.js'

/** The error that a function throws, which must be a BacktapeError. */
export function thrownError(work: () => unknown): BacktapeError {
  try {
    work()
  } catch (error) {
    if (error instanceof BacktapeError) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}
