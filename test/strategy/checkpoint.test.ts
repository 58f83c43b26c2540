import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import { savedPrice, savedQuantity, savedText } from '../../src/strategy/saved-decimal.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { FakeVenue, walletOf } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const BUY = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') } as const
const NAMES = ['onOrderUpdate', 'onOrderFill', 'onOrderError', 'onInstrumentPosition', 'onInstrumentTopOfBook', 'onInstrumentTrades'] as const

class Counting extends recording(NAMES) {
  ticks = 0
  resumed = false
  override onStart(): void {
    this.resumed = this.resuming
    this.log('starting')
    this.every(10, () => { this.ticks++ })
    this.after(5, () => { this.received.push('once') })
    this.every(100, () => undefined, { name: 'slow' })
    if (this.resuming) this.received.push(this.instrument.placeOrder(BUY).discardReason ?? 'sent')
  }

  override saveState(): unknown {
    return { ticks: this.ticks }
  }

  override restoreState(state: unknown): void {
    this.ticks = (state as { ticks: number }).ticks
  }
}

/** Plain JSON, as a checkpoint file holds it. */
const written = (state: RuntimeState): RuntimeState => throughJson(state)

/** A run up to 25 ms: one order partly filled with an amend on its way, one filled, trades seen. */
function halfWay(options: { readonly shuffleSeed?: number } = {}): { readonly state: RuntimeState, readonly venue: FakeVenue, readonly strategy: Counting } {
  const { venue, strategy, runtime } = startFake(Counting, { ...options, wallets: [walletOf(20, '5')] })
  venue.market(1).top([1000, 10], [1005, 10])
  venue.line(6)
  venue.line(2, [[0, 1000, 5, 'a']])
  const order = strategy.instrument.placeOrder(BUY)
  venue.entry.confirm(venue.entry.placed[0]!)
  venue.entry.execute(venue.entry.placed[0]!, 4, { executed: 4, position: 4 })
  venue.clock.settle()
  order.amend({ price: Price.from('99') })
  strategy.instrument.placeOrder(BUY)
  venue.entry.confirm(venue.entry.placed[1]!)
  venue.entry.execute(venue.entry.placed[1]!, 10, { executed: 10, position: 14 })
  venue.clock.advanceTo(25e6)
  return { state: runtime.state(), venue, strategy }
}

function resumed(state: RuntimeState, options: { readonly shuffleSeed?: number } = {}): ReturnType<typeof startFake<Counting>> {
  const venue = new FakeVenue()
  venue.clock.advanceTo(25e6)
  venue.market(1).top([1000, 10], [1005, 10])
  return startFake(Counting, { ...options, resume: written(state) }, venue)
}

