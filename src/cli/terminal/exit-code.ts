import { terminalCell } from '../../files/terminal-text.js'
import { BacktapeError, type ErrorCode } from '../../model/error.js'
import { shopAdvice } from './missing-day.js'

/** Codes that say the command line is wrong rather than the data. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'OPTION_INVALID', 'OUTPUT_EXISTS', 'ADDRESS_TAKEN', 'TIME_INVALID', 'DAY_UNKNOWN', 'SQL_INVALID',
])

/** The exit code of a command that ends with an error: 2 where the command line is wrong, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof BacktapeError && USAGE_CODES.has(error.code) ? 2 : 1
}

/**
 * The sentence of an error for a screen, with the command that would bring what is missing: a name with line ends would
 * pass for sentences of ours.
 */
export function errorSentence(error: BacktapeError): string {
  const { message, place: { file = '' } } = error
  return (/[\r\n]/.test(file) ? message.replaceAll(file, terminalCell(file)) : message) + shopAdvice(error)
}
