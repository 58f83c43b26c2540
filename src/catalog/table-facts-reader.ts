import { basename } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { loadPackage } from '../files/package-reader.js'
import { RESULT_MARK, type TableShape, type WideForm } from '../export/export-kind.js'
import { epochDayFromText, epochNsFromText } from '../model/time.js'
import type { CatalogInstrument, FileFacts, FileStamp, TableFacts } from './catalog-file.js'
import { globLiteral, reasonText } from './duck-text.js'
import { factsOfName } from './file-name-facts.js'
import { kindOfFileName, TABLE_KINDS } from './table-kind.js'

/** Files whose metadata one statement reads. */
const FILES_AT_ONCE = 64

/** The footers of files: metadata, and the span of times and the count of rows by row groups. */
interface Footers {
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly groups: ReadonlyMap<string, FooterSpan>
}

interface FooterSpan {
  readonly rowCount: number
  readonly first: string | null
  readonly last: string | null
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<(string | null)[][]> {
  const result = await connection.runAndReadAll(sql)
  return result.getRows().map((row) => row.map((value) => (value === null ? null : String(value))))
}

async function footersOf(connection: DuckDBConnection, paths: readonly string[]): Promise<Footers> {
  const list = `[${paths.map(globLiteral).join(', ')}]`
  const metadata = new Map<string, Map<string, string>>(paths.map((path) => [path, new Map()]))
  const pairs = await rowsOf(
    connection,
    `select file_name, decode(key), decode(value) from parquet_kv_metadata(${list}) where octet_length(value) < 65536`,
  )
  for (const [file, key, value] of pairs) metadata.get(file ?? '')?.set(key ?? '', value ?? '')
  const counts = await rowsOf(connection, `select file_name, num_rows from parquet_file_metadata(${list})`)
  const spans = await rowsOf(
    connection,
    'select file_name, min(coalesce(stats_min_value, stats_min)), max(coalesce(stats_max_value, stats_max)) ' +
      `from parquet_metadata(${list}) where path_in_schema in ('ts', 'time') group by file_name`,
  )
  const spanOf = new Map(spans.map(([file, first, last]) => [file, { first: first ?? null, last: last ?? null }]))
  const groups = new Map<string, FooterSpan>()
  for (const [file, rows] of counts)
    groups.set(file ?? '', { rowCount: Number(rows), ...(spanOf.get(file ?? null) ?? { first: null, last: null }) })
  return { metadata, groups }
}

/** Epoch nanoseconds of a time as the statistics of a column state it. */
function nsText(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d[ T]/.test(text)) return null
  return String(epochNsFromText(`${text.replace(' ', 'T')}Z`, null))
}

function count(text: string | undefined): number {
  return text !== undefined && /^\d{1,2}$/.test(text) ? Number(text) : 0
}

function shapeOf(metadata: ReadonlyMap<string, string>): TableShape {
  return {
    priceScale: count(metadata.get('price_scale')), quantityScale: count(metadata.get('quantity_scale')),
    idsAreText: metadata.get('event_ids') === 'text',
    ...formsOf(metadata),
  }
}

function formsOf(metadata: ReadonlyMap<string, string>): Pick<TableShape, 'priceForm' | 'quantityForm' | 'valueForm'> {
  const wide = (name: string): WideForm | undefined => {
    const form = metadata.get(name)
    return form === 'text' ? form : form === '38' ? 38 : undefined
  }
  const [priceForm, quantityForm] = [wide('price_form'), wide('quantity_form')]
  const value = metadata.get('value_form')
  return {
    ...(priceForm === undefined ? {} : { priceForm }), ...(quantityForm === undefined ? {} : { quantityForm }),
    ...(value === undefined ? {} : { valueForm: value === 'text' ? 'text' : count(value) }),
  }
}

