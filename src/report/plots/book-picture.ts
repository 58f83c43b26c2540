import {
  countText, extentOf, timeAxis, timeDomain, timeScale, withUnit, type Extent,
} from './axes.js'
import { bookCells, type BookSamples, type CellGrid } from './book-cells.js'
import { heatLegend, levelClass, levelOf, ratioScale, type HeatScale } from './heat-scale.js'
import { leftFor, valueAxis } from './number-axis.js'
import { HEAT_LEVELS } from './picture-theme.js'
import type { Picture } from './picture.js'
import type { FillColumns } from './price-picture.js'
import { shapesMark, type ShapePoint } from './shapes-mark.js'
import { heightOf, pictureOf, RIGHT, widthOf, type LegendEntry, type PictureOptions, type PlotMark } from './sheet.js'
import { pixelText } from './svg-text.js'

/** Own orders while they rested. */
export interface RestingColumns {
  /** UTC milliseconds at which each came to rest. */
  readonly fromMs: Float64Array
  /** UTC milliseconds of its end. */
  readonly toMs: Float64Array
  /** Limit price of each. */
  readonly prices: Float64Array
  /** 0 for BID, 1 for ASK. */
  readonly sides: Uint8Array
}

/** The columns of the heat map of a book. */
export interface BookInput {
  /** The books over time. */
  readonly book: BookSamples
  /** Own resting orders. */
  readonly orders?: RestingColumns
  /** Own fills. */
  readonly fills?: FillColumns
}

/** The options of the heat map of a book. */
export interface BookPictureOptions extends PictureOptions {
  /** Currency of the price. */
  readonly unit?: string
  /** Unit of the quantity. */
  readonly quantityUnit?: string
  /** UTC milliseconds up to which the last book holds; default its own time. */
  readonly toMs?: number
  /** Lowest price; default: the middle 98 of 100 levels are in the picture, and all own orders and fills. */
  readonly lowPrice?: number
  /** Highest price, as `lowPrice`. */
  readonly highPrice?: number
  /** The tick size, so that no cell is lower than a tick. */
  readonly tickSize?: number
}

const CELL_PIXELS = 3
const NO_FILLS: FillColumns = { epochMs: new Float64Array(0), prices: new Float64Array(0), sides: new Uint8Array(0) }

function priceRange({ book, orders, fills = NO_FILLS }: BookInput, options: BookPictureOptions): Extent | null {
  const sorted = book.prices.filter(Number.isFinite).sort()
  const middle = [sorted[Math.floor(sorted.length * 0.01)] ?? NaN, sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN]
  const found = extentOf([middle, orders?.prices ?? [], fills.prices])
  if (found === null) return null
  const tick = options.tickSize !== undefined && options.tickSize > 0 ? options.tickSize : 0
  const room = tick > 0 ? tick / 2 : (found.high - found.low) * 0.01 || Math.abs(found.high) * 0.001 || 1
  const [low, high] = [options.lowPrice ?? found.low - room, options.highPrice ?? found.high + room]
  return high > low ? { low, high } : { low: low - room, high: low + room }
}

function gridOf(
  range: Extent, [fromMs, toMs]: readonly [number, number], left: number, options: BookPictureOptions,
): CellGrid {
  const pixels = heightOf(options, 400) - 66
  const { tickSize = 0 } = options
  const pixelRows = Math.max(1, Math.floor(pixels / CELL_PIXELS))
  const tickRows = tickSize > 0 ? Math.max(1, Math.round((range.high - range.low) / tickSize)) : pixelRows
  return {
    fromMs, toMs, columnCount: Math.max(1, Math.floor((widthOf(options) - left - RIGHT) / CELL_PIXELS)),
    lowPrice: range.low, highPrice: range.high, rowCount: Math.min(pixelRows, tickRows),
  }
}

/** The cells of one level as one path; neighbours in a row are one rectangle. */
function levelMark(level: number, levels: Int8Array, grid: CellGrid, scale: HeatScale): PlotMark {
  return shapesMark(levelClass(level, scale), (x, y) => {
    const parts: string[] = []
    const widthMs = (grid.toMs - grid.fromMs) / grid.columnCount
    const step = (grid.highPrice - grid.lowPrice) / grid.rowCount
    for (let row = 0; row < grid.rowCount; row++) {
      const [top, bottom] = [y(grid.lowPrice + (row + 1) * step), y(grid.lowPrice + row * step)]
      for (let column = 0; column < grid.columnCount; column++) {
        if (levels[column * grid.rowCount + row] !== level) continue
        const from = column
        while (column + 1 < grid.columnCount && levels[(column + 1) * grid.rowCount + row] === level) column += 1
        const [left, right] = [x(grid.fromMs + from * widthMs), x(grid.fromMs + (column + 1) * widthMs)]
        parts.push(`M${pixelText(left)},${pixelText(bottom)}H${pixelText(right)}V${pixelText(top)}H${pixelText(left)}Z`)
      }
    }
    return parts.join('')
  })
}

