export type { BarSource, BarSpan } from './measures/bars/bar-span.js'
export type { Bar } from './measures/bars/bar.js'
export type {
  ExponentialAverage, SimpleAverage, WeightedAverage, WilderAverage,
} from './measures/indicators/averages.js'
export type { BollingerBands, StandardDeviation, StandardScore } from './measures/indicators/deviations.js'
export type {
  MicroPrice, OrderFlowImbalance, RealisedVolatility, TopPrices, VolumeWeightedPrice,
} from './measures/indicators/flows.js'
export type { Indicator, IndicatorInput, SavedIndicator } from './measures/indicators/indicator.js'
export {
  atr, bollinger, correlation, donchian, ema, macd, microPriceOfTop, orderFlowImbalance, realisedVolatility, rma, rsi,
  slope, sma, stdev, vwap, wma, zscore,
} from './measures/indicators/indicators.js'
export type { AverageDivergence, RelativeStrength } from './measures/indicators/momentum.js'
export type { AverageTrueRange, DonchianChannel, RangeBar } from './measures/indicators/ranges.js'
export type { Correlation, LinearSlope } from './measures/indicators/regressions.js'
export { bookDepth } from './measures/market/book-depth.js'
export { basis, fundingPayments, type BasisOptions } from './measures/market/funding-basis.js'
export { GREEKS, greeksSurface, type OptionMark } from './measures/market/greeks-surface.js'
export { latencyProfile } from './measures/market/latency-profile.js'
export { columnMean, type ColumnMean, type MarketTable } from './measures/market/market-columns.js'
export {
  kyleLambda, orderFlow, tradeSignAutocorrelation, vpin, type KyleLambda, type VpinOptions,
} from './measures/market/order-flow.js'
export { quotedSpread, quoteMeasures, type QuotedSpread, type QuoteOptions } from './measures/market/quotes.js'
export { effectiveSpread, realisedSpread, tradeMarkOuts } from './measures/market/trade-costs.js'
export {
  sampledVolatility, twoScaleVolatility, type SampledVolatility, type TwoScaleVolatility,
} from './measures/market/volatility.js'
export { benchmarkStatistics, type BenchmarkStatistics } from './measures/benchmark-statistics.js'
export { returnDistribution, type ReturnDistribution } from './measures/return-distribution.js'
export { returnStatistics, type ReturnStatistics } from './measures/return-statistics.js'
export {
  roundTripStatistics, type ClosedRoundTrip, type RoundTripStatistics,
} from './measures/round-trip-statistics.js'
export type { BarOptions, BarSeries } from './strategy/bar-series.js'
