import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import type { EntryStateRules } from '../../src/strategy/entry-state-watch.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { fillOf, type FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import type { StrategyRuntime } from '../../src/strategy/runtime.js'

const HEARD: readonly (keyof Strategy)[] = ['onOrderEntryState', 'onStop']
const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }
const S = 1e9

function running(entryStates: EntryStateRules = {}): { venue: FakeVenue, strategy: RecordingStrategy, runtime: StrategyRuntime } {
  return startFake(recording(HEARD), { entryStates })
}

function tellStatus(venue: FakeVenue, status: string): void {
  venue.entry.listener.onAccountStatus({ ...venue.entry.initial, status })
}

describe('statuses', () => {
  test('READY, DEGRADED, NOT_AVAILABLE and back, one callback a change', () => {
    const { venue, strategy } = running()
    for (const status of ['OK', 'DISCONNECTED', 'EXCHANGE_BUSY', 'EMERGENCY_SHUTDOWN', 'UNASSIGNED', 'OK']) tellStatus(venue, status)
    expect(strategy.heard).toEqual(['onOrderEntryState(DEGRADED)', 'onOrderEntryState(NOT_AVAILABLE)', 'onOrderEntryState(READY)'])
  })

  test('ERROR is never seen: the strategy is stopped', () => {
    const { venue, strategy, runtime } = running()
    tellStatus(venue, 'BANNED')
    expect(strategy.heard).toEqual(['onStop()'])
    expect(runtime.stopReason).toMatch(/order entry of account .*: its status is BANNED/)
  })

  test('DEGRADED for longer than was declared stops; a return in between begins anew', () => {
    const { venue, strategy, runtime } = running({ stopDegradedAfterNs: 60 * S })
    tellStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(59 * S)
    tellStatus(venue, 'OK')
    venue.clock.advanceTo(100 * S)
    tellStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(160 * S - 1)
    expect(runtime.isOver).toBe(false)
    venue.clock.advanceTo(160 * S)
    expect([runtime.isOver, runtime.stopReason]).toEqual([true, expect.stringMatching(/it has been DEGRADED too long/)])
    expect(strategy.heard[strategy.heard.length - 1]).toBe('onStop()')
  })
})

describe('a fill that is missing', () => {
  test('makes the account DELAYED after a second, and READY when it comes', () => {
    const { venue, strategy } = running()
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.update(entry!, { executedQuantity: 4 })
    venue.clock.advanceTo(S - 1)
    expect(strategy.heard).toEqual([])
    venue.clock.advanceTo(S)
    expect([strategy.heard, strategy.instrument.account.state]).toEqual([['onOrderEntryState(DELAYED)'], 'DELAYED'])
    strategy.instrument.placeOrder(BUY)
    expect(venue.entry.placed.length).toBe(2)
    venue.entry.listener.onFill([fillOf(entry!, 4)], 0)
    expect([strategy.heard.length, strategy.instrument.account.state]).toEqual([2, 'READY'])
  })

  test('fill and update of one instant, or within the second, are never DELAYED; a correction counts no quantity', () => {
    const { venue, strategy } = running()
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.execute(entry!, 4, { executed: 4, position: 4 })
    venue.clock.advanceTo(5 * S)
    venue.entry.update(entry!, { executedQuantity: 10, state: 'FILLED' })
    venue.clock.advanceTo(5.5 * S)
    venue.entry.listener.onFill([fillOf(entry!, 6)], 0)
    venue.entry.listener.onFill([fillOf(entry!, 6, { update: true })], 0)
    venue.clock.advanceTo(60 * S)
    expect(strategy.heard).toEqual([])
  })

  test('two gaps in turn: the second has its own second', () => {
    const { venue, strategy } = running()
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.update(entry!, { executedQuantity: 4 })
    venue.clock.advanceTo(0.5 * S)
    venue.entry.listener.onFill([fillOf(entry!, 4)], 0)
    venue.clock.advanceTo(0.8 * S)
    venue.entry.update(entry!, { executedQuantity: 5 })
    venue.clock.advanceTo(1.8 * S - 1)
    expect(strategy.heard).toEqual([])
    venue.clock.advanceTo(1.8 * S)
    expect(strategy.heard).toEqual(['onOrderEntryState(DELAYED)'])
  })

  test('DELAYED for longer than was declared stops; a worse status comes first', () => {
    const { venue, strategy, runtime } = running({ delayedAfterNs: S, stopDelayedAfterNs: 10 * S })
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.update(entry!, { executedQuantity: 4 })
    venue.clock.advanceTo(2 * S)
    tellStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(30 * S)
    tellStatus(venue, 'OK')
    expect(strategy.heard).toEqual(['onOrderEntryState(DELAYED)', 'onOrderEntryState(DEGRADED)', 'onOrderEntryState(DELAYED)'])
    venue.clock.advanceTo(40 * S)
    expect(runtime.stopReason).toMatch(/DELAYED too long/)
  })
})