function instrumentOf(metadata: ReadonlyMap<string, string>): CatalogInstrument | null {
  const exchange = metadata.get('exchange_code')
  const code = metadata.get('instrument_code') ?? metadata.get('code')
  const id = metadata.get('instrument_id')
  if (exchange === undefined || code === undefined) return null
  return { id: id === undefined ? null : Number(id), name: `${exchange}:${code}` }
}

/** The facts of a table; null for a Parquet file that is none of ours by its metadata and its name. */
function tableOf(path: string, metadata: ReadonlyMap<string, string>, span: FooterSpan | undefined): TableFacts | null {
  // The tables of a run are never those of a market, whatever they are called.
  if (metadata.has(RESULT_MARK)) return null
  const named = kindOfFileName(basename(path))
  const stated = metadata.get('table')
  const kind = TABLE_KINDS.find((known) => known === stated) ?? (stated === undefined ? named?.kind : undefined)
  // Minutes of other spans are another table.
  if (kind === undefined || (kind === 'minutes' && metadata.has('every'))) return null
  const base = named?.base ?? basename(path, '.parquet')
  const byName = factsOfName(base)
  // A table without any metadata is one only by a name that says instrument and day.
  if (stated === undefined && byName.instrument === null) return null
  const day = metadata.get('day')
  const margins = metadata.get('margins')
  return {
    kind, base, instrument: instrumentOf(metadata) ?? byName.instrument,
    day: day === undefined ? byName.day : epochDayFromText(day) === null ? null : day,
    margins: margins === 'trim' || margins === 'keep' ? margins : null,
    isExact: metadata.get('numbers') !== 'float64', shape: shapeOf(metadata), rowCount: span?.rowCount ?? 0,
    firstNs: nsText(span?.first ?? null), lastNs: nsText(span?.last ?? null),
  }
}

/** A table that cannot be read, as far as its name says what it would be. */
function damaged(stamp: FileStamp, reason: string): FileFacts {
  const named = kindOfFileName(basename(stamp.path))
  const problem = `Cannot read ${stamp.path}: it must be a Parquet file that can be read, found ${reason}`
  if (named === null) return { stamp, ticks: [], table: null, problem }
  const table: TableFacts = {
    ...named, ...factsOfName(named.base), margins: null, isExact: true,
    shape: { priceScale: 0, quantityScale: 0, idsAreText: false }, rowCount: 0, firstNs: null, lastNs: null,
  }
  return { stamp, ticks: [], table, problem }
}

async function factsOfMany(connection: DuckDBConnection, stamps: readonly FileStamp[]): Promise<FileFacts[]> {
  try {
    const { metadata, groups } = await footersOf(connection, stamps.map(({ path }) => path))
    return stamps.map((stamp) => ({
      stamp, ticks: [], table: tableOf(stamp.path, metadata.get(stamp.path) ?? new Map(), groups.get(stamp.path)),
      problem: null,
    }))
  } catch (error) {
    const [first] = stamps
    if (stamps.length === 1 && first !== undefined) return [damaged(first, reasonText(error))]
    const facts: FileFacts[] = []
    for (const stamp of stamps) facts.push(...(await factsOfMany(connection, [stamp])))
    return facts
  }
}

/**
 * Reads the footers of Parquet files: which table of which instrument and day each is, and what it says of its margins.
 * A file that cannot be read has a `problem`; times are those of the statistics of its columns.
 */
export async function readTableFacts(stamps: readonly FileStamp[]): Promise<FileFacts[]> {
  if (stamps.length === 0) return []
  const { DuckDBInstance } = await loadPackage('@duckdb/node-api', () => import('@duckdb/node-api'))
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1', memory_limit: '256MB', autoload_known_extensions: 'false', autoinstall_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const facts: FileFacts[] = []
    for (let from = 0; from < stamps.length; from += FILES_AT_ONCE)
      facts.push(...(await factsOfMany(connection, stamps.slice(from, from + FILES_AT_ONCE))))
    return facts
  } finally {
    instance.closeSync()
  }
}
