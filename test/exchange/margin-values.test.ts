import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { AmendEntry, PlaceEntry } from '../../src/venue/messages.js'
import type { BenchCommand } from '../support/exchange-bench.ts'
import { book, marginProfile, mark, place, playMoney, refusals } from '../support/played-money.ts'

const day = [book(1, 100, 101), mark(1, 100)]
const cash = (amount: string) => ({ balances: new Map([[2, amount]]) })
const cross = (amount: string) => ({ profile: marginProfile(['cross']), ...cash(amount) })
const both = (amount: string) => ({ profile: marginProfile(['cross', 'isolated']), ...cash(amount) })
const IOC: Partial<PlaceEntry> = { timeInForce: 'IMMEDIATE_OR_CANCEL' }
const amend = (timeNs: number, ownOrderId: string, terms: Partial<AmendEntry>): BenchCommand => ({
  timeNs, send: (entry) => entry.amend([{ ownOrderId, currentClientOrderId: ownOrderId, newClientOrderId: `x${timeNs}`, ...terms }]),
})

describe('an order counts for margin by no better price than it will get', () => {
  test.each<readonly [what: string, order: BenchCommand, enough: string, short: string]>([
    // The best bid is 100: 9 are 900, by whatever low limit they are sold.
    ['a sale with a low limit', place(2, 'ASK', 9, 1, IOC), '90', '89.9'],
    ['a sale at the market', place(2, 'ASK', 9, 0, { ...IOC, type: 'MARKET', price: null }), '90', '89.9'],
    ['a sale that waits for its trigger', place(2, 'ASK', 9, 1, { type: 'STOP_LIMIT', triggerPrice: 90 }), '90', '89.9'],
    ['a sale above the market: by its own', place(2, 'ASK', 9, 110), '99', '98.9'],
    ['a purchase: by its own, low', place(2, 'BID', 9, 50), '45', '44.9'],
    ['a purchase: by its own, high', place(2, 'BID', 9, 110), '99', '98.9'],
  ])('%s', (_what, order, enough, short) => {
    expect([refusals(playMoney(day, [order], cross(enough))), refusals(playMoney(day, [order], cross(short)))]).toEqual([[], ['o2 INSUFFICIENT_MARGIN EXCHANGE']])
  })

  test('a mark above the best bid is what the position will be worth', () => {
    const high = [book(1, 100, 101), mark(1, 110)]
    expect([refusals(playMoney(high, [place(2, 'ASK', 9, 1, IOC)], cross('99'))), refusals(playMoney(high, [place(2, 'ASK', 9, 1, IOC)], cross('98')))]).toEqual([[], ['o2 INSUFFICIENT_MARGIN EXCHANGE']])
  })

  test('the last bracket is not passed by a low limit, nor by an amend to one', () => {
    expect(refusals(playMoney(day, [place(2, 'ASK', 51, 1, IOC)], cross('100000')))).toEqual(['o2 POSITION_TOO_LARGE EXCHANGE'])
    expect(refusals(playMoney(day, [place(2, 'ASK', 9, 110), amend(3, 'o2', { price: 102, totalQuantity: 60 })], cross('100000')))).toEqual(['o2 POSITION_TOO_LARGE EXCHANGE'])
  })

  test('an inverse contract costs more the lower it is bought', () => {
    // 1000 / 101 at 10 %: 0.99... of the coin; a limit of 100,000 does not make it less.
    const buy = place(2, 'BID', 1000, 100_000, IOC)
    const coin = (amount: string) => ({ profile: marginProfile(['cross']), balances: new Map([[1, amount]]) })
    const inverse = { isInverse: true, contractValue: '1' }
    expect([refusals(playMoney(day, [buy], coin('1'), inverse)), refusals(playMoney(day, [buy], coin('0.99'), inverse))]).toEqual([[], ['o2 INSUFFICIENT_MARGIN EXCHANGE']])
  })

  test('an isolated position sets aside what was asked for', () => {
    const run = playMoney(day, [place(2, 'ASK', 9, 1, { ...IOC, openClose: 'OPEN' })], both('90'))
    expect([refusals(run), run.account.positions.get(1)?.legs.get('short')?.margin.toFixed()]).toEqual([[], '90'])
  })
})

