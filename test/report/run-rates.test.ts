import { describe, expect, test } from 'vitest'
import { Amount } from '../../src/model/amount.js'
import type { Instrument, Underlying } from '../../src/model/instrument.js'
import type { UsdRate } from '../../src/model/usd-rate.js'
import { runCurrency } from '../../src/report/run-currency.js'
import { converted, isRateMarket, RunRates } from '../../src/report/run-rates.js'
import { madeInstrument } from '../support/market-lines.ts'

const IDS = { BTC: 1, USDT: 2, BNB: 3, ETH: 4, USD: 5, EUR: 6 } as const
type Code = keyof typeof IDS
const underlyings = (codes: readonly Code[]): Underlying[] => codes.map((code) => ({ id: IDS[code], code }) as unknown as Underlying)

/** `spot BTC/USDT`, `perpetual BTC/USDT`, `inverse BTC/USD`, `quanto`, `call`, `future`. */
function market(text: string, id = 1): Instrument {
  const [type = '', pair = ''] = text.split(' ')
  const [base, counter] = pair.split('/') as [Code, Code]
  const [baseUnderlyingId, counterUnderlyingId] = [IDS[base], IDS[counter]]
  const kind = type === 'inverse' || type === 'quanto' ? { type: 'perpetual', contractValue: '1', isInverse: type === 'inverse', isQuanto: type === 'quanto' } : { type }
  return madeInstrument({ id, code: pair, baseUnderlyingId, counterUnderlyingId, valuationUnderlyingId: type === 'quanto' ? IDS.ETH : counterUnderlyingId, feeUnderlyingId: null, strikePrice: type === 'call' ? '1' : null, ...kind })
}

describe('the currency of a run', () => {
  test.each<[string, string | null, readonly string[], string, readonly string[]]>([
    ['a linear derivative: its counter', null, ['perpetual BTC/USDT'], 'USDT', []],
    ['an inverse one: its base', null, ['inverse BTC/USD'], 'BTC', []],
    ['a quanto: what it settles in', null, ['quanto BTC/USD'], 'ETH', []],
    ['a derivative before a spot market', null, ['spot BTC/USDT', 'inverse BTC/USD'], 'BTC', []],
    ['spot alone: its counter', null, ['spot BTC/USDT', 'spot ETH/USDT'], 'USDT', []],
    ['derivatives that differ', null, ['perpetual BTC/USDT', 'inverse BTC/USD'], 'USD', ['BTC', 'USDT']],
    ['spot markets that differ', null, ['spot BTC/USDT', 'spot BTC/EUR'], 'USD', ['EUR', 'USDT']],
    ['nothing to trade', null, [], 'USD', []],
    ['what is stated wins', 'EUR', ['perpetual BTC/USDT', 'inverse BTC/USD'], 'EUR', []],
  ])('%s', (_what, stated, traded, code, unlike) => {
    const found = runCurrency(stated, traded.map((text) => market(text)), underlyings(Object.keys(IDS) as Code[]))
    expect(found).toEqual({ code, underlyingId: IDS[code as Code], unlike })
  })

  test('USD that the data do not have has no id', () => {
    expect(runCurrency('USD', [], underlyings(['BTC']))).toEqual({ code: 'USD', underlyingId: null, unlike: [] })
  })
})

