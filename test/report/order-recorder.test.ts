import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DrawnId, type Id } from '../../src/model/id.js'
import type { EntryError, OrderReport, OrderState } from '../../src/model/order.js'
import { RandomNumbers } from '../../src/model/random.js'
import { savedState } from '../../src/model/saved-state.js'
import { uuidFromRandom } from '../../src/model/uuid.js'
import { OrderAtExchange } from '../../src/orders/order-at-exchange.js'
import { OrderTable } from '../../src/orders/order-table.js'
import { OrderRecorder } from '../../src/report/order-recorder.js'
import { RowStore } from '../../src/rows/row-store.js'
import type { PlaceEntry, ReplaceEntry } from '../../src/venue/messages.js'
import { fakeEntry } from '../support/fake-market.js'
import { reportOf } from '../support/fake-venue.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { madeOrder, SAME_SCALES } from '../support/made-orders.ts'
import { NaiveOrders, type OrderRecord } from '../support/naive-orders.ts'
import { throughJson } from '../support/through-json.ts'

const NO_MID = (): { value: number, scale: number } => ({ value: NaN, scale: 0 })
const directory = { entries: [fakeEntry()], get: () => fakeEntry() }
const SENDER = { clientId: 'c', accountId: 'A' }

const orNull = (value: number): number | null => Number.isFinite(value) ? value : null

/** The rows as records, null where there is no number. */
function recordsOf({ rows, rows: { orders, orders: { client, exchange } } }: OrderRecorder): OrderRecord[] {
  return Array.from({ length: orders.rows.length }, (_, index) => {
    const row = orders.rows.firstRow + index
    const isAccepted = orders.isAccepted(row)
    return {
      ownOrderId: client.ownOrderId.at(row)!, clientOrderId: orders.clientOrderIdAt(row), exchangeOrderId: exchange.exchangeOrderId.at(row),
      clientId: client.clientId.at(row), accountId: client.accountId.at(row), instrumentId: client.instrumentId.at(row), side: client.side.at(row),
      type: client.type.at(row), timeInForce: client.timeInForce.at(row), postOnly: client.postOnly.at(row) === 1, price: orNull(orders.priceAt(row)),
      totalQuantity: orders.totalQuantityAt(row), executedQuantity: exchange.executedQuantity.at(row), state: orders.stateAt(row), replaces: client.replaces.at(row),
      sentNs: client.sentNs.at(row), acceptedNs: orNull(exchange.acceptedNs.at(row)), endedNs: orNull(isAccepted ? exchange.endedNs.at(row) : rows.refusedNs.at(row)), quantityAhead: orNull(rows.quantityAhead.at(row)),
      aheadScale: rows.aheadScale.at(row), touchedByGap: isAccepted && exchange.touchedByGap.at(row) === 1, error: rows.error.at(row), arrivalTwice: orNull(rows.arrivalTwice.at(row)), arrivalScale: rows.arrivalScale.at(row),
    }
  })
}

/** A statement of the exchange about an order. */
interface Change {
  readonly clientOrderId: Id
  readonly price: number | null
  readonly executedQuantity: number
  readonly state: OrderState
  readonly entryQuantityAhead: number
  readonly touchedByGap: boolean
}

const PLAIN: Change = { clientOrderId: '', price: null, executedQuantity: 0, state: 'CONFIRMED', entryQuantityAhead: NaN, touchedByGap: false }

/** A recorder beside a table and the exchange that writes it, by own id. */
class Recording {
  readonly table: OrderTable
  readonly recorder: OrderRecorder
  readonly #orders: Map<number, OrderAtExchange> = new Map()
  /** Orders that took the id of one before them: the adapter will refuse them. */
  #twins: (readonly [id: string, row: number])[] = []

  constructor(isKeeping = true, mid = NO_MID) {
    this.table = new OrderTable(new RowStore(isKeeping), true)
    this.recorder = new OrderRecorder(directory, this.table, mid)
  }

  sent(owner: typeof SENDER, entry: PlaceEntry | ReplaceEntry, timeNs: number): number {
    const own = this.table.of('A')
    const row = 'newOwnOrderId' in entry ? this.table.addInPlace(owner, entry, timeNs) : this.table.add(owner, entry, timeNs)
    const id = 'newOwnOrderId' in entry ? entry.newOwnOrderId : entry.ownOrderId
    if (own.rowOf(id) >= 0) this.#twins.push([String(id), row])
    else own.add(id, row)
    this.recorder.sent(row)
    return row
  }

