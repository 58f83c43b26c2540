import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableToIPC, Table as ArrowTable, vectorFromArray, Int32, Int64, Utf8, Float64 } from 'apache-arrow'
import { Compression, Encoding, Table as WasmTable, writeParquet, WriterPropertiesBuilder, WriterVersion } from 'parquet-wasm'
import { describe, expect, test } from 'vitest'
import type { Column } from '../../../src/tables/column.js'
import { ParquetFile } from '../../../src/tables/reading/parquet-file-reader.js'
import { openRowFile } from '../../../src/tables/reading/row-file-reader.js'
import { readTable } from '../../../src/tables/reading/table-reader.js'
import { newFolder } from '../../support/new-folder.ts'
import { refusalOf } from '../../support/collected.ts'
import { isNight } from '../../support/repetitions.ts'
import { bitPackedLevels, madeParquet, type MadePage, severalFrames } from '../../support/made-parquet.ts'

const folder = newFolder()

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** Rows by columns, with decimals and bigints as text. */
async function rowsOf(path: string): Promise<Record<string, string>[]> {
  const file = await openRowFile(path)
  const names = file.columns.map(({ name }) => name)
  const rows: Record<string, string>[] = []
  for (let batch = await file.next(); batch !== null; batch = await file.next())
    for (let row = 0; row < batch.rowCount; row++) rows.push(Object.fromEntries(names.map((name, at) => [name, String(batch.columns[at]?.[row])])))
  await file.close()
  return rows
}

async function tableRows(path: string): Promise<Record<string, string>[]> {
  const table = await readTable(path)
  return table.rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])))
}

