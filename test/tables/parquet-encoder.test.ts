import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { readParquet } from 'parquet-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { ArrowEncoder } from '../../src/tables/arrow-encoder.js'
import { ColumnBuffer, type TableChunk, type Column } from '../../src/tables/column.js'
import { ParquetEncoder } from '../../src/tables/parquet-encoder.js'
import { createBareCompressor, type FrameCompressor } from '../../src/files/zstd-compressor.js'

const COLUMNS: readonly Column[] = [
  { name: 'time', type: { form: 'timestamp' }, nullable: true },
  { name: 'price', type: { form: 'decimal', precision: 18, scale: 3 }, nullable: false },
  { name: 'rate', type: { form: 'decimal', precision: 38, scale: 18 }, nullable: true },
  { name: 'id', type: { form: 'uint64' }, nullable: true },
  { name: 'index', type: { form: 'uint32' }, nullable: false },
  { name: 'delta', type: { form: 'double' }, nullable: true },
  { name: 'flag', type: { form: 'boolean' }, nullable: false },
  { name: 'side', type: { form: 'side' }, nullable: false },
  { name: 'text', type: { form: 'text' }, nullable: true },
]

interface Row {
  readonly time: number | null
  readonly price: number
  readonly rate: number | null
  readonly id: bigint | null
  readonly index: number
  readonly delta: number | null
  readonly flag: boolean
  readonly side: 'BID' | 'ASK'
  readonly text: string | null
}

const safe = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -50, max: 50 }), fc.constantFrom(0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 52))
const rows = fc.array(
  fc.record<Row>({
    time: fc.option(safe),
    price: safe,
    rate: fc.option(safe),
    id: fc.option(fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 10n ** 18n, max: 10n ** 18n + 500n }))),
    index: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    delta: fc.option(fc.double({ noNaN: true })),
    flag: fc.boolean(),
    side: fc.constantFrom('BID', 'ASK'),
    text: fc.option(fc.string({ unit: 'grapheme' })),
  }),
  { maxLength: 700 },
)
/** How often each row stands: runs of them, where columns hold one value a run. */
const repeats = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })

const encoder = new TextEncoder()

function put(buffer: ColumnBuffer, at: number, row: Row): void {
  const value = row[buffer.column.name as keyof Row]
  const { form } = buffer.column.type
  if (form === 'text') buffer.putText(at, value === null ? null : encoder.encode(value as string))
  else if (form === 'side') buffer.bytes[at] = value === 'ASK' ? 1 : 0
  else if (form === 'boolean') buffer.bytes[at] = value === true ? 1 : 0
  else if (form === 'uint64') {
    buffer.isNull[at] = value === null ? 1 : 0
    buffer.high[at] = Number(BigInt(value ?? 0) >> 32n)
    buffer.low[at] = Number(BigInt(value ?? 0) & 0xffffffffn)
  } else {
    buffer.numbers[at] = value === null ? NaN : Number(value)
    if (buffer.scales.length > 0) buffer.scales[at] = 16
  }
}

const PER_RUN = new Set(['time', 'id', 'index', 'delta', 'flag', 'text'])

function chunkOf(given: readonly Row[], times: readonly number[]): TableChunk {
  const counts = given.map((_, i) => times[i % times.length] ?? 1)
  const rowCount = counts.reduce((a, b) => a + b, 0)
  const runStart = new Uint32Array(given.length + 1)
  counts.forEach((count, i) => (runStart[i + 1] = (runStart[i] ?? 0) + count))
  const columns = COLUMNS.map((column) => {
    const buffer = new ColumnBuffer(column, PER_RUN.has(column.name), Math.max(1, rowCount))
    given.forEach((row, run) => {
      if (buffer.perRun) put(buffer, run, row)
      else for (let at = runStart[run] ?? 0; at < (runStart[run + 1] ?? 0); at++) put(buffer, at, row)
    })
    return buffer
  })
  return { epochDay: 20_635, rowCount, runCount: given.length, runStart, columns }
}

