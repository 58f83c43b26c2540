import type { ExactCell } from '../model/exact-cell.js'
import { instrumentName } from '../model/instrument.js'
import { keptValue } from '../model/kept-value.js'
import { epochNsFromTime } from '../model/time.js'
import { putUuid, UUID_LENGTH } from '../model/uuid.js'
import { productOf, tenTo, textOfExact } from '../rows/exact-integer.js'
import type { IdColumn } from '../rows/id-column.js'
import type { AmountColumn, ByteColumn, NumberColumn } from '../rows/row-columns.js'
import type { ColumnBuffer } from '../tables/column.js'
import { CHUNK_SPAN_NS, WIDE_LIMIT, valueSource, type ColumnSource } from '../tables/made-column.js'
import type { InstrumentDirectory } from '../venue/venue.js'

/* The columns of rows as sources of the columns of tables. */

/** Times of the run, from the midnight of a day; null where a row has none (NaN). */
export function maybeTimes(timeOf: Numbers, epochDay: number): ColumnSource<bigint | null> {
  return {
    at: (row) => {
      const timeNs = timeOf(row)
      return Number.isNaN(timeNs) ? null : epochNsFromTime(timeNs, epochDay)
    },
    put: (buffer, from, to) => {
      const { numbers } = buffer
      buffer.epochDay = epochDay
      let first = NaN
      for (let row = from; row < to; row++) {
        const timeNs = (numbers[row - from] = timeOf(row))
        if (Number.isNaN(first)) first = timeNs
        if (Math.abs(timeNs - first) > CHUNK_SPAN_NS) return row
      }
      return to
    },
  }
}

/** {@link maybeTimes} that every row has. */
export function times(timeOf: Numbers, epochDay: number): ColumnSource<bigint> {
  return { ...maybeTimes(timeOf, epochDay), at: (row) => epochNsFromTime(timeOf(row), epochDay) }
}

/** A number of each row. */
type Numbers = (row: number) => number

type ReadCell = (row: number, cell: ExactCell) => void

/** The cell that is read last; reading is synchronous. */
const cell: ExactCell = { integer: NaN, scale: 0 }

/** Decimals that a reader gives; null where it gives NaN. */
export function maybeDecimals(read: ReadCell): ColumnSource<string | null> {
  const ofTexts = valueSource((row: number): string | null => {
    read(row, cell)
    return Number.isNaN(cell.integer) ? null : textOfExact(cell.integer, cell.scale)
  })
  const tryPut = (buffer: ColumnBuffer, from: number, to: number): boolean => (
    putNumbers(buffer, read, from, to) || putIntegers(buffer, read, from, to))
  return {
    read, at: ofTexts.at, tryPut,
    put: (buffer, from, to) => tryPut(buffer, from, to) ? to : ofTexts.put(buffer, from, to),
  }
}

/** {@link maybeDecimals} that every row has. */
export function decimals(read: ReadCell): ColumnSource<string> {
  return maybeDecimals(read) as ColumnSource<string>
}

/** Puts decimals as numbers with scales of their own; false where one is no number, or too fine for its column. */
function putNumbers(buffer: ColumnBuffer, read: ReadCell, from: number, to: number): boolean {
  const { numbers, scales, column: { type } } = buffer
  const finest = type.form === 'decimal' ? type.scale : 0
  buffer.putNoWide()
  for (let row = from; row < to; row++) {
    read(row, cell)
    let { integer, scale } = cell
    if (typeof integer === 'bigint') return false
    for (; scale > finest && integer % 10 === 0; scale--) integer /= 10
    if (scale > finest && !Number.isNaN(integer)) return false
    numbers[row - from] = integer
    scales[row - from] = scale
  }
  return true
}

/** The integer of a cell at a scale; null where that does not hold it. */
function integerAt({ integer, scale }: ExactCell, finest: number): bigint | null {
  const value = BigInt(integer)
  if (scale <= finest) return value * tenTo(finest - scale)
  const power = tenTo(scale - finest)
  return value % power === 0n ? value / power : null
}

/** Puts decimals as integers at the column's scale; false where one is too fine for it, or has more digits. */
function putIntegers(buffer: ColumnBuffer, read: ReadCell, from: number, to: number): boolean {
  const { type } = buffer.column
  const finest = type.form === 'decimal' ? type.scale : 0
  for (let row = from; row < to; row++) {
    read(row, cell)
    if (Number.isNaN(cell.integer)) {
      buffer.putWide(row - from, null)
      continue
    }
    const wide = integerAt(cell, finest)
    if (wide === null || wide >= WIDE_LIMIT || -wide >= WIDE_LIMIT) return false
    buffer.putWide(row - from, wide)
  }
  return true
}

/** Amounts of which null may be one. */
export function maybeAmounts(amounts: AmountColumn): ColumnSource<string | null> {
  return maybeDecimals((row, into) => { amounts.read(row, into) })
}

/** {@link maybeAmounts} that every row has. */
export function amounts(column: AmountColumn): ColumnSource<string> {
  return maybeAmounts(column) as ColumnSource<string>
}

/** Integers of messages; null for what was refused as no number that the instrument can state. */
export function maybeScaled(valueOf: Numbers, scaleOf: Numbers): ColumnSource<string | null> {
  return maybeDecimals((row, into) => {
    const value = valueOf(row)
    into.integer = Number.isSafeInteger(value) ? value : NaN
    into.scale = scaleOf(row)
  })
}

/** {@link maybeScaled} that every row has. */
export function scaled(valueOf: Numbers, scaleOf: Numbers): ColumnSource<string> {
  return maybeScaled(valueOf, scaleOf) as ColumnSource<string>
}

/** Halves of integers at scales of their own: mids, of which their columns have twice the value; NaN for null. */
export function maybeHalves(twices: NumberColumn, scales: ByteColumn): ColumnSource<string | null> {
  return maybeDecimals((row, into) => {
    const twice = twices.at(row)
    into.integer = Number.isNaN(twice) ? NaN : productOf(twice, 5)
    into.scale = scales.at(row) + 1
  })
}

/** The id that was read last. */
const uuid = new Uint32Array(4)

/** Ids by their texts, and by the numbers of their UUIDs, which `wordsOf` reads; false where one is none. */
export function idSource<Text extends string | null>(
  at: (row: number) => Text, wordsOf: (row: number, into: Uint32Array) => boolean,
): ColumnSource<Text> {
  return {
    at,
    put: (buffer, from, to) => {
      for (let row = from; row < to; row++) {
        if (wordsOf(row, uuid)) {
          const place = buffer.openText(row - from, UUID_LENGTH)
          putUuid(buffer.bytes, place, uuid)
        } else buffer.putString(row - from, at(row))
      }
      return to
    },
  }
}

/** Ids of a column; null where a row has none. */
export function maybeIds(column: IdColumn): ColumnSource<string | null> {
  return idSource((row) => column.at(row), (row, into) => column.words(row, into))
}

/** {@link maybeIds} that every row has. */
export function ids(column: IdColumn): ColumnSource<string> {
  return maybeIds(column) as ColumnSource<string>
}

/** The columns that name an instrument. */
export function instrumentSources(idOf: (row: number) => number, instruments: InstrumentDirectory): {
  readonly instrument_id: ColumnSource<number>
  readonly instrument: ColumnSource<string>
} {
  const names = new Map<number, string>()
  const nameOf = (id: number): string => {
    const entry = instruments.get(id)
    return entry === undefined ? '' : instrumentName(entry.instrument)
  }
  return { instrument_id: valueSource(idOf), instrument: valueSource((row) => keptValue(names, idOf(row), nameOf)) }
}
