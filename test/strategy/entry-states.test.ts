import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import type { EntryStateRules } from '../../src/strategy/entry-state-watch.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import { FakeVenue, fillOf, type FakeOrderEntry } from '../support/fake-venue.js'
import type { OrderEntryListener } from '../../src/venue/venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import type { StrategyRuntime } from '../../src/strategy/runtime.js'
import { throughJson } from '../support/through-json.ts'

const HEARD: readonly (keyof Strategy)[] = ['onOrderEntryState', 'onStop']
const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }
const S = 1e9

function running(entryStates: EntryStateRules = {}): { venue: FakeVenue, strategy: RecordingStrategy, runtime: StrategyRuntime } {
  return startFake(recording(HEARD), { entryStates })
}

function sendStatus(venue: FakeVenue, status: string): void {
  venue.entry.listener.onAccountStatus({ ...venue.entry.initial, status })
}

describe('statuses', () => {
  test('READY, DEGRADED, NOT_AVAILABLE and back, one callback a change', () => {
    const { venue, strategy } = running()
    for (const status of ['OK', 'DISCONNECTED', 'EXCHANGE_BUSY', 'EMERGENCY_SHUTDOWN', 'UNASSIGNED', 'OK']) sendStatus(venue, status)
    expect(strategy.received).toEqual(['onOrderEntryState(DEGRADED)', 'onOrderEntryState(NOT_AVAILABLE)', 'onOrderEntryState(READY)'])
  })

  test('ERROR is never seen: the strategy is stopped', () => {
    const { venue, strategy, runtime } = running()
    sendStatus(venue, 'BANNED')
    expect(strategy.received).toEqual(['onStop()'])
    expect(runtime.stopReason).toMatch(/order entry of account .*: its status is BANNED/)
  })

  test('DEGRADED for longer than was declared stops; a return in between begins anew', () => {
    const { venue, strategy, runtime } = running({ stopDegradedAfterNs: 60 * S })
    sendStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(59 * S)
    sendStatus(venue, 'OK')
    venue.clock.advanceTo(100 * S)
    sendStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(160 * S - 1)
    expect(runtime.isOver).toBe(false)
    venue.clock.advanceTo(160 * S)
    expect([runtime.isOver, runtime.stopReason]).toEqual([true, expect.stringMatching(/it has been DEGRADED too long/)])
    expect(strategy.received[strategy.received.length - 1]).toBe('onStop()')
  })
})

