// XXH64, seed 0, over the text of a frame as it comes: the checksum of zstd is its low half.
import { HASH } from './zstd-memory'

const P1: u64 = 0x9e3779b185ebca87
const P2: u64 = 0xc2b2ae3d27d4eb4f
const P3: u64 = 0x165667b19e3779f9
const P4: u64 = 0x85ebca77c2b2ae63
const P5: u64 = 0x27d4eb2f165667c5

let a: u64 = 0
let b: u64 = 0
let c: u64 = 0
let d: u64 = 0
let total: u64 = 0
/** Bytes in HASH that do not fill 32 yet. */
let held: u32 = 0

export function startHash(): void {
  a = P1 + P2
  b = P2
  c = 0
  d = 0 - P1
  total = 0
  held = 0
}

// @ts-ignore: decorator
@inline
function round(state: u64, word: u64): u64 { return rotl<u64>(state + word * P2, 31) * P1 }

// @ts-ignore: decorator
@inline
function merge(hash: u64, state: u64): u64 { return (hash ^ round(0, state)) * P1 + P4 }

/** Adds whole stripes of 32 bytes. */
function addStripes(at: usize, end: usize): void {
  let ra = a
  let rb = b
  let rc = c
  let rd = d
  for (; at < end; at += 32) {
    ra = round(ra, load<u64>(at))
    rb = round(rb, load<u64>(at, 8))
    rc = round(rc, load<u64>(at, 16))
    rd = round(rd, load<u64>(at, 24))
  }
  a = ra
  b = rb
  c = rc
  d = rd
}

export function addToHash(at: usize, length: u32): void {
  const end = at + length
  total += length
  if (held > 0) {
    const step = min(32 - held, length)
    memory.copy(HASH + held, at, step)
    held += step
    at += step
    if (held < 32) return
    addStripes(HASH, HASH + 32)
    held = 0
  }
  const whole = at + ((end - at) & ~31)
  addStripes(at, whole)
  held = <u32>(end - whole)
  memory.copy(HASH, whole, held)
}

/** The low half of the hash of everything added. */
export function hashLow(): u32 {
  let hash = P5
  if (total >= 32) {
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18)
    hash = merge(merge(merge(merge(hash, a), b), c), d)
  }
  hash += total
  let at: usize = HASH
  const end = HASH + held
  for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * P1 + P4
  if (at + 4 <= end) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * P1), 23) * P2 + P3
    at += 4
  }
  for (; at < end; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * P5), 11) * P1
  hash = (hash ^ (hash >> 33)) * P2
  hash = (hash ^ (hash >> 29)) * P3
  return <u32>(hash ^ (hash >> 32))
}
