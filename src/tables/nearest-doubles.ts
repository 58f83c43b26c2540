import { textFromScaled } from '../model/decimal.js'
import type { ColumnBuffer } from './column.js'

/** Powers of ten that a double holds exactly. A quotient of two exact doubles is the double nearest to the decimal. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, scale) => Number(`1e${String(scale)}`))

/** The double nearest to `integer * 10^-scale`. */
export function nearestDouble(integer: number, scale: number): number {
  const power = POWERS[scale]
  return power === undefined ? Number(textFromScaled(integer, scale)) : integer / power
}

/** Puts the first `count` values of a column of decimals as the nearest doubles; NaN stands for null. */
export function putNearestDoubles(buffer: ColumnBuffer, count: number, target: Float64Array, at = 0): void {
  const { type } = buffer.column
  if (type.form !== 'decimal') return
  for (let i = 0; i < count; i++) {
    const value = buffer.numbers[i] ?? NaN
    if (Number.isNaN(value)) target[at + i] = NaN
    else if (buffer.pairs.length > 0) target[at + i] = Number(`${String(buffer.wideAt(i))}e-${String(type.scale)}`)
    else target[at + i] = nearestDouble(value, type.precision === 38 ? (buffer.scales[i] ?? 0) : type.scale)
  }
}
