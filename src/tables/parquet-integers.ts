import type { FrameCompressor } from '../files/zstd-compressor.js'
import { type BoundedValues, NumberDictionary } from './parquet-dictionary.js'
import { appendDelta, appendIntegers, ParquetBytes } from './parquet-values.js'

/** Encodings of the Parquet format, by their numbers. */
export const PARQUET_ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8 } as const

/** Values that a sample has. */
const SAMPLE_VALUES = 4_096
/** Stretches of neighbours that a sample is made of: what stands close together repeats itself. */
const SAMPLE_STRETCHES = 4
/** Of values that differ more often than this there is no dictionary. */
const DISTINCT_SHARE = 0.7
/** Bytes of an entry of a dictionary, as zstd packs them: its neighbours are close. */
const ENTRY_BYTES = 2.5
/** Of the bytes of the differences; a dictionary takes longer to write. */
const DICTIONARY_SHARE = 0.97

/** Differences stay exact in doubles while the values lie within this range. */
const DELTA_RANGE_LIMIT = 2 ** 51

/** The pages that the integers of a column chunk are written to. */
export interface IntegerPages {
  readonly data: ParquetBytes
  readonly dictionary: ParquetBytes
}

/** The way the integers of a column chunk were written. */
export interface IntegerForm {
  readonly encoding: number
  readonly dictionaryCount: number
}

interface Stretch {
  readonly from: number
  readonly count: number
}

/** Stretches of some values, evenly apart, or all of them where they are few. */
function stretchesOf(count: number): readonly Stretch[] {
  if (count <= SAMPLE_VALUES) return [{ from: 0, count }]
  const length = SAMPLE_VALUES / SAMPLE_STRETCHES
  return Array.from({ length: SAMPLE_STRETCHES }, (_, at) => (
    { from: Math.floor(((count - length) * at) / (SAMPLE_STRETCHES - 1)), count: length }))
}

/**
 * Writes the integers of a column chunk: differences between neighbours, or a dictionary where values repeat and zstd
 * makes less of it, by a sample of them. The same values give the same bytes.
 */
export class IntegerEncoder {
  private readonly values = new NumberDictionary()
  private readonly trial = new ParquetBytes()
  private readonly sampled = new Float64Array(SAMPLE_VALUES)

  constructor(private readonly compress: FrameCompressor) {}

  /** Appends the values; those of a column that `repeats` in the smaller form, others as differences. */
  put(pages: IntegerPages, values: BoundedValues, width: 4 | 8, repeats: boolean): IntegerForm {
    const { PLAIN, DELTA_BINARY_PACKED, RLE_DICTIONARY } = PARQUET_ENCODINGS
    const isPacking = values.spread < (width === 4 ? 2 ** 30 : DELTA_RANGE_LIMIT)
    if (!isPacking) {
      appendIntegers(pages.data, values, width)
      return { encoding: PLAIN, dictionaryCount: 0 }
    }
    if (!repeats || values.count === 0 || !this.isDictionarySmaller(values, width)) {
      appendDelta(pages.data, values.numbers, values.count, values.base, width, values.spread)
      return { encoding: DELTA_BINARY_PACKED, dictionaryCount: 0 }
    }
    this.values.putEntries(pages.dictionary, values.base, width)
    this.values.putPlaces(pages.data, 0, values.count)
    return { encoding: RLE_DICTIONARY, dictionaryCount: this.values.size }
  }

  /** True where a dictionary is smaller, which then holds the values. */
  private isDictionarySmaller(values: BoundedValues, width: 4 | 8): boolean {
    const { count } = values
    const stretches = stretchesOf(count)
    const sample = this.sampleOf(values, stretches)
    if (!this.takes(sample)) return false
    const share = count / sample.count
    const most = DICTIONARY_SHARE * share * this.packedBytes((trial) => {
      appendDelta(trial, sample.numbers, sample.count, sample.base, width, sample.spread)
    })
    const isSmaller = (parts: readonly Stretch[]): boolean => {
      const places = this.packedBytes((trial) => {
        for (const part of parts) this.values.putPlaces(trial, part.from, part.count)
      })
      return share * places + ENTRY_BYTES * this.values.size < most
    }
    if (!isSmaller([{ from: 0, count: sample.count }])) return false
    return count === sample.count || (this.takes(values) && isSmaller(stretches))
  }

  /** Takes values into the dictionary; false where too many of them differ. */
  private takes(values: BoundedValues): boolean {
    return this.values.take(values, values.count * DISTINCT_SHARE)
  }

  private sampleOf(values: BoundedValues, stretches: readonly Stretch[]): BoundedValues {
    if (values.count <= SAMPLE_VALUES) return values
    stretches.forEach(({ from, count }, at) => {
      this.sampled.set(values.numbers.subarray(from, from + count), at * count)
    })
    return { ...values, numbers: this.sampled, count: SAMPLE_VALUES }
  }

  private packedBytes(put: (trial: ParquetBytes) => void): number {
    this.trial.count = 0
    put(this.trial)
    return this.compress(this.trial.slice()).length
  }
}
