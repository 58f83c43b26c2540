import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Parameter } from '../../src/strategy/parameter.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import { startStrategy, type StrategyRuntime } from '../../src/strategy/runtime.js'
import type { StrategySink } from '../../src/strategy/strategy-sink.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { holdingOf, TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { fakeEntry } from '../support/fake-market.js'
import { FakeVenue, fillOf, walletOf, type FakeOrderEntry } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }
const written = (state: RuntimeState): RuntimeState => throughJson(state)

describe('what a sink hears', () => {
  const started = (sink?: StrategySink): { readonly runtime: StrategyRuntime, readonly strategy: RecordingStrategy, readonly venue: FakeVenue } => {
    const venue = new FakeVenue({ entries: [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })] })
    const options = { venue, strategy: recording(['onMarketDataState']), clientId: 'c', accounts: [{ accountId: 'paper', exchangeCode: null }], parameters: { instrument: 'BTCUSDT' } }
    const runtime = startStrategy(sink === undefined ? options : { ...options, sink })
    return { runtime, strategy: runtime.strategy as RecordingStrategy, venue }
  }
  const act = ({ strategy }: ReturnType<typeof started>): void => {
    strategy.log('a line')
    strategy.instrument.placeOrder({ ...BUY, price: null })
    strategy.unsubscribeInstrument(strategy.subscribeInstrument(2))
    strategy.subscribeInstrument('NONE')
    strategy.stop('enough')
    strategy.stop('again')
  }

  test('lines, discards, states and the end, once', () => {
    const received: string[] = []
    const bench = started({
      log: (text) => received.push(text), discarded: (order) => received.push(order.discardReason!), stopped: (reason) => received.push(reason), marketState: (id, state, text) => received.push(`${id} ${state} ${text}`.trim()),
    })
    act(bench)
    bench.runtime.stop('from outside')
    expect(received).toEqual(['a line', 'PRICE_MISSING', '2 PENDING', '2 GONE instrument unsubscribed', '0 PENDING', '0 FAILED instrument not available on this endpoint', 'enough'].map((one) => one))
    expect(bench.runtime.stopReason).toBe('enough')
  })

  test('an end from outside is no decision of the strategy', () => {
    const received: string[] = []
    const { runtime } = started({ log: () => undefined, stopped: (reason) => received.push(reason) })
    runtime.stop('the data have ended')
    expect([received, runtime.stopReason]).toEqual([[], 'the data have ended'])
  })

  test('nothing of it is needed', () => {
    for (const bench of [started(), started({ log: () => undefined })]) {
      act(bench)
      expect(bench.runtime.stopReason).toBe('enough')
    }
  })
})

describe('subscriptions', () => {
  const entries = [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })]
  test('a dynamic instrument has the topics of the callbacks, none where there are none', () => {
    for (const [callbacks, topics] of [[[], {}], [['onInstrumentTrades', 'onInstrumentMarkPrice'], { trades: true, markPrice: true }]] as const) {
      const { venue, strategy } = startFake(recording(callbacks), { entries })
      strategy.subscribeInstrument(2)
      expect(venue.subscriptions.at(-1)).toMatchObject({ instrumentId: 2, topics })
      expect(Object.keys(venue.subscriptions.at(-1)!.topics)).toEqual(Object.keys(topics))
    }
  })

  test('a strategy that stops in onStart subscribes nothing', () => {
    class Brief extends recording(['onInstrumentTrades', 'onStop']) {
      override onStart(): void {
        this.subscribeInstrument(2)
        this.stop('at once')
      }
    }
    const { venue, strategy } = startFake(Brief, { entries })
    expect([strategy.received, venue.subscriptions]).toEqual([['onStop()'], []])
  })

  test('the time is the clock\'s, in nanoseconds and since the epoch', () => {
    const { venue, strategy } = startFake(recording([]))
    venue.clock.advanceTo(5)
    expect([strategy.nowNs(), strategy.now()]).toEqual([5, 5n])
  })
})

/** The same instrument on two accounts, as two instruments. */
class Twice extends Strategy {
  declare first: TradingInstrument
  declare second: TradingInstrument
  readonly received: string[] = []
  override onInstrumentPosition({ account, position }: TradingInstrument): void {
    this.received.push(`${account.id} ${position.toString()}`)
  }
}
for (const name of ['first', 'second'] as const) Parameter(TradingInstrument)(Twice.prototype, name)

