import { appendFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeFolder } from '../files/folder-writer.js'
import { outputError, systemCode } from '../files/output-fault.js'
import {
  CURVES_FILE, INDEX_FILE, RECORD_FILE, recordsFolder, REPORT_FILE, SETS_FILE, type RecordedCurves,
} from './run-records-reader.js'
import { reportDataPath } from './report-data-path.js'
import type { ReportTexts } from './run-report-writer.js'
import type { RunRecord, SetRecord } from './run-record.js'

/** Everything that a record's folder gets. */
export interface NewRecord {
  readonly record: RunRecord
  readonly sets: readonly SetRecord[]
  /** The resolved run file. */
  readonly configuration: object
  /** The strategy as bundled; null where its code is not known. */
  readonly strategy: string | null
  /** Curves of equity by set; none where there are too many sets. */
  readonly curves?: RecordedCurves
  /** The report, where it was asked for. */
  readonly report?: ReportTexts
}

const PART = '.part-'
/** Unfinished records of commands that were killed are removed after a day. */
const PART_MS = 86_400_000
/** Runs of one second with one fingerprint that get names of their own. */
const TWIN_LIMIT = 999

/**
 * Writes a record beside a run file: a folder that gets its name when it is whole, and a line of the index. Returns the
 * record's folder. Throws OUTPUT_FAILED.
 */
export async function writeRunRecord(beside: string, content: NewRecord): Promise<string> {
  const runs = recordsFolder(beside)
  await makeFolder(runs)
  try {
    await removeParts(runs)
    const part = await newPart(runs)
    try {
      return await named(runs, part, content)
    } catch (error) {
      await rm(part, { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    throw outputError(runs, error)
  }
}

async function named(runs: string, part: string, content: NewRecord): Promise<string> {
  const { sets, configuration, strategy, curves = [], report } = content
  await writeFile(join(part, 'configuration.json'), `${JSON.stringify(configuration, null, 2)}\n`)
  if (strategy !== null) await writeFile(join(part, 'strategy.mjs'), strategy)
  await writeFile(join(part, SETS_FILE), gzipSync(sets.map((set) => `${JSON.stringify(set)}\n`).join('')))
  if (curves.length > 0) await writeFile(join(part, CURVES_FILE), gzipSync(JSON.stringify(curves)))
  if (report !== undefined) {
    await writeFile(join(part, REPORT_FILE), report.page)
    await writeFile(join(part, reportDataPath(REPORT_FILE)), report.data)
  }
  for (let twin = 1; twin <= TWIN_LIMIT; twin++) {
    const record = twin === 1 ? content.record : { ...content.record, id: `${content.record.id}-${twin}` }
    const folder = join(runs, record.id)
    if ((await stat(folder).catch(() => null)) !== null) continue
    await writeFile(join(part, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`)
    try {
      await rename(part, folder)
    } catch (error) {
      // Another process has taken the name since.
      if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(systemCode(error))) continue
      throw error
    }
    // A line that is lost or cut is made again of its folder.
    await appendFile(join(runs, INDEX_FILE), `${JSON.stringify(record)}\n`)
    return folder
  }
  throw new Error(`there are ${TWIN_LIMIT} records of this second`)
}

/** A folder of this process; the name may be of an ended one that had the same number. */
async function newPart(runs: string): Promise<string> {
  for (let count = 1; ; count++) {
    const path = join(runs, `${PART}${process.pid}-${count}`)
    try {
      await mkdir(path)
      return path
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || count === TWIN_LIMIT) throw error
    }
  }
}

async function removeParts(runs: string): Promise<void> {
  const oldest = Date.now() - PART_MS
  for (const name of await readdir(runs)) {
    if (!name.startsWith(PART)) continue
    const path = join(runs, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && found.mtimeMs < oldest) await rm(path, { recursive: true, force: true })
  }
}
