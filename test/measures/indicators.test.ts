import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Indicator } from '../../src/measures/indicators/indicator.js'
import * as indicators from '../../src/measures/indicators/indicators.js'
import { Price } from '../../src/model/fixed-decimal.js'

const { atr, bollinger, correlation, donchian, ema, macd, microPriceOfTop, orderFlowImbalance, realisedVolatility, rma, rsi, slope, sma, stdev, vwap, wma, zscore } = indicators

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)))
const last = (values: readonly number[], period: number): readonly number[] | null => (values.length < period ? null : values.slice(-period))
/** After the mean of the first `period` values a part of the way to each. */
function smoothed(values: readonly number[], period: number, part: number): number {
  if (values.length < period) return NaN
  return values.slice(period).reduce((average, value) => average * (1 - part) + value * part, mean(values.slice(0, period)))
}
const changes = (values: readonly number[]): number[] => values.slice(1).map((value, at) => value - values[at]!)
const windowed = (values: readonly number[], period: number, of: (window: readonly number[]) => number): number => {
  const window = last(values, period)
  return window === null ? NaN : of(window)
}
interface Bar { readonly high: number; readonly low: number; readonly close: number }
interface Top { readonly bidPrice: number; readonly bidQuantity: number; readonly askPrice: number; readonly askQuantity: number }

/** The definitions, worked out anew from all inputs. */
const SERIES: readonly [name: string, made: (period: number) => Indicator & { next(value: number): number }, naive: (values: readonly number[], period: number) => number][] = [
  ['sma', sma, (values, period) => windowed(values, period, mean)], ['ema', ema, (values, period) => smoothed(values, period, 2 / (period + 1))], ['rma', rma, (values, period) => smoothed(values, period, 1 / period)],
  ['wma', wma, (values, period) => windowed(values, period, (window) => window.reduce((sum, value, at) => sum + value * (at + 1), 0) / ((period * (period + 1)) / 2))],
  ['stdev', stdev, (values, period) => windowed(values, period, deviation)],
  ['zscore', (period) => zscore(period + 1), (values, period) => windowed(values, period + 1, (window) => (Math.min(...window) === Math.max(...window) ? 0 : (window.at(-1)! - mean(window)) / deviation(window)))],
  ['bollinger', (period) => bollinger(period, 2), (values, period) => windowed(values, period, mean)],
  ['rsi', rsi, (values, period) => {
    const [rise, fall] = [Math.max, Math.min].map((side) => smoothed(changes(values).map((change) => Math.abs(side(0, change))), period, 1 / period))
    return rise! + fall! === 0 ? 0 : (100 * rise!) / (rise! + fall!)
  }],
  ['slope', (period) => slope(period + 1), (values, period) => windowed(values, period + 1, (window) => {
    const xs = window.map((_, at) => at)
    return window.reduce((sum, y, at) => sum + (at - mean(xs)) * (y - mean(window)), 0) / xs.reduce((sum, x) => sum + (x - mean(xs)) ** 2, 0)
  })],
  ['realisedVolatility', realisedVolatility, (values, period) => windowed(values.slice(1).map((value, at) => Math.log(value / values[at]!)), period, (window) => Math.sqrt(window.reduce((sum, value) => sum + value * value, 0)))],
  ['macd', (period) => macd(period, 2 * period, 3), (values, period) => {
    const line = values.map((_, at) => smoothed(values.slice(period, at + 1), period, 2 / (period + 1)) - smoothed(values.slice(0, at + 1), 2 * period, 2 / (2 * period + 1))).filter((value) => !Number.isNaN(value))
    return line.length < 3 ? NaN : line.at(-1)!
  }],
]

const prices = fc.array(fc.integer({ min: 1, max: 400 }).map((ticks) => ticks / 4), { minLength: 1, maxLength: 60 })
const periods = fc.integer({ min: 1, max: 9 })
const near = (found: number, wanted: number): void => {
  if (Number.isNaN(wanted)) expect(found).toBeNaN()
  else expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(wanted)))
}

