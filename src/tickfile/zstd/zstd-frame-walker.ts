import { BacktapeError, type ErrorCode } from '../../model/error.js'
import { checkZstdMagic, isSkippableMagic, refuseCutMagic } from './zstd-magic.js'

/** Largest block of the format, in bytes (RFC 8878, 3.1.1.2.4). */
export const ZSTD_BLOCK_BYTES_MAX = 131_072
/** Bytes of a block header. */
export const ZSTD_BLOCK_HEADER_BYTES = 3

const RLE = 1
const COMPRESSED = 2

/** The facts in the header of one zstd frame. */
export interface ZstdFrameHeader {
  /** Offset of the frame's magic in the compressed file. */
  readonly byteOffset: number
  readonly windowBytes: number
  /** Stated size of the text, or null; beyond 2^53 it is the nearest double. */
  readonly contentBytes: number | null
  readonly hasChecksum: boolean
}

/** The piece that the walker found: each piece belongs to exactly one frame. `bytes` are valid until the next call. */
export type ZstdPiece =
  | { readonly kind: 'frame'; readonly header: ZstdFrameHeader }
  /** One whole block with its header. */
  | { readonly kind: 'block'; readonly bytes: Uint8Array; readonly byteOffset: number }
  /** The frame is whole; `checksum` is its trailer of four bytes, if it has one. */
  | { readonly kind: 'end'; readonly checksum: Uint8Array | null; readonly byteOffset: number }

type State = 'magic' | 'header' | 'block' | 'checksum' | 'frameEnd' | 'skipSize' | 'skip'

const PARTS: Record<State, string> = {
  magic: 'its first four bytes', header: 'its header', block: 'a block', checksum: 'its checksum', frameEnd: 'its end',
  skipSize: 'its size', skip: 'its content',
}

/** Where and how far the walker reads. */
export interface ZstdWalkOptions {
  /** Named in errors. */
  readonly fileName: string
  readonly windowLimitBytes: number
}

/**
 * Walks the frames of a zstd file (RFC 8878) without decoding them: a pure state machine over chunks of any size.
 * `push` gives it bytes, `next` takes pieces out until it says null (more bytes needed), `end` says that no more bytes
 * come and throws when a frame is cut. Skippable frames are passed over. A block that crosses chunks is put together,
 * so pieces hold whole blocks only. Throws NOT_ZSTD, ZSTD_DAMAGED, ZSTD_TRUNCATED and ZSTD_UNSUPPORTED with the byte
 * offset in the compressed file.
 */
export class ZstdFrameWalker {
  readonly #options: ZstdWalkOptions
  #state: State = 'magic'
  #chunk: Uint8Array = new Uint8Array(0)
  #position = 0
  #chunkOffset = 0
  /** Bytes of the wanted piece that stood at the end of earlier chunks. */
  #held = new Uint8Array(64)
  #heldBytes = 0
  #skipBytes = 0
  #header: ZstdFrameHeader = { byteOffset: 0, windowBytes: 0, contentBytes: null, hasChecksum: false }
  #frameOffset = 0

  constructor(options: ZstdWalkOptions) {
    this.#options = options
  }

  /** Offset in the compressed file of the first byte that no piece has taken yet. */
  get byteOffset(): number {
    return this.#chunkOffset + this.#position - this.#heldBytes
  }

  /**
   * Gives the next chunk; only after `next` returned null. The chunk must stay as it is until `next` returns null
   * again.
   */
  push(chunk: Uint8Array): void {
    this.#chunkOffset += this.#chunk.length
    this.#chunk = chunk
    this.#position = 0
  }

