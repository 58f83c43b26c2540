import { describe, expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/generic-profile.js'
import type { VenueProfile } from '../../src/exchange/venue-profile.js'
import { book, index, marginProfile, mark, place, playMoney, shortly } from '../support/played-money.ts'

const day = book(1, 100, 101)
const later = book(30, 100, 101)
const bets: VenueProfile = { ...GENERIC_PROFILE, name: 'bets', kind: 'prediction' }
const at = (expiryNs: number, outcome?: string) => ({ usdRates: new Map(), expiries: new Map([[1, expiryNs]]), outcomes: new Map(outcome === undefined ? [] : [[1, outcome]]) })

describe('contracts that end', () => {
  test('a call is paid by the index: premium out, intrinsic value in, its fee off', () => {
    // 2 calls of strike 150 at 20, index 190: 40 each. Fee 1 % of 80.
    const profile: VenueProfile = { ...GENERIC_PROFILE, name: 'options', settlement: { index: 'last', feeRate: '0.01' } }
    const lines = [book(1, 19, 20), index(9, 190), index(21, 900), later]
    const run = playMoney(lines, [place(2, 'BID', 2, 20), place(3, 'BID', 1, 5)], { profile }, { type: 'call', strikePrice: '150' }, at(20))
    expect(shortly(run)).toEqual(['settlement 20 40 40 index'])
    // 100 - 40 + 80 - 0.8.
    expect(run.account.cashOf(2).toFixed()).toBe('139.2')
    const after = run.messages.filter((message) => 'adapterTimeNs' in message && message.adapterTimeNs === 20).map(({ kind }) => kind)
    expect(after).toEqual(['orderUpdate', 'positionUpdate', 'walletUpdate'])
  })

  test('a future by the index, by the last mark where there is none', () => {
    expect(shortly(playMoney([day, index(9, 110), later], [place(2, 'BID', 2, 101)], {}, { type: 'future' }, at(20)))).toEqual(['settlement 20 18 110 index'])
    expect(shortly(playMoney([day, mark(9, 105), later], [place(2, 'ASK', 2, 100)], {}, { type: 'future' }, at(20)))).toEqual(['settlement 20 -10 105 mark'])
  })

  test('a prediction contract by its outcome, else by the last mark', () => {
    const lines = [book(1, 0, 1), mark(9, 1), later]
    const bought = [place(2, 'BID', 60, 1)]
    expect(shortly(playMoney(lines, bought, { profile: bets }, {}, at(20, '0')))).toEqual(['settlement 20 -60 0 outcome'])
    expect(shortly(playMoney(lines, bought, { profile: bets }, {}, at(20)))).toEqual(['settlement 20 0 1 mark'])
    const run = playMoney(lines, bought, { profile: bets }, {}, at(20, '1'))
    expect([shortly(run), run.account.cashOf(2).toFixed()]).toEqual([['settlement 20 0 1 outcome'], '100'])
  })

  test('at the end of a run an outcome settles what has not ended', () => {
    const run = playMoney([book(1, 0, 1)], [place(2, 'BID', 60, 1)], { profile: bets }, {}, { ...at(20, '0'), expiries: new Map() })
    run.bench.worlds[0]!.money.settleOutcomes(99)
    expect([shortly(run), run.account.cashOf(2).toFixed()]).toEqual([['settlement 99 -60 0 outcome'], '40'])
  })
})

describe('conversions by declared rates alone', () => {
  const rates = (...ids: number[]) => ({ usdRates: new Map(ids.map((id) => [id, { usd: id === 2 ? '0.5' : '100', declaredBy: 'run' as const }])), expiries: new Map(), outcomes: new Map() })
  const fees = { maker: '0', taker: '0.01' }

  test('fills say what they are worth, wallets what they add up to', () => {
    const run = playMoney([day, mark(1, 100)], [place(2, 'BID', 2, 101)], { fees, profile: marginProfile(['cross']) }, {}, rates(2))
    // Value 202, fee 2.02, profit -2: (100 - 2.02 - 2) * 0.5; 5 % of 200 is 10.
    expect(run.messages.find(({ kind }) => kind === 'fill')).toMatchObject({ fills: [{ usdTurnover: '101', usdFees: '1.01', fxRate: '0.5' }] })
    expect(run.messages.find(({ kind }) => kind === 'walletUpdate')).toMatchObject({ totalBalances: [{ walletType: 'ACCOUNT', usdAmount: '47.99' }], maintenanceMargin: [{ usdAmount: '5' }] })
  })

  test('a field whose rate nobody declared is absent', () => {
    const run = playMoney([day], [place(2, 'BID', 2, 101)], { fees }, {}, rates(1))
    const fills = run.messages.flatMap((message) => (message.kind === 'fill' ? message.fills : []))
    expect(fills.map(({ usdFees, fxRate }) => [usdFees, fxRate])).toEqual([[undefined, undefined]])
    expect(Object.keys(run.messages.find(({ kind }) => kind === 'walletUpdate')!)).not.toContain('totalBalances')
  })
})
