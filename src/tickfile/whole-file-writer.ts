import { type FileHandle, open, link, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BacktapeError } from '../model/error.js'

/** How an output file is created. */
export interface WholeFileOptions {
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
}

/** An output that is whole or absent: bytes go to a temporary name in the same folder, `commit` renames it. */
export interface WholeFile {
  /** Where the file will be. */
  readonly path: string
  /** Where its bytes lie until then; for writers that need a path of their own. */
  readonly temporaryPath: string
  /** Appends bytes. They may be reused once the promise has settled. */
  write(bytes: Uint8Array): Promise<void>
  /** Flushes to the disk and gives the file its name. */
  commit(): Promise<void>
  /** Gives what there is another name in the same folder, over what has that name: a part that must not be taken for the whole. */
  commitPart(path: string): Promise<void>
  /** Removes the temporary file; harmless after `commit`. */
  abort(): Promise<void>
}

/** What a temporary name looks like: `.NAME.backtape-part-PID-NUMBER`. */
const TEMPORARY_NAME = /^\..*\.backtape-part-(\d+)-\d+$/s

let temporaryCount = 0

/** The process that wrote a temporary file of ours, or null where the name is not one of ours. A killed process leaves such names behind. */
export function temporaryOwner(name: string): number | null {
  const pid = TEMPORARY_NAME.exec(basename(name))?.[1]
  return pid === undefined ? null : Number(pid)
}

/** Whether the process that wrote a temporary file still runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** What killed processes left of this very output. Those of our own number may be another thread's: they stay. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const owner = name.startsWith(`.${basename(path)}.backtape-part-`) ? temporaryOwner(name) : null
    if (owner !== null && owner !== process.pid && !isAlive(owner)) await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function codeOf(cause: unknown): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null
  return typeof code === 'string' ? code : ''
}

function existsError(path: string): BacktapeError {
  return new BacktapeError('OUTPUT_EXISTS', `Cannot write ${path}: it exists; choose another name or ask to overwrite it with --force`, { file: path })
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space or choose another folder',
  EDQUOT: 'the disk quota is used up; free some space or choose another folder',
  EROFS: 'the file system is read-only; choose another folder',
  EACCES: 'permission denied; make its folder writable or choose another one',
  EPERM: 'permission denied; make its folder writable or choose another one',
  ENOENT: 'its folder does not exist; create it first',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file with this name stands where the folder should be; choose another name',
}

/** Turns the system's refusal of an output into one sentence that says what to do; a BacktapeError passes through. */
export function outputError(path: string, cause: unknown): BacktapeError {
  if (cause instanceof BacktapeError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = ADVICE[codeOf(cause)] ?? `the system says ${reason}`
  return new BacktapeError('OUTPUT_FAILED', `Cannot write ${path}: ${advice}`, { file: path, found: reason.slice(0, 80) }, cause)
}

/** Exclusive: a hard link never replaces, so of two processes one fails. Where the file system has no links, a check has to do. */
async function publishNew(temporaryPath: string, path: string): Promise<void> {
  try {
    await link(temporaryPath, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existsError(path)
    if (await exists(path)) throw existsError(path)
    await rename(temporaryPath, path)
    return
  }
  await rm(temporaryPath, { force: true })
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** So that the name survives a power cut too; not every system can open a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => null)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten
}

class WholeFileWriter implements WholeFile {
  private open = true

  constructor(
    readonly path: string,
    readonly temporaryPath: string,
    private readonly handle: FileHandle,
    private readonly force: boolean,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    await this.guarded(() => writeFully(this.handle, bytes))
  }

  async commit(): Promise<void> {
    await this.guarded(async () => {
      await this.handle.sync()
      await this.handle.close()
      if (this.force) await rename(this.temporaryPath, this.path)
      else await publishNew(this.temporaryPath, this.path)
      this.open = false
      await syncFolder(this.path)
    })
  }

  async commitPart(path: string): Promise<void> {
    await this.guarded(async () => {
      await this.handle.sync()
      await this.handle.close()
      await rename(this.temporaryPath, path)
      this.open = false
    })
  }

  async abort(): Promise<void> {
    if (!this.open) return
    this.open = false
    await this.handle.close().catch(() => undefined)
    await rm(this.temporaryPath, { force: true }).catch(() => undefined)
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    if (!this.open) throw new BacktapeError('OUTPUT_FAILED', `Cannot write ${this.path}: it is closed already`, { file: this.path })
    try {
      await work()
    } catch (error) {
      await this.abort()
      throw outputError(this.path, error)
    }
  }
}

/**
 * Creates an output file that nobody sees before it is whole. Throws OUTPUT_EXISTS at once where `path` exists and `force` is not set, and
 * again from `commit` where another process was faster; OUTPUT_FAILED with the system's reason for everything else. After an error
 * the temporary file is gone; what a killed process left of the same output goes when it is created again.
 */
export async function createWholeFile(path: string, options: WholeFileOptions = {}): Promise<WholeFile> {
  const force = options.force === true
  const standing = await stat(path).catch(() => null)
  if (standing?.isDirectory() === true) throw outputError(path, Object.assign(new Error('it is a folder'), { code: 'EISDIR' }))
  if (standing !== null && !force) throw existsError(path)
  await removeLeftovers(path)
  for (;;) {
    const temporaryPath = join(dirname(path), `.${basename(path)}.backtape-part-${String(process.pid)}-${String(temporaryCount++)}`)
    try {
      return new WholeFileWriter(path, temporaryPath, await open(temporaryPath, 'wx'), force)
    } catch (error) {
      // A killed process with our number may have left this name.
      if (codeOf(error) !== 'EEXIST') throw outputError(path, error)
    }
  }
}
