import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVENT_KINDS } from '../../src/model/event-kind.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { DataInstrument } from '../../src/strategy/data-instrument.js'
import { fakeEntry, type FakeMarket } from '../support/fake-market.js'
import { recording, startFake } from '../support/recording-strategy.js'

function instrumentOf(changes: Partial<Instrument> = {}): DataInstrument {
  return startFake(recording([]), { entries: [fakeEntry(changes)] }).strategy.instrument
}

const UNSTATED = { tickSize: null, tickBands: [] }
/** Ticks of 0.5 below 1000, of 5 from there; of 0.2 below 100.3. */
const BANDS = [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }]
const UNEVEN = [{ floor: '0', tickSize: '0.2' }, { floor: '100.3', tickSize: '0.5' }]

describe('steps of ticks', () => {
  test.each<readonly [what: string, changes: Partial<Instrument>, from: string, count: number, to: string]>([
    ['up through a floor between two ticks', { tickBands: UNEVEN }, '100', 2, '100.3'],
    ['and on from it', { tickBands: UNEVEN }, '100', 3, '100.5'],
    ['from the tick below it', { tickBands: UNEVEN }, '100.2', 1, '100.3'],
    ['down to it', { tickBands: UNEVEN }, '100.5', -1, '100.3'],
    ['and on', { tickBands: UNEVEN }, '100.5', -3, '100'],
    ['many at once, both ways', { tickBands: UNEVEN }, '0', 1002, '350'],
    ['many at once, both ways', { tickBands: UNEVEN }, '350', -1002, '0'],
    ['bands in any order of their floors', { tickBands: [...BANDS].reverse() }, '995', 12, '1010'],
    ['bands finer than the price is written', { tickBands: [{ floor: '0', tickSize: '0.0005' }] }, '1', 3, '1.0015'],
    ['an instrument with bands alone: below the first its tick counts too', { tickSize: null, tickBands: [{ floor: '10', tickSize: '0.5' }] }, '5', 1, '5.5'],
    ['no step of ticks that are stated', {}, '100.3', 0, '100.3'],
  ])('%s', (_what, changes, from, count, to) => {
    const instrument = instrumentOf(changes)
    expect(instrument.stepPrice(instrument.price(from), count).toString()).toBe(to)
  })

  test.each<readonly [what: string, changes: Partial<Instrument>, from: string, count: number, error: object]>([
    ['a part of a tick', {}, '1', 1.5, { code: 'OPTION_INVALID', place: { field: 'count', expected: 'a whole number', found: '1.5' } }],
    ['an instrument that states none', UNSTATED, '1', 1, { code: 'OPTION_INVALID', place: { field: 'ticksize' }, message: 'Cannot step a price of BTCUSDT: its master data has no tick size' }],
    ['a tick of 0', { tickSize: '0' }, '1', 1, { code: 'OPTION_INVALID', place: { field: 'ticksize' } }],
    ['a band whose tick is 0', { tickBands: [{ floor: '0', tickSize: '0' }] }, '1', 1, { code: 'OPTION_INVALID', place: { field: 'ticksize' } }],
    ['a price that does not fit its ticks', { tickSize: '0.00000001' }, '900000000', 1, { code: 'VALUE_INEXACT', place: { found: '900000000' } }],
    ['a price beyond what fits', {}, '1', Number.MAX_SAFE_INTEGER, { code: 'VALUE_INEXACT', place: { found: String(Number.MAX_SAFE_INTEGER) } }],
  ])('%s is refused', (_what, changes, from, count, error) => {
    const instrument = instrumentOf(changes)
    expect(() => instrument.stepPrice(instrument.price(from), count)).toThrow(expect.objectContaining(error) as Error)
  })
})

