import { ZSTDDecoder } from 'zstddec/stream'
import { keptAlive } from '../../model/event-loop-client.js'
import { plainFrameHeader, ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import { ZSTD_BLOCK_BYTES_MAX, ZSTD_BLOCK_HEADER_BYTES, type ZstdFrameHeader } from './zstd-frame-walker.js'

/** The exports of zstddec's module (zstd's C interface, 32-bit pointers). */
interface ZstdExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  malloc(sizeBytes: number): number
  free(pointer: number): void
  ZSTD_createDCtx(): number
  ZSTD_freeDCtx(context: number): number
  ZSTD_decompressStream(context: number, output: number, input: number): number
}

// The highest return values are negated error codes (zstd_errors.h: ZSTD_error_maxCode is 120).
const FIRST_ERROR = 0xffffff88
const INPUT_BYTES = ZSTD_BLOCK_BYTES_MAX + ZSTD_BLOCK_HEADER_BYTES
const OUTPUT_BYTES = 2 * ZSTD_BLOCK_BYTES_MAX

let loading: Promise<ZstdExports> | null = null

/** Zstd's own C code compiled to WASM, as `zstddec` ships it. One module serves every decoder of a thread. */
export async function createWasmDecoder(): Promise<ZstdDecoder> {
  loading ??= keptAlive(load())
  return new WasmDecoder(await loading)
}

async function load(): Promise<ZstdExports> {
  const loader = new ZSTDDecoder()
  // zstddec hands the instance to `_init`, unbound: the declared hook of its class, and the only way to its exports.
  const keep = loader._init.bind(loader)
  return await new Promise<ZstdExports>((resolve, reject) => {
    loader._init = (result): void => {
      keep(result)
      resolve(result.instance.exports as unknown as ZstdExports)
    }
    loader.init().then(() => { reject(new Error('zstddec did not hand over its instance')) }, reject)
  })
}

class WasmDecoder implements ZstdDecoder {
  /** zstd's default limit; its setter is not exported. */
  readonly windowBytesMax = 2 ** 27
  readonly #zstd: ZstdExports
  readonly #context: number
  /** One allocation: the two structs {pointer, size, position} of zstd's buffers, then input, then output. */
  readonly #structs: number
  readonly #input: number
  readonly #output: number
  #heap: Uint8Array
  #words: Uint32Array

  constructor(zstd: ZstdExports) {
    this.#zstd = zstd
    this.#context = zstd.ZSTD_createDCtx()
    this.#structs = zstd.malloc(32 + INPUT_BYTES + 8 + OUTPUT_BYTES + 8)
    if (this.#context === 0 || this.#structs === 0) throw new Error('zstd in WASM is out of memory')
    this.#input = this.#structs + 32
    this.#output = (this.#input + INPUT_BYTES + 7) & ~7
    this.#heap = new Uint8Array(zstd.memory.buffer)
    this.#words = new Uint32Array(zstd.memory.buffer)
  }

  beginFrame(header: ZstdFrameHeader): void {
    this.feed(plainFrameHeader(header, header.hasChecksum))
    this.#step(this.#output, 0)
  }

  feed(block: Uint8Array): void {
    this.#look()
    this.#heap.set(block, this.#input)
    const at = this.#structs >>> 2
    this.#words[at + 3] = this.#input
    this.#words[at + 4] = block.length
    this.#words[at + 5] = 0
  }

  read(target: Uint8Array): number {
    // V8 copies into shared memory byte by byte unless both sides are equally aligned.
    const output = this.#output + (target.byteOffset & 7)
    const result = this.#step(output, Math.min(target.length, OUTPUT_BYTES))
    if (result >= FIRST_ERROR) throw new ZstdContentError(`zstd error ${0x100000000 - result}`)
    const length = this.#words[(this.#structs >>> 2) + 2] ?? 0
    target.set(this.#heap.subarray(output, output + length))
    return length
  }

  checksumIs(checksum: Uint8Array): boolean {
    this.feed(checksum)
    return this.#step(this.#output, 0) < FIRST_ERROR
  }

  close(): void {
    this.#zstd.ZSTD_freeDCtx(this.#context)
    this.#zstd.free(this.#structs)
  }

  #step(output: number, room: number): number {
    this.#look()
    const at = this.#structs >>> 2
    this.#words[at] = output
    this.#words[at + 1] = room
    this.#words[at + 2] = 0
    const result = this.#zstd.ZSTD_decompressStream(this.#context, this.#structs, this.#structs + 12) >>> 0
    this.#look()
    return result
  }

  /** The memory of all decoders of the thread grows with each of them: views of it may have come to nothing. */
  #look(): void {
    const { buffer } = this.#zstd.memory
    if (this.#heap.buffer === buffer) return
    this.#heap = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
  }
}
