import { reasonText } from '../catalog/duck-text.js'
import { BacktapeError } from '../model/error.js'

/** Errors of files rather than of a statement, by the words of the database. */
const FILE_WORDS = /^(IO Error|Invalid Input Error|Invalid Error|Serialization Error|INTERNAL Error|Permission Error)/

/** True where the database's words may be about a file. */
export function isFileError(error: unknown): boolean {
  return FILE_WORDS.test(error instanceof Error ? error.message : String(error))
}

/** The error of a statement in one sentence with the database's own words. */
export function sqlError(error: unknown): BacktapeError {
  if (error instanceof BacktapeError) return error
  const words = reasonText(error)
  return new BacktapeError('SQL_INVALID', `Cannot run the statement: ${words}`, { found: words.slice(0, 80) }, error)
}
