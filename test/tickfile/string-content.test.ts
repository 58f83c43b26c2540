import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isStringContent, resolvedContent } from '../../src/tickfile/lines/string-content.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The content by JSON; null where that refuses it, or finds a half of a surrogate pair. */
function naiveText(bytes: Uint8Array): string | null {
  try {
    const text = JSON.parse(`"${decoder.decode(bytes)}"`) as string
    // An encoder writes the replacement letter for a half.
    return decoder.decode(encoder.encode(text)) === text ? text : null
  } catch {
    return null
  }
}

const escape = fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r', '\\t', '\\u0041', '\\u00e9', '\\u20AC', '\\uffff', '\\u0000', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\\ud83d', '\\ude00', '\\ud83dx', '\\u12', '\\u00g0', '\\x', '\\')
const piece = fc.oneof(escape, fc.string({ unit: 'binary' }).filter((text) => !/[\u0000-\u001f"\\]/.test(text)))

describe('the content of a JSON string', () => {
  test('is what JSON says, or is refused where JSON refuses it', () => {
    fc.assert(fc.property(fc.array(piece), fc.nat(9), (pieces, before) => {
      // A bare quote would end the content.
      fc.pre(/^([^"\\]|\\[^])*\\?$/.test(pieces.join('')))
      const content = encoder.encode(pieces.join(''))
      const line = new Uint8Array(before + content.length + 1).fill(34)
      line.set(content, before)
      const expected = naiveText(content)
      expect(isStringContent(line, before, before + content.length)).toBe(expected !== null)
      if (expected !== null) expect(decoder.decode(resolvedContent(line, before, before + content.length))).toBe(expected)
    }), { numRuns: 3000 })
  })

  test('bytes that are no UTF-8 are refused', () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [65, 0xe2, 0x82]]) expect(isStringContent(Uint8Array.from(bytes), 0, bytes.length)).toBe(false)
  })

  test('without an escape it is a view: nothing is copied', () => {
    const line = encoder.encode('"é€😀"')
    const view = resolvedContent(line, 1, line.length - 1)
    expect([view.buffer === line.buffer, view.byteOffset, decoder.decode(view)]).toEqual([true, 1, 'é€😀'])
  })
})