async function withDatabase<T>(work: (sql: (statement: string) => Promise<unknown[][]>) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return await work(async (statement) => (await connection.runAndReadAll(statement)).getRows())
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Values at the ends of their types; every third row null. */
const SELECT = `select
  case when i % 3 = 1 then null else make_timestamp_ns(1782864000000000001 + i) end as ns,
  make_timestamp(1782864000000000 + i) as us, epoch_ms(1782864000000 + i) as ms, date '2026-07-01' + i::INTEGER as day,
  case when i % 3 = 2 then null else (i - 50)::DECIMAL(4,1) end as d4, ((i - 50) * 12345)::DECIMAL(9,2) as d9, (i * 9007199254741 - 7)::DECIMAL(18,3) as d18,
  case when i = 0 then -99999999999999999999999999999999999999::DECIMAL(38,0) when i % 3 = 0 then null else (12345678901234567890123456789012345678::DECIMAL(38,0) - i) end as d38,
  (i - 5)::TINYINT as i8, (i - 5)::SMALLINT as i16, (i - 5)::INTEGER as i32, (i - 5) * 1000000000000000 as i64, i::UTINYINT as u8, (4294967295 - i)::UINTEGER as u32,
  case when i % 3 = 0 then null else (18446744073709551615 - i)::UBIGINT end as u64, (i / 7)::FLOAT as f32, i / 7 as f64, i % 2 = 0 as flag, case when i % 3 = 0 then null else 'text ' || (i % 10) || 'ü' end as text
  from range(100) t(i)`

/** The same values as texts, by the database itself. */
const TEXTS = `select coalesce(epoch_ns(ns)::VARCHAR, 'null') ns, epoch_ns(us)::VARCHAR us, epoch_ns(ms)::VARCHAR ms, (epoch_ms(day)::HUGEINT * 1000000)::VARCHAR as "day", ` +
  `${['d4', 'd9', 'd18', 'd38', 'i8', 'i16', 'i32', 'i64', 'u8', 'u32', 'u64', 'flag', 'text'].map((name) => `coalesce(${name}::VARCHAR, 'null') as "${name}"`).join(', ')} from (${SELECT})`

const plain = (text: string): string => (/^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text)

describe('a Parquet file of another writer', () => {
  test.each(['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'].flatMap((codec) => ['v1', 'v2'].map((version) => [codec, version] as const)))('of DuckDB has every value: %s, %s', async (codec, version) => {
    const path = join(folder, `duck-${codec}-${version}.parquet`)
    const wanted = await withDatabase(async (sql) => {
      await sql(`copy (${SELECT}) to '${path}' (format parquet, compression ${codec}, parquet_version ${version}, row_group_size 2048)`)
      return sql(TEXTS)
    })
    const names = ['ns', 'us', 'ms', 'day', 'd4', 'd9', 'd18', 'd38', 'i8', 'i16', 'i32', 'i64', 'u8', 'u32', 'u64', 'flag', 'text']
    const expected = wanted.map((row) => Object.fromEntries(names.map((name, at) => [name, plain(String(row[at]))])))
    const cut = (rows: Record<string, string>[]): Record<string, string>[] => rows.map((row) => Object.fromEntries(names.map((name) => [name, plain(row[name] ?? '')])))
    expect(cut(await tableRows(path))).toEqual(expected)
    const table = await readTable(path)
    expect([...table.numbers('f64')]).toEqual(Array.from({ length: 100 }, (_, i) => i / 7))
    expect([...table.numbers('f32')]).toEqual(Array.from({ length: 100 }, (_, i) => Math.fround(i / 7)))
    // Decimals of a signal print with an exponent where they are long.
    const rows = (await rowsOf(path)).map(({ d38: _, ...row }) => row)
    expect(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))).toMatchObject(expected.map(({ d38: _, ...row }) => row))
  })

  const values = (of: (i: number) => unknown): unknown[] => Array.from({ length: 3_000 }, (_, i) => (i % 5 === 0 ? null : of(i)))
  const GIVEN = {
    small: { type: new Int32(), values: values((i) => (i * 7_919) % 1_000 - 500) },
    large: { type: new Int64(), values: values((i) => (BigInt(i) * 1_234_567_890_123_457n) % (2n ** 62n) * (i % 2 === 0 ? 1n : -1n)) },
    ends: { type: new Int64(), values: values((i) => (i % 2 === 0 ? 2n ** 63n - 1n : -(2n ** 63n))) },
    double: { type: new Float64(), values: values((i) => i / 3) },
    text: { type: new Utf8(), values: values((i) => `share ${Math.floor(i / 50)} of ${i}`) },
  }

  test.each([
    ['PLAIN', Encoding.PLAIN, ['small', 'large', 'ends', 'double', 'text']], ['DELTA_BINARY_PACKED', Encoding.DELTA_BINARY_PACKED, ['small', 'large', 'ends']],
    ['DELTA_LENGTH_BYTE_ARRAY', Encoding.DELTA_LENGTH_BYTE_ARRAY, ['text']], ['DELTA_BYTE_ARRAY', Encoding.DELTA_BYTE_ARRAY, ['text']],
    ['BYTE_STREAM_SPLIT', Encoding.BYTE_STREAM_SPLIT, ['small', 'large', 'ends', 'double']], ['a dictionary', null, ['small', 'large', 'ends', 'double', 'text']],
  ] as const)('of parquet-wasm has every value: %s', async (_, encoding, names) => {
    const chosen = Object.fromEntries(names.map((name) => [name, vectorFromArray(GIVEN[name].values as never[], GIVEN[name].type)]))
    for (const version of [WriterVersion.V1, WriterVersion.V2]) {
      const builder = new WriterPropertiesBuilder().setWriterVersion(version).setCompression(Compression.LZ4_RAW).setMaxRowGroupSize(1_024).setDataPageSizeLimit(1_000).setWriteBatchSize(100)
      const properties = encoding === null ? builder.build() : builder.setDictionaryEnabled(false).setEncoding(encoding).build()
      const bytes = writeParquet(WasmTable.fromIPCStream(tableToIPC(new ArrowTable(chosen), 'stream')), properties)
      const path = put(`wasm-${String(encoding)}.parquet`, bytes)
      const found = await tableRows(path)
      expect(found.length).toBe(3_000)
      const wanted = Array.from({ length: 3_000 }, (_, row) => Object.fromEntries(names.map((name) => [name, String(GIVEN[name].values[row])])))
      expect(found).toEqual(wanted)
      expect(await rowsOf(path)).toEqual(wanted)
    }
  })

  test('whose page is several zstd frames is read by parquet-wasm', async () => {
    const path = put('frames.parquet', await severalFrames())
    const wanted = Array.from({ length: 8 }, (_, at) => ({ price: `0.0${at + 1}` }))
    expect(await tableRows(path)).toEqual(wanted)
    expect(await rowsOf(path)).toEqual(wanted)
  })

  test('whose levels are in BIT_PACKED is refused, as its readers differ', async () => {
    const path = put('levels.parquet', await bitPackedLevels())
    expect(await refusalOf(() => readTable(path))).toMatchObject({ code: 'FILE_UNREADABLE', message: `Cannot read ${path}: it must be a Parquet file that can be read, found levels in BIT_PACKED, not in RLE (column "price", byte 4)` })
  })

  test.each(['LZ4', 'LZ4_RAW'] as const)('has a column of nulls alone, whose dictionary is a page of no bytes: %s', async (codec) => {
    const values = { none: vectorFromArray([null, null, null], new Int32()), some: vectorFromArray([1, 2, 3], new Int32()) }
    for (const version of [WriterVersion.V1, WriterVersion.V2]) {
      const properties = new WriterPropertiesBuilder().setWriterVersion(version).setCompression(Compression[codec]).build()
      const path = put('nulls.parquet', writeParquet(WasmTable.fromIPCStream(tableToIPC(new ArrowTable(values), 'stream')), properties))
      const wanted = ['1', '2', '3'].map((some) => ({ none: 'null', some }))
      expect(await tableRows(path)).toEqual(wanted)
      expect(await rowsOf(path)).toEqual(wanted)
    }
  })

  test.each([[[0], []], [[0, 0], []], [[2, 0, 2], ['0.01', '0.02', '0.01', '0.02']], [[0, 2, 0], ['0.01', '0.02']]] as const)('may have row groups without rows: %j', async (groups, prices) => {
    const pages = prices.length === 0 ? [] : [plainPage(1n, 2n)]
    const path = put('empty.parquet', await madeParquet(PRICE, prices.length, pages, {}, groups))
    const wanted = prices.map((price) => ({ price }))
    expect(await tableRows(path)).toEqual(wanted)
    expect(await rowsOf(path)).toEqual(wanted)
  })

  test('is read row group by row group', async () => {
    const path = join(folder, 'groups.parquet')
    await withDatabase((sql) => sql(`copy (select i from range(10000) t(i)) to '${path}' (format parquet, row_group_size 2048)`))
    const file = await ParquetFile.open(path)
    expect(file.layout.groups.map(({ rowCount }) => rowCount)).toEqual([2_048, 2_048, 2_048, 2_048, 1_808])
    await file.close()
    expect((await rowsOf(path)).map(({ i }) => Number(i))).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
  })
})

