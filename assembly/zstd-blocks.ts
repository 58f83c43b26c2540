// Decodes the blocks of zstd frames (RFC 8878, section 3.1.1.2), which src/tickfile walks. Our own, because zstd's C code compiled to 32-bit WASM reads
// bits through 32-bit registers and copies eight bytes at a time: it takes about a fifth more processor time on tick text.
import { forgetHuffman } from './zstd-entropy'
import { addToHash, hashLow, startHash } from './zstd-hash'
import { readLiterals } from './zstd-literals'
import { BLOCK_BYTES_MAX, INPUT, MASKS, OVERRUN, STAGING, WINDOW } from './zstd-memory'
import { decodeSequences, forgetSequences, initializeSequences, setHistory } from './zstd-sequences'

let blockMax: u32 = 0
let windowBytes: u32 = 0
let windowEnd: usize = 0
/** Where the next block goes, and where this lap of the window began. */
let position: usize = WINDOW
let lapStart: usize = WINDOW
let earlierEnd: usize = WINDOW
let earlierBytes: u32 = 0
let hashes: bool = false
let output: usize = WINDOW

export function initialize(): void {
  for (let count = 0; count < 32; count++) store<u32>(MASKS + (<usize>count << 2), <u32>((<u64>1 << <u64>count) - 1))
  initializeSequences()
}

/** Begins a frame; false when there is no memory for its window. */
export function beginFrame(window: u32, checksum: bool): bool {
  blockMax = min(window, <u32>BLOCK_BYTES_MAX)
  windowBytes = window
  windowEnd = WINDOW + window + BLOCK_BYTES_MAX + 2 * OVERRUN
  const pages = <i32>((windowEnd + OVERRUN + 0xffff) >> 16)
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return false
  position = lapStart = earlierEnd = WINDOW
  earlierBytes = 0
  hashes = checksum
  forgetHuffman()
  forgetSequences()
  if (checksum) startHash()
  return true
}

/** Where the text of the last block lies. */
export function outputAt(): usize {
  return output
}

/** Copies text of the last block to STAGING, displaced by `shift` bytes, so that it can be copied on word by word. */
export function stage(from: usize, length: u32, shift: u32): void {
  memory.copy(STAGING + shift, from, length)
}

/** Decodes the block in INPUT, with its header; gives the length of its text, or -1 when it breaks the format. */
export function decodeBlock(): i32 {
  const header = load<u32>(INPUT) & 0xffffff
  const type = (header >> 1) & 3
  const size = header >> 3
  const at = INPUT + 3
  if (position + blockMax + OVERRUN > windowEnd) startLap()
  output = position
  let length = <i32>size
  if (type == 0) memory.copy(position, at, size)
  else if (type == 1) memory.fill(position, load<u8>(at), size)
  else {
    const end = at + size
    // What lies behind a block must not depend on the block before.
    store<u64>(end, 0)
    setHistory(lapStart, earlierEnd, reachBack())
    const head = readLiterals(at, end)
    length = head < 0 ? -1 : decodeSequences(at + head, end, position, position + blockMax)
    if (length < 0) return -1
  }
  position += length
  if (hashes) addToHash(output, length)
  return length
}

/** The low half of the hash of the frame's text. */
export function checksum(): u32 {
  return hashLow()
}

/** How much of the lap before is within the window and not yet overwritten. */
function reachBack(): u32 {
  const since = <u32>(position - lapStart)
  return since >= windowBytes ? 0 : min(earlierBytes, windowBytes - since)
}

function startLap(): void {
  earlierBytes = <u32>(position - lapStart)
  earlierEnd = position
  position = lapStart = WINDOW
}
