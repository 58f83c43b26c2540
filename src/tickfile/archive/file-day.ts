import { epochDayFromText } from '../../model/time.js'

/** The three patterns of spec 4, section 1. A code may hold hyphens and dates of its own: the day is the last date. */
const NAME_PATTERNS: readonly RegExp[] = [
  /^\d+_(\d{4}-\d{2}-\d{2})\.txt\.zst$/,
  /^[^-]+-.+-(\d{4}-\d{2}-\d{2})\.txt\.zst$/,
  /^\d+_(\d{4}-\d{2}-\d{2})_.+-master-[ab]\.txt\.zst$/,
]

/**
 * Days since 1970-01-01 of the date in a file's or member's name, or null where the name follows none of the three
 * patterns of spec 4, section 1, or its date does not exist. Folders in front of the name do not count.
 *
 * @example
 * ```ts
 * import { epochDayFromFileName } from 'backtape/columns'
 * if (epochDayFromFileName('days/binance_swap-BTCUSDT-2024-08-08.txt.zst') !== 19943) {
 *   throw new Error('the shop pattern')
 * }
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

/** The part of a path after its last `/` or `\`: archives made on Windows hold either. */
export function baseNameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

/** The note for a file of an unknown day, which is read with its margins: why the day is unknown, and what to do. */
export function dayUnknownNote(name: string): string {
  return `${name}: its name does not end in -YYYY-MM-DD.txt.zst, so its day is unknown and its margins are kept; ` +
    'name the day with --day'
}
