import { Amount } from '../../src/model/amount.js'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { FillRow } from '../../src/results/result-rows.js'
import { sampledPrices } from '../../src/sweep/best-prices.js'
import { drawnEntries } from '../../src/sweep/entry-draws.js'
import type { RandomBaseline } from '../../src/sweep/random-baseline.js'
import { roundTrips, type RoundTrip } from '../../src/sweep/round-trips.js'
import { runSplit } from '../../src/sweep/split-run.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { grownParts } from '../support/grown-parts.ts'
import { bookLines, MadeDaysFolder } from '../support/made-days-folder.ts'
import { MADE_MIDNIGHT_NS } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'

const folder = new MadeDaysFolder()
afterAll(() => { folder.remove() })
const at = (second: number): bigint => MADE_MIDNIGHT_NS + BigInt(Math.round(second * 1e9))
const sum = (values: readonly Amount[]): Amount => values.reduce((total, one) => total.plus(one), Amount.ZERO)

describe('round trips', () => {
  const fills = fc.array(fc.record({ side: fc.constantFrom('BID' as const, 'ASK' as const), qty: fc.integer({ min: 1, max: 9 }), price: fc.integer({ min: 50, max: 150 }), instrument: fc.integer({ min: 1, max: 2 }), account: fc.constantFrom('a', 'b') }), { maxLength: 30 })
    .map((rows) => rows.map(({ side, qty, price, instrument, account }, second): FillRow => ({ exchange_ts: at(second), instrument_id: instrument, account, side, qty: String(qty), price: String(price), fee: String(qty * 3), fee_underlying: 'CASH' }) as never))

  test('are what lots of one close first in, first out, with every fee once', () => {
    fc.assert(fc.property(fills, (rows) => {
      const trips = roundTrips(rows)
      for (const key of new Set(rows.map(({ instrument_id, account }) => `${instrument_id}${account}`))) {
        const lots: { readonly side: string, readonly price: number }[] = []
        const naive: string[] = []
        for (const { side, price, qty } of rows.filter(({ instrument_id, account }) => `${instrument_id}${account}` === key)) {
          for (let lot = 0; lot < Number(qty); lot++) {
            if (lots.length > 0 && lots[0]!.side !== side) naive.push(`${lots[0]!.side} ${lots.shift()!.price} ${price}`)
            else lots.push({ side, price: Number(price) })
          }
        }
        const own = trips.filter(({ instrumentId, account }) => `${instrumentId}${account}` === key)
        const wanted = [...naive, ...lots.map(({ side, price }) => `${side} ${price} open`)]
        const unit = ({ isLong, entry, exit, quantity }: RoundTrip): string[] => Array.from({ length: quantity.toNumber() }, () => `${isLong ? 'BID' : 'ASK'} ${entry.price.toFixed()} ${exit?.price.toFixed() ?? 'open'}`)
        expect(own.flatMap(unit)).toEqual(wanted)
      }
      const fees = trips.flatMap(({ entry, exit }) => [entry.fee, ...(exit === null ? [] : [exit.fee])])
      expect(sum(fees).toNumber()).toBeCloseTo(rows.reduce((total, { fee }) => total + Number(fee), 0), 9)
    }))
  })
})

