import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contractFromInstrument, contractValue, type Contract } from '../../src/model/contract.js'
import { BacktapeError } from '../../src/model/error.js'
import { Amount } from '../../src/model/amount.js'
import { ExactSum } from '../../src/model/exact-sum.js'
import type { Instrument } from '../../src/model/instrument.js'
import { savedState } from '../../src/model/saved-state.js'
import { emptyPosition, postFill, unrealizedPnl } from '../../src/model/position-sums.js'
import { RowStore } from '../../src/rows/row-store.js'
import { madeInstrument } from '../support/market-lines.ts'
import { DecimalTrips, type TripRecord } from '../support/decimal-trips.ts'
import { naiveTrips, type NaiveFill } from '../support/naive-trips.ts'
import { TextTrips } from '../support/trip-texts.ts'

const KINDS: Readonly<Record<string, Partial<Instrument>>> = {
  linear: { multiplier: '0.01' },
  inverse: { isInverse: true, contractValue: '100' },
  quanto: { isQuanto: true, contractValue: '0.000001', valuationUnderlyingId: 1 },
  spot: { type: 'spot' },
  option: { type: 'call', strikePrice: '100', multiplier: '0.1' },
}
const contractOf = (kind: string): Contract => contractFromInstrument(madeInstrument(KINDS[kind]))
const PLACE = { accountId: 'a', instrumentId: 1, leg: 'net' }
const ZERO = Amount.ZERO
const sum = (values: readonly string[]): Amount => values.reduce((total, value) => total.plus(Amount.from(value)), ZERO)

type Event = NaiveFill | { readonly sample: number }

/** Plays fills and samples, values everything at a mark at 1000 ns, and goes through JSON before the event `cut`. */
function played(contract: Contract, events: readonly Event[], mark: number | null, cut = -1): TextTrips {
  const trips = new TextTrips()
  events.forEach((event, at) => {
    if (at === cut) trips.resume(() => contract)
    if ('sample' in event) return trips.sampled(1, Amount.from(event.sample))
    const { timeNs, sign, fee, id: fillId } = event
    const [quantity, price] = [Amount.from(event.quantity), Amount.from(event.price)]
    trips.filled(PLACE, contract, { timeNs, sign, quantity, price, value: contractValue(contract, quantity, price), fee: Amount.from(fee), otherFee: ZERO, fillId, cause: 'fill' })
  })
  trips.trips.finish(() => (mark === null ? null : Amount.from(mark)))
  return trips
}

/** The same fills on the ledger: realised and unrealised profit. */
function ledgerOf(contract: Contract, events: readonly Event[], mark: number): { realized: Amount, unrealized: Amount, isFlat: boolean } {
  const position = emptyPosition()
  for (const event of events)
    if (!('sample' in event)) postFill(contract, position, event.sign > 0 ? 'BID' : 'ASK', Amount.from(event.quantity), Amount.from(event.price))
  return { realized: position.realizedPnl, unrealized: unrealizedPnl(contract, position, Amount.from(mark)), isFlat: position.quantity.isZero() }
}

const fillOf = (timeNs: number, sign: 1 | -1, quantity: number, price: number, fee = '0'): NaiveFill => ({ timeNs, sign, quantity, price, fee, id: `f${timeNs}` })
const eventsOf: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ sign: fc.constantFrom(1 as const, -1 as const), quantity: fc.integer({ min: 1, max: 9 }), price: fc.integer({ min: 90, max: 110 }), fee: fc.constantFrom('0', '0.1', '-0.07', '0.000000000000000001') }) },
    { weight: 2, arbitrary: fc.record({ sample: fc.integer({ min: 80, max: 120 }) }) },
  ), { maxLength: 40 },
).map((events) => events.map((event, at) => ('sample' in event ? event : { ...event, timeNs: at + 1, id: `f${at + 1}` })))

/** A kind of contract, and by how much all prices are lower: they go through 0 where they may. */
const kind = fc.constantFrom(...Object.keys(KINDS))
const below = fc.constantFrom(0, 0, 100, 130)
const lowered = (events: readonly Event[], by: number): Event[] => events.map((event) => ('sample' in event ? { sample: event.sample - by } : { ...event, price: event.price - by }))
const RUNS = 300

