import { BacktapeError } from '../../model/error.js'
import { dayText, epochDayFromText, isoFromTime, NS_PER_DAY } from '../../model/time.js'

/** A file that reaches farther from its day is of another one: margins are minutes long. */
const FARTHEST_NS = NS_PER_DAY / 2

/** The three patterns of spec 4, section 1. A code may hold hyphens and dates of its own: the day is the last date. */
const NAME_PATTERNS: readonly RegExp[] = [
  /^\d+_(\d{4}-\d{2}-\d{2})\.txt\.zst$/,
  /^[^-]+-.+-(\d{4}-\d{2}-\d{2})\.txt\.zst$/,
  /^\d+_(\d{4}-\d{2}-\d{2})_.+-master-[ab]\.txt\.zst$/,
]

/**
 * Days since 1970-01-01 of the date in a file's or member's name, or null where the name follows none of the three patterns
 * of spec 4, section 1, or its date does not exist. Folders in front of the name do not count.
 *
 * @example
 * ```ts
 * import { epochDayFromFileName } from 'backtape'
 * if (epochDayFromFileName('days/binance_swap-BTCUSDT-2024-08-08.txt.zst') !== 19943) throw new Error('the shop pattern')
 * if (epochDayFromFileName('67824_2025-02-29.txt.zst') !== null) throw new Error('no such day')
 * ```
 */
export function epochDayFromFileName(name: string): number | null {
  const base = baseNameOf(name)
  for (const pattern of NAME_PATTERNS) {
    const date = pattern.exec(base)?.[1]
    if (date !== undefined) return epochDayFromText(date)
  }
  return null
}

/** Refuses a file with an event at a time, counted from the midnight of its day, that no margin reaches: whoever trims it to its day would lose what it holds without a word. */
export function checkNearDay(name: string, epochDay: number, timeNs: number): void {
  if (!(timeNs < -FARTHEST_NS || timeNs > NS_PER_DAY + FARTHEST_NS)) return
  const [day, at] = [dayText(epochDay), isoFromTime(timeNs, epochDay)]
  const sentence = `Cannot take ${name} for a file of ${day}: it has an event of ${at}; a wrong day in its name or an option would lose what it holds without a word`
  throw new BacktapeError('OPTION_INVALID', sentence, { file: name, field: 'day', expected: `events of ${day} with margins of minutes`, found: at })
}

/** The part of a path after its last `/` or `\`: archives made on Windows hold either. */
export function baseNameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}
