import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Binary, Decimal, Dictionary, Field, Int32, Int64, Int8, List, RecordBatch, RecordBatchStreamWriter, Schema, Struct, Table as ArrowTable, TimestampMicrosecond, TimestampMillisecond,
  Utf8, makeData, tableToIPC, vectorFromArray, type DataType,
} from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { DuckDBInstance } from '@duckdb/node-api'
import { readTable } from '../../../src/tables/reading/table-reader.js'
import { createTable } from '../../../src/tables/table.js'
import { createTableFile } from '../../../src/tables/table-file-writer.js'
import { createTableStream } from '../../../src/tables/table-stream.js'
import { tableChunks } from '../../../src/tables/table-chunks.js'
import { newFolder } from '../../support/new-folder.ts'
import { refusalOf } from '../../support/collected.ts'

const folder = newFolder()

const TYPED = createTable([
  { name: 'ts', type: { form: 'timestamp' }, nullable: true, values: [1_782_864_000_000_000_001n, null, -5n] },
  { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: true, values: ['-1.25', null, '90071992547409.91'] },
  { name: 'money', type: { form: 'decimal', precision: 38, scale: 18 }, nullable: true, values: ['-12345678901234567890.123456789012345678', '0', null] },
  { name: 'side', type: { form: 'side' }, nullable: false, values: ['BID', 'ASK', 'ASK'] },
  { name: 'flag', type: { form: 'boolean' }, nullable: true, values: [true, null, false] },
  { name: 'note', type: { form: 'text' }, nullable: true, values: [null, 'ü', ''] },
  { name: 'count', type: { form: 'uint32' }, nullable: true, values: [1, 4_294_967_295, null] },
  { name: 'id', type: { form: 'uint64' }, nullable: true, values: [18_446_744_073_709_551_615n, 0n, null] },
  { name: 'delta', type: { form: 'double' }, nullable: true, values: [0.1, -1e300, null] },
], new Map([['table', 'typed'], ['ü', '"']]))

async function written(table: typeof TYPED, format: 'parquet' | 'arrow' | 'arrows'): Promise<string> {
  const path = join(folder, `typed-${String(table.rowCount)}.${format}`)
  const file = await createTableFile(path, { format }, { force: true, inputs: [] })
  const stream = await createTableStream(table.columns, table.metadata, { format }, { write: (bytes: Uint8Array) => file.write(bytes) })
  for (const chunk of tableChunks(table)) await stream.write(chunk)
  await stream.finish(new Map())
  await file.commit(table.metadata)
  return path
}

function arrowFile(name: string, columns: Record<string, { readonly type: DataType, readonly values: readonly unknown[] }>, kind: 'file' | 'stream' = 'file'): string {
  const vectors = Object.fromEntries(Object.entries(columns).map(([key, { type, values }]) => [key, vectorFromArray(values as never[], type)]))
  const path = join(folder, name)
  writeFileSync(path, tableToIPC(new ArrowTable(vectors), kind))
  return path
}

async function parquetFile(name: string, select: string): Promise<string> {
  const path = join(folder, name)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`copy (${select}) to '${path}' (format parquet)`)
  connection.closeSync()
  instance.closeSync()
  return path
}

