import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { NO_MONEY_DECLARED } from '../../src/exchange/accounts/world-money.js'
import type { UsdRate } from '../../src/model/usd-rate.js'
import { textFromScaled } from '../../src/model/decimal.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { NaiveEquity, type NaiveKind } from '../support/naive-equity.ts'
import { isNight } from '../support/repetitions.ts'

const runs = { numRuns: 300 }

/** Instrument 1 has marks, 2 none, 3 is inverse, 4 are coins. */
const KINDS: ReadonlyMap<number, NaiveKind> = new Map([[1, 'linear'], [2, 'linear'], [3, 'inverse'], [4, 'spot']])
const INSTRUMENTS = [...KINDS].map(([id, kind]) => madeInstrument({
  id, type: kind === 'spot' ? 'spot' : 'perpetual', isInverse: kind === 'inverse', ...(kind === 'inverse' ? { contractValue: '100', feeUnderlyingId: 1 } : {}),
}))

interface Step {
  readonly instrumentId: number
  /** A new price, or an order. */
  readonly price: number | null
  readonly side: 'BID' | 'ASK'
  readonly quantity: number
}

interface Program {
  readonly cash: number
  readonly coins: number
  readonly coinRate: string | null
  readonly steps: readonly Step[]
}

const step: fc.Arbitrary<Step> = fc.record({
  instrumentId: fc.integer({ min: 1, max: 4 }), price: fc.option(fc.integer({ min: 20, max: 300 }), { freq: 3 }), side: fc.constantFrom('BID', 'ASK'), quantity: fc.integer({ min: 1, max: 12 }),
})
const programs: fc.Arbitrary<Program> = fc.record({
  cash: fc.integer({ min: 50, max: 3000 }), coins: fc.integer({ min: 0, max: 5 }), coinRate: fc.option(fc.constantFrom('100', '60.5'), { freq: 2 }), steps: fc.array(step, { minLength: 4, maxLength: 40 }),
})

const linesOf = (timeNs: number, instrumentId: number, price: number): MarketLine[] => [
  { kind: 'snapshot', timeNs, rows: [[0, price - 1, 1000], [1, price + 1, 1000]] }, ...(instrumentId === 2 || instrumentId === 4 ? [] : [{ kind: 'mark' as const, timeNs, value: price }]),
]

/** Plays a program at the exchange beside the naive account; returns when each of them found nothing left, and what was done after it. */
function play({ cash, coins, coinRate, steps }: Program): { readonly stop: string; readonly naive: string; readonly fillsAfter: number } {
  const prices: Step[] = [1, 2, 3, 4].map((instrumentId) => ({ instrumentId, price: 100, side: 'BID', quantity: 1 }))
  const all = [...prices, ...steps].map((one, at) => ({ ...one, timeNs: 10 * (at + 1) }))
  const naive = new NaiveEquity(cash, coins, KINDS, coinRate)
  const rate = (usd: string): UsdRate => ({ usd, declaredBy: 'run' })
  let [stopNs, naiveNs, fillsAfter, instantNs, isTouched] = [Infinity, Infinity, 0, 0, false]
  /** Judges the instant before this one as a whole. */
  const begin = (timeNs: number): void => {
    if (timeNs === instantNs) return
    if (isTouched && naive.equity()?.lte(0) === true) naiveNs = Math.min(naiveNs, instantNs)
    isTouched = false
    instantNs = timeNs
  }
  const bench = new ExchangeBench({
    instruments: INSTRUMENTS.map((instrument) => ({ instrument, batches: [lineBatch(all.flatMap(({ timeNs, instrumentId, price }) => (price === null || instrumentId !== instrument.id ? [] : linesOf(timeNs, instrumentId, price))), { instrument })] })),
    accounts: [{
      accountId: 'A', exchangeCode: 'test', balances: new Map([[1, String(coins)], [2, String(cash)]]), fees: { maker: '0', taker: '0.001' }, atZero: 'stop', profile: { ...GENERIC_PROFILE, name: 'lender', borrowRates: { COIN: '0', CASH: '0' } },
    }],
    assumptions: { requestLatency: constantLatency(1) },
    underlyings: { entries: [], get: (id) => ({ id, code: id === 1 ? 'COIN' : 'CASH', name: null, type: null, fxRate: null, fxTime: null }) },
    money: { ...NO_MONEY_DECLARED, usdRates: new Map(coinRate === null ? [] : [[1, rate(coinRate)], [2, rate('1')]]) },
    observer: () => ({
      stopped: (_client, timeNs) => { stopNs = timeNs },
      filled: (_order, fill, { fee }) => {
        if (stopNs < Infinity) fillsAfter++
        begin(fill.exchangeTimeNs)
        isTouched = true
        naive.fill(fill.instrumentId, fill.side, fill.quantity, Number(textFromScaled(fill.price, 0)), fee.toFixed())
      },
    }),
    played: (what, timeNs) => {
      begin(timeNs)
      if (!what.startsWith('item')) return
      const { instrumentId, price } = all.find((one) => one.timeNs === timeNs)!
      if (price !== null) naive.price(instrumentId, price)
      isTouched = true
    },
  })
  const commands = all.filter(({ price }) => price === null).map(({ timeNs, instrumentId, side, quantity }): BenchCommand => ({
    timeNs, send: (entry) => entry.place([placeEntry(`o${timeNs}`, { instrumentId, side, totalQuantity: quantity, type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL', autoBorrow: instrumentId === 4 })]),
  }))
  bench.run(commands, 10 * (all.length + 2))
  begin(Infinity)
  return { stop: String(stopNs), naive: String(naiveNs), fillsAfter }
}

test('a strategy is stopped at the instant at which an account on paper has nothing left, and never else', () => {
  let stopped = 0
  let played = 0
  fc.assert(fc.property(programs, (program) => {
    played++
    const { stop, naive, fillsAfter } = play(program)
    expect([stop, fillsAfter]).toEqual([naive, 0])
    if (stop !== 'Infinity') stopped++
  }), runs)
  // Of the few cases of a day one is sure enough.
  expect(stopped).toBeGreaterThan(isNight ? played / 20 : 0)
})

/** Programs in one currency with prices that move little: fills alone lose what there is, most of them without equity worked out. */
const quietPrograms: fc.Arbitrary<Program> = fc.tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: 20, max: 1500 }), fc.integer({ min: 1, max: 80 })).chain(([instrumentId, cash, most]) => fc.record({
  cash: fc.constant(instrumentId === 3 ? 0 : cash), coins: fc.constant(instrumentId === 3 ? 1 + (cash % 40) : 0), coinRate: fc.constant(null),
  steps: fc.array(fc.record({
    instrumentId: fc.constant(instrumentId), price: fc.option(fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 90, max: 110 }) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 300 }) }), { freq: 1 }),
    side: fc.constantFrom('BID' as const, 'ASK' as const), quantity: fc.integer({ min: 1, max: most }),
  }), { minLength: 20, maxLength: 120 }),
}))

test('the same where many fills follow each other in one currency', () => {
  const stopped = new Set<number>()
  fc.assert(fc.property(quietPrograms, (program) => {
    const { stop, naive, fillsAfter } = play(program)
    expect([stop, fillsAfter]).toEqual([naive, 0])
    if (stop !== 'Infinity') stopped.add(program.steps[0]!.instrumentId)
  }), { numRuns: 300 })
  expect([...stopped].sort()).toEqual([1, 2, 3])
})