describe('indicators of one series', () => {
  test.each(SERIES)('%s is its definition after every value', (_name, made, naive) => {
    fc.assert(fc.property(prices, periods, (values, period) => {
      const indicator = made(period)
      expect(indicator.isReady).toBe(false)
      expect(indicator.value).toBeNaN()
      values.forEach((value, at) => {
        const wanted = naive(values.slice(0, at + 1), period)
        near(indicator.next(value), wanted)
        near(indicator.value, wanted)
        expect(indicator.isReady).toBe(!Number.isNaN(wanted))
      })
    }))
  })

  test.each(SERIES)('%s goes on from what it saved as if it had never stopped', (_name, made) => {
    fc.assert(fc.property(prices, prices, periods, (before, after, period) => {
      const [whole, first, second] = [made(period), made(period), made(period)]
      for (const value of before) {
        whole.next(value)
        first.next(value)
      }
      second.restore(JSON.parse(JSON.stringify(first.save())) as ReturnType<typeof first.save>)
      expect(second.save()).toEqual(first.save())
      for (const value of after) expect(second.next(value)).toBe(whole.next(value))
    }))
  })

  test('equal values vary by nothing, whatever their sum rounds to', () => {
    for (const indicator of [stdev(3), zscore(3)]) for (let count = 0; count < 5; count += 1) indicator.next(0.1)
    const [deviated, scored, banded] = [stdev(3), zscore(3), bollinger(3, 2)]
    for (let count = 0; count < 3; count += 1) for (const one of [deviated, scored, banded]) one.next(0.1)
    expect([deviated.value, scored.value, banded.upper - banded.lower]).toEqual([0, 0, 0])
    const flat = correlation(3)
    for (let count = 0; count < 3; count += 1) flat.next(0.1, count)
    expect(flat.value).toBe(0)
  })

  test('an exact value counts as the nearest double', () => {
    const [exact, plain] = [sma(2), sma(2)]
    for (const text of ['0.1', '64000.55']) expect(exact.next(Price.from(text))).toEqual(plain.next(Number(text)))
  })
})

