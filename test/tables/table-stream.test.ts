import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import type { TableColumn } from '../../src/tables/column.js'
import type { TableForm } from '../../src/tables/table-form.js'
import { writeTable } from '../../src/tables/table-stream.js'
import { createTable, type Table } from '../../src/tables/table.js'

const NS = 1_782_864_000_000_000_001n
const YEAR = 365n * 86_400_000_000_000n

/** Every type, with nulls, values beyond 2^53 and times a year apart in one column. */
const COLUMNS: readonly TableColumn[] = [
  { name: 'ts', type: { form: 'timestamp' }, nullable: false, values: [NS, NS + YEAR, NS - YEAR] },
  { name: 'ended_ts', type: { form: 'timestamp' }, nullable: true, values: [null, NS + 3n * YEAR, null] },
  { name: 'money', type: { form: 'decimal', precision: 38, scale: 18 }, nullable: true, values: ['12345678901234567890.123456789012345678', null, '-0.5'] },
  { name: 'price', type: { form: 'decimal', precision: 18, scale: 2 }, nullable: true, values: ['-1.25', null, '70000'] },
  { name: 'lots', type: { form: 'decimal', precision: 18, scale: 0 }, nullable: false, values: ['1', '2', '3'] },
  { name: 'id', type: { form: 'uint64' }, nullable: true, values: [18_446_744_073_709_551_615n, null, 0n] },
  { name: 'count', type: { form: 'uint32' }, nullable: true, values: [4_294_967_295, null, 0] },
  { name: 'vol', type: { form: 'double' }, nullable: true, values: [0.1, null, -3] },
  { name: 'post_only', type: { form: 'boolean' }, nullable: true, values: [true, null, false] },
  { name: 'flag', type: { form: 'boolean' }, nullable: false, values: [true, false, true] },
  { name: 'side', type: { form: 'side' }, nullable: true, values: ['ASK', null, 'BID'] },
  { name: 'note', type: { form: 'text' }, nullable: true, values: ['a "b",\n#ü', null, ''] },
]

async function bytesOf(table: Table, form: TableForm): Promise<Buffer> {
  const parts: Buffer[] = []
  await writeTable(table, form, { write: (bytes) => Promise.resolve(void parts.push(Buffer.from(bytes))) })
  return Buffer.concat(parts)
}

const table = createTable(COLUMNS, new Map([['table', 'test']]))

/** Reads Parquet by DuckDB, every value as text. */
async function parquetRows(bytes: Uint8Array, select: string): Promise<unknown[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-table-'))
  const path = join(folder, 'x.parquet')
  writeFileSync(path, bytes)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(`select ${select} from read_parquet('${path}')`)).getRows()
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(folder, { recursive: true })
  }
}

