import fc from 'fast-check'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { placeEntry, type BenchCommand } from './exchange-bench.ts'
import type { MarketLine, MarketRow } from './market-lines.ts'

const price = fc.integer({ min: 96, max: 104 })
const quantity = fc.integer({ min: 1, max: 9 })
const timeNs = fc.integer({ min: 1, max: 60 })

function rowsOf(levels: readonly (readonly [number, number, number])[]): MarketRow[] {
  return levels.map(([side, at, amount]) => [side, at, amount])
}

/** A book around a middle, which may lie anywhere, so that books cross each other from line to line, and now and then within one. */
const book = fc.record({ middle: fc.integer({ min: 98, max: 102 }), sizes: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 }) }).map(({ middle, sizes }): MarketRow[] => {
  const bids = sizes.slice(0, 3).flatMap((size, i): MarketRow[] => (size === 0 ? [] : [[0, middle - 1 - i, size]]))
  const asks = sizes.slice(3).flatMap((size, i): MarketRow[] => (size === 0 ? [] : [[1, middle + 1 + i, size]]))
  return [...bids, ...asks]
})
const update = fc.array(fc.tuple(fc.constantFrom(0, 1), price, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 4 }).map(rowsOf)
const trades = fc.array(fc.tuple(fc.constantFrom(0, 1), price, quantity), { minLength: 1, maxLength: 2 }).map(rowsOf)
const top = fc.tuple(fc.integer({ min: 97, max: 102 }), quantity, quantity, fc.constantFrom(1, 2)).map(([bid, b, a, wide]): MarketRow[] => [[0, bid, b], [1, bid + wide, a]])

/** Lines of one instrument, in time order, beginning with a snapshot; with gaps where asked for. */
export function marketLines(withGaps: boolean): fc.Arbitrary<MarketLine[]> {
  const line = fc.oneof(
    { weight: 5, arbitrary: update.map((rows) => ({ kind: 'update' as const, rows })) },
    { weight: 5, arbitrary: trades.map((rows) => ({ kind: 'trades' as const, rows })) },
    { weight: 3, arbitrary: top.map((rows) => ({ kind: 'top' as const, rows })) },
    { weight: 1, arbitrary: book.map((rows) => ({ kind: 'snapshot' as const, rows })) },
    ...(withGaps ? [{ weight: 1, arbitrary: update.map((rows) => ({ kind: 'update' as const, rows, gap: true })) }, { weight: 1, arbitrary: fc.constant({ kind: 'ERROR' as const }) }] : []),
  )
  return fc.tuple(book, fc.array(fc.record({ line, timeNs }), { minLength: 4, maxLength: 40 })).map(([first, rest]) => [
    { kind: 'snapshot' as const, timeNs: 0, rows: first },
    ...rest.sort((a, b) => a.timeNs - b.timeNs).map((one): MarketLine => ({ ...one.line, timeNs: one.timeNs })),
  ])
}

type Act = (entry: OrderEntry, id: string, other: string) => void

const side = fc.constantFrom('BID' as const, 'ASK' as const)
const place = fc.record({ side, price, totalQuantity: quantity, timeInForce: fc.constantFrom('GOOD_TILL_CANCEL', 'GOOD_TILL_CANCEL', 'IMMEDIATE_OR_CANCEL', 'FILL_OR_KILL'), postOnly: fc.boolean() })
/** Stop and pegged orders, icebergs and hidden ones, orders that only close. */
const conditional: fc.Arbitrary<Partial<PlaceEntry>> = fc.oneof(
  fc.record({ side, price, totalQuantity: quantity, triggerPrice: price, type: fc.constant('STOP_LIMIT') }),
  fc.record({ side, price: fc.constant(null), totalQuantity: quantity, type: fc.constantFrom('MARKET_PEGGED', 'PRIMARY_PEGGED'), pegOffsetValue: fc.integer({ min: -2, max: 3 }) }),
  fc.record({ side, price, totalQuantity: quantity, displayQuantity: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ side, price, totalQuantity: quantity, reduceOnly: fc.constant(true) }),
)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: conditional.map((terms): Act => (entry, id) => { entry.place([placeEntry(id, terms)]) }) },
  { weight: 6, arbitrary: place.map((terms): Act => (entry, id) => { entry.place([placeEntry(id, { ...terms, postOnly: terms.postOnly && terms.timeInForce === 'GOOD_TILL_CANCEL' })]) }) },
  { weight: 1, arbitrary: fc.record({ side, totalQuantity: quantity }).map((terms): Act => (entry, id) => { entry.place([placeEntry(id, { ...terms, type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' })]) }) },
  { weight: 2, arbitrary: fc.constant<Act>((entry, _id, other) => { entry.cancel([{ ownOrderId: other }]) }) },
  { weight: 1, arbitrary: fc.record({ price, totalQuantity: quantity }).map((terms): Act => (entry, _id, other) => { entry.amend([{ ownOrderId: other, currentClientOrderId: other, newClientOrderId: other, ...terms }]) }) },
  { weight: 1, arbitrary: fc.record({ price, totalQuantity: quantity }).map((terms): Act => (entry, id, other) => { entry.replace([{ currentOwnOrderId: other, newOwnOrderId: id, currentClientOrderId: other, newClientOrderId: id, ...terms }]) }) },
)

/** What a client sends: each step has an id of its own and names an earlier one. */
export const script: fc.Arbitrary<BenchCommand[]> = fc.array(fc.record({ act, timeNs, back: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 15 }).map((steps) =>
  steps.sort((a, b) => a.timeNs - b.timeNs).map((step, at) => ({ timeNs: step.timeNs, send: (entry) => { step.act(entry, `o${at}`, `o${Math.max(0, at - step.back)}`) } })))