describe('draws', () => {
  const leg = (second: number): RoundTrip['entry'] => ({ timeNs: at(second), side: 'BID', price: Amount.from(100), isMaker: false, fee: Amount.ZERO, feeUnderlying: 'CASH' })
  const trips: RoundTrip[] = [3, 10, 40].map((held, index) => ({ account: 'a', instrumentId: 1, isLong: index !== 1, quantity: Amount.from(index + 1), entry: leg(5), exit: leg(5 + held) }))
  const setting = { fromNs: at(0), toNs: at(100), number: 0, seed: 7 }
  const DRAWS = 20_000

  test('are the same of one seed, and others of another seed or part', () => {
    const [one, again, seed, part] = [setting, setting, { ...setting, seed: 8 }, { ...setting, number: 1 }].map((own) => [...drawnEntries(trips, 5, own).entryNs])
    expect(again).toEqual(one)
    expect([seed, part]).not.toContainEqual(one)
  })

  test('keep holding times, permute sides and quantities evenly, and begin evenly wherever they fit', () => {
    const { tripOf, entryNs, exitNs } = drawnEntries(trips, DRAWS, setting)
    const seen = new Map<string, number>()
    const means = [0, 0, 0]
    for (let draw = 0; draw < DRAWS; draw++) {
      const own = [...tripOf.subarray(draw * 3, draw * 3 + 3)]
      seen.set(own.join(''), (seen.get(own.join('')) ?? 0) + 1)
      for (const [index, held] of [3e9, 10e9, 40e9].entries()) {
        const [entry, exit] = [entryNs[draw * 3 + index]!, exitNs[draw * 3 + index]!]
        if (exit - entry !== held || entry < 0 || exit > 100e9) throw new Error(`draw ${draw}: ${entry} to ${exit}`)
        means[index] = means[index]! + entry / DRAWS
      }
    }
    // Six permutations, each within five standard deviations of a sixth; means within as many of the middle.
    expect(seen.size).toBe(6)
    for (const count of seen.values()) expect(Math.abs(count - DRAWS / 6)).toBeLessThan(5 * Math.sqrt((DRAWS * 5) / 36))
    for (const [index, length] of [97e9, 90e9, 60e9].entries()) expect(Math.abs(means[index]! - length / 2)).toBeLessThan((5 * length) / Math.sqrt(12 * DRAWS))
  })

  test('a round trip as long as the part begins with it', () => {
    const whole = { ...trips[0]!, entry: leg(0), exit: leg(100) }
    expect([...drawnEntries([whole], 3, setting).entryNs]).toEqual([0, 0, 0])
  })
})

describe('best prices', () => {
  test('are those in force at an instant, the next known ones in a gap, the last known ones at the end', async () => {
    const lines: MarketLine[] = [
      ...bookLines([100, 110, 120]), { kind: 'ERROR', timeNs: 3e9, rows: [] }, { kind: 'snapshot', timeNs: 6e9, rows: [[0, 150, 5], [1, 153, 5]], adapterTimeNs: 9e9 }, { kind: 'ERROR', timeNs: 20e9, rows: [] },
    ]
    const times = [0, 0.5, 1, 1.5, 2, 2.999, 3, 4, 5.999, 6, 7, 19, 20, 21, 30].map((second) => second * 1e9)
    const samples = await sampledPrices({ strategy: Planned, data: folder.write(new Map([[0, lines]])), from: '00:00:00', to: '00:00:40', assumptions: { staleAfter: 'off' } }, new Map([[1, Float64Array.from(times)]]))
    const bids = times.map((time) => samples.get(1)!.at(time)!.bid.toNumber())
    expect(bids).toEqual([100, 100, 110, 110, 120, 120, 150, 150, 150, 150, 150, 150, 150, 150, 150])
    expect(samples.get(1)!.at(4e9)!.ask.toNumber()).toBe(153)
    expect(samples.get(1)!.at(4.5e9)).toBeNull()
  })
})

describe('digits that grow on the way', { timeout: 180_000 }, () => {
  const prices = fc.array(fc.integer({ min: 90, max: 110 }), { minLength: 3, maxLength: 12 })

  test('make no sample another price, wherever they come', async () => {
    await fc.assert(fc.asyncProperty(prices, fc.nat(), fc.integer({ min: 1, max: 8 }), async (bids, drawn, digits) => {
      const lines = bookLines(bids)
      const { grown, whole } = grownParts(lines, 1 + (drawn % (lines.length - 1)), digits)
      const times = Float64Array.from({ length: 2 * lines.length }, (_, half) => half * 0.5e9 + 1)
      const [own, other] = await Promise.all([grown, whole].map(async (parts) => {
        const samples = await sampledPrices({ strategy: Planned, data: folder.writeParts(new Map([[0, parts]])), from: '00:00:00', to: '00:00:20', assumptions: { staleAfter: 'off' } }, new Map([[1, times]]))
        return [...times].map((time) => samples.get(1)!.at(time)).map((pair) => `${pair?.bid.toFixed()} ${pair?.ask.toFixed()}`)
      }))
      expect(own).toEqual(other)
    }), { numRuns: 25 })
  })
})

