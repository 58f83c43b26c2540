import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GrowingStretch, type StretchPart } from '../../src/panels/growing-stretch.js'
import { STRETCH_EVENTS, type StretchColumns } from '../../src/panels/stretch-columns.js'
import { StretchReplay } from '../../src/panels/stretch-replay.js'

interface Row { readonly event: number }

/** A whole stretch as lists of rows: what the columns of any part of it are cut out of. */
interface Rows {
  readonly count: number
  readonly levels: readonly (Row & { readonly instrument: number; readonly side: number; readonly price: number; readonly quantity: number })[]
  readonly orders: readonly number[]
  readonly orderRows: readonly (Row & { readonly order: number; readonly state: string })[]
  readonly fills: readonly (Row & { readonly order: number; readonly receipt: number })[]
  readonly lines: readonly Row[]
}

const INSTRUMENTS = ['a:A', 'a:B']

const column = <R extends Row, K extends keyof R>(rows: readonly R[], name: K): R[K][] => rows.map((row) => row[name])

/** The columns of the events from one up to another, as somebody has them who knows nothing later. */
function columnsOf({ count, levels, orders, orderRows, fills, lines }: Rows, from: number, to: number): StretchPart & StretchColumns {
  const within = <R extends Row>(rows: readonly R[]): R[] => rows.filter(({ event }) => event >= from && event < to)
  const own = within(fills)
  const late = fills.map((fill, at) => ({ ...fill, at })).filter(({ event, receipt }) => event < from && receipt >= from && receipt < to).sort((a, b) => a.receipt - b.receipt)
  return {
    format: 'backtape-stretch/1', name: 'r', facts: [], fromEpochNs: '0', levelCount: 5, positions: [], unseenCount: to,
    events: eventsOf(from, Math.min(to, count)),
    instruments: INSTRUMENTS.map((name, instrument) => {
      const rows = within(levels).filter((row) => row.instrument === instrument)
      return {
        name, priceScale: 1, quantityScale: 0,
        levels: { event: column(rows, 'event'), side: column(rows, 'side'), price: column(rows, 'price'), quantity: column(rows, 'quantity') },
        trades: { event: [], side: [], price: [], quantity: [] }, states: { event: [], state: [] },
      }
    }),
    orders: orders.map((event, number) => ({ event, number })).filter(({ event }) => event >= from && event < to)
      .map(({ number }) => ({ account: 'acc', client: 'c', ownOrderId: String(number), instrument: number % 2, side: 'BID', type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL' })),
    orderRows: {
      event: column(within(orderRows), 'event'), order: column(within(orderRows), 'order'), state: column(within(orderRows), 'state'), price: within(orderRows).map(() => 7),
      total: within(orderRows).map(() => 9), executed: within(orderRows).map(() => 0), ahead: within(orderRows).map(() => null),
    },
    fills: {
      order: column(own, 'order'), event: column(own, 'event'), receipt: own.map(({ receipt }) => (receipt < to ? receipt : -1)), price: own.map(() => 7), quantity: own.map(() => 1),
      cause: own.map(() => 'trade'), ahead: own.map(() => null), isMaker: own.map(() => true), fee: own.map(() => '0'), position: own.map(({ event }) => String(event)),
    },
    receipts: { event: late.map(({ receipt }) => receipt), fill: late.map(({ at }) => at) },
    lines: { event: column(within(lines), 'event'), text: within(lines).map(() => '{}') },
  }
}

function eventsOf(from: number, to: number): StretchColumns['events'] {
  const all = Array.from({ length: to - from }, (_, at) => from + at)
  return { kind: all.map((event) => (event === 0 ? 0 : event % STRETCH_EVENTS.length)), timeNs: all.map((event) => event * 10), instrument: all.map(() => 0) }
}

const COUNT = 24
const event = fc.nat(COUNT - 1)
const sorted = <R extends Row>(rows: readonly R[]): R[] => [...rows].sort((a, b) => a.event - b.event)
const stretches: fc.Arbitrary<Rows> = fc.record({
  levels: fc.array(fc.record({ event, instrument: fc.nat(1), side: fc.nat(1), price: fc.integer({ min: 95, max: 105 }), quantity: fc.nat(4) }), { maxLength: 40 }),
  orders: fc.array(event, { minLength: 1, maxLength: 5 }),
  changes: fc.array(fc.record({ event, order: fc.nat(), state: fc.constantFrom('CONFIRMED', 'FILLED', 'CANCELED') }), { maxLength: 20 }),
  fills: fc.array(fc.record({ event, order: fc.nat(), later: fc.nat(6) }), { maxLength: 10 }),
  lines: fc.array(fc.record({ event }), { maxLength: 10 }),
}).map(({ levels, orders, changes, fills, lines }) => {
  const begins = [...orders].sort((a, b) => a - b)
  const known = <R extends { readonly event: number; readonly order: number }>(rows: readonly R[]): R[] => rows
    .map((row) => ({ ...row, order: row.order % begins.length })).filter((row) => row.event >= (begins[row.order] as number))
  return {
    count: COUNT, levels: sorted(levels), orders: begins, lines: sorted(lines),
    orderRows: sorted([...begins.map((at, order) => ({ event: at, order, state: 'SENT' })), ...known(changes)]),
    fills: sorted(known(fills)).map(({ event: at, order, later }) => ({ event: at, order, receipt: later === 0 ? -1 : Math.min(COUNT - 1, at + later) })),
  }
})

/** Everything that the page shows behind an event. */
function shown(replay: StretchReplay, at: number): unknown {
  return [
    replay.ladders.map((ladder) => structuredClone(ladder.at(at))), replay.orders(at), replay.fills(at, 9), replay.fillsAt(at), replay.lines(at, 9), replay.positions(0, at),
    (['fill', 'order', 'trade'] as const).map((kind) => [replay.next(at, kind), replay.previous(at, kind)]), replay.ladders.map(({ touch }) => touch),
  ]
}

const asStretch = (columns: StretchPart & StretchColumns): StretchColumns => {
  const { receipts: _, ...stretch } = columns
  return stretch
}

describe('a stretch that grows', () => {
  test('is the same as the one that was recorded at once, however it is cut, and so is its replay', () => {
    fc.assert(fc.property(stretches, fc.array(fc.integer({ min: 1, max: COUNT }), { minLength: 1, maxLength: 6 }), (rows, cuts) => {
      const places = [...new Set([...cuts, COUNT])].sort((a, b) => a - b)
      const growing = new GrowingStretch(asStretch(columnsOf(rows, 0, places[0] as number)))
      const replay = new StretchReplay(growing.columns, 3)
      let last = places[0] as number
      for (const place of places) {
        if (place > last) growing.add(columnsOf(rows, last, place))
        replay.grow()
        last = place
        const whole = asStretch(columnsOf(rows, 0, place))
        expect({ ...growing.columns, unseenCount: place }).toEqual(whole)
        const fresh = new StretchReplay(whole, 3)
        for (let at = 0; at < place; at += 3) expect(shown(replay, at)).toEqual(shown(fresh, at))
      }
    }), { numRuns: 100 })
  })

  test('says what follows any place of it, receipts of earlier fills too', () => {
    fc.assert(fc.property(stretches, fc.integer({ min: 1, max: COUNT - 2 }), fc.integer({ min: 1, max: COUNT - 1 }), (rows, first, second) => {
      const [one, two] = [Math.min(first, second), Math.max(first, second)]
      const growing = new GrowingStretch(asStretch(columnsOf(rows, 0, one)))
      const copy = new GrowingStretch(growing.columns)
      const begin = growing.place
      if (two > one) growing.add(columnsOf(rows, one, two))
      const middle = growing.place
      growing.add(columnsOf(rows, two, COUNT))
      // Who is slow gets both parts as one.
      copy.add(growing.since(begin))
      expect(copy.columns).toEqual({ ...growing.columns, unseenCount: copy.columns.unseenCount })
      const { orders: _, ...rest } = growing.since(middle)
      expect(rest.receipts).toEqual(columnsOf(rows, two, COUNT).receipts)
      expect(growing.since(growing.place).events.kind).toEqual([])
      expect(growing.rowCount).toBe(COUNT + rows.levels.length + rows.orderRows.length + rows.fills.length + rows.lines.length)
    }), { numRuns: 100 })
  })

  test.each([
    ['another instrument in a place', { name: 'a:C' }], ['a finer scale of prices', { priceScale: 2 }], ['a finer scale of quantities', { quantityScale: 1 }],
  ])('refuses %s', (_, other) => {
    const rows: Rows = { count: COUNT, levels: [], orders: [], orderRows: [], fills: [], lines: [] }
    const growing = new GrowingStretch(asStretch(columnsOf(rows, 0, 3)))
    const part = columnsOf(rows, 3, 5)
    expect(() => { growing.add({ ...part, instruments: part.instruments.map((one) => ({ ...one, ...other })) }) }).toThrow(RangeError)
    expect(growing.place.event).toBe(3)
  })

  test('refuses a part without its instruments, and takes one with more of them', () => {
    const rows: Rows = { count: COUNT, levels: [], orders: [], orderRows: [], fills: [], lines: [] }
    const growing = new GrowingStretch(asStretch(columnsOf(rows, 0, 3)))
    const part = columnsOf(rows, 3, 5)
    expect(() => { growing.add({ ...part, instruments: [] }) }).toThrow('a:A')
    growing.add({ ...part, instruments: [...part.instruments, { ...part.instruments[0]!, name: 'a:C' }] })
    expect(growing.columns.instruments.map(({ name }) => name)).toEqual(['a:A', 'a:B', 'a:C'])
  })
})
