import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textFromScaled } from '../../src/model/decimal.js'
import { ByteWriter } from '../../src/model/byte-writer.js'

type Piece =
  | { readonly kind: 'text' | 'quoted' | 'piece'; readonly text: string }
  | { readonly kind: 'padded'; readonly value: number; readonly width: number }
  | { readonly kind: 'scaled'; readonly integer: number; readonly scale: number }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'byte'; readonly value: number }

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\n', '~', '\u007f', '\u0080', 'é', '\ud800', '', 'a'.repeat(70_000), 'é'.repeat(30_000)))
const integer = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.nat(9), fc.nat(15).chain((digits) => fc.nat(9).map((digit) => digit * Number(`1e${digits}`))), fc.constantFrom(0, -0, 9, 10, 99, 100, 2 ** 53 - 1, -(2 ** 53 - 1)))
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text', 'quoted', 'piece'), text }),
  fc.integer({ min: 1, max: 10 }).chain((width) => fc.record({ kind: fc.constant('padded'), value: fc.nat(Math.min(Number(`1e${width}`), 2 ** 31) - 1), width: fc.constant(width) })),
  fc.record({ kind: fc.constant('scaled'), integer, scale: fc.nat(18) }),
  fc.record({ kind: fc.constant('integer'), value: integer }),
  fc.record({ kind: fc.constant('byte'), value: fc.integer({ min: 32, max: 126 }) }),
)

function write(into: ByteWriter, one: Piece): void {
  switch (one.kind) {
    case 'text': return into.text(one.text)
    case 'quoted': return into.quoted(one.text)
    case 'piece': return into.piece(Buffer.from(one.text))
    case 'padded': return into.padded(one.value, one.width)
    case 'scaled': return into.scaled(one.integer, one.scale)
    case 'integer': return into.integer(one.value)
    case 'byte': return into.byte(one.value)
  }
}

function textOf(one: Piece): string {
  switch (one.kind) {
    case 'text':
    case 'piece': return Buffer.from(one.text).toString()
    case 'padded': return String(one.value).padStart(one.width, '0')
    case 'quoted': return JSON.stringify(one.text)
    case 'scaled': return textFromScaled(one.integer, one.scale)
    case 'integer': return String(one.value + 0)
    case 'byte': return String.fromCharCode(one.value)
  }
}

test('pieces stand one after another as the plain way writes them, however the memory has to grow', () => {
  fc.assert(fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const into = new ByteWriter()
    into.text('before')
    const from = into.count
    for (const one of pieces) write(into, one)
    const expected = pieces.map(textOf).join('')
    expect(Buffer.from(into.slice(from)).toString()).toBe(expected)
    expect(Buffer.from(into.slice(0)).toString()).toBe(`before${expected}`)
  }), { numRuns: 1000 })
})

test.each([[1234500, 3, '1234.5'], [-1, 8, '-0.00000001'], [5, 0, '5'], [100, 2, '1'], [100, 1, '10'], [0, 8, '0'], [-250, 1, '-25'], [999_999_999, 9, '0.999999999'], [1_000_000_000, 9, '1'], [1_000_000_001, 9, '1.000000001'], [7, 9, '0.000000007'], [7, 10, '0.0000000007'], [120, 9, '0.00000012'], [9_007_199_254_740_991, 15, '9.007199254740991']])('%d at scale %d is %s', (value, scale, expected) => {
  const into = new ByteWriter()
  into.scaled(value, scale)
  expect(Buffer.from(into.slice()).toString()).toBe(expected)
})
