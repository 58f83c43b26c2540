import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { ConditionWatcher } from '../../src/exchange/market/price-watch.js'
import type { MoneyWatcher } from '../../src/exchange/market/market-money.js'
import { ExchangeBench, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, funding, marginProfile, mark, place } from '../support/played-money.ts'

/*
 * What is unused costs nothing, shown by counts: who listens to a market, how often he is called, and what is put on the agenda. Times
 * would only show it on a quiet machine (bench/).
 */

const COUNT = 500

/** A book, then marks, trades and updates around it, one an instant. */
const LINES: MarketLine[] = [book(1, 100, 102), ...Array.from({ length: COUNT }, (_, at): MarketLine => {
  const timeNs = at + 2
  if (at % 4 === 0) return mark(timeNs, 100 + (at % 3))
  return at % 4 === 1 ? { kind: 'trades', timeNs, rows: [[1, 100, 1]] } : { kind: 'update', timeNs, rows: [[0, 100, 1000 + at], [1, 102, 1000 + at]] }
})]

interface Counts {
  /** Watchers that were attached, and calls that each kind of them got. */
  conditionWatches: number
  conditionCalls: number
  moneyWatches: number
  priceCalls: number
  /** Items of the market while anybody had something at stake. */
  watchedItems: number
  /** Entries of the agenda by their way, tasks by their kind. */
  readonly agenda: Record<string, number>
}

function counted(commands: readonly BenchCommand[], profile: VenueProfile = GENERIC_PROFILE, lines: readonly MarketLine[] = LINES): Counts {
  const counts: Counts = { conditionWatches: 0, conditionCalls: 0, moneyWatches: 0, priceCalls: 0, watchedItems: 0, agenda: {} }
  const instrument = madeInstrument()
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch(lines, { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100000']]), fees: { maker: '0', taker: '0' }, profile }],
    played: (what) => { if (what.startsWith('item') && bench.markets.get(1)!.isWatched) counts.watchedItems++ },
  })
  const market = bench.markets.get(1)!
  const watchConditions = market.worlds.watchConditions.bind(market.worlds)
  market.worlds.watchConditions = (watcher: ConditionWatcher): void => {
    counts.conditionWatches++
    const onItem = watcher.onItem.bind(watcher)
    watcher.onItem = (timeNs): void => {
      counts.conditionCalls++
      onItem(timeNs)
    }
    watchConditions(watcher)
  }
  const watch = market.money.watch.bind(market.money)
  market.money.watch = (watcher: MoneyWatcher): void => {
    counts.moneyWatches++
    const onPrice = watcher.onPrice.bind(watcher)
    watcher.onPrice = (timeNs): void => {
      counts.priceCalls++
      onPrice(timeNs)
    }
    watch(watcher)
  }
  const put = bench.agenda.put.bind(bench.agenda)
  bench.agenda.put = (entry): void => {
    const { message } = entry
    const name = message.way === 'internal' ? message.task.kind : message.way
    counts.agenda[name] = (counts.agenda[name] ?? 0) + 1
    put(entry)
  }
  bench.run(commands)
  return counts
}

const LIMITED: VenueProfile = { ...GENERIC_PROFILE, rateLimits: [{ id: 'all', windowMs: 1, tokens: { shared: 100 } }] }
const cancel = (timeNs: number, id: string): BenchCommand => ({ timeNs, send: (entry) => { entry.cancel([{ ownOrderId: id }]) } })
const NOTHING = { conditionWatches: 0, conditionCalls: 0, moneyWatches: 0, priceCalls: 0 }

describe('what is unused costs nothing', () => {
  test.each([['generic', GENERIC_PROFILE], ['limited', LIMITED], ['margined', marginProfile(['cross'])]])('without orders nobody listens and nothing is planned, whatever the profile %s has', (_name, profile) => {
    expect(counted([], profile)).toEqual({ ...NOTHING, watchedItems: 0, agenda: {} })
  })

  test('plain orders: no triggers or pegs are looked at, no limits counted, no price asked for; the agenda has their messages alone', () => {
    // Accepted: response and update. Cancelled: response and update.
    const resting = counted([place(10, 'BID', 1, 99), place(20, 'ASK', 1, 110), cancel(300, 'o10'), cancel(400, 'o20')])
    expect(resting).toEqual({ ...NOTHING, watchedItems: 400 - 10, agenda: { request: 4, response: 8 } })
    // A position is listened to for its funding, not for its price; its market is played item by item.
    const taken = counted([place(10, 'BID', 1, 102)])
    expect(taken).toMatchObject({ conditionWatches: 0, conditionCalls: 0, moneyWatches: 1, priceCalls: 0 })
    expect(taken.agenda).toEqual({ request: 1, response: 6 })
  })

  test('margin is asked for at marks alone, and while a position is open', () => {
    const marks = LINES.filter(({ kind, timeNs }) => kind === 'mark' && timeNs > 10 && timeNs <= 300).length
    const closed = counted([place(10, 'BID', 1, 102), place(300, 'ASK', 1, 100)], marginProfile(['cross']))
    expect([closed.moneyWatches, closed.priceCalls]).toEqual([1, marks])
    expect(closed.agenda).toEqual({ request: 2, response: 12 })
  })

  test('triggers and pegs are held against items only while such an order is open', () => {
    const stop = counted([place(10, 'BID', 1, 120, { type: 'STOP_LIMIT', triggerPrice: 120 }), cancel(110, 'o10')])
    expect([stop.conditionWatches, stop.conditionCalls, stop.watchedItems]).toEqual([1, 100, 100])
    expect(stop.agenda).toEqual({ request: 2, response: 4 })
    const peg = counted([{ timeNs: 10, send: (entry) => { entry.place([{ ...PEG, ownOrderId: 'o10', clientOrderId: 'o10' }]) } }, cancel(110, 'o10')])
    expect([peg.conditionWatches, peg.conditionCalls, peg.agenda['conditions']]).toEqual([1, 100, undefined])
  })

  test('growing with a position is planned by what makes it larger, and only where an order closes all of it', () => {
    const buys = [place(10, 'BID', 1, 102), place(30, 'BID', 1, 102), place(40, 'BID', 1, 102)]
    const reducing = counted([...buys, place(20, 'ASK', 1, 110, { reduceOnly: true })])
    expect([reducing.agenda['conditions'], reducing.conditionWatches]).toEqual([undefined, 0])
    const closing = counted([...buys, place(20, 'ASK', 1, 110, { closeOnly: true }), place(50, 'ASK', 1, 100)])
    expect([closing.agenda['conditions'], closing.conditionWatches]).toEqual([2, 0])
  })

  test('a limit that is used wakes once a window, not once an item; funding is planned once a time', () => {
    const used = counted([place(10, 'BID', 1, 99), cancel(20, 'o10')], LIMITED)
    expect(used.agenda).toMatchObject({ request: 2, response: 4, window: 1 })
    const funded = counted([place(10, 'BID', 1, 102)], GENERIC_PROFILE, [...LINES.slice(0, 100), ...Array.from({ length: 50 }, (_, at) => funding(200 + at, 3, 1000))])
    expect(funded.agenda['funding']).toBe(1)
  })
})

const PEG = { instrumentId: 1, type: 'PRIMARY_PEGGED', side: 'BID' as const, timeInForce: 'GOOD_TILL_CANCEL', price: null, totalQuantity: 1, postOnly: false, pegOffsetValue: 0 }
