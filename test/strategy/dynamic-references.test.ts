import { describe, expect, test } from 'vitest'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue, walletOf } from '../support/fake-venue.js'
import { RecordingStrategy, recording, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

/** A strategy that hears states, top of book and trades of what it subscribes. */
class Dynamic extends RecordingStrategy {
  override onMarketDataState({ code }: DataInstrument, state: string, text: string): void {
    this.received.push(`${code} ${state} ${text}`.trim())
  }

  override onInstrumentTopOfBook({ code }: DataInstrument): void {
    this.received.push(`${code} top`)
  }

  override onInstrumentTrades({ code }: DataInstrument): void {
    this.received.push(`${code} trades`)
  }
}

const DAY_NS = 86_400_000_000_000
const FUT = 'FUT PENDING'
const entries = [
  fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' }), fakeEntry({ id: 3, code: 'COIN', type: 'spot', expiry: '1970-01-02T00:00:00Z' }), fakeEntry({ id: 4, code: 'FUT', type: 'future', expiry: '1970-01-02T00:00:00Z' }),
  fakeEntry({ id: 5, code: 'OLD', type: 'future', expiry: '1900-01-01T00:00:00Z' }), fakeEntry({ id: 6, code: 'FAR', type: 'future', expiry: '1970-04-12T00:00:00Z' }),
]
const start = (options: Parameters<typeof startFake<Dynamic>>[1] = {}) => startFake(Dynamic, { entries, ...options })
const written = (state: RuntimeState): RuntimeState => throughJson(state)

describe('subscribing again', () => {
  test('what is subscribed says nothing', () => {
    const { venue, strategy } = start()
    const instrument = strategy.subscribeInstrument(2)
    venue.clock.settle()
    expect(strategy.subscribeInstrument('ETHUSDT')).toBe(instrument)
    venue.clock.settle()
    expect([strategy.received, venue.subscriptions.length]).toEqual([['ETHUSDT PENDING'], 2])
  })

  test('a contract that has ended fails each time for its end', () => {
    const { venue, strategy } = start()
    for (let i = 0; i < 2; i++) strategy.subscribeInstrument('OLD')
    venue.clock.settle()
    const ended = ['OLD PENDING', 'OLD FAILED the contract has ended']
    expect(strategy.received).toEqual([...ended, ...ended])
  })

  test('a parameter that is only read is no dynamic instrument either', () => {
    class Reader extends Dynamic {
      declare other: DataInstrument
    }
    Parameter(DataInstrument)(Reader.prototype, 'other')
    const { venue, strategy } = startFake(Reader, { entries, parameters: { instrument: 'BTCUSDT', other: 'ETHUSDT' } })
    expect(strategy.subscribeInstrument(2)).toBe(strategy.other)
    venue.clock.settle()
    expect([strategy.received, venue.subscriptions.length]).toEqual([[], 2])
    strategy.subscribeInstrument('NONE')
    for (const instrument of [strategy.other, strategy.instrument]) expect(() => { strategy.unsubscribeInstrument(instrument) }).toThrow(/parameters stay/)
  })
})

describe('the end of a contract', () => {
  test('ends its own instrument alone, and one that is unsubscribed no second time', () => {
    const { venue, strategy } = start()
    strategy.subscribeInstrument(2)
    strategy.subscribeInstrument('FUT')
    venue.clock.advanceTo(DAY_NS)
    expect(strategy.received).toEqual(['ETHUSDT PENDING', FUT, 'FUT GONE the contract has ended'])
    const again = start()
    again.strategy.unsubscribeInstrument(again.strategy.subscribeInstrument('FUT'))
    again.venue.clock.advanceTo(2 * DAY_NS)
    expect(again.strategy.received).toEqual([FUT, 'FUT GONE instrument unsubscribed'])
  })

  test.each<readonly [code: string, received: readonly string[]]>([
    ['OLD', ['OLD PENDING', 'OLD FAILED the contract has ended']],
    // A spot instrument has none, whatever its master data say, and one in more than a hundred days is not waited for.
    ['COIN', ['COIN PENDING']], ['FAR', ['FAR PENDING']],
  ])('of %s', (code, received) => {
    const { venue, strategy } = start()
    strategy.subscribeInstrument(code)
    venue.clock.advanceTo(102 * DAY_NS)
    expect(strategy.received).toEqual(received)
  })
})

describe('what is told', () => {
  test('a state comes before the next line, of whatever instrument', () => {
    const { venue, strategy } = start()
    strategy.subscribeInstrument(2)
    venue.line(2)
    expect(strategy.received).toEqual(['ETHUSDT PENDING', 'BTCUSDT trades'])
  })

  test('lines of a dynamic instrument while it is subscribed; its book under ERROR too', () => {
    const { venue, strategy } = start()
    const instrument = strategy.subscribeInstrument(2)
    const { listener } = venue.subscriptions[1]!
    venue.market(2).top([2000, 5], null)
    listener.onState(2, 'ERROR', 'why')
    venue.line(2, [], [], 2)
    expect([instrument.bestBid?.price.toString(), strategy.received]).toEqual(['200', ['ETHUSDT PENDING', 'ETHUSDT ERROR why', 'ETHUSDT trades']])
  })

  test('nothing to a strategy that does not ask for states, or has stopped', () => {
    const { venue, strategy, runtime } = startFake(recording(['onInstrumentTrades']), { entries })
    strategy.subscribeInstrument(2)
    expect([runtime.state().dynamic.waiting, venue.clock.waiting]).toEqual([[], []])
    class Late extends Dynamic {
      override onStop(): void {
        this.subscribeInstrument(2)
      }
    }
    const late = startFake(Late, { entries })
    late.runtime.stop('end')
    late.venue.clock.settle()
    expect([late.strategy.received, late.runtime.state().dynamic.waiting]).toEqual([[], []])
  })
})

describe('references', () => {
  test.each([[0], [-0]])('%d names no instrument', (reference) => {
    const { strategy } = start()
    for (const ask of [() => strategy.subscribeInstrument(reference), () => strategy.subscribeTradingInstrument(reference)]) {
      expect(ask).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place: { field: 'instrument' } }) as Error)
    }
  })

  test('an account by its name, where two fit', () => {
    const accounts = [{ accountId: 'a', exchangeCode: 'swap' }, { accountId: 'b', exchangeCode: 'swap' }]
    const { strategy } = start({ accounts, parameters: { instrument: { instrument: 'BTCUSDT', account: 'b' } } })
    expect(strategy.subscribeTradingInstrument({ instrument: 2, account: 'b' }).account.id).toBe('b')
    expect(strategy.subscribeTradingInstrument({ instrument: 'NONE', account: 'b' }).account.id).toBe('b')
    expect(strategy.subscribeTradingInstrument({ instrument: 'NONE', account: 'b' })).not.toBe(strategy.subscribeInstrument('NONE'))
    for (const instrument of [2, 'NONE']) expect(() => strategy.subscribeTradingInstrument({ instrument, account: 'c' })).toThrow(/account/)
  })

  test('one that the venue does not know is another one on each account', () => {
    class Twice extends Dynamic {
      declare other: TradingInstrument
    }
    Parameter(TradingInstrument)(Twice.prototype, 'other')
    const accounts = [{ accountId: 'a', exchangeCode: 'swap' }, { accountId: 'b', exchangeCode: 'swap' }]
    const { strategy } = startFake(Twice, { entries, accounts, parameters: { instrument: { instrument: 1, account: 'a' }, other: { instrument: 1, account: 'b' } } })
    const [a, b] = ['a', 'b'].map((account) => strategy.subscribeTradingInstrument({ instrument: 'NONE', account }))
    expect([a!.account.id, b!.account.id]).toEqual(['a', 'b'])
    for (const instrument of ['NONE', 'FUT']) expect(() => strategy.subscribeTradingInstrument(instrument)).toThrow(/account/)
  })

  test('a spot instrument has the position that its wallet says', () => {
    const { strategy } = start({ wallets: [walletOf(10, '2.5')] })
    expect(strategy.subscribeTradingInstrument('COIN').position.toString()).toBe('2.5')
  })

  test('a thousand that the venue does not know, and not one more', () => {
    const { strategy } = start()
    for (let i = 0; i < 1000; i++) strategy.subscribeInstrument(`NONE-${i}`)
    expect(strategy.subscribeInstrument('NONE-0').marketDataState).toBe('FAILED')
    expect(() => strategy.subscribeInstrument('NONE')).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED', place: { expected: 'at most 1000', found: 'more' } }) as Error)
  })
})

test('a run that resumes has those that the venue does not know, and tells what waits of them', () => {
  const found: (DataInstrument | TradingInstrument)[] = []
  class Kept extends Dynamic {
    override onStart(): void {
      if (this.resuming) found.push(this.subscribeInstrument('NONE'), this.subscribeTradingInstrument('NONE'))
    }
  }
  const { strategy, runtime } = startFake(Kept, { entries })
  strategy.subscribeInstrument('FUT')
  strategy.subscribeInstrument('NONE')
  strategy.subscribeTradingInstrument('NONE')
  const venue = new FakeVenue({ entries })
  const next = startFake(Kept, { entries, resume: written(runtime.state()) }, venue)
  expect(found.map((one) => [one.marketDataState, 'account' in one])).toEqual([['FAILED', false], ['FAILED', true]])
  expect(next.runtime.state()).toEqual(written(runtime.state()))
  venue.clock.settle()
  const none = ['NONE PENDING', 'NONE FAILED instrument not available on this endpoint']
  expect(next.strategy.received).toEqual([FUT, ...none, ...none])
})
