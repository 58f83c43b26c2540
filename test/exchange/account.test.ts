import { Amount } from '../../src/model/amount.js'
import { Decimal } from '../../src/model/decimal.js'
import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { openProfit, openQuantity } from '../../src/exchange/accounts/account-position.js'
import { valuedLegs, availableBorrow } from '../../src/exchange/accounts/account-balance-sheet.js'
import { loanRefusal } from '../../src/exchange/adapter/adapter-checks.js'
import { forcedOrder } from '../../src/exchange/matching/order-making.js'
import { GENERIC_PROFILE, type VenueProfile } from '../../src/exchange/profile/venue-profile.js'
import type { TradedInstrument } from '../../src/exchange/matching/order-engine.js'
import type { Instrument } from '../../src/model/instrument.js'
import { OrderTable } from '../../src/orders/order-table.js'
import { RowStore } from '../../src/rows/row-store.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { InstrumentEntry } from '../../src/venue/venue.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { madeInstrument } from '../support/market-lines.ts'

const accountOf = (more: Partial<AccountConfig> = {}): Account => new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0.01', taker: '0.02' }, ...more })
const entryOf = (more: Partial<Instrument> = {}): InstrumentEntry => ({ instrument: madeInstrument(more), priceScale: 0, quantityScale: 0 })
const at = (price: number, quantity: number) => ({ price, priceScale: 0, quantity, quantityScale: 0 })

describe('the fee of an execution', () => {
  const feeOf = (instrument: Partial<Instrument>, feeRate?: string): string => {
    const account = accountOf()
    const { fee, feeUnderlyingId } = account.post(entryOf(instrument), 'BID', at(50, 4), false, feeRate === undefined ? {} : { feeRate: Amount.from(feeRate) })
    expect(account.positions.get(1)!.fees.get(feeUnderlyingId)?.toFixed()).toBe(fee.toFixed())
    return `${fee.toFixed()} of ${feeUnderlyingId}`
  }

  test.each([
    // 2 % of a value of 200, or of 4 coins.
    ['in what the contract settles in where master data name no underlying', { feeUnderlyingId: null }, undefined, '4 of 2'],
    ['in that underlying', { feeUnderlyingId: 2 }, undefined, '4 of 2'],
    ['in coins by the coins', { feeUnderlyingId: 1 }, undefined, '0.08 of 1'],
    ['a liquidation\'s of the value, whatever others are taken in', { feeUnderlyingId: 1 }, '0.1', '20 of 2'],
    ['and where none is named', { feeUnderlyingId: null }, '0.1', '20 of 2'],
  ] as const)('%s', (_name, instrument, feeRate, expected) => {
    expect(feeOf(instrument, feeRate)).toBe(expected)
  })
})

describe('what an execution closes and opens', () => {
  test('values of its parts are the value of the whole, to the last digit', () => {
    const account = accountOf()
    const inverse = entryOf({ isInverse: true, contractValue: '1' })
    account.post(inverse, 'BID', at(3, 1), true, { openClose: 'OPEN' })
    // 2 at 3 are 2/3; the one that closes is a third, rounded, and the other the rest.
    account.post(inverse, 'ASK', at(3, 2), true, { openClose: 'CLOSE' })
    const { sums, legs } = account.positions.get(1)!
    const third = new Decimal(1).div(3).toDecimalPlaces(18).toFixed()
    const rest = new Decimal(2).div(3).toDecimalPlaces(18).minus(third)
    expect([sums.quantity.toFixed(), sums.openValue.abs().toFixed(), sums.turnover.toFixed()]).toEqual(['-1', rest.toFixed(), rest.plus(third).plus(third).toFixed()])
    expect(rest.toFixed()).not.toBe(third)
    expect(legs.get('long')?.sums.quantity.toFixed()).toBe('0')
  })

  test('what has no isolated position to close is a net one, and makes no other', () => {
    const account = accountOf()
    account.post(entryOf(), 'ASK', at(50, 2), true, { openClose: 'CLOSE' })
    expect([...account.positions.get(1)!.legs.keys()]).toEqual(['net'])
  })
})

test('an account trades on its own exchange alone', () => {
  expect(() => accountOf().prospect(entryOf({ exchangeCode: 'other' }))).toThrow('Cannot trade other:TEST on account A: it belongs to test')
})

test('a prediction venue\'s perpetuals are prediction contracts, its coins and futures are not; elsewhere those that a run declares', () => {
  const kinds = (account: Account): string[] => [{}, { id: 2, type: 'spot' }, { id: 3, type: 'future' }, { id: 4 }].map((more) => account.prospect(entryOf(more)).contract.kind)
  expect(kinds(accountOf({ profile: { ...GENERIC_PROFILE, kind: 'prediction' } }))).toEqual(['prediction', 'spot', 'linear', 'prediction'])
  expect(kinds(accountOf({ predictions: new Set([1, 2, 3]) }))).toEqual(['prediction', 'spot', 'linear', 'linear'])
})

test('positions are valued by instrument, in whatever order they were opened', () => {
  const valued = (...ids: number[]): number[] => {
    const account = accountOf()
    for (const id of ids) account.post(entryOf({ id }), 'BID', at(50, 1), true)
    return valuedLegs(account, 2, Object.assign(() => Amount.from(50), {})).map(({ position }) => position.contract.instrumentId)
  }
  expect([valued(2, 1), valued(3, 1, 2), valued(1)]).toEqual([[1, 2], [1, 2, 3], [1]])
})