describe('what closes, what flips, what is changed to less', () => {
  test.each([{ reduceOnly: true }, { closeOnly: true }, { openClose: 'CLOSE' as const }])('an order that only closes blocks nothing, and leaves what is held to cover others: %j', (how) => {
    // 5 at 101 with 60: at 100 55 are there and 50 are needed. Six more would make the position a short one of 6, at 112.
    const commands = [place(2, 'BID', 5, 101, how.openClose === undefined ? {} : { openClose: 'OPEN' }), place(3, 'ASK', 5, 110, how), place(4, 'ASK', 5, 111), place(5, 'ASK', 6, 112)]
    const profile = marginProfile(['cross'])
    expect(refusals(playMoney(day, commands, { ...cash('60'), profile: { ...profile, orders: { ...profile.orders, closeOnlyCancelsOthers: false } } }))).toEqual(['o5 INSUFFICIENT_MARGIN EXCHANGE'])
  })

  test('an order that closes an isolated position needs no margin, more of it does', () => {
    const open = place(2, 'BID', 9, 101, { openClose: 'OPEN' })
    expect(refusals(playMoney(day, [open, place(3, 'ASK', 9, 100)], both('91')))).toEqual([])
    expect(refusals(playMoney(day, [open, place(3, 'ASK', 10, 100)], both('91')))).toEqual(['o3 INSUFFICIENT_MARGIN EXCHANGE'])
    // Resting ones close in their order: 4 of 9, then 5, and one that would open.
    expect(refusals(playMoney(day, [open, place(3, 'ASK', 4, 110), place(4, 'ASK', 5, 110), place(5, 'ASK', 1, 110)], both('91')))).toEqual(['o5 INSUFFICIENT_MARGIN EXCHANGE'])
  })

  test('a flip opens with its own margin, though as much was blocked before', () => {
    // 9 at 101 with 100; at 95 the profit is -54: 46 are left, and 9 at 95 need 85.5.
    const lines = [...day, book(3, 95, 96), mark(3, 95)]
    expect(refusals(playMoney(lines, [place(2, 'BID', 9, 101), place(4, 'ASK', 18, 95)], cross('100')))).toEqual(['o4 INSUFFICIENT_MARGIN EXCHANGE'])
    expect(refusals(playMoney(lines, [place(2, 'BID', 9, 101), place(4, 'ASK', 9, 95)], cross('100')))).toEqual([])
  })

  test('an amend that lowers what its order needs is taken, whatever has happened to the rest', () => {
    // 5 at 101 and 4 at 90 need 86; at 91 the profit is -50, and 50 do not hold both (455 and 360: 81.5).
    const lines = [...day, book(4, 91, 92), mark(4, 91)]
    const placed = [place(2, 'BID', 5, 101), place(3, 'BID', 4, 90)]
    expect(refusals(playMoney(lines, [...placed, amend(5, 'o3', { totalQuantity: 2 }), amend(6, 'o3', { price: 89 })], cross('100')))).toEqual([])
    expect(refusals(playMoney(lines, [...placed, amend(5, 'o3', { totalQuantity: 5 })], cross('100')))).toEqual(['o3 INSUFFICIENT_MARGIN EXCHANGE'])
  })

  test('closeOnly is not refused for the orders that it takes away', () => {
    const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'few', limits: { maxOpenOrders: 2 } }
    const commands = [place(2, 'BID', 5, 101), place(3, 'BID', 1, 90), place(4, 'BID', 1, 89), place(5, 'BID', 1, 88), place(6, 'ASK', 1, 110, { closeOnly: true })]
    expect(refusals(playMoney(day, commands, { profile }))).toEqual(['o5 TOO_MANY_ORDERS EXCHANGE'])
  })
})

describe('options', () => {
  const call = { type: 'call', strikePrice: '150' } as const
  const options = (amount: string, more: Partial<VenueProfile> = {}) => ({ profile: { ...marginProfile(['cross', 'isolated']), kind: 'options' as const, ...more }, ...cash(amount) })

  test('what is held covers no sale that OPENs a short position, an OPENed long one covers a plain sale', () => {
    expect(refusals(playMoney(day, [place(2, 'BID', 1, 101), place(3, 'ASK', 1, 100, { openClose: 'OPEN' })], options('1000'), call))).toEqual(['o3 NOT_SUPPORTED EXCHANGE'])
    expect(refusals(playMoney(day, [place(2, 'BID', 1, 101, { openClose: 'OPEN' }), place(3, 'ASK', 1, 100)], options('1000'), call))).toEqual([])
    expect(refusals(playMoney(day, [place(2, 'BID', 1, 101, { openClose: 'OPEN' }), place(3, 'ASK', 2, 100)], options('1000'), call))).toEqual(['o3 NOT_SUPPORTED EXCHANGE'])
  })

  test.each([{}, { reduceOnly: true }, { closeOnly: true }])('one that was sold with nothing behind it is bought back for its premium: %j', (how) => {
    // Sold at 100: 110 with what there was; at 120 it cannot be bought back, at 110 it can.
    const back = (price: number) => refusals(playMoney(day, [place(2, 'ASK', 1, 100), place(3, 'BID', 1, price, how)], cash('10'), call))
    expect([back(110), back(120)]).toEqual([[], ['o3 INSUFFICIENT_BALANCE EXCHANGE']])
  })
})
