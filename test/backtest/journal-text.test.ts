import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JournalText } from '../../src/backtest/journal-text.js'
import { LineBytes } from '../../src/report/line-bytes.js'
import { orderKey } from '../../src/exchange/resting-order.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'
import { naiveJournalLine } from '../support/naive-journal-line.ts'

const entries = new Map([[1, { priceScale: 1, quantityScale: 3 }], [2, { priceScale: 4, quantityScale: 0 }], [3, { priceScale: 12, quantityScale: 8 }]])
const directory = { get: (id: number) => entries.get(id) } as unknown as InstrumentDirectory
const instrumentOf = new Map([[orderKey('main', 'a'), 1], [orderKey('main', 'b'), 2], [orderKey('other', 'a'), 3]])
const EPOCH_DAY = 19943

const text = fc.oneof(fc.constantFrom('BID', 'CONFIRMED', 'a', 'b', 'c'), fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('"', '\\', '\u007f', '\ud800', 'é'))
const amount = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.nat(9).map((digit) => digit * 1_000_000), fc.constant(-0), fc.constant(null))
const timeNs = fc.oneof(fc.integer({ min: -90_000_000_000_000, max: 9_000_000_000_000_000 }), fc.constantFrom(0, -1, 1, 999_999_999, 1_000_000_000, -1_000_000_000, 86_399_999_999_999, 8_999_999_999_999_999))
const fields = { ownOrderId: text, currentOwnOrderId: text, instrumentId: fc.constantFrom(1, 2, 3, 4, undefined), price: amount, triggerPrice: amount, totalQuantity: amount, executedQuantity: amount, exchangeTimeNs: timeNs }
const rest = { postOnly: fc.boolean(), text, error: fc.record({ type: text, message: text }), context: fc.jsonValue(), requestId: fc.constantFrom(undefined, 'r'), kind: text, seq: fc.nat(), ratio: fc.double({ noNaN: true, noDefaultInfinity: true }) }
const part = fc.record({ ...fields, ...rest, time: text }, { requiredKeys: [] })
const content = fc.record({ ...fields, ...rest, entries: fc.array(part, { maxLength: 3 }), result: part }, { requiredKeys: [] })
const head = fc.record({
  seq: fc.nat(), side: fc.constantFrom('local', 'exchange'), timeNs, kind: fc.constantFrom('place', 'fill'), client: fc.constantFrom(null, 'strategy'), account: fc.constantFrom(null, 'main', 'other'),
})

test('lines are the bytes of canonical JSON over the message in exact texts', () => {
  const shared = new JournalText(directory, instrumentOf, EPOCH_DAY)
  const into = new LineBytes()
  fc.assert(fc.property(head, content, (first, value) => {
    into.count = 0
    shared.write(into, first, value)
    expect(new TextDecoder().decode(into.slice())).toBe(naiveJournalLine(directory, instrumentOf, EPOCH_DAY, first, value))
  }), { numRuns: 3000 })
})

test('a number that JSON cannot hold is refused, not written', () => {
  const lines = new JournalText(directory, instrumentOf, EPOCH_DAY)
  expect(() => lines.write(new LineBytes(), { seq: 0, side: 'local', timeNs: 0, kind: 'log', client: null, account: null }, { ratio: Infinity })).toThrow('finite')
})