function cellMarks(cells: Float64Array, grid: CellGrid, scale: HeatScale): PlotMark[] {
  const levels = Int8Array.from(cells, (value) => value > 0 ? levelOf(value, scale) : -1)
  return Array.from({ length: HEAT_LEVELS }, (_, level) => levelMark(level, levels, grid, scale))
}

function orderMark(orders: RestingColumns, side: number, grid: CellGrid): PlotMark {
  return shapesMark(side === 0 ? 'own-bid' : 'own-ask', (x, y) => Array.from(orders.prices.keys()).map((row) => {
    const price = orders.prices[row] ?? NaN
    const [from, to] = [Math.max(orders.fromMs[row] ?? NaN, grid.fromMs), Math.min(orders.toMs[row] ?? NaN, grid.toMs)]
    if (orders.sides[row] !== side || !(to >= from) || !(price >= grid.lowPrice && price <= grid.highPrice)) return ''
    return `M${pixelText(x(from))},${pixelText(y(price))}H${pixelText(Math.max(x(to), x(from) + 1))}`
  }).join(''))
}

function fillMark(fills: FillColumns, side: number, grid: CellGrid): PlotMark {
  const points: ShapePoint[] = Array.from(fills.prices.keys())
    .filter((row) => fills.sides[row] === side)
    .map((row) => ({ x: fills.epochMs[row] ?? NaN, y: fills.prices[row] ?? NaN }))
    .filter(({ x, y }) => x >= grid.fromMs && x <= grid.toMs && y >= grid.lowPrice && y <= grid.highPrice)
  return shapesMark(side === 0 ? 'buy' : 'sell', points, side === 0 ? 'up' : 'down')
}

function legendOf(input: BookInput, scale: HeatScale, unit: string | undefined): LegendEntry[] {
  return [
    ...heatLegend(scale, unit),
    ...(input.orders === undefined ? [] : [
      { label: 'own bids', shape: 'line', className: 'own-bid' } as const,
      { label: 'own asks', shape: 'dashes', className: 'own-ask' } as const,
    ]),
    ...(input.fills === undefined ? [] : [
      { label: 'own buys', shape: 'up', className: 'buy' } as const,
      { label: 'own sells', shape: 'down', className: 'sell' } as const,
    ]),
  ]
}

/** The book over time: quantity by time and price, own resting orders as lines, own fills as triangles. */
export function bookPicture(input: BookInput, options: BookPictureOptions = {}): Picture {
  const { book, orders, fills } = input
  const times = extentOf([book.epochMs])
  const domain = timeDomain({ low: times?.low ?? 0, high: Math.max(times?.high ?? 0, options.toMs ?? -Infinity) })
  const range = priceRange(input, options)
  const left = leftFor([[range?.low ?? 0, range?.high ?? 1]])
  const grid = gridOf(range ?? { low: 0, high: 1 }, domain, left, options)
  const cells = range === null ? new Float64Array(0) : bookCells(book, grid)
  const scale = ratioScale(cells)
  const isOutside = (price: number): boolean => price < grid.lowPrice || price > grid.highPrice
  const outside = book.prices.reduce((count, price) => count + (isOutside(price) ? 1 : 0), 0)
  const width = widthOf(options)
  return pictureOf({
    kind: 'book', title: 'Book', options, isEmpty: times === null || range === null,
    caption: 'Quantity in each cell of time and price, mean weighted by time'
      + (outside === 0 ? '' : `; ${countText(outside)} of ${countText(book.prices.length)} levels lie outside`),
    legend: legendOf(input, scale, options.quantityUnit),
    panels: [{
      height: heightOf(options, 400),
      options: (plot) => ({
        marginLeft: left, x: timeScale(domain), y: { domain: [grid.lowPrice, grid.highPrice] },
        marks: [
          ...cellMarks(cells, grid, scale), ...timeAxis(plot, domain, width),
          ...valueAxis(plot, withUnit('price', options.unit), { domain: [grid.lowPrice, grid.highPrice], left }),
          ...(orders === undefined ? [] : [orderMark(orders, 0, grid), orderMark(orders, 1, grid)]),
          ...(fills === undefined ? [] : [fillMark(fills, 0, grid), fillMark(fills, 1, grid)]),
        ],
      }),
    }],
  })
}
