import { join } from 'node:path'
import { writeWholeText } from '../files/whole-file-writer.js'
import type { RunRecord } from './run-record.js'

/** The list of records in the folder of runs, a line each; made of the folders where it is behind. */
export const INDEX_FILE = 'index.jsonl'

/** Writes the list of records anew. Throws where the folder cannot be written. */
export async function writeRunIndex(runs: string, records: readonly RunRecord[]): Promise<void> {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  await writeWholeText(join(runs, INDEX_FILE), lines, { force: true })
}
