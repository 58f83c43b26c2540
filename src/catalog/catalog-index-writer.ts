import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../files/folder-writer.js'
import { writeWholeText } from '../files/whole-file-writer.js'
import { stampKey, type AuditFacts, type FileFacts } from './catalog-file.js'

/** Rises when the lines of an index change their meaning: older ones are then read as if they were not there. */
const INDEX_VERSION = 1

/** The memory of a catalog. It only saves work: without it, or with a damaged one, the files are read again. */
export interface CatalogMemory {
  /** Facts by the state of their file. */
  readonly files: Map<string, FileFacts>
  /** Audits by the name of the tick file and the state of the file that it lies in. */
  readonly audits: Map<string, AuditFacts>
  /** States of tables whose checksum was found right. */
  readonly checked: Set<string>
}

type IndexLine =
  | { readonly file: FileFacts }
  | { readonly audit: string; readonly facts: AuditFacts }
  | { readonly checked: string }

function isFacts(value: unknown): value is FileFacts {
  const facts = value as Partial<FileFacts> | null
  return typeof facts?.stamp?.path === 'string' && Array.isArray(facts.ticks)
}

function take(line: IndexLine, memory: CatalogMemory): void {
  if ('file' in line) {
    if (isFacts(line.file)) memory.files.set(stampKey(line.file.stamp), line.file)
  } else if ('audit' in line) memory.audits.set(line.audit, line.facts)
  else if (typeof line.checked === 'string') memory.checked.add(line.checked)
}

const indexPath = (folder: string): string => join(folder, 'index.jsonl')

/** The memory that lies in a folder; an empty one where there is none, or none of this version. */
export async function readMemory(folder: string): Promise<CatalogMemory> {
  const memory: CatalogMemory = { files: new Map(), audits: new Map(), checked: new Set() }
  const text = await readFile(indexPath(folder), 'utf8').catch(() => '')
  const [head, ...lines] = text.split('\n')
  if (head !== JSON.stringify({ catalog: 'backtape', version: INDEX_VERSION })) return memory
  for (const line of lines) {
    try {
      if (line !== '') take(JSON.parse(line) as IndexLine, memory)
    } catch {
      // A line that is none is forgotten: its file is read again.
    }
  }
  return memory
}

/**
 * Writes the memory, one JSON object a line. Returns false where the folder cannot be written: then the catalog reads
 * the files again next time, and nothing else is lost.
 */
export async function writeMemory(folder: string, memory: CatalogMemory): Promise<boolean> {
  const lines: IndexLine[] = [
    ...[...memory.files.values()].map((file) => ({ file })),
    ...[...memory.audits].map(([audit, facts]) => ({ audit, facts })),
    ...[...memory.checked].map((checked) => ({ checked })),
  ]
  const head = JSON.stringify({ catalog: 'backtape', version: INDEX_VERSION })
  try {
    await makeFolder(folder)
    const text = [head, ...lines.map((line) => JSON.stringify(line)), ''].join('\n')
    await writeWholeText(indexPath(folder), text, { force: true })
    return true
  } catch {
    return false
  }
}