describe('indicators of several series', () => {
  const bars = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat(40), fc.nat(40), fc.nat(100)).map(([low, more, rest, part]): Bar => ({ low: low / 4, high: (low + more + rest) / 4, close: (low + ((more + rest) * part) / 100) / 4 })), { minLength: 1, maxLength: 50 })

  test('atr is the average of ranges, widened to the close before', () => {
    fc.assert(fc.property(bars, periods, (series, period) => {
      const indicator = atr(period)
      series.forEach((bar, at) => {
        const ranges = series.slice(1, at + 1).map(({ high, low }, before) => Math.max(high - low, Math.abs(high - series[before]!.close), Math.abs(low - series[before]!.close)))
        near(indicator.next(bar), smoothed(ranges, period, 1 / period))
      })
    }))
  })

  test('donchian is the highest, the lowest and the middle', () => {
    fc.assert(fc.property(bars, periods, (series, period) => {
      const indicator = donchian(period)
      series.forEach((bar, at) => {
        indicator.next(bar)
        const window = series.slice(Math.max(0, at + 1 - period), at + 1)
        const [high, low] = window.length < period ? [NaN, NaN] : [Math.max(...window.map((one) => one.high)), Math.min(...window.map((one) => one.low))]
        expect([indicator.upper, indicator.lower, indicator.value]).toEqual([high, low, (high + low) / 2])
      })
    }))
  })

  test('correlation is that of Pearson', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })), { maxLength: 40 }), fc.integer({ min: 2, max: 9 }), (pairs, period) => {
      const indicator = correlation(period)
      pairs.forEach(([x, y], at) => {
        const window = pairs.slice(Math.max(0, at + 1 - period), at + 1)
        const [xs, ys] = [window.map(([one]) => one), window.map(([, one]) => one)]
        const flat = deviation(xs) === 0 || deviation(ys) === 0
        const wanted = window.length < period ? NaN : flat ? 0 : mean(window.map(([a, b]) => (a - mean(xs)) * (b - mean(ys)))) / deviation(xs) / deviation(ys)
        near(indicator.next(x, y), wanted)
      })
    }))
  })

  test('vwap is value by quantity, of all or of the last', () => {
    fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat(9)), { maxLength: 40 }), fc.option(periods), (trades, period) => {
      const indicator = vwap(period)
      trades.forEach(([price, quantity], at) => {
        const window = trades.slice(period === null ? 0 : Math.max(0, at + 1 - period), at + 1)
        const size = window.reduce((sum, [, one]) => sum + one, 0)
        near(indicator.next(price, quantity), window.length < (period ?? 1) || size === 0 ? NaN : window.reduce((sum, [one, other]) => sum + one * other, 0) / size)
      })
    }))
  })

  const top = fc.tuple(fc.integer({ min: 95, max: 99 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 100, max: 104 }), fc.integer({ min: 1, max: 9 })).map(([bidPrice, bidQuantity, askPrice, askQuantity]): Top => ({ bidPrice, bidQuantity, askPrice, askQuantity }))

  test('order flow imbalance is the sum of e_n of the paper', () => {
    fc.assert(fc.property(fc.array(top, { maxLength: 40 }), periods, (tops, period) => {
      const indicator = orderFlowImbalance(period)
      tops.forEach((one, at) => {
        const flows = tops.slice(1, at + 1).map((now, index) => {
          const before = tops[index]!
          return (now.bidPrice >= before.bidPrice ? now.bidQuantity : 0) - (now.bidPrice <= before.bidPrice ? before.bidQuantity : 0) - (now.askPrice <= before.askPrice ? now.askQuantity : 0) + (now.askPrice >= before.askPrice ? before.askQuantity : 0)
        })
        near(indicator.next(one), windowed(flows, period, (window) => window.reduce((sum, value) => sum + value, 0)))
      })
    }))
  })

  test.each<[top: Top, price: number]>([
    [{ bidPrice: 99, bidQuantity: 1, askPrice: 101, askQuantity: 1 }, 100], [{ bidPrice: 99, bidQuantity: 3, askPrice: 101, askQuantity: 1 }, 100.5], [{ bidPrice: 99, bidQuantity: 0, askPrice: 101, askQuantity: 5 }, 99], [{ bidPrice: 99, bidQuantity: 0, askPrice: 101, askQuantity: 0 }, NaN],
  ])('micro-price of %j is %d', (given, price) => { expect(microPriceOfTop().next(given)).toEqual(price) })

  test('each goes on from what it saved', () => {
    fc.assert(fc.property(bars, fc.array(top, { maxLength: 30 }), periods, fc.nat(30), (series, tops, period, cut) => {
      const made = [atr(period), donchian(period), vwap(), vwap(period), correlation(period + 1), orderFlowImbalance(period), microPriceOfTop()] as const
      const others = [atr(period), donchian(period), vwap(), vwap(period), correlation(period + 1), orderFlowImbalance(period), microPriceOfTop()] as const
      const feed = ([ranges, channel, all, some, pairs, flow, micro]: typeof made, from: number, to: number): number[] => [
        ...series.slice(from, to).flatMap((bar) => [ranges.next(bar), channel.next(bar), all.next(bar.close, 1), some.next(bar.close, bar.high), pairs.next(bar.high, bar.low)]), ...tops.slice(from, to).flatMap((one) => [flow.next(one), micro.next(one)]),
      ]
      feed(made, 0, cut)
      made.forEach((one, at) => { others[at]!.restore(JSON.parse(JSON.stringify(one.save())) as ReturnType<typeof one.save>) })
      expect(feed(others, cut, 100)).toEqual(feed(made, cut, 100))
    }))
  })
})