  refused(id: Id, timeNs: number): void {
    const twin = this.#twins.findIndex(([other]) => other === String(id))
    const row = twin >= 0 ? this.#twins.splice(twin, 1)[0]![1] : this.table.of('A').rowOf(id)
    if (row < 0 || this.table.stateAt(row) !== 'PENDING_NEW') return
    if (twin < 0) this.table.of('A').end(id)
    this.table.over(row)
    this.recorder.refused(row, timeNs, error)
  }

  changed(id: Id, exchangeOrderId: Id, change: Change, timeNs: number, quantityScale = 0, why: EntryError | null = null): void {
    const row = this.table.of('A').rowOf(id)
    if (row < 0) return
    const order = this.#orders.get(row) ?? madeOrder({ exchangeOrderId, clientOrderId: change.clientOrderId }, SAME_SCALES, this.table, row)
    this.#orders.set(row, order)
    Object.assign(order, { ...change, totalQuantity: 1 })
    order.report(timeNs)
    if (change.state === 'FILLED' || change.state === 'CANCELED') {
      this.table.of('A').end(id)
      this.table.over(row)
    }
    this.recorder.changed(order, why, quantityScale)
  }

  /** The same after a checkpoint, with ids of its orders; the exchange has its orders anew. */
  resumed(isKeeping: boolean, mid = NO_MID, ids: Map<string, Id> = new Map()): [Recording, Map<string, Id>] {
    const next = new Recording(isKeeping, mid)
    const [table, recorder, drawn] = throughJson([this.table.state(), this.recorder.state(), ids] as const)
    next.table.restore(table)
    next.recorder.restore(recorder)
    next.#twins = [...this.#twins]
    for (const [row, order] of this.#orders) next.#orders.set(row, new OrderAtExchange(next.table, row, SAME_SCALES, order))
    return [next, drawn]
  }
}

const error = { type: 'NO', message: 'no', source: 'EXCHANGE' } as const

test('an order that the exchange ended keeps the error that its update says', () => {
  const recording = new Recording()
  for (const id of ['a', 'b']) recording.sent(SENDER, placeEntry(id, {}), 1)
  recording.changed('a', 'e', { ...PLAIN, state: 'CANCELED' }, 2, 0, error)
  recording.changed('b', 'f', { ...PLAIN, state: 'CANCELED' }, 2)
  expect(recordsOf(recording.recorder).map(({ state, endedNs, error: ended }) => [state, endedNs, ended])).toEqual([['CANCELED', 2, error], ['CANCELED', 2, null]])
})

test.each([true, false])('a replacement of an order that has just ended takes its terms, also after a checkpoint; rows kept: %s', (isKeeping) => {
  const first = new Recording(isKeeping)
  first.sent(SENDER, placeEntry('a', { side: 'ASK', price: 103, totalQuantity: 7, postOnly: false }), 1)
  first.changed('a', 'e', { ...PLAIN, price: 103, executedQuantity: 0, state: 'CANCELED' }, 2)
  for (const recording of [first.resumed(isKeeping)[0], first]) {
    const row = recording.sent(SENDER, { currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b' }, 3)
    const { client } = recording.table
    expect([client.replaces.at(row), client.instrumentId.at(row), client.side.at(row), client.postOnly.at(row), client.price.at(row), client.totalQuantity.at(row)]).toEqual(['a', 1, 'ASK', 0, 103, 1])
    expect(recordsOf(recording.recorder)).toHaveLength(isKeeping ? 2 : 0)
  }
})

test('rows of a time in which none were kept are not shown', () => {
  const first = new Recording(false)
  for (const id of ['a', 'b']) first.sent(SENDER, placeEntry(id, {}), 1)
  const [second] = first.resumed(true)
  second.sent(SENDER, placeEntry('c', {}), 2)
  expect(recordsOf(second.recorder).map(({ ownOrderId }) => ownOrderId)).toEqual(['c'])
  expect(second.table.rowOf('A', 'a')).toBe(0)
})

const STATES: readonly OrderState[] = ['CONFIRMED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED']
const random = new RandomNumbers(1, 'order ids', 0)
const uuidOf = (number: number): string => uuidFromRandom(random, number)
const id = fc.oneof(fc.nat(8).map(uuidOf), fc.constantFrom('x', 'y', 'A1'))
const price = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 999 }))
const step = fc.oneof(
  fc.record({ kind: fc.constant('place' as const), isDiscarded: fc.boolean(), id, client: id, side: fc.constantFrom('BID' as const, 'ASK' as const), price, quantity: fc.nat(50), postOnly: fc.boolean(), sender: fc.constantFrom('c', 'd') }),
  fc.record({ kind: fc.constant('replace' as const), id, current: id, price: fc.option(fc.nat(9), { nil: undefined }) }),
  fc.record({ kind: fc.constant('refuse' as const), id }),
  fc.record({ kind: fc.constant('change' as const), id, client: id, price, executed: fc.nat(9), state: fc.constantFrom(...STATES), ahead: fc.constantFrom(NaN, Infinity, 0, 7), gap: fc.boolean(), quantityScale: fc.nat(3) }),
  fc.record({ kind: fc.constant('resume' as const) }),
)