describe('a rate between two underlyings', () => {
  const declared = (rates: Partial<Record<Code, string>>): Map<number, UsdRate> => new Map(Object.entries(rates).map(([code, usd]) => [IDS[code as Code], { usd, declaredBy: 'data' as const }]))

  /** The worth of 3 units, the markets and the declared rates behind it. */
  function worth(from: Code, to: Code, mids: Readonly<Record<string, string | null>>, rates: Partial<Record<Code, string>>, known: readonly Code[] = Object.keys(IDS) as Code[]): readonly [string, string, string] | null {
    const markets = Object.entries(mids).map(([text, mid], at) => ({ instrument: market(text, 9 - at), mid: mid === null ? null : Amount.from(mid) }))
    const all = new RunRates(markets, declared(rates), underlyings(known))
    const rate = all.between(IDS[from], { code: to, underlyingId: known.includes(to) ? IDS[to] : null, unlike: [] })
    return rate === null ? null : [converted(Amount.from(3), rate).toFixed(), rate.markets.join(), rate.declared.map(({ underlying }) => underlying).join()]
  }

  test.each<[string, Code, Code, Readonly<Record<string, string | null>>, Partial<Record<Code, string>>, readonly [string, string, string] | null]>([
    ['the same', 'BTC', 'BTC', {}, {}, ['3', '', '']],
    ['a market of both', 'BTC', 'USDT', { 'spot BTC/USDT': '50000.5' }, {}, ['150001.5', 'test:BTC/USDT', '']],
    ['the reverse, rounded once', 'USDT', 'BTC', { 'spot BTC/USDT': '7' }, {}, ['0.428571428571428571', 'test:BTC/USDT', '']],
    ['a mid wins over declared rates', 'BTC', 'USDT', { 'spot BTC/USDT': '50000' }, { BTC: '1', USDT: '1' }, ['150000', 'test:BTC/USDT', '']],
    ['spot wins over derivatives, and perpetuals over futures', 'BTC', 'USDT', { 'future BTC/USDT': '3', 'perpetual BTC/USDT': '2', 'spot BTC/USDT': '1' }, {}, ['3', 'test:BTC/USDT', '']],
    ['a derivative where there is no spot', 'BTC', 'USD', { 'inverse BTC/USD': '60000' }, {}, ['180000', 'test:BTC/USD', '']],
    ['a market without a mid gives none', 'BTC', 'USDT', { 'spot BTC/USDT': null }, { BTC: '40000', USDT: '0.5' }, ['240000', '', 'BTC,USDT']],
    ['a mid of 0 or less gives none', 'BTC', 'USDT', { 'perpetual BTC/USDT': '-1' }, {}, null],
    ['a quanto and an option give none', 'BTC', 'USDT', { 'quanto BTC/USDT': '5', 'call BTC/USDT': '5' }, {}, null],
    ['over the quote, which has a declared rate', 'BTC', 'USD', { 'spot BTC/USDT': '50000' }, { USDT: '0.998', BTC: '1' }, ['149700', 'test:BTC/USDT', 'USDT']],
    ['a coin without a market, in a coin with one', 'BNB', 'BTC', { 'spot BTC/USDT': '50000' }, { BNB: '600', USDT: '1', BTC: '1' }, ['0.036', 'test:BTC/USDT', 'BNB,USDT']],
    ['two coins of one quote', 'ETH', 'BTC', { 'spot BTC/USDT': '50000', 'spot ETH/USDT': '2500' }, {}, ['0.15', 'test:ETH/USDT,test:BTC/USDT', '']],
    ['two coins of two quotes', 'ETH', 'BTC', { 'spot BTC/USDT': '50000', 'spot ETH/EUR': '2500' }, { EUR: '1.1', USDT: '1' }, ['0.165', 'test:ETH/EUR,test:BTC/USDT', 'EUR,USDT']],
    ['declared alone', 'BNB', 'USDT', {}, { BNB: '600', USDT: '1' }, ['1800', '', 'BNB,USDT']],
    ['one is not declared', 'BNB', 'USDT', {}, { BNB: '600' }, null],
    ['a declared rate of 0 is none', 'BNB', 'USDT', {}, { BNB: '600', USDT: '0' }, null],
    ['in USD by a declared rate', 'BNB', 'USD', {}, { BNB: '600' }, ['1800', '', 'BNB']],
  ])('%s', (_what, from, to, mids, rates, wanted) => {
    expect(worth(from, to, mids, rates)).toEqual(wanted)
  })

  test('USD need not be an underlying of the data', () => {
    expect(worth('BTC', 'USD', { 'spot BTC/USDT': '50000' }, { USDT: '0.5' }, ['BTC', 'USDT'])).toEqual(['75000', 'test:BTC/USDT', 'USDT'])
  })

  test.each([['spot BTC/USDT', true], ['inverse BTC/USD', true], ['quanto BTC/USD', false], ['call BTC/USD', false]])('%s is a market of rates: %s', (text, is) => {
    expect(isRateMarket(market(text))).toBe(is)
  })
})
