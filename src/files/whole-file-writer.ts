import { fsyncSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BacktapeError } from '../model/error.js'
import { refuseStopped, type StopSignal } from '../model/stop-signal.js'
import { isFolder } from './folder-writer.js'
import { keepFresh } from './heartbeat-client.js'
import { removeLeftovers, LEFTOVER_MS, partName, partOwner } from './leftover-writer.js'
import { barrenError, existsError, outputError, systemCode } from './output-fault.js'
import { checkOutputPlace, type InputFiles } from './output-place-reader.js'
import { whileUnfinished } from './unfinished-writer.js'

/** The options of a new output file. */
export interface WholeFileOptions extends InputFiles {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /**
   * Leave unfinished files of ended processes where they are, as whoever entered the folder has removed them; default
   * false.
   */
  readonly isSwept?: boolean
  /** Permissions of the new file; default: those of the process. */
  readonly mode?: number
}

/** An output that is whole or absent: bytes go to a temporary name in the same folder, `commit` renames it. */
export interface WholeFile {
  /** Where the file will be. */
  readonly path: string
  /** Where its bytes lie until then; for writers that need a path of their own. */
  readonly temporaryPath: string
  /** Appends bytes. They may be reused once the promise has settled. */
  write(bytes: Uint8Array): Promise<void>
  /** Flushes to the disk, so that `commit` need not; no more bytes are taken. */
  sync(): Promise<void>
  /**
   * Flushes to the disk and gives the file its name. Throws OUTPUT_FAILED where another process has taken it for a
   * leftover.
   */
  commit(): Promise<void>
  /** Gives a file its name as `commit` does, but leaves it to the caller to flush the folder. */
  publish(): Promise<void>
  /**
   * Gives what there is another name in the same folder, over what has that name: a part that must not be taken for the
   * whole. It waits for nothing, so that a process which ends at once can keep it too. Throws OUTPUT_FAILED.
   */
  commitPart(path: string): void
  /** Removes the temporary file; harmless after `commit`. */
  abort(): Promise<void>
}

/**
 * Gives a file its name where nothing has it, else throws OUTPUT_EXISTS: a hard link never replaces, so of two
 * processes one fails. Where the file system has no links, a check has to do.
 */
export async function publishNew(temporaryPath: string, path: string): Promise<void> {
  try {
    await link(temporaryPath, path)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw existsError(path)
    if (systemCode(error) === 'ENOENT') throw error
    if (await exists(path)) throw existsError(path)
    await rename(temporaryPath, path)
    return
  }
  await rm(temporaryPath, { force: true })
}

/** True where anything stands at a path. */
export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Flushes the names of a folder, so that they survive a power cut too; not every system can open a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten
}

class WholeFileWriter implements WholeFile {
  private readonly release: () => void
  private state: 'open' | 'synced' | 'closed' = 'open'

  constructor(
    readonly path: string,
    readonly temporaryPath: string,
    private readonly handle: FileHandle,
    private readonly force: boolean,
  ) {
    const releases = [keepFresh(temporaryPath), whileUnfinished(() => { rmSync(temporaryPath, { force: true }) })]
    this.release = (): void => {
      for (const release of releases) release()
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.state === 'synced') throw this.closedError()
    await this.guarded(() => writeFully(this.handle, bytes))
  }

  async sync(): Promise<void> {
    if (this.state === 'synced') return
    await this.guarded(async () => {
      await this.handle.sync()
      await this.handle.close()
      this.state = 'synced'
    })
  }

  async commit(): Promise<void> {
    await this.publish()
    await syncFolder(dirname(this.path))
  }

  async publish(): Promise<void> {
    await this.sync()
    await this.guarded(async () => {
      // The unfinished file is its own lock: one that was taken away cannot be linked or renamed.
      if (this.force) await rename(this.temporaryPath, this.path)
      else await publishNew(this.temporaryPath, this.path)
      this.close()
    })
  }

  commitPart(path: string): void {
    if (this.state !== 'open') throw this.closedError()
    this.close()
    try {
      fsyncSync(this.handle.fd)
      renameSync(this.temporaryPath, path)
    } catch (error) {
      rmSync(this.temporaryPath, { force: true })
      throw outputError(path, error)
    } finally {
      void this.handle.close().catch(() => undefined)
    }
  }

  async abort(): Promise<void> {
    if (this.state === 'closed') return
    const isOpen = this.state === 'open'
    this.close()
    if (isOpen) await this.handle.close().catch(() => undefined)
    await rm(this.temporaryPath, { force: true }).catch(() => undefined)
  }

  private close(): void {
    this.state = 'closed'
    this.release()
  }

  private closedError(): BacktapeError {
    return new BacktapeError('OUTPUT_FAILED', `Cannot write ${this.path}: it is closed already`, { file: this.path })
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    if (this.state === 'closed') throw this.closedError()
    try {
      await work()
    } catch (error) {
      const lost = systemCode(error) === 'ENOENT' ? lostError(this.path, error) : null
      await this.abort()
      throw lost ?? outputError(this.path, error)
    }
  }
}

