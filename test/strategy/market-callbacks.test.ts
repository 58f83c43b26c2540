import { describe, expect, test } from 'vitest'
import { textFromScaled } from '../../src/model/decimal.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { fakeEntry, lineBatch, topLine } from '../support/fake-market.js'
import type { FakeVenue } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'

const MARKET = [
  'onMarketDataState', 'onInstrumentSnapshot', 'onInstrumentTopOfBook', 'onInstrumentTrades', 'onInstrumentLiquidations', 'onInstrumentMarkPrice', 'onInstrumentIndexPrice', 'onInstrumentFundingRate',
] as const

/** What each callback subscribes, and which lines call it. */
const TOPICS: readonly (readonly [callback: keyof Strategy, topics: object | null])[] = [
  ['onStart', null],
  ['onOrderFill', null],
  ['onMarketDataState', {}],
  ['onInstrumentSnapshot', { depth: true }],
  ['onInstrumentTopOfBook', { depth: true, topOfBook: true }],
  ['onInstrumentTrades', { trades: true }],
  ['onInstrumentLiquidations', { liquidations: true }],
  ['onInstrumentMarkPrice', { markPrice: true }],
  ['onInstrumentIndexPrice', { indexPrice: true }],
  ['onInstrumentFundingRate', { fundingRate: true }],
]

describe('subscriptions', () => {
  test.each(TOPICS)('%s alone subscribes %j', (callback, topics) => {
    const { venue } = startFake(recording([callback]))
    expect(venue.subscriptions.map((subscription) => subscription.topics)).toEqual(topics === null ? [] : [topics])
  })

  test('all callbacks subscribe all topics, once', () => {
    const { venue } = startFake(recording(MARKET))
    expect(venue.subscriptions).toHaveLength(1)
    expect(Object.keys(venue.subscriptions[0]!.topics)).toHaveLength(7)
  })

  test('a callback in a field counts as overridden', () => {
    class Field extends recording([]) {
      override onInstrumentTrades = (): void => {}
    }
    expect(startFake(Field).venue.subscriptions).toHaveLength(1)
  })
})

/** Lines, and what the strategy hears of each: a fill of both sides stands for the book that the line left behind. */
const LINES: readonly (readonly [what: string, play: (venue: FakeVenue) => void, received: readonly string[]])[] = [
  ['a snapshot', (venue) => venue.line(0), ['onInstrumentSnapshot']],
  ['an update that leaves the best prices alone', (venue) => venue.line(1), ['onInstrumentSnapshot']],
  ['an update of the best bid quantity', topLine(1, [1000, 300], [1005, 100]), ['onInstrumentSnapshot', 'onInstrumentTopOfBook']],
  ['a top of book that moves', topLine(6, [1000, 200], [1010, 100]), ['onInstrumentTopOfBook']],
  ['a top of book that says the same', (venue) => venue.line(6), []],
  ['a side that empties', topLine(6, null, [1005, 100]), ['onInstrumentTopOfBook']],
  ['trades', (venue) => venue.line(2, [[0, 1000, 5]]), ['onInstrumentTrades']],
  ['a mark price', (venue) => venue.line(7), ['onInstrumentMarkPrice']],
  ['an index price', (venue) => venue.line(8), ['onInstrumentIndexPrice']],
  ['a funding rate', (venue) => venue.line(9), ['onInstrumentFundingRate']],
  ['liquidations', (venue) => venue.line(17, [[1, 900, 5]]), ['onInstrumentLiquidations']],
  ['a state', (venue) => venue.subscriptions[0]!.listener.onState(1, 'ERROR', 'gone'), ['onMarketDataState']],
]

