import { BacktapeError } from '../model/error.js'

/** The type of a column, and its form in the export formats. */
export type ColumnType =
  /** Epoch nanoseconds in UTC. Arrow and Parquet: zone-less nanosecond timestamps; CSV: integers. */
  | { readonly form: 'timestamp' }
  /** Exact decimals. Arrow: decimal128; Parquet: 64-bit up to 18 digits, 128-bit beyond; CSV: shortest plain text. */
  | { readonly form: 'decimal'; readonly precision: 18 | 38; readonly scale: number }
  | { readonly form: 'uint32' }
  | { readonly form: 'uint64' }
  /** IEEE doubles: greeks, volatilities, averages. Never prices, quantities or times of events. */
  | { readonly form: 'double' }
  | { readonly form: 'boolean' }
  /** UTF-8 text. */
  | { readonly form: 'text' }
  /** `BID` or `ASK`; a dictionary in Arrow and Parquet. */
  | { readonly form: 'side' }

/** One column of a table. */
export interface Column {
  /** Name of the column. */
  readonly name: string
  /** Type of its values. */
  readonly type: ColumnType
  /** True for a column that may hold nulls. */
  readonly nullable: boolean
}

/**
 * A value of a table: `bigint` for timestamps (epoch nanoseconds) and 64-bit ids, a plain decimal text for decimals,
 * `number` for doubles and 32-bit counts, `boolean`, text; null where the source has none.
 */
export type TableValue = bigint | number | string | boolean | null

/** A column together with its values, one a row. */
export interface TableColumn extends Column {
  /** One value a row. */
  readonly values: readonly TableValue[]
}

const encoder = new TextEncoder()
const ASCII_END = 127
/** Powers of ten as far as a decimal of 38 digits needs them. */
const WIDE_POWERS: readonly bigint[] = Array.from({ length: 39 }, (_, exponent) => 10n ** BigInt(exponent))
const NONE_NUMBERS = new Float64Array(0)
const NONE_WORDS = new Uint32Array(0)
const NONE_BYTES = new Uint8Array(0)
const NONE_PAIRS = new BigInt64Array(0)

/**
 * The values of one column of one chunk, in plain typed arrays; which of them are used follows from the column's type:
 * timestamp, decimal of 18 digits, double and uint32 `numbers`; decimal of 38 digits `numbers` and `scales`, or
 * `pairs`; uint64 `high`, `low` and `isNull`; text `start`, `bytes` and `isNull`; boolean and side `bytes`, and
 * `isNull` where they are nullable. A NaN in `numbers` is a null. Timestamps count from the midnight of the chunk's
 * day.
 */
export class ColumnBuffer {
  /** The day from whose midnight this column's timestamps count; null: the chunk's. */
  epochDay: number | null = null
  numbers: Float64Array = NONE_NUMBERS
  scales: Uint8Array = NONE_BYTES
  /**
   * Decimals beyond 2^53 at the column's scale, two a value: the low 64 bits first. Empty where no value needs them.
   */
  pairs: BigInt64Array = NONE_PAIRS
  high: Uint32Array = NONE_WORDS
  low: Uint32Array = NONE_WORDS
  start: Uint32Array = NONE_WORDS
  bytes: Uint8Array = NONE_BYTES
  isNull: Uint8Array = NONE_BYTES

  constructor(
    readonly column: Column,
    /** One value per run (event) instead of one per row. */
    readonly perRun: boolean,
    capacity: number,
  ) {
    this.reserve(capacity)
  }

  /** Makes room for `capacity` values; what is there stays. */
  reserve(capacity: number): void {
    const { type } = this.column
    if (type.form === 'uint64') {
      this.high = grown(this.high, capacity)
      this.low = grown(this.low, capacity)
      this.isNull = grown(this.isNull, capacity)
    } else if (type.form === 'text') {
      this.start = grown(this.start, capacity + 1)
      this.isNull = grown(this.isNull, capacity)
    } else if (type.form === 'boolean' || type.form === 'side') {
      this.bytes = grown(this.bytes, capacity)
      if (this.column.nullable) this.isNull = grown(this.isNull, capacity)
    } else {
      this.numbers = grown(this.numbers, capacity)
      if (type.form === 'decimal' && type.precision === 38) this.scales = grown(this.scales, capacity)
    }
  }

