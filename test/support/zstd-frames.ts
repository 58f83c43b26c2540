import { createZstdTextDecoder, type ZstdChoice } from '../../src/tickfile/zstd/zstd-text-decoder.js'
import type { BacktapeError } from '../../src/model/error.js'

/** Zstd frames written by hand (RFC 8878), byte by byte: what no compressor would write. */
export const MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

export function bytesOf(...parts: readonly (ArrayLike<number> | number)[]): Uint8Array {
  const lists = parts.map((part) => (typeof part === 'number' ? [part] : part))
  const bytes = new Uint8Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    bytes.set(list, at)
    at += list.length
  }
  return bytes
}

export function littleEndian(value: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** i) % 256)
}

/** A block header and its content. Types: 0 raw, 1 run of one byte, 2 compressed, 3 reserved. */
export function block(type: number, size: number, content: ArrayLike<number>, last = true): Uint8Array {
  return bytesOf(littleEndian(size * 8 + type * 2 + (last ? 1 : 0), 3), content)
}

export function rawBlock(text: string, last = true): Uint8Array {
  return block(0, text.length, Buffer.from(text, 'latin1'), last)
}

/** A frame with a window of 1 KiB (descriptor 0) and no checksum. */
export function frame(...blocks: readonly Uint8Array[]): Uint8Array {
  return bytesOf(MAGIC, 0, 0, ...blocks)
}

export function skippable(content: ArrayLike<number>, nibble = 0): Uint8Array {
  return bytesOf(0x50 + nibble, 0x2a, 0x4d, 0x18, littleEndian(content.length, 4), content)
}

/** The decoders that the running Node has. */
export const DECODERS: readonly Exclude<ZstdChoice, 'auto'>[] = 'createZstdDecompress' in process.getBuiltinModule('node:zlib') ? ['native', 'wasm', 'fzstd'] : ['wasm', 'fzstd']

export interface Outcome {
  readonly text: Uint8Array
  readonly error: BacktapeError | null
}

/** Decompresses chunks into `room` bytes at a time and says what came out, and what error, if any, ended it. */
export async function decompress(chunks: readonly Uint8Array[], zstd: ZstdChoice, roomBytes = 65_536, windowLimitBytes = 2 ** 27): Promise<Outcome> {
  const decoder = await createZstdTextDecoder({ fileName: 'made-up.zst', zstd, windowLimitBytes })
  const text: Uint8Array[] = []
  const room = new Uint8Array(roomBytes)
  try {
    for (const chunk of chunks) {
      decoder.push(chunk)
      for (let length = decoder.read(room); length > 0; length = decoder.read(room)) text.push(room.slice(0, length))
    }
    decoder.end()
    return { text: Buffer.concat(text), error: null }
  } catch (error) {
    if ((error as BacktapeError).name !== 'BacktapeError') throw error
    return { text: Buffer.concat(text), error: error as BacktapeError }
  } finally {
    decoder.close()
  }
}