describe('round trips', () => {
  test('are those of units matched one by one', () => {
    fc.assert(fc.property(kind, eventsOf, below, (name, plain, by) => {
      const contract = contractOf(name)
      const lower = name === 'inverse' ? 0 : by
      const [events, mark] = [lowered(plain, lower), 100 - lower]
      const rows = played(contract, events, mark).rows(() => contract)
      const naive = naiveTrips(events)
      const key = ({ entryFillId, exitFillId }: TripRecord): string => `${entryFillId} ${exitFillId}`
      expect(rows.map(key)).toEqual(naive.map(({ entry, exit }) => `${entry.id} ${exit?.id ?? null}`))
      rows.forEach((row, at) => {
        const { entry, exit, quantity, fees, high, low } = naive[at]!
        // What is open has also seen the price that values it.
        const prices = exit === null ? [Math.max(high, mark), Math.min(low, mark)] : [high, low]
        expect([row.sign, row.entryNs, row.exitNs, row.quantity, row.entryPrice, row.exitPrice, row.highPrice, row.lowPrice]).toEqual([
          entry.sign, entry.timeNs, exit?.timeNs ?? null, String(quantity), String(entry.price), String(exit?.price ?? mark), ...prices.map(String),
        ])
        // Shares of fees are whole at 10^-18; what is left of them is in the last share.
        expect(fees.minus(row.fees).abs().lte('2e-17')).toBe(true)
      })
    }), { numRuns: RUNS })
  })

  test('add up to the ledger to the last digit: gross profit, open ones at the mark included, and fees', () => {
    fc.assert(fc.property(kind, eventsOf, fc.integer({ min: 80, max: 120 }), below, (name, plain, plainMark, by) => {
      const contract = contractOf(name)
      const lower = name === 'inverse' ? 0 : by
      const [events, mark] = [lowered(plain, lower), plainMark - lower]
      const trips = played(contract, events, mark)
      const rows = trips.rows(() => contract)
      const { realized, unrealized, isFlat } = ledgerOf(contract, events, mark)
      expect(sum(rows.map(({ grossProfit }) => grossProfit)).toFixed()).toBe(realized.plus(unrealized).toFixed())
      expect(sum(rows.map(({ fees }) => fees)).toFixed()).toBe(sum(events.flatMap((event) => ('sample' in event ? [] : [event.fee]))).toFixed())
      const closed = rows.filter(({ exitNs }) => exitNs !== null)
      if (isFlat) expect(sum(closed.map(({ grossProfit }) => grossProfit)).toFixed()).toBe(realized.toFixed())
      const profits = closed.map(({ grossProfit, fees }) => Amount.from(grossProfit).minus(Amount.from(fees)))
      const sums = trips.trips.sums.get(contract.settlementUnderlyingId) ?? { count: 0, winCount: 0, lossCount: 0, openCount: 0, wins: new ExactSum(), losses: new ExactSum() }
      expect([sums.count, sums.winCount, sums.lossCount, sums.openCount]).toEqual([
        closed.length, profits.filter((one) => one.gt(ZERO)).length, profits.filter((one) => one.lt(ZERO)).length, rows.length - closed.length,
      ])
      expect(sums.wins.toDecimal().minus(sums.losses.toDecimal()).toFixed()).toBe(profits.reduce((total, one) => total.plus(one), ZERO).toFixed())
      for (const { grossProfit, favorableExcursion, adverseExcursion } of rows) {
        expect(Amount.from(favorableExcursion).gte(Amount.max(ZERO, Amount.from(grossProfit)))).toBe(true)
        expect(Amount.from(adverseExcursion).gte(Amount.max(ZERO, Amount.from(grossProfit).negated()))).toBe(true)
      }
    }), { numRuns: RUNS })
  })

  test('a checkpoint before any event changes nothing', () => {
    fc.assert(fc.property(kind, eventsOf, fc.nat(39), (name, events, cut) => {
      const contract = contractOf(name)
      const [whole, resumed] = [played(contract, events, 100), played(contract, events, 100, cut)]
      expect(resumed.rows(() => contract)).toEqual(whole.rows(() => contract))
      expect(savedState(resumed.trips.sums)).toEqual(savedState(whole.trips.sums))
    }), { numRuns: RUNS })
  })
})

