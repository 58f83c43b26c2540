import { Amount } from '../../src/model/amount.js'
import { describe, expect, test } from 'vitest'
import { AccountLoans } from '../../src/exchange/accounts/account-loans.js'
import { isLegDue, balanceSheetOf, valuedLegs } from '../../src/exchange/accounts/account-balance-sheet.js'
import { AccountStatements } from '../../src/exchange/accounts/account-statements.js'
import { GENERIC_PROFILE, capabilitiesOf } from '../../src/exchange/profile/venue-profile.js'
import { book, marginProfile, mark, place, playMoney, type PlayedMoney } from '../support/played-money.ts'
import type { Capabilities } from '../../src/venue/account-messages.js'

const day = [book(1, 94, 95), mark(1, 96)]
const buy = place(2, 'BID', 10, 95)
const ALL = capabilitiesOf(GENERIC_PROFILE)

/** What the account says of itself, by prices, rates and orders of our own. */
function statements({ account, bench }: PlayedMoney, more: { capabilities?: Partial<Capabilities>, rates?: Readonly<Record<number, string>>, price?: string, byOrders?: number } = {}): AccountStatements {
  const priceOf = more.price === undefined ? bench.worlds[0]!.money.priceOf : () => Amount.from(more.price!)
  const byOrders = Amount.from(more.byOrders ?? 0)
  return new AccountStatements(account, { capabilities: { ...ALL, ...more.capabilities }, priceOf, usdRateOf: (id) => more.rates?.[id], codeOf: () => undefined, blockedByOrders: () => byOrders })
}

function entryOf({ account }: PlayedMoney) {
  return account.positions.get(1)!.entry
}

const played = (modes: readonly ('cross' | 'isolated')[], cash: string, commands = [buy], more: Parameters<typeof marginProfile>[1] = {}) => playMoney(day, commands, { profile: marginProfile(modes, more), balances: new Map([[2, cash]]) })

describe('a wallet', () => {
  test('cross: profit counts, the initial margin of the value now is blocked', () => {
    // 10 at 95 are 950, worth 960 at 96: profit 10, 10 % of 960 blocked, 5 % to be kept.
    expect(statements(played(['cross'], '220')).wallets(7)).toEqual([
      { underlyingId: 2, availableAmount: '134', amountBlockedForMargin: '96', marginBalance: '230', exchangeTimeNs: 7, maintenanceMargin: '48', cashBalance: '220', unrealizedPnl: '10' },
    ])
  })

  test('isolated: what is set aside is blocked, the profit is its own', () => {
    expect(statements(played(['isolated'], '220')).wallets(7)).toEqual([
      { underlyingId: 2, availableAmount: '125', amountBlockedForMargin: '95', marginBalance: '230', exchangeTimeNs: 7, maintenanceMargin: '48', cashBalance: '220', unrealizedPnl: '10' },
    ])
  })

  test('both: 2 more of the net position add 2 of profit, 19.2 and 9.6', () => {
    const both = [place(2, 'BID', 10, 95, { openClose: 'OPEN' }), place(3, 'BID', 2, 95)]
    expect(statements(played(['cross', 'isolated'], '220', both)).wallets(7)).toMatchObject([
      { availableAmount: '107.8', amountBlockedForMargin: '114.2', marginBalance: '232', maintenanceMargin: '57.6', unrealizedPnl: '12' },
    ])
  })

  test('orders block, and nothing below 0 is available', () => {
    const run = played(['cross'], '220')
    expect(statements(run, { byOrders: 34 }).wallets(7)).toMatchObject([{ availableAmount: '100', amountBlockedForMargin: '130' }])
    expect(statements(run, { byOrders: 135 }).wallets(7)).toMatchObject([{ availableAmount: '0', amountBlockedForMargin: '231' }])
  })

  test('without margin rules cash can be spent, less what orders block; no margin is told', () => {
    const run = playMoney(day, [buy])
    expect(statements(run, { byOrders: 30 }).wallets(7)).toEqual([
      { underlyingId: 2, availableAmount: '70', amountBlockedForMargin: '30', marginBalance: '110', exchangeTimeNs: 7, cashBalance: '100', unrealizedPnl: '10' },
    ])
  })

  test('what a venue does not tell is absent', () => {
    const [wallet] = statements(played(['cross'], '220'), { capabilities: { cashBalance: false, walletUnrealizedPnl: false } }).wallets(7)
    expect(Object.keys(wallet!)).toEqual(['underlyingId', 'availableAmount', 'amountBlockedForMargin', 'marginBalance', 'exchangeTimeNs', 'maintenanceMargin'])
  })

  test('a loan is told, spot assets are no positions, wallets go by their id', () => {
    const run = playMoney(day, [place(2, 'BID', 1, 95)], {}, { type: 'spot' })
    run.account.loans.borrow(2, Amount.from(7))
    expect(statements(run).wallets(7)).toMatchObject([{ underlyingId: 1, cashBalance: '1', marginBalance: '1' }, { underlyingId: 2, cashBalance: '5', marginBalance: '5', unrealizedPnl: '0', borrowed: '7' }])
  })

  test('an option is worth its price, which cannot be spent', () => {
    const run = playMoney(day, [place(2, 'BID', 1, 95)], { profile: marginProfile(['cross']) }, { type: 'call', strikePrice: '100' })
    expect(statements(run).wallets(7)).toMatchObject([{ availableAmount: '5', amountBlockedForMargin: '0', marginBalance: '101', maintenanceMargin: '0' }])
  })
})