describe('a baseline', { timeout: 180_000 }, () => {
  const IOC = (second: number, side: 'BID' | 'ASK', quantity = 1): string => `${second}s ${side} ${side === 'BID' ? 9000 : 1} ${quantity} IOC`
  const run = (prices: readonly number[], plan: readonly string[], more: Partial<BacktestOptions> = {}): BacktestOptions => ({
    strategy: Planned, data: folder.write(new Map([[0, bookLines(prices)]])), from: '00:00:00', to: '00:02:00', parameters: { instrument: 'TEST1', plan: [...plan] },
    account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.002' } }, assumptions: { staleAfter: 'off' }, ...more,
  })
  const baselineOf = async (options: BacktestOptions, baseline = 200): Promise<RandomBaseline> => (await runSplit(options, { split: '99/1', baseline })).parts[0]!.baseline![0]!
  const still = Array.from({ length: 120 }, () => 100)
  const rising = Array.from({ length: 120 }, (_, second) => 100 + second)

  test('of a market that stands still loses spread and fees, in every draw the same', async () => {
    const own = await baselineOf(run(still, [IOC(5, 'BID', 3), IOC(15, 'ASK', 3), IOC(20, 'ASK', 2), IOC(60, 'BID', 2)]))
    // Five times a spread of 2, and 0.002 of 102 and of 100 on each.
    expect(own).toEqual({ underlying: 'CASH', tripCount: 2, drawCount: 200, profit: '-12.02', asGoodCount: 200, asGoodShare: 1, mean: '-12.02', low: '-12.02', median: '-12.02', high: '-12.02', feesLeftOut: [] })
  })

  test('of a market that rises by one a second gains the holding times of longs, whenever they begin', async () => {
    const free = { account: { balances: { CASH: '1000' } } }
    const own = await baselineOf(run(rising, [IOC(10, 'BID'), IOC(30, 'ASK'), IOC(40, 'BID'), IOC(70, 'ASK')], free))
    // 50 seconds held; a draw that does not begin with a second still sees whole steps of holding: 20 and 30.
    expect([own.profit, own.low, own.mean, own.high, own.asGoodShare]).toEqual(['46', '46', '46', '46', 1])
    const short = await baselineOf(run(rising, [IOC(10, 'ASK'), IOC(30, 'BID')], free))
    expect([short.profit, short.low, short.high]).toEqual(['-22', '-22', '-22'])
  })

  test('of a market that stands still is the same where a finer digit comes inside of the part', async () => {
    const data = folder.writeParts(new Map([[0, grownParts(bookLines(still), 60, 3).grown]]))
    const own = await baselineOf({ ...run(still, [IOC(5, 'BID'), IOC(15, 'ASK')]), data, account: { balances: { CASH: '1000' } } })
    // Both prices are 0.001 higher from the middle on.
    expect([own.profit, own.low, own.high]).toEqual(['-2', '-2', '-1.999'])
  })

  test('of fills at 0 and below has the fees of the account', async () => {
    class Taker extends Planned {
      override act([side = '']: string[]): void { this.instrument.placeOrder({ side: side as 'BID', quantity: this.instrument.quantity('1'), type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL' }) }
    }
    const at = (price: number): Promise<RandomBaseline> => baselineOf({ ...run(still.map(() => price), ['5s BID', '15s ASK']), strategy: Taker })
    // 0.002 of the value without its sign, at the ask and at the bid: of 0 and 2, of 3 and 1, of 2 and 0.
    for (const [bid, fees] of [[-2, '0.004'], [-3, '0.008'], [0, '0.004']] as const) {
      const profit = Amount.from(-2).minus(Amount.from(fees)).toFixed()
      expect(await at(bid)).toMatchObject({ profit, low: profit, mean: profit, high: profit, asGoodShare: 1 })
    }
  })

  test('of options pays the fee of its schedule at each price: by coins, and no more than a part of the premium', async () => {
    // Priced in its coin: 10 before a minute has passed, 1000 after it; 0.003 a coin is more than 0.0001 of 12 and less than 0.0001 of 1002.
    const prices = Array.from({ length: 120 }, (_, second) => (second < 60 ? 10 : 1000))
    const data = folder.writeParts(new Map([[0, [{ lines: bookLines(prices) }]]]), { type: 'call', strikePrice: '100', isInverse: true, feeUnderlyingId: 1 })
    const options = { ...run(prices, [IOC(5, 'BID'), IOC(15, 'ASK')]), data, account: { balances: { BASE: '100000' }, fees: { maker: '0.003', taker: '0.003', maximumOfValue: '0.0001' } } }
    const own = await baselineOf(options)
    // Both in the first minute: 0.0012 and 0.001; both in the second one: 0.003 each; over the rise: 0.0012 and 0.003.
    expect([own.profit, own.low, own.high]).toEqual(['-2.0022', '-2.006', '987.9958'])
  })

  test('of a spike is beaten by nobody but those that are as lucky', async () => {
    const spike = still.map((price, second) => (second >= 50 && second < 60 ? price + 100 : price))
    const own = await baselineOf(run(spike, [IOC(45, 'BID'), IOC(55, 'ASK')]), 2_000)
    // Held for 10 of about 118 seconds: an entry in the 10 before the spike gains as much, which are 9.2 % of all.
    expect(own.asGoodShare).toBeGreaterThan(0.06)
    expect(own.asGoodShare).toBeLessThan(0.13)
    expect(await baselineOf(run(spike, [IOC(45, 'BID'), IOC(55, 'ASK')], { seed: 2 }), 2_000)).not.toEqual(own)
  })

  test('values what is open at the end by the mid on both sides, and pays no fee for it', async () => {
    const own = await baselineOf(run(still, [IOC(5, 'BID', 3)]))
    expect([own.profit, own.low, own.high, own.tripCount]).toEqual(['-3.612', '-3.612', '-3.612', 1])
  })

  test('is none without a round trip, and none where 0 is asked for', async () => {
    const { parts } = await runSplit(run(still, []), { split: '50/50' })
    expect(parts.map(({ baseline }) => baseline)).toEqual([[], []])
  })

  test('its own profit is that of the summary, for every kind of instrument', async () => {
    for (const name of ['synthetic_swap-XRPUSDT-2026-07-01', 'synthetic_coin_swap-ETHUSD-2026-07-01', 'synthetic_spot-SOLUSDT-2025-07-01']) {
      const code = /-([A-Z]+)-/.exec(name)![1]!
      const quantity = { XRPUSDT: '100', ETHUSD: '10', SOLUSDT: '2' }[code]!
      const minute = code === 'XRPUSDT' ? '23:55' : '00:00'
      class Taker extends Planned {
        override act([side = '']: string[]): void { this.instrument.placeOrder({ side: side as 'BID', quantity: this.instrument.quantity(quantity), type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL' }) }
      }
      const options: BacktestOptions = {
        strategy: Taker, data: [`datasets/${name}.txt.zst`], from: `${minute}:00`, parameters: { instrument: code, plan: ['5s BID', '20s ASK', '25s BID', '40s ASK'] }, account: { balances: code === 'ETHUSD' ? { ETH: '10' } : { USDT: '10000' }, fees: { maker: '0', taker: '0.0005' } },
      }
      const { summary } = await runBacktest({ ...options, parameters: options.parameters as ParameterConfig, to: `${minute}:59` })
      const own = (await runSplit({ ...options, to: `${minute}:59.5` }, { split: `${minute}:59`, baseline: 50 })).parts[0]!.baseline![0]!
      const money = summary.money.find(({ underlying }) => underlying === own.underlying)!
      expect(Amount.from(own.profit).minus(Amount.from(money.profit)).abs().toNumber(), name).toBeLessThan(1e-12)
      expect(own.tripCount, name).toBeGreaterThanOrEqual(2)
    }
  })
})
