import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JournalText } from '../../src/protocol/journal-text.js'
import { ByteWriter } from '../../src/model/byte-writer.js'
import { MONEY_EVENT_FIELDS, OWN_FIELDS } from '../../src/results/run-journal.js'
import type { MessageFields, Unit } from '../../src/venue/field-units.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../../src/venue/message-fields.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'
import { naiveJournalLine } from '../support/naive-journal-line.ts'

const entries = new Map([[1, { priceScale: 1, quantityScale: 3 }], [2, { priceScale: 4, quantityScale: 0 }], [3, { priceScale: 12, quantityScale: 8 }]])
const directory = { get: (id: number) => entries.get(id) } as unknown as InstrumentDirectory
const instrumentOf = new Map([['main', new Map([['a', 1], ['b', 2]])], ['other', new Map([['a', 3]])]])
const EPOCH_DAY = 19943

const text = fc.oneof(fc.constantFrom('BID', 'CONFIRMED', 'a', 'b', 'c'), fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('"', '\\', '\u007f', '\ud800', 'é'))
const amount = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.nat(9).map((digit) => digit * 1_000_000), fc.constant(-0), fc.constant(null))
const timeNs = fc.oneof(fc.integer({ min: -90_000_000_000_000, max: 9_000_000_000_000_000 }), fc.constantFrom(0, -1, 1, 999_999_999, 1_000_000_000, -1_000_000_000, 86_399_999_999_999, 8_999_999_999_999_999))
const fields = { ownOrderId: text, currentOwnOrderId: text, instrumentId: fc.constantFrom(1, 2, 3, 4, undefined), price: amount, triggerPrice: amount, totalQuantity: amount, executedQuantity: amount, exchangeTimeNs: timeNs }
const rest = { postOnly: fc.boolean(), text, error: fc.record({ type: text, message: text }), context: fc.jsonValue(), requestId: fc.constantFrom(undefined, 'r'), kind: text, seq: fc.nat(), ratio: fc.double({ noNaN: true, noDefaultInfinity: true }) }
const part = fc.record({ ...fields, ...rest, time: text, priceScale: fc.constantFrom(0, 2, 7) }, { requiredKeys: [] })
const content = fc.record({ ...fields, ...rest, entries: fc.array(part, { maxLength: 3 }), result: part }, { requiredKeys: [] })
const head = fc.record({
  seq: fc.nat(), side: fc.constantFrom('local', 'exchange'), timeNs, kind: fc.constantFrom('place', 'fill'), client: fc.constantFrom(null, 'strategy'), account: fc.constantFrom(null, 'main', 'other'),
})

const UNITS: MessageFields = {
  ownOrderId: 'orderId', currentOwnOrderId: 'orderId', instrumentId: 'instrumentId', price: 'price', triggerPrice: 'price', totalQuantity: 'quantity', executedQuantity: 'quantity', exchangeTimeNs: 'timeNs',
  postOnly: 'flag', text: 'text', error: { type: 'word', message: 'text' }, context: 'json', requestId: 'text', kind: 'text', seq: 'number', ratio: 'number', time: 'text', priceScale: 'priceScale',
}
const LINE: MessageFields = { ...UNITS, entries: UNITS, result: UNITS }

test('lines are the bytes of canonical JSON over the message in exact texts', () => {
  const shared = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const into = new ByteWriter()
  fc.assert(fc.property(head, content, (first, value) => {
    into.count = 0
    shared.write(into, first, value, LINE)
    expect(new TextDecoder().decode(into.slice())).toBe(naiveJournalLine(directory, instrumentOf, EPOCH_DAY, first, value))
  }), { numRuns: 3000 })
})

test.each([0, 10_000, 19_943, 24_854, 24_855, 60_000])('times of the days after %d', (epochDay) => {
  const lines = new JournalText(directory, instrumentOf, epochDay)
  const [into, first] = [new ByteWriter(), { seq: 1, side: 'local', kind: 'fill', client: null, account: null } as const]
  fc.assert(fc.property(timeNs, timeNs, (at, exchangeTimeNs) => {
    into.count = 0
    lines.write(into, { ...first, timeNs: at }, { exchangeTimeNs }, LINE)
    expect(new TextDecoder().decode(into.slice())).toBe(naiveJournalLine(directory, instrumentOf, epochDay, { ...first, timeNs: at }, { exchangeTimeNs }))
  }))
})

