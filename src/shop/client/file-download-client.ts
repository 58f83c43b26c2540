import { join } from 'node:path'
import { makeFolder } from '../../files/folder-writer.js'
import { checkOutputPlace } from '../../files/output-place-reader.js'
import { HeadGate, type ByteCheck, type ShopFileKind } from './byte-check.js'
import { fileAnswer, isSameVersion, type AskedPart, type FileAnswer } from './file-answer.js'
import { PartFile, type FileVersion } from './part-writer.js'
import type { OpenedBody, ShopAsker } from './shop-asker-client.js'
import type { ShopCall } from './shop-call.js'
import { ServerWords, shopError, wrongLength } from './shop-failure.js'

/** The download of one file. */
export interface FileDownload {
  /** The call that the bytes answer. */
  readonly call: ShopCall
  /** The folder of the file, which is made where it is missing. */
  readonly folder: string
  /** The name of the file, of `shopFileName`. */
  readonly name: string
  readonly kind: ShopFileKind
  /** Looks at the bytes; none: they are taken as they are. */
  readonly check?: ByteCheck
  /** The length in bytes that was bought: a file of another length is damaged. Absent: any length is taken. */
  readonly wantedBytes?: number
  /** Overwrite what exists; default false: OUTPUT_EXISTS. */
  readonly force?: boolean
  /** A connection ends where nothing comes for so long, milliseconds; default 60 s. */
  readonly stallMs?: number
  /** So many bytes are flushed to the disk at a time; default 64 MiB. */
  readonly syncBytes?: number
  /** Receives the bytes that are there, and the length of the file where it is known. */
  readonly onBytes?: (doneBytes: number, sizeBytes: number | null) => void
  /** Called when the file is whole and checked, before it gets its name. */
  readonly beforePublish?: (sizeBytes: number) => Promise<void>
}

/** A file that is whole and checked. */
export interface DownloadedFile {
  readonly path: string
  readonly sizeBytes: number
}

const STALL_MS = 60_000
const SYNC_BYTES = 64 * 1024 * 1024

/**
 * Downloads a file: the part that is there is resumed, the bytes are checked, and the file gets its name when it is
 * whole. A part of another version, or one that the shop cannot go on with, begins anew. A resumed file that fails its
 * check, and any of another length than was bought, is fetched anew once; a damaged file stays as `NAME.bad`. Throws
 * what `ShopAsker.ask` and the check throw, SHOP_FILE_WRONG for another length, OUTPUT_EXISTS and OUTPUT_FAILED; what
 * came until then is resumed next time.
 */
export async function downloadFile(asker: ShopAsker, download: FileDownload): Promise<DownloadedFile> {
  const path = join(download.folder, download.name)
  await checkOutputPlace(path, { force: download.force === true })
  await makeFolder(download.folder)
  const part = await PartFile.open(path)
  try {
    await new PartDownload(asker, download, part).finish()
    await download.beforePublish?.(part.positionBytes)
    await part.publish(download.force === true)
    return { path, sizeBytes: part.positionBytes }
  } finally {
    await part.close()
  }
}

/** The error of a check, kept apart from those of the connection. */
class DamageFault extends Error {
  constructor(readonly damage: unknown, readonly isLength = false) {
    super('damage')
  }
}

class PartDownload {
  readonly #place: string
  /** Bytes that the check has seen; -1: it has not begun. */
  #checkedBytes = -1
  /** The most bytes that were there: attempts are counted from the last growth. */
  #mostBytes: number
  #isResumed = false
  #isAnew = false
  #mayResume = true
  #sendsIfRange = true

  constructor(
    private readonly asker: ShopAsker, private readonly download: FileDownload, private readonly part: PartFile,
  ) {
    this.#place = asker.placeOf(download.call)
    this.#mostBytes = part.positionBytes
  }

