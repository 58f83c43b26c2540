import { describe, expect, test } from 'vitest'
import { EVENT_KINDS } from '../../../src/model/event-kind.js'
import type { PlaceEntry } from '../../../src/venue/messages.js'
import { Tactic } from '../../../src/strategy/tactic.js'
import { Bracket } from '../../../src/strategy/tactics/bracket.js'
import { QuoteKeeper } from '../../../src/strategy/tactics/quote-keeper.js'
import { RiskGuard } from '../../../src/strategy/tactics/risk-guard.js'
import { TargetPosition } from '../../../src/strategy/tactics/target-position.js'
import { StopMarket, TrailingStop } from '../../../src/strategy/tactics/watched-stop.js'
import type { TradingInstrument } from '../../../src/strategy/trading-instrument.js'
import { topLine } from '../../support/fake-market.js'
import type { FakeVenue, FakeVenueOptions } from '../../support/fake-venue.js'
import { RecordingStrategy, recording, startFake } from '../../support/recording-strategy.js'

const MS = 1_000_000

/** Holds what a test makes, so that a checkpoint reaches it. */
class Holding extends RecordingStrategy {
  held: unknown[] = []
}

function started(options: FakeVenueOptions = {}): { venue: FakeVenue, instrument: TradingInstrument, strategy: Holding, state: () => unknown } {
  const { venue, strategy, runtime } = startFake(Holding, options)
  venue.market(1).top([1000, 500], [1005, 500])
  return { venue, strategy, instrument: strategy.instrument, state: () => runtime.state() }
}

const price = (i: TradingInstrument, text: string): ReturnType<TradingInstrument['price']> => i.price(text)
const termsOf = ({ side, type, timeInForce, price: at, totalQuantity, postOnly }: PlaceEntry): string => `${side} ${totalQuantity} ${type} ${at ?? 'none'} ${timeInForce === 'IMMEDIATE_OR_CANCEL' ? 'IOC' : 'GTC'}${postOnly ? ' post' : ''}`
const sentBy = (venue: FakeVenue): string[] => venue.entry.requests.flatMap((request): string[] => {
  switch (request.kind) {
    case 'place': return request.entries.map(termsOf)
    case 'amend': return request.entries.map((entry) => `amend ${entry.price} ${entry.totalQuantity ?? ''}`.trim())
    case 'cancel': return request.entries.map(() => 'cancel')
    default: return [request.kind]
  }
})

