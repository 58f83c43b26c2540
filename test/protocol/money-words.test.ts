import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import { moneyText, writeAmount, writeMoney } from '../../src/protocol/money-words.js'

const digits = (count: number): fc.Arbitrary<bigint> => fc.bigInt({ min: -(10n ** BigInt(count)), max: 10n ** BigInt(count) })
/** Of all lengths, and next to whole numbers, to groups of nine digits and to what a number holds. */
const units: fc.Arbitrary<bigint> = fc.oneof(
  digits(3), digits(9), digits(17), digits(26), digits(45),
  fc.tuple(fc.constantFrom(0n, 1n, -1n, 10n ** 9n, 10n ** 15n, -(10n ** 15n), 2n ** 53n, -(2n ** 53n), 2n ** 63n, 10n ** 24n), fc.bigInt({ min: -2n, max: 2n })).map(([from, step]) => from + step),
)
const amount = fc.tuple(units, fc.oneof({ weight: 3, arbitrary: fc.nat(9) }, fc.nat(30))).map(([integer, scale]) => Amount.scaled(integer, scale))

test('an amount and its text are the same bytes, or neither is written', () => {
  fc.assert(fc.property(amount, fc.boolean(), fc.nat(3), (one, isFine, at) => {
    const text = one.toFixed()
    const [ofAmount, ofText] = [new DataView(new ArrayBuffer(24)), new DataView(new ArrayBuffer(24))]
    const isWritten = writeAmount(one, ofAmount, at, isFine)
    expect([text, isWritten]).toEqual([text, writeMoney(text, ofText, at, isFine)])
    if (!isWritten) return
    expect(Buffer.from(ofAmount.buffer).toString('hex')).toBe(Buffer.from(ofText.buffer).toString('hex'))
    expect(moneyText(ofAmount, at, isFine)).toBe(text)
  }), { numRuns: 5000 })
})

test.each([
  ['0', '0000000000000000 0000000000000000'], ['1', '0100000000000000 0000000000000000'],
  ['-1', 'ffffffffffffffff 0000000000000000'], ['0.5', '0000000000000000 0000b2d3595bf006'],
  ['-0.5', 'ffffffffffffffff 0000b2d3595bf006'], ['0.000000000000000001', '0000000000000000 0100000000000000'],
  ['-0.000000001', 'ffffffffffffffff 0036c96bb3b6e00d'],
])('%s is %s', (text, hex) => {
  const view = new DataView(new ArrayBuffer(16))
  expect(writeAmount(Amount.from(text), view, 0, false)).toBe(true)
  expect(Buffer.from(view.buffer).toString('hex')).toBe(hex.replace(' ', ''))
})

test.each(['1000000000000000', '-1000000000000000', '0.0000000000000000001', '-1000000000000000.5'])('no record holds %s', (text) => {
  expect(writeAmount(Amount.from(text), new DataView(new ArrayBuffer(24)), 0, false)).toBe(false)
})
