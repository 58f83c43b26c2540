const COMPRESSED_BLOCK = 2
const NEW_HUFFMAN_TREE = 2
const BLOCK_HEADER_BYTES = 3

/**
 * True where a block would make fzstd loop for ever: its Huffman weights are packed with a table that has one symbol
 * only, so that no weight takes a bit and their end is never reached. Zstd itself refuses such a table (RFC 8878,
 * section 4.2.1.2: the bits say how many weights there are).
 */
export function loopsForEver(block: Uint8Array): boolean {
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