describe('refused, each with one sentence', () => {
  test.each<readonly [what: string, make: (i: TradingInstrument) => unknown, words: RegExp]>([
    ['a target between two lots', (i) => i.target('0.125'), /the target must be of whole lots, 0\.01, unless round says/],
    ['a target that is a number', (i) => i.target(1 as never), /the target must be a Quantity or a text/],
    ['another style', (i) => i.target('1', { style: 'make' as never }), /style must be take, join, limit/],
    ['an unknown option', (i) => i.target('1', { timeout: 5 } as never), /options must be style, .*, found "timeout"/],
    ['limit without a price', (i) => i.target('1', { style: 'limit' }), /price must be a Price/],
    ['a price off the tick', (i) => i.target('1', { style: 'limit', price: price(i, '100.3') }), /price must be on the tick, 0\.5/],
    ['a negative timeout', (i) => i.target('1', { style: 'join', timeoutMs: -1 }), /timeoutMs must be a number from 0/],
    ['half a tick', (i) => i.target('1', { style: 'join', offsetTicks: 0.5 }), /offsetTicks must be a whole number/],
    ['a side that is none', (i) => i.cancelAll('BUY' as never), /side must be BID, ASK/],
    ['no instrument', () => new TargetPosition(undefined as never), /Cannot make a TargetPosition: it takes an instrument/],
    ['a tolerance below 0', (i) => new QuoteKeeper(i, { toleranceTicks: -1 }), /toleranceTicks must be/],
    ['a bid that is not below the ask', (i) => { new QuoteKeeper(i).quote({ bid: { price: price(i, '101'), quantity: '1' }, ask: { price: price(i, '101'), quantity: '1' } }) }, /the bid must be below the ask, 101/],
    ['a quote below the smallest order', (i) => { new QuoteKeeper(i).quote({ bid: { price: price(i, '101'), quantity: '0.01' }, ask: null }) }, /at least the smallest order, 0\.05/],
    ['a bracket without prices', (i) => { new Bracket(i).protect(i.quantity('1'), {}) }, /takeProfit, stop or both/],
    ['a stop above the profit of a long position', (i) => { new Bracket(i).protect(i.quantity('1'), { takeProfit: price(i, '99'), stop: price(i, '101') }) }, /takeProfit must be above the stop, 101/],
    ['a stop below the profit of a short position', (i) => { new Bracket(i).protect(i.quantity('-1'), { takeProfit: price(i, '101'), stop: price(i, '99') }) }, /takeProfit must be below the stop, 99/],
    ['a bracket over an order that is over', (i) => { new Bracket(i).protect(i.placeOrder({ side: 'BID', quantity: i.quantity('1') }), { stop: price(i, '99') }) }, /the entry must be open/],
    ['two distances of a trailing stop', (i) => { new TrailingStop(i).set({ side: 'ASK', trail: price(i, '1'), trailTicks: 2 }) }, /either trail or trailTicks/],
    ['no distance', (i) => { new TrailingStop(i).set({ side: 'ASK' }) }, /either trail or trailTicks/],
    ['prices of another kind', (i) => new StopMarket(i, { watch: 'index' as never }), /watch must be touch, trades, mark/],
    ['a guard without limits', (i) => new RiskGuard(i, {}), /options must be maxPosition, maxLossOfDay or maxOrdersPerSecond/],
    ['a loss that is a number', (i) => new RiskGuard(i, { maxLossOfDay: 5 as never }), /maxLossOfDay must be a decimal above 0 as a text/],
    ['a loss of none', (i) => new RiskGuard(i, { maxLossOfDay: 'much' }), /maxLossOfDay must be a decimal above 0/],
  ])('%s', (_what, make, words) => {
    const { instrument } = started()
    expect(() => make(instrument)).toThrow(words)
  })

  test('two brackets of one entry, and one bracket of two', () => {
    const { instrument } = started()
    const order = instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('1'), price: price(instrument, '99') })
    const bracket = new Bracket(instrument)
    bracket.protect(order, { stop: price(instrument, '95') })
    expect(() => { new Bracket(instrument).protect(order, { stop: price(instrument, '95') }) }).toThrow(/another bracket protects/)
    expect(() => { bracket.protect(instrument.quantity('1'), { stop: price(instrument, '95') }) }).toThrow(/still protects/)
  })

  test('the 1,001st tactic, and one that no field holds', () => {
    const { instrument, strategy, state } = started()
    for (let i = 0; i < 1_000; i++) strategy.held.push(new StopMarket(instrument))
    expect(() => new StopMarket(instrument)).toThrow(/at most 1000 tactics/)
    expect(() => state()).not.toThrow()
    strategy.held.pop()
    expect(() => state()).toThrow(/its StopMarket\(BTCUSDT\) is out of reach/)
  })
})

describe('a target', () => {
  test('take is a MARKET order, once, and nothing more after its fill', () => {
    const { venue, instrument } = started()
    instrument.target('1')
    instrument.target('1')
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.execute(entry!, 100, { executed: 100, position: 100 })
    expect(sentBy(venue)).toEqual(['BID 100 MARKET none IOC'])
    instrument.target('-0.5')
    expect(sentBy(venue)).toEqual(['BID 100 MARKET none IOC', 'ASK 150 MARKET none IOC'])
  })

  test('rounded by a stated direction, towards 0 and away from it', () => {
    const { venue, instrument } = started()
    instrument.target('-0.125', { round: 'down' })
    expect(sentBy(venue)).toEqual(['ASK 12 MARKET none IOC'])
  })

  test('join follows the touch by amends, and takes after its timeout once the cancel is confirmed', () => {
    const { venue, instrument } = started()
    instrument.target('1', { style: 'join', timeoutMs: 500 })
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    topLine(EVENT_KINDS.topOfBook, [1000, 400], [1010, 500])(venue)
    topLine(EVENT_KINDS.topOfBook, [1005, 400], [1010, 500])(venue)
    expect(sentBy(venue)).toEqual(['BID 100 LIMIT 1000 GTC post', 'amend 1005'])
    venue.entry.update(entry!, { price: 1005, executedQuantity: 30 })
    venue.clock.advanceTo(500 * MS)
    expect(sentBy(venue).slice(2)).toEqual(['cancel'])
    venue.entry.position({ instrumentId: 1, longPosition: 40, shortPosition: 0 })
    venue.entry.update(entry!, { price: 1005, executedQuantity: 40, state: 'CANCELED' })
    expect(sentBy(venue).slice(3)).toEqual(['BID 60 MARKET none IOC'])
  })

  test('cancels and places again where the venue cannot amend, never before the cancel is confirmed', () => {
    const { venue, instrument } = started({ capabilities: { amend: false } })
    instrument.target('1', { style: 'join' })
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    topLine(EVENT_KINDS.topOfBook, [995, 400], [1010, 500])(venue)
    topLine(EVENT_KINDS.topOfBook, [990, 400], [1010, 500])(venue)
    expect(sentBy(venue).slice(1)).toEqual(['cancel'])
    venue.entry.update(entry!, { state: 'CANCELED' })
    expect(sentBy(venue).slice(2)).toEqual(['BID 100 LIMIT 990 GTC post'])
  })

  test('a cancel that meets a fill: the position counts', () => {
    const { venue, instrument } = started()
    instrument.target('1', { style: 'join' })
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    instrument.target('0.2')
    venue.entry.execute(entry!, 100, { executed: 100, position: 100 })
    expect(sentBy(venue).slice(1)).toEqual(['cancel', 'ASK 80 MARKET none IOC'])
  })

  test('an order that was rejected is tried again later, twice as late each time', () => {
    const { venue, instrument } = started()
    instrument.target('1')
    const times: number[] = []
    for (let at = 0; at < 4; at++) {
      times.push(venue.clock.nowNs() / MS)
      venue.entry.reject(venue.entry.placed[at]!)
      topLine(EVENT_KINDS.topOfBook, [1000, 401 + at], [1010, 500])(venue)
      venue.clock.advanceTo(venue.clock.nowNs() + 100 * 2 ** at * MS)
    }
    expect(times).toEqual([0, 100, 300, 700])
    expect(venue.entry.placed).toHaveLength(5)
  })

  test('waits for prices, and says why', () => {
    const { venue, instrument } = started()
    const target = new TargetPosition(instrument)
    venue.market(1).top(null, null)
    target.target('1')
    expect([target.waitsFor, venue.entry.placed]).toEqual(['prices', []])
    target.target('0.04')
    expect([target.waitsFor, target.missing.toString()]).toEqual(['smallest order', '0.04'])
  })

  test('an order of the strategy counts, and one that is in flight', () => {
    const { venue, instrument } = started()
    instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('0.7'), price: price(instrument, '99') })
    instrument.target('1')
    expect(sentBy(venue)).toEqual(['BID 70 LIMIT 990 GTC post', 'BID 30 MARKET none IOC'])
  })
})

