import { expect, test } from 'vitest'
import type { Account } from '../../src/exchange/accounts/account.js'
import type { VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { book, marginProfile, mark } from '../support/played-money.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const clients = { c: 'A', d: 'B' }
const place = (clientId: string, ownOrderId: string, terms: Partial<PlaceEntry>): BenchCommand => ({ timeNs: 2, clientId, send: (entry) => entry.place([placeEntry(ownOrderId, { side: 'BID', instrumentId: 2, totalQuantity: 1, ...terms })]) })

/** Instrument 1 is a perpetual that falls, 2 spot; each account has 100 and 5 coins. */
function play(commands: readonly BenchCommand[], marked: number, profile: VenueProfile) {
  const messages: ClientMessage[] = []
  const lines = new Map<number, MarketLine[]>([
    [1, [book(1, 100, 101), mark(1, 100), mark(20, marked), book(60, 80, 81)]],
    [2, [book(1, 100, 101), { kind: 'trades', timeNs: 30, rows: [[1, 1, 9]] }, book(60, 100, 101)]],
  ])
  const account = (accountId: string) => ({ accountId, exchangeCode: 'test', balances: new Map([[2, '100'], [1, '5']]), fees: { maker: '0', taker: '0' }, profile })
  const bench = new ExchangeBench({
    instruments: [1, 2].map((id) => {
      const instrument = madeInstrument({ id, ...(id === 2 ? { type: 'spot' } : {}) })
      return { instrument, batches: [lineBatch(lines.get(id)!, { instrument })] }
    }),
    clients, accounts: [account('A'), account('B')], delivered: (_world, clientId, _timeNs, message) => void (clientId === 'c' && messages.push(message)),
  })
  bench.run(commands.map((command, at) => ({ ...command, timeNs: command.timeNs + at })))
  const reasons = messages.flatMap((message) => (message.kind === 'orderUpdate' ? message.orders.filter(({ state }) => state !== 'CONFIRMED').map(({ ownOrderId, state, error }) => `${String(ownOrderId)} ${state}${error === undefined ? '' : ` ${error.type}`}`) : []))
  const blocked = messages.flatMap((message) => (message.kind === 'walletUpdate' && message.wallets[0]!.exchangeTimeNs === 20 ? [message.wallets.find(({ underlyingId }) => underlyingId === 2)!.amountBlockedForMargin] : []))
  const [held, other] = ['A', 'B'].map((accountId) => bench.worlds[0]!.accounts.get(accountId)!) as [Account, Account]
  return { reasons, blocked, theirs: other.cashOf(2).toFixed(), cash: held.cashOf(2).toFixed(), debt: held.debts.get(2)?.toFixed() ?? '0', open: [...bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId }) => ownOrderId) }
}

const perp = (totalQuantity: number) => place('c', 'perp', { instrumentId: 1, price: 101, totalQuantity })

test('a liquidation leaves no spot order that its money is gone for, and no balance below 0', () => {
  // 5 at 101 block 50 of 100, and 44 are for spot; the other account's order at 44 is filled for 88. At 80 all is lost: 101 - 20 = 81, the fee of 4.05 is owed.
  const run = play([perp(5), place('c', 'spot', { price: 44 }), place('c', 'sale', { side: 'ASK', price: 120 }), place('d', 'theirs', { price: 44, totalQuantity: 2 })], 80, marginProfile(['cross', 'isolated']))
  expect(run).toEqual({ reasons: ['perp FILLED', 'spot CANCELED LIQUIDATED'], blocked: ['44', '0'], theirs: '12', cash: '0', debt: '4.05', open: ['sale'] })
})

test('the newest go first, until what is left covers the rest', () => {
  const profile = marginProfile(['cross'])
  const free: VenueProfile = { ...profile, margin: { ...profile.margin!, liquidationFeeRate: '0' } }
  // 7 at 101: 101 - 100 / 7 is 87 on the grid, so 2 are left: enough for the first at 1, not for the second at 2 too; the third at 1 went before it.
  const run = play([perp(7), place('c', 'first', { price: 1 }), place('c', 'second', { price: 2 }), place('c', 'third', { price: 1 })], 91, free)
  expect(run).toEqual({ reasons: ['perp FILLED', 'third CANCELED LIQUIDATED', 'second CANCELED LIQUIDATED'], blocked: ['4', '1'], theirs: '100', cash: '2', debt: '0', open: ['first'] })
})

test('an isolated leg that is liquidated takes nothing that orders are paid from', () => {
  // 4 at 101 have 40.4 set aside; 44 of the other 59.6 are for spot, which is filled: 15.6.
  const profile = marginProfile(['cross', 'isolated'])
  const run = play([place('c', 'perp', { instrumentId: 1, price: 101, totalQuantity: 4, openClose: 'OPEN' }), place('c', 'spot', { price: 44 })], 91, profile)
  expect([run.reasons, run.cash]).toEqual([['perp FILLED', 'spot FILLED'], '15.6'])
})
