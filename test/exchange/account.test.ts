import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/account.js'
import type { AccountConfig } from '../../src/exchange/account-config.js'
import { valuedLegs } from '../../src/exchange/account-standing.js'
import { GENERIC_PROFILE } from '../../src/exchange/generic-profile.js'
import { Decimal } from '../../src/model/decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { InstrumentEntry } from '../../src/venue/venue.js'
import { madeInstrument } from '../support/market-lines.ts'

const accountOf = (more: Partial<AccountConfig> = {}): Account => new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0.01', taker: '0.02' }, ...more })
const entryOf = (more: Partial<Instrument> = {}): InstrumentEntry => ({ instrument: madeInstrument(more), priceScale: 0, quantityScale: 0 })
const at = (price: number, quantity: number) => ({ price, priceScale: 0, quantity, quantityScale: 0 })

describe('the fee of an execution', () => {
  const feeOf = (instrument: Partial<Instrument>, feeRate?: string): string => {
    const account = accountOf()
    const { fee, feeUnderlyingId } = account.post(entryOf(instrument), 'BID', at(50, 4), false, feeRate === undefined ? {} : { feeRate: new Decimal(feeRate) })
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
    return valuedLegs(account, 2, Object.assign(() => new Decimal(50), {})).map(({ position }) => position.contract.instrumentId)
  }
  expect([valued(2, 1), valued(3, 1, 2), valued(1)]).toEqual([[1, 2], [1, 2, 3], [1]])
})
