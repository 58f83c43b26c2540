import { readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { BacktapeError } from '../../model/error.js'
import { isSkippableMagic } from './zstd-magic.js'
import { ZSTD_BLOCK_HEADER_BYTES } from './zstd-frame-walker.js'

/** Where one zstd frame of a file lies. */
export interface FramePlace {
  readonly byteOffset: number
  readonly sizeBytes: number
  /** The size of its text as its header states it; null where it does not. */
  readonly contentBytes: number | null
}

const ZSTD_MAGIC = 0xfd2fb528
const RLE = 1
/** A magic, the longest header of a frame. */
const HEAD_BYTES = 18

/** Reads the headers of frames and blocks alone: their sizes lead from one to the next. */
class FramePlaces {
  private readonly head = Buffer.alloc(HEAD_BYTES)

  constructor(private readonly fd: number, private readonly name: string, private readonly sizeBytes: number) {}

  * frames(): Generator<FramePlace, void, undefined> {
    for (let at = 0; at < this.sizeBytes;) {
      const magic = this.read(at, 8).readUInt32LE(0)
      if (isSkippableMagic(magic)) {
        at = this.within(at + 8 + this.head.readUInt32LE(4))
        continue
      }
      if (magic !== ZSTD_MAGIC) throw this.refusal('ZSTD_DAMAGED', `there is no frame at byte ${at}`)
      const frame = this.frame(at)
      yield frame
      at += frame.sizeBytes
    }
  }

  private frame(byteOffset: number): FramePlace {
    const descriptor = this.read(byteOffset, 5).readUInt8(4)
    const isSingle = (descriptor & 32) !== 0
    const stated = descriptor >>> 6
    const sizeAt = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0)
    const contentWidth = [isSingle ? 1 : 0, 2, 4, 8][stated] ?? 0
    const contentBytes = contentWidth === 0 ? null : this.content(byteOffset + sizeAt, contentWidth)
    let at = byteOffset + sizeAt + contentWidth
    for (let isLast = false; !isLast;) {
      const block = this.read(at, ZSTD_BLOCK_HEADER_BYTES).readUIntLE(0, ZSTD_BLOCK_HEADER_BYTES)
      isLast = (block & 1) === 1
      at = this.within(at + ZSTD_BLOCK_HEADER_BYTES + ((block >>> 1 & 3) === RLE ? 1 : block >>> 3))
    }
    at = this.within(at + ((descriptor & 4) === 0 ? 0 : 4))
    return { byteOffset, sizeBytes: at - byteOffset, contentBytes }
  }

  private content(at: number, width: number): number {
    const bytes = this.read(at, width)
    if (width === 8) return Number(bytes.readBigUInt64LE(0))
    return bytes.readUIntLE(0, width) + (width === 2 ? 256 : 0)
  }

  private read(at: number, length: number): Buffer {
    const count = readSync(this.fd, this.head, 0, length, at)
    if (count < length) this.within(at + length)
    return this.head
  }

  /** The offset, where the file reaches it. */
  private within(at: number): number {
    if (at <= this.sizeBytes) return at
    throw this.refusal('ZSTD_TRUNCATED', 'the file ends inside its last frame: download it again')
  }

  private refusal(code: 'ZSTD_TRUNCATED' | 'ZSTD_DAMAGED', words: string): BacktapeError {
    const sentence = `Cannot read ${this.name} to its end: ${words}; without --quick and with --on-damage skip the ` +
      'events before it are read'
    return new BacktapeError(code, sentence, { file: this.name })
  }
}

/**
 * The frames of a zstd file on disk, in order. Throws ZSTD_TRUNCATED where it is cut, ZSTD_DAMAGED where no frame
 * begins.
 */
export async function readFramePlaces(path: string, name: string): Promise<readonly FramePlace[]> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    return [...new FramePlaces(handle.fd, name, size).frames()]
  } finally {
    await handle.close()
  }
}

/** The frames of a file of which the last may be cut: those that are whole, up to the first that is not. */
export async function readWholeFrames(path: string): Promise<readonly FramePlace[]> {
  const handle = await open(path, 'r')
  const found: FramePlace[] = []
  try {
    const { size } = await handle.stat()
    for (const frame of new FramePlaces(handle.fd, path, size).frames()) found.push(frame)
  } catch (error) {
    if (!(error instanceof BacktapeError)) throw error
  } finally {
    await handle.close()
  }
  return found
}
