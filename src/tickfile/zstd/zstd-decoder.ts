import type { ZstdFrameHeader } from './zstd-frame-walker.js'

/**
 * Decodes the blocks of zstd frames; the frames themselves are walked by {@link ZstdFrameWalker}. Everything is
 * synchronous. Between `beginFrame` and `endFrame`, `feed` gives one whole block, then `read` is called until it fills
 * less than the room it was given.
 */
export interface ZstdDecoder {
  /** Largest window this decoder can handle, in bytes. */
  readonly windowBytesMax: number
  beginFrame(header: ZstdFrameHeader): void
  /** `block` stays as it is until `read` has come to its end. */
  feed(block: Uint8Array): void
  /**
   * Writes text of the fed block into `target` and says how many bytes. Throws {@link ZstdContentError} when the block
   * breaks the format.
   */
  read(target: Uint8Array): number
  /** True where the text of the frame has this checksum (the four bytes of the trailer). */
  checksumIs(checksum: Uint8Array): boolean
  /** Frees what the decoder holds outside the garbage collector. */
  close(): void
}

/** The content of a block breaks the format; `message` is the decoder's own reason. */
export class ZstdContentError extends Error {}

/**
 * The header that a decoder gets instead of the file's: same window, same checksum flag, never a content size or a
 * dictionary. So the size is checked by us, the same way for every decoder, and text before a wrong size is delivered.
 */
export function plainFrameHeader(header: ZstdFrameHeader, hasChecksum: boolean): Uint8Array {
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, hasChecksum ? 4 : 0, windowDescriptor(header.windowBytes))
}

/** The smallest window descriptor that holds `windowBytes`. */
function windowDescriptor(windowBytes: number): number {
  for (let descriptor = 0; descriptor < 255; descriptor++) {
    const base = 2 ** (10 + (descriptor >>> 3))
    if (base + base / 8 * (descriptor & 7) >= windowBytes) return descriptor
  }
  return 255
}
