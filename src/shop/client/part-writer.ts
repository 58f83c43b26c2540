import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { outputError, systemCode } from '../../files/output-fault.js'
import { publishNew, writeWholeText } from '../../files/whole-file-writer.js'
import { isJsonObject } from '../../model/json-object.js'
import { BlockWriter } from './block-writer.js'

/** A version of a file at the shop: its length and the headers that tell it from others. */
export interface FileVersion {
  readonly sizeBytes: number
  /** `ETag`; null: none. */
  readonly etag: string | null
  /** `Last-Modified`; null: none. */
  readonly date: string | null
}

const READ_BYTES = 1 << 20

/**
 * The part of a file that has come: `NAME.part`, beside it `NAME.part.json` with the version that it is of and the
 * length that is surely on the disk. Every failure of the disk is OUTPUT_FAILED.
 */
export class PartFile {
  /** Bytes that were taken. */
  positionBytes = 0
  /** The version that the bytes are of; null: none that could be resumed. */
  version: FileVersion | null = null
  #syncedBytes = -1
  readonly #blocks: BlockWriter

  private constructor(readonly path: string, private readonly handle: FileHandle) {
    this.#blocks = new BlockWriter(handle)
  }

  /** Opens the part of a file, with what an earlier attempt left where that is sound. */
  static async open(path: string): Promise<PartFile> {
    return guarded(path, async () => {
      const handle = await open(`${path}.part`, 'r+').catch(async (error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error
        return open(`${path}.part`, 'wx+')
      })
      const part = new PartFile(path, handle)
      const kept = keptOf(await readFile(`${path}.part.json`, 'utf8').catch(() => ''))
      if (kept === null || (await handle.stat()).size < kept.syncedBytes) return part
      part.version = kept.version
      part.positionBytes = kept.syncedBytes
      part.#syncedBytes = kept.syncedBytes
      return part
    })
  }

  /** Where the bytes lie. */
  get partPath(): string {
    return `${this.path}.part`
  }

  /** Writes what was taken, and takes away what lies behind it. */
  async trim(): Promise<void> {
    await guarded(this.path, async () => {
      await this.#blocks.flush()
      await this.handle.truncate(this.positionBytes)
    })
  }

  /** Forgets what has come. */
  async restart(version: FileVersion | null): Promise<void> {
    await this.#blocks.drop()
    await guarded(this.path, async () => {
      // In this order: a length that is stated is always there.
      await rm(`${this.path}.part.json`, { force: true })
      if ((await this.handle.stat()).size > 0) await this.handle.truncate(0)
    })
    this.positionBytes = 0
    this.#syncedBytes = -1
    this.version = version
  }

  /** Takes bytes: they are written in blocks. */
  async write(bytes: Uint8Array): Promise<void> {
    await guarded(this.path, () => this.#blocks.write(bytes, this.positionBytes))
    this.positionBytes += bytes.length
  }

  /** Writes what was taken, flushes it to the disk, and states its length. */
  async sync(): Promise<void> {
    await guarded(this.path, () => this.#blocks.flush())
    const { version, positionBytes: syncedBytes } = this
    if (version === null || this.#syncedBytes === syncedBytes) return
    await guarded(this.path, () => this.handle.sync())
    await writeWholeText(`${this.path}.part.json`, `${JSON.stringify({ ...version, syncedBytes })}\n`, { force: true })
    this.#syncedBytes = syncedBytes
  }

  /** The bytes that were taken, from the first. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    await guarded(this.path, () => this.#blocks.flush())
    const buffer = new Uint8Array(READ_BYTES)
    for (let at = 0; at < this.positionBytes;) {
      const length = Math.min(buffer.length, this.positionBytes - at)
      const { bytesRead } = await guarded(this.path, () => this.handle.read(buffer, 0, length, at))
      if (bytesRead === 0) throw outputError(`${this.path}.part`, new Error('it became shorter'))
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }

  /** Gives the file its name. Throws OUTPUT_EXISTS without `force` where it is taken. */
  async publish(force: boolean): Promise<void> {
    await guarded(this.path, async () => {
      await this.handle.truncate(this.positionBytes)
      await this.handle.sync()
      if (force) await rename(`${this.path}.part`, this.path)
      else await publishNew(`${this.path}.part`, this.path)
      await rm(`${this.path}.part.json`, { force: true })
    })
  }

  /** Leaves the bytes as `NAME.bad`. */
  async condemn(): Promise<void> {
    await guarded(this.path, async () => {
      await rm(`${this.path}.part.json`, { force: true })
      await rename(`${this.path}.part`, `${this.path}.bad`)
    })
  }

  /** Closes the file; one of which nothing can be resumed is removed. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined)
    const isKept = await stat(`${this.path}.part.json`).then(() => true, () => false)
    if (!isKept) await rm(`${this.path}.part`, { force: true }).catch(() => undefined)
  }
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw outputError(path, error)
  }
}

/** The content of a `NAME.part.json`; null where it does not say what is there. */
function keptOf(text: string): { readonly version: FileVersion, readonly syncedBytes: number } | null {
  const { sizeBytes, etag, date, syncedBytes } = jsonObject(text)
  const isVersion = isLength(sizeBytes) && (etag === null || typeof etag === 'string')
    && (date === null || typeof date === 'string') && (etag ?? date) !== null
  if (!isVersion || !isLength(syncedBytes) || syncedBytes > sizeBytes) return null
  return { version: { sizeBytes, etag, date }, syncedBytes }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