describe('rounding', () => {
  test.each<readonly [changes: Partial<Instrument>, from: string, down: string, up: string]>([
    [{}, '100.7', '100.5', '101'], [{}, '100.5', '100.5', '100.5'], [{}, '-100.7', '-101', '-100.5'], [{ tickSize: '0.025' }, '1', '1', '1'], [{ tickSize: '0.025' }, '1.01', '1', '1.025'],
    // The tick is that of the price's own band, from its floor on.
    [{ tickBands: BANDS }, '999.9', '999.5', '1000'], [{ tickBands: BANDS }, '1000', '1000', '1000'], [{ tickBands: BANDS }, '1002', '1000', '1005'],
    [{ tickSize: '0.1', tickBands: [{ floor: '1000', tickSize: '5' }] }, '3.14', '3.1', '3.2'],
    // They do not fit 2^53 together, the result does.
    [{ tickSize: '900000000' }, '0.00000001', '0', '900000000'], [{ tickSize: '900000000' }, '-0.00000001', '-900000000', '0'],
  ])('%j: %s', (changes, from, down, up) => {
    const instrument = instrumentOf(changes)
    expect([instrument.roundPrice(instrument.price(from), 'down').toString(), instrument.roundPrice(instrument.price(from), 'up').toString()]).toEqual([down, up])
  })

  test.each([['999.9', '0.5'], ['1000', '5'], ['1000.1', '5'], ['0', '0.5'], ['-1', '0.5']])('the tick at %s is %s', (at, tick) => {
    const instrument = instrumentOf({ tickBands: BANDS })
    expect(instrument.tickSizeAt(instrument.price(at))).toBe(tick)
  })

  test.each([['61804.800000000002531525', '61804.5', '61805'], ['61804.5', '61804.5', '61804.5'], ['1002.333333333333333333', '1000', '1005'], ['1000', '1000', '1000']])('a Decimal, as an average is: %s', (from, down, up) => {
    const instrument = instrumentOf({ tickBands: [{ floor: '1000', tickSize: '5' }, { floor: '10000', tickSize: '0.5' }] })
    const average = new Decimal(from)
    expect([instrument.roundPrice(average, 'down').toString(), instrument.roundPrice(average, 'up').toString()]).toEqual([down, up])
    expect(instrument.tickSizeAt(average)).toBe(average.lt(10_000) ? '5' : '0.5')
    const tick = Number(instrument.tickSizeAt(average))
    expect(instrument.stepPrice(average, 1).toString()).toBe(String(Number(down) + tick))
    expect(instrument.stepPrice(average, -1).toString()).toBe(from === '1000' ? '999.5' : String(Number(up) - tick))
    expect(instrument.roundQuantity(new Decimal('1.999999999999999999')).toString()).toBe('1.99')
  })

  test('quantities go to the lot, of which 1 stands for one that is not stated', () => {
    const [lots, unstated] = [instrumentOf({ lotSize: '0.03' }), instrumentOf({ lotSize: null })]
    expect([lots.roundQuantity(lots.quantity('1')).toString(), lots.roundQuantity(lots.quantity('1'), 'up').toString(), unstated.roundQuantity(unstated.quantity('1.9')).toString()]).toEqual(['0.99', '1.02', '1'])
  })

  test.each<readonly [what: string, changes: Partial<Instrument>, from: string, error: object]>([
    ['an instrument that states no tick', UNSTATED, '1', { code: 'OPTION_INVALID', place: { field: 'ticksize' }, message: 'Cannot round a price of BTCUSDT: its master data has no tick size' }],
    ['a tick of 0', { tickSize: '0' }, '1', { code: 'VALUE_INEXACT' }],
    ['a tick below 0', { tickSize: '-0.5' }, '1', { code: 'VALUE_INEXACT' }],
    ['a price that does not fit its tick', { tickSize: '0.00000001' }, '900000000', { code: 'VALUE_INEXACT', message: 'Cannot round 900000000 to multiples of 0.00000001: they do not fit 2^53 together' }],
  ])('%s is refused', (_what, changes, from, error) => {
    const instrument = instrumentOf(changes)
    expect(() => instrument.roundPrice(instrument.price(from), 'down')).toThrow(expect.objectContaining(error) as Error)
  })
})

