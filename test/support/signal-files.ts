import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Bool, Data, Decimal as ArrowDecimal, Field, Float64, Int64, makeData, RecordBatch, Schema, Struct, tableToIPC, Table, TimestampNanosecond, Utf8, vectorFromArray, type DataType, type Vector } from 'apache-arrow'

/** One row as text of each column; null for none. */
export type TextRow = Readonly<Record<string, string | null>>

/** Types by column: those of `types` of a signal. */
export type SignalTypes = Readonly<Record<string, 'integer' | 'decimal' | 'double' | 'timestamp' | 'boolean' | 'text'>>

/** Formats in which a signal may stand. */
export const SIGNAL_FORMATS = ['csv', 'jsonl', 'json', 'parquet', 'arrow', 'arrows'] as const
export type SignalFormat = (typeof SIGNAL_FORMATS)[number]

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** The text of a CSV file. */
function csvText(rows: readonly TextRow[], names: readonly string[]): string {
  const cell = (text: string | null): string => (text === null ? '' : /[",\n\r]/.test(text) || text === '' ? quoted(text) : text)
  return [names.map(cell).join(','), ...rows.map((row) => names.map((name) => cell(row[name] ?? null)).join(','))].map((line) => `${line}\n`).join('')
}

/** True for a file whose columns have the types that somebody states. */
export const isUntyped = (file: string): boolean => /\.(?:csv|jsonl?)$/.test(file)

/** Objects of JSON: numbers and booleans stand without quotes, and a later row may lack what is null. */
function jsonText(rows: readonly TextRow[], types: SignalTypes, isArray: boolean): string {
  const value = (name: string, text: string | null): string => (text === null ? 'null' : types[name] === 'text' || types[name] === 'timestamp' ? JSON.stringify(text) : text)
  const lines = rows.map((row, at) => `{${Object.keys(types).filter((name) => at % 2 === 0 || (row[name] ?? null) !== null).map((name) => `${JSON.stringify(name)}:${value(name, row[name] ?? null)}`).join(', ')}}`)
  return isArray ? ` [${lines.join(' ,\n')}]\n` : lines.map((line) => `${line}\n`).join('')
}

const SQL: Readonly<Record<string, string>> = { integer: 'BIGINT', decimal: 'DECIMAL(38,12)', double: 'DOUBLE', timestamp: 'TIMESTAMP_NS', boolean: 'BOOLEAN', text: 'VARCHAR' }


/** Epoch nanoseconds of `2026-07-01T00:00:00.000000007Z`, by means of their own. */
export function nsOf(iso: string): bigint {
  const [whole = '', fraction = ''] = iso.replace('Z', '').split('.')
  const ms = BigInt(Date.parse(`${whole}Z`))
  return ms * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}


/** A Decimal128 column with 12 decimals. */
function decimals(texts: readonly (string | null)[]): Vector {
  const type = new ArrowDecimal(12, 38)
  const values = new Uint32Array(4 * texts.length)
  const nulls = new Uint8Array(Math.ceil(texts.length / 8))
  texts.forEach((text, at) => {
    if (text === null) return
    nulls[at >> 3]! |= 1 << (at & 7)
    const [whole = '', fraction = ''] = text.split('.')
    let big = BigInt.asUintN(128, BigInt(whole + fraction.padEnd(12, '0')))
    for (let word = 0; word < 4; word++) {
      values[4 * at + word] = Number(big & 0xffff_ffffn)
      big >>= 32n
    }
  })
  const nullCount = texts.filter((text) => text === null).length
  return vectorFromData(makeData({ type, length: texts.length, nullCount, nullBitmap: nulls, data: values }))
}

function vectorFromData(data: Data): Vector {
  return new Table(new Schema([new Field('x', data.type, true)]), [new RecordBatch(new Schema([new Field('x', data.type, true)]), makeData({ type: new Struct([new Field('x', data.type, true)]), length: data.length, children: [data] }))]).getChildAt(0)!
}

function arrowColumn(texts: readonly (string | null)[], type: string): Vector {
  const mapped = <T>(read: (text: string) => T): (T | null)[] => texts.map((text) => (text === null ? null : read(text)))
  if (type === 'decimal') return decimals(texts)
  if (type === 'integer') return vectorFromArray(mapped(BigInt), new Int64())
  if (type === 'double') return vectorFromArray(mapped(Number), new Float64())
  if (type === 'boolean') return vectorFromArray(mapped((text) => text === 'true'), new Bool())
  if (type === 'text') return vectorFromArray(mapped(String), new Utf8())
  const times = texts.map((text) => (text === null ? 0n : nsOf(text)))
  const nulls = new Uint8Array(Math.ceil(texts.length / 8))
  texts.forEach((text, at) => { if (text !== null) nulls[at >> 3]! |= 1 << (at & 7) })
  return vectorFromData(makeData({ type: new TimestampNanosecond(null) as DataType, length: texts.length, nullCount: texts.filter((text) => text === null).length, nullBitmap: nulls, data: BigInt64Array.from(times) } as never))
}

/** A folder with files of signals that is gone after the tests. */
export class SignalFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'backtape-signals-'))
  #count = 0

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name)
    writeFileSync(path, content)
    return path
  }

  /** Writes the same rows in a format. */
  async rows(format: SignalFormat, rows: readonly TextRow[], types: SignalTypes): Promise<string> {
    const names = Object.keys(types)
    const stem = `s${this.#count++}`
    if (format === 'csv') return this.write(`${stem}.csv`, csvText(rows, names))
    if (format === 'jsonl' || format === 'json') return this.write(`${stem}.${format}`, jsonText(rows, types, format === 'json'))
    if (format === 'parquet') return this.parquet(stem, rows, types)
    const table = new Table(Object.fromEntries(names.map((name) => [name, arrowColumn(rows.map((row) => row[name] ?? null), types[name]!)])))
    return this.write(`${stem}.${format}`, tableToIPC(table, format === 'arrow' ? 'file' : 'stream'))
  }

  async parquet(stem: string, rows: readonly TextRow[], types: SignalTypes): Promise<string> {
    const names = Object.keys(types)
    const csv = this.write(`${stem}.source.csv`, csvText(rows, names))
    const path = join(this.path, `${stem}.parquet`)
    const columns = names.map((name) => `'${name}': 'VARCHAR'`).join(', ')
    const casts = names.map((name) => `rtrim("${name}", ${types[name] === 'timestamp' ? '\'Z\'' : '\'\''})::${SQL[types[name]!]} as "${name}"`).join(', ')
    await this.sql(`copy (select ${casts} from read_csv('${csv}', columns = {${columns}}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', allow_quoted_nulls = false)) to '${path}' (format parquet, row_group_size 2048)`)
    return path
  }

  async sql(statement: string): Promise<void> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await connection.run(statement)
    connection.closeSync()
    instance.closeSync()
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
