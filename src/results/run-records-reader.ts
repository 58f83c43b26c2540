import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import type { EquityCurve } from '../report/equity-curve.js'
import { isRecordId, RECORD_FORMAT, type RunRecord, type SetRecord } from './run-record.js'
import { writeWholeText } from '../files/whole-file-writer.js'

/** The record of a folder. */
export const RECORD_FILE = 'record.json'
/** Its parameter sets, a line each. */
export const SETS_FILE = 'sets.jsonl.gz'

/** Its curves of equity, by set. */
export const CURVES_FILE = 'curves.json.gz'
/** Its report, where it was asked for, with `report.json` beside it. */
export const REPORT_FILE = 'report.html'

/** Curves of equity by set, then underlying. */
export type RecordedCurves = readonly (readonly EquityCurve[])[]

/** Where the records of a folder's run files lie. */
export function recordsFolder(beside: string): string {
  return join(beside, '.backtape', 'runs')
}

/** Records of a folder's run files, oldest first, and folders that hold none that can be read. */
export interface RunRecords {
  readonly records: readonly RunRecord[]
  readonly unreadable: readonly string[]
}

/** All records; their folders are the truth: an index that says something else is written anew, where it can be. */
export async function readRunRecords(beside: string): Promise<RunRecords> {
  const runs = recordsFolder(beside)
  const ids = (await readdir(runs).catch((): string[] => [])).filter(isRecordId).sort()
  const index = await indexOf(runs)
  const records: RunRecord[] = []
  const unreadable: string[] = []
  let isBehind = index.size !== ids.length
  for (const id of ids) {
    const known = index.get(id) ?? (await recordOf(beside, id))
    if (!index.has(id)) isBehind = true
    if (known === null) unreadable.push(join(runs, id))
    else records.push(known)
  }
  if (isBehind && ids.length > 0) await writeRunIndex(runs, records).catch(() => undefined)
  return { records, unreadable }
}

/** The resolved run file of a record, whose relative paths begin in the folder of the run files. */
export function configurationPath(beside: string, id: string): string {
  return join(recordsFolder(beside), id, 'configuration.json')
}

/** The strategy of a record as bundled; null where it is not known. */
export function readBundle(beside: string, id: string): Promise<string | null> {
  return readFile(join(recordsFolder(beside), id, 'strategy.mjs'), 'utf8').catch(() => null)
}

/** The parameter sets of a record. Throws FILE_UNREADABLE. */
export async function readSets(beside: string, id: string): Promise<SetRecord[]> {
  const path = join(recordsFolder(beside), id, SETS_FILE)
  try {
    const lines = gunzipSync(await readFile(path)).toString().split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as SetRecord)
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    throw new BacktapeError('FILE_UNREADABLE', `Cannot read the run ${id}: ${path}: ${found}`, { file: path }, error)
  }
}

/** Curves of equity by parameter set; none of a record that keeps none, as older ones. */
export async function readCurves(beside: string, id: string): Promise<RecordedCurves> {
  try {
    const packed = await readFile(join(recordsFolder(beside), id, CURVES_FILE))
    return JSON.parse(gunzipSync(packed).toString()) as RecordedCurves
  } catch {
    return []
  }
}

async function indexOf(runs: string): Promise<Map<string, RunRecord>> {
  const text = await readFile(join(runs, INDEX_FILE), 'utf8').catch(() => '')
  const index = new Map<string, RunRecord>()
  for (const line of text.split('\n')) {
    const record = line === '' ? null : parsed(line)
    if (record !== null) index.set(record.id, record)
  }
  return index
}

async function recordOf(beside: string, id: string): Promise<RunRecord | null> {
  const text = await readFile(join(recordsFolder(beside), id, RECORD_FILE), 'utf8').catch(() => '')
  const record = parsed(text)
  return record?.id === id ? record : null
}

/** Null for what is no record of this format, such as a line that was cut. */
function parsed(text: string): RunRecord | null {
  const value = recordIn(text)
  return value?.format === RECORD_FORMAT ? (value as RunRecord) : null
}

function recordIn(text: string): { readonly format?: string } | null {
  try {
    return JSON.parse(text) as { readonly format?: string } | null
  } catch {
    return null
  }
}

/** The list of records in the folder of runs, a line each; made of the folders where it is behind. */
export const INDEX_FILE = 'index.jsonl'

/** Writes the list of records anew. Throws where the folder cannot be written. */
async function writeRunIndex(runs: string, records: readonly RunRecord[]): Promise<void> {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  await writeWholeText(join(runs, INDEX_FILE), lines, { force: true })
}