describe('sums in USD', () => {
  const run = played(['cross'], '220')

  test('margin balances and maintenance margins at the declared rate', () => {
    const { totalBalances, maintenanceMargin } = statements(run, { rates: { 2: '1.5' } }).walletStatement(7)
    expect([totalBalances, maintenanceMargin]).toEqual([[{ walletType: 'ACCOUNT', usdAmount: '345' }], [{ walletType: 'ACCOUNT', usdAmount: '72' }]])
  })

  test('absent where a rate that is needed is not declared; what is 0 needs none', () => {
    expect(Object.keys(statements(run).walletStatement(7))).toEqual(['wallets'])
    run.account.add(1, Amount.ZERO)
    expect(statements(run, { rates: { 2: '1.5' } }).walletStatement(7).totalBalances).toEqual([{ walletType: 'ACCOUNT', usdAmount: '345' }])
    expect(Object.keys(statements(played(['cross'], '220'), { rates: { 1: '3' } }).walletStatement(7))).toEqual(['wallets'])
  })

  test.each([
    ['1.5', '1.5'], ['0.123456789012345678', '0.123456789012345678'], ['0.1234567890123456785', '0.123456789012345678'], ['0.1234567890123456775', '0.123456789012345678'], ['-0.1234567890123456789', '-0.123456789012345679'], ['0.0000000000000000004', '0'],
  ])('%s is told with 18 decimals at most, rounded once, half to even: %s', (amount, text) => {
    expect(Amount.from(amount).rounded(18).toFixed()).toBe(text)
  })

  test('no wallet, no sum; without margin rules no margin', () => {
    const none = playMoney([], [], { balances: new Map() })
    expect(statements(none, { rates: { 2: '1' } }).walletStatement(7)).toEqual({ wallets: [] })
    expect(Object.keys(statements(playMoney(day, [buy]), { rates: { 2: '1' } }).walletStatement(7))).toEqual(['wallets', 'totalBalances'])
  })
})

