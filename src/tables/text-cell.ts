import { textFromScaled } from '../model/decimal.js'
import { isoFromEpochNs, epochNsFromTime } from '../model/time.js'
import type { ColumnBuffer } from './column-buffer.js'
import type { TimeForm } from './table-form.js'

function wideText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : '.'}${fraction}`
}

/**
 * A decimal with at least one digit behind its point, so that readers that guess a column's type from its first rows
 * see no integers.
 */
export function pointed(text: string): string {
  return text.includes('.') ? text : `${text}.0`
}

/**
 * The text of a value that is neither null nor text itself: digits of every decimal, with a point wherever the column
 * may have one; times as the form has them; the nearest short text of a double.
 */
export function cellText(buffer: ColumnBuffer, index: number, epochDay: number, times: TimeForm): string {
  const { type } = buffer.column
  if (type.form === 'side') return buffer.bytes[index] === 1 ? 'ASK' : 'BID'
  if (type.form === 'boolean') return buffer.bytes[index] === 1 ? 'true' : 'false'
  if (type.form === 'uint64') return String((BigInt(buffer.high[index] ?? 0) << 32n) | BigInt(buffer.low[index] ?? 0))
  const value = buffer.numbers[index] ?? 0
  if (type.form === 'timestamp') {
    const time = epochNsFromTime(value, buffer.epochDay ?? epochDay)
    return times === 'iso' ? isoFromEpochNs(time) : String(time)
  }
  if (type.form !== 'decimal') return String(value)
  const text = type.precision === 38 ? wideText(buffer.wideAt(index), type.scale) : textFromScaled(value, type.scale)
  return type.scale === 0 ? text : pointed(text)
}
