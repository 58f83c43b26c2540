import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DrawnId, type Id } from '../../src/model/id.js'
import type { OrderReport, OrderState } from '../../src/model/order.js'
import { RandomNumbers } from '../../src/model/random.js'
import { savedState } from '../../src/model/saved-state.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import { OrderRecorder } from '../../src/report/order-recorder.js'
import { RowStore } from '../../src/rows/row-store.js'
import { fakeEntry } from '../support/fake-market.js'
import { reportOf } from '../support/fake-venue.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { NaiveOrders, type OrderRecord } from '../support/naive-orders.ts'
import { throughJson } from '../support/through-json.ts'

const NO_MID = (): { value: number, scale: number } => ({ value: NaN, scale: 0 })
const directory = { entries: [fakeEntry()], get: () => fakeEntry() }
const SENDER = { clientId: 'c', accountId: 'A' }
const QUEUE = { entryQuantityAhead: NaN, touchedByGap: false }

const orNull = (value: number): number | null => Number.isFinite(value) ? value : null

/** The rows as records, null where there is no number. */
function recordsOf({ rows }: OrderRecorder): OrderRecord[] {
  return Array.from({ length: rows.table.length }, (_, index) => {
    const row = rows.table.firstRow + index
    return {
      ownOrderId: rows.ownOrderId.at(row)!, clientOrderId: rows.clientOrderId.at(row)!, exchangeOrderId: rows.exchangeOrderId.at(row),
      clientId: rows.clientId.at(row), accountId: rows.accountId.at(row), instrumentId: rows.instrumentId.at(row), side: rows.side.at(row),
      type: rows.type.at(row), timeInForce: rows.timeInForce.at(row), postOnly: rows.postOnly.at(row) === 1, price: orNull(rows.price.at(row)),
      totalQuantity: rows.totalQuantity.at(row), executedQuantity: rows.executedQuantity.at(row), state: rows.state.at(row), replaces: rows.replaces.at(row),
      sentNs: rows.sentNs.at(row), acceptedNs: orNull(rows.acceptedNs.at(row)), endedNs: orNull(rows.endedNs.at(row)), quantityAhead: orNull(rows.quantityAhead.at(row)),
      aheadScale: rows.aheadScale.at(row), touchedByGap: rows.touchedByGap.at(row) === 1, error: rows.error.at(row), arrivalTwice: orNull(rows.arrivalTwice.at(row)), arrivalScale: rows.arrivalScale.at(row),
    }
  })
}

test('an order that the exchange ended keeps the error that its update says', () => {
  const recorder = new OrderRecorder(directory, new RowStore(), NO_MID)
  const error = { type: 'SELF_TRADE', message: 'no', source: 'EXCHANGE' } as const
  for (const id of ['a', 'b']) recorder.placed(SENDER, placeEntry(id, {}), 1)
  recorder.changed({ ...reportOf(placeEntry('a', {})), state: 'CANCELED', exchangeTimeNs: 2, error }, QUEUE, 0)
  recorder.changed({ ...reportOf(placeEntry('b', {})), state: 'CANCELED', exchangeTimeNs: 2 }, QUEUE, 0)
  expect(recordsOf(recorder).map(({ state, endedNs, error: ended }) => [state, endedNs, ended])).toEqual([['CANCELED', 2, error], ['CANCELED', 2, null]])
})