  /** Fetches and checks until the part is the whole file. */
  async finish(): Promise<void> {
    const { signal } = this.download.call
    for (;;) {
      try {
        const patience = { place: this.#place, isRepeatable: true, signal, progress: () => this.#mostBytes }
        await this.asker.patiently(patience, () => this.#attempt())
        await this.#catchUp()
        await this.part.trim()
        this.#checkLength()
        await checking(this.download.check?.end.bind(this.download.check, this.part.partPath))
        return
      } catch (error) {
        if (!(error instanceof DamageFault)) throw error
        if (this.#isAnew || !(this.#isResumed || error.isLength)) {
          await this.part.condemn()
          throw error.damage
        }
        this.#isAnew = true
        await this.part.restart(null)
      }
    }
  }

  /** A cut between two frames is damage that only the length shows. */
  #checkLength(): void {
    const { part: { positionBytes }, download: { wantedBytes = positionBytes, name } } = this
    if (positionBytes === wantedBytes) return
    throw new DamageFault(wrongLength(name, wantedBytes, `${String(positionBytes)} bytes`), true)
  }

  /** Takes one answer of the shop to its end. */
  async #attempt(): Promise<void> {
    const { part, download } = this
    const { version, positionBytes: fromBytes } = part
    const asked = version !== null && fromBytes > 0 && this.#mayResume ? { version, fromBytes } : null
    const sentETag = asked !== null && this.#sendsIfRange && isStrong(asked.version.etag)
    const takes = asked === null ? [200, 206] : [200, 206, 416]
    const opened = await this.asker.open(download.call, this.#headers(asked), takes)
    try {
      const answer = fileAnswer(opened.response, asked, this.#place)
      if (answer.kind === 'ended') return
      // Some servers answer 200 to If-Range with an ETag.
      const isIgnored = answer.kind === 'whole' && sentETag && isSameVersion(opened.response.headers, asked.version)
      if (isIgnored) this.#sendsIfRange = false
      else if (answer.kind === 'useless') this.#mayResume = false
      else {
        await this.#takeBody(opened, answer)
        return
      }
    } finally {
      opened.close()
    }
    if (asked === null) throw shopError('SHOP_ANSWER_INVALID', this.#place, 'a whole file', 'a part of one')
    await this.#attempt()
  }

  #headers(asked: AskedPart | null): Readonly<Record<string, string>> {
    if (asked === null) return { 'accept-encoding': 'identity' }
    // fetch asks for `identity` by itself where there is a Range, and would say it twice.
    const { version: { etag, date }, fromBytes } = asked
    const validator = this.#sendsIfRange ? isStrong(etag) ? etag : date : null
    const range = { range: `bytes=${String(fromBytes)}-` }
    return validator === null ? range : { ...range, 'if-range': validator }
  }

  async #takeBody(opened: OpenedBody, answer: FileAnswer): Promise<void> {
    const { part, download } = this
    const sizeBytes = answer.kind === 'whole' ? answer.sizeBytes : part.version?.sizeBytes ?? null
    const gate = answer.kind === 'whole' ? new HeadGate(download.kind, this.#place) : null
    let isBegun = gate === null
    if (isBegun) {
      this.#isResumed = true
      await this.#catchUp()
    }
    try {
      for await (const chunk of this.asker.chunks(opened, download.call, download.stallMs ?? STALL_MS)) {
        const bytes = gate?.passed(chunk) ?? chunk
        if (bytes.length === 0) continue
        if (!isBegun && answer.kind === 'whole') await this.#beginAnew(answer.version)
        isBegun = true
        await this.#take(bytes, sizeBytes)
      }
      gate?.end()
      const found = part.positionBytes
      if (sizeBytes !== null && found < sizeBytes)
        throw shopError('SHOP_UNREACHABLE', this.#place, `${String(sizeBytes)} bytes`, `an end after ${String(found)}`)
    } finally {
      // The failure that led here counts more than one of the disk behind it.
      if (isBegun) await part.sync().catch(() => undefined)
    }
  }

  /** Drops what was there for the bytes of a version from their beginning. */
  async #beginAnew(version: FileVersion | null): Promise<void> {
    const { token } = this.download.call
    const words = new ServerWords(token === undefined ? [] : [token])
    // A server that repeats the token in a header has no version that could be kept.
    const text = JSON.stringify(version)
    await this.part.restart(words.masked(text) === text ? version : null)
    this.#isResumed = false
    this.#mayResume = true
    this.#checkedBytes = -1
    await this.#catchUp()
  }

  async #take(bytes: Uint8Array, sizeBytes: number | null): Promise<void> {
    const { part, download: { check, syncBytes = SYNC_BYTES, onBytes } } = this
    const before = part.positionBytes
    if (sizeBytes !== null && before + bytes.length > sizeBytes)
      throw shopError('SHOP_ANSWER_INVALID', this.#place, `at most ${String(sizeBytes)} bytes`, 'more')
    await part.write(bytes)
    this.#mostBytes = Math.max(this.#mostBytes, part.positionBytes)
    await checking(check?.take.bind(check, bytes))
    this.#checkedBytes = part.positionBytes
    onBytes?.(part.positionBytes, sizeBytes)
    if (Math.floor(before / syncBytes) < Math.floor(part.positionBytes / syncBytes)) await part.sync()
  }

  /** Shows the check what is there, where it has not seen it. */
  async #catchUp(): Promise<void> {
    const { part, download: { check, name, kind } } = this
    if (check === undefined || this.#checkedBytes === part.positionBytes) return
    if (part.positionBytes > 0) this.#isResumed = true
    await checking(check.begin.bind(check, name, kind))
    for await (const bytes of part.bytes()) await checking(check.take.bind(check, bytes))
    this.#checkedBytes = part.positionBytes
  }
}

/** True for an ETag that If-Range may hold. */
function isStrong(etag: string | null): etag is string {
  return etag?.startsWith('"') === true
}

async function checking(work: (() => void | Promise<void>) | undefined): Promise<void> {
  try {
    await work?.()
  } catch (error) {
    throw new DamageFault(error)
  }
}