describe('by hand', () => {
  const linear = contractFromInstrument(madeInstrument({}))

  test('a flip closes the oldest lots and opens the rest, with its share of the fee', () => {
    const rows = played(linear, [fillOf(1, 1, 2, 100, '0.2'), fillOf(2, 1, 1, 103), { sample: 95 }, fillOf(3, -1, 5, 104, '1')], 101).rows(() => linear)
    expect(rows.map(({ sign, quantity, entryPrice, exitPrice, grossProfit, fees, favorableExcursion, adverseExcursion, exit }) =>
      [sign, quantity, entryPrice, exitPrice, grossProfit, fees, favorableExcursion, adverseExcursion, exit])).toEqual([
      [1, '2', '100', '104', '8', '0.6', '8', '10', 'fill'], [1, '1', '103', '104', '1', '0.2', '1', '8', 'fill'], [-1, '2', '104', '101', '6', '0.4', '6', '0', 'open'],
    ])
  })

  test('a price before a lot was opened is none that it has seen', () => {
    const rows = played(linear, [fillOf(1, 1, 1, 100), { sample: 120 }, fillOf(2, 1, 1, 100), { sample: 110 }, fillOf(3, -1, 2, 105)], null).rows(() => linear)
    expect(rows.map(({ highPrice }) => highPrice)).toEqual(['120', '110'])
  })

  test('what nothing values has no exit price and no profit', () => {
    const [row] = played(linear, [fillOf(1, -1, 1, 97)], null).rows(() => linear)
    expect(row).toMatchObject({ exitNs: null, exitPrice: null, grossProfit: '0', exit: 'open' })
  })

  test('a settlement ends what is open, at 0 too', () => {
    const option = contractOf('option')
    const trips = new TextTrips()
    trips.filled(PLACE, option, { timeNs: 1, sign: 1, quantity: Amount.from(3), price: Amount.from(5), value: Amount.from('1.5'), fee: ZERO, otherFee: Amount.from('0.3'), fillId: 'x', cause: 'fill' })
    trips.trips.settled(PLACE, 9, ZERO, Amount.from('0.1'), 'settlement')
    expect(trips.rows(() => option)[0]).toMatchObject({ exitNs: 9, exitPrice: '0', grossProfit: '-1.5', fees: '0.1', otherFees: '0.3', exit: 'settlement', exitFillId: null })
    expect(trips.trips.isOpen).toBe(false)
  })

  test('a split keeps values; what is rounded to nothing ends', () => {
    const trips = new TextTrips()
    for (const [timeNs, price] of [[1, 100], [2, 110]] as const)
      trips.filled(PLACE, linear, { timeNs, sign: 1, quantity: Amount.from(1), price: Amount.from(price), value: Amount.from(price), fee: ZERO, otherFee: ZERO, fillId: null, cause: 'fill' })
    trips.trips.split(PLACE, 3, Amount.from(4))
    trips.filled(PLACE, linear, { timeNs: 4, sign: -1, quantity: Amount.from(3), price: Amount.from(60), value: Amount.from(180), fee: ZERO, otherFee: ZERO, fillId: null, cause: 'fill' })
    trips.trips.split(PLACE, 5, ZERO)
    expect(trips.rows(() => linear).map(({ quantity, entryPrice, grossProfit, exit }) => [quantity, entryPrice, grossProfit, exit])).toEqual([
      ['2', '50', '20', 'fill'], ['1', '55', '5', 'fill'], ['1', '55', '0', 'split'],
    ])
  })

  test('a position is open while any leg is', () => {
    const trips = new TextTrips()
    const fill = (leg: string, timeNs: number, sign: number): void =>
      trips.filled({ ...PLACE, leg }, linear, { timeNs, sign, quantity: Amount.from(1), price: Amount.from(9), value: Amount.from(9), fee: ZERO, otherFee: ZERO, fillId: null, cause: 'fill' })
    const isOpen = ([['long', 1], ['short', -1], ['long', -1], ['short', 1], ['net', 1]] as const).map(([leg, sign], at) => {
      fill(leg, at, sign)
      return trips.trips.isOpen
    })
    expect(isOpen).toEqual([true, true, true, false, true])
    trips.trips.finish(() => null)
    expect(trips.trips.isOpen).toBe(false)
  })
})

