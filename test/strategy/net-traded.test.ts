import { describe, expect, test } from 'vitest'
import type { RuntimeState } from '../../src/strategy/runtime-state.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import { fakeEntry } from '../support/fake-market.js'
import { fillOf, reportOf, walletOf, type FakeVenueOptions } from '../support/fake-venue.js'
import { recording, startFake } from '../support/recording-strategy.js'
import type { StockSplit } from '../../src/venue/account-messages.js'
import { throughJson } from '../support/through-json.ts'

const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('1'), price: Price.from('100') }
const SELL: OrderParams = { ...BUY, side: 'ASK' }
const SPLIT: StockSplit = { lastPrice: '100', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: true }

class Reading extends recording(['onOrderUpdate']) {
  readonly seen: string[] = []
  override onOrderFill(): void {
    this.seen.push(this.instrument.netTraded.toString())
  }
}

function running(options: FakeVenueOptions & { readonly resume?: RuntimeState } = {}): ReturnType<typeof startFake<Reading>> {
  return startFake(Reading, options)
}

/** Places an order and fills so many units of it. */
function trade({ venue, strategy }: ReturnType<typeof running>, params: OrderParams, units: readonly number[]): void {
  strategy.instrument.placeOrder(params)
  const entry = venue.entry.placed.at(-1)!
  venue.entry.confirm(entry)
  for (const quantity of units) venue.entry.listener.onFill([fillOf(entry, quantity)], 0)
}