describe('lines and callbacks', () => {
  test.each(LINES)('%s', (_what, play, names) => {
    const { venue, strategy } = startFake(recording(MARKET))
    venue.market(1).top([1000, 200], [1005, 100])
    venue.line(6)
    strategy.received.length = 0
    play(venue)
    expect(strategy.received.map((received) => received.slice(0, received.indexOf('(')))).toEqual(names)
  })

  test('the state comes with its text', () => {
    const { venue, strategy } = startFake(recording(MARKET))
    venue.subscriptions[0]!.listener.onState(1, 'ERROR', 'why')
    expect(strategy.received).toEqual(['onMarketDataState(at 0 ERROR why)'])
  })

  test('a scale that grows is no change of the top', () => {
    const { venue, strategy } = startFake(recording(['onInstrumentTopOfBook']))
    const market = venue.market(1)
    market.top([1000, 200], null)
    venue.line(6)
    market.priceScale = 3
    market.quantityScale = 4
    market.top([100_000, 20_000], null)
    venue.line(6)
    expect(strategy.received).toHaveLength(1)
    market.top([100_001, 20_000], null)
    venue.line(6)
    expect(strategy.received).toHaveLength(2)
    expect(strategy.instrument.bestBid?.price.toString()).toBe('100.001')
  })

  test('a stop inside the first callback of a line keeps the second away', () => {
    const { venue, strategy, runtime } = startFake(recording(['onInstrumentSnapshot', 'onInstrumentTopOfBook', 'onStop']))
    strategy.reactions.set('onInstrumentSnapshot', () => strategy.stop('enough'))
    venue.market(1).top([1000, 200], null)
    venue.line(0)
    venue.line(0)
    expect(strategy.received.map((received) => received.slice(0, received.indexOf('(')))).toEqual(['onInstrumentSnapshot', 'onStop'])
    expect(runtime.stopReason).toBe('enough')
  })
})

