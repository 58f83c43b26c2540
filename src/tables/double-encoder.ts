import { textFromScaled } from '../model/decimal.js'
import { ColumnBuffer, type TableChunk } from './column-buffer.js'
import type { Column } from './column.js'
import type { TableEncoder } from './table-encoder.js'

/** Powers of ten that a double holds exactly. A quotient of two exact doubles is the double nearest to the decimal. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, scale) => Number(`1e${String(scale)}`))

function nearestDouble(integer: number, scale: number): number {
  const power = POWERS[scale]
  return power === undefined ? Number(textFromScaled(integer, scale)) : integer / power
}

/** Hands decimals to another encoder as the nearest doubles. */
export class DoubleEncoder implements TableEncoder {
  private readonly doubles = new Map<Column, ColumnBuffer>()

  constructor(private readonly inner: TableEncoder) {}

  encode(chunk: TableChunk): void {
    const columns = chunk.columns.map((buffer) =>
      buffer.column.type.form === 'decimal' ? this.asDoubles(buffer, chunk) : buffer,
    )
    this.inner.encode({ ...chunk, columns })
  }

  finish(late?: ReadonlyMap<string, string>): void {
    this.inner.finish(late)
  }

  private asDoubles(buffer: ColumnBuffer, { rowCount, runCount }: TableChunk): ColumnBuffer {
    const { column, perRun } = buffer
    const { type } = column
    if (type.form !== 'decimal') return buffer
    const count = perRun ? runCount : rowCount
    let target = this.doubles.get(column)
    if (target === undefined)
      this.doubles.set(column, (target = new ColumnBuffer({ ...column, type: { form: 'double' } }, perRun, count)))
    target.reserve(count)
    for (let i = 0; i < count; i++) {
      const value = buffer.numbers[i] ?? NaN
      if (Number.isNaN(value)) target.numbers[i] = NaN
      else if (buffer.pairs.length > 0) target.numbers[i] = Number(`${String(buffer.wideAt(i))}e-${String(type.scale)}`)
      else target.numbers[i] = nearestDouble(value, type.precision === 38 ? (buffer.scales[i] ?? 0) : type.scale)
    }
    return target
  }
}