  /** Puts a text (null: none) at `index`; texts are put in order. */
  putText(index: number, text: Uint8Array | null): void {
    const from = this.openText(index, text === null ? 0 : text.length)
    if (text === null) this.isNull[index] = 1
    else this.bytes.set(text, from)
  }

  /** Puts a text (null: none) as {@link ColumnBuffer.putText} does. ASCII is copied here, as most texts are short. */
  putString(index: number, text: string | null): void {
    if (text === null) return this.putText(index, null)
    const { length } = text
    const from = this.openText(index, length)
    const { bytes } = this
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > ASCII_END) return this.putText(index, encoder.encode(text))
      bytes[from + i] = code
    }
  }

  /** Begins a text of so many bytes: where in `bytes`, in which it is to be written at once. */
  openText(index: number, length: number): number {
    const from = this.start[index] ?? 0
    if (from + length > this.bytes.length) this.bytes = grown(this.bytes, Math.max(1024, (from + length) * 2))
    this.isNull[index] = 0
    this.start[index + 1] = from + length
    return from
  }

  /**
   * Puts a decimal of 38 digits, an integer at the column's scale; null: none. All values of a chunk are put so, or
   * none.
   */
  putWide(index: number, value: bigint | null): void {
    this.pairs = grown(this.pairs, 2 * this.numbers.length)
    this.numbers[index] = value === null ? NaN : 0
    this.pairs[2 * index] = BigInt.asIntN(64, value ?? 0n)
    this.pairs[2 * index + 1] = (value ?? 0n) >> 64n
  }

  /**
   * The decimals of 38 digits of this chunk are numbers with scales of their own; {@link ColumnBuffer.putWide} may
   * have put those of an earlier one.
   */
  putNoWide(): void {
    this.pairs = NONE_PAIRS
  }

  /** The value of a 38-digit decimal column as an integer at the column's scale. */
  wideAt(index: number): bigint {
    const { type, name } = this.column
    if (this.pairs.length > 0)
      return ((this.pairs[2 * index + 1] ?? 0n) << 64n) | BigInt.asUintN(64, this.pairs[2 * index] ?? 0n)
    const scale = type.form === 'decimal' ? type.scale : 0
    const ownScale = this.scales[index] ?? 0
    if (ownScale <= scale) return BigInt(this.numbers[index] ?? 0) * (WIDE_POWERS[scale - ownScale] as bigint)
    const sentence = `Cannot write a ${name} with ${String(ownScale)} decimals: at most ${String(scale)} fit`
    throw new BacktapeError('VALUE_INEXACT', sentence, { field: name })
  }

  /** Bytes of the text at `index`, in UTF-8; empty for null. */
  textAt(index: number): Uint8Array {
    return this.bytes.subarray(this.start[index] ?? 0, this.start[index + 1] ?? 0)
  }

  isNullAt(index: number): boolean {
    if (this.isNull.length > 0) return this.isNull[index] === 1
    return this.numbers.length > 0 && Number.isNaN(this.numbers[index])
  }
}

/** The array itself where it is long enough, else a longer copy. */
export function grown<T extends Float64Array | Uint32Array | Uint8Array | BigInt64Array | BigUint64Array>(
  array: T, length: number,
): T {
  if (array.length >= length) return array
  const larger = new (array.constructor as new (length: number) => T)(length)
  larger.set(array as never)
  return larger
}

/**
 * Rows of one table: columns of equal meaning, some holding one value per run of rows. Reused: consume before the next.
 */
export interface TableChunk {
  /** Days since 1970-01-01; timestamps count from its midnight. */
  readonly epochDay: number
  readonly rowCount: number
  readonly runCount: number
  /** First row of run i; `runStart[runCount]` is `rowCount`. */
  readonly runStart: Uint32Array
  readonly columns: readonly ColumnBuffer[]
}

/** Turns the chunks of one table into the bytes of one file, in order. */
export interface TableEncoder {
  encode(chunk: TableChunk): void
  /**
   * Writes what closes the file; `late` is metadata that is known at the end alone, for formats that have metadata
   * there.
   */
  finish(late?: ReadonlyMap<string, string>): void
}

/** Takes bytes of a file in order. The bytes are only valid during the call. */
export type ByteSink = (bytes: Uint8Array) => void
