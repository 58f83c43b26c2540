import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  archiveCounts, archiveEvent, shownState, SHOP_TIMES, stateAfter, type ShopRecord,
} from '../../../src/protocol/shop/shop-states.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import type { ShopMachineName, ShopTransition } from '../../../src/protocol/shop/shop-transitions.js'
import { hasSharedData } from '../../support/shared-data.ts'
import { specSections } from '../../support/spec-document.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const COLD: typeof SHOP_TIMES = SHOP_TIMES
const WARM: typeof SHOP_TIMES = { ...SHOP_TIMES, coldMs: Infinity }

type Anything = 'paid'
/** A step of any machine: the compiler knows the events of each, a table of tests does not. */
function after(name: ShopMachineName, record: ShopRecord, event: string, nowMs: number, times: typeof SHOP_TIMES = COLD): ShopRecord {
  return stateAfter(name as 'guestOrder', record as ShopRecord<Anything>, event as 'refund', nowMs, times)
}

const STEPS: readonly (readonly [name: ShopMachineName, from: string, event: string, atMs: number, to: string])[] = [
  ['session', 'pending', 'pay', 0, 'paid'], ['session', 'pending', 'pay', DAY - 1, 'paid'],
  ['session', 'pending', 'pay', DAY, 'expired'], ['session', 'pending', 'time', DAY - 1, 'pending'],
  ['session', 'pending', 'time', DAY, 'expired'], ['session', 'pending', 'decline', 5, 'pending'],
  ['session', 'pending', 'leave', 5, 'pending'], ['session', 'paid', 'time', 100 * DAY, 'paid'],
  ['session', 'paid', 'pay', 5, 'paid'], ['session', 'expired', 'pay', 5, 'expired'],
  ['session', 'pending', 'time', -DAY, 'pending'], ['session', 'pending', 'pay', -DAY, 'paid'],
  ['guestOrder', 'paid', 'time', 30 * DAY - 1, 'paid'], ['guestOrder', 'paid', 'time', 30 * DAY, 'expired'],
  ['guestOrder', 'paid', 'refund', 5, 'refunded'], ['guestOrder', 'paid', 'refund', 30 * DAY, 'expired'],
  ['guestOrder', 'refunded', 'time', 30 * DAY, 'expired'], ['guestOrder', 'expired', 'refund', 5, 'expired'],
  ['guestOrder', 'paid', 'expire', 5, 'expired'], ['guestOrder', 'refunded', 'refund', 5, 'refunded'],
  ['accountOrder', 'paid', 'time', 3000 * DAY, 'paid'], ['accountOrder', 'paid', 'refund', 5, 'refunded'],
  ['accountOrder', 'refunded', 'expire', 5, 'expired'],
  ['dayFile', 'ready', 'time', 30 * DAY - 1, 'ready'], ['dayFile', 'ready', 'time', 30 * DAY, 'cold'],
  ['dayFile', 'ready', 'restore', 5, 'ready'], ['dayFile', 'cold', 'restore', 5, 'restoring'],
  ['dayFile', 'ready', 'restore', 30 * DAY, 'restoring'], ['dayFile', 'restoring', 'restore', 12 * HOUR - 1, 'restoring'],
  ['dayFile', 'restoring', 'time', 12 * HOUR, 'restored'], ['dayFile', 'restored', 'time', 3000 * DAY, 'restored'],
  ['dayFile', 'cold', 'time', 3000 * DAY, 'cold'], ['dayFile', 'cold', 'thaw', 5, 'restored'],
  ['dayFile', 'restoring', 'thaw', 5, 'restored'], ['dayFile', 'ready', 'freeze', 5, 'cold'],
  ['dayFile', 'restored', 'freeze', 5, 'cold'], ['dayFile', 'restoring', 'freeze', 5, 'cold'],
  ['export', 'none', 'request', 5, 'converting'], ['export', 'none', 'probe', 5, 'converting'],
  ['export', 'none', 'built', 5, 'none'], ['export', 'converting', 'request', 5, 'converting'],
  ['export', 'converting', 'built', 5, 'ready'], ['export', 'converting', 'empty', 5, 'empty'],
  ['export', 'converting', 'fail', 5, 'failed'], ['export', 'failed', 'probe', 5, 'failed'],
  ['export', 'failed', 'request', 5, 'converting'], ['export', 'ready', 'evict', 5, 'none'],
  ['export', 'ready', 'fail', 5, 'ready'], ['export', 'empty', 'request', 5, 'empty'],
  ['archive', 'pending', 'allReady', 5, 'ready'], ['archive', 'pending', 'notReady', 5, 'pending'],
  ['archive', 'ready', 'notReady', 5, 'pending'], ['archive', 'pending', 'overLimit', 5, 'too_large'],
  ['archive', 'ready', 'overLimit', 5, 'too_large'], ['archive', 'too_large', 'allReady', 5, 'too_large'],
]

