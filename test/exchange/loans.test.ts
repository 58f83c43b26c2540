import { Amount } from '../../src/model/amount.js'
import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import { Loans } from '../../src/exchange/risk/loans.js'
import { NO_MONEY_DECLARED } from '../../src/exchange/accounts/world-money.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import type { MarketLine } from '../support/market-lines.ts'
import { book, place, playMoney, refusals, shortly } from '../support/played-money.ts'
import { throughJson } from '../support/through-json.ts'

const SPOT: Partial<Instrument> = { type: 'spot' }
const day = book(1, 100, 101)
const HOUR = 3_600_000_000_000

describe('loans', () => {
  const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'lender', borrowRates: { CASH: '0.876' } }

  test('an order borrows what it is short of, every full hour has its interest, a fill repays interest first', () => {
    const lines = [day, book(2 * HOUR + 5, 100, 101), book(2 * HOUR + 9, 100, 101)]
    const commands = [place(2, 'BID', 3, 101, { autoBorrow: true }), place(2 * HOUR + 6, 'ASK', 3, 100, { autoRepay: true })]
    const run = playMoney(lines, commands, { profile }, SPOT)
    // 303 less 100 is 203; 203 * 0.876 / 8760 = 0.0203 an hour, twice. Sold for 300: 203.0406 go back, 96.9594 stay.
    expect(shortly(run)).toEqual(['borrow 2 203', `interest ${HOUR} 0.0203`, `interest ${2 * HOUR} 0.0203`, `repay ${2 * HOUR + 6} 203.0406`])
    expect(run.account.cashOf(2).toFixed()).toBe('96.9594')
    expect([run.account.loans.owed(2).toFixed(), run.account.flows.get(2)?.toFixed()]).toEqual(['0', '-0.0406'])
    expect(run.messages.some((message) => message.kind === 'walletUpdate' && message.wallets.some(({ borrowed }) => String(borrowed) === '203.0203'))).toBe(true)
  })

  test('what is borrowed is told at once, after the answer, and is not the account\'s own', () => {
    const rate = { usd: '1', declaredBy: 'run' } as const
    const money = { ...NO_MONEY_DECLARED, usdRates: new Map([[1, rate], [2, rate]]) }
    const run = playMoney([day], [place(2, 'BID', 3, 101, { autoBorrow: true }), place(3, 'ASK', 3, 100, { autoRepay: true })], { profile }, SPOT, money)
    expect(run.messages.slice(0, 3).map(({ kind }) => kind)).toEqual(['placeResponse', 'walletUpdate', 'orderUpdate'])
    expect(run.messages[1]).toMatchObject({ wallets: [{ cashBalance: '303', borrowed: '203' }], totalBalances: [{ usdAmount: '100' }] })
  })

  const cancel = (timeNs: number) => ({ timeNs, send: (entry: OrderEntry) => entry.cancel([{ ownOrderId: 'o2' }]) })
  const amend = (timeNs: number, totalQuantity: number) => ({ timeNs, send: (entry: OrderEntry) => entry.amend([{ ownOrderId: 'o2', currentClientOrderId: 'o2', newClientOrderId: 'x', totalQuantity }]) })
  const thin = book(1, 100, 101, 1)

  test.each([
    // 270 less 100.
    ['cancelled: all of it', [day], [place(2, 'BID', 3, 90, { autoBorrow: true }), cancel(3)], ['borrow 2 170', 'repay 3 170'], '0'],
    // 303 less 100; one costs 101, and 202 were for the rest: as if one had been ordered, which lacks 1.
    ['partly filled, then cancelled: what the rest would have cost', [thin], [place(2, 'BID', 3, 101, { autoBorrow: true }), cancel(3)], ['borrow 2 203', 'repay 3 202'], '1'],
    ['the same where the rest is cancelled at once', [thin], [place(2, 'BID', 3, 101, { autoBorrow: true, timeInForce: 'IMMEDIATE_OR_CANCEL' })], ['borrow 2 203', 'repay 2 202'], '1'],
    // Nothing says what the rest of a MARKET order would have cost: what is there goes back.
    ['MARKET: what is there', [thin], [place(2, 'BID', 3, 0, { type: 'MARKET', price: null, autoBorrow: true, timeInForce: 'IMMEDIATE_OR_CANCEL' })], ['borrow 2 203', 'repay 2 202'], '1'],
    ['filled: nothing', [day], [place(2, 'BID', 3, 101, { autoBorrow: true }), cancel(3)], ['borrow 2 203'], '203'],
    // 360 less 270.
    ['amended, then cancelled: both loans', [day], [place(2, 'BID', 3, 90, { autoBorrow: true }), amend(3, 4), cancel(4)], ['borrow 2 170', 'borrow 3 90', 'repay 4 260'], '0'],
    // 270 of the 320 are for o2, 50 stay for o3, which is its own loan.
    ['beside another: its own', [day], [place(2, 'BID', 3, 90, { autoBorrow: true }), place(3, 'BID', 1, 50, { autoBorrow: true }), cancel(4)], ['borrow 2 170', 'borrow 3 50', 'repay 4 170'], '50'],
    // 170 * 0.876 / 8760 are owed after an hour, and are paid first.
    ['after an hour: interest first', [day, book(HOUR + 5, 100, 101)], [place(2, 'BID', 3, 90, { autoBorrow: true }), cancel(HOUR + 3)], ['borrow 2 170', `interest ${HOUR} 0.017`, `repay ${HOUR + 3} 170`], '0.017'],
  ] as const)('what an order borrowed and did not need goes back with its end: %s', (_name, lines, commands, events, owed) => {
    const run = playMoney(lines, commands, { profile }, SPOT, undefined, {}, Math.max(...commands.map(({ timeNs }) => timeNs)) + 9)
    expect([refusals(run), shortly(run), run.account.loans.owed(2).toFixed()]).toEqual([[], events, owed])
  })

  test('what it used stays a loan, whatever came in since', () => {
    // 203 were borrowed, the rest would have cost 202; a coin that was there is sold for 103.
    const bought: MarketLine = { kind: 'trades', timeNs: 4, rows: [[0, 104, 5]] }
    const run = playMoney([thin, bought], [place(2, 'BID', 3, 101, { autoBorrow: true }), place(3, 'ASK', 1, 103), cancel(5)], { profile, balances: new Map([[1, '5'], [2, '100']]) }, SPOT, undefined, {}, 9)
    expect([shortly(run), run.account.cashOf(2).toFixed(), run.account.loans.owed(2).toFixed()]).toEqual([['borrow 2 203', 'repay 5 202'], '103', '1'])
  })

  test('events say the yearly rate where there is one; nothing is told of nothing', () => {
    const lines = [day, book(HOUR + 5, 100, 101), book(3 * HOUR, 100, 101)]
    const commands = [place(2, 'BID', 3, 101, { autoBorrow: true }), place(HOUR + 6, 'ASK', 3, 100, { autoRepay: true }), place(HOUR + 7, 'BID', 1, 90), place(HOUR + 8, 'ASK', 1, 100, { autoRepay: true })]
    const run = playMoney(lines, commands, { profile, balances: new Map([[1, '5'], [2, '100']]) }, SPOT)
    expect(run.events.map(({ kind, rate }) => `${kind} ${rate}`)).toEqual(['borrow 0.876', 'interest 0.876', 'repay undefined'])
    expect(run.account.loans.owed(2).toFixed()).toBe('0')
  })

  test('a checkpoint knows whose next hour is planned', () => {
    const planned: number[] = []
    const lender = (): Loans => new Loans({ entries: [], get: () => undefined }, { plan: (timeNs) => planned.push(timeNs) }, {})
    const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...profile, borrowRates: { 2: '0.876' } } })
    const before = lender()
    before.borrow(account, 2, Amount.from(5), 7)
    const after = lender()
    after.restore(throughJson(before.state()))
    after.borrow(account, 2, Amount.from(5), 8)
    expect(planned).toEqual([HOUR])
    expect([after.accrue(account, HOUR), planned]).toEqual([true, [HOUR, 2 * HOUR]])
  })

  test('a checkpoint knows what an order borrowed', () => {
    const run = playMoney([day], [place(2, 'BID', 3, 90, { autoBorrow: true })], { profile }, SPOT, undefined, {}, 9)
    const [order] = throughJson(run.bench.worlds[0]!.state()).handler.open
    expect(order).toMatchObject({ rare: { loan: { underlyingId: 2, amount: '170' } } })
  })

  test('a replacement borrows for itself; wallets are told before the order is CANCELED', () => {
    const run = playMoney([day], [place(2, 'BID', 3, 90, { autoBorrow: true }), { timeNs: 3, send: (entry) => entry.replace([{ currentOwnOrderId: 'o2', newOwnOrderId: 'o9', currentClientOrderId: 'o2', newClientOrderId: 'o9', totalQuantity: 2 }]) }, cancel(4)], { profile }, SPOT, undefined, {}, 9)
    expect(shortly(run)).toEqual(['borrow 2 170', 'repay 3 170', 'borrow 3 80'])
    expect(run.messages.slice(3).map((message) => (message.kind === 'orderUpdate' ? message.orders[0]!.state : message.kind))).toEqual([
      'walletUpdate', 'replaceResponse', 'walletUpdate', 'CANCELED', 'walletUpdate', 'CONFIRMED', 'walletUpdate', 'cancelResponse',
    ])
  })

  test('what may still be borrowed stands in the wallets, and more is refused', () => {
    const limited: VenueProfile = { ...profile, borrowLimits: { CASH: '203.01' } }
    const commands = [place(2, 'BID', 3, 101, { autoBorrow: true }), place(3, 'BID', 1, 50, { autoBorrow: true }), place(HOUR + 6, 'ASK', 3, 100, { autoRepay: true })]
    const run = playMoney([day, book(HOUR + 5, 100, 101), book(HOUR + 9, 100, 101)], commands, { profile: limited }, SPOT)
    expect(refusals(run)).toEqual(['o3 BORROW_LIMIT_EXCEEDED EXCHANGE'])
    // Nothing was borrowed, and no wallet says so again.
    const refused = run.messages.findIndex((message) => message.kind === 'placeResponse' && message.results[0]?.ownOrderId === 'o3')
    expect(run.messages[refused + 1]).toMatchObject({ kind: 'walletUpdate', wallets: [{}, { underlyingId: 2, availableBorrow: '0' }] })
    const stated = run.messages.flatMap((message) => (message.kind === 'walletUpdate' ? message.wallets.map(({ availableBorrow }) => availableBorrow?.toString()) : []))
    // 203 of 203.01; the interest of an hour is 0.0203, more than was left; all of it is free again once it is repaid.
    expect([...new Set(stated)]).toEqual(['0.01', undefined, '0', '203.01'])
  })

  test.each([
    ['no limit', { borrowLimits: {} }], ['no rate', { borrowLimits: { CASH: '5' }, borrowRates: {} }],
    ['no capability', { borrowLimits: { CASH: '5' }, capabilities: { ...GENERIC_PROFILE.capabilities, availableBorrow: false } }],
  ])('availableBorrow is absent with %s', (_what, more) => {
    const run = playMoney([day], [place(2, 'BID', 1, 90)], { profile: { ...profile, ...more } }, SPOT)
    expect(run.bench.worlds[0]!.news.of(run.account).wallets(0).map((wallet) => 'availableBorrow' in wallet)).toEqual([false])
  })

  test('what is not declared is refused by its name', () => {
    const buy = [place(2, 'BID', 3, 101, { autoBorrow: true })]
    expect(refusals(playMoney([day], buy, {}, SPOT))).toEqual(['o2 NOT_SUPPORTED INTERNAL'])
    expect(refusals(playMoney([day], buy, { profile: { ...profile, borrowRates: { COIN: '1' } } }, SPOT))).toEqual(['o2 NOT_SUPPORTED EXCHANGE'])
    expect(refusals(playMoney([day], buy, { profile }))).toEqual(['o2 INVALID_REQUEST INTERNAL'])
  })
})
