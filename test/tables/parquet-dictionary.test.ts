import { tableFromIPC } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { createBareCompressor, type FrameCompressor } from '../../src/files/zstd-compressor.js'
import { type Column, ColumnBuffer, type TableChunk } from '../../src/tables/column.js'
import { ParquetColumnEncoder } from '../../src/tables/parquet-column.js'
import { NumberDictionary } from '../../src/tables/parquet-dictionary.js'
import { ParquetEncoder } from '../../src/tables/parquet-encoder.js'
import { PARQUET_ENCODINGS } from '../../src/tables/parquet-integers.js'
import { ParquetBytes } from '../../src/tables/parquet-values.js'

const { DELTA_BINARY_PACKED, PLAIN, RLE_DICTIONARY } = PARQUET_ENCODINGS
const PRICE: Column = { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: true }

/** Numbers without an order, the same each time. */
function* drawn(seed = 1): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

function values(count: number, of: (draw: number, at: number) => number | null): (number | null)[] {
  const numbers = drawn()
  return Array.from({ length: count }, (_, at) => of(numbers.next().value, at))
}

function chunkOf(given: readonly (number | null)[], column: Column = PRICE): TableChunk {
  const buffer = new ColumnBuffer(column, false, Math.max(1, given.length))
  given.forEach((value, at) => { buffer.numbers[at] = value ?? NaN })
  const runStart = Uint32Array.from({ length: given.length + 1 }, (_, at) => at)
  return { epochDay: 20_000, rowCount: given.length, runCount: given.length, runStart, columns: [buffer] }
}

const few = (draw: number): number => 6_000_000 + 10 * Math.floor(draw * 200)
const many = (draw: number): number => 6_000_000 + 10 * Math.floor(draw ** 4 * 3_000)

/** The number whose product with the hash's factor is 1, so that multiples of it have the same highest bits. */
const ALIKE = [0, 1, 2, 3, 4].reduce((inverse) => Math.imul(inverse, 2 - Math.imul(0x9e3779b1, inverse)), 0x9e3779b1)