describe('numbers, by a stated direction', () => {
  test.each<readonly [changes: Partial<Instrument>, from: number | string, down: string, up: string]>([
    [{}, 100.7, '100.5', '101'], [{}, 100.5, '100.5', '100.5'], [{}, -100.7, '-101', '-100.5'], [{}, 0, '0', '0'], [{}, -0, '0', '0'], [{}, '100.7', '100.5', '101'],
    // As JavaScript writes them: 0.3 is no 0.29999999999999998, and 0.1 + 0.2 is above 0.3.
    [{ tickSize: '0.1' }, 0.3, '0.3', '0.3'], [{ tickSize: '0.1' }, 0.1 + 0.2, '0.3', '0.4'], [{ tickSize: '0.1' }, -(0.1 + 0.2), '-0.4', '-0.3'],
    [{ tickSize: '0.00000001' }, 1e-9, '0', '0.00000001'], [{ tickSize: '0.00000001' }, 5e-324, '0', '0.00000001'], [{ tickSize: '100' }, 123456.7891234567, '123400', '123500'],
    [{ tickBands: BANDS }, 999.9999999999999, '999.5', '1000'], [{ tickBands: BANDS }, 1000.0000000000001, '1000', '1005'],
  ])('%j: %s', (changes, from, down, up) => {
    const instrument = instrumentOf(changes)
    expect([instrument.price(from, 'down').toString(), instrument.price(from, 'up').toString()]).toEqual([down, up])
  })

  test('quantities go to the lot', () => {
    const instrument = instrumentOf({ lotSize: '0.001' })
    const [down, up] = [instrument.quantity(100 / 3, 'down'), instrument.quantity(100 / 3, 'up')]
    expect([down.toString(), up.toString(), down.constructor]).toEqual(['33.333', '33.334', up.constructor])
  })

  test('a number and its text give the same', () => {
    const instrument = instrumentOf({ tickSize: '0.025' })
    fc.assert(fc.property(fc.double({ min: -1e10, max: 1e10, noNaN: true }), (value) => {
      const tick = new Decimal('0.025')
      const steps = new Decimal(value).div(tick)
      expect(instrument.price(value, 'down').toString()).toBe(steps.floor().times(tick).plus(0).toFixed())
      expect(instrument.price(value, 'up').toString()).toBe(steps.ceil().times(tick).plus(0).toFixed().replace(/^-0$/, '0'))
    }), { numRuns: 1_000, seed: 18 })
  })

  test.each<readonly [what: string, call: (instrument: DataInstrument) => unknown, error: object]>([
    ['NaN', (instrument) => instrument.price(NaN, 'down'), { code: 'OPTION_INVALID', message: 'Cannot take a price from NaN: it must be a finite number or a text with a decimal', place: { field: 'price', expected: 'a finite number or a text with a decimal', found: 'NaN' } }],
    ['an infinity', (instrument) => instrument.quantity(-Infinity, 'up'), { code: 'OPTION_INVALID', message: 'Cannot take a quantity from -Infinity: it must be a finite number or a text with a decimal' }],
    ['a text that is none', (instrument) => instrument.price('1,5', 'down'), { code: 'OPTION_INVALID', message: 'Cannot take a price from "1,5": it must be a finite number or a text with a decimal' }],
    ['nothing', (instrument) => instrument.price(undefined as never, 'down'), { code: 'OPTION_INVALID', message: 'Cannot take a price from nothing: it must be a finite number or a text with a decimal' }],
    ['another direction', (instrument) => instrument.price(1, 'nearest' as 'up'), { code: 'OPTION_INVALID', message: 'Cannot round 1 in the direction "nearest": it must be \'down\' or \'up\'' }],
    ['another direction of a price', (instrument) => instrument.roundPrice(instrument.price('1'), 'nearest' as 'up'), { code: 'OPTION_INVALID', place: { field: 'direction', expected: "'down' or 'up'", found: '"nearest"' } }],
    ['a number beyond what fits', (instrument) => instrument.price(1e300, 'down'), { code: 'VALUE_INEXACT', message: 'Cannot round 1e+300 to multiples of 0.5: they do not fit 2^53 together' }],
  ])('%s is refused', (_what, call, error) => {
    expect(() => call(instrumentOf())).toThrow(expect.objectContaining(error) as Error)
  })

  test('an instrument without a tick is refused', () => {
    expect(() => instrumentOf(UNSTATED).price(1, 'down')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'ticksize' } }) as Error)
  })
})

describe('the top of book', () => {
  /** Changes of the market, each with the line that brings it; how many were told. */
  function told(changes: readonly ((market: FakeMarket) => void)[]): number {
    const { venue, strategy } = startFake(recording(['onInstrumentTopOfBook']))
    for (const change of changes) {
      change(venue.market(1))
      venue.line(EVENT_KINDS.topOfBook)
    }
    return strategy.received.length
  }
  const first = (market: FakeMarket): void => { market.top([1000, 200], [1010, 300]) }

  test.each<readonly [what: string, change: (market: FakeMarket) => void, count: number]>([
    ['finer prices that say the same', (market) => {
      market.priceScale = 3
      market.top([100_000, 200], [101_000, 300])
    }, 1],
    ['finer prices of another bid', (market) => {
      market.priceScale = 3
      market.top([100_001, 200], [101_000, 300])
    }, 2],
    ['finer prices of another ask', (market) => {
      market.priceScale = 3
      market.top([100_000, 200], [101_001, 300])
    }, 2],
    ['finer quantities that say the same', (market) => {
      market.quantityScale = 4
      market.top([1000, 20_000], [1010, 30_000])
    }, 1],
    ['finer quantities, more on the ask', (market) => {
      market.quantityScale = 4
      market.top([1000, 20_000], [1010, 30_001])
    }, 2],
    ['finer quantities, more on the bid', (market) => {
      market.quantityScale = 4
      market.top([1000, 20_001], [1010, 30_000])
    }, 2],
    ['an ask that goes', (market) => { market.top([1000, 200], null) }, 2],
  ])('%s', (_what, change, count) => {
    expect(told([first, change])).toBe(count)
  })

  test('a state, and kinds that nobody knows, say nothing', () => {
    const callbacks = ['onInstrumentTopOfBook', 'onInstrumentTrades', 'onInstrumentMarkPrice', 'onInstrumentIndexPrice', 'onInstrumentFundingRate', 'onInstrumentLiquidations'] as const
    const { venue, strategy } = startFake(recording(callbacks))
    for (const kind of [EVENT_KINDS.state, 3, 99]) venue.line(kind)
    expect(strategy.received).toEqual([])
  })
})