test('cancelAll asks again for an order that was not known yet, and leaves the other side', () => {
  const { venue, instrument } = started()
  for (const side of ['BID', 'ASK'] as const) instrument.placeOrder({ side, quantity: instrument.quantity('1'), price: price(instrument, side === 'BID' ? '99' : '102') })
  const [bid] = venue.entry.placed
  instrument.cancelAll('BID')
  venue.entry.listener.onCancelResponse([{ ownOrderId: bid!.ownOrderId, error: { type: 'ORDER_NOT_FOUND', message: '', source: 'EXCHANGE' } }], 0)
  venue.entry.confirm(bid!)
  venue.clock.advanceTo(100 * MS)
  expect(sentBy(venue).slice(2)).toEqual(['cancel', 'cancel'])
  venue.entry.update(bid!, { state: 'CANCELED' })
  venue.clock.advanceTo(1_000 * MS)
  expect(venue.entry.requests).toHaveLength(4)
})

test('a quote within the tolerance stays, one beyond it moves', () => {
  const { venue, instrument } = started()
  const keeper = new QuoteKeeper(instrument, { toleranceTicks: 1 })
  const bid = (at: string, quantity = '1'): void => { keeper.quote({ bid: { price: price(instrument, at), quantity }, ask: null }) }
  bid('99')
  venue.entry.confirm(venue.entry.placed[0]!)
  bid('99.5')
  bid('100', '0.5')
  expect(sentBy(venue)).toEqual(['BID 100 LIMIT 990 GTC post', 'amend 1000 50'])
})

test('a bracket follows the fills of its entry, and a stop waits for the cancel of the profit', () => {
  const { venue, instrument } = started()
  const order = instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('1'), price: price(instrument, '100.5'), postOnly: false })
  new Bracket(instrument).protect(order, { takeProfit: price(instrument, '105'), stop: price(instrument, '99') })
  const [entry] = venue.entry.placed
  venue.entry.confirm(entry!)
  venue.entry.execute(entry!, 30, { executed: 30, position: 30 })
  const profit = venue.entry.placed[1]!
  venue.entry.confirm(profit)
  venue.entry.execute(entry!, 70, { executed: 100, position: 100 })
  expect(sentBy(venue).slice(1)).toEqual(['ASK 30 LIMIT 1050 GTC', 'amend 1050 100'])
  venue.entry.update(profit, { totalQuantity: 100 })
  topLine(EVENT_KINDS.topOfBook, [990, 400], [1000, 500])(venue)
  expect(sentBy(venue).slice(3)).toEqual(['cancel'])
  venue.entry.position({ instrumentId: 1, longPosition: 80, shortPosition: 0 })
  venue.entry.update(profit, { totalQuantity: 100, executedQuantity: 20, state: 'CANCELED' })
  expect(sentBy(venue).slice(4)).toEqual(['ASK 80 MARKET none IOC'])
})

