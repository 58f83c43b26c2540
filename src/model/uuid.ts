import type { RandomNumbers } from './random.js'

function hex(bits: number): string {
  return bits.toString(16).padStart(8, '0')
}

/** The UUID (version 4 in form) of a number: a pure function of the random numbers' key and `number`, so nothing has to be saved. */
export function uuidFromRandom(random: RandomNumbers, number: number): string {
  const time = hex(random.bits(number, 0))
  const middle = hex(random.bits(number, 1))
  const variant = hex(((random.bits(number, 2) & 0x3fffffff) | 0x80000000) >>> 0)
  const node = hex(random.bits(number, 3))
  return `${time}-${middle.slice(0, 4)}-4${middle.slice(5)}-${variant.slice(0, 4)}-${variant.slice(4)}${node}`
}
