import { expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { AmendEntry, PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'

const instrument = madeInstrument()
/** Ten times finer than the directory, quantities a hundred times. */
const scales = { instrument, priceScale: 1, quantityScale: 2 }
const book: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 1000, 500], [1, 1050, 500]] }

/** One order and one change of it: what the answer's result or error says, and the order's context. */
function answer(terms: Partial<PlaceEntry>, amend: Partial<AmendEntry>, profile: VenueProfile = GENERIC_PROFILE): { result: unknown, context: unknown } {
  let result: unknown = null
  const bench = new ExchangeBench({
    profile, instruments: [{ instrument, batches: [lineBatch([book], scales)] }],
    delivered: (_world, _client, _timeNs, message) => {
      if (message.kind === 'amendResponse') [result] = message.results.map((one) => one.error?.type ?? one.result)
    },
  })
  bench.run([
    { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', { price: 90, totalQuantity: 4, ...terms })]) } },
    { timeNs: 3, send: (entry) => { entry.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b', ...amend }]) } },
  ])
  return { result, context: [...bench.worlds[0]!.orders.openOrders()][0]?.context }
}

const STOP: Partial<PlaceEntry> = { type: 'STOP_LIMIT', triggerPrice: 110, price: 112 }
const PEG: Partial<PlaceEntry> = { type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: -2 }

test.each([
  ['a price', {}, { price: 91 }, { price: 91 }],
  ['a quantity', {}, { totalQuantity: 3 }, { totalQuantity: 3 }],
  ['both', {}, { price: 91, totalQuantity: 6 }, { price: 91, totalQuantity: 6 }],
  ['a trigger', STOP, { triggerPrice: 111 }, { triggerPrice: 111 }],
  ['an offset, with the price that it gives', PEG, { pegOffsetValue: -3 }, { price: 97, pegOffsetValue: -3 }],
  ['a context alone', {}, { context: { note: 'new' } }, {}],
] as const)('the answer to an amend says what it changed: %s', (_name, terms, amend, expected) => {
  expect(answer(terms, amend).result).toEqual(expected)
})

test('a context is replaced where one is given, and stays where not', () => {
  expect(answer({ context: { note: 'old' } }, { price: 91 }).context).toEqual({ note: 'old' })
  expect(answer({ context: { note: 'old' } }, { context: { note: 'new' } }).context).toEqual({ note: 'new' })
})

test('a venue that does not say what a smaller quantity does to the place in the queue refuses that, and nothing else', () => {
  const { amendKeepsQueue: _unsaid, ...orders } = GENERIC_PROFILE.orders ?? {}
  const profile: VenueProfile = { ...GENERIC_PROFILE, orders }
  const changes: Partial<AmendEntry>[] = [{ totalQuantity: 3 }, { totalQuantity: 4 }, { totalQuantity: 5 }, { totalQuantity: 3, price: 91 }, { price: 91 }]
  expect(changes.map((amend) => answer({}, amend, profile).result)).toEqual(['NOT_SUPPORTED', { totalQuantity: 4 }, { totalQuantity: 5 }, { totalQuantity: 3, price: 91 }, { price: 91 }])
})
