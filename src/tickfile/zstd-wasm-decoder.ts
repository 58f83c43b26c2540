import { readZstdBlocks, type ZstdBlocksProgram } from './zstd-blocks-reader.js'
import { ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import type { ZstdFrameHeader } from './zstd-frame-walker.js'

// Where assembly/zstd-memory.ts puts them.
const INPUT = 0x70000
const STAGING = 0xa0000

/** Our own block decoder in WASM: every Node has it, and where there is no native zstd it is the fastest. */
export async function createWasmDecoder(): Promise<ZstdDecoder> {
  return new WasmDecoder(idle.pop() ?? await readZstdBlocks())
}

// A program keeps its memory, which small files would otherwise pay for one by one.
const idle: ZstdBlocksProgram[] = []
const KEPT_BYTES_MAX = 2 ** 24

class WasmDecoder implements ZstdDecoder {
  /** The memory is 32 bits wide. */
  readonly windowBytesMax = 2 ** 30
  #program: ZstdBlocksProgram | null
  #heap: Uint8Array
  #pending = false
  #from = 0
  #left = 0

  constructor(program: ZstdBlocksProgram) {
    this.#program = program
    this.#heap = new Uint8Array(program.memory.buffer)
  }

  beginFrame(header: ZstdFrameHeader): void {
    const program = this.#open()
    if (program.beginFrame(header.windowBytes, header.hasChecksum) === 0) throw new RangeError(`no memory for a zstd window of ${header.windowBytes} bytes`)
    if (this.#heap.buffer !== program.memory.buffer) this.#heap = new Uint8Array(program.memory.buffer)
  }

  feed(block: Uint8Array): void {
    this.#heap.set(block, INPUT)
    this.#pending = true
  }

  read(target: Uint8Array): number {
    const program = this.#open()
    if (this.#pending) {
      this.#pending = false
      this.#left = program.decodeBlock()
      this.#from = program.outputAt()
      if (this.#left < 0) {
        this.#left = 0
        throw new ZstdContentError('it breaks the format')
      }
    }
    const length = Math.min(target.length, this.#left)
    let from = this.#from
    // V8 copies into shared memory byte by byte unless both sides are equally aligned.
    if (((from ^ target.byteOffset) & 7) !== 0) {
      const shift = target.byteOffset & 7
      program.stage(from, length, shift)
      from = STAGING + shift
    }
    target.set(this.#heap.subarray(from, from + length))
    this.#from += length
    this.#left -= length
    return length
  }

  checksumIs(checksum: Uint8Array): boolean {
    return this.#open().checksum() >>> 0 === new DataView(checksum.buffer, checksum.byteOffset, 4).getUint32(0, true)
  }

  close(): void {
    const program = this.#program
    this.#program = null
    if (program !== null && program.memory.buffer.byteLength <= KEPT_BYTES_MAX && idle.length < 2) idle.push(program)
  }

  #open(): ZstdBlocksProgram {
    if (this.#program === null) throw new Error('the zstd decoder is closed')
    return this.#program
  }
}