describe('net traded', () => {
  test('is the sum of own fills, whatever the account holds, and has the fill in onOrderFill', () => {
    const run = running()
    run.venue.entry.position({ instrumentId: 1, longPosition: 500, shortPosition: 0 })
    trade(run, BUY, [30, 20])
    trade(run, SELL, [80])
    trade(run, BUY, [30])
    expect(run.strategy.seen).toEqual(['0.3', '0.5', '-0.3', '0'])
    expect(run.strategy.instrument.position.toString()).toBe('5')
  })

  test('on spot is not the wallet', () => {
    const run = running({ entries: [fakeEntry({ type: 'spot', baseUnderlyingId: 10 })], wallets: [walletOf(10, '7')] })
    trade(run, BUY, [25])
    run.venue.entry.listener.onWalletUpdate([walletOf(10, '7.24975')], 0)
    expect([run.strategy.instrument.netTraded.toString(), run.strategy.instrument.position.toString()]).toEqual(['0.25', '7.24975'])
  })

  test('counts neither late data of a fill nor fills of others', () => {
    const run = running()
    trade(run, BUY, [30])
    const entry = run.venue.entry.placed[0]!
    run.venue.entry.listener.onFill([fillOf(entry, 30, { update: true, fees: '1' })], 0)
    run.venue.entry.listener.onFill([fillOf({ ...entry, ownOrderId: 'of nobody here' }, 50)], 0)
    expect(run.strategy.instrument.netTraded.toString()).toBe('0.3')
  })

  test('comes back from a checkpoint and goes on', () => {
    const run = running()
    trade(run, SELL, [45])
    const resumed = running({ resume: throughJson(run.runtime.state()) })
    expect(resumed.strategy.instrument.netTraded.toString()).toBe('-0.45')
    expect(resumed.runtime.state()).toEqual(run.runtime.state())
    trade(resumed, BUY, [50])
    expect(resumed.strategy.seen).toEqual(['0.05'])
  })

  test.each<readonly [what: string, params: OrderParams, units: number, split: Partial<StockSplit>, after: string]>([
    ['doubles', BUY, 31, {}, '0.62'],
    ['doubles what was sold', SELL, 31, {}, '-0.62'],
    ['is cut to whole lots where fractions are liquidated', BUY, 10, { buyVolume: '1', sellVolume: '3' }, '0.03'],
    ['is cut towards 0 where it is short', SELL, 20, { buyVolume: '1', sellVolume: '3' }, '-0.06'],
    ['is rounded to whole lots else', BUY, 20, { buyVolume: '1', sellVolume: '3', liquidateFractionalShares: false }, '0.07'],
    ['is rounded half-even', BUY, 25, { buyVolume: '1', sellVolume: '10', liquidateFractionalShares: false }, '0.02'],
    ['is exact where the ratio is no decimal', BUY, 9, { buyVolume: '7', sellVolume: '3' }, '0.21'],
  ])('after a split %s', (_what, params, units, split, after) => {
    const run = running({ entries: [fakeEntry({ lotSize: '0.01' })] })
    trade(run, params, [units])
    const listener = run.venue.entry.listener
    listener.onCorporateAction!({ instrumentId: 2, split: SPLIT }, 0)
    listener.onCorporateAction!({ instrumentId: 1, dividend: { underlyingId: 20, highPrice: '1', lowPrice: '1' } }, 0)
    listener.onCorporateAction!({ instrumentId: 1, split: { ...SPLIT, ...split } }, 0)
    expect(run.strategy.instrument.netTraded.toString()).toBe(after)
  })

  test('holds fills that wait for their callback when the split comes', () => {
    const run = startFake(Reading, { shuffleSeed: 3 })
    run.strategy.instrument.placeOrder(BUY)
    const entry = run.venue.entry.placed[0]!
    run.venue.entry.listener.onFill([fillOf(entry, 30)], 0)
    expect(run.strategy.seen).toEqual([])
    run.venue.entry.listener.onCorporateAction!({ instrumentId: 1, split: SPLIT }, 0)
    expect([run.strategy.seen, run.strategy.instrument.netTraded.toString()]).toEqual([['0.3'], '0.6'])
  })

  describe('counts a fill from before a split that comes after it in its own units', () => {
    /** Units at 0.01 that an update states as executed, with their fill to come. */
    function executed(run: ReturnType<typeof running>, params: OrderParams, units: number, state: 'CONFIRMED' | 'CANCELED' | 'FILLED' = 'CANCELED'): (quantity?: number) => void {
      run.strategy.instrument.placeOrder(params)
      const entry = run.venue.entry.placed.at(-1)!
      run.venue.entry.confirm(entry)
      run.venue.entry.listener.onOrderUpdate([{ ...reportOf(entry), state, executedQuantity: units }], 0)
      return (quantity = units) => run.venue.entry.listener.onFill([fillOf(entry, quantity)], 0)
    }
    const split = (run: ReturnType<typeof running>, one: Partial<StockSplit> = {}): void => run.venue.entry.listener.onCorporateAction!({ instrumentId: 1, split: { ...SPLIT, ...one } }, 0)
    const net = (run: ReturnType<typeof running>): string => run.strategy.instrument.netTraded.toString()
    const lot = { entries: [fakeEntry({ lotSize: '0.01' })] }

    test.each(['CANCELED', 'FILLED', 'CONFIRMED'] as const)('of an order that was %s', (state) => {
      const run = running(lot)
      trade(run, BUY, [10])
      const fill = executed(run, SELL, 30, state)
      split(run)
      expect(net(run)).toBe('0.2')
      fill()
      expect(net(run)).toBe('-0.4')
    })

    test('in several parts, and none of orders placed later', () => {
      const run = running(lot)
      const fill = executed(run, BUY, 30)
      split(run)
      fill(10)
      trade(run, BUY, [5])
      fill(20)
      trade(run, SELL, [1])
      expect(run.strategy.seen).toEqual(['0.2', '0.25', '0.65', '0.64'])
    })

    test('rounded with what was there, as the exchange rounds the whole', () => {
      const run = running(lot)
      trade(run, BUY, [10])
      const fill = executed(run, BUY, 11)
      split(run, { buyVolume: '1', sellVolume: '3' })
      expect(net(run)).toBe('0.03')
      fill()
      expect(net(run)).toBe('0.07')
    })

    test('through every split that lies between, also from a checkpoint', () => {
      const run = running(lot)
      const first = executed(run, BUY, 10)
      split(run)
      executed(run, BUY, 7)
      split(run, { buyVolume: '3' })
      const saved = throughJson(run.runtime.state())
      first()
      expect(net(run)).toBe('0.6')
      const resumed = running({ ...lot, resume: saved })
      expect(resumed.runtime.state()).toEqual(saved)
      const [one, two] = run.venue.entry.placed
      resumed.venue.entry.listener.onFill([fillOf(one!, 10)], 0)
      resumed.venue.entry.listener.onFill([fillOf(two!, 7)], 0)
      expect(resumed.strategy.seen).toEqual(['0.6', '0.81'])
    })

    test('and nothing of it is kept where nothing is late', () => {
      const run = running(lot)
      const fill = executed(run, BUY, 10)
      split(run)
      fill()
      split(run)
      expect(run.runtime.state().accounts[0]!.splits).toBeUndefined()
      expect(net(run)).toBe('0.4')
    })
  })
})
