import { ExponentialAverage, SimpleAverage, WeightedAverage, WilderAverage } from './averages.js'
import { BollingerBands, StandardDeviation, StandardScore } from './deviations.js'
import { MicroPrice, OrderFlowImbalance, RealisedVolatility, VolumeWeightedPrice } from './flows.js'
import { AverageDivergence, RelativeStrength } from './momentum.js'
import { AverageTrueRange, DonchianChannel } from './ranges.js'
import { Correlation, LinearSlope } from './regressions.js'

/**
 * A simple moving average.
 *
 * @example
 * ```ts
 * import {
 *   atr, bollinger, correlation, donchian, ema, macd, microPriceOfTop, orderFlowImbalance, realisedVolatility, rma,
 *   rsi, slope, sma, stdev, vwap, wma, zscore,
 * } from 'backtape/measures'
 * const ofPrices = [
 *   sma(5), ema(5), wma(5), rma(5), stdev(5), zscore(5), bollinger(5, 2), rsi(5), macd(3, 5, 2), slope(5),
 *   realisedVolatility(5),
 * ]
 * const ofBars = [atr(5), donchian(5)]
 * const ofTops = [orderFlowImbalance(5), microPriceOfTop()]
 * const [mean, both, price] = [vwap(), correlation(5), { bidPrice: 99, bidQuantity: 3, askPrice: 101, askQuantity: 1 }]
 * for (let close = 100; close < 120; close += 1) {
 *   for (const indicator of ofPrices) indicator.next(close)
 *   for (const indicator of ofBars) indicator.next({ high: close + 1, low: close - 1, close })
 *   for (const indicator of ofTops) indicator.next(price)
 *   mean.next(close, 2)
 *   both.next(close, 2 * close)
 * }
 * const all = [...ofPrices, ...ofBars, ...ofTops, mean, both]
 * if (!all.every((indicator) => indicator.isReady)) throw new Error('twenty inputs are enough for all')
 * ```
 */
export function sma(period: number): SimpleAverage {
  return new SimpleAverage(period)
}

/** An exponential moving average. */
export function ema(period: number): ExponentialAverage {
  return new ExponentialAverage(period)
}

/** A linearly weighted moving average. */
export function wma(period: number): WeightedAverage {
  return new WeightedAverage(period)
}

/** Wilder's moving average. */
export function rma(period: number): WilderAverage {
  return new WilderAverage(period)
}

/** A standard deviation. */
export function stdev(period: number): StandardDeviation {
  return new StandardDeviation(period)
}

/** A standard score. */
export function zscore(period: number): StandardScore {
  return new StandardScore(period)
}

/** Bollinger's bands. */
export function bollinger(period = 20, factor = 2): BollingerBands {
  return new BollingerBands(period, factor)
}

/** A relative strength index. */
export function rsi(period = 14): RelativeStrength {
  return new RelativeStrength(period)
}

/** A convergence and divergence of two averages. */
export function macd(fast = 12, slow = 26, signal = 9): AverageDivergence {
  return new AverageDivergence(fast, slow, signal)
}

/** An average true range of bars. */
export function atr(period = 14): AverageTrueRange {
  return new AverageTrueRange(period)
}

/** Donchian's channel of bars. */
export function donchian(period = 20): DonchianChannel {
  return new DonchianChannel(period)
}

/** A correlation of two series. */
export function correlation(period: number): Correlation {
  return new Correlation(period)
}

/** The slope of a straight line through a series. */
export function slope(period: number): LinearSlope {
  return new LinearSlope(period)
}

/** A realised volatility. */
export function realisedVolatility(period: number): RealisedVolatility {
  return new RealisedVolatility(period)
}

/** A volume weighted price of all trades, or of the last `period`. */
export function vwap(period: number | null = null): VolumeWeightedPrice {
  return new VolumeWeightedPrice(period)
}

/** An order flow imbalance of the best prices. */
export function orderFlowImbalance(period: number): OrderFlowImbalance {
  return new OrderFlowImbalance(period)
}

/** A micro-price of the best prices. */
export function microPriceOfTop(): MicroPrice {
  return new MicroPrice()
}