const PRICE: Column = { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: false }
const NULLABLE: Column = { ...PRICE, nullable: true }
const TEXT: Column = { name: 'text', type: { form: 'text' }, nullable: false }
const WIDE: Column = { name: 'wide', type: { form: 'decimal', precision: 38, scale: 0 }, nullable: false }
const plainPage = (...values: bigint[]): MadePage => ({ kind: 'data', bytes: new Uint8Array(BigInt64Array.from(values).buffer), count: values.length, encoding: 0 })
const dictionary: MadePage = { ...plainPage(5n, 6n), kind: 'dictionary' }
const places = (count: number, ...bytes: number[]): MadePage => ({ kind: 'data', bytes: Uint8Array.from(bytes), count, encoding: 8 })
const texts = (...bytes: number[]): MadePage => ({ kind: 'data', bytes: Uint8Array.from(bytes), count: 1, encoding: 0 })
const delta = (...bytes: number[]): MadePage => ({ kind: 'data', bytes: Uint8Array.from(bytes), count: 4, encoding: 5 })
/** 2^31 - 1 in seven bits a byte, and a run of so many. */
const HUGE = [0xff, 0xff, 0xff, 0xff, 0x07]
const HUGE_RUN = [0xfe, 0xff, 0xff, 0xff, 0x0f]