test('a position is the sum of its legs, and so is its profit', () => {
  const account = accountOf()
  const position = account.prospect(entryOf())
  expect([openQuantity(position).toFixed(), openProfit(position, Amount.from(60)).toFixed()]).toEqual(['0', '0'])
  account.post(entryOf(), 'BID', at(50, 4), true)
  account.post(entryOf(), 'BID', at(55, 2), true, { openClose: 'OPEN' })
  account.post(entryOf(), 'ASK', at(70, 1), true, { openClose: 'OPEN' })
  const held = account.positions.get(1)!
  // 4 * 10 + 2 * 5 + 1 * 10, and the other way round below.
  expect([openQuantity(held), openProfit(held, Amount.from(60)), openProfit(held, Amount.from(40))].map((value) => value.toFixed())).toEqual(['5', '60', '-40'])
})

test('what an account may still borrow is its limit less what it owes, where the venue has both a limit and a rate', () => {
  const left = (profile: Partial<VenueProfile> | null, owed = '0', code = 'CASH'): string | null => {
    const account = accountOf(profile === null ? {} : { profile: { ...GENERIC_PROFILE, ...profile } })
    account.loans.borrow(2, Amount.from(owed))
    return availableBorrow(account, 2, code)?.toFixed() ?? null
  }
  const both = { borrowLimits: { CASH: '100' }, borrowRates: { CASH: '0.1' } }
  expect([left(both), left(both, '30'), left(both, '100'), left(both, '100.5'), left(both, '0', 'COIN')]).toEqual(['100', '70', '0', '0', null])
  expect([left(null), left({}), left({ borrowRates: both.borrowRates }), left({ borrowLimits: both.borrowLimits }), left({ ...both, borrowRates: { COIN: '0.1' } })]).toEqual([null, null, null, null, null])
})

describe('what an order may say of loans and isolated positions', () => {
  const lender: VenueProfile = { ...GENERIC_PROFILE, name: 'lender', kind: 'spot', borrowRates: { CASH: '0.1' } }
  const silent: VenueProfile = { name: 'silent', kind: 'spot', capabilities: {} }
  const refusal = (terms: Partial<PlaceEntry>, type: string, profile: VenueProfile): string | null => loanRefusal(placeEntry('a', terms), entryOf({ type }), profile)?.message ?? null

  test('a coin has no position to open or close', () => {
    expect([undefined, 'AUTO', 'OPEN', 'CLOSE'].map((openClose) => refusal({ openClose } as Partial<PlaceEntry>, 'spot', lender))).toEqual([null, null, ...Array<string>(2).fill('openClose is for positions: a spot instrument has none')])
  })

  test('a named venue must say that it has isolated positions', () => {
    const isolated: VenueProfile = { ...silent, name: 'apart', kind: 'usdtPerpetual', margin: { modes: ['isolated'], brackets: [] } }
    const cross: VenueProfile = { ...silent, name: 'joint', kind: 'usdtPerpetual', margin: { modes: ['cross'], brackets: [] } }
    expect([GENERIC_PROFILE, isolated, cross, silent].map((profile) => refusal({ openClose: 'OPEN' }, 'perpetual', profile))).toEqual([
      null, null, ...['joint', 'silent'].map((name) => `the venue profile ${name} does not say isolated among margin.modes, which openClose OPEN needs`),
    ])
    expect([refusal({ openClose: 'AUTO' }, 'perpetual', silent), refusal({}, 'perpetual', silent)]).toEqual([null, null])
  })

  test('loans are for coins, where the venue says what they cost', () => {
    expect([refusal({ autoBorrow: true }, 'spot', lender), refusal({ autoRepay: true }, 'spot', lender), refusal({ autoBorrow: false, autoRepay: false }, 'perpetual', silent)]).toEqual([null, null, null])
    expect([refusal({ autoBorrow: true }, 'perpetual', lender), refusal({ autoRepay: true }, 'future', lender)]).toEqual(['autoBorrow is for spot instruments, found it on a perpetual', 'autoRepay is for spot instruments, found it on a future'])
    expect([refusal({ autoBorrow: true, autoRepay: true }, 'spot', silent), refusal({ autoRepay: true }, 'spot', silent)]).toEqual(['autoBorrow', 'autoRepay'].map((field) => `the venue profile silent does not say borrowRates, which ${field} needs`))
  })
})

test('a forced fill stands for an order that nobody sent, filled whole, in the digits of the market', () => {
  const traded = { entry: entryOf({ id: 7 }), priceFactor: 10, quantityFactor: 100, quantityDivisor: 1 } as TradedInstrument
  const order = forcedOrder('A', traded, { side: 'ASK', leg: 'long', price: 95, quantity: 3, timeNs: 9 }, new OrderTable(new RowStore(false)))
  expect(order).toMatchObject({ accountId: 'A', clientId: '', ownOrderId: '', clientOrderId: '', exchangeOrderId: '', instrumentId: 7 })
  const { type, side, timeInForce, state, postOnly, price, totalQuantity, executedQuantity, quantityAhead, touchedByGap } = order
  expect([type, side, timeInForce, state, postOnly, price, totalQuantity, executedQuantity, quantityAhead, touchedByGap]).toEqual(['MARKET', 'ASK', 'IMMEDIATE_OR_CANCEL', 'FILLED', false, 950, 300, 300, NaN, false])
})
