import { BacktapeError } from '../../model/error.js'
import type { LineCursor, LineFault } from './line-cursor.js'
import type { CountingSummary } from './reading.js'

/** The number of damages that are kept with their places. */
const DAMAGE_LIMIT = 100

/** Where the line with a fault stands. */
export interface LinePlace {
  readonly file: string
  readonly line: number
  /** Absolute offset of byte 0 of the cursor's bytes. */
  readonly base: number
}

/** The error of a fault in the line that the cursor has open. */
export function errorFromFault(fault: LineFault, cursor: LineCursor, place: LinePlace): BacktapeError {
  const found = cursor.tokenAt(fault.at)
  const { file, line } = place
  return new BacktapeError(
    fault.code,
    `Cannot decode line ${String(line)} of ${file}: ${fault.message}, found ${found}`,
    {
      file,
      line,
      byteOffset: place.base + fault.at,
      field: fault.field,
      expected: fault.expected,
      found,
    },
  )
}

/** The error of a line beyond the limit, which is not looked into. */
export function errorOfLongLine(limitBytes: number, file: string, line: number, byteOffset: number): BacktapeError {
  const expected = `at most ${String(limitBytes)} bytes long`
  return new BacktapeError(
    'LINE_TOO_LONG',
    `Cannot decode line ${String(line)} of ${file}: it must be ${expected}, found more`,
    {
      file,
      line,
      byteOffset,
      field: 'line',
      expected,
      found: 'more',
    },
  )
}

/** Counts an error as damage of a reading; the first are kept in the order of their lines. */
export function countDamage(summary: CountingSummary, { code, message, place }: BacktapeError): void {
  const { damages } = summary
  summary.damagedLineCount++
  if (damages.length >= DAMAGE_LIMIT) return
  damages.push({ code, message, place })
  damages.sort((a, b) => (a.place.line ?? Infinity) - (b.place.line ?? Infinity))
}
