import { expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { MarketLine } from '../support/market-lines.ts'
import { book, place, playMoney, shortly } from '../support/played-money.ts'

test('a fill says what its order said of itself, and nothing that it did not', () => {
  const owner = { instanceId: '1', instanceName: 'maker', processId: 'p', org: 'o', version: '2' }
  const said = { openClose: 'OPEN', context: { n: 1 }, owner } as const
  const fillOf = (terms: Partial<PlaceEntry>): object => playMoney([book(1, 100, 101)], [place(2, 'BID', 1, 101, terms)]).messages.flatMap((message) => (message.kind === 'fill' ? message.fills : []))[0]!
  expect(fillOf(said)).toMatchObject(said)
  expect(['openClose', 'context', 'owner'].filter((field) => field in fillOf({}))).toEqual([])
})

test('orders that rested in a gap, were placed in one or triggered in one are marked; a stop that waited is not', () => {
  const gap: MarketLine = { kind: 'update', timeNs: 5, gap: true, rows: [] }
  const stop = (timeNs: number, triggerPrice: number) => place(timeNs, 'ASK', 1, 140, { type: 'STOP_LIMIT', triggerPrice })
  const run = playMoney(
    [book(1, 100, 101), { kind: 'trades', timeNs: 1, rows: [[1, 100, 1]] }, gap, { kind: 'trades', timeNs: 7, rows: [[1, 95, 1]] }, book(9, 100, 101), { kind: 'trades', timeNs: 15, rows: [[1, 93, 1]] }],
    [place(2, 'ASK', 1, 120), stop(3, 96), stop(4, 94), place(6, 'ASK', 1, 130), place(10, 'ASK', 1, 125)],
  )
  expect([...run.bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId, touchedByGap, triggered }) => `${String(ownOrderId)} ${touchedByGap}${triggered === true ? ' triggered' : ''}`)).toEqual([
    'o2 true', 'o3 true triggered', 'o4 false triggered', 'o6 true', 'o10 false',
  ])
})

test('a replacement borrows and repays as its order would have', () => {
  const profile = { ...GENERIC_PROFILE, name: 'lender', borrowRates: { CASH: '0.1' } }
  const replace = { timeNs: 4, send: (entry: { replace(entries: unknown): void }) => entry.replace([{ currentOwnOrderId: 'o3', newOwnOrderId: 'n', currentClientOrderId: 'o3', newClientOrderId: 'n', price: 100 }]) }
  const run = (terms: Partial<PlaceEntry>) => shortly(playMoney([book(1, 100, 101)], [place(2, 'BID', 2, 101, { autoBorrow: true }), place(3, 'ASK', 2, 150, terms), replace], { profile }, { type: 'spot' }, undefined, {}, 9))
  expect([run({ autoRepay: true }), run({})]).toEqual([['borrow 2 102', 'repay 4 102'], ['borrow 2 102']])
})
