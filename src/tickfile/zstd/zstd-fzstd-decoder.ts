import { Decompress } from 'fzstd'
import xxhash, { type XXHash } from 'xxhash-wasm'
import { keptAlive } from '../../model/event-loop-client.js'
import { loopsForEver } from './fzstd-guard.js'
import { plainFrameHeader, ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import type { ZstdFrameHeader } from './zstd-frame-walker.js'

// fzstd looks at a header only once it has 18 bytes: four empty raw blocks behind our six bytes fill them.
const EMPTY_BLOCKS_BYTES = 12

/**
 * The portable decoder, pure JavaScript. fzstd checks neither checksum nor size and takes some damage as good, so the
 * checksum is ours.
 */
export async function createFzstdDecoder(): Promise<ZstdDecoder> {
  const hasher = await keptAlive(xxhash())
  return new FzstdDecoder(() => hasher.create64())
}

class FzstdDecoder implements ZstdDecoder {
  readonly windowBytesMax = 2_145_386_496
  readonly #createHash: () => XXHash<bigint>
  #stream: Decompress = new Decompress()
  #hash: XXHash<bigint> | null = null
  #text: Uint8Array = new Uint8Array(0)
  #block: Uint8Array | null = null

  constructor(createHash: () => XXHash<bigint>) {
    this.#createHash = createHash
  }

  beginFrame(header: ZstdFrameHeader): void {
    this.#hash = header.hasChecksum ? this.#createHash() : null
    this.#stream = new Decompress((text) => {
      if (text.length > 0) this.#text = text
    })
    const head = new Uint8Array(6 + EMPTY_BLOCKS_BYTES)
    head.set(plainFrameHeader(header, false))
    this.#stream.push(head)
  }

  feed(block: Uint8Array): void {
    this.#block = block
  }

  read(target: Uint8Array): number {
    if (this.#block !== null) this.#decode(this.#block)
    const length = Math.min(target.length, this.#text.length)
    target.set(this.#text.subarray(0, length))
    this.#text = this.#text.subarray(length)
    return length
  }

  #decode(block: Uint8Array): void {
    this.#block = null
    if (loopsForEver(block)) throw new ZstdContentError('Huffman weights without end')
    try {
      this.#stream.push(block)
    } catch (error) {
      throw new ZstdContentError(error instanceof Error ? error.message : String(error))
    }
    this.#hash?.update(this.#text)
  }

  checksumIs(checksum: Uint8Array): boolean {
    const low = Number((this.#hash?.digest() ?? 0n) & 0xffffffffn)
    return low === new DataView(checksum.buffer, checksum.byteOffset, 4).getUint32(0, true)
  }

  close(): void {
    this.#stream = new Decompress()
    this.#text = new Uint8Array(0)
  }
}
