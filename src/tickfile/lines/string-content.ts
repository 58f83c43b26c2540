/** Bytes that are decoded at a time, so that a long text is never held a second time. */
const PIECE_BYTES = 65_536
const BACKSLASH = 92
const LOWER_U = 117
const ESCAPED: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)))
/** Control letters by the letter of their escape; other letters stand for themselves. */
const LETTERS: ReadonlyMap<number, number> = new Map([[98, 8], [102, 12], [110, 10], [114, 13], [116, 9]])

/** Bytes for a TextDecoder, which takes no view of shared memory; long lines lie in memory of their own: no copy. */
export function unsharedBytes(bytes: Uint8Array, from: number, to: number): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes.slice(from, to) : bytes.subarray(from, to)
}

/** The code unit of four hexadecimal digits, or -1. */
function hexUnit(bytes: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1
  let unit = 0
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] ?? 0
    const letter = byte | 32
    if (byte >= 48 && byte <= 57) unit = unit * 16 + byte - 48
    else if (letter >= 97 && letter <= 102) unit = unit * 16 + letter - 87
    else return -1
  }
  return unit
}

/** True where escapes are JSON's, and halves of surrogate pairs stand in pairs. */
function hasWholeEscapes(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    if (bytes[at] !== BACKSLASH) {
      at++
      continue
    }
    const letter = at + 1 < to ? (bytes[at + 1] ?? 0) : 0
    if (letter !== LOWER_U) {
      if (!ESCAPED.has(letter)) return false
      at += 2
      continue
    }
    const unit = hexUnit(bytes, at + 2, to)
    if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return false
    at += 6
    if (unit < 0xd800 || unit > 0xdbff) continue
    const low = bytes[at] === BACKSLASH && bytes[at + 1] === LOWER_U ? hexUnit(bytes, at + 2, to) : -1
    if (low < 0xdc00 || low > 0xdfff) return false
    at += 6
  }
  return true
}

function isUtf8(bytes: Uint8Array, from: number, to: number): boolean {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for (let at = from; at < to; at += PIECE_BYTES)
      utf8.decode(unsharedBytes(bytes, at, Math.min(to, at + PIECE_BYTES)), { stream: true })
    utf8.decode()
    return true
  } catch {
    return false
  }
}

/**
 * True where the content of a JSON string (`from .. to`, between its quotes) is UTF-8 with whole escapes and no half
 * surrogate pairs; nothing of it is kept.
 */
export function isStringContent(bytes: Uint8Array, from: number, to: number): boolean {
  return hasWholeEscapes(bytes, from, to) && isUtf8(bytes, from, to)
}

/** Writes a letter by its code point as UTF-8; returns where it ends. */
function putLetter(target: Uint8Array, at: number, point: number): number {
  if (point < 0x80) target[at] = point
  else if (point < 0x800) target[at] = 0xc0 | (point >> 6)
  else if (point < 0x1_0000) target[at] = 0xe0 | (point >> 12)
  else target[at] = 0xf0 | (point >> 18)
  const rest = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x1_0000 ? 2 : 3
  for (let i = 1; i <= rest; i++) target[at + i] = 0x80 | ((point >> (6 * (rest - i))) & 0x3f)
  return at + rest + 1
}

/**
 * The UTF-8 of a content that {@link isStringContent} takes, its escapes resolved: a view of the content where it has
 * none, else bytes of their own. An escape is never shorter than its letter.
 */
export function resolvedContent(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const content = bytes.subarray(from, to)
  if (!content.includes(BACKSLASH)) return content
  const resolved = new Uint8Array(content.length)
  let length = 0
  for (let at = 0; at < content.length; at++) {
    if (content[at] !== BACKSLASH) {
      resolved[length++] = content[at] ?? 0
      continue
    }
    const letter = content[++at] ?? 0
    if (letter !== LOWER_U) {
      resolved[length++] = LETTERS.get(letter) ?? letter
      continue
    }
    const unit = hexUnit(content, at + 1, content.length)
    at += 4
    if (unit < 0xd800 || unit > 0xdbff) length = putLetter(resolved, length, unit)
    else {
      const low = hexUnit(content, at + 3, content.length)
      at += 6
      length = putLetter(resolved, length, 0x1_0000 + (unit - 0xd800) * 0x400 + low - 0xdc00)
    }
  }
  return resolved.subarray(0, length)
}
