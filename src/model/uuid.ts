import type { RandomNumbers } from './random.js'

/** Character codes of the hex digits. */
const HEX: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const MINUS = 45
const FOUR = 52
const ZERO = 48
const NINE = 57
const LOWER_A = 97
const LOWER_F = 102

/** Code of the hex digit whose lowest bit is `shift` bits up. */
function digit(word: number, shift: number): number {
  return HEX[(word >>> shift) & 15] as number
}

/**
 * The UUID (version 4 in form) of a number: a pure function of the random numbers' key and `number`, so nothing has to
 * be saved. It is made of its characters at once: one put together of pieces is a rope, which every map of ids would
 * have to straighten first.
 */
export function uuidFromRandom(random: RandomNumbers, number: number): string {
  const a = random.bits(number, 0)
  const b = random.bits(number, 1)
  const c = random.bits(number, 2)
  const d = random.bits(number, 3)
  return String.fromCharCode(
    digit(a, 28), digit(a, 24), digit(a, 20), digit(a, 16), digit(a, 12), digit(a, 8), digit(a, 4), digit(a, 0), MINUS,
    digit(b, 28), digit(b, 24), digit(b, 20), digit(b, 16), MINUS,
    FOUR, digit(b, 8), digit(b, 4), digit(b, 0), MINUS,
    HEX[((c >>> 28) & 3) | 8] as number, digit(c, 24), digit(c, 20), digit(c, 16), MINUS,
    digit(c, 12), digit(c, 8), digit(c, 4), digit(c, 0),
    digit(d, 28), digit(d, 24), digit(d, 20), digit(d, 16), digit(d, 12), digit(d, 8), digit(d, 4), digit(d, 0),
  )
}

/** The same UUID as four numbers of 32 bits. */
export function uuidWords(random: RandomNumbers, number: number, into: Uint32Array): void {
  for (let part = 0; part < 4; part++) into[part] = random.bits(number, part)
  into[1] = ((into[1] as number) & 0xffff0fff) | 0x4000
  into[2] = ((into[2] as number) & 0x3fffffff) | 0x80000000
}

/** Characters of a UUID. */
export const UUID_LENGTH = 36
/** Codes of the two hex digits of a byte, the first in the upper half. */
const HEX_PAIRS: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => (digit(byte, 4) << 8) | digit(byte, 0))

/** Writes four hex digits. */
function putQuarter(bytes: Uint8Array, at: number, quarter: number): void {
  const [high, low] = [HEX_PAIRS[quarter >>> 8] as number, HEX_PAIRS[quarter & 255] as number]
  bytes[at] = high >>> 8
  bytes[at + 1] = high & 255
  bytes[at + 2] = low >>> 8
  bytes[at + 3] = low & 255
}

/** Writes the characters of a UUID of four numbers, for which there is room. */
export function putUuid(bytes: Uint8Array, at: number, words: Uint32Array): void {
  const [a, b, c, d] = [words[0] as number, words[1] as number, words[2] as number, words[3] as number]
  putQuarter(bytes, at, a >>> 16)
  putQuarter(bytes, at + 4, a & 0xffff)
  putQuarter(bytes, at + 9, b >>> 16)
  putQuarter(bytes, at + 14, b & 0xffff)
  putQuarter(bytes, at + 19, c >>> 16)
  putQuarter(bytes, at + 24, c & 0xffff)
  putQuarter(bytes, at + 28, d >>> 16)
  putQuarter(bytes, at + 32, d & 0xffff)
  bytes[at + 8] = bytes[at + 13] = bytes[at + 18] = bytes[at + 23] = MINUS
}

/** True where the bytes from a place on are those of a UUID in lower case. */
export function isUuid(bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < UUID_LENGTH; at++) {
    const byte = bytes[from + at] as number
    const isHex = (byte >= ZERO && byte <= NINE) || (byte >= LOWER_A && byte <= LOWER_F)
    const isMinus = at === 8 || at === 13 || at === 18 || at === 23
    if (isMinus ? byte !== MINUS : !isHex) return false
  }
  return true
}
