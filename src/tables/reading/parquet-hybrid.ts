import { ParquetFault } from './parquet-fault.js'

const EARLY = 'values that end early'

/** An unsigned integer of at most 32 bits, seven bits a byte. */
export function varintAt(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at]
    if (byte === undefined || factor > 2 ** 28) throw new ParquetFault(EARLY)
    value += (byte & 127) * factor
    if (byte < 128) return { value, end: at + 1 }
  }
}

/** `count` values of `width` bits, the first in the lowest bits, from byte `from` on. */
export function unpack(
  bytes: Uint8Array, from: number, width: number, target: Uint32Array | Uint8Array, at: number, count: number,
): void {
  if (width === 8) {
    target.set(bytes.subarray(from, from + count), at)
    return
  }
  if (width === 16) {
    for (let i = 0, byte = from; i < count; i++, byte += 2)
      target[at + i] = (bytes[byte] as number) | ((bytes[byte + 1] as number) << 8)
    return
  }
  const mask = width === 32 ? 0xffffffff : (1 << width) - 1
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const byte = from + (bit >>> 3)
    const shift = bit & 7
    let value =
      ((bytes[byte] ?? 0) | ((bytes[byte + 1] ?? 0) << 8) | ((bytes[byte + 2] ?? 0) << 16) |
        ((bytes[byte + 3] ?? 0) << 24)) >>> shift
    if (shift + width > 32) value |= (bytes[byte + 4] ?? 0) << (32 - shift)
    target[at + i] = value & mask
  }
}

/**
 * Fills the target from runs of the RLE and bit-packed hybrid, each at most as long as what is left of it: a run that
 * states more allocates nothing. Throws a ParquetFault where the bytes end early.
 */
export function readHybrid(bytes: Uint8Array, from: number, width: number, target: Uint32Array | Uint8Array): void {
  if (width > 32) throw new ParquetFault(`values of ${width} bits`)
  let at = 0
  let byte = from
  while (at < target.length) {
    const { value: head, end } = varintAt(bytes, byte)
    byte = end
    if (head % 2 === 1) {
      const groups = (head - 1) / 2
      const count = Math.min(groups * 8, target.length - at)
      if (groups === 0 || byte + Math.ceil((count * width) / 8) > bytes.length) throw new ParquetFault(EARLY)
      unpack(bytes, byte, width, target, at, count)
      byte += groups * width
      at += count
    } else {
      const count = Math.min(head / 2, target.length - at)
      const valueBytes = (width + 7) >> 3
      if (count === 0 || byte + valueBytes > bytes.length) throw new ParquetFault(EARLY)
      let value = 0
      for (let i = valueBytes - 1; i >= 0; i--) value = value * 256 + (bytes[byte + i] as number)
      target.fill(value, at, at + count)
      byte += valueBytes
      at += count
    }
  }
}
