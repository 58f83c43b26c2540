import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Account } from '../../src/exchange/accounts/account.js'
import { openProfit, type Leg } from '../../src/exchange/accounts/account-position.js'
import { contractValue } from '../../src/model/contract.js'
import { Amount } from '../../src/model/amount.js'
import type { OpenClose } from '../../src/model/order.js'
import { averageEntryPrice } from '../../src/model/position-sums.js'
import type { Side } from '../../src/model/side.js'
import type { InstrumentEntry } from '../../src/venue/venue.js'
import { madeInstrument } from '../support/market-lines.ts'
import { book, mark, marginProfile, place, playMoney, refusals, shortly } from '../support/played-money.ts'

const MARKET = { type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' } as const
const market = (timeNs: number, side: Side, quantity: number, more: object = {}) => place(timeNs, side, quantity, 0, { ...MARKET, ...more })
const entry: InstrumentEntry = { instrument: madeInstrument({ multiplier: '0.01' }), priceScale: 1, quantityScale: 0 }

interface NaiveFill {
  readonly side: Side
  readonly quantity: number
  /** In tenths. */
  readonly price: number
  readonly isMaker: boolean
  readonly openClose: OpenClose
}

const RATES = { maker: '-0.0001', taker: '0.0005' }
const ONE_STEP = { ...marginProfile(['isolated']), margin: { modes: ['isolated' as const], brackets: [{ upTo: null, initialRate: '0.1', maintenanceRate: '0.05', deduction: '0' }] } }

interface NaiveLeg { quantity: Decimal, value: Decimal, margin: Decimal }

/** Average cost, leg by leg, in decimals of 60 digits: a quantity has the value quantity * price, whatever its sign. */
class NaiveLedger {
  readonly D = Decimal.clone({ precision: 60 })
  readonly legs: Readonly<Record<Leg, NaiveLeg>> = { net: this.#empty(), long: this.#empty(), short: this.#empty() }
  realized: Decimal = new this.D(0)
  turnover: Decimal = new this.D(0)
  fees: Decimal = new this.D(0)
  /** What the quantities were bought and sold for. */
  paid: Decimal = new this.D(0)

  #empty(): NaiveLeg {
    const zero = new this.D(0)
    return { quantity: zero, value: zero, margin: zero }
  }

  post({ side, quantity, price, isMaker, openClose }: NaiveFill): void {
    const value = new this.D(quantity).times(price).div(1000)
    this.paid = this.paid.plus(side === 'BID' ? value : value.negated())
    this.turnover = this.turnover.plus(value.abs())
    this.fees = this.fees.plus(value.abs().times(isMaker ? RATES.maker : RATES.taker))
    if (openClose === 'OPEN') return this.#add(side === 'BID' ? 'long' : 'short', side, quantity, price)
    const other = side === 'BID' ? 'short' : 'long'
    const closed = Math.min(quantity, this.legs[other].quantity.abs().toNumber())
    if (closed > 0) this.#add(other, side, closed, price)
    if (quantity > closed) this.#add('net', side, quantity - closed, price)
  }

  #add(name: Leg, side: Side, quantity: number, price: number): void {
    const leg = this.legs[name]
    const signed = side === 'BID' ? quantity : -quantity
    const closed = leg.quantity.times(signed).lt(0) ? Decimal.min(leg.quantity.abs(), quantity) : new this.D(0)
    if (closed.gt(0)) {
      const share = closed.div(leg.quantity.abs())
      const taken = leg.value.times(share)
      this.realized = this.realized.plus(closed.times(leg.quantity.s).times(price).div(1000).minus(taken))
      leg.value = leg.value.minus(taken)
      leg.margin = leg.margin.minus(leg.margin.times(share))
      leg.quantity = leg.quantity.minus(closed.times(leg.quantity.s))
    }
    const opened = closed.negated().plus(quantity).times(Math.sign(signed))
    const value = opened.times(price).div(1000)
    leg.quantity = leg.quantity.plus(opened)
    leg.value = leg.value.plus(value)
    leg.margin = leg.margin.plus(value.abs().times('0.1'))
  }
}