describe('states', () => {
  test.each(STEPS)('%s: %s, %s at %d: %s', (name, state, event, atMs, to) => {
    expect(after(name, { state, startMs: 0, sinceMs: 0 }, event, atMs).state).toBe(to)
  })

  test('nothing is cold where nothing may be', () => {
    expect(after('dayFile', { state: 'ready', startMs: 0, sinceMs: 0 }, 'time', 3000 * DAY, WARM).state).toBe('ready')
  })

  test('what time did has the time at which it did so', () => {
    expect(after('dayFile', { state: 'restoring', startMs: 0, sinceMs: 7 }, 'time', 99 * DAY))
      .toEqual({ state: 'restored', startMs: 0, sinceMs: 7 + 12 * HOUR })
  })

  test('a record that does not change is the same object', () => {
    const record = { state: 'pending', startMs: 0, sinceMs: 0 }
    expect(after('session', record, 'time', 5)).toBe(record)
  })

  test('every state has a word of the wire', () => {
    const words: Readonly<Partial<Record<ShopMachineName, readonly string[]>>> = {
      session: SHOP.schemas.Session.properties.status.enum, dayFile: SHOP.schemas.DayState.properties.state.enum,
      export: SHOP.schemas.ExportState.properties.state.enum, archive: SHOP.schemas.ArchiveState.properties.state.enum,
    }
    for (const [name, { shown, transitions }] of machines) {
      const states = Object.keys(shown)
      expect(transitions.flatMap(({ from, to }) => [from, to]).filter((one) => !states.includes(one))).toEqual([])
      expect(states.map((one) => shownState(name, one)).filter((one) => words[name]?.includes(one) === false)).toEqual([])
    }
    expect(shownState('dayFile', 'restoring')).toBe('pending')
  })
})

const machines = Object.entries(SHOP.machines) as
  [ShopMachineName, { shown: Record<string, string>, transitions: readonly ShopTransition[] }][]

describe.skipIf(!hasSharedData)('states and transitions of the document', () => {
  test('each row has a transition, and each transition a row or a mark', () => {
    const rows = specSections('1-market-data-shop-and-feed.md').get('States and transitions')!.tables[0]!
    const plain = (text = ''): string => text.replace(/ \((?:deep|about|reason).*\)/, '')
    const wanted = rows.filter(([first = '']) => !first.startsWith('Realtime'))
      .map(([first = '', state, , , next]) => `${first}: ${plain(state)}, ${plain(next)}`)
    expect(wanted).toHaveLength(7)
    const transitions = machines.flatMap(([, one]) => one.transitions)
    expect(transitions.flatMap(({ row }) => row ?? [])).toEqual(wanted)
    expect(transitions.filter(({ row, isOurs }) => (row === undefined) !== (isOurs === true))).toEqual([])
  })
})

interface Naive {
  readonly first: string
  /** The state at a time, and after an event. */
  readonly step: (state: string, startMs: number, sinceMs: number, event: string, nowMs: number) => string
}

/** The machines again, as one would write each by hand. */
const NAIVE: Readonly<Record<'session' | 'guestOrder' | 'dayFile' | 'export', Naive>> = {
  session: {
    first: 'pending',
    step: (state, startMs, _since, event, nowMs) => {
      if (state !== 'pending') return state
      if (nowMs - startMs >= DAY) return 'expired'
      return event === 'pay' ? 'paid' : 'pending'
    },
  },
  guestOrder: {
    first: 'paid',
    step: (state, startMs, _since, event, nowMs) => {
      if (state === 'expired' || nowMs - startMs >= 30 * DAY || event === 'expire') return 'expired'
      return event === 'refund' ? 'refunded' : state
    },
  },
  dayFile: {
    first: 'ready',
    step: (state, startMs, sinceMs, event, nowMs) => {
      let now = state
      if (now === 'ready' && nowMs - startMs >= 30 * DAY) now = 'cold'
      if (now === 'restoring' && nowMs - sinceMs >= 12 * HOUR) now = 'restored'
      if (event === 'freeze') return 'cold'
      if (event === 'thaw') return now === 'ready' ? 'ready' : 'restored'
      return event === 'restore' && now === 'cold' ? 'restoring' : now
    },
  },
  export: {
    first: 'none',
    step: (state, _start, _since, event) => {
      if (event === 'request' && (state === 'none' || state === 'failed')) return 'converting'
      if (event === 'probe' && state === 'none') return 'converting'
      if (state === 'converting') return { built: 'ready', empty: 'empty', fail: 'failed' }[event] ?? state
      return event === 'evict' && state === 'ready' ? 'none' : state
    },
  },
}

const EVENTS = ['time', 'pay', 'refund', 'expire', 'restore', 'thaw', 'freeze', 'request', 'probe', 'built', 'empty', 'fail', 'evict']

describe('against machines written by hand', () => {
  test.each(Object.entries(NAIVE))('%s, with a clock that steps back', (name, { first, step }) => {
    const moves = fc.array(fc.record({
      event: fc.constantFrom(...EVENTS),
      byMs: fc.oneof(fc.integer({ min: -40 * DAY, max: 40 * DAY }), fc.constantFrom(0, 1, -1, HOUR, 12 * HOUR, DAY, 30 * DAY)),
    }), { maxLength: 40 })
    fc.assert(fc.property(moves, (all) => {
      let record: ShopRecord = { state: first, startMs: 0, sinceMs: 0 }
      let nowMs = 0
      for (const { event, byMs } of all) {
        nowMs += byMs
        const wanted = step(record.state, record.startMs, record.sinceMs, event, nowMs)
        record = after(name as ShopMachineName, record, event, nowMs)
        expect(record.state).toBe(wanted)
      }
    }), { numRuns: 300 })
  })
})

describe('an archive', () => {
  const file = (state: string, bytes = 1) => ({ state, bytes })

  test.each([
    [[file('ready'), file('ready')], 'allReady'], [[file('ready'), file('cold')], 'notReady'],
    [[file('pending')], 'notReady'], [[], 'allReady'], [[file('ready', 4_000_000_000)], 'allReady'],
    [[file('ready', 4_000_000_000), file('ready')], 'overLimit'], [[file('cold', 4_000_000_001)], 'overLimit'],
  ])('%j: %s', (members, event) => expect(archiveEvent(members)).toBe(event))

  test('counts its files', () => {
    expect(archiveCounts([file('ready'), file('cold'), file('pending'), file('ready'), file('thawing')]))
      .toEqual({ ready: 2, pending: 2, cold: 1 })
  })
})
