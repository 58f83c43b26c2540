import { extentOf, valueDomain, withUnit } from './axes.js'
import { bottomNumbers, leftFor, valueAxis } from './number-axis.js'
import type { Picture } from './picture.js'
import { heightOf, pictureOf, RIGHT, widthOf, type PictureOptions, type PlotMark, type PlotModule } from './sheet.js'

/** Levels of one book, each side from the best outwards; doubles, since a picture has pixels. */
export interface DepthColumns {
  /** Prices of the bid side. */
  readonly bidPrices: Float64Array
  /** Quantity of each bid level. */
  readonly bidQuantities: Float64Array
  /** Prices of the ask side. */
  readonly askPrices: Float64Array
  /** Quantity of each ask level. */
  readonly askQuantities: Float64Array
}

/** The options of the depth profile. */
export interface DepthPictureOptions extends PictureOptions {
  /** Currency of the price. */
  readonly unit?: string
  /** Unit of the quantity. */
  readonly quantityUnit?: string
}

interface SumColumns {
  readonly prices: Float64Array
  readonly sums: Float64Array
}

/** Quantity at each price or a better one; levels that have no finite price and quantity are left out. */
function sumsOf(prices: Float64Array, quantities: Float64Array, sign: 1 | -1): SumColumns {
  const rows = Array.from(prices.keys())
    .filter((row) => Number.isFinite(prices[row]) && Number.isFinite(quantities[row]))
    .sort((one, other) => sign * ((prices[one] ?? 0) - (prices[other] ?? 0)))
  let sum = 0
  return {
    prices: Float64Array.from(rows, (row) => prices[row] ?? NaN),
    sums: Float64Array.from(rows, (row) => (sum += quantities[row] ?? 0)),
  }
}

function sideMarks(plot: PlotModule, { prices, sums }: SumColumns, name: 'buy' | 'sell'): PlotMark[] {
  const data = { length: prices.length }
  return [
    plot.areaY(data, { x: prices, y1: 0, y2: sums, curve: 'step-after', className: `bt-${name}-area` }),
    plot.line(data, {
      x: prices, y: sums, curve: 'step-after', className: `bt-${name}-line`, strokeWidth: 1.5,
      strokeDasharray: name === 'sell' ? '6 3' : undefined,
    }),
  ]
}

/** The quantity of each side at a price or a better one. */
export function depthPicture(columns: DepthColumns, options: DepthPictureOptions = {}): Picture {
  const bids = sumsOf(columns.bidPrices, columns.bidQuantities, -1)
  const asks = sumsOf(columns.askPrices, columns.askQuantities, 1)
  const [prices, sums] = [extentOf([bids.prices, asks.prices]), extentOf([bids.sums, asks.sums])]
  const domainX = valueDomain(prices ?? { low: 0, high: 1 })
  const domain = valueDomain(sums ?? { low: 0, high: 1 }, { withZero: true })
  const left = leftFor([domain])
  return pictureOf({
    kind: 'depth', title: 'Depth of the book', options, isEmpty: prices === null || sums === null,
    caption: `${String(bids.prices.length)} bid levels, ${String(asks.prices.length)} ask levels; `
      + 'quantity at the price or a better one',
    legend: [
      { label: 'bids', shape: 'line', className: 'buy-line' },
      { label: 'asks', shape: 'dashes', className: 'sell-line' },
    ],
    panels: [{
      height: heightOf(options, 300),
      options: (plot) => ({
        marginLeft: left, x: { type: 'linear', domain: domainX }, y: { domain },
        marks: [
          ...bottomNumbers(plot, withUnit('price', options.unit), domainX, widthOf(options) - left - RIGHT),
          ...valueAxis(plot, withUnit('quantity', options.quantityUnit), { domain, left }),
          ...sideMarks(plot, bids, 'buy'), ...sideMarks(plot, asks, 'sell'),
        ],
      }),
    }],
  })
}