type Step =
  | { readonly kind: 'fill', readonly leg: number, readonly sign: 1 | -1, readonly quantity: string, readonly price: string, readonly isNegative: boolean, readonly fee: string, readonly otherFee: string }
  | { readonly kind: 'sample', readonly price: string, readonly instrument: number }
  | { readonly kind: 'settle', readonly leg: number, readonly price: string, readonly fee: string }
  | { readonly kind: 'split', readonly leg: number, readonly quantity: string }
  | { readonly kind: 'resume' }

const PLACES = [PLACE, { ...PLACE, leg: 'long' }, { ...PLACE, instrumentId: 2 }, { ...PLACE, accountId: 'b' }]
const leg = fc.nat(PLACES.length - 1)
const amount = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map(String), fc.tuple(fc.nat(99), fc.integer({ min: 1, max: 999 })).map(([whole, part]) => Amount.from(`${whole}.${part}`).toFixed()),
  fc.constantFrom('0.00000001', '61800.12345678', '123456789.123456789', '1000000', '3', '7', '0.3'),
)
const fee = fc.oneof(fc.constant('0'), amount, fc.constantFrom('-0.07', '0.000000000000000001', '0.1234567890123456789012', '0.01'))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('fill' as const), leg, sign: fc.constantFrom(1 as const, -1 as const), quantity: amount, price: amount, isNegative: fc.boolean(), fee, otherFee: fee }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sample' as const), price: amount, instrument: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), leg, price: fc.oneof(fc.constant('0'), amount), fee }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), leg, quantity: fc.oneof(fc.constant('0'), amount) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
)


/** Trips in decimals, which leave a program aside that comes to money of more than 39 digits: no ledger would post it. */
function withinLedger(trips: DecimalTrips): DecimalTrips {
  return new Proxy(trips, {
    get: (of, name) => {
      const value: unknown = Reflect.get(of, name, of)
      if (typeof value !== 'function') return value
      return (...given: readonly unknown[]): unknown => {
        try {
          return Reflect.apply(value, of, given) as unknown
        } catch (error) {
          fc.pre(!(error instanceof BacktapeError && error.code === 'VALUE_INEXACT'))
          throw error
        }
      }
    },
  })
}

describe('in integers', () => {
  test.each(Object.keys(KINDS))('are those in decimals, whatever the digits: %s', (name) => {
    const contract = contractOf(name)
    const of = (place: { instrumentId: number }): Contract => ({ ...contract, instrumentId: place.instrumentId })
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isValued) => {
      const [decimal, now] = [withinLedger(new DecimalTrips()), new TextTrips(new RowStore())]
      steps.forEach((one, at) => {
        if (one.kind === 'resume') return now.resume(of)
        if (one.kind === 'sample') return [decimal, now].forEach((trips) => { trips.sampled(one.instrument, Amount.from(one.price)) })
        const place = PLACES[one.leg]!
        if (one.kind === 'settle') return [decimal, now.trips].forEach((trips) => { trips.settled(place, at, name === 'inverse' && one.price === '0' ? ZERO : Amount.from(one.price), Amount.from(one.fee), 'settlement') })
        if (one.kind === 'split') return [decimal, now.trips].forEach((trips) => { trips.split(place, at, Amount.from(one.quantity)) })
        const [quantity, price] = [Amount.from(one.quantity), Amount.from(one.price).signed(one.isNegative && name !== 'inverse' ? -1 : 1)]
        const fill = { timeNs: at, sign: one.sign, quantity, price, value: contractValue(contract, quantity, price), fee: Amount.from(one.fee), otherFee: Amount.from(one.otherFee), fillId: `f${at}`, cause: 'fill' }
        for (const trips of [decimal, now]) trips.filled(place, of(place), fill)
        expect(now.trips.quantityOf(place).toFixed()).toBe(decimal.quantityOf(place).toFixed())
      })
      for (const trips of [decimal, now.trips]) trips.finish(() => (isValued ? Amount.from('99.5') : null))
      expect(now.rows(of)).toEqual(decimal.rows)
      expect([...now.trips.sums].map(([id, { wins, losses, ...counts }]) => [id, wins.toFixed(), losses.toFixed(), counts]))
        .toEqual([...decimal.sums].map(([id, { wins, losses, ...counts }]) => [id, wins.toFixed(), losses.toFixed(), counts]))
    }), { numRuns: 2 * RUNS })
  })
})