describe('funding', () => {
  const values = (instrument: DataInstrument): unknown => {
    const { fundingRate } = instrument
    return fundingRate === null ? null : [fundingRate.rate.toString(), fundingRate.nextFundingTimestampNs, fundingRate.predictedRate?.toString() ?? null]
  }

  test.each<readonly [what: string, stated: readonly (readonly [number, number])[], received: unknown]>([
    ['rate, time and prediction', [[1, 4], [1000, 0], [-2, 5]], ['0.0001', 1000n, '-0.00002']],
    ['no prediction', [[1, 4], [1000, 0], [0, 255]], ['0.0001', 1000n, null]],
    ['a line without a place for one', [[1, 4], [1000, 0]], ['0.0001', 1000n, null]],
    ['no rate', [[0, 255], [1000, 0], [-2, 5]], null],
  ])('%s', (_what, stated, received) => {
    const { venue, strategy: { instrument } } = startFake(recording(['onInstrumentFundingRate', 'onInstrumentMarkPrice']))
    venue.line(EVENT_KINDS.funding, [], stated)
    venue.line(EVENT_KINDS.mark, [], [[5, 0], [6, 0], [7, 0]])
    expect(values(instrument)).toEqual(received)
  })
})

test('a book of two sides that differ in their number of levels', () => {
  const { venue, strategy: { instrument } } = startFake(recording([]))
  const shown = (): unknown => [instrument.book.bids.length, instrument.book.asks.length, instrument.bestBid?.price.toString(), instrument.bestAsk?.price.toString()]
  venue.market(1).top([1000, 5], null)
  expect(shown()).toEqual([1, 0, '100', undefined])
  venue.market(1).top(null, [1010, 5])
  expect(shown()).toEqual([0, 1, undefined, '101'])
})

describe('what is no decimal is refused in words', () => {
  test.each<readonly [value: unknown, found: string]>([[undefined, 'undefined'], [null, 'null'], [5n, 'bigint'], [true, 'boolean'], [{}, 'object'], [new Date(0), 'object']])('as a text: %s', (value, found) => {
    const instrument = instrumentOf()
    for (const noun of ['price', 'quantity'] as const) {
      const message = `Cannot take a ${noun}: it must be a text with a decimal, as in '1.5', found ${found}`
      expect(() => instrument[noun](value as string)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message }) as Error)
    }
  })

  test.each([NaN, 1.5, -0])('as a number without a direction: %s', (value) => {
    const instrument = instrumentOf()
    for (const noun of ['price', 'quantity'] as const) {
      const message = `Cannot take a ${noun}: it must be a text with a decimal, as in '1.5', or a number and a direction, as in ${noun}(1.5, 'down'), found the number ${value}`
      expect(() => instrument[noun](value as unknown as string)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message }) as Error)
    }
  })

  test.each<readonly [value: unknown, found: string]>([[undefined, 'nothing'], [null, 'null'], ['1.5', '"1.5"'], [1.5, '1.5'], [{ scale: 1 }, '{"scale":1}'], [new Decimal(NaN), '"NaN"']])('as a price or quantity: %s', (value, found) => {
    const instrument = instrumentOf()
    const calls: (readonly [verb: string, call: (value: never) => unknown])[] = [
      ['round', (price) => instrument.roundPrice(price, 'up')], ['round', (quantity) => instrument.roundQuantity(quantity)], ['step', (price) => instrument.stepPrice(price, 1)], ['find the tick size at', (price) => instrument.tickSizeAt(price)],
    ]
    for (const [verb, call] of calls) {
      const message = `Cannot ${verb} ${found}: it must be a price, a quantity or a finite Decimal; price() and quantity() take numbers and texts`
      expect(() => call(value as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', message }) as Error)
    }
  })
})