describe('a position', () => {
  test('cross: the wallet stands for it, other positions\' margins are theirs', () => {
    // 145 + 10p - 950 = 0.5p: p is 805 / 9.5.
    const run = played(['cross'], '145')
    const fields = { instrumentId: 1, exchangeTimeNs: 7, longPosition: 10, shortPosition: 0, averageEntryPrice: '95', unrealizedPnl: '10' }
    expect(statements(run).position(entryOf(run), 7)).toEqual({ positions: [{ ...fields, liquidationPrice: '84.736842105263157895' }] })
    // 95 - 9.5p = -855 at 90.
    const poorer = played(['cross'], '95')
    expect(statements(poorer).position(entryOf(poorer), 7)).toEqual({ positions: [{ ...fields, liquidationPrice: '90' }] })
  })

  test('isolated: its own margin stands for it', () => {
    const run = played(['isolated'], '220')
    expect(statements(run).position(entryOf(run), 7).positions).toEqual([{ instrumentId: 1, exchangeTimeNs: 7, longPosition: 10, shortPosition: 0, averageEntryPrice: '95', unrealizedPnl: '10', liquidationPrice: '90' }])
  })

  test('a short; legs beside the net one; all positions together', () => {
    const run = played(['cross', 'isolated'], '1000', [place(2, 'ASK', 3, 94), place(3, 'BID', 10, 95, { openClose: 'OPEN' })])
    const stated = statements(run).positions(7)
    expect(stated.positions).toMatchObject([{ longPosition: 0, shortPosition: 3, averageEntryPrice: '94', unrealizedPnl: '-6' }])
    expect(stated.isolatedPositions).toEqual([{ instrumentId: 1, exchangeTimeNs: 7, long: { size: 10, averageEntryPrice: '95', unrealizedPnl: '10', liquidationPrice: '90' }, short: { size: 0 } }])
    expect(Object.keys(statements(played(['cross'], '220')).positions(7))).toEqual(['positions'])
  })

  test('what a venue does not tell, what nothing values and what is closed is absent', () => {
    const run = played(['cross'], '220')
    const named = (statement: AccountStatements): string[] => Object.keys(statement.position(entryOf(run), 7).positions[0]!).slice(4)
    expect(named(statements(run, { capabilities: { averageEntryPrice: false } }))).toEqual(['liquidationPrice', 'unrealizedPnl'])
    expect(named(statements(run, { capabilities: { positionUnrealizedPnl: false, liquidationPrice: false } }))).toEqual(['averageEntryPrice'])
    const closed = played(['cross'], '220', [buy, place(3, 'ASK', 10, 94)])
    expect(statements(closed).position(entryOf(closed), 7)).toEqual({ positions: [{ instrumentId: 1, exchangeTimeNs: 7, longPosition: 0, shortPosition: 0 }] })
    const free = playMoney(day, [buy])
    expect(Object.keys(statements(free).position(entryOf(free), 7).positions[0]!)).not.toContain('liquidationPrice')
    const option = playMoney(day, [place(2, 'BID', 1, 95)], { profile: marginProfile(['cross']) }, { type: 'call', strikePrice: '100' })
    expect(Object.keys(statements(option).position(entryOf(option), 7).positions[0]!)).not.toContain('liquidationPrice')
  })
})

describe('what stands behind positions', () => {
  test('only what settles in the wallet, and only what has a price, which may be 0', () => {
    const run = played(['cross'], '220')
    const count = (underlyingId: number, price: Amount | null): number => balanceSheetOf(run.account, underlyingId, valuedLegs(run.account, underlyingId, () => price)).crossCount
    expect([count(2, Amount.from(96)), count(1, Amount.from(96)), count(2, Amount.ZERO), count(2, null)]).toEqual([1, 0, 1, 0])
    const spot = playMoney(day, [place(2, 'BID', 1, 95)], {}, { type: 'spot' })
    expect(valuedLegs(spot.account, 2, () => Amount.from(96))).toEqual([])
  })

  test('an isolated leg is due where margin and loss come down to what must be kept, and not before', () => {
    const run = played(['isolated'], '220')
    const isDue = (price: string): boolean[] => valuedLegs(run.account, 2, () => Amount.from(price)).map(isLegDue)
    // At 90: 95 - 50 = 45 = 5 % of 900.
    expect([isDue('90.01'), isDue('90'), isDue('89')]).toEqual([[false], [true], [true]])
    expect(valuedLegs(played(['cross'], '95').account, 2, () => Amount.from(50)).map(isLegDue)).toEqual([false])
  })
})