const near = (found: Amount, wanted: Decimal): boolean => found.toDecimal().minus(wanted.toFixed()).abs().lt('1e-12')

describe('the ledger is that of a naive one in decimals, whatever the sign of prices', () => {
  const fill: fc.Arbitrary<NaiveFill> = fc.record({
    side: fc.constantFrom('BID' as const, 'ASK' as const), quantity: fc.integer({ min: 1, max: 40 }), price: fc.integer({ min: -50, max: 50 }), isMaker: fc.boolean(), openClose: fc.constantFrom('AUTO', 'AUTO', 'OPEN', 'CLOSE'),
  })

  test('cash, fees, turnover, realised and unrealised profit, averages and isolated margin', () => {
    fc.assert(fc.property(fc.array(fill, { minLength: 1, maxLength: 40 }), fc.integer({ min: -60, max: 60 }), (fills, tenths) => {
      const account = new Account({ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100']]), fees: RATES, profile: ONE_STEP })
      const naive = new NaiveLedger()
      for (const one of fills) {
        const { side, quantity, price, isMaker, openClose } = one
        account.post(entry, side, { price, priceScale: 1, quantity, quantityScale: 0 }, isMaker, { openClose })
        naive.post(one)
      }
      const position = account.positions.get(1)!
      const price = Amount.scaled(tenths, 1)
      const open = Object.values(naive.legs).reduce((sum, { quantity }) => sum.plus(quantity), new naive.D(0)).times(tenths).div(1000)
      // To the last digit: what was realised and what is open are what all fills paid, and the value now.
      expect(position.sums.realizedPnl.plus(openProfit(position, price)).toFixed()).toBe(open.minus(naive.paid).toFixed())
      expect([position.sums.turnover, position.fees.get(2)!].map((amount) => amount.toFixed())).toEqual([naive.turnover, naive.fees].map((amount) => amount.toFixed()))
      expect(account.cashOf(2).toFixed()).toBe(position.sums.realizedPnl.minus(position.fees.get(2)!).plus(Amount.from(100)).toFixed())
      expect(near(position.sums.realizedPnl, naive.realized)).toBe(true)
      for (const [name, leg] of position.legs) {
        const wanted = naive.legs[name]
        expect(leg.sums.quantity.toFixed()).toBe(wanted.quantity.toFixed())
        const average = averageEntryPrice(position.contract, leg.sums)
        expect([average === null, average === null || near(average, wanted.value.div(wanted.quantity).times(100))]).toEqual([wanted.quantity.isZero(), true])
        expect(near(leg.margin, wanted.margin)).toBe(true)
      }
    }), { numRuns: 500 })
  })
})

describe('a spread below 0', () => {
  const lines = [book(1, -5, -3), mark(1, -4), mark(30, 2), mark(31, -12)]
  const bought = [market(2, 'BID', 2)]

  test.each([
    ['bought at -3 and sold at -1', [book(1, -5, -3), book(10, -1, 1)], [market(2, 'BID', 2), market(11, 'ASK', 2)], '0', '4', '8', '103.992'],
    ['sold at -1 and bought back at -3', [book(1, -1, 1), book(10, -5, -3)], [market(2, 'ASK', 2), market(11, 'BID', 2)], '0', '4', '8', '103.992'],
    ['bought below 0, sold above it', [book(1, -5, -3), book(10, 2, 4)], [market(2, 'BID', 2), market(11, 'ASK', 2)], '0', '10', '10', '109.99'],
    ['a flip', [book(1, -5, -3), book(10, -1, 1)], [market(2, 'BID', 2), market(11, 'ASK', 5)], '-3', '4', '11', '103.989'],
  ] as const)('%s', (_what, days, commands, quantity, realized, turnover, cash) => {
    // The fee is a thousandth of the value without its sign.
    const { account } = playMoney(days, commands, { fees: { maker: '0', taker: '0.001' } })
    const { sums } = account.positions.get(1)!
    expect([sums.quantity, sums.realizedPnl, sums.turnover, account.cashOf(2)].map((amount) => amount.toFixed())).toEqual([quantity, realized, turnover, cash])
  })

  test('is stated with its entry and profit, and blocks margin of its value without its sign', () => {
    const { messages } = playMoney(lines, bought, { profile: marginProfile(['cross']) })
    const position = messages.flatMap((message) => (message.kind === 'positionUpdate' ? message.positions : [])).at(-1)!
    expect([position.averageEntryPrice, position.unrealizedPnl].map(String)).toEqual(['-3', '-2'])
    const wallet = messages.flatMap((message) => (message.kind === 'walletUpdate' ? message.wallets : [])).at(-1)!
    // 10 % and 5 % of a value of 8.
    expect([wallet.amountBlockedForMargin, wallet.maintenanceMargin, wallet.marginBalance].map(String)).toEqual(['0.8', '0.4', '98'])
  })

  test('needs margin of its value without its sign before it is bought', () => {
    const big = (quantity: number): string[] => refusals(playMoney(lines, [market(2, 'BID', quantity)], { profile: marginProfile(['cross']), balances: new Map([[2, '10']]) }))
    // 10 % of 25 at the mark of -4, by which they are valued from then on.
    expect([big(25), big(26)]).toEqual([[], ['o2 INSUFFICIENT_MARGIN EXCHANGE']])
  })

  test('is liquidated where its collateral is used up, below 0 too, long and short', () => {
    const profile = marginProfile(['cross'])
    // 10 bought at -3: -130 is where 100 are lost, and 5 % of 125 are more than the 5 left at -12.5.
    const long = playMoney([book(1, -5, -3), mark(1, -4), mark(20, -12), mark(21, -13)], [market(2, 'BID', 10)], { profile })
    expect(shortly(long)).toEqual(['liquidation 21 -100 -13 net', 'debt 21 1.3 net'])
    // 10 sold at -5: 100 are lost at 5.
    const short = playMoney([book(1, -5, -3), mark(1, -4), mark(20, 4), mark(21, 5)], [market(2, 'ASK', 10)], { profile })
    expect(shortly(short)).toEqual(['liquidation 21 -100 5 net', 'debt 21 0.5 net'])
  })

  test('a mark of 0 is a price', () => {
    const { messages } = playMoney([book(1, -5, -3), mark(1, 0)], bought)
    expect(messages.flatMap((message) => (message.kind === 'positionUpdate' ? message.positions.map(({ unrealizedPnl }) => String(unrealizedPnl)) : []))).toEqual(['6'])
  })
})

describe('an inverse contract has no value at 0 or below', () => {
  const inverse = { isInverse: true, contractValue: '100' }

  test.each([[-5, -3, '-3'], [-1, 0, '0']])('an execution there ends with a typed error: %s, %s', (bid, ask, found) => {
    expect(() => playMoney([book(1, bid, ask)], [market(2, 'BID', 1)], {}, inverse)).toThrow(expect.objectContaining({ code: 'PRICE_INVALID', place: { field: 'price', expected: 'a price above 0', found } }))
  })

  test.each([0, -7])('a mark of %s values nothing: the position stays, unvalued', (value) => {
    const { messages, account } = playMoney([book(1, 50, 51), mark(1, value)], [market(2, 'BID', 1)], { profile: marginProfile(['cross']), balances: new Map([[1, '100']]) }, inverse)
    const position = messages.flatMap((message) => (message.kind === 'positionUpdate' ? message.positions : [])).at(-1)!
    expect([position.longPosition, 'unrealizedPnl' in position, String(position.averageEntryPrice)]).toEqual([1, false, '51'])
    expect(contractValue(account.positions.get(1)!.contract, Amount.ONE, Amount.from(50)).toFixed()).toBe('2')
  })
})
