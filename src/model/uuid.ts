import type { RandomNumbers } from './random.js'

/** Two bytes in hex digits. */
const HEX: readonly string[] = Array.from({ length: 65_536 }, (_, pair) => pair.toString(16).padStart(4, '0'))

function hexOf(pair: number): string {
  return HEX[pair & 0xffff] as string
}

/** The UUID (version 4 in form) of a number: a pure function of the random numbers' key and `number`, so nothing has to be saved. */
export function uuidFromRandom(random: RandomNumbers, number: number): string {
  const time = random.bits(number, 0)
  const middle = random.bits(number, 1)
  const variant = random.bits(number, 2)
  const node = random.bits(number, 3)
  const version = hexOf((middle & 0x0fff) | 0x4000)
  return `${hexOf(time >>> 16)}${hexOf(time)}-${hexOf(middle >>> 16)}-${version}-${hexOf(((variant >>> 16) & 0x3fff) | 0x8000)}-${hexOf(variant)}${hexOf(node >>> 16)}${hexOf(node)}`
}