describe('the status at login', () => {
  test.each([['OK', 'READY', null], ['DISCONNECTED', 'DEGRADED', null], ['MANUAL_SHUTDOWN', 'NOT_AVAILABLE', null], ['BANNED', 'ERROR', /its status is BANNED/]] as const)('%s is %s, without a callback', (status, state, words) => {
    class Banned extends FakeVenue {
      override orderEntry(accountId: string, listener: OrderEntryListener): FakeOrderEntry {
        const entry = super.orderEntry(accountId, listener)
        return Object.assign(entry, { initial: { ...entry.initial, status } })
      }
    }
    const { strategy, runtime, venue } = startFake(recording(['onOrderEntryState']), { entryStates: { stopDegradedAfterNs: 60 * S } }, new Banned())
    expect([strategy.instrument.account.state, strategy.received]).toEqual([state, []])
    expect(runtime.stopReason).toEqual(words === null ? null : expect.stringMatching(words))
    // DEGRADED from the beginning on is counted from there.
    venue.clock.advanceTo(60 * S)
    expect(runtime.isOver).toBe(state === 'DEGRADED' || state === 'ERROR')
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
    expect(strategy.received).toEqual([])
    venue.clock.advanceTo(S)
    expect([strategy.received, strategy.instrument.account.state]).toEqual([['onOrderEntryState(DELAYED)'], 'DELAYED'])
    strategy.instrument.placeOrder(BUY)
    expect(venue.entry.placed.length).toBe(2)
    venue.entry.listener.onFill([fillOf(entry!, 4)], 0)
    expect([strategy.received.length, strategy.instrument.account.state]).toEqual([2, 'READY'])
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
    expect(strategy.received).toEqual([])
  })

  test('two orders behind: READY when the last one has caught up; time counts from the first, and other orders change nothing', () => {
    const { venue, strategy } = running()
    for (let i = 0; i < 3; i++) strategy.instrument.placeOrder(BUY)
    const [first, second, third] = venue.entry.placed
    for (const entry of venue.entry.placed) venue.entry.confirm(entry)
    venue.entry.update(first!, { executedQuantity: 4 })
    venue.clock.advanceTo(0.5 * S)
    venue.entry.update(first!, { executedQuantity: 5 })
    venue.entry.update(second!, { executedQuantity: 4 })
    venue.clock.advanceTo(S)
    expect(strategy.received).toEqual(['onOrderEntryState(DELAYED)'])
    venue.entry.execute(third!, 4, { executed: 4, position: 4 })
    venue.entry.listener.onFill([fillOf(first!, 5)], 0)
    venue.entry.update(third!, { executedQuantity: 4 })
    expect(strategy.received).toHaveLength(1)
    venue.entry.listener.onFill([fillOf(second!, 4)], 0)
    expect(strategy.received).toEqual(['onOrderEntryState(DELAYED)', 'onOrderEntryState(READY)'])
    venue.clock.advanceTo(60 * S)
    expect(strategy.received).toHaveLength(2)
  })

  test('one timer for all of them, none while it is DELAYED', () => {
    const { venue, strategy } = running()
    for (let i = 0; i < 3; i++) strategy.instrument.placeOrder(BUY)
    const [first, second, third] = venue.entry.placed
    venue.entry.update(first!, { executedQuantity: 4 })
    const late = (): readonly number[] => venue.clock.waiting.filter(({ name }) => name === 'late').map(({ timeNs }) => timeNs / S)
    venue.clock.advanceTo(0.5 * S)
    venue.entry.update(second!, { executedQuantity: 4 })
    expect(late()).toEqual([1])
    venue.clock.advanceTo(S)
    venue.entry.update(third!, { executedQuantity: 4 })
    expect([strategy.received, late()]).toEqual([['onOrderEntryState(DELAYED)'], []])
  })

  test('nothing waits when it has come in time; other bad states have no such end', () => {
    const { venue, strategy, runtime } = running({ stopDelayedAfterNs: 10 * S })
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.execute(entry!, 4, { executed: 4, position: 4 })
    venue.clock.advanceTo(2 * S)
    expect(venue.clock.waiting).toEqual([])
    sendStatus(venue, 'MANUAL_SHUTDOWN')
    venue.clock.advanceTo(60 * S)
    expect([runtime.isOver, venue.clock.waiting]).toEqual([false, []])
  })

  test('is as far in a run that goes on: late, then DELAYED', () => {
    const { venue, strategy, runtime } = running({ stopDelayedAfterNs: 10 * S })
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.update(entry!, { executedQuantity: 4 })
    for (const untilNs of [0.5 * S, 2 * S]) {
      venue.clock.advanceTo(untilNs)
      const resume = throughJson(runtime.state())
      const [isDelayed] = [untilNs > S]
      const { apart, ...watch } = resume.accounts[0]!.watch!
      expect([watch, apart.ids(), apart.values()]).toEqual([{ status: 'READY', isDelayed, isArmed: !isDelayed }, ['id-1'], [0]])
      const next = startFake(recording(HEARD), { resume: throughJson(resume) })
      expect(next.runtime.state().accounts).toEqual(resume.accounts)
      next.venue.entry.listener.onFill([fillOf(entry!, 4)], 0)
      expect(next.strategy.received).toEqual(isDelayed ? ['onOrderEntryState(READY)'] : [])
    }
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
    expect(strategy.received).toEqual([])
    venue.clock.advanceTo(1.8 * S)
    expect(strategy.received).toEqual(['onOrderEntryState(DELAYED)'])
  })

  test('DELAYED for longer than was declared stops; a worse status comes first', () => {
    const { venue, strategy, runtime } = running({ delayedAfterNs: S, stopDelayedAfterNs: 10 * S })
    strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    venue.entry.update(entry!, { executedQuantity: 4 })
    venue.clock.advanceTo(2 * S)
    sendStatus(venue, 'DISCONNECTED')
    venue.clock.advanceTo(30 * S)
    sendStatus(venue, 'OK')
    expect(strategy.received).toEqual(['onOrderEntryState(DELAYED)', 'onOrderEntryState(DEGRADED)', 'onOrderEntryState(DELAYED)'])
    venue.clock.advanceTo(40 * S)
    expect(runtime.stopReason).toMatch(/DELAYED too long/)
  })
})