  /** The next piece, or null when more bytes are needed. */
  next(): ZstdPiece | null {
    for (;;) {
      switch (this.#state) {
        case 'magic':
          if (!this.#readMagic()) return null
          break
        case 'skipSize':
          if (!this.#readSkipSize()) return null
          break
        case 'skip':
          if (!this.#skip()) return null
          break
        case 'header':
          return this.#readHeader()
        case 'block':
          return this.#readBlock()
        case 'checksum':
          return this.#readChecksum()
        case 'frameEnd':
          this.#state = 'magic'
          return { kind: 'end', checksum: null, byteOffset: this.byteOffset }
      }
    }
  }

  /** Says that the file is over. Throws when it ends anywhere but after a whole frame, or holds nothing. */
  end(): void {
    const fileBytes = this.#chunkOffset + this.#chunk.length
    if (this.#state === 'magic' && this.#heldBytes === 0 && fileBytes > 0) return
    if (this.#state === 'magic')
      refuseCutMagic(this.#held.subarray(0, this.#heldBytes), this.byteOffset, this.#options.fileName)
    const part = PARTS[this.#state]
    const frame = this.#state === 'skip' || this.#state === 'skipSize' ? 'skippable frame' : 'frame'
    this.#refuse(
      'ZSTD_TRUNCATED', fileBytes, `the ${frame} that starts at byte ${this.#frameOffset} must be whole`,
      `the end of the file within ${part}`,
    )
  }

  #readMagic(): boolean {
    const bytes = this.#take(4)
    if (bytes === null) return false
    this.#frameOffset = this.byteOffset - 4
    const magic = littleEndian(bytes, 0, 4)
    if (isSkippableMagic(magic)) this.#state = 'skipSize'
    else {
      checkZstdMagic(magic, bytes, this.#frameOffset, this.#options.fileName)
      this.#state = 'header'
    }
    return true
  }

  #readSkipSize(): boolean {
    const bytes = this.#take(4)
    if (bytes === null) return false
    this.#skipBytes = littleEndian(bytes, 0, 4)
    this.#state = 'skip'
    return true
  }

  #skip(): boolean {
    const step = Math.min(this.#skipBytes, this.#chunk.length - this.#position)
    this.#position += step
    this.#skipBytes -= step
    if (this.#skipBytes > 0) return false
    this.#state = 'magic'
    return true
  }

  #readHeader(): ZstdPiece | null {
    const descriptor = this.#peek(1)
    if (descriptor === null) return null
    const bytes = this.#take(headerBytes(descriptor[0] ?? 0))
    if (bytes === null) return null
    this.#header = this.#parseHeader(bytes)
    this.#state = 'block'
    return { kind: 'frame', header: this.#header }
  }

  #parseHeader(bytes: Uint8Array): ZstdFrameHeader {
    const at = this.#frameOffset + 4
    const descriptor = bytes[0] ?? 0
    if ((descriptor & 8) !== 0) this.#refuse('ZSTD_DAMAGED', at, 'the reserved bit of a frame header must be 0', '1')
    const singleSegment = (descriptor & 32) !== 0
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
    const dictionaryAt = singleSegment ? 1 : 2
    const dictionaryId = littleEndian(bytes, dictionaryAt, dictionaryBytes)
    if (dictionaryId !== 0)
      this.#refuse(
        'ZSTD_UNSUPPORTED', at + dictionaryAt, 'a frame must not need a dictionary', `dictionary ${dictionaryId}`,
      )
    const sizeAt = dictionaryAt + dictionaryBytes
    const sizeBytes = bytes.length - sizeAt
    const contentBytes = sizeBytes === 0 ? null : littleEndian(bytes, sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
    const windowBytes = singleSegment ? contentBytes ?? 0 : windowOf(bytes[1] ?? 0)
    const limit = this.#options.windowLimitBytes
    if (windowBytes > limit) {
      this.#refuse(
        'ZSTD_UNSUPPORTED', at, `the window of a frame must be at most ${limit} bytes (option windowLimitBytes)`,
        `${windowBytes} bytes`,
      )
    }
    return { byteOffset: this.#frameOffset, windowBytes, contentBytes, hasChecksum: (descriptor & 4) !== 0 }
  }

  #readBlock(): ZstdPiece | null {
    const head = this.#peek(ZSTD_BLOCK_HEADER_BYTES)
    if (head === null) return null
    const byteOffset = this.byteOffset
    const word = littleEndian(head, 0, 3)
    const type = (word >>> 1) & 3
    const size = word >>> 3
    this.#checkBlock(type, size, byteOffset)
    const bytes = this.#take(ZSTD_BLOCK_HEADER_BYTES + (type === RLE ? 1 : size))
    if (bytes === null) return null
    if ((word & 1) !== 0) this.#state = this.#header.hasChecksum ? 'checksum' : 'frameEnd'
    return { kind: 'block', bytes, byteOffset }
  }

  #readChecksum(): ZstdPiece | null {
    const byteOffset = this.byteOffset
    const checksum = this.#take(4)
    if (checksum === null) return null
    this.#state = 'magic'
    return { kind: 'end', checksum, byteOffset }
  }

  #checkBlock(type: number, size: number, byteOffset: number): void {
    if (type > COMPRESSED)
      this.#refuse('ZSTD_DAMAGED', byteOffset, 'the type of a block must be 0, 1 or 2', '3 (reserved)')
    const limit = Math.min(this.#header.windowBytes, ZSTD_BLOCK_BYTES_MAX)
    if (size > limit)
      this.#refuse('ZSTD_DAMAGED', byteOffset, `a block of this frame must be at most ${limit} bytes`, `${size} bytes`)
    if (type === COMPRESSED && size < 2)
      this.#refuse('ZSTD_DAMAGED', byteOffset, 'a compressed block must be at least 2 bytes', `${size}`)
  }
  /** The next `count` bytes in one piece without taking them, or null. */
  #peek(count: number): Uint8Array | null {
    if (this.#heldBytes === 0 && this.#chunk.length - this.#position >= count)
      return this.#chunk.subarray(this.#position, this.#position + count)
    if (this.#heldBytes < count) {
      if (this.#held.length < count) this.#growHeld(count)
      const step = Math.min(count - this.#heldBytes, this.#chunk.length - this.#position)
      this.#held.set(this.#chunk.subarray(this.#position, this.#position + step), this.#heldBytes)
      this.#heldBytes += step
      this.#position += step
    }
    return this.#heldBytes < count ? null : this.#held.subarray(0, count)
  }

  #growHeld(count: number): void {
    const held = new Uint8Array(Math.min(2 * count, ZSTD_BLOCK_BYTES_MAX + ZSTD_BLOCK_HEADER_BYTES))
    held.set(this.#held.subarray(0, this.#heldBytes))
    this.#held = held
  }

  #take(count: number): Uint8Array | null {
    const bytes = this.#peek(count)
    if (bytes === null) return null
    if (this.#heldBytes === 0) this.#position += count
    this.#heldBytes = 0
    return bytes
  }

  #refuse(code: ErrorCode, byteOffset: number, expected: string, found: string): never {
    const file = this.#options.fileName
    throw new BacktapeError(code, `Cannot decompress ${file}: ${expected}, found ${found}, at byte ${byteOffset}`, {
      file, byteOffset, expected, found,
    })
  }
}

function littleEndian(bytes: Uint8Array, offset: number, count: number): number {
  let value = 0
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[offset + i] ?? 0)
  return value
}

/** Bytes of a frame header without its magic, from its first byte. */
function headerBytes(descriptor: number): number {
  const singleSegment = (descriptor & 32) !== 0
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0
  return 1 + (singleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0) + sizeBytes
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3))
  return base + base / 8 * (descriptor & 7)
}