test('a stop and a trailing stop fire at their prices', () => {
  const { venue, instrument } = started({ positions: [{ instrumentId: 1, longPosition: 100, shortPosition: 0 }] })
  const trailing = new TrailingStop(instrument)
  trailing.set({ side: 'ASK', trail: price(instrument, '1.25') })
  topLine(EVENT_KINDS.topOfBook, [1020, 400], [1025, 500])(venue)
  expect(trailing.stopPrice?.toString()).toBe('100.75')
  topLine(EVENT_KINDS.topOfBook, [1010, 400], [1025, 500])(venue)
  expect(venue.entry.placed).toEqual([])
  topLine(EVENT_KINDS.topOfBook, [1005, 400], [1025, 500])(venue)
  expect([sentBy(venue), venue.entry.placed[0]?.reduceOnly]).toEqual([['ASK 100 MARKET none IOC'], true])
})

describe('a guard', () => {
  const order = (i: TradingInstrument, side: 'BID' | 'ASK', quantity: string): string | null => i.placeOrder({ side, quantity: i.quantity(quantity), price: price(i, side === 'BID' ? '99' : '102') }).discardReason

  test('refuses what could pass the greatest position, open orders included', () => {
    const { instrument } = started()
    new RiskGuard(instrument, { maxPosition: '1' })
    expect([order(instrument, 'BID', '0.6'), order(instrument, 'BID', '0.5'), order(instrument, 'ASK', '1'), order(instrument, 'BID', '0.4')]).toEqual([null, 'RISK_POSITION', null, null])
  })

  test('refuses a third order of a second', () => {
    const { venue, instrument } = started()
    new RiskGuard(instrument, { maxOrdersPerSecond: 2 })
    const asked = (): string | null => order(instrument, 'BID', '0.1')
    expect([asked(), asked(), asked()]).toEqual([null, null, 'RISK_ORDER_RATE'])
    venue.clock.advanceTo(1_000 * MS)
    expect(asked()).toBeNull()
  })

  test('refuses everything but the way to 0 where the loss is not known', () => {
    const { instrument } = started({ positions: [{ instrumentId: 1, longPosition: 100, shortPosition: 0 }] })
    new RiskGuard(instrument, { maxLossOfDay: '5' })
    expect([order(instrument, 'BID', '0.5'), order(instrument, 'ASK', '0.5'), order(instrument, 'ASK', '0.6')]).toEqual(['RISK_LOSS', null, 'RISK_LOSS'])
  })

  test('flattens: cancels, then closes, and lets nothing pass', () => {
    const { venue, instrument } = started({ positions: [{ instrumentId: 1, longPosition: 100, shortPosition: 0 }] })
    const guard = new RiskGuard(instrument, { maxPosition: '2', action: 'flatten' })
    order(instrument, 'ASK', '0.5')
    venue.entry.confirm(venue.entry.placed[0]!)
    expect([order(instrument, 'BID', '3'), guard.flattened, order(instrument, 'BID', '1')]).toEqual(['RISK_POSITION', 'RISK_POSITION', 'RISK_FLATTENED'])
    expect(sentBy(venue).slice(1)).toEqual(['cancel'])
    venue.entry.update(venue.entry.placed[0]!, { state: 'CANCELED' })
    expect(sentBy(venue).slice(2)).toEqual(['ASK 100 MARKET none IOC'])
  })
})

test('a tactic receives an event before the strategy, and never inside its callback', () => {
  const heard: string[] = []
  class Hearing extends Tactic {
    override onOrder(): void { heard.push('tactic') }
    override save(): Readonly<Record<string, unknown>> { return {} }
    override restore(): void {}
  }
  const { venue, strategy } = startFake(recording(['onOrderUpdate']))
  void new Hearing('Hearing', [strategy.instrument])
  strategy.reactions.set('onOrderUpdate', () => { heard.push('strategy') })
  strategy.instrument.placeOrder({ side: 'BID', quantity: strategy.instrument.quantity('1'), price: strategy.instrument.price('99') })
  venue.entry.confirm(venue.entry.placed[0]!)
  expect(heard).toEqual(['tactic', 'strategy'])
})

test('a tactic whose code throws ends the run with its name', () => {
  class Failing extends Tactic {
    override onOrder(): void { throw new Error('no') }
    override save(): Readonly<Record<string, unknown>> { return {} }
    override restore(): void {}
  }
  const { venue, strategy } = startFake(recording([]))
  void new Failing('Failing', [strategy.instrument])
  strategy.instrument.placeOrder({ side: 'BID', quantity: strategy.instrument.quantity('1'), price: strategy.instrument.price('99') })
  expect(() => { venue.entry.confirm(venue.entry.placed[0]!) }).toThrow(/Failing\(BTCUSDT\) threw Error: no/)
})
