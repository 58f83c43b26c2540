import type { Id } from '../model/id.js'

const UUID_LENGTH = 36
const UUID_BYTES = 16
const MINUS = 45
/** Places of the minus signs in a UUID's text. */
const MINUS_AT: ReadonlySet<number> = new Set([8, 13, 18, 23])
/** Places of the upper digit of each byte. */
const DIGIT_AT: Uint8Array = Uint8Array.from(
  Array.from({ length: UUID_LENGTH }, (_, at) => at)
    .filter((at) => !MINUS_AT.has(at))
    .filter((_at, index) => index % 2 === 0),
)
const DIGITS = '0123456789abcdef'
/** Value of a hex digit in lower case by its code; 255 for any other character. */
const VALUES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code))
  return value < 0 ? 255 : value
})
const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Writes the 16 bytes of a UUID in canonical text: lower case, minus signs. False for any other text, and for the nil
 * UUID, which stands for none.
 */
export function writeUuid(text: string, bytes: Uint8Array, at: number): boolean {
  if (
    text.length !== UUID_LENGTH || text.charCodeAt(8) !== MINUS || text.charCodeAt(13) !== MINUS ||
    text.charCodeAt(18) !== MINUS || text.charCodeAt(23) !== MINUS
  )
    return false
  let any = 0
  for (let i = 0; i < UUID_BYTES; i++) {
    const place = DIGIT_AT[i] as number
    const high = VALUES[text.charCodeAt(place)] ?? 255
    const low = VALUES[text.charCodeAt(place + 1)] ?? 255
    if ((high | low) > 15) return false
    const byte = (high << 4) | low
    bytes[at + i] = byte
    any |= byte
  }
  return any !== 0
}

/** The numbers of an id that was drawn. */
const words = new Uint32Array(UUID_BYTES / 4)

/** Writes the 16 bytes of an id; false for one that is no UUID. */
export function writeId(id: Id, bytes: Uint8Array, at: number): boolean {
  if (typeof id === 'string') return writeUuid(id, bytes, at)
  id.words(words)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number
    const place = at + 4 * i
    bytes[place] = word >>> 24
    bytes[place + 1] = word >>> 16
    bytes[place + 2] = word >>> 8
    bytes[place + 3] = word
  }
  return true
}

/** The text of a UUID of 16 bytes; null for the nil UUID. */
export function uuidText(bytes: Uint8Array, at: number): string | null {
  let text = ''
  let any = 0
  for (let i = 0; i < UUID_BYTES; i++) {
    const byte = bytes[at + i] as number
    any |= byte
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += PAIRS[byte] as string
  }
  return any === 0 ? null : text
}
