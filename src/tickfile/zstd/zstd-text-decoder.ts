import { BacktapeError } from '../../model/error.js'
import { ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import { ZstdFrameWalker, type ZstdFrameHeader, type ZstdPiece } from './zstd-frame-walker.js'
import { createNativeDecoder, hasNativeZstd } from './zstd-native-decoder.js'

/** Which decoder; `auto` takes native zstd where the running Node has it, else WASM. */
export type ZstdChoice = 'auto' | 'native' | 'wasm' | 'fzstd'

/** The options for decompressing a zstd file. */
export interface ZstdOptions {
  /** Named in errors. */
  readonly fileName: string
  readonly zstd: ZstdChoice
  /** Frames with a larger window are refused. */
  readonly windowLimitBytes: number
  /** Compressed size of the file where it is known. */
  readonly sizeBytes?: number | null
}


/**
 * Decompresses a zstd file: frames walked by us, blocks decoded by the chosen decoder, stated size and checksum of
 * every frame checked. Synchronous: `push` a chunk, `read` text until it says 0, then push the next or `end`. Throws
 * NOT_ZSTD and ZSTD_* with the byte offset in the compressed file; by then `read` has given all text of the whole
 * blocks before the fault.
 *
 * Which damage inside a block a decoder sees by itself differs: native zstd takes some broken literals as good, fzstd
 * some broken sequences. Where a frame has a checksum, all of it is one refusal: the frame is walked to its end, so
 * that a fault of its structure has the same code and offset whatever the decoder; if there is none, ZSTD_CHECKSUM with
 * the offset of the frame. Without a checksum, what the decoder refuses is ZSTD_DAMAGED with the offset of the block,
 * at once; what it takes as good is delivered, unless the stated size of the frame shows it (ZSTD_CHECKSUM).
 */
export async function createZstdTextDecoder(options: ZstdOptions): Promise<ZstdTextDecoder> {
  return new ZstdTextDecoder(options, await createDecoder(options))
}

/** Loads the chosen decoder alone. */
async function createDecoder({ zstd, windowLimitBytes }: ZstdOptions): Promise<ZstdDecoder> {
  const fzstd = async (): Promise<ZstdDecoder> => (await import('./zstd-fzstd-decoder.js')).createFzstdDecoder()
  const wasm = async (): Promise<ZstdDecoder> => (await import('./zstd-wasm-decoder.js')).createWasmDecoder()
  if (zstd === 'fzstd') return fzstd()
  if (zstd === 'wasm') return wasm()
  if (hasNativeZstd()) return createNativeDecoder(windowLimitBytes)
  if (zstd === 'native')
    throw new BacktapeError(
      'OPTION_INVALID', `Cannot use native zstd: it needs Node 22.15 or later, this is ${process.version}`,
    )
  return windowLimitBytes > 2 ** 27 ? fzstd() : wasm()
}

/** See {@link createZstdTextDecoder}. */
export class ZstdTextDecoder {
  private readonly walker: ZstdFrameWalker
  private header: ZstdFrameHeader | null = null
  private frameTextBytes = 0
  /** Offset of the block whose text is being read, or -1. */
  private blockOffset = -1
  /** The fault in the content of the frame, once that is known. */
  private spoiled: string | null = null
  private failure: Error | null = null

  constructor(private readonly options: ZstdOptions, private readonly decoder: ZstdDecoder) {
    this.walker = new ZstdFrameWalker(options)
  }

  /** Compressed bytes taken so far. */
  get compressedBytes(): number {
    return this.walker.byteOffset
  }

  /** Gives the next chunk, once `read` has said 0. It must stay as it is until `read` says 0 again. */
  push(chunk: Uint8Array): void {
    this.walker.push(chunk)
  }

  /**
   * Fills `target` with text and says how many bytes; fewer than its length when the pushed bytes are used up or a
   * fault was met; 0 asks for more.
   */
  read(target: Uint8Array): number {
    if (this.failure !== null) throw this.failure
    let length = 0
    try {
      while (length < target.length) {
        if (this.blockOffset < 0 && !this.advance()) return length
        if (this.blockOffset >= 0) length += this.readBlock(target, length)
      }
    } catch (error) {
      this.failure = error as Error
      if (length === 0) throw error
    }
    return length
  }

  /** Says that the file is over, once `read` has said 0. Throws when a frame is cut. */
  end(): void {
    this.walker.end()
  }

  close(): void {
    this.decoder.close()
  }

  private readBlock(target: Uint8Array, at: number): number {
    const room = at === 0 ? target : target.subarray(at)
    const length = this.decode(room)
    if (length < room.length) this.blockOffset = -1
    this.frameTextBytes += length
    const stated = this.header?.contentBytes ?? null
    if (stated === null || this.frameTextBytes <= stated) return length
    // The bytes beyond the stated size are not delivered.
    this.blockOffset = -1
    this.spoil('more text than its header states', this.sizeError(stated, 'more'))
    return length - (this.frameTextBytes - stated)
  }

  private decode(room: Uint8Array): number {
    try {
      return this.decoder.read(room)
    } catch (error) {
      if (!(error instanceof ZstdContentError)) throw error
      const found = `a damaged block (${error.message})`
      this.spoil(
        `${found} at byte ${this.blockOffset}`, this.error('ZSTD_DAMAGED', this.blockOffset, 'a whole block', found),
      )
      return 0
    }
  }

  /**
   * The content of the frame is wrong: refused at once, or at its end where a checksum makes sure that every decoder
   * refuses it.
   */
  private spoil(reason: string, error: BacktapeError): void {
    if (this.header?.hasChecksum === true) this.spoiled = reason
    else this.failure = error
  }

  /** Takes pieces up to the next block; false when more bytes are needed. */
  private advance(): boolean {
    if (this.failure !== null) throw this.failure
    const piece = this.walker.next()
    if (piece === null) return false
    if (piece.kind === 'block') {
      if (this.spoiled !== null) return true
      this.decoder.feed(piece.bytes)
      this.blockOffset = piece.byteOffset
    } else if (piece.kind === 'frame') this.beginFrame(piece.header)
    else this.endFrame(piece)
    return true
  }

  private beginFrame(header: ZstdFrameHeader): void {
    if (header.windowBytes > this.decoder.windowBytesMax) {
      throw this.error(
        'ZSTD_UNSUPPORTED', header.byteOffset,
        `the ${this.options.zstd} decoder takes windows up to ${this.decoder.windowBytesMax} bytes`,
        `${header.windowBytes} bytes`,
      )
    }
    this.header = header
    this.frameTextBytes = 0
    this.spoiled = null
    this.decoder.beginFrame(header)
  }

  private endFrame({ checksum }: ZstdPiece & { kind: 'end' }): void {
    const stated = this.header?.contentBytes ?? null
    const offset = this.header?.byteOffset ?? 0
    if (this.spoiled === null && stated !== null && stated !== this.frameTextBytes)
      throw this.sizeError(stated, String(this.frameTextBytes))
    if (checksum === null || (this.spoiled === null && this.decoder.checksumIs(checksum))) return
    throw this.error(
      'ZSTD_CHECKSUM', offset, 'a frame whose text matches its checksum', this.spoiled ?? 'another text',
    )
  }

  private sizeError(stated: number, found: string): BacktapeError {
    const offset = this.header?.byteOffset ?? 0
    return this.error(
      'ZSTD_CHECKSUM', offset, `a frame with the ${stated} bytes of text that its header states`, found,
    )
  }

  private error(
    code: 'ZSTD_DAMAGED' | 'ZSTD_CHECKSUM' | 'ZSTD_UNSUPPORTED', byteOffset: number, expected: string, found: string,
  ): BacktapeError {
    const file = this.options.fileName
    return new BacktapeError(code, `Cannot decompress ${file}: ${expected}, found ${found}, at byte ${byteOffset}`, {
      file, byteOffset, expected, found,
    })
  }
}