describe('a table that is read back', () => {
  test.each(['parquet', 'arrow', 'arrows'] as const)('has every value, type and word of the metadata: %s', async (format) => {
    const read = await readTable(await written(TYPED, format))
    expect(read.rows).toEqual(TYPED.rows)
    expect(read.columns.map(({ name, type, nullable }) => ({ name, type, nullable }))).toEqual(TYPED.columns.map(({ name, type, nullable }) => ({ name, type, nullable })))
    expect(Object.fromEntries(read.metadata)).toEqual(Object.fromEntries(TYPED.metadata))
    const again = join(folder, 'again.arrows')
    writeFileSync(again, read.toArrow())
    expect((await readTable(again)).rows).toEqual(TYPED.rows)
  })

  test.each(['parquet', 'arrow', 'arrows'] as const)('may have no rows: %s', async (format) => {
    const empty = createTable(TYPED.columns.map((column) => ({ ...column, name: column.name, type: column.type, nullable: column.nullable, values: [] })), TYPED.metadata)
    const read = await readTable(await written(empty, format))
    expect([read.rowCount, read.rows, read.metadata.get('table')]).toEqual([0, [], 'typed'])
    expect(read.columns.map(({ name }) => name)).toEqual(TYPED.columns.map(({ name }) => name))
  })

  test('takes the types of other tools', async () => {
    const path = arrowFile('others.arrow', {
      micros: { type: new TimestampMicrosecond(null), values: [] }, side: { type: new Utf8(), values: [] },
    })
    expect((await readTable(path)).columns.map(({ type }) => type.form)).toEqual(['timestamp', 'side'])
    const parquet = await parquetFile('others.parquet', `select * from (values
      (1::TINYINT, (-9223372036854775808)::BIGINT, 255::UTINYINT, 1.5::FLOAT, DATE '1969-12-31', TIMESTAMP '2024-01-01 00:00:00.000001', TIMESTAMPTZ '2024-01-01 00:00:00+00', 12.34::DECIMAL(9,2), 123456789012345678::DECIMAL(18,0), 'x', true),
      (NULL, NULL, NULL, 'nan'::FLOAT, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) t(tiny, big, byte, real, day, micros, zoned, dec, wide, side, flag)`)
    const read = await readTable(parquet)
    expect(read.rows).toEqual([
      { tiny: '1', big: '-9223372036854775808', byte: 255, real: 1.5, day: -86_400_000_000_000n, micros: 1_704_067_200_000_001_000n, zoned: 1_704_067_200_000_000_000n, dec: '12.34', wide: '123456789012345678', side: 'x', flag: true },
      { tiny: null, big: null, byte: null, real: null, day: null, micros: null, zoned: null, dec: null, wide: null, side: null, flag: null },
    ])
    expect(read.columns.find(({ name }) => name === 'wide')?.type).toEqual({ form: 'decimal', precision: 38, scale: 0 })
  })

  test('keeps decimals exact where a later one is beyond 2^53', async () => {
    const read = await readTable(await parquetFile('widened.parquet', 'select * from (values (1.5::DECIMAL(18,1)), (NULL), (99999999999999999.9::DECIMAL(18,1))) t(x)'))
    expect(read.column('x')).toEqual(['1.5', null, '99999999999999999.9'])
    expect([...read.numbers('x')]).toEqual([1.5, NaN, 1e17])
  })

  test('reads many row groups and batches in order', async () => {
    const count = 200_000
    const path = await parquetFile('many.parquet', `select i::UINTEGER as i, (i % 7)::VARCHAR as side from range(${String(count)}) t(i)`)
    const read = await readTable(path)
    expect(read.rowCount).toBe(count)
    expect(read.numbers('i').every((value, at) => value === at)).toBe(true)
    expect(read.column('side')[13]).toBe('6')
  })
})

