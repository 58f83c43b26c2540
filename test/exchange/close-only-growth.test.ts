import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { book, playMoney, type PlayedMoney } from '../support/played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const place = (timeNs: number, ownOrderId: string, side: 'BID' | 'ASK', totalQuantity: number, price: number, more: Partial<PlaceEntry> = {}): BenchCommand => ({
  timeNs, send: (entry) => entry.place([placeEntry(ownOrderId, { side, totalQuantity, price, ...more })]),
})
const close = (timeNs: number, ownOrderId: string, price: number, more: Partial<PlaceEntry> = {}): BenchCommand => place(timeNs, ownOrderId, 'ASK', 2, price, { closeOnly: true, ...more })
/** Updates of an order: time, state and quantity. */
const updatesOf = ({ messages }: PlayedMoney, id: string): string[] => messages.flatMap((message: ClientMessage) => (message.kind !== 'orderUpdate' ? [] : message.orders))
  .filter(({ ownOrderId }) => ownOrderId === id).map(({ exchangeTimeNs, state, executedQuantity, totalQuantity }) => `${exchangeTimeNs} ${state} ${executedQuantity}/${totalQuantity}`)
const LINES: MarketLine[] = [book(1, 100, 104), { kind: 'trades', timeNs: 2, rows: [[0, 104, 1]] }]

describe('the maximum of an order', () => {
  test.each([
    ['of the profile', { profile: { ...GENERIC_PROFILE, name: 'made', limits: { maxQuantity: '5' } } }, {}, '5'],
    ['of the instrument, in whole lots', {}, { maxOrder: '5', lotSize: '2' }, '4'],
    ['that nobody looks at', { profile: { ...GENERIC_PROFILE, limits: { maxQuantity: '5' } }, checks: 'none' as const }, {}, '8'],
  ])('%s bounds what grows, as it bounds what is new', (_name, config, instrument, most) => {
    const run = playMoney([...LINES, { kind: 'trades', timeNs: 50, rows: [[1, 99, 1]] }], [
      place(10, 'a', 'BID', 4, 104), close(20, 's', 90, { type: 'STOP_LIMIT', triggerPrice: 99 }), place(30, 'b', 'BID', 4, 104),
    ], { ...config, balances: new Map([[2, '100000']]) }, instrument)
    expect(updatesOf(run, 's').slice(0, 3)).toEqual(['20 CONFIRMED 0/4', ...(most === '4' ? [] : [`30 CONFIRMED 0/${most}`]), `50 CONFIRMED 0/${most}`, `50 FILLED ${most}/${most}`].slice(0, 3))
    expect(run.account.positions.get(1)!.sums.quantity.toFixed()).toBe(String(8 - Number(most)))
  })
})

test('what has been executed of an order counts for the maximum of it', () => {
  // 4 are to be closed, 2 of them are; 6 more make 8 of which this order may close 5 - 2.
  const run = playMoney([...LINES, { kind: 'trades', timeNs: 25, rows: [[0, 111, 2]] }], [
    place(10, 'a', 'BID', 4, 104), close(20, 'c', 110), place(30, 'b', 'BID', 3, 104), place(40, 'd', 'BID', 3, 104),
  ], { profile: { ...GENERIC_PROFILE, name: 'made', limits: { maxQuantity: '5' } }, balances: new Map([[2, '100000']]) })
  expect(updatesOf(run, 'c')).toEqual(['20 CONFIRMED 0/4', '25 CONFIRMED 2/4', '30 CONFIRMED 2/5'])
})

test('levels that are served keep their order: an execution makes a position larger, and orders of the same level grow when all is done', () => {
  // A row through both prices of the account: the closing order of the short side is not its affair.
  const run = playMoney([...LINES, { kind: 'trades', timeNs: 40, rows: [[1, 98, 9]] }], [
    place(10, 'a', 'BID', 2, 104), close(20, 'c', 110), place(30, 'x', 'BID', 3, 100), place(31, 'y', 'BID', 2, 99),
  ], { profile: { ...GENERIC_PROFILE, orders: { ...GENERIC_PROFILE.orders, closeOnlyCancelsOthers: false } }, balances: new Map([[2, '100000']]) })
  expect(updatesOf(run, 'c')).toEqual(['20 CONFIRMED 0/2', '40 CONFIRMED 0/7'])
})

test.each(['assumeWorst', 'freeze'] as const)('in a gap (%s) it grows at once, and its place is known again at the snapshot', (gaps) => {
  const bookUnknown: MarketLine = { kind: 'update', timeNs: 40, rows: [[0, 97, 1]], gap: true }
  const lines: MarketLine[] = [...LINES, { kind: 'update', timeNs: 3, rows: [[1, 110, 6]] }, bookUnknown, { kind: 'trades', timeNs: 50, rows: [[1, 98, 9]] }]
  const commands = [place(10, 'a', 'BID', 2, 104), close(20, 'c', 110), place(30, 'x', 'BID', 3, 99)]
  const aheadOf = (run: PlayedMoney): (number | undefined)[] => run.bench.openOrders().map(({ quantityAhead, touchedByGap }) => (touchedByGap ? quantityAhead : undefined))
  const config = { balances: new Map([[2, '100000']]) }
  const inGap = playMoney(lines, commands, config, {}, undefined, { gaps })
  expect(updatesOf(inGap, 'c')).toEqual(['20 CONFIRMED 0/2', '50 CONFIRMED 0/5'])
  expect(aheadOf(inGap)).toEqual([NaN])
  const seen = playMoney([...lines, { kind: 'snapshot', timeNs: 60, rows: [[0, 97, 1], [1, 105, 1], [1, 110, 8]] }], commands, config, {}, undefined, { gaps })
  expect(aheadOf(seen)).toEqual([8])
})

test('what is blocked otherwise after it is told: contracts that an order will close cover no other one', () => {
  const price = (value: number): MarketLine[] => [{ kind: 'snapshot', timeNs: 1, rows: [[0, value - 10, 1000], [1, value, 1000]] }]
  const run = playMoney(price(40), [
    place(10, 'a', 'BID', 10, 40, { timeInForce: 'IMMEDIATE_OR_CANCEL' }), place(20, 'c', 'ASK', 1, 90, { closeOnly: true }), place(30, 'other', 'ASK', 4, 95),
    place(40, 'b', 'BID', 10, 40, { timeInForce: 'IMMEDIATE_OR_CANCEL' }),
  ], { profile: { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' } }, { tickSize: '0.01' })
  const wallets = run.messages.flatMap((message) => (message.kind === 'walletUpdate' ? [`${message.adapterTimeNs} ${String(message.wallets[0]?.amountBlockedForMargin ?? '')}`] : []))
  expect(updatesOf(run, 'c')).toEqual(['20 CONFIRMED 0/10', '40 CONFIRMED 0/20'])
  // What was bought covered the other order for as long as it was not the first one's to close: the stake is blocked again.
  expect(wallets).toEqual(['10 0', '30 0.2', '40 0', '40 0.2'])
})