/** What a reader has to find, as text. */
function expected(given: readonly Row[], times: readonly number[]): Record<string, string>[] {
  return given.flatMap((row, i) => {
    const base = 20_635n * 86_400_000_000_000n
    const plain = {
      ...row,
      time: row.time === null ? null : base + BigInt(row.time),
      price: BigInt(row.price),
      rate: row.rate === null ? null : BigInt(row.rate) * 100n,
    }
    return Array.from({ length: times[i % times.length] ?? 1 }, () => Object.fromEntries(Object.entries(plain).map(([k, v]) => [k, Object.is(v, -0) ? '-0' : String(v)])))
  })
}

function found(ipc: Uint8Array): Record<string, string>[] {
  const table = tableFromIPC(ipc)
  return Array.from({ length: table.numRows }, (_, i) =>
    Object.fromEntries(
      COLUMNS.map(({ name, type }) => {
        const vector = table.getChild(name)
        const value: unknown = vector?.get(i)
        if (value === null || value === undefined) return [name, 'null']
        if (type.form === 'decimal') return [name, String(BigInt.asIntN(128, (value as Uint32Array).reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)))]
        if (type.form === 'timestamp') return [name, String(timeAt(vector?.data ?? [], i))]
        return [name, Object.is(value, -0) ? '-0' : plainText(value as string | number | bigint | boolean)]
      }),
    ),
  )
}

const plainText = (value: string | number | bigint | boolean): string => String(value)

function timeAt(chunks: readonly { length: number; values: unknown }[], index: number): bigint | undefined {
  for (const chunk of chunks) {
    if (index < chunk.length) return (chunk.values as BigInt64Array)[index]
    index -= chunk.length
  }
  return undefined
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

describe('an encoded chunk', () => {
  let compress: FrameCompressor
  beforeAll(async () => {
    compress = await createBareCompressor(1)
  })

  it('is read back by parquet-wasm as it was', () => {
    fc.assert(
      fc.property(rows, repeats, (given, times) => {
        const parts: Uint8Array[] = []
        const out = new ParquetEncoder(COLUMNS, new Map([['key', 'välue']]), compress, (bytes) => parts.push(bytes.slice()))
        const chunk = chunkOf(given, times)
        if (chunk.rowCount > 0) out.encode(chunk)
        if (chunk.rowCount > 0) out.encode(chunk)
        out.finish()
        const want = expected(given, times)
        expect(found(readParquet(joined(parts)).intoIPCStream())).toEqual([...want, ...want])
      }),
      { numRuns: 80 },
    )
  })

  it.each([0, 2 ** 53 - 1 - 2 ** 31, -(2 ** 53) + 1, -(2 ** 29)])('packs differences on either side of 32 bits, from %d', (from) => {
    for (const spread of [0, 1, 2 ** 16, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31]) {
      for (const count of [2, 33, 129, 300]) {
        const given = Array.from({ length: count }, (_, i): Row => {
          const step = i % 3 === 0 ? 0 : i % 3 === 1 ? spread : Math.floor((spread * (i % 7)) / 7)
          return { time: from + step, price: from + step, rate: null, id: BigInt(step), index: step, delta: null, flag: false, side: 'BID', text: null }
        })
        const parts: Uint8Array[] = []
        const out = new ParquetEncoder(COLUMNS, new Map(), compress, (bytes) => parts.push(bytes.slice()))
        out.encode(chunkOf(given, [1]))
        out.finish()
        expect(found(readParquet(joined(parts)).intoIPCStream())).toEqual(expected(given, [1]))
      }
    }
  })

  it.each(['arrow', 'arrows'] as const)('is read back by the Arrow library as it was (%s)', (format) => {
    fc.assert(
      fc.property(rows, repeats, (given, times) => {
        const parts: Uint8Array[] = []
        const out = new ArrowEncoder(COLUMNS, new Map(), format, (bytes) => parts.push(bytes.slice()))
        const chunk = chunkOf(given, times)
        if (chunk.rowCount > 0) out.encode(chunk)
        if (chunk.rowCount > 0) out.encode(chunk)
        out.finish()
        const want = expected(given, times)
        expect(found(joined(parts))).toEqual([...want, ...want])
      }),
      { numRuns: 40 },
    )
  })
})