describe('two accounts', () => {
  const options = {
    accounts: [{ accountId: 'a', exchangeCode: 'swap' }, { accountId: 'b', exchangeCode: 'swap' }],
    parameters: { first: { instrument: 1, account: 'a' }, second: { instrument: 1, account: 'b' } }, entries: [fakeEntry(), fakeEntry({ id: 2, code: 'ETHUSDT' })],
  }
  const entryOf = (venue: FakeVenue, accountId: string): FakeOrderEntry => venue.accounts.get(accountId)!

  test('each has its own position, wallets and orders', () => {
    const { venue, strategy } = startFake(Twice, options)
    entryOf(venue, 'b').position({ instrumentId: 1, longPosition: 7, shortPosition: 0 })
    entryOf(venue, 'a').listener.onWalletUpdate([walletOf(20, '5')], 0)
    strategy.second.placeOrder(BUY)
    expect([strategy.received, strategy.first.position.toString(), strategy.first.account.available(20).toString(), strategy.second.account.available(20).toString()]).toEqual([['b 0.07'], '0', '5', '0'])
    expect([entryOf(venue, 'a').placed.length, entryOf(venue, 'b').placed.length, strategy.first.openOrders.length]).toEqual([0, 1, 0])
  })

  test('and has them again after a checkpoint', () => {
    const { venue, strategy, runtime } = startFake(Twice, options)
    for (const [accountId, position] of [['a', 3], ['b', 7]] as const) {
      const { listener } = entryOf(venue, accountId)
      listener.onPositionUpdate([{ instrumentId: 1, longPosition: position, shortPosition: 0 }, { instrumentId: 2, longPosition: 0, shortPosition: position }], 0, accountId === 'a' ? [] : [{ instrumentId: 1, long: { size: 2 }, short: { size: 0 } }])
      listener.onWalletUpdate([walletOf(20, String(position))], 0)
    }
    entryOf(venue, 'b').listener.onAccountStatus({ ...entryOf(venue, 'b').initial, status: 'DISCONNECTED', positions: [], wallets: [walletOf(20, '7')] })
    strategy.second.placeOrder(BUY)
    const state = runtime.state()
    expect(state.instruments.map(({ stated }) => stated?.isolated === undefined)).toEqual([true, false])
    const resumed = startFake(Twice, { ...options, resume: written(state) })
    const { first, second } = resumed.strategy
    expect([first, second].map(({ position, account, openOrders }) => [position.toString(), account.state, account.available(20).toString(), openOrders.length])).toEqual([['0.03', 'READY', '3', 0], ['0.09', 'DEGRADED', '7', 1]])
    expect([holdingOf(first).stated.isolated, holdingOf(second).stated.isolated]).toEqual([undefined, holdingOf(strategy.second).stated.isolated])
    expect(resumed.runtime.state()).toEqual(state)
    // The account goes on from its state: what it was in is no news.
    const { listener, initial } = entryOf(resumed.venue, 'b')
    listener.onAccountStatus({ ...initial, status: 'OK', wallets: [walletOf(20, '7')] })
    expect(second.account.state).toBe('READY')
  })

  test('of which one is gone: the other comes back', () => {
    const { venue, runtime } = startFake(Twice, options)
    for (const [accountId, amount] of [['a', '3'], ['b', '7']] as const) entryOf(venue, accountId).listener.onWalletUpdate([walletOf(20, amount)], 0)
    const one = startFake(recording([]), { ...options, parameters: { instrument: { instrument: 1, account: 'b' } }, resume: written(runtime.state()) })
    expect(one.strategy.instrument.account.available(20).toString()).toBe('7')
  })
})

/** A spot instrument beside a perpetual one. */
class Basis extends Strategy {
  declare perpetual: TradingInstrument
  declare coin: TradingInstrument
  readonly received: string[] = []
  override onInstrumentPosition({ code }: TradingInstrument): void {
    this.received.push(`${code} position`)
  }

  override onOrderFill({ instrumentId }: { readonly instrumentId: number }): void {
    this.received.push(`${instrumentId === 1 ? 'PERP' : 'COIN'} fill`)
  }
}
for (const name of ['perpetual', 'coin'] as const) Parameter(TradingInstrument)(Basis.prototype, name)

test('shuffled, the position of a derivative comes before its fill, the one of a spot instrument before or after', () => {
  const orders = { PERP: new Set<string>(), COIN: new Set<string>() }
  for (let shuffleSeed = 0; shuffleSeed < 20; shuffleSeed++) {
    const { venue, strategy } = startFake(Basis, { shuffleSeed, parameters: { perpetual: 'PERP', coin: 'COIN' }, entries: [fakeEntry({ code: 'PERP' }), fakeEntry({ id: 2, code: 'COIN', type: 'spot' })] })
    for (const instrument of [strategy.perpetual, strategy.coin]) instrument.placeOrder(BUY)
    const [perpetual, coin] = venue.entry.placed
    venue.entry.position({ instrumentId: 1, longPosition: 1, shortPosition: 0 })
    venue.entry.listener.onWalletUpdate([walletOf(10, '5')], 0)
    venue.entry.listener.onFill([fillOf(perpetual!, 1), fillOf(coin!, 1)], 0)
    venue.clock.settle()
    for (const code of ['PERP', 'COIN'] as const) orders[code].add(strategy.received.filter((received) => received.startsWith(code)).join(', '))
  }
  expect([[...orders.PERP], orders.COIN.size]).toEqual([['PERP position, PERP fill'], 2])
})

describe('a state that cannot be saved', () => {
  test.each<readonly [thrown: unknown, words: string]>([[new RangeError('no'), 'RangeError: no\n'], [Object.assign(new Error('bare'), { stack: undefined }), 'bare'], ['text', 'text']])('because %s is thrown', (thrown, words) => {
    class Wrong extends Strategy {
      override saveState(): unknown {
        throw thrown as Error
      }
    }
    const { runtime } = startFake(Wrong, { parameters: {} })
    const found = ((): unknown => {
      try {
        return runtime.state()
      } catch (error) {
        return error
      }
    })()
    expect(found).toMatchObject({ code: 'STRATEGY_FAILED', place: { field: 'saveState' }, cause: thrown, message: expect.stringContaining(`must return plain JSON\n${words}`) as string })
  })

  test('of a strategy that keeps none it is null, and of one that gives what JSON leaves out', () => {
    class Function extends Strategy {
      override saveState(): unknown {
        return () => undefined
      }
    }
    for (const strategy of [Strategy, Function]) expect(startFake(class Plain extends strategy {}, { parameters: {} }).runtime.state().strategy).toBeNull()
  })
})