describe('a damaged Parquet file is refused by the column and the byte', () => {
  test.each<[what: string, words: RegExp, column: Column, rows: number, pages: MadePage[], facts?: object, groups?: number[]]>([
    ['more rows than pages', /pages that end 1 rows early \(column "price", byte \d+\)/, PRICE, 3, [plainPage(1n, 2n)]],
    ['a trillion rows', /pages that end 999999999998 rows early/, PRICE, 1_000_000_000_000, [plainPage(1n, 2n)]],
    ['more rows than its file', /a page of 2 rows: at most 1 can follow \(column "price", byte 4\)/, PRICE, 1, [plainPage(1n, 2n)]],
    ['a page of two billion rows', /a page of 2147483647 rows/, PRICE, 2_147_483_647, [{ ...plainPage(1n), count: 2_147_483_647 }]],
    ['a page of 2 GB', /a page of 2147483647 bytes: at most 134217728 are read/, PRICE, 1, [{ ...plainPage(1n), statedBytes: 2_147_483_647 }]],
    ['a page of 128 MB that is none', /a zstd frame of 8 bytes, not 134217728/, PRICE, 1, [{ ...plainPage(1n), statedBytes: 134_217_728 }]],
    ['a page of a byte', /a zstd frame of 8 bytes, not 1/, PRICE, 1, [{ ...plainPage(1n), statedBytes: 1 }]],
    ['no zstd', /no zstd frame/, PRICE, 1, [{ ...plainPage(1n), packed: Uint8Array.of(1, 2, 3) }]],
    ['a zstd frame that is cut', /found/, PRICE, 1, [{ ...plainPage(1n), packed: Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 9) }]],
    ['a zstd frame of 2^60 bytes', /a zstd frame of 1152921504606847000 bytes, not 8/, PRICE, 1, [{ ...plainPage(1n), packed: Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0) }]],
    ['too few values', /values that end early/, PRICE, 2, [{ ...plainPage(1n), count: 2 }]],
    ['places without a dictionary', /places without a dictionary/, PRICE, 1, [places(1, 1, 2, 0)]],
    ['a place beyond the dictionary', /place 2 of a dictionary of 2/, PRICE, 1, [dictionary, places(1, 2, 2, 2)]],
    ['places of 33 bits', /values of 33 bits/, PRICE, 1, [dictionary, places(1, 33, 2, 0)]],
    ['places that end early', /values that end early/, PRICE, 9, [dictionary, places(9, 1, 3, 0)]],
    ['a run of no values', /values that end early/, PRICE, 1, [dictionary, places(1, 1, 0, 0)]],
    ['a dictionary of two billion', /a dictionary of 2147483647 entries/, PRICE, 1, [{ ...dictionary, count: 2_147_483_647 }, places(1, 1, 2, 0)]],
    ['levels that end early', /levels that end early/, NULLABLE, 1, [{ ...plainPage(1n), bytes: Uint8Array.of(255, 255, 255, 127, 2, 1) }]],
    ['a text longer than the page', /values that end early/, TEXT, 1, [texts(255, 255, 255, 127, 65)]],
    ['a text that is no UTF-8', /a text that is no UTF-8 \(column "text", byte 4\)/, TEXT, 1, [texts(1, 0, 0, 0, 0xff)]],
    ['39 digits', /a decimal of more than 38 digits/, WIDE, 1, [{ kind: 'data', bytes: new Uint8Array(16).fill(0x7f), count: 1, encoding: 0 }]],
    ['differences in blocks of 0', /differences in blocks of 0 in 4/, PRICE, 4, [delta(0, 4, 4, 2)]],
    ['differences in no pieces', /differences in blocks of 128 in 0/, PRICE, 4, [delta(0x80, 1, 0, 4, 2)]],
    ['differences in two billion pieces', /differences in blocks of 128 in 2147483647/, PRICE, 4, [delta(0x80, 1, ...HUGE, 4, 2)]],
    ['two billion differences', /2147483647 differences for 4 values/, PRICE, 4, [delta(0x80, 1, 4, ...HUGE, 2)]],
    ['differences of 65 bits', /differences that end early/, PRICE, 4, [delta(0x80, 1, 4, 4, 2, 0, 65, 0, 0, 0)]],
    ['differences without bits', /differences that end early/, PRICE, 4, [delta(0x80, 1, 4, 4, 2, 0, 8, 0, 0, 0)]],
    ['bytes beyond the file', /100000 bytes that reach beyond the data of the file \(column "price", byte 4\)/, PRICE, 1, [plainPage(1n)], { compressedBytes: 100_000 }],
    ['bytes in the magic', /reach beyond the data/, PRICE, 1, [plainPage(1n)], { dataOffset: 2 }],
    ['bytes before the file', /a page at byte -5/, PRICE, 1, [plainPage(1n)], { dataOffset: -5 }],
    ['a size below 0', /a size of -1/, PRICE, 1, [plainPage(1n)], { compressedBytes: -1 }],
  ])('%s', async (_, words, column, rows, pages, facts = {}) => {
    const path = put('damaged.parquet', await madeParquet(column, rows, pages, facts))
    const before = process.memoryUsage().rss
    for (const work of [() => readTable(path, { maxRows: 2 ** 52 }), () => rowsOf(path)]) {
      const refusal = await refusalOf(work)
      expect(refusal.message).toMatch(words)
      expect(refusal).toMatchObject({ code: 'FILE_UNREADABLE', place: { file: path, field: column.name } })
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
  })

  test('a run of two billion fills what its page states and no more', async () => {
    const path = put('run.parquet', await madeParquet(PRICE, 3, [dictionary, places(3, 1, ...HUGE_RUN, 1)]))
    expect((await readTable(path)).column('price')).toEqual(['0.06', '0.06', '0.06'])
    const nulls = put('nulls.parquet', await madeParquet(NULLABLE, 3, [{ ...plainPage(), bytes: Uint8Array.of(6, 0, 0, 0, ...HUGE_RUN, 0), count: 3 }]))
    expect((await readTable(nulls)).column('price')).toEqual([null, null, null])
  })

  test('more rows than columns can hold, without maxRows', async () => {
    const path = put('rows.parquet', await madeParquet(PRICE, 2 ** 31, [plainPage(1n)]))
    expect(await refusalOf(() => readTable(path))).toMatchObject({ code: 'LIMIT_EXCEEDED', place: { file: path } })
  })

  test('any byte changed, or the file cut anywhere: a table or a refusal, and nothing else', async () => {
    const path = join(folder, 'whole.parquet')
    await withDatabase((sql) => sql(`copy (select i % 7 as a, 'text' || (i % 3) as b, (i / 7)::DECIMAL(38,5) as c, case when i % 2 = 0 then i end as d from range(60) t(i)) to '${path}' (format parquet, compression zstd)`))
    const { readFileSync } = await import('node:fs')
    const bytes = readFileSync(path)
    const codes = new Set<string>()
    const attempt = async (changed: Uint8Array): Promise<void> => {
      const other = put('changed.parquet', changed)
      for (const work of [() => readTable(other), () => rowsOf(other)])
        await work().then(() => codes.add('none'), (error: unknown) => codes.add(String((error as { code?: string }).code)))
    }
    for (let at = 0; at < bytes.length; at += isNight ? 3 : 11) {
      const changed = Uint8Array.from(bytes)
      changed[at] = ((changed[at] ?? 0) + 1 + (at * 37) % 255) & 255
      await attempt(changed)
    }
    for (let length = 0; length < bytes.length; length += isNight ? 29 : 97) await attempt(bytes.subarray(0, length))
    codes.delete('none')
    codes.delete('FILE_UNREADABLE')
    expect([...codes].filter((code) => !['ROW_INVALID', 'LIMIT_EXCEEDED'].includes(code))).toEqual([])
  })
})