describe('a strategy that goes on where it was', () => {
  test('its state is plain JSON and comes back the same', () => {
    const { state } = halfWay()
    expect(written(state)).toEqual(state)
    const { runtime, strategy, logged, venue, discarded } = resumed(state)
    expect(strategy.received).toEqual(['RESUMING'])
    expect(runtime.state()).toEqual(state)
    expect([strategy.resumed, strategy.resuming, strategy.ticks]).toEqual([true, false, 2])
    expect([logged, discarded, venue.entry.requests]).toEqual([[], [], []])
  })

  test('timers take their saved due times; one that is over stays over', () => {
    const { state, strategy: before } = halfWay()
    expect(before.received).toContain('once')
    const { venue, strategy } = resumed(state)
    expect(venue.clock.waiting.map(({ name, timeNs }) => `${name}@${timeNs / 1e6}`)).toEqual(['slow@100', '0@30'])
    venue.clock.advanceTo(31e6)
    expect([strategy.ticks, strategy.received]).toEqual([3, ['RESUMING']])
  })

  test('orders, position, trades and wallets are as they were; answers find their order', () => {
    const { state } = halfWay()
    const { venue, strategy } = resumed(state)
    const { instrument } = strategy
    const [open] = instrument.openOrders
    expect([instrument.openOrders.length, open!.ownOrderId, open!.state]).toEqual([1, 'id-1', 'PENDING_AMEND'])
    expect([open!.executedQuantity.toString(), open!.getLastFill()!.quantity.toString()]).toEqual(['0.04', '0.04'])
    expect([instrument.position.toString(), instrument.account.available(20).toString(), instrument.getLastTrades()[0]!.tradeId]).toEqual(['0.14', '5', 'a'])
    venue.entry.listener.onAmendResponse([{ ownOrderId: 'id-1', clientOrderId: 'id-3', result: { price: 990 } }], 0)
    expect(instrument.openOrders[0]!.state).toBe('CONFIRMED')
    venue.line(6)
    expect(strategy.received).toEqual(['RESUMING'])
    venue.market(1).top([1000, 11], [1005, 10])
    venue.line(6)
    expect(strategy.received).toHaveLength(2)
  })

  test.each<readonly [what: string, funding: readonly (readonly [number, number])[], kept: object]>([
    ['all that they say', [[1, 4], [1000, 0], [-2, 5]], { rate: '0.0001', nextFundingTimestampNs: '1000', predictedRate: '-0.00002' }],
    ['no prediction', [[1, 4], [1000, 0], [0, 255]], { rate: '0.0001', nextFundingTimestampNs: '1000', predictedRate: null }],
    ['no time', [[1, 4], [NaN, 255], [0, 255]], { rate: '0.0001', nextFundingTimestampNs: null, predictedRate: null }],
  ])('trades, liquidations and funding are as they were: %s', (_what, funding, kept) => {
    const Heard = recording(['onInstrumentTrades', 'onInstrumentLiquidations', 'onInstrumentFundingRate'])
    const { venue, strategy, runtime } = startFake(Heard)
    venue.line(2, [[0, 1000, 5, 'a'], [1, 995, 7, 'b']])
    venue.line(17, [[1, 900, 5], [0, 910, 7]])
    venue.line(9, [], funding)
    const state = runtime.state()
    expect(state.instruments[0]!.fundingRate).toEqual(kept)
    const after = startFake(Heard, { resume: written(state) })
    const shown = ({ instrument }: typeof strategy): unknown => [instrument.getLastTrades(), instrument.getLastLiquidations(), instrument.fundingRate].map((one) => JSON.stringify(one, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)))
    expect(shown(after.strategy)).toEqual(shown(strategy))
    const rows = ({ instrument }: typeof strategy): unknown => [...instrument.getLastTrades(), ...instrument.getLastLiquidations()].map(({ price, quantity }) => [price, quantity])
    expect(rows(after.strategy)).toStrictEqual(rows(strategy))
    expect([after.strategy.instrument.getLastLiquidations().length, after.runtime.state()]).toEqual([2, state])
  })

  test('decimals come back as the same integers at the same scales: of orders, fills and positions', () => {
    const { state, strategy } = halfWay()
    const after = resumed(state)
    const decimals = ({ instrument }: Counting): unknown => instrument.openOrders.map((order) => {
      const { price, quantity } = order.getLastFill()!
      return [order.price, order.totalQuantity, order.executedQuantity, price, quantity, instrument.position]
    })
    expect(decimals(after.strategy)).toStrictEqual(decimals(strategy))
    fc.assert(fc.property(fc.maxSafeInteger(), fc.nat(15), (integer, scale) => {
      const [price, quantity] = [new Price(integer, scale), new Quantity(integer, scale)]
      expect([savedPrice(savedText(price)), savedQuantity(savedText(quantity))]).toStrictEqual([price, quantity])
    }))
    expect([savedText(new Price(0, 2)), savedText(new Price(-5, 2)), savedText(new Price(0, 0))]).toEqual(['0.00', '-0.05', '0'])
    for (const read of [savedPrice, savedQuantity]) expect(() => read('1.x')).toThrow(/it must be a decimal/)
  })

  test('what waited for its callback is called back', () => {
    const { venue, strategy, runtime } = startFake(Counting, { shuffleSeed: 4 })
    strategy.instrument.placeOrder(BUY)
    venue.entry.confirm(venue.entry.placed[0]!)
    const after = resumed(runtime.state(), { shuffleSeed: 4 })
    after.venue.clock.settle()
    expect(after.strategy.received).toEqual(['RESUMING', 'onOrderUpdate(id-1 CONFIRMED 0)', 'once'])
  })

  test('a strategy that had stopped stays stopped', () => {
    const { runtime } = startFake(Counting)
    runtime.stop('enough')
    const { runtime: after, strategy } = resumed(runtime.state())
    expect([after.isOver, after.stopReason, strategy.received]).toEqual([true, 'enough', []])
  })
})

describe('refusals', () => {
  test('a saved timer that nobody registers', () => {
    const { state } = halfWay()
    const timers = { ...state.timers, waiting: [...state.timers.waiting, { name: 'lost', timeNs: 5 }] }
    expect(() => resumed({ ...state, timers })).toThrow(/nobody registered the saved timer "lost"; register each in onStart or restoreState/)
  })

  test('one registered outside onStart can come back in restoreState', () => {
    class Later extends Strategy {
      arm(): void {
        this.after(50, () => undefined, { name: 'later' })
      }

      override restoreState(): void {
        this.arm()
      }
    }
    const { strategy, runtime } = startFake(Later, { parameters: {} })
    strategy.arm()
    const { venue } = startFake(Later, { parameters: {}, resume: written(runtime.state()) })
    expect(venue.clock.waiting.map(({ name }) => name)).toEqual(['later'])
  })

  test.each([['cancel'], ['amend'], ['cancelAllOrders']] as const)('%s while a run resumes', (verb) => {
    class Hasty extends recording([]) {
      override onStart(): void {
        if (!this.resuming) return
        const [order] = this.instrument.openOrders
        if (verb === 'cancel') order!.cancel()
        else if (verb === 'amend') order!.amend({})
        else this.instrument.account.cancelAllOrders()
      }
    }
    const { strategy, runtime } = startFake(Hasty)
    strategy.instrument.placeOrder(BUY)
    expect(() => startFake(Hasty, { resume: written(runtime.state()) })).toThrow(/while a run resumes/)
    expect(() => startFake(Hasty, { resume: written(runtime.state()) })).toThrow(expect.objectContaining({ cause: expect.objectContaining({ place: { field: 'resuming' } }) as Error }) as Error)
  })

  test('a state that is no JSON', () => {
    class Wide extends Strategy {
      override saveState(): unknown {
        return { big: 5n }
      }
    }
    expect(() => startFake(Wide, { parameters: {} }).runtime.state()).toThrow(/saveState must return plain JSON/)
  })
})