test('rows and sums are those of the recorder of objects before it', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isDrawn) => {
    // One id is one object in a run, another one after a checkpoint.
    let drawn: Map<string, Id> = new Map(isDrawn ? Array.from({ length: 9 }, (_, number) => [uuidOf(number), new DrawnId(random, number)] as const) : [])
    const drawnOf = (text: string): Id => drawn.get(text) ?? text
    const mid = (): { value: number, scale: number } => ({ value: steps.length % 3 === 0 ? NaN : 1999, scale: 1 })
    const naive = new NaiveOrders(directory, mid)
    let now = new Recording(true, mid)
    steps.forEach((one, timeNs) => {
      if (one.kind === 'resume') [now, drawn] = now.resumed(true, mid, drawn)
      else if (one.kind === 'place') {
        const entryOf = (of: (text: string) => Id): PlaceEntry => placeEntry('', { ownOrderId: of(one.id), clientOrderId: of(one.client), side: one.side, price: one.price, totalQuantity: one.quantity, postOnly: one.postOnly })
        const sender = { clientId: one.sender, accountId: 'A' }
        if (one.isDiscarded) {
          naive.discarded(sender, entryOf(String), timeNs, error)
          now.recorder.discarded(sender, entryOf(drawnOf), timeNs, error)
        } else {
          naive.placed(sender, entryOf(String), timeNs)
          now.sent(sender, entryOf(drawnOf), timeNs)
        }
      } else if (one.kind === 'replace') {
        const entryOf = (of: (text: string) => Id): ReplaceEntry => ({ currentOwnOrderId: of(one.current), newOwnOrderId: of(one.id), currentClientOrderId: 'q', newClientOrderId: 'r', ...(one.price === undefined ? {} : { price: one.price }) })
        naive.replaced(SENDER, entryOf(String), timeNs)
        now.sent(SENDER, entryOf(drawnOf), timeNs)
      } else if (one.kind === 'refuse') {
        naive.refused(one.id, timeNs, error)
        now.refused(drawnOf(one.id), timeNs)
      } else {
        const { client, price, executed, state, ahead, gap, quantityScale } = one
        const report: OrderReport = { ...reportOf(placeEntry('', { ownOrderId: one.id })), clientOrderId: client, exchangeOrderId: `of ${one.id}`, price, executedQuantity: executed, state, exchangeTimeNs: timeNs }
        naive.changed(report, { entryQuantityAhead: ahead, touchedByGap: gap }, quantityScale)
        now.changed(drawnOf(one.id), `of ${one.id}`, { clientOrderId: drawnOf(client), price, executedQuantity: executed, state, entryQuantityAhead: ahead, touchedByGap: gap }, timeNs, quantityScale)
      }
    })
    naive.finish()
    now.recorder.finish()
    expect(recordsOf(now.recorder)).toEqual(naive.rows)
    expect(savedState(now.recorder.sums)).toEqual(savedState(naive.sums))
  }), { numRuns: 500 })
})
