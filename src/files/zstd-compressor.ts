import { compress, decompress, init } from '@bokuweb/zstd-wasm'
import xxhash from 'xxhash-wasm'
import { BacktapeError } from '../model/error.js'
import { keptAlive } from '../model/event-loop-client.js'

/**
 * Bit of the frame header descriptor that says a content checksum follows the last block (RFC 8878, section 3.1.1.1.1).
 */
const CHECKSUM_FLAG = 4

/** Packs bytes into one zstd frame. */
export type FrameCompressor = (content: Uint8Array) => Uint8Array

/** Unpacks bytes of zstd frames to as many bytes as are stated for them. */
export type FrameDecompressor = (packed: Uint8Array, byteCount: number) => Uint8Array

// The one place that loads the library: a second init leaves its heap and its functions at odds.
let loading: Promise<void> | null = null

function isZstdFrame(bytes: Uint8Array): boolean {
  return bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd
}

/**
 * Makes a compressor of whole frames without a checksum, for formats that have their own. zstd 1.5 in WASM: the same
 * bytes on every Node.
 */
export async function createBareCompressor(level: number): Promise<FrameCompressor> {
  loading ??= keptAlive(init())
  await loading
  return (content) => {
    const packed = compress(content, level)
    if (isZstdFrame(packed)) return packed
    throw new BacktapeError(
      'OUTPUT_FAILED',
      'Cannot compress: the zstd library gave no frame; another part of this program has initialized ' +
        '@bokuweb/zstd-wasm again',
    )
  }
}

/** The size that a frame states in its header (RFC 8878, section 3.1.1.1); null: it states none. */
function statedBytes(frame: Uint8Array): number | null {
  const descriptor = frame[4] ?? 0
  const isSingle = (descriptor & 32) !== 0
  const at = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0)
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  switch (descriptor >> 6) {
    case 0: return isSingle ? view.getUint8(at) : null
    case 1: return view.getUint16(at, true) + 256
    case 2: return view.getUint32(at, true)
    default: return Number(view.getBigUint64(at, true))
  }
}

/** Several frames, one behind the other: only the first says how much memory it takes. */
export class SeveralFramesError extends Error {}

/**
 * Makes a decompressor of single frames. The library asks for as much memory as a frame states, so a frame that states
 * another size than was stated for it is refused before. Throws an Error for damage, SeveralFramesError where another
 * frame seems to follow.
 */
export async function createBareDecompressor(): Promise<FrameDecompressor> {
  loading ??= keptAlive(init())
  await loading
  return (packed, byteCount) => {
    if (!isZstdFrame(packed)) throw new Error('bytes that are no zstd frame')
    const stated = statedBytes(packed)
    if (stated !== null && stated < byteCount && Buffer.from(packed).indexOf(packed.subarray(0, 4), 4) > 0)
      throw new SeveralFramesError('a page of several zstd frames')
    if (stated !== null && stated !== byteCount) throw new Error(`a zstd frame of ${stated} bytes, not ${byteCount}`)
    return decompress(packed, { defaultHeapSize: Math.max(1, byteCount) })
  }
}

/**
 * Makes a compressor of whole frames: content size in the header, content checksum at the end. The simple interface of
 * the library writes no checksum, so its flag is set and the xxHash64 appended here.
 */
export async function createFrameCompressor(level: number): Promise<FrameCompressor> {
  const [hasher, pack] = await Promise.all([keptAlive(xxhash()), createBareCompressor(level)])
  return (content) => {
    const packed = pack(content)
    const framed = new Uint8Array(packed.length + 4)
    framed.set(packed)
    framed[4] = (packed[4] ?? 0) | CHECKSUM_FLAG
    new DataView(framed.buffer).setUint32(packed.length, Number(hasher.h64Raw(content) & 0xffffffffn), true)
    return framed
  }
}