describe('refusals', () => {
  test.each<[made: () => unknown, sentence: string]>([
    [() => ema(0), 'Cannot make ema: period must be a whole number from 1 to 100000, found 0'], [() => sma(2.5), 'Cannot make sma: period must be a whole number from 1 to 100000, found 2.5'], [() => rma(NaN), 'Cannot make rma: period must be a whole number from 1 to 100000, found NaN'],
    [() => wma(100_001), 'Cannot make wma: period must be a whole number from 1 to 100000, found 100001'], [() => stdev('5' as never), 'Cannot make stdev: period must be a whole number from 1 to 100000, found "5"'], [() => zscore(1), 'Cannot make zscore: period must be a whole number from 2 to 100000, found 1'],
    [() => bollinger(20, 0), 'Cannot make bollinger: factor must be a number above 0, found 0'], [() => bollinger(20, NaN), 'Cannot make bollinger: factor must be a number above 0, found NaN'], [() => rsi(-1), 'Cannot make rsi: period must be a whole number from 1 to 100000, found -1'],
    [() => macd(26, 12), 'Cannot make macd: slow must be above fast (26), found 12'], [() => macd(0), 'Cannot make macd: fast must be a whole number from 1 to 100000, found 0'], [() => macd(12, 26, 0), 'Cannot make macd: signal must be a whole number from 1 to 100000, found 0'],
    [() => atr(Infinity), 'Cannot make atr: period must be a whole number from 1 to 100000, found Infinity'], [() => donchian(0), 'Cannot make donchian: period must be'], [() => correlation(1), 'Cannot make correlation: period must be a whole number from 2 to 100000, found 1'], [() => slope(1), 'Cannot make slope: period must be a whole number from 2'],
    [() => realisedVolatility(0), 'Cannot make realisedVolatility: period must be'], [() => vwap(0), 'Cannot make vwap: period must be'], [() => orderFlowImbalance(0), 'Cannot make orderFlowImbalance: period must be'],
    [() => ema(2).next(NaN), 'Cannot feed ema(2): value must be a finite number, found NaN'], [() => ema(2).next(undefined as never), 'Cannot feed ema(2): value must be a finite number, found nothing'], [() => ema(2).next(null as never), 'Cannot feed ema(2): value must be a finite number, found null'],
    [() => sma(2).next(Infinity), 'Cannot feed sma(2): value must be a finite number, found Infinity'], [() => atr(2).next({ high: 1, low: NaN, close: 1 }), 'Cannot feed atr(2): low must be a finite number, found NaN'], [() => correlation(2).next(1, NaN), 'Cannot feed correlation(2): right must be a finite number, found NaN'],
    [() => vwap().next(1, NaN), 'Cannot feed vwap(): quantity must be a finite number, found NaN'], [() => realisedVolatility(2).next(0), 'Cannot feed realisedVolatility(2): price must be above 0, found 0'], [() => microPriceOfTop().next({ bidPrice: 1, bidQuantity: 1, askPrice: 2, askQuantity: NaN }), 'Cannot feed microPriceOfTop(): askQuantity must be a finite number, found NaN'],
    [() => { ema(3).restore(ema(4).save()) }, 'Cannot restore ema(3): label must be the state of the same indicator, found "ema(4)"'], [() => { ema(3).restore({}) }, 'Cannot restore ema(3): label must be'], [() => { vwap(3).restore(vwap().save()) }, 'Cannot restore vwap(3): label must be'],
    [() => { sma(2).restore({ ...sma(2).save(), mean: 'x' }) }, 'Cannot restore sma(2): mean must be the state of the same indicator, found "x"'],
  ])('%s', (made, sentence) => { expect(made).toThrow(sentence) })

  test('a refused input changes nothing', () => {
    const one = correlation(2)
    one.next(1, 2)
    const before = one.save()
    expect(() => one.next(5, NaN)).toThrow()
    expect(one.save()).toEqual(before)
  })
})
