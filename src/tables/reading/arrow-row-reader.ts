import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import {
  DataType, DateUnit, RecordBatchReader, TimeUnit, type RecordBatch, type Schema, type Vector,
} from 'apache-arrow'
import { Decimal } from '../../model/decimal.js'
import { BacktapeError } from '../../model/error.js'
import type { SignalValue } from '../../model/signal-row.js'
import { NS_PER_DAY, NS_PER_MS, NS_PER_SECOND } from '../../model/time.js'
import {
  checkNames, fileRefusal, integerValue, typeRefusal, type CellKind, type RowBatch, type RowColumn, type RowFile,
} from './row-file.js'

/** Rows of a record batch that are given at once: the others wait as they are. */
const PIECE_ROWS = 4_096

type Read = (row: number) => SignalValue
interface Reading {
  readonly kind: CellKind
  /** The values of a vector that is not nested, nulls apart. */
  readonly of: (vector: Vector) => Read
}

const UNIT_NS: Readonly<Record<TimeUnit, bigint>> = {
  [TimeUnit.SECOND]: BigInt(NS_PER_SECOND), [TimeUnit.MILLISECOND]: BigInt(NS_PER_MS), [TimeUnit.MICROSECOND]: 1_000n,
  [TimeUnit.NANOSECOND]: 1n,
}

const plain = (kind: CellKind): Reading =>
  ({ kind, of: (vector) => (row) => vector.get(row) as SignalValue })

/** The integers as they lie in the column: the accessor of the library would round them to milliseconds. */
function rawIntegers(vector: Vector): (row: number) => bigint {
  const [data] = vector.data
  const values = data?.values as BigInt64Array | Int32Array
  return (row) => BigInt(values[row] as bigint | number)
}

/** The integer of a decimal: words of 32 bits, the low one first. */
export function bigFromWords(words: Uint32Array): bigint {
  let value = 0n
  for (let at = words.length - 1; at >= 0; at--) value = (value << 32n) | BigInt(words[at] as number)
  return BigInt.asIntN(32 * words.length, value)
}

function readingOf(type: DataType): Reading | null {
  if (DataType.isInt(type))
    return { kind: 'integer', of: (vector) => (row) => integerValue(vector.get(row) as bigint | number) }
  if (DataType.isFloat(type)) return plain('double')
  if (DataType.isBool(type)) return plain('boolean')
  if (isText(type)) return plain('text')
  if (DataType.isNull(type)) return { kind: 'text', of: () => () => null }
  // Text that repeats itself.
  if (DataType.isDictionary(type)) return isText(type.dictionary as DataType) ? plain('text') : null
  if (DataType.isDecimal(type)) {
    const { scale } = type
    return {
      kind: 'decimal',
      of: (vector) => (row) => new Decimal(`${bigFromWords(vector.get(row) as Uint32Array)}e${-scale}`),
    }
  }
  const lengthNs = timeUnitNs(type)
  if (lengthNs === null) return null
  return { kind: 'timestamp', of: (vector) => {
    const raw = rawIntegers(vector)
    return (row) => raw(row) * lengthNs
  } }
}

/** True for a type of texts. */
export function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type)
}

/** Nanoseconds of one step of a column of times; null for any other type. */
export function timeUnitNs(type: DataType): bigint | null {
  if (DataType.isTimestamp(type)) return UNIT_NS[type.unit]
  if (!DataType.isDate(type)) return null
  // Days in 32 bits, or milliseconds in 64.
  return (type.unit) === DateUnit.DAY ? BigInt(NS_PER_DAY) : BigInt(NS_PER_MS)
}

/** Record batches, one by one. */
interface BatchSource {
  /** The next one; null behind the last. */
  next(): Promise<RecordBatch | null>
  close(): Promise<void>
}

/** Rows of record batches. */
class ArrowRowFile implements RowFile {
  readonly columns: readonly RowColumn[]
  #batch: RecordBatch | null = null
  #from = 0

  constructor(
    private readonly source: BatchSource,
    { fields }: Schema,
    private readonly readings: readonly Reading[],
  ) {
    this.columns = fields.map(({ name }, at) => ({ name, kind: readings[at]?.kind ?? null }))
  }

