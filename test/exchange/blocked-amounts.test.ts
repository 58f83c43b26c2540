import { expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { BlockedAmounts, type PreTrade } from '../../src/exchange/risk/pre-trade.js'
import { Decimal } from '../../src/model/decimal.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { InstrumentEntry } from '../../src/venue/venue.js'
import { madeInstrument } from '../support/market-lines.ts'
import { marginProfile } from '../support/played-money.ts'

/** Accounts whose orders block what the test says, on a run with an instrument and a perpetual. */
function made(instrument: Partial<Instrument> = { type: 'spot' }) {
  const blocks = new Map<string, number>()
  const asked: string[] = []
  const preTrade = { blocked: (account: Account, underlyingId: number) => {
    asked.push(`${account.config.accountId} ${underlyingId}`)
    return new Decimal(blocks.get(`${account.config.accountId} ${underlyingId}`) ?? 0)
  } } as unknown as PreTrade
  const [entry, perpetual] = [instrument, {}].map((more, at) => ({ instrument: madeInstrument({ ...more, id: at + 1 }), priceScale: 0, quantityScale: 0 })) as [InstrumentEntry, InstrumentEntry]
  const amounts = new BlockedAmounts(preTrade, { entries: [entry, perpetual], get: (id) => (id === 1 ? entry : perpetual) })
  const account = (accountId: string, more: Partial<AccountConfig> = {}): Account => new Account({ accountId, exchangeCode: 'test', balances: new Map([[2, '100'], [1, '5']]), fees: { maker: '0', taker: '0' }, ...more })
  const named = (accounts: readonly Account[]): string => accounts.map(({ config }) => config.accountId).join(' ')
  return { blocks, asked, amounts, account, named }
}

test('whose orders block more or less than their wallets said last', () => {
  const { blocks, amounts, account, named } = made()
  const [a, b] = [account('A'), account('B')]
  const after = (change: () => void): string => named(amounts.changed([a, b], change))
  expect([after(() => undefined), after(() => blocks.set('B 2', 40)), after(() => blocks.set('A 1', 1)), after(() => blocks.set('B 2', 30).set('A 1', 2)), after(() => blocks.set('B 2', 30))]).toEqual(['', 'B', 'A', 'A B', ''])
})

test('what wallets said while it went on is what they said last', () => {
  const { blocks, amounts, account, named } = made()
  const [a, b] = [account('A'), account('B')]
  const both = (last: number): string => named(amounts.changed([a], () => {
    blocks.set('A 2', 7)
    amounts.stating(a)
    // Of no concern here.
    amounts.stating(b)
    blocks.set('A 2', last)
  }))
  expect([both(7), both(8), both(8)]).toEqual(['', 'A', 'A'])
})

test('a change within a change is part of it: told once, at the end of all', () => {
  const { blocks, amounts, account, named } = made()
  const a = account('A')
  const within: string[] = []
  const outer = named(amounts.changed([a], () => {
    blocks.set('A 2', 5)
    within.push(named(amounts.changed([a], () => blocks.set('A 2', 9))))
    within.push(named(amounts.changed([a], () => blocks.set('A 2', 6))))
    amounts.stating(a)
    blocks.set('A 2', 8)
  }))
  expect([within, outer, named(amounts.changed([a], () => undefined))]).toEqual([['', ''], 'A', ''])
})

test.each<[words: string, instrument: Partial<Instrument>, config: Partial<AccountConfig>, isLookedAt: boolean]>([
  ['coins are paid from wallets', { type: 'spot' }, {}, true], ['so are options', { type: 'call', strikePrice: '10' }, {}, true], ['perpetuals are not', {}, {}, false], ['unless they need margin', {}, { profile: marginProfile(['cross']) }, true],
  ['coins of another exchange are not', { type: 'spot', exchangeCode: 'other' }, {}, false], ['nothing is, of an account without balances', { type: 'spot' }, { balances: new Map() }, false], ['nor of one that nobody checks', {}, { profile: marginProfile(['cross']), checks: 'none' }, false],
])('nobody looks where no order can block anything: %s', (_words, instrument, config, isLookedAt) => {
  const { amounts, account, asked, blocks } = made(instrument)
  const a = account('A', config)
  blocks.set('A 2', 7)
  expect([amounts.textOf(a), asked]).toEqual(isLookedAt ? ['7 0', ['A 2', 'A 1']] : ['', []])
})
