import { open, mkdir, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Stats } from 'node:fs'
import { BacktapeError } from '../model/error.js'
import type { StopSignal } from '../model/stop-signal.js'
import { isFolder, makeFolder } from './folder-writer.js'
import { removeEnded } from './leftover-writer.js'
import { outputError, systemCode } from './output-fault.js'
import { createExclusiveFile } from './whole-file-writer.js'

const SECRET_BYTES_MAX = 16 * 1024 * 1024
const OWN_FILE = 0o600
const OWN_FOLDER = 0o700
const OF_OTHERS = 0o077

/**
 * The text of a file of secrets; null where there is none. What a process that was killed left beside it unfinished,
 * secrets too, goes. Throws SECRETS_EXPOSED where another user can read the file or its folder, or is its owner;
 * FILE_UNREADABLE, LIMIT_EXCEEDED over 16 MiB.
 */
export async function readSecretFile(path: string): Promise<string | null> {
  const folder = await stat(dirname(path)).catch(() => null)
  if (folder === null) return null
  refuseExposed(dirname(path), folder, OWN_FOLDER)
  await removeEnded(path)
  return readOwnFile(path)
}

/**
 * The text of a file that its user alone can read, wherever it lies; null where there is none. Throws SECRETS_EXPOSED
 * where another user can read it, or is its owner; FILE_UNREADABLE, LIMIT_EXCEEDED over 16 MiB.
 */
export async function readOwnFile(path: string): Promise<string | null> {
  try {
    const file = await open(path)
    try {
      return await secretText(file, path)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    if (error instanceof BacktapeError) throw error
    const sentence = `Cannot read ${path}: ${systemCode(error) || 'it failed'}`
    throw new BacktapeError('FILE_UNREADABLE', sentence, { file: path }, error)
  }
}

async function secretText(file: FileHandle, path: string): Promise<string> {
  const found = await file.stat()
  if (!found.isFile()) {
    const sentence = `Cannot read ${path}: it must be a plain file`
    throw new BacktapeError('FILE_UNREADABLE', sentence, { file: path, expected: 'a plain file' })
  }
  refuseExposed(path, found, OWN_FILE)
  if (found.size <= SECRET_BYTES_MAX) return file.readFile('utf8')
  const sentence = `Cannot read ${path}: it is over the limit of ${SECRET_BYTES_MAX} bytes`
  throw new BacktapeError('LIMIT_EXCEEDED', sentence, { file: path, expected: `at most ${SECRET_BYTES_MAX} bytes` })
}

/** Windows has no such bits: there the folder of the user protects its files. */
function refuseExposed(path: string, found: Stats, wanted: number): void {
  if (process.platform === 'win32') return
  const mode = found.mode & 0o777
  const isForeign = found.uid !== process.getuid?.()
  if (!isForeign && (mode & OF_OTHERS) === 0) return
  const expected = wanted.toString(8)
  const was = isForeign ? `the owner ${found.uid}` : mode.toString(8).padStart(3, '0')
  const advice = `${isForeign ? 'chown' : `chmod ${expected}`} ${JSON.stringify(path)}`
  const sentence = `Cannot use ${path}: it holds secrets, and others can read or change it (${was}); look at it, ` +
    `then run: ${advice}`
  throw new BacktapeError('SECRETS_EXPOSED', sentence, { file: path, expected: `mode ${expected}`, found: was })
}

/** The change of a file of secrets. */
export interface SecretChange<T> {
  /** The new text; null: the file stays as it is. */
  readonly text: string | null
  readonly result: T
}

/**
 * Changes a file of secrets, which is on the disk when this resolves: one process at a time, whole or not at all, for
 * the user alone (folder 0700, file 0600). Throws as {@link readSecretFile} does, OUTPUT_FAILED, STOPPED.
 */
export async function changeSecretFile<T>(
  path: string, change: (text: string | null) => SecretChange<T>, signal?: StopSignal,
): Promise<T> {
  await makeOwnFolder(dirname(path))
  // Before the turn: a folder that others can read gets no file.
  await readSecretFile(path)
  const file = await createExclusiveFile(path, { signal, mode: OWN_FILE })
  try {
    const { text, result } = change(await readSecretFile(path))
    if (text !== null) {
      await file.write(new TextEncoder().encode(text))
      await file.commit()
    }
    return result
  } finally {
    await file.abort()
  }
}

async function makeOwnFolder(path: string): Promise<void> {
  if (await isFolder(path)) return
  await makeFolder(dirname(path))
  try {
    await mkdir(path, { mode: OWN_FOLDER })
  } catch (error) {
    if (!(await isFolder(path))) throw outputError(path, error)
  }
}
