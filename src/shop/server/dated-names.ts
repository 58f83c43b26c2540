import { BacktapeError } from '../../model/error.js'
import { dayText, epochDayFromText } from '../../model/time.js'

const DATED = /^([^\s:]+:.+) (\d{4}-\d{2}-\d{2})(?:\.\.(\d{4}-\d{2}-\d{2}))?$/
/** Days that one entry may have. */
const DAYS_MAX = 36_600

/** A day of an instrument as settings name it. */
export interface DatedName {
  /** `exchange:CODE`. */
  readonly name: string
  readonly date: string
}

/**
 * The days of entries `exchange:CODE 2024-08-08` or `exchange:CODE 2024-08-01..2024-08-08`. Throws OPTION_INVALID;
 * `field` is where they stand.
 */
export function datedNames(entries: readonly string[], field: string): readonly DatedName[] {
  return entries.flatMap((entry) => {
    const [, name = '', from = '', to = from] = DATED.exec(entry) ?? []
    const [first, last] = [epochDayFromText(from), epochDayFromText(to)]
    if (first === null || last === null || last < first || last - first >= DAYS_MAX) {
      const expected = 'exchange:CODE 2024-08-08 or exchange:CODE 2024-08-01..2024-08-08'
      const found = JSON.stringify(entry).slice(0, 80)
      throw new BacktapeError(
        'OPTION_INVALID', `Cannot open the shop: ${field} must be ${expected}, found ${found}`,
        { field, expected, found },
      )
    }
    return Array.from({ length: last - first + 1 }, (_, at) => ({ name, date: dayText(first + at) }))
  })
}
