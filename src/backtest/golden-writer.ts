import { readdir, rm, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writeWholeText } from '../files/whole-file-writer.js'
import { goldenPaths, type Golden } from './golden.js'
import { createJournalFile } from '../results/journal-file-writer.js'
import type { RunFile } from '../configuration/run-file-reader.js'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { parseNestedJson } from '../model/nested-json.js'

function unreadable(path: string, why: string, cause?: unknown): BacktapeError {
  return new BacktapeError(
    'FILE_UNREADABLE', `Cannot read the golden ${path}: ${why}; make it anew with --update`, { file: path }, cause,
  )
}

function isGolden(value: unknown): value is Golden {
  const { golden, worlds } = (value ?? {}) as Partial<Golden>
  return (
    golden === 1 &&
    Array.isArray(worlds) &&
    worlds.every((world: unknown) => Array.isArray((world as Golden['worlds'][number] | null)?.journalSegments))
  )
}

/** The golden at a path; null where there is none. Throws FILE_UNREADABLE where the file is no golden. */
export async function readGolden(path: string): Promise<Golden | null> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null
    throw unreadable(path, error instanceof Error ? error.message : String(error), error)
  }
  let value: unknown
  try {
    value = parseNestedJson(text)
  } catch (error) {
    throw unreadable(path, `it is no JSON, ${error instanceof Error ? error.message : String(error)}`, error)
  }
  if (isGolden(value)) return value
  throw unreadable(path, 'it must be an object with "golden": 1 and the worlds of a run')
}

/** True where a file stands there. */
export async function isFileThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() === true
}

/**
 * The lines of a journal, plain or `.gz`, without their line ends. Throws `refusal`, by default FILE_UNREADABLE of a
 * golden, where it is cut off or damaged.
 */
export async function* readJournalLines(
  path: string, refusal: (why: string, cause?: unknown) => BacktapeError = (why, cause) => unreadable(path, why, cause),
): AsyncGenerator<string, void, undefined> {
  let failure: unknown = null
  const file = createReadStream(path)
  const text = path.endsWith('.gz')
    ? createGunzip()
    : new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })
  // The end of a damaged stream looks like an end to who reads lines: the fault is kept and thrown behind the last
  // line.
  pipeline(file, text, (error) => (failure = error ?? null))
  const lines = createInterface({ input: text, crlfDelay: Infinity })
  text.on('error', () => lines.close())
  // Who reads no further ends the stream early, and nobody waits for what comes of it.
  lines.on('error', () => undefined)
  try {
    for await (const line of lines) yield line
  } catch (error) {
    failure ??= error
  } finally {
    file.destroy()
  }
  if (failure !== null)
    throw refusal(failure instanceof Error ? failure.message : 'it cannot be read', failure)
}

/** Takes files away that may not be there. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}

/**
 * Takes journals of a run file's golden away that none of its sets has any more; only files that the golden's own names
 * reach. Returns their paths.
 */
export async function removeStaleJournals(runFile: string, worldCount: number): Promise<readonly string[]> {
  const { golden, journals } = goldenPaths(runFile, worldCount)
  const stem = basename(golden).replace(/\.json$/, '')
  const isOne = (name: string): boolean =>
    name.startsWith(stem) && /^(?:\.\d+)?\.jsonl\.gz$/.test(name.slice(stem.length))
  const kept = journals.map((path) => basename(path))
  const stale = (await readdir(dirname(golden)))
    .filter((name) => isOne(name) && !kept.includes(name))
    .sort()
    .map((name) => join(dirname(golden), name))
  await removeFiles(stale)
  return stale
}

async function packJournal(from: string, to: string, inputs: readonly string[]): Promise<void> {
  const file = await createJournalFile(to, { force: true, inputs })
  try {
    const { sink } = file
    if ('write' in sink) for await (const line of readJournalLines(from)) sink.write(line)
    await file.commit()
  } finally {
    await file.abort()
  }
}

/** Puts the golden of a run file in its place, and packed copies of its journals, which lie ready under other names. */
export async function writeGolden(
  { path: runFile, inputs }: Pick<RunFile, 'path' | 'inputs'>, golden: Golden, journals: readonly string[],
): Promise<void> {
  const paths = goldenPaths(runFile, golden.worlds.length)
  for (const [number, journal] of journals.entries())
    await packJournal(journal, paths.journals[number] ?? journal, inputs)
  await writeWholeText(paths.golden, `${JSON.stringify(golden, null, 2)}\n`, { force: true, inputs })
}
