import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pipeline, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BacktapeError } from '../model/error.js'
import { parseNestedJson } from '../model/nested-json.js'
import type { Golden } from './golden.js'

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
 * The lines of a journal, plain or `.gz`, without their line ends. Throws FILE_UNREADABLE where it is cut off or
 * damaged.
 */
export async function* readJournalLines(path: string): AsyncGenerator<string, void, undefined> {
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
  try {
    for await (const line of lines) yield line
  } catch (error) {
    failure ??= error
  } finally {
    file.destroy()
  }
  if (failure !== null)
    throw unreadable(path, failure instanceof Error ? failure.message : 'it cannot be read', failure)
}
