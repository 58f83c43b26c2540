import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LEGACY_POSITIONS, LOGIN_IN_FULL, PLACED_IN_FULL, WIRE_CANCEL_ALL, WIRE_ENTRIES, WIRE_MESSAGES, type WireField, type WireShape } from '../../src/protocol/order-entry-fields.js'
import { WireReader } from '../../src/protocol/order-entry-reader.js'
import { WHOLE_VIEW, WireWriter } from '../../src/protocol/order-entry-writer.js'
import { OrderInstruments } from '../../src/protocol/order-instruments.js'
import { FrameReader, frameOf } from '../../src/protocol/domain-socket-frames.js'
import { parseWireJson } from '../../src/protocol/wire-json.js'
import { madeInstrument } from '../support/market-lines.ts'

const EPOCH_DAY = 19943
const entry = { instrument: madeInstrument(), priceScale: 4, quantityScale: 2 }
const orders = new OrderInstruments({ entries: [entry], get: (id) => (id === 1 ? entry : undefined) })
orders.add('00000000-0000-4000-8000-000000000001', 1)
const writer = new WireWriter(orders, EPOCH_DAY)
const reader = new WireReader(orders, { epochDay: EPOCH_DAY, of: 'messages' })

const WORDS: Readonly<Record<string, readonly string[]>> = { side: ['BID', 'ASK'], openClose: ['OPEN', 'CLOSE'], source: ['INTERNAL', 'EXCHANGE'] }
const decimal = fc.tuple(fc.integer(), fc.nat(999)).map(([whole, part]) => `${whole}.${String(part).padStart(3, '0')}1`)
const context = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)))

function valueOf({ inner, unit, name }: WireField): fc.Arbitrary<unknown> {
  if (inner !== null) return objectOf(inner)
  switch (unit) {
    case 'price':
    case 'quantity': return fc.maxSafeInteger()
    case 'timeNs': return fc.maxSafeInteger()
    case 'instrumentId': return fc.constant(1)
    case 'number': return fc.nat(1000)
    case 'flag': return fc.boolean()
    case 'decimal': return decimal
    case 'json': return context
    case 'orderId': return fc.constant('00000000-0000-4000-8000-000000000001')
    default: return WORDS[name] === undefined ? fc.string({ minLength: 1 }) : fc.constantFrom(...WORDS[name])
  }
}

/** Objects as they are inside: with everything that must be there, and some of the rest. */
function objectOf(shape: WireShape): fc.Arbitrary<object> {
  const fields = Object.fromEntries(shape.fields.map((field) => {
    const value = field.isList ? fc.array(valueOf(field), { minLength: field.absent === undefined ? 0 : 1, maxLength: 2 }) : valueOf(field)
    const isThere = field.isRequired || field.fallback !== undefined || field.unit === 'orderId' || field.unit === 'instrumentId'
    return [field.name, isThere ? value : fc.option(value, { nil: undefined })]
  }))
  return fc.record(fields).map((one) => Object.fromEntries(Object.entries(one).filter(([name, value]) =>
    value !== undefined && !(name === 'type' && value === shape.fields.find((field) => field.name === 'type')?.absent))))
}

const SHAPES: readonly (readonly [name: string, shape: WireShape])[] = [
  ...Object.entries(WIRE_MESSAGES).map(([name, { shape }]) => [name, shape] as const), ...Object.entries(WIRE_ENTRIES), ['cancelAll', WIRE_CANCEL_ALL],
  ['login', LOGIN_IN_FULL], ['placed in full', PLACED_IN_FULL], ['legacy positions', LEGACY_POSITIONS],
]

test('a wallet of an instrument that the directory does not have is read whole: it is money', () => {
  const wallet = { underlyingId: 2, availableAmount: '0', amountBlockedForMargin: '5', marginBalance: '5.25', type: 'CROSSED_BY_NAME', instrumentId: 77 }
  expect(reader.object(WIRE_MESSAGES.walletUpdate.shape, { adapterTimestampNs: BigInt(EPOCH_DAY) * 86_400_000_000_000n, data: [wallet] }, ''))
    .toMatchObject({ wallets: [wallet] })
})

describe.each(SHAPES)('%s', (name, shape) => {
  test('what was written is read back, exactly', () => {
    // The echo of a placed order states some fields alone: the client adds the others.
    if (name === 'placeResponse') return
    fc.assert(fc.property(objectOf(shape), (value) => {
      const text = writer.object(shape, value, WHOLE_VIEW)
      // An amend or a replace says on the wire nothing of the instrument: its reader adds it.
      expect(reader.object(shape, parseWireJson(text).value, '')).toEqual({ ...value, ...(shape.isOfInstrument ? { instrumentId: 1 } : {}) })
    }), { seed: 20, numRuns: 60 })
  })
})

test('a fill finer than its instrument comes with its scale', () => {
  const fill = WIRE_MESSAGES.fill.shape.fields[0]!.inner!
  const value = { ownFillId: 'f', exchangeTradeId: 't', exchangeTimeNs: 1, ownOrderId: 'o', exchangeOrderId: 'e', clientOrderId: 'c', instrumentId: 1, side: 'BID', price: 1234567, priceScale: 6, quantity: 5, fees: '0', feeUnderlyingId: 2, addedLiquidity: true, update: false }
  const text = writer.object(fill, value, WHOLE_VIEW)
  expect(text).toContain('"price":"1.234567","quantity":"0.05"')
  expect(reader.object(fill, parseWireJson(text).value, '')).toEqual(value)
})

test('JSON: the values of JSON.parse, but for integers that a double does not hold', () => {
  fc.assert(fc.property(fc.json(), (text) => {
    const { value } = parseWireJson(text)
    const plain = (one: unknown): unknown => (typeof one === 'bigint' ? Number(one) : one)
    expect(JSON.stringify(value, (_name, one: unknown) => plain(one))).toEqual(JSON.stringify(JSON.parse(text)))
  }), { seed: 20 })
  expect(parseWireJson('{"a":1722470400000000001,"b":[-9007199254740993]}').value).toEqual({ a: 1722470400000000001n, b: [-9007199254740993n] })
})

test.each(['', '{', '{"a"}', '{"a":1,}', '[1,]', '01', '1.', '+1', '.5', 'NaN', '"\u0001"', '"\\x"', '"a', 'tru', '[1] 2', '1e999', '{a:1}', '\uFEFF{}'])('%j is no JSON', (text) => {
  expect(() => parseWireJson(text)).toThrow(SyntaxError)
})

test('frames of a domain socket are read however they are cut', () => {
  fc.assert(fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 5 }), fc.array(fc.nat(200), { maxLength: 20 }), (texts, cuts) => {
    const bytes = Uint8Array.from(texts.flatMap((text) => [...frameOf(text)]))
    const frames = new FrameReader(1 << 20)
    const read: unknown[] = []
    const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
    for (let index = 1; index < places.length; index++) {
      frames.push(bytes.subarray(places[index - 1], places[index]))
      for (let frame = frames.next(); frame !== null; frame = frames.next()) read.push(frame)
    }
    expect(read).toEqual(texts.map((text) => ({ text })))
  }), { seed: 20 })
})
