import { describe, expect, test } from 'vitest'
import type { FeeSchedule } from '../../src/exchange/accounts/fees.js'
import { Amount } from '../../src/model/amount.js'
import type { Instrument } from '../../src/model/instrument.js'
import type { DataInstrument } from '../../src/strategy/data-instrument.js'
import { PriceSamples } from '../../src/sweep/best-prices.js'
import type { RoundTrip, TripLeg } from '../../src/sweep/round-trips.js'
import { TripPricing } from '../../src/sweep/trip-pricing.js'
import { madeInstrument } from '../support/market-lines.ts'

interface Case {
  readonly fees: FeeSchedule
  readonly leg: Partial<Pick<TripLeg, 'side' | 'isMaker' | 'feeUnderlying'>> & { readonly price: number, readonly fee: string }
  readonly master?: Partial<Instrument>
  readonly settlement?: string
  /** Bid and ask of the draw. */
  readonly at: number
}

/** Three of an instrument, bought for the price and fee of the leg and still open, drawn where bid and ask are one. */
function pricingOf({ fees, leg, master = {}, settlement = 'CASH', at }: Case): TripPricing {
  const samples = new PriceSamples(madeInstrument(master), Float64Array.of(0, 1))
  samples.take({ view: { state: 'READY', bestBidPrice: at, bestAskPrice: at, book: { priceScale: 0 } } } as unknown as DataInstrument)
  samples.finish()
  const { price, fee, side = 'BID', isMaker = false, feeUnderlying = 'CASH' } = leg
  const entry: TripLeg = { timeNs: 0n, side, price: Amount.from(price), isMaker, fee: Amount.from(fee), feeUnderlying }
  const trip: RoundTrip = { account: 'a', instrumentId: 1, isLong: side === 'BID', quantity: Amount.from(3), entry, exit: null }
  const options = { accounts: { a: { fees } } } as unknown as ConstructorParameters<typeof TripPricing>[3]
  return new TripPricing([trip], new Map([[1, samples]]), { fromNs: 0n, toNs: 1n, number: 0, seed: 1 }, options, new Map([[1, settlement]]))
}

/** The fee of the leg at the price of the draw: nothing else is lost there. */
function drawnFee(own: Case): string | undefined {
  const draws = { tripOf: Uint32Array.of(0), entryNs: Float64Array.of(0), exitNs: Float64Array.of(1) }
  return pricingOf(own).drawn(draws, 0)?.get(own.settlement ?? 'CASH')?.negated().toFixed()
}

const fees: FeeSchedule = { maker: '0.01', taker: '0.05' }
const option: Partial<Instrument> = { type: 'call', strikePrice: '100', expiry: '2030-01-01T00:00:00Z' }
const inverse: Partial<Instrument> = { isInverse: true, contractValue: '100' }

describe('the fee of a drawn entry', () => {
  // The fill of 3 at 100 paid 0.6: the 500th part of its value, which no schedule here states.
  test.each<readonly [name: string, own: Case, fee: string]>([
    ['by value: the rate that the fill paid', { fees, leg: { price: 100, fee: '0.6' }, at: 200 }, '1.2'],
    ['by value, at the same price: the fee that the fill paid', { fees, leg: { price: 100, fee: '0.6' }, at: 100 }, '0.6'],
    ['by value, a rebate', { fees, leg: { price: 100, fee: '-0.6' }, at: 200 }, '-1.2'],
    ['by value, of a fill below 0: of its value without a sign', { fees, leg: { price: -100, fee: '0.6' }, at: 200 }, '1.2'],
    ['by value, drawn below 0: of its value without a sign', { fees, leg: { price: 100, fee: '0.6' }, at: -200 }, '1.2'],
    ['by value, of a fill that paid nothing: nothing', { fees, leg: { price: 100, fee: '0' }, at: 200 }, '0'],
    ['by value, of a fill at 0: the rate of the schedule, of a taker', { fees, leg: { price: 0, fee: '0' }, at: 200 }, '30'],
    ['by value, of a fill at 0: the rate of the schedule, of a maker', { fees, leg: { price: 0, fee: '0', isMaker: true }, at: 200 }, '6'],
    ['by value, of a fill at 0: the rate of the schedule, of its side', { fees: { maker: '0', taker: { buy: '0.01', sell: '0.02' } }, leg: { price: 0, fee: '0', side: 'ASK' }, at: 200 }, '12'],
    ['by quantity: the fee that the fill paid', { fees: { ...fees, by: 'quantity' }, leg: { price: 100, fee: '0.6' }, at: 200 }, '0.6'],
    ['by fill: the fee that the fill paid', { fees: { ...fees, by: 'fill' }, leg: { price: 100, fee: '0.6' }, at: 200 }, '0.6'],
    ['of an option by value: the schedule', { fees, leg: { price: 100, fee: '0.6' }, master: option, at: 200 }, '30'],
    ['of an option by quantity: the schedule', { fees: { ...fees, by: 'quantity' }, leg: { price: 100, fee: '0.6' }, master: option, at: 200 }, '0.15'],
    ['of an option by quantity, at most a part of its premium', { fees: { ...fees, by: 'quantity', maximumOfValue: '0.0001' }, leg: { price: 100, fee: '0.6' }, master: option, at: 200 }, '0.06'],
    ['of an option by fill: the fee that the fill paid', { fees: { ...fees, by: 'fill' }, leg: { price: 100, fee: '0.6' }, master: option, at: 200 }, '0.6'],
    ['paid in the base: by the price of the fill', { fees, leg: { price: 100, fee: '0.006', feeUnderlying: 'BASE' }, master: { feeUnderlyingId: 1 }, at: 200 }, '1.2'],
    ['of an inverse contract: of the coins at the drawn price', { fees, leg: { price: 100, fee: '0.6', feeUnderlying: 'BASE' }, master: inverse, settlement: 'BASE', at: 200 }, '0.3'],
    ['of an inverse contract, paid in cash: by the price of the fill', { fees, leg: { price: 100, fee: '60' }, master: inverse, settlement: 'BASE', at: 200 }, '0.3'],
    ['in an underlying that nothing values: left out', { fees, leg: { price: 100, fee: '0.6', feeUnderlying: 'OTHER' }, master: { feeUnderlyingId: 9 }, at: 200 }, '0'],
  ])('%s', (_name, own, fee) => {
    expect(drawnFee(own)).toBe(fee)
  })

  test.each<readonly [feeUnderlying: string, master: Partial<Instrument>, leftOut: string[]]>([
    ['OTHER', { feeUnderlyingId: 9 }, ['OTHER']], ['BASE', { feeUnderlyingId: 1 }, []], ['CASH', {}, []], ['BASE', { ...option, feeUnderlyingId: 1 }, ['BASE']],
  ])('in %s of %j: left out are %j', (feeUnderlying, master, leftOut) => {
    expect([...pricingOf({ fees, leg: { price: 100, fee: '0.6', feeUnderlying }, master, at: 200 }).feesLeftOut]).toEqual(leftOut)
  })
})

describe('the own profit', () => {
  test.each<readonly [side: 'BID' | 'ASK', profit: string]>([['BID', '299.4'], ['ASK', '-300.6']])('of an open %s is that to the mid of the end, less the fee that it paid', (side, profit) => {
    expect(pricingOf({ fees, leg: { price: 100, fee: '0.6', side }, at: 200 }).own()?.get('CASH')?.toFixed()).toBe(profit)
  })
})
