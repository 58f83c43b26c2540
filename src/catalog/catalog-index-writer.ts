import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../files/folder-writer.js'
import { exists, writeWholeText } from '../files/whole-file-writer.js'
import { eventLoopTurn } from '../model/event-loop-client.js'
import { DECODER_VERSION } from '../tickfile/decoder-version.js'
import { stampKey, type AuditFacts, type FileFacts } from './catalog-file.js'

/** Rises when the lines of an index change their meaning: older ones are then read as if they were not there. */
const INDEX_VERSION = 4

/** The first line of an index: audits are those of a decoder. */
const HEAD = JSON.stringify({ catalog: 'backtape', version: INDEX_VERSION, decoder: DECODER_VERSION })

/** Indexes that are kept: of folders that were looked at least recently they leave first. */
const INDEXES_MAX = 1000
/** Between so many lines others get their turn. */
const LINES_A_TURN = 1000

/** The memory of a catalog. It only saves work: without it, or with a damaged one, the files are read again. */
export interface CatalogMemory {
  /** Facts by the state of their file. */
  readonly files: Map<string, FileFacts>
  /** SHA-256 of tick files by their name and the state of the file that they lie in; empty for one not read. */
  readonly digests: Map<string, string>
  /** Audits by the file name of the tick file and its digest. */
  readonly audits: Map<string, AuditFacts>
}

type IndexLine =
  | { readonly file: FileFacts }
  | { readonly digest: string; readonly of: string }
  | { readonly audit: string; readonly facts: AuditFacts }

function isFacts(value: unknown): value is FileFacts {
  const facts = value as Partial<FileFacts> | null
  return typeof facts?.stamp?.path === 'string' && Array.isArray(facts.ticks)
}

function take(line: IndexLine, memory: CatalogMemory): void {
  if ('file' in line) {
    if (isFacts(line.file)) memory.files.set(stampKey(line.file.stamp), line.file)
  } else if ('audit' in line) memory.audits.set(line.audit, line.facts)
  else if (/^[0-9a-f]{64}$/.test(line.digest)) memory.digests.set(line.of, line.digest)
}

/** The index of a catalog of these folders, among the indexes of a cache. */
export function indexPath(cacheFolder: string, folders: readonly string[]): string {
  const hash = createHash('sha256').update(folders.map((folder) => resolve(folder)).join('\n')).digest('hex')
  return join(cacheFolder, 'indexes', `${hash.slice(0, 24)}.jsonl`)
}

/** The memory of an index; an empty one where there is none, or none of this version. */
export async function readMemory(path: string): Promise<CatalogMemory> {
  const memory: CatalogMemory = { files: new Map(), digests: new Map(), audits: new Map() }
  const text = await readFile(path, 'utf8').catch(() => '')
  const [head, ...lines] = text.split('\n')
  if (head !== HEAD) return memory
  for (const line of lines) {
    try {
      if (line !== '') take(JSON.parse(line) as IndexLine, memory)
    } catch {
      // A line that is none is forgotten: its file is read again.
    }
  }
  return memory
}

/** Removes the indexes that were written least recently. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'))
  if (names.length <= INDEXES_MAX) return
  const files = await Promise.all(names.map(async (name) => {
    const path = join(folder, name)
    return { path, atMs: (await stat(path)).mtimeMs }
  }))
  files.sort((a, b) => a.atMs - b.atMs)
  for (const { path } of files.slice(0, files.length - INDEXES_MAX)) await rm(path, { force: true })
}

/**
 * Writes the memory, one JSON object a line. Returns false where it cannot be written: then the catalog reads the files
 * again next time, and nothing else is lost.
 */
export async function writeMemory(path: string, memory: CatalogMemory): Promise<boolean> {
  const lines: IndexLine[] = [
    ...[...memory.files.values()].map((file) => ({ file })),
    ...[...memory.digests].flatMap(([of, digest]) => (digest === '' ? [] : [{ digest, of }])),
    ...[...memory.audits].map(([audit, facts]) => ({ audit, facts })),
  ]
  try {
    await makeFolder(dirname(path))
    const isNew = !(await exists(path))
    const texts = [HEAD]
    for (const line of lines) {
      texts.push(JSON.stringify(line))
      if (texts.length % LINES_A_TURN === 0) await eventLoopTurn()
    }
    await writeWholeText(path, `${texts.join('\n')}\n`, { force: true })
    if (isNew) await removeOldest(dirname(path))
    return true
  } catch {
    return false
  }
}