test('loans: an hour of interest, interest is paid back first, saved and read back', () => {
  const loans = new AccountLoans()
  loans.borrow(5, Amount.from(8760))
  loans.borrow(5, Amount.from(8760))
  loans.borrow(2, Amount.ONE)
  expect([loans.accrue(5, Amount.from('0.5')), loans.accrue(5, Amount.from('0.25')), loans.owed(5)].map((amount) => amount.toFixed())).toEqual(['1', '0.5', '17521.5'])
  expect(loans.underlyingIds).toEqual([2, 5])
  expect([loans.repay(5, Amount.from('0.5')), loans.repay(5, Amount.from(2)), loans.repay(2, Amount.from(9))].map((amount) => amount.toFixed())).toEqual(['0.5', '2', '1'])
  expect(loans.state()).toEqual([{ underlyingId: 5, principal: '17519', interest: '0' }, { underlyingId: 2, principal: '0', interest: '0' }])
  const read = new AccountLoans()
  read.borrow(9, Amount.ONE)
  read.restore(loans.state())
  expect([read.state(), read.underlyingIds]).toEqual([loans.state(), [5]])
})

describe('wallets of isolated margin', () => {
  const capabilities = { walletTypes: ['ACCOUNT', 'ISOLATED'] }
  const rates = { 2: '1' }
  const both = [place(2, 'BID', 10, 95, { openClose: 'OPEN' }), place(3, 'BID', 2, 95)]

  test('of one position: its margin and its profit are no part of the account\'s wallet', () => {
    const [own, isolated] = statements(played(['cross', 'isolated'], '220', both), { capabilities }).wallets(7)
    // Of 220 stand 95 behind the isolated 10 at 95, which are worth 960; the net 2 gain 2 and need 19.2.
    expect(own).toEqual({ underlyingId: 2, availableAmount: '107.8', amountBlockedForMargin: '19.2', marginBalance: '127', exchangeTimeNs: 7, maintenanceMargin: '9.6', cashBalance: '125', unrealizedPnl: '2' })
    expect(isolated).toEqual({ underlyingId: 2, type: 'ISOLATED', instrumentId: 1, availableAmount: '0', amountBlockedForMargin: '95', marginBalance: '105', exchangeTimeNs: 7, maintenanceMargin: '48', cashBalance: '95', unrealizedPnl: '10' })
  })

  test.each([
    ['long and short of an instrument have one wallet', [place(2, 'BID', 10, 95, { openClose: 'OPEN' }), place(3, 'ASK', 2, 94, { openClose: 'OPEN' })], ['ACCOUNT', 'ISOLATED 1']],
    ['a net position alone has none', [buy], ['ACCOUNT']],
    ['a position that is closed has none any more', [place(2, 'BID', 10, 95, { openClose: 'OPEN' }), place(3, 'ASK', 10, 94, { openClose: 'CLOSE' })], ['ACCOUNT']],
  ])('%s', (_name, commands, expected) => {
    const run = played(['cross', 'isolated'], '220', commands)
    const apart = statements(run, { capabilities, rates })
    expect(apart.wallets(7).map(({ type = 'ACCOUNT', instrumentId }) => [type, instrumentId].filter((one) => one !== undefined).join(' '))).toEqual(expected)
    // Apart or together, it is the same money, and the same can be spent.
    const sum = (wallets: readonly { readonly [name: string]: unknown }[], name: string): string => wallets.reduce((all, one) => all.plus(Amount.from(String(one[name]))), Amount.ZERO).toFixed()
    for (const name of ['availableAmount', 'amountBlockedForMargin', 'marginBalance', 'maintenanceMargin', 'cashBalance', 'unrealizedPnl'])
      expect(sum(apart.wallets(7) as never, name), name).toBe(sum(statements(run, { rates }).wallets(7) as never, name))
  })

  test('a net position of a venue without cross margin is isolated; sums in USD go by type, balances are those of cross wallets', () => {
    const apart = statements(played(['isolated'], '220'), { capabilities, rates }).walletStatement(7)
    expect(apart.wallets.map(({ type }) => type)).toEqual([undefined, 'ISOLATED'])
    expect(apart.maintenanceMargin!.map(({ usdAmount }) => String(usdAmount))).toEqual(['0', '48'])
    expect(apart.totalBalances!.map(({ walletType, usdAmount }) => `${walletType} ${String(usdAmount)}`)).toEqual(['ACCOUNT 125'])
    expect(statements(played(['isolated'], '220'), { capabilities }).walletStatement(7)).not.toHaveProperty('maintenanceMargin')
  })
})