describe('what an instrument shows', () => {
  test('a best level is the same object until its price, its quantity or a scale is another', () => {
    const { venue, strategy: { instrument } } = startFake(recording([]))
    const market = venue.market(1)
    market.top([1000, 200], [1001, 300])
    const { bestBid, bestAsk } = instrument
    expect([instrument.bestBid, instrument.bestAsk]).toEqual([bestBid, bestAsk])
    expect(instrument.bestBid).toBe(bestBid)
    market.top([1000, 201], [1001, 300])
    expect([instrument.bestBid?.quantity.toString(), instrument.bestBid?.price === bestBid?.price, instrument.bestAsk === bestAsk]).toEqual(['2.01', true, true])
    expect(bestBid?.quantity.toString()).toBe('2')
    market.priceScale = 2
    expect([instrument.bestBid, instrument.bestAsk].map((level) => [level?.quantity, level?.price].map(String))).toEqual([['2.01', '10'], ['3', '10.01']])
    market.top(null, [1001, 300])
    expect([instrument.bestBid, bestBid?.price.toString()]).toEqual([null, '100'])
  })

  test('best prices, book, mark and index are exact, empty sides null', () => {
    const { venue, strategy: { instrument } } = startFake(recording([]))
    expect([instrument.bestBid, instrument.bestAsk, instrument.markPrice, instrument.indexPrice]).toEqual([null, null, null, null])
    const market = venue.market(1)
    market.top([1005, 20], null)
    Object.assign(market, { markPrice: 123456789, markScale: 6, indexPrice: 7, indexScale: 0 })
    expect(`${instrument.bestBid!.price.toString()} ${instrument.bestBid!.quantity.toString()}`).toBe('100.5 0.2')
    expect(instrument.book.bids.map(({ price }) => price.toString())).toEqual(['100.5'])
    expect(instrument.book.asks).toEqual([])
    expect(`${instrument.markPrice!.toString()} ${instrument.indexPrice!.toString()}`).toBe('123.456789 7')
  })

  test('the last trades are those of the line at hand, made once', () => {
    const { venue, strategy: { instrument } } = startFake(recording(['onInstrumentTrades']))
    expect(instrument.getLastTrades()).toEqual([])
    venue.line(2, [[0, 1000, 5, 'a'], [1, 995, 7, 'b']])
    const trades = instrument.getLastTrades()
    expect(trades.map((trade) => `${trade.aggressorSide} ${trade.price.toString()} ${trade.quantity.toString()} ${String(trade.tradeId)} ${String(trade.exchangeTradeTimestampNs)}`))
      .toEqual(['BID 100 0.05 a 100', 'ASK 99.5 0.07 b 101'])
    expect(instrument.getLastTrades()).toBe(trades)
    venue.line(2, [[1, 990, 1, 'c']])
    expect(instrument.getLastTrades().map(({ tradeId }) => tradeId)).toEqual(['c'])
  })

  test('a batch that is given back and overwritten changes nothing that was heard', () => {
    const { venue, strategy: { instrument } } = startFake(recording(['onInstrumentTrades']))
    const many = Array.from({ length: 50 }, (_, i) => [i % 2, 1000 + i, 5 + i, `trade-${i}`] as const)
    const batch = lineBatch(instrument.master, 2, many)
    const { listener } = venue.subscriptions[0]!
    listener.onEvent(batch, 0, venue.market(1))
    listener.onRelease!()
    for (const column of [batch.side, batch.price, batch.quantity, batch.rowTimeNs, batch.tradeId.bytes, batch.tradeId.start]) column.fill(0)
    expect(instrument.getLastTrades().map(({ price, tradeId }) => `${price.toString()} ${String(tradeId)}`)).toEqual(many.map(([, price], i) => `${textFromScaled(price, 1)} trade-${i}`))
    venue.line(2, [[0, 1000, 5, 'a']])
    expect(instrument.getLastTrades()).toHaveLength(1)
  })

  test('liquidations and funding', () => {
    const { venue, strategy: { instrument } } = startFake(recording(['onInstrumentLiquidations', 'onInstrumentFundingRate']))
    expect(instrument.fundingRate).toBeNull()
    venue.line(17, [[1, 900, 5]])
    venue.line(9, [], [[1, 4], [1000, 0], [0, 255]])
    expect(instrument.getLastLiquidations().map(({ side, price }) => `${side} ${price.toString()}`)).toEqual(['ASK 90'])
    expect(instrument.fundingRate?.rate.toString()).toBe('0.0001')
    expect(instrument.fundingRate?.nextFundingTimestampNs).toBe(1000n)
    expect(instrument.fundingRate?.predictedRate).toBeNull()
  })

  test('prices and quantities are rounded only when asked', () => {
    const { strategy: { instrument } } = startFake(recording([]))
    const price = instrument.price('100.7')
    expect(price.toString()).toBe('100.7')
    expect(instrument.roundPrice(price, 'down').toString()).toBe('100.5')
    expect(instrument.roundPrice(price, 'up').toString()).toBe('101')
    expect(instrument.roundQuantity(instrument.quantity('0.019')).toString()).toBe('0.01')
    const banded = startFake(recording([]), { entries: [fakeEntry({ tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }] })] }).strategy.instrument
    expect([banded.roundPrice(banded.price('999.9'), 'up').toString(), banded.roundPrice(banded.price('1004.9'), 'down').toString()]).toEqual(['1000', '1000'])
    expect(() => instrument.price('abc')).toThrow(/price from "abc"/)
  })

  test.each([
    ['100', 3, '101.5'], ['100', -3, '98.5'], ['100', 0, '100'], ['100.3', 1, '100.5'], ['100.3', -1, '100'], ['100.3', 0, '100.3'],
    // Over the floor of a band: ten ticks of 0.5, then ticks of 5, and back the same way.
    ['995', 10, '1000'], ['995', 12, '1010'], ['1010', -12, '995'], ['1000', -1, '999.5'], ['999.9', 2, '1005'], ['1004', -2, '999.5'], ['1', -4, '-1'],
  ])('%s and %i ticks are %s', (from, count, expected) => {
    const { instrument } = startFake(recording([]), { entries: [fakeEntry({ tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '1000', tickSize: '5' }] })] }).strategy
    expect(instrument.stepPrice(instrument.price(from), count).toString()).toBe(expected)
  })

  test('many ticks are one step of arithmetic, and what is no step is refused', () => {
    const { instrument } = startFake(recording([])).strategy
    expect(instrument.stepPrice(instrument.price('1'), 2_000_000_000).toString()).toBe('1000000001')
    expect(() => instrument.stepPrice(instrument.price('1'), 1.5)).toThrow(/by 1.5 ticks: it must be a whole number/)
    expect(() => instrument.stepPrice(instrument.price('1'), 2 ** 53 - 1)).toThrow(/does not fit 2\^53/)
  })
})
