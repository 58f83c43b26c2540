import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { DataInstrument } from '../../src/strategy/data-instrument.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import type { MarketDataState } from '../../src/venue/venue.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue } from '../support/fake-venue.js'
import { RecordingStrategy, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

class Dynamic extends RecordingStrategy {
  reaction: (instrument: DataInstrument, state: MarketDataState) => void = () => {}
  override onMarketDataState(instrument: DataInstrument, state: MarketDataState, text: string): void {
    this.received.push(`${instrument.code} ${state} ${text}`.trim())
    this.reaction(instrument, state)
  }

  override onInstrumentTopOfBook(instrument: DataInstrument): void {
    this.received.push(`${instrument.code} top ${instrument.bestBid?.price.toString() ?? '-'}`)
  }

  override onInstrumentSnapshot(instrument: DataInstrument): void {
    this.received.push(`${instrument.code} snapshot`)
  }
}

const DAY_NS = 86_400_000_000_000
const entries = [
  fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' }), fakeEntry({ id: 3, code: 'ETHUSDT', exchangeCode: 'spot', type: 'spot' }), fakeEntry({ id: 4, code: 'FUT', type: 'future', expiry: '1970-01-02T00:00:00Z' }),
]
const start = (options: Parameters<typeof startFake<Dynamic>>[1] = {}) => {
  const played = startFake(Dynamic, { ...options, entries })
  const [own] = played.venue.subscriptions
  return { ...played, own, dynamic: () => played.venue.subscriptions.filter((subscription) => subscription !== own) }
}
const written = (state: RuntimeState): RuntimeState => throughJson(state)

describe('instruments that are subscribed while a strategy runs', () => {
  test.each([[''], [NaN], [1.5], [-2], [null], [undefined], [{}]])('%j names no instrument', (reference) => {
    const { strategy } = start()
    expect(() => strategy.subscribeInstrument(reference as never)).toThrow(/Cannot subscribe an instrument: expected an instrument: its id, exchange:code/)
    expect(() => strategy.subscribeTradingInstrument(reference as never)).toThrow(/Cannot subscribe an instrument: expected an instrument: its id, exchange:code/)
    expect(() => { strategy.unsubscribeInstrument(reference as never) }).toThrow(/Cannot unsubscribe .*: it takes the instrument that subscribing has given/)
  })

  test('PENDING after the callback, then as the venue says; nothing is seen before', () => {
    const { venue, strategy, dynamic } = start()
    venue.market(2).top([2000, 5], [2005, 5])
    const instrument = strategy.subscribeInstrument('swap:ETHUSDT')
    expect([strategy.received, instrument.marketDataState, instrument.bestBid, instrument.book]).toEqual([[], 'PENDING', null, { bids: [], asks: [], suspect: true }])
    venue.clock.settle()
    expect(strategy.received).toEqual(['ETHUSDT PENDING'])
    dynamic()[0]!.listener.onState(2, 'READY', '')
    dynamic()[0]!.listener.onCurrent!(venue.market(2))
    venue.line(6, [], [], 2)
    expect(strategy.received).toEqual(['ETHUSDT PENDING', 'ETHUSDT READY', 'ETHUSDT snapshot', 'ETHUSDT top 200'])
    expect([instrument.marketDataState, instrument.bestBid?.price.toString(), strategy.subscribeInstrument(2)]).toEqual(['READY', '200', instrument])
    expect(dynamic()).toHaveLength(1)
  })

  test('PENDING is told before anything that the venue says in the same instant', () => {
    const { strategy, dynamic } = start()
    strategy.subscribeInstrument(2)
    dynamic()[0]!.listener.onState(2, 'ERROR', 'why')
    expect(strategy.received).toEqual(['ETHUSDT PENDING', 'ETHUSDT ERROR why'])
  })

  test.each([['BTC/NONE'], [99], ['swap:NONE']])('FAILED where nothing is called %j', (reference) => {
    const { venue, strategy, dynamic } = start()
    const instrument = strategy.subscribeInstrument(reference)
    venue.clock.settle()
    expect(strategy.received.map((words) => words.slice(words.indexOf(' ') + 1))).toEqual(['PENDING', 'FAILED instrument not available on this endpoint'])
    expect([instrument.marketDataState, instrument.bestAsk, instrument.markPrice, dynamic()]).toEqual(['FAILED', null, null, []])
    expect(strategy.subscribeInstrument(reference)).toBe(instrument)
    strategy.unsubscribeInstrument(instrument)
  })

  test('what a venue fails or ends is closed', () => {
    for (const state of ['FAILED', 'GONE'] as const) {
      const { strategy, dynamic } = start()
      const instrument = strategy.subscribeInstrument(2)
      const [subscription] = dynamic()
      subscription!.listener.onState(2, state, 'why')
      expect([instrument.marketDataState, dynamic(), strategy.received]).toEqual([state, [], ['ETHUSDT PENDING', `ETHUSDT ${state} why`]])
      subscription!.listener.onState(2, 'READY', '')
      expect(strategy.received).toHaveLength(2)
    }
  })

  test('GONE after unsubscribing: nothing is heard or seen, until it is subscribed again', () => {
    const { venue, strategy, dynamic } = start()
    venue.market(2).top([2000, 5], null)
    const instrument = strategy.subscribeInstrument(2)
    const [subscription] = dynamic()
    subscription!.listener.onState(2, 'READY', '')
    subscription!.listener.onCurrent!(venue.market(2))
    strategy.received.length = 0
    strategy.unsubscribeInstrument(instrument)
    strategy.unsubscribeInstrument(instrument)
    subscription!.listener.onEvent(undefined as never, 0, venue.market(2))
    subscription!.listener.onCurrent!(venue.market(2))
    expect([strategy.received, instrument.marketDataState, instrument.bestBid, dynamic()]).toEqual([[], 'GONE', null, []])
    venue.clock.settle()
    expect(strategy.received).toEqual(['ETHUSDT GONE instrument unsubscribed'])
    expect(strategy.subscribeInstrument(2)).toBe(instrument)
    dynamic()[0]!.listener.onState(2, 'READY', '')
    dynamic()[0]!.listener.onCurrent!(venue.market(2))
    expect(strategy.received.slice(1)).toEqual(['ETHUSDT PENDING', 'ETHUSDT READY', 'ETHUSDT snapshot', 'ETHUSDT top 200'])
  })

  test('a contract that ends while it is subscribed is GONE, one that has ended FAILED', () => {
    const { venue, strategy, dynamic } = start()
    const instrument = strategy.subscribeInstrument('FUT')
    venue.clock.advanceTo(DAY_NS - 1)
    expect(strategy.received).toEqual(['FUT PENDING'])
    venue.clock.advanceTo(DAY_NS)
    expect([strategy.received, instrument.marketDataState, dynamic()]).toEqual([['FUT PENDING', 'FUT GONE the contract has ended'], 'GONE', []])
    strategy.subscribeInstrument('FUT')
    venue.clock.settle()
    expect([strategy.received.slice(2), instrument.marketDataState]).toEqual([['FUT PENDING', 'FUT FAILED the contract has ended'], 'FAILED'])
  })

  test('what a callback subscribes and unsubscribes is told one after the other', () => {
    const { venue, strategy } = start()
    strategy.reaction = (instrument, state) => {
      if (state === 'PENDING') strategy.unsubscribeInstrument(instrument)
      else if (instrument.id === 2) strategy.subscribeInstrument(4)
    }
    strategy.subscribeInstrument(2)
    venue.clock.settle()
    expect(strategy.received).toEqual(['ETHUSDT PENDING', 'ETHUSDT GONE instrument unsubscribed', 'FUT PENDING', 'FUT GONE instrument unsubscribed'])
  })

  test('parameters are no dynamic instruments: they stay, and asking for them changes nothing', () => {
    const { venue, strategy, dynamic } = start()
    expect(strategy.subscribeTradingInstrument('BTCUSDT')).toBe(strategy.instrument)
    venue.clock.settle()
    expect([strategy.received, dynamic()]).toEqual([[], []])
    expect(() => strategy.unsubscribeInstrument(strategy.instrument)).toThrow('Cannot unsubscribe BTCUSDT: only what was subscribed while the strategy ran can be, parameters stay')
  })

  test.each([['ETHUSDT', /that only one fits/], [true, /expected an instrument: its id/], [{ instrument: 2, account: 'other' }, /the name of an account \(paper\)/]] as const)('%j is a mistake', (reference, words) => {
    const { strategy } = start({ accounts: [{ accountId: 'paper', exchangeCode: null }] })
    expect(() => strategy.subscribeTradingInstrument(reference as never)).toThrow(words)
  })

  test('in onStart it works too; only accounts that parameters name are traded on', () => {
    class Early extends Dynamic {
      override onStart(): void { this.subscribeInstrument(2) }
    }
    const { venue, strategy } = startFake(Early, { entries, accounts: [{ accountId: 'paper', exchangeCode: 'swap' }, { accountId: 'cash', exchangeCode: 'spot' }] })
    venue.clock.settle()
    expect([strategy.received, venue.subscriptions.map(({ instrumentId }) => instrumentId)]).toEqual([['ETHUSDT PENDING'], [1, 2]])
    expect(() => strategy.subscribeTradingInstrument(3)).toThrow(/an account of spot/)
  })

  test('a loop without end is told so', () => {
    const { venue, strategy } = start()
    strategy.after(0, () => {
      for (;;) strategy.unsubscribeInstrument(strategy.subscribeInstrument(2))
    })
    expect(() => venue.clock.settle()).toThrow(/more than 10000 things in one callback/)
  })
})

describe('dynamic instruments that are traded', () => {
  test('orders, positions and the position that was there before', () => {
    const { venue, strategy } = start({ positions: [{ instrumentId: 2, longPosition: 300, shortPosition: 0 }] })
    venue.entry.position({ instrumentId: 4, longPosition: 0, shortPosition: 7 })
    const instrument = strategy.subscribeTradingInstrument({ instrument: 2, account: 'paper' })
    const future = strategy.subscribeTradingInstrument('FUT')
    expect([instrument.position.toString(), future.position.toString()]).toEqual(['3', '-0.07'])
    instrument.placeOrder({ side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') })
    venue.entry.confirm(venue.entry.placed[0]!)
    strategy.unsubscribeInstrument(instrument)
    venue.entry.execute(venue.entry.placed[0]!, 10, { executed: 10, position: 310 })
    expect([instrument.openOrders.length, instrument.position.toString()]).toEqual([0, '3.1'])
  })

  test('one that the venue does not know is refused by the adapter', () => {
    const { strategy } = start()
    const instrument = strategy.subscribeTradingInstrument(99)
    expect([instrument.marketDataState, instrument.account.id]).toEqual(['FAILED', 'paper'])
  })
})

describe('dynamic instruments and checkpoints', () => {
  class Kept extends Dynamic {
    readonly found: unknown[] = []
    override onStart(): void {
      if (!this.resuming) return
      this.found.push(this.subscribeTradingInstrument(2).marketDataState, this.subscribeInstrument(4).marketDataState, this.subscribeInstrument('NONE').marketDataState)
      for (const wrong of [() => this.subscribeInstrument(2), () => this.unsubscribeInstrument(this.subscribeInstrument(4))]) {
        try {
          wrong()
        } catch (error) {
          this.found.push((error as Error).message)
        }
      }
    }
  }

  test('they are as they were, and what waits is told', () => {
    const { venue, strategy, runtime } = startFake(Kept, { entries })
    venue.market(2).top([2000, 5], null)
    const traded = strategy.subscribeTradingInstrument(2)
    const gone = strategy.subscribeInstrument(4)
    strategy.subscribeInstrument('NONE')
    venue.subscriptions[1]!.listener.onState(2, 'READY', '')
    strategy.unsubscribeInstrument(gone)
    const other = new FakeVenue({ entries })
    other.market(2).top([2000, 5], null)
    const next = startFake(Kept, { entries, resume: written(runtime.state()) }, other)
    const words = (verb: string) => `Cannot ${verb} an instrument while a run resumes: check this.resuming in onStart`
    expect(next.strategy.found).toEqual(['READY', 'GONE', 'FAILED', words('subscribe'), words('unsubscribe')])
    expect(other.subscriptions.map(({ instrumentId }) => instrumentId)).toEqual([1, 2])
    other.clock.settle()
    expect(next.strategy.received).toEqual(['FUT GONE instrument unsubscribed'])
    venue.clock.settle()
    expect(next.runtime.state()).toEqual(written(runtime.state()))
    expect(traded.bestBid?.price.toString()).toBe('200')
  })
})
