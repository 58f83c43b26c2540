import xxhash, { type XXHash } from 'xxhash-wasm'
import { Decompress } from 'fzstd'
import { keptAlive } from '../../model/event-loop-client.js'
import { plainFrameHeader, ZstdContentError, type ZstdDecoder } from './zstd-decoder.js'
import type { ZstdFrameHeader } from './zstd-frame-walker.js'

const COMPRESSED_BLOCK = 2
const NEW_HUFFMAN_TREE = 2
const BLOCK_HEADER_BYTES = 3

/**
 * True where a block would make fzstd loop for ever: its Huffman weights are packed with a table that has one symbol
 * only, so that no weight takes a bit and their end is never reached. Zstd itself refuses such a table (RFC 8878,
 * section 4.2.1.2: the bits say how many weights there are).
 */
function loopsForEver(block: Uint8Array): boolean {
  const first = block[BLOCK_HEADER_BYTES] ?? 0
  if ((((block[0] ?? 0) >>> 1) & 3) !== COMPRESSED_BLOCK || (first & 3) !== NEW_HUFFMAN_TREE) return false
  const sizeFormat = (first >>> 2) & 3
  const treeAt = BLOCK_HEADER_BYTES + (sizeFormat < 2 ? 3 : sizeFormat === 2 ? 4 : 5)
  return (block[treeAt] ?? 0) < 128 && hasOneSymbol(block, treeAt + 1)
}

/** True where an FSE table description (RFC 8878, section 4.1.1) gives the whole table to one symbol. */
function hasOneSymbol(bytes: Uint8Array, at: number): boolean {
  const size = 1 << (((bytes[at] ?? 0) & 15) + 5)
  let bit = at * 8 + 4
  // Any other symbol that takes a place leaves less than the whole: only symbols without a place may come before.
  for (let symbols = 0; symbols < 256; symbols++) {
    const bits = 31 - Math.clz32(size + 1)
    const value = readBits(bytes, bit, bits + 1)
    const low = value & ((1 << bits) - 1)
    const small = (1 << (bits + 1)) - 1 - size - 1
    bit += low < small ? bits : bits + 1
    const probability = (low < small ? low : value < 1 << bits ? value : value - small) - 1
    if (probability !== 0) return probability === size
    for (let repeat = 3; repeat === 3; bit += 2) repeat = readBits(bytes, bit, 2)
  }
  return false
}

function readBits(bytes: Uint8Array, bit: number, count: number): number {
  const at = bit >>> 3
  const word =
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
  return (word >>> (bit & 7)) & ((1 << count) - 1)
}

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