test.each([true, false])('a replacement of an order that has just ended takes its terms, also after a checkpoint; rows kept: %s', (isKeeping) => {
  const first = new OrderRecorder(directory, new RowStore(isKeeping), NO_MID)
  const entry = placeEntry('a', { side: 'ASK', price: 103, totalQuantity: 7, postOnly: false })
  first.placed(SENDER, entry, 1)
  first.changed({ ...reportOf(entry), executedQuantity: 3, state: 'CANCELED', exchangeTimeNs: 2 }, QUEUE, 0)
  const second = new OrderRecorder(directory, new RowStore(isKeeping), NO_MID)
  second.restore(throughJson(first.state()))
  for (const recorder of [first, second]) {
    recorder.replaced(SENDER, { currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b' }, 3)
    const { rows } = recorder
    const row = recorder.rowOf('b')
    expect([rows.replaces.at(row), rows.instrumentId.at(row), rows.side.at(row), rows.postOnly.at(row), rows.price.at(row), rows.totalQuantity.at(row)]).toEqual(['a', 1, 'ASK', 0, 103, 4])
    expect(recordsOf(recorder)).toHaveLength(isKeeping ? 2 : 0)
  }
})

test('rows of a time in which none were kept are not shown', () => {
  const first = new OrderRecorder(directory, new RowStore(false), NO_MID)
  for (const id of ['a', 'b']) first.placed(SENDER, placeEntry(id, {}), 1)
  const second = new OrderRecorder(directory, new RowStore(), NO_MID)
  second.restore(throughJson(first.state()))
  second.placed(SENDER, placeEntry('c', {}), 2)
  expect(recordsOf(second).map(({ ownOrderId }) => ownOrderId)).toEqual(['c'])
  expect(second.rowOf('a')).toBe(0)
})

const STATES: readonly OrderState[] = ['CONFIRMED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED']
const random = new RandomNumbers(1, 'order ids', 0)
const uuidOf = (number: number): string => uuidFromRandom(random, number)
const id = fc.oneof(fc.nat(8).map(uuidOf), fc.constantFrom('x', 'y', 'A1'))
const error = { type: 'NO', message: 'no', source: 'EXCHANGE' } as const
const price = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 999 }))
const step = fc.oneof(
  fc.record({ kind: fc.constant('place' as const), isDiscarded: fc.boolean(), id, client: id, side: fc.constantFrom('BID' as const, 'ASK' as const), price, quantity: fc.nat(50), postOnly: fc.boolean(), sender: fc.constantFrom('c', 'd') }),
  fc.record({ kind: fc.constant('replace' as const), id, current: id, price: fc.option(fc.nat(9), { nil: undefined }) }),
  fc.record({ kind: fc.constant('refuse' as const), id }),
  fc.record({ kind: fc.constant('change' as const), id, client: id, exchange: id, price, executed: fc.nat(9), state: fc.constantFrom(...STATES), ahead: fc.constantFrom(NaN, Infinity, 0, 7), gap: fc.boolean(), quantityScale: fc.nat(3) }),
  fc.record({ kind: fc.constant('resume' as const) }),
)

test('rows and sums are those of the recorder of objects before it', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isDrawn) => {
    // One id is one object in a run, another one after a checkpoint.
    let drawn = new Map(isDrawn ? Array.from({ length: 9 }, (_, number) => [uuidOf(number), new DrawnId(random, number)] as const) : [])
    const drawnOf = (text: string): Id => drawn.get(text) ?? text
    const mid = (): { value: number, scale: number } => ({ value: steps.length % 3 === 0 ? NaN : 1999, scale: 1 })
    const naive = new NaiveOrders(directory, mid)
    let now = new OrderRecorder(directory, new RowStore(), mid)
    steps.forEach((one, timeNs) => {
      if (one.kind === 'resume') {
        const [state, ids] = throughJson([now.state(), drawn] as const)
        now = new OrderRecorder(directory, new RowStore(), mid)
        drawn = ids
        return now.restore(state)
      }
      for (const recorder of [naive, now]) {
        const of = recorder === now ? drawnOf : (text: string): Id => text
        if (one.kind === 'place') {
          const entry = placeEntry('', { ownOrderId: of(one.id), clientOrderId: of(one.client), side: one.side, price: one.price, totalQuantity: one.quantity, postOnly: one.postOnly })
          const sender = { clientId: one.sender, accountId: 'A' }
          if (one.isDiscarded) recorder.discarded(sender, entry, timeNs, error)
          else recorder.placed(sender, entry, timeNs)
        } else if (one.kind === 'replace')
          recorder.replaced(SENDER, { currentOwnOrderId: of(one.current), newOwnOrderId: of(one.id), currentClientOrderId: 'q', newClientOrderId: 'r', ...(one.price === undefined ? {} : { price: one.price }) }, timeNs)
        else if (one.kind === 'refuse') recorder.refused(of(one.id), timeNs, error)
        else {
          const report: OrderReport = { ...reportOf(placeEntry('', { ownOrderId: of(one.id) })), clientOrderId: of(one.client), exchangeOrderId: of(one.exchange), price: one.price, executedQuantity: one.executed, state: one.state, exchangeTimeNs: timeNs }
          recorder.changed(report, { entryQuantityAhead: one.ahead, touchedByGap: one.gap }, one.quantityScale)
        }
      }
    })
    for (const recorder of [naive, now]) recorder.finish()
    expect(recordsOf(now)).toEqual(naive.rows)
    expect(savedState(now.sums)).toEqual(savedState(naive.sums))
  }), { numRuns: 500 })
})