function lostError(path: string, error: unknown): BacktapeError {
  const cause = 'another process took it for a leftover, as this one slept or stood still, or somebody removed it'
  const sentence = `Cannot write ${path}: its unfinished file is gone; ${cause}; run it again`
  return new BacktapeError('OUTPUT_FAILED', sentence, { file: path }, error)
}

/**
 * Creates an output file that nobody sees before it is whole. Throws OUTPUT_EXISTS at once where `path` exists and
 * `force` is not set or it is one of `inputs`, and again from `commit` where another process was faster; OUTPUT_FAILED
 * with the system's reason for everything else. After an error the temporary file is gone; what an ended process left
 * of the same output goes when it is created again.
 */
export async function createWholeFile(path: string, options: WholeFileOptions = {}): Promise<WholeFile> {
  await checkOutputPlace(path, options)
  const temporaryPath = join(dirname(path), partName(basename(path)))
  const handle = await open(temporaryPath, 'wx', options.mode).catch(async (error: unknown) => {
    const parent = dirname(path)
    const isBarren = systemCode(error) === 'ENOENT' && (await isFolder(parent))
    throw isBarren ? barrenError(path, parent, 'file', error) : outputError(path, error)
  })
  if (options.isSwept !== true) await removeLeftovers(temporaryPath, { of: path })
  return new WholeFileWriter(path, temporaryPath, handle, options.force === true)
}

/**
 * Gives several files their names with one flush a folder. All are on the disk before the first gets its name. Returns
 * the error of each file that has not got its name, in their order; null for the others.
 */
export async function commitWholeFiles(files: readonly WholeFile[]): Promise<(BacktapeError | null)[]> {
  const outcomes = await Promise.all(
    files.map((file) =>
      file.sync().then(
        () => null,
        (error: unknown) => outputError(file.path, error),
      ),
    ),
  )
  for (const [index, file] of files.entries()) {
    if (outcomes[index] !== null) continue
    outcomes[index] = await file.publish().then(
      () => null,
      (error: unknown) => outputError(file.path, error),
    )
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) await syncFolder(folder)
  return outcomes
}

/** Writes a text as a whole file: in its place at once, or not at all. */
export async function writeWholeText(path: string, text: string, options: WholeFileOptions = {}): Promise<void> {
  const file = await createWholeFile(path, options)
  try {
    await file.write(new TextEncoder().encode(text))
    await file.commit()
  } finally {
    await file.abort()
  }
}

const PAUSE_MS = 10
/** A turn lasts milliseconds. Whoever died elsewhere in the middle of one is a leftover after {@link LEFTOVER_MS}. */
const WAIT_LIMIT_MS = LEFTOVER_MS + 60_000

/** Names of the unfinished files of the same output that are not this one. */
async function othersOf(file: WholeFile): Promise<string[]> {
  const own = basename(file.temporaryPath)
  const prefix = `.${basename(file.path)}.backtape-part-`
  const names = await readdir(dirname(file.path))
  return names.filter((name) => name !== own && name.startsWith(prefix) && partOwner(name) !== null)
}

/** The wait of a process for its turn. */
export interface TurnOptions {
  /** Longest wait; default eleven minutes. Infinity where a turn lasts as long as its work. */
  readonly waitLimitMs?: number
  /** Ends the wait. */
  readonly signal?: StopSignal | undefined
  /** Permissions of the new file; default: those of the process. */
  readonly mode?: number
}

function waitedError(path: string, other: string, waitedMs: number): BacktapeError {
  const minutes = String(Math.floor(waitedMs / 60_000))
  const sentence = `Cannot write ${path}: another process has been writing it for ${minutes} minutes; end it and ` +
    'run this again'
  return new BacktapeError('OUTPUT_FAILED', sentence, { file: path, found: other.slice(0, 80) })
}

/**
 * Creates the next version of a file that several processes change: returns once no other process has an unfinished
 * one, so what is read then stays as it is until `commit`, which ends the turn, as `abort` does. The unfinished file is
 * the lock: each process makes its own, then looks; of two that see each other the larger name steps back. What an
 * ended process left is removed, and a process whose file was taken for a leftover fails in `commit`. Throws
 * OUTPUT_FAILED, STOPPED.
 */
export async function createExclusiveFile(
  path: string, { waitLimitMs = WAIT_LIMIT_MS, signal, mode }: TurnOptions = {},
): Promise<WholeFile> {
  const options = { force: true, ...(mode === undefined ? {} : { mode }) }
  let file = await createWholeFile(path, options)
  try {
    for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
      const [other, ...more] = await othersOf(file)
      if (other === undefined) return file
      if (waitedMs >= waitLimitMs) throw waitedError(path, other, waitedMs)
      refuseStopped(signal, path)
      const own = basename(file.temporaryPath)
      const isFirst = [other, ...more].every((name) => own < name)
      // Making the file anew also looks for leftovers; whoever is first keeps its place, and does so now and then.
      if (!isFirst || waitedMs % 1000 === 990) await file.abort()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      if (!isFirst || waitedMs % 1000 === 990) file = await createWholeFile(path, options)
    }
  } catch (error) {
    await file.abort()
    throw error
  }
}