  async next(): Promise<RowBatch | null> {
    while (this.#batch === null || this.#from >= this.#batch.numRows) {
      this.#batch = await this.source.next()
      if (this.#batch === null) return null
      this.#from = 0
    }
    const rowCount = Math.min(PIECE_ROWS, this.#batch.numRows - this.#from)
    const from = this.#from
    this.#from += rowCount
    const batch = this.#batch
    const columns = this.readings.map((reading, at) => valuesOf(reading, batch.getChildAt(at), from, rowCount))
    return { rowCount, columns }
  }

  async close(): Promise<void> {
    await this.source.close()
  }
}

function valuesOf({ of }: Reading, vector: Vector | null, from: number, rowCount: number): SignalValue[] {
  if (vector === null) return Array.from({ length: rowCount }, () => null)
  const read = of(vector)
  return Array.from({ length: rowCount }, (_, at) => (vector.isValid(from + at) ? read(from + at) : null))
}

function arrowFault(path: string, error: unknown): Error {
  if (error instanceof BacktapeError) return error
  const words = error instanceof Error ? error.message : String(error)
  const isPacked = /compress|codec/i.test(words)
  const expected = isPacked ? 'an Arrow file without compression' : 'an Arrow file that can be read'
  return fileRefusal(path, expected, isPacked ? 'a compressed one' : words, error)
}

function readingsOf(path: string, schema: Schema): Reading[] {
  return schema.fields.map(({ name, type }) => {
    const reading = readingOf(type as DataType)
    if (reading === null) throw typeRefusal(path, name, String(type), 'write it as text, or leave it out')
    return reading
  })
}

const END_OF_STREAM = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]
const MAGIC = 'ARROW1'

/** A stream that was cut between two batches would look whole: both forms state their end. */
async function checkEnd(path: string, file: FileHandle, isStream: boolean): Promise<void> {
  const { size } = await file.stat()
  const { buffer: tail } = await file.read(Buffer.alloc(8), 0, 8, Math.max(0, size - 8))
  const isWhole = isStream
    ? END_OF_STREAM.every((byte, at) => tail[at] === byte)
    : tail.toString('latin1').endsWith(MAGIC)
  if (!isWhole) throw fileRefusal(path, 'a whole Arrow file or stream', 'one that is cut')
}

/** Opens an Arrow file, or a file that holds an Arrow stream, for its record batches one by one. */
export async function openArrowBatches(path: string, isStream: boolean): Promise<RecordBatchReader> {
  const file = await open(path)
  try {
    await checkEnd(path, file, isStream)
    if (isStream) await file.close()
    const reader: RecordBatchReader = await (isStream
      ? RecordBatchReader.from(createReadStream(path))
      : RecordBatchReader.from(file))
    await reader.open({ autoDestroy: true })
    checkNames(path, reader.schema.fields.map(({ name }) => name))
    return reader
  } catch (error) {
    await file.close()
    throw arrowFault(path, error)
  }
}

/** The next record batch; null behind the last. */
export async function nextArrowBatch(path: string, reader: RecordBatchReader): Promise<RecordBatch | null> {
  try {
    const step = (await reader.next()) as IteratorResult<RecordBatch, unknown>
    return step.done === true ? null : step.value
  } catch (error) {
    throw arrowFault(path, error)
  }
}

/** Opens an Arrow file, or a file that holds an Arrow stream; memory holds one record batch. */
export async function openArrowRows(path: string, isStream: boolean): Promise<RowFile> {
  const reader = await openArrowBatches(path, isStream)
  try {
    const source = { next: () => nextArrowBatch(path, reader), close: async () => { await reader.cancel() } }
    return new ArrowRowFile(source, reader.schema, readingsOf(path, reader.schema))
  } catch (error) {
    await reader.cancel()
    throw arrowFault(path, error)
  }
}

/** The rows of record batches that are read when they are asked for. */
export function rowsOfBatches(path: string, schema: Schema, batches: Iterator<RecordBatch, void>): RowFile {
  checkNames(path, schema.fields.map(({ name }) => name))
  const source: BatchSource = {
    next: () => Promise.resolve(batches.next().value ?? null), close: () => Promise.resolve(),
  }
  return new ArrowRowFile(source, schema, readingsOf(path, schema))
}