describe('a table in memory', () => {
  it('is CSV with every digit', async () => {
    expect(String(await bytesOf(table, { format: 'csv' }))).toBe(
      [
        'ts,ended_ts,money,price,lots,id,count,vol,post_only,flag,side,note',
        `${String(NS)},,12345678901234567890.123456789012345678,-1.25,1,18446744073709551615,4294967295,0.1,true,true,ASK,"a ""b"",\n#ü"`,
        `${String(NS + YEAR)},${String(NS + 3n * YEAR)},,,2,,,,,false,,`,
        `${String(NS - YEAR)},,-0.5,70000.0,3,0,0,-3,false,true,BID,""`,
        '',
      ].join('\n'),
    )
  })

  it('has a # line and ISO times where asked for, and is the same text in gzip', async () => {
    const form = { format: 'csv', comment: true, times: 'iso' } as const
    const lines = String(await bytesOf(table, form)).split('\n')
    expect(JSON.parse((lines[0] ?? '').slice(2))).toEqual({ table: 'test', timestamps: 'ISO-8601 in UTC, nanoseconds' })
    expect(lines[2]?.split(',')[0]).toBe('2026-07-01T00:00:00.000000001Z')
    expect(gunzipSync(await bytesOf(table, { ...form, format: 'csv.gz' }))).toEqual(await bytesOf(table, form))
  })

  it('is JSON that JSON.parse reads, the same rows as JSON lines', async () => {
    const rows = JSON.parse(String(await bytesOf(table, { format: 'json' }))) as unknown[]
    expect(rows[0]).toEqual({
      ts: String(NS), ended_ts: null, money: '12345678901234567890.123456789012345678', price: '-1.25', lots: '1', id: '18446744073709551615',
      count: 4_294_967_295, vol: 0.1, post_only: true, flag: true, side: 'ASK', note: 'a "b",\n#ü',
    })
    expect(rows[1]).toMatchObject({ ended_ts: String(NS + 3n * YEAR), money: null, id: null, count: null, vol: null, post_only: null, side: null, note: null })
    const lines = String(gunzipSync(await bytesOf(table, { format: 'jsonl.gz' })))
    expect(lines.split('\n').slice(0, -1).map((line) => JSON.parse(line) as unknown)).toEqual(rows)
    expect(lines).toBe(String(await bytesOf(table, { format: 'jsonl' })))
  })

  it.each(['arrow', 'arrows'] as const)('is %s with nulls, wide decimals and times that lie far apart', async (format) => {
    const arrow = tableFromIPC(await bytesOf(table, { format }))
    expect(arrow.schema.metadata.get('table')).toBe('test')
    expect(arrow.schema.fields.map((field) => String(field.type))).toEqual([
      'Timestamp<NANOSECOND>', 'Timestamp<NANOSECOND>', 'Decimal[38e+18]', 'Decimal[18e+2]', 'Decimal[18e0]', 'Uint64', 'Uint32', 'Float64', 'Bool', 'Bool',
      'Dictionary<Int8, Utf8>', 'Utf8',
    ])
    const values = (name: string): unknown[] => [...(arrow.getChild(name) ?? [])]
    expect(arrow.getChild('ts')?.data.flatMap((data) => [...(data.values as BigInt64Array)])).toEqual([NS, NS + YEAR, NS - YEAR])
    const money = arrow.getChild('money')?.get(0) as Uint32Array
    expect([...money].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)).toBe(12345678901234567890123456789012345678n)
    expect(values('post_only')).toEqual([true, null, false])
    expect(values('side')).toEqual(['ASK', null, 'BID'])
    expect(values('id')).toEqual([18_446_744_073_709_551_615n, null, 0n])
    expect(values('note')).toEqual(['a "b",\n#ü', null, ''])
  })

  it('is Parquet that DuckDB reads with the same values', async () => {
    const select = COLUMNS.map(({ name, type }) => (type.form === 'timestamp' ? `epoch_ns(${name})::varchar` : `${name}::varchar`)).join()
    const rows = await parquetRows(await bytesOf(table, { format: 'parquet' }), select)
    expect(rows).toEqual([
      [String(NS), null, '12345678901234567890.123456789012345678', '-1.25', '1', '18446744073709551615', '4294967295', '0.1', 'true', 'true', 'ASK', 'a "b",\n#ü'],
      [String(NS + YEAR), String(NS + 3n * YEAR), null, null, '2', null, null, null, null, 'false', null, null],
      [String(NS - YEAR), null, '-0.500000000000000000', '70000.00', '3', '0', '0', '-3.0', 'false', 'true', 'BID', ''],
    ])
  })

  it('holds the nearest doubles where asked for, and in text every digit', async () => {
    const values = ['0.1', '64000.55', '-0.000000000000000001', '12345678901234567890.123456789012345678', '0.3', '9007199254740993', null]
    const money: TableColumn = { name: 'money', type: { form: 'decimal', precision: 38, scale: 18 }, nullable: true, values }
    const price: TableColumn = {
      name: 'price', type: { form: 'decimal', precision: 18, scale: 8 }, nullable: true,
      values: ['0.1', '64000.55', '-0.00000001', '90071992.54740991', '0.3', '0.7', null],
    }
    const floats = createTable([money, price])
    const rows = await parquetRows(await bytesOf(floats, { format: 'parquet', numbers: 'float64' }), 'money, price')
    expect(rows).toEqual(values.map((value, i) => [value === null ? null : Number(value), price.values[i] === null ? null : Number(price.values[i])]))
    const arrow = tableFromIPC(await bytesOf(floats, { format: 'arrow', numbers: 'float64' }))
    expect([...(arrow.getChild('money') ?? [])]).toEqual(rows.map(([value]) => value))
    expect(arrow.schema.metadata.get('numbers')).toBe('float64')
    expect(String(await bytesOf(floats, { format: 'csv', numbers: 'float64' }))).toContain('12345678901234567890.123456789012345678')
  })

  it('is cut into chunks that no reader sees', async () => {
    const count = 140_000
    const long = createTable([
      { name: 'i', type: { form: 'uint32' }, nullable: false, values: Array.from({ length: count }, (_, i) => i) },
      { name: 'note', type: { form: 'text' }, nullable: true, values: Array.from({ length: count }, (_, i) => (i % 3 === 0 ? null : String(i))) },
    ])
    const rows = await parquetRows(await bytesOf(long, { format: 'parquet' }), 'sum(i)::varchar, count(note)::varchar, sum(note::bigint)::varchar')
    const notes = Array.from({ length: count }, (_, i) => i).filter((i) => i % 3 !== 0)
    expect(rows[0]).toEqual([String((count * (count - 1)) / 2), String(notes.length), String(notes.reduce((sum, i) => sum + i, 0))])
    expect(String(await bytesOf(long, { format: 'jsonl' })).split('\n')).toHaveLength(count + 1)
  })

  it.each(['parquet', 'arrow', 'arrows', 'csv', 'csv.gz', 'json', 'jsonl', 'jsonl.gz'] as const)('may be empty (%s)', async (format) => {
    const bytes = await bytesOf(createTable(COLUMNS.map((column) => ({ ...column, values: [] }))), { format })
    if (format.startsWith('arrow')) expect(tableFromIPC(bytes).numRows).toBe(0)
    else if (format === 'parquet') expect(await parquetRows(bytes, 'count(*)::varchar')).toEqual([['0']])
    else if (format === 'json') expect(JSON.parse(String(bytes))).toEqual([])
    else expect(String(format.endsWith('.gz') ? gunzipSync(bytes) : bytes).split('\n').length - 1).toBe(format.startsWith('csv') ? 1 : 0)
  })

  const decimal = (value: string, precision: 18 | 38, scale: number): TableColumn => ({ name: 'price', type: { form: 'decimal', precision, scale }, nullable: false, values: [value] })
  it.each([
    ['0.125', 18, 2], ['90071992547409.93', 18, 2], ['x', 18, 2], ['0.1234567890123456789', 38, 18], ['100000000000000000000', 38, 18], ['', 38, 18],
  ] as const)('refuses %s as decimal(%d, %d)', async (value, precision, scale) => {
    await expect(bytesOf(createTable([decimal(value, precision, scale)]), { format: 'csv' })).rejects.toMatchObject({ code: 'VALUE_INEXACT' })
  })
})
