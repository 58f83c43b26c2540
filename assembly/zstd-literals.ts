// Literals section of a block (RFC 8878, section 3.1.1.3.1).
import { forgetHuffman, huffmanBits, readHuffman } from './zstd-entropy'
import { BLOCK_BYTES_MAX, HUFFMAN, LITERALS, streamBits } from './zstd-memory'

/** Where the literals of the block lie, and how many. */
export let literals: usize = 0
export let literalCount: i32 = 0

/** Reads the literals section; gives its length in bytes, or -1. */
export function readLiterals(at: usize, end: usize): i32 {
  if (at >= end) return -1
  const word = load<u64>(at)
  const type = <i32>(word & 3)
  const format = <i32>(word >> 2) & 3
  return type < 2 ? readPlain(at, end, word, type, format) : readCoded(at, end, word, type, format)
}

function readPlain(at: usize, end: usize, word: u64, type: i32, format: i32): i32 {
  const head = format == 1 ? 2 : format == 3 ? 3 : 1
  literalCount = head == 1 ? <i32>(word >> 3) & 31 : head == 2 ? <i32>(word >> 4) & 0xfff : <i32>(word >> 4) & 0xfffff
  const length = head + (type == 0 ? literalCount : 1)
  if (literalCount > BLOCK_BYTES_MAX || at + length > end) return -1
  if (type == 0) literals = at + head
  else {
    literals = LITERALS
    memory.fill(LITERALS, load<u8>(at + head), literalCount)
  }
  return length
}

function readCoded(at: usize, end: usize, word: u64, type: i32, format: i32): i32 {
  const sizeBits = format < 2 ? 10 : format == 2 ? 14 : 18
  const head = format < 2 ? 3 : format == 2 ? 4 : 5
  const mask = (<u64>1 << sizeBits) - 1
  literalCount = <i32>((word >> 4) & mask)
  const coded = <i32>((word >> (4 + sizeBits)) & mask)
  const stop = at + head + coded
  if (literalCount > BLOCK_BYTES_MAX || stop > end) return -1
  let from = at + head
  if (type == 2) {
    const tree = readHuffman(from, stop)
    if (tree < 0) return -1
    from += tree
  } else if (huffmanBits == 0) return -1
  literals = LITERALS
  const whole = format == 0 ? finish(from, streamBits(from, <i32>(stop - from)), LITERALS, literalCount) : decodeFour(from, <i32>(stop - from))
  if (!whole) {
    forgetHuffman()
    return -1
  }
  return head + coded
}

/** Four streams side by side, five symbols of each per load: 56 bits hold five codes of eleven. */
function decodeFour(at: usize, size: i32): bool {
  if (size < 10) return false
  const a = at + 6
  const sizeA = <i32>load<u16>(at)
  const sizeB = <i32>load<u16>(at + 2)
  const sizeC = <i32>load<u16>(at + 4)
  const sizeD = size - 6 - sizeA - sizeB - sizeC
  const quarter = (literalCount + 3) >> 2
  const last = literalCount - 3 * quarter
  if (sizeD < 1 || last < 0) return false
  const b = a + sizeA
  const c = b + sizeB
  const d = c + sizeC
  let pa = streamBits(a, sizeA)
  let pb = streamBits(b, sizeB)
  let pc = streamBits(c, sizeC)
  let pd = streamBits(d, sizeD)
  if ((pa | pb | pc | pd) < 0) return false
  const shift = <u64>(64 - huffmanBits)
  const table = HUFFMAN
  let done = 0
  for (; done + 5 <= last; done += 5) {
    let ya = (pa - 56) >> 3
    let yb = (pb - 56) >> 3
    let yc = (pc - 56) >> 3
    let yd = (pd - 56) >> 3
    let wa = load<u64>(a + <usize>ya) << <u64>(64 + (ya << 3) - pa)
    let wb = load<u64>(b + <usize>yb) << <u64>(64 + (yb << 3) - pb)
    let wc = load<u64>(c + <usize>yc) << <u64>(64 + (yc << 3) - pc)
    let wd = load<u64>(d + <usize>yd) << <u64>(64 + (yd << 3) - pd)
    const target = LITERALS + done
    for (let i = 0; i < 5; i++) {
      const ea = <u32>load<u16>(table + (<usize>(wa >> shift) << 1))
      const eb = <u32>load<u16>(table + (<usize>(wb >> shift) << 1))
      const ec = <u32>load<u16>(table + (<usize>(wc >> shift) << 1))
      const ed = <u32>load<u16>(table + (<usize>(wd >> shift) << 1))
      store<u8>(target + i, <u8>ea)
      store<u8>(target + i + quarter, <u8>eb)
      store<u8>(target + i + 2 * quarter, <u8>ec)
      store<u8>(target + i + 3 * quarter, <u8>ed)
      const na = ea >> 8
      const nb = eb >> 8
      const nc = ec >> 8
      const nd = ed >> 8
      wa <<= <u64>na
      wb <<= <u64>nb
      wc <<= <u64>nc
      wd <<= <u64>nd
      pa -= na
      pb -= nb
      pc -= nc
      pd -= nd
    }
  }
  const target = LITERALS + done
  return finish(a, pa, target, quarter - done) && finish(b, pb, target + quarter, quarter - done)
    && finish(c, pc, target + 2 * quarter, quarter - done) && finish(d, pd, target + 3 * quarter, last - done)
}

/** `count` symbols of a stream from a position on. It must be used up exactly. */
function finish(stream: usize, position: i32, target: usize, count: i32): bool {
  if (position < 0) return false
  const shift = <u64>(64 - huffmanBits)
  const end = target + count
  while (target < end) {
    const byte = (position - 56) >> 3
    const word = load<u64>(stream + <usize>byte) << <u64>(64 + (byte << 3) - position)
    const entry = <u32>load<u16>(HUFFMAN + (<usize>(word >> shift) << 1))
    store<u8>(target++, <u8>entry)
    position -= entry >> 8
  }
  return position == 0
}