test('more kinds, shapes and words than are remembered are written as the first ones are', () => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const into = new ByteWriter()
  const many = (name: string): MessageFields => Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${name} ${i}`, 'number'] as const))
  const wide: MessageFields = { ...many('field'), state: 'word', type: 'word', isOpen: 'flag', none: 'word', entries: { ...many('part'), ownOrderId: 'orderId', price: 'price', instrumentId: 'instrumentId' } }
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 600; i++) {
      const first = { seq: i, side: 'local', timeNs: i, kind: `kind ${i}`, client: `client ${i}`, account: null } as const
      const value = { [`field ${i}`]: i, state: `state ${i}`, type: 'x'.repeat(i), isOpen: i % 2 === 0, none: null, entries: [{ [`part ${i}`]: i, ownOrderId: 'a' }, { price: i, instrumentId: 1 }] }
      into.count = 0
      lines.write(into, first, value, wide)
      expect(new TextDecoder().decode(into.slice())).toBe(naiveJournalLine(directory, instrumentOf, EPOCH_DAY, first, value))
    }
  }
})

test('a line after one that could not be written is whole', () => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const [into, first] = [new ByteWriter(), { seq: 1, side: 'local', timeNs: 0, kind: 'log', client: null, account: null } as const]
  const entries = [{ price: 1, deep: { ratio: NaN } }]
  const deep: MessageFields = { entries: { price: 'price', deep: { ratio: 'number' } }, instrumentId: 'instrumentId' }
  expect(() => lines.write(into, first, { entries }, deep)).toThrow('finite')
  into.count = 0
  lines.write(into, first, { entries: [{ price: 1, deep: { ratio: 2 } }], instrumentId: 2 }, deep)
  expect(new TextDecoder().decode(into.slice())).toBe('{"entries":[{"deep":{"ratio":2},"price":"0.0001"}],"instrumentId":2,"kind":"log","seq":1,"side":"local","time":"1723075200000000000"}')
})

test('a number that JSON cannot hold is refused, not written', () => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  expect(() => lines.write(new ByteWriter(), { seq: 0, side: 'local', timeNs: 0, kind: 'log', client: null, account: null }, { ratio: Infinity }, LINE)).toThrow('finite')
})

test.each([NaN, Infinity, -Infinity, 0.5, -0.5, 1e9 + 0.25])('a time of %d nanoseconds is refused, not cut', (timeNs) => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const first = { seq: 0, side: 'local', timeNs: 0, kind: 'log', client: null, account: null } as const
  expect(() => lines.write(new ByteWriter(), { ...first, timeNs }, {}, LINE)).toThrow(RangeError)
  expect(() => lines.write(new ByteWriter(), first, { exchangeTimeNs: timeNs }, LINE)).toThrow(RangeError)
})

/** Any value of a unit; of an order or an instrument one that the directory has. */
function valueOf(unit: Unit): fc.Arbitrary<unknown> {
  if (typeof unit !== 'string') return fc.oneof(messageOf(unit), fc.array(messageOf(unit), { maxLength: 2 }))
  switch (unit) {
    case 'price': case 'quantity': return fc.integer()
    case 'priceScale': return fc.constantFrom(0, 2, 7)
    case 'timeNs': return fc.nat()
    case 'instrumentId': case 'ofInstrument': return fc.constantFrom(1, 2, 3)
    case 'orderId': return fc.constantFrom('a', 'b')
    case 'number': return fc.nat()
    case 'flag': return fc.boolean()
    case 'json': return fc.constantFrom({ any: [1, { price: 1 }] }, {})
    default: return fc.string()
  }
}

function messageOf(fields: MessageFields): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(Object.entries(fields).map(([name, unit]) => [name, valueOf(unit)])), { requiredKeys: Object.values(fields).includes('ofInstrument') ? ['currentClientOrderId'] : [] })
}

describe('every field of every message has the unit that the documents give its name', () => {
  test.each(Object.entries<MessageFields>({ ...REQUEST_FIELDS, ...MESSAGE_FIELDS, ...OWN_FIELDS, money: withoutTexts(MONEY_EVENT_FIELDS) }))('%s', (_kind, fields) => {
    const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
    const into = new ByteWriter()
    fc.assert(fc.property(head, messageOf(fields), (first, message) => {
      into.count = 0
      lines.write(into, first, message, fields)
      expect(JSON.parse(new TextDecoder().decode(into.slice()))).toEqual(JSON.parse(naiveJournalLine(directory, instrumentOf, EPOCH_DAY, first, message)))
    }), { numRuns: 100 })
  })
})

/** `size` of a money event is an exact text. */
function withoutTexts({ size: _size, ...fields }: MessageFields): MessageFields {
  return fields
}

test('a field that no table lists is refused, not written without its unit', () => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const first = { seq: 0, side: 'local', timeNs: 0, kind: 'place', client: null, account: null } as const
  expect(() => lines.write(new ByteWriter(), first, { entries: [{ hiddenPrice: 5 }] }, REQUEST_FIELDS.place)).toThrow('no table lists its field hiddenPrice')
  expect(() => lines.write(new ByteWriter(), first, { toString: 5 }, REQUEST_FIELDS.place)).toThrow('no table lists its field toString')
})
