import type { Column, ColumnType } from '../column.js'
import { NO_TIME_NS, PackedCodes, type PackedColumn, PackedIds, PackedNumbers, PackedTimes } from '../packed-column.js'
import { DecimalTarget, TextTarget } from './packed-targets.js'
import { ParquetFault, ParquetUnknown } from './parquet-fault.js'
import type { ParquetField } from './parquet-layout.js'
import { bigOfPiece, numberAt, numberOfPiece, type ValuesOf } from './parquet-numbers.js'
import type { Page } from './parquet-pages.js'
import type { PageValues } from './parquet-page-values.js'
import { rowRefusal } from './row-file.js'

/** Takes the pages of one column, in their order. */
export interface PageTarget {
  add(page: Page): void
  column(): PackedColumn
}

/** Decimals of 38 digits. */
const WIDE_LIMIT = 10n ** 38n

/** The rows of a page: each value by its place, and the nulls. */
function eachRow({ rowCount, present }: Page, put: (at: number) => void, putNull: () => void): void {
  if (present === null) for (let at = 0; at < rowCount; at++) put(at)
  else
    for (let row = 0, at = 0; row < rowCount; row++) {
      if (present[row] === 1) put(at++)
      else putNull()
    }
}

/** The values of a form, which a column of its type always has. */
export function valuesAs<Form extends PageValues['form']>(values: PageValues, form: Form): ValuesOf<Form> {
  if (values.form !== form) throw new ParquetUnknown(`values in the form of ${values.form}, not ${form}`)
  return values as ValuesOf<Form>
}

/** A decimal beyond what two words hold. */
export function wideDecimalAt(values: ValuesOf<'pieces'>, at: number): bigint {
  const integer = bigOfPiece(values, at)
  if (integer >= WIDE_LIMIT || integer <= -WIDE_LIMIT) throw new ParquetFault('a decimal of more than 38 digits')
  return integer
}

/** The integers of pairs of words as doubles; null where one is no safe integer. */
function safeNumbers({ words, pairs }: ValuesOf<'pairs'>): Float64Array | null {
  const numbers = new Float64Array(pairs.length)
  for (let at = 0; at < numbers.length; at++) {
    const number = numberAt(words, at)
    if (!Number.isSafeInteger(number)) return null
    numbers[at] = number
  }
  return numbers
}

function addDecimals(target: DecimalTarget, page: Page): void {
  const { values } = page
  const putNull = (): void => { target.push(null) }
  const numbers = values.form === 'words' ? values.words : values.form === 'pairs' ? safeNumbers(values) : null
  if (numbers !== null) {
    if (!target.pushAll({ ...page, values: numbers }))
      eachRow(page, (at) => { target.pushNumber(numbers[at] as number) }, putNull)
  } else if (values.form === 'pairs') eachRow(page, (at) => { target.push(values.pairs[at] as bigint) }, putNull)
  else {
    const pieces = valuesAs(values, 'pieces')
    eachRow(page, (at) => {
      const number = numberOfPiece(pieces, at)
      if (Number.isNaN(number)) target.push(wideDecimalAt(pieces, at))
      else target.pushNumber(number)
    }, putNull)
  }
}

/** Epoch nanoseconds of a value; null: beyond 64 bits, or the integer that stands for no time. */
export function timeNsOf(raw: bigint | number, unitNs: bigint): bigint | null {
  const time = unitNs === 1n ? BigInt(raw) : BigInt(raw) * unitNs
  return BigInt.asIntN(64, time) !== time || time === NO_TIME_NS ? null : time
}

function timeTarget(path: string, own: Column, unitNs: bigint): PageTarget {
  const column = new PackedTimes(own)
  const push = (raw: bigint | number): void => {
    const time = timeNsOf(raw, unitNs)
    if (time === null) {
      const found = `${String(BigInt(raw) * unitNs)} ns`
      throw rowRefusal(path, column.length + 1, own.name, 'a time from 1678 to 2262', found)
    }
    column.push(time)
  }
  return {
    add: (page) => {
      const { values } = page
      const putNull = (): void => { column.push(null) }
      if (values.form === 'words') return eachRow(page, (at) => { push(values.words[at] as number) }, putNull)
      const { pairs } = valuesAs(values, 'pairs')
      // As they lie, where each is a time.
      if (unitNs === 1n && !pairs.includes(NO_TIME_NS)) column.pushAll({ ...page, values: pairs })
      else eachRow(page, (at) => { push(pairs[at] as bigint) }, putNull)
    },
    column: () => column,
  }
}

function numberTarget(own: Column): PageTarget {
  const column = new PackedNumbers(own)
  return {
    add: (page) => {
      const { values } = page
      const numbers = values.form === 'words'
        ? new Uint32Array(values.words.buffer, values.words.byteOffset, values.words.length)
        : valuesAs(values, 'doubles').doubles
      column.pushAll({ ...page, values: numbers })
    },
    column: () => column,
  }
}

function idTarget(own: Column): PageTarget {
  const column = new PackedIds(own)
  return {
    add: (page) => {
      const { pairs } = valuesAs(page.values, 'pairs')
      column.pushAll({ ...page, values: new BigUint64Array(pairs.buffer, pairs.byteOffset, pairs.length) })
    },
    column: () => column,
  }
}

function flagTarget(own: Column): PageTarget {
  const column = new PackedCodes(own)
  return {
    add: (page) => { column.pushAll({ ...page, values: valuesAs(page.values, 'flags').flags }) },
    column: () => column,
  }
}

function textTarget(own: Column): PageTarget {
  const target = new TextTarget(own)
  const putNull = (): void => { target.push(null) }
  return {
    add: (page) => {
      // A column of nulls alone may have any type.
      if (page.values.form !== 'pieces' && page.present?.includes(1) === false) return eachRow(page, putNull, putNull)
      const { bytes, starts, lengths } = valuesAs(page.values, 'pieces')
      eachRow(page, (at) => { target.pushPiece(bytes, starts[at] as number, lengths[at] as number) }, putNull)
    },
    column: () => target.column(),
  }
}

function decimalTarget(of: (type: ColumnType) => Column, scale: number, precision: number): PageTarget {
  const own = of({ form: 'decimal', precision: precision > 18 ? 38 : 18, scale })
  const target = new DecimalTarget(own, scale, precision)
  return { add: (page) => { addDecimals(target, page) }, column: () => target.column() }
}

/**
 * An empty column of a table for a column of a file. Its `add` throws ROW_INVALID for a time that no 64 bits of
 * nanoseconds hold.
 */
export function pageTarget(path: string, { name, nullable, kind }: ParquetField): PageTarget {
  const of = (type: ColumnType): Column => ({ name, type, nullable })
  switch (kind.form) {
    case 'time': return timeTarget(path, of({ form: 'timestamp' }), kind.unitNs)
    case 'decimal': return decimalTarget(of, kind.scale, kind.precision)
    case 'double': return numberTarget(of({ form: 'double' }))
    case 'boolean': return flagTarget(of({ form: 'boolean' }))
    case 'text': return textTarget(of({ form: 'text' }))
    default:
  }
  if (kind.isSigned) return decimalTarget(of, 0, 18)
  return kind.isWide ? idTarget(of({ form: 'uint64' })) : numberTarget(of({ form: 'uint32' }))
}