describe('the integers of a column chunk', () => {
  let compress: FrameCompressor
  beforeAll(async () => { compress = await createBareCompressor(1) })

  const encode = (chunk: TableChunk): ReturnType<ParquetColumnEncoder['encode']> =>
    new ParquetColumnEncoder(compress).encode(chunk.columns[0] as ColumnBuffer, chunk)

  function fileOf(...chunks: TableChunk[]): Uint8Array {
    const parts: Uint8Array[] = []
    const column = chunks[0]?.columns[0]?.column as Column
    const out = new ParquetEncoder([column], new Map(), compress, (bytes) => parts.push(bytes.slice()))
    for (const chunk of chunks) out.encode(chunk)
    out.finish()
    return new Uint8Array(Buffer.concat(parts))
  }

  function readBack(file: Uint8Array): (bigint | null)[] {
    const vector = tableFromIPC(readParquet(file).intoIPCStream()).getChildAt(0)
    return Array.from({ length: vector?.length ?? 0 }, (_, at) => {
      const words = vector?.get(at) as Uint32Array | null
      return words === null
        ? null
        : BigInt.asIntN(128, words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n))
    })
  }

  it.each<[what: string, given: (number | null)[], encoding: number]>([
    ['no values', [], DELTA_BINARY_PACKED],
    ['nulls alone', values(50, () => null), DELTA_BINARY_PACKED],
    ['one value', [7], DELTA_BINARY_PACKED],
    ['a ladder', values(20_000, (_, at) => 1_000 + at), DELTA_BINARY_PACKED],
    ['nothing twice', values(20_000, (draw) => Math.floor(draw * 2 ** 40)), DELTA_BINARY_PACKED],
    ['repeating values that lie 2^32 apart', values(20_000, (draw) => (draw < 0.5 ? 0 : 2 ** 32) + few(draw)),
      DELTA_BINARY_PACKED],
    ['repeating values that lie beyond delta', values(20_000, (draw) => (draw < 0.5 ? -1 : 1) * 2 ** 51), PLAIN],
    ['a sample that repeats, a rest that does not',
      values(131_072, (draw, at) => (at % 43_690 < 1_024 ? few(draw) : at * 31)), DELTA_BINARY_PACKED],
    ['values that hash alike', [0, ...values(20_000, (draw) => Math.imul(Math.floor(draw ** 4 * 8_000), ALIKE) >>> 0), 2 ** 32 - 1], DELTA_BINARY_PACKED],
    ['few values', values(20_000, few), RLE_DICTIONARY],
    ['few values with nulls', values(20_000, (draw, at) => (at % 7 === 0 ? null : few(draw))), RLE_DICTIONARY],
    ['few values below zero', values(20_000, (draw) => few(draw) - 6_001_000), RLE_DICTIONARY],
    ['256 values', values(20_000, (draw) => 1_000 * Math.floor(draw * 256)), RLE_DICTIONARY],
    ['257 values', values(20_000, (draw) => 1_000 * Math.floor(draw * 257)), RLE_DICTIONARY],
    ['many values', values(20_001, many), RLE_DICTIONARY],
    ['a chunk as small as a sample', values(4_096, few), RLE_DICTIONARY],
    ['a chunk one larger', values(4_097, few), RLE_DICTIONARY],
    ['two integers at both ends of 32 bits', values(9_000, (draw) => (draw < 0.5 ? 0 : 2 ** 32 - 1)), RLE_DICTIONARY],
  ])('are written in the smaller form and read back: %s', (_, given, encoding) => {
    const chunk = chunkOf(given)
    const encoded = encode(chunk)
    const entries = encoding === RLE_DICTIONARY ? new Set(given.filter((value) => value !== null)).size : 0
    expect([encoded.encoding, encoded.dictionaryCount]).toEqual([encoding, entries])
    expect(readBack(fileOf(chunk, chunk))).toEqual([...given, ...given].map((value) => (value === null ? null : BigInt(value))))
  })

  it('are the same bytes whatever was written before', () => {
    const [first, second] = [chunkOf(values(9_000, many)), chunkOf(values(5_000, few))]
    const encoder = new ParquetColumnEncoder(compress)
    encoder.encode(first.columns[0] as ColumnBuffer, first)
    const again = encoder.encode(second.columns[0] as ColumnBuffer, second)
    const { dictionary, data } = encode(second)
    expect([again.dictionary, again.data]).toEqual([dictionary, data])
  })

  it('have a dictionary in ascending order', () => {
    const { dictionary } = encode(chunkOf(values(9_000, few)))
    const found = new BigInt64Array((dictionary as Uint8Array).slice().buffer)
    expect([...found]).toEqual([...new Set(found)].sort((a, b) => (a < b ? -1 : 1)))
    expect(found.length).toBe(200)
  })

  it('stay differences for times, ids and counts', () => {
    const count: Column = { name: 'count', type: { form: 'uint32' }, nullable: false }
    expect(encode(chunkOf(values(20_000, few), count)).encoding).toBe(DELTA_BINARY_PACKED)
  })
})

describe('a dictionary of numbers', () => {
  const taken = (numbers: readonly number[], limit: number): boolean => {
    const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)]
    const bounded = { numbers: Float64Array.from(numbers), count: numbers.length, base: 0n, least, spread: greatest - least }
    return new NumberDictionary().take(bounded, limit)
  }

  it.each<[what: string, numbers: number[], limit: number, isTaken: boolean]>([
    ['one more than the limit', [1, 2, 3], 2, false],
    ['as many as the limit', [1, 2, 3, 3, 2, 1], 3, true],
    ['spread by 2^32', [0, 2 ** 32, 0, 0], 4, false],
    ['spread by 2^32 - 1', [0, 2 ** 32 - 1, 0, 0], 4, true],
    ['65,536 values', Array.from({ length: 65_536 }, (_, at) => at), 100_000, false],
    ['65,535 values', Array.from({ length: 65_535 }, (_, at) => at), 100_000, true],
  ])('takes no more than it has room for: %s', (_, numbers, limit, isTaken) => {
    expect(taken(numbers, limit)).toBe(isTaken)
  })

  it('pads its places to a multiple of eight with zeros, after a longer chunk too', () => {
    const dictionary = new NumberDictionary()
    const take = (numbers: number[]): boolean => dictionary.take({ numbers: Float64Array.from(numbers), count: numbers.length, base: 0n, least: 5, spread: 4 }, 9)
    take([9, 9, 9, 9, 9, 9, 9, 9, 5])
    take([9, 5])
    const bytes = new ParquetBytes()
    dictionary.putPlaces(bytes, 0, 2)
    expect([...bytes.slice()]).toEqual([8, 3, 1, 0, 0, 0, 0, 0, 0, 0])
  })
})
