import { bookPicture, type BookInput, type BookPictureOptions } from './book-picture.js'
import { coveragePicture, type CoverageColumns } from './coverage-picture.js'
import {
  latencyPicture, markOutPicture, smilePicture, type LatencySeries, type MarkOutPictureOptions, type MarkOutSeries,
  type SmilePictureOptions, type SmileSeries,
} from './curve-pictures.js'
import { depthPicture, type DepthColumns, type DepthPictureOptions } from './depth-picture.js'
import { equityPicture, type EquityColumns, type EquityPictureOptions } from './equity-picture.js'
import { histogramPicture, type HistogramOptions } from './histogram-picture.js'
import { linePicture, type LinePictureOptions, type LineSeries } from './line-picture.js'
import { pairsPicture, type PairsInput, type PairsPictureOptions } from './pairs-picture.js'
import type { Picture } from './picture.js'
import { pricePicture, type PriceInput, type PricePictureOptions } from './price-picture.js'
import type { PictureOptions } from './sheet.js'
import { spreadPicture, type SpreadColumns, type SpreadPictureOptions } from './spread-picture.js'

/** The pictures by name: each a function of plain columns. */
export interface Pictures {
  /** Lines or steps over time. Points beyond four a pixel column are left out, no extreme is. */
  line(series: readonly LineSeries[], options?: LinePictureOptions): Picture
  /** Trades, best prices and own fills over time. */
  price(input: PriceInput, options?: PricePictureOptions): Picture
  /** The book over time as a heat map, with own resting orders and fills. */
  book(input: BookInput, options?: BookPictureOptions): Picture
  /** Quantity of each side of one book at a price or a better one. */
  depth(columns: DepthColumns, options?: DepthPictureOptions): Picture
  /** Spread over time, and the depth of both sides below it. */
  spread(columns: SpreadColumns, options?: SpreadPictureOptions): Picture
  /** Equity over time, and the drawdown below it. */
  equity(columns: EquityColumns, options?: EquityPictureOptions): Picture
  /** Mean mark-outs by the time after the fill. */
  markOuts(series: readonly MarkOutSeries[], options?: MarkOutPictureOptions): Picture
  /** The part of messages with at most a latency. */
  latency(series: readonly LatencySeries[], options?: PictureOptions): Picture
  /** A calendar of the days that are there, instrument by instrument. */
  coverage(columns: CoverageColumns, options?: PictureOptions): Picture
  /** Implied volatility of options by strike. */
  smile(series: readonly SmileSeries[], options?: SmilePictureOptions): Picture
  /** A coloured value for each pair of two lists, such as two parameters. */
  pairs(input: PairsInput, options?: PairsPictureOptions): Picture
  /** Numbers of values by bars of equal width. */
  histogram(values: Float64Array, options?: HistogramOptions): Picture
}

/**
 * The pictures by name: each a function of plain columns that gives a {@link Picture}. Times are UTC milliseconds and
 * values doubles, since a picture has pixels; exact numbers stand in the tables. A value that is no finite number is a
 * gap, and where nothing is to be drawn the picture says `no data`. Texts of any origin are shown as text.
 *
 * @example
 * ```ts
 * import { pictures } from 'backtape'
 * const epochMs = Float64Array.of(0, 60_000, 120_000)
 * const picture = pictures.equity({ epochMs, equity: Float64Array.of(1_000, 1_004, 1_001) }, { unit: 'USDT' })
 * if (!picture.svg.startsWith('<svg')) throw new Error('no picture')
 * ```
 */
export const pictures: Pictures = {
  line: linePicture, price: pricePicture, book: bookPicture, depth: depthPicture, spread: spreadPicture,
  equity: equityPicture, markOuts: markOutPicture, latency: latencyPicture, coverage: coveragePicture,
  smile: smilePicture, pairs: pairsPicture, histogram: histogramPicture,
}
