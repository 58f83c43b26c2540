import { DataType, type Field, type RecordBatch, type Schema, type Vector } from 'apache-arrow'
import type { Column, ColumnType } from '../column.js'
import { NO_TIME_NS, PackedCodes, type PackedColumn, PackedIds, PackedNumbers, PackedTimes } from '../packed-column.js'
import { bigFromWords, isText, timeUnitNs } from './arrow-row-reader.js'
import { DecimalTarget, TextTarget } from './packed-targets.js'
import { rowRefusal, typeRefusal } from './row-file.js'

/** Takes the vectors of one column, batch by batch. */
interface VectorTarget {
  add(vector: Vector): void
  column(): PackedColumn
}

const encoder = new TextEncoder()

/** The memory of a column, as far as it is read itself: integers and times, or the words of decimals. */
type Cells = Uint32Array | Int32Array | BigInt64Array | BigUint64Array

/** The rows of a vector by the data that they lie in: the library's own accessors round times and copy decimals. */
function eachCell(vector: Vector, put: (values: Cells, at: number, isValid: boolean) => void): void {
  for (const data of vector.data) {
    const { nullCount, length } = data
    const values = data.values as Cells
    for (let at = 0; at < length; at++) put(values, at, nullCount === 0 || data.getValid(at))
  }
}

function decimalTarget(own: Column, scale: number, precision: number): VectorTarget {
  const target = new DecimalTarget(own, scale, precision)
  return {
    add: (vector) => {
      const isWords = DataType.isDecimal(vector.type as DataType)
      eachCell(vector, (values, at, isValid) => {
        if (!isValid) target.push(null)
        else if (isWords) target.push(bigFromWords((values as Uint32Array).subarray(4 * at, 4 * at + 4)))
        else target.push(BigInt(values[at] ?? 0))
      })
    },
    column: () => target.column(),
  }
}

function textTarget(own: Column): VectorTarget {
  const target = new TextTarget(own)
  return {
    add: (vector) => {
      for (let row = 0; row < vector.length; row++) {
        const text = vector.get(row) as string | null
        target.push(text === null ? null : encoder.encode(text))
      }
    },
    column: () => target.column(),
  }
}

function timeTarget(path: string, own: Column, unitNs: bigint): VectorTarget {
  const column = new PackedTimes(own)
  return {
    add: (vector) => {
      eachCell(vector, (values, at, isValid) => {
        const time = isValid ? BigInt(values[at] ?? 0) * unitNs : null
        if (time !== null && (BigInt.asIntN(64, time) !== time || time === NO_TIME_NS))
          throw rowRefusal(path, column.length + 1, own.name, 'a time from 1678 to 2262', `${String(time)} ns`)
        column.push(time)
      })
    },
    column: () => column,
  }
}

function numberTarget(own: Column): VectorTarget {
  const column = new PackedNumbers(own)
  return {
    add: (vector) => {
      for (let row = 0; row < vector.length; row++) column.push(vector.get(row) as number | null)
    },
    column: () => column,
  }
}

function flagTarget(own: Column): VectorTarget {
  const column = new PackedCodes(own)
  return {
    add: (vector) => {
      for (let row = 0; row < vector.length; row++) column.push(vector.get(row) as boolean | null)
    },
    column: () => column,
  }
}

function idTarget(own: Column): VectorTarget {
  const column = new PackedIds(own)
  return {
    add: (vector) => {
      eachCell(vector, (values, at, isValid) => { column.push(isValid ? BigInt(values[at] ?? 0) : null) })
    },
    column: () => column,
  }
}

function integerTarget(of: (type: ColumnType) => Column, bitWidth: number, isSigned: boolean): VectorTarget {
  if (isSigned) return decimalTarget(of({ form: 'decimal', precision: 18, scale: 0 }), 0, 18)
  return bitWidth === 64 ? idTarget(of({ form: 'uint64' })) : numberTarget(of({ form: 'uint32' }))
}

function targetOf(path: string, { name, type, nullable }: Field): VectorTarget {
  const of = (own: ColumnType): Column => ({ name, type: own, nullable })
  const given = type as DataType
  const unitNs = timeUnitNs(given)
  if (unitNs !== null) return timeTarget(path, of({ form: 'timestamp' }), unitNs)
  if (DataType.isInt(given)) return integerTarget(of, given.bitWidth, given.isSigned)
  if (DataType.isFloat(given)) return numberTarget(of({ form: 'double' }))
  if (DataType.isBool(given)) return flagTarget(of({ form: 'boolean' }))
  if (DataType.isDecimal(given) && given.bitWidth === 128 && given.scale >= 0)
    return decimalTarget(of({ form: 'text' }), given.scale, given.precision)
  const isTexts = isText(given) || DataType.isNull(given) ||
    (DataType.isDictionary(given) && isText(given.dictionary as DataType))
  if (isTexts) return textTarget(of({ form: 'text' }))
  throw typeRefusal(path, name, String(type), 'write it as text, or leave it out')
}

/** The columns of record batches, gathered in typed arrays. Throws FILE_UNREADABLE for a type that no table holds. */
export class PackedVectors {
  rowCount = 0
  private readonly targets: readonly VectorTarget[]

  constructor(path: string, schema: Schema) {
    this.targets = schema.fields.map((field) => targetOf(path, field))
  }

  /** Appends the rows of a batch. Throws ROW_INVALID for a time that 64 bits of nanoseconds do not hold. */
  add(batch: RecordBatch): void {
    this.targets.forEach((target, at) => {
      const vector = batch.getChildAt(at)
      if (vector !== null) target.add(vector)
    })
    this.rowCount += batch.numRows
  }

  /** The columns so far. */
  columns(): PackedColumn[] {
    return this.targets.map((target) => target.column())
  }
}