describe('a file is refused', () => {
  const put = (name: string, bytes: Uint8Array | string): string => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  }

  test.each([
    ['no file', () => join(folder, 'none.parquet'), 'FILE_NOT_FOUND', /^Cannot read .*none\.parquet: it does not exist/],
    ['a folder', () => aFolder(), 'FILE_UNREADABLE', /f\.parquet: it must be a plain file, found a folder/],
    ['an empty file', () => put('empty.parquet', ''), 'FILE_UNREADABLE', /empty\.parquet: it must be a Parquet, Arrow or JSON file, found none of them/],
    ['CSV', () => put('a.csv', 'a,b\n1,2\n'), 'FILE_UNREADABLE', /a\.csv: it must be a Parquet, Arrow or JSON file/],
    ['gzip', () => put('a.parquet', new Uint8Array([0x1f, 0x8b, 8])), 'FILE_UNREADABLE', /not packed, found/],
    ['Parquet of garbage', () => put('g.parquet', `PAR1${'x'.repeat(500)}PAR1`), 'FILE_UNREADABLE', /g\.parquet: it must be a Parquet file that can be read/],
    ['a list', () => arrowFile('list.arrow', { xs: { type: new List(new Field('item', new Int32())), values: [[1]] } }), 'FILE_UNREADABLE', /list\.arrow: .*found column "xs" of type List/],
    ['binary data', () => arrowFile('b.arrows', { xs: { type: new Binary(), values: [new Uint8Array(1)] } }, 'stream'), 'FILE_UNREADABLE', /column "xs" of type Binary/],
    ['a decimal of 256 bits', () => decimal256(), 'FILE_UNREADABLE', /column "xs" of type Decimal/],
    ['numbers in a dictionary', () => dictionaryFile(), 'FILE_UNREADABLE', /column "xs" of type Dictionary/],
    ['a time beyond 64 bits', () => arrowFile('far.arrow', { t: { type: new TimestampMillisecond(null), values: [0, 1e14] } }), 'ROW_INVALID', /Cannot read row 2 of .*far\.arrow: t must be a time from 1678 to 2262/],
  ] as const)('%s', async (_, file, code, words) => {
    const refusal = await refusalOf(() => readTable(file()))
    expect(refusal.message).toMatch(words)
    expect(refusal.code).toBe(code)
  })

  test.each(['parquet', 'arrow', 'arrows'] as const)('cut anywhere, and with more rows than the limit: %s', async (format) => {
    const path = await written(TYPED, format)
    const bytes = readFileSync(path)
    for (const at of [9, 60, bytes.length >> 1, bytes.length - 30, bytes.length - 1]) {
      const cut = put(`cut.${format}`, bytes.subarray(0, at))
      const { code, place } = await refusalOf(() => readTable(cut))
      expect([code, place.file]).toEqual(['FILE_UNREADABLE', cut])
    }
    const over = await refusalOf(() => readTable(path, { maxRows: 2 }))
    expect(over).toMatchObject({ code: 'LIMIT_EXCEEDED', message: `Cannot hold ${path}: it must have at most 2 rows, found 3; raise maxRows, or ask it by SQL` })
    expect(await refusalOf(() => readTable(path, { maxRows: -1 }))).toMatchObject({ code: 'OPTION_INVALID' })
    expect((await readTable(path, { maxRows: 3 })).rowCount).toBe(3)
  })

  test('damaged data of Parquet', async () => {
    const path = await parquetFile('damaged.parquet', 'select i::VARCHAR as x from range(5000) t(i)')
    const bytes = readFileSync(path)
    bytes.fill(0xa5, 40, 400)
    const damaged = put('damaged.parquet', bytes)
    expect(await refusalOf(() => readTable(damaged))).toMatchObject({ code: 'FILE_UNREADABLE', place: { file: damaged } })
    // What was read before is not disturbed.
    expect((await readTable(await written(TYPED, 'parquet'))).rowCount).toBe(3)
  })
})

/** One column of a type, whose values lie in given memory. */
function rawFile(name: string, type: DataType, data: object): string {
  const schema = new Schema([new Field('xs', type, true)])
  const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: 1, nullCount: 0, children: [makeData({ type, length: 1, nullCount: 0, ...data } as never)] }))
  const path = join(folder, name)
  const writer = new RecordBatchStreamWriter()
  writer.write(batch)
  writer.finish()
  writeFileSync(path, writer.toUint8Array(true))
  return path
}

const decimal256 = (): string => rawFile('d256.arrows', new Decimal(2, 60, 256), { data: new Uint32Array(8) })
const dictionaryFile = (): string => rawFile('dict.arrows', new Dictionary(new Int64(), new Int8(), 0), { data: new Int8Array(1), dictionary: vectorFromArray([1n], new Int64()) })

function aFolder(): string {
  const path = join(folder, 'f.parquet')
  mkdirSync(path, { recursive: true })
  return path
}
