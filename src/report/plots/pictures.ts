import { equityPicture, type EquityColumns, type EquityPictureOptions } from './equity-picture.js'
import { linePicture, type LinePictureOptions, type LineSeries } from './line-picture.js'
import type { Picture } from './picture.js'
import { pricePicture, type PriceInput, type PricePictureOptions } from './price-picture.js'

/** The pictures by name: each a function of plain columns. */
export interface Pictures {
  /** Lines or steps over time. */
  line(series: readonly LineSeries[], options?: LinePictureOptions): Picture
  /** Trades, best prices and own fills over time. */
  price(input: PriceInput, options?: PricePictureOptions): Picture
  /** Equity over time, and the drawdown below it. */
  equity(columns: EquityColumns, options?: EquityPictureOptions): Picture
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
export const pictures: Pictures = { line: linePicture, price: pricePicture, equity: equityPicture }
