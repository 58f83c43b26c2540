import type { RandomNumbers } from './random.js'

/** Character codes of the hex digits. */
const HEX: Uint8Array = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const MINUS = 45
const FOUR = 52

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
