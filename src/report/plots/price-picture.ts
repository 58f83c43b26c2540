import {
  countText, extentOf, lineMark, pixelGrid, reducedLine, stepsOf, timeAxis, timeDomain, timeScale, valueDomain,
  withUnit, type ReducedLine,
} from './axes.js'
import { leftFor, valueAxis } from './number-axis.js'
import type { Picture } from './picture.js'
import { columnOf, rangesInColumns, type LinePoints, type PixelGrid } from './pixel-columns.js'
import { shapesMark, type ShapePoint } from './shapes-mark.js'
import {
  heightOf, pictureOf, widthOf, type LegendEntry, type PictureOptions, type PlotMark, type PlotModule,
} from './sheet.js'
import { pixelText } from './svg-text.js'

/** Prices over time: trades, or own fills. Doubles, since a picture has pixels. */
export interface PriceColumns {
  /** UTC milliseconds. */
  readonly epochMs: Float64Array
  /** Price at each time. */
  readonly prices: Float64Array
}

/** Own fills. */
export interface FillColumns extends PriceColumns {
  /** 0 for a buy (BID), 1 for a sell (ASK), as in the columns of events. */
  readonly sides: Uint8Array
}

/** Best prices over time, each until the next. */
export interface QuoteColumns {
  /** UTC milliseconds. */
  readonly epochMs: Float64Array
  /** Best bid at each time; what is no finite number is a gap. */
  readonly bids: Float64Array
  /** Best ask at each time; what is no finite number is a gap. */
  readonly asks: Float64Array
}

/** The columns of `pictures.price`; any of them may be absent. */
export interface PriceInput {
  /** Public trades. */
  readonly trades?: PriceColumns
  /** The middle of the best prices, drawn as a line. */
  readonly mids?: PriceColumns
  /** Best bid and ask. */
  readonly quotes?: QuoteColumns
  /** Own fills. */
  readonly fills?: FillColumns
}

/** The options of `pictures.price`. */
export interface PricePictureOptions extends PictureOptions {
  /** Currency of the price. */
  readonly unit?: string
  /** Begin of the time axis, UTC milliseconds; default the first time of the input. */
  readonly fromMs?: number
  /** End of the time axis; default the last time of the input. */
  readonly toMs?: number
}

const NO_PRICES: PriceColumns = { epochMs: new Float64Array(0), prices: new Float64Array(0) }

/** Rows of columns within the times of a picture. */
function within({ epochMs, prices }: PriceColumns, [fromMs, toMs]: readonly [number, number]): LinePoints {
  const isSeen = (epoch: number): boolean => epoch >= fromMs && epoch <= toMs
  if (epochMs.every(isSeen)) return { epochMs, values: prices }
  const rows = Array.from(epochMs.keys()).filter((row) => isSeen(epochMs[row] ?? NaN))
  return {
    epochMs: Float64Array.from(rows, (row) => epochMs[row] ?? NaN),
    values: Float64Array.from(rows, (row) => prices[row] ?? NaN),
  }
}

/** Trades as bars from the lowest to the highest price of each pixel column: one path. */
function tradesMark(points: LinePoints, grid: PixelGrid): PlotMark {
  const { columns, lows, highs } = rangesInColumns(points, grid)
  return shapesMark('market', (x, y) => {
    const parts: string[] = []
    for (let index = 0; index < columns.length; index++) {
      const time = grid.fromMs + ((columns[index] ?? 0) + 0.5) / grid.columnCount * (grid.toMs - grid.fromMs)
      const [top, bottom] = [y(highs[index] ?? 0), y(lows[index] ?? 0)]
      // A column of one price is a dot, so that a lone trade is seen.
      parts.push(`M${pixelText(x(time))},${pixelText(top - 0.6)}V${pixelText(Math.max(bottom, top) + 0.6)}`)
    }
    return parts.join('')
  })
}

/** Fills of one side: all, or of each pixel column the lowest and the highest where there are too many. */
function fillPoints({ epochMs, prices, sides }: FillColumns, side: number, grid: PixelGrid): readonly ShapePoint[] {
  const rows = Array.from(epochMs.keys()).filter((row) => sides[row] === side && Number.isFinite(prices[row])
    && (epochMs[row] ?? NaN) >= grid.fromMs && (epochMs[row] ?? NaN) <= grid.toMs)
  const point = (row: number): ShapePoint => ({ x: epochMs[row] ?? 0, y: prices[row] ?? 0 })
  if (rows.length <= 2 * grid.columnCount) return rows.map(point)
  const kept = new Map<number, [low: number, high: number]>()
  for (const row of rows) {
    const column = columnOf(epochMs[row] ?? 0, grid)
    const [low, high] = kept.get(column) ?? [row, row]
    kept.set(column, [
      (prices[row] ?? 0) < (prices[low] ?? 0) ? row : low, (prices[row] ?? 0) > (prices[high] ?? 0) ? row : high,
    ])
  }
  return [...new Set([...kept.values()].flat())].map(point)
}

interface PricePlan {
  readonly domain: [number, number]
  readonly domainY: [number, number]
  readonly left: number
  readonly values: { readonly low: number; readonly high: number } | null
  readonly trades: LinePoints
  readonly mids: ReducedLine | null
  readonly quotes: readonly ReducedLine[]
  readonly buys: readonly ShapePoint[]
  readonly sells: readonly ShapePoint[]
  readonly grid: PixelGrid
}

function planOf(input: PriceInput, options: PricePictureOptions): PricePlan {
  const { trades = NO_PRICES, mids: middle = NO_PRICES, quotes, fills } = input
  const times = extentOf([trades.epochMs, middle.epochMs, quotes?.epochMs ?? [], fills?.epochMs ?? []])
  const [low, high] = timeDomain(times ?? { low: 0, high: 0 })
  const domain: [number, number] = timeDomain({ low: options.fromMs ?? low, high: options.toMs ?? high })
  const seen = within(trades, domain)
  const sides = quotes === undefined ? [] : [quotes.bids, quotes.asks].map((prices) => (
    within({ epochMs: quotes.epochMs, prices }, domain)))
  const own = fills === undefined ? [] : within(fills, domain).values
  const middles = within(middle, domain)
  const values = times === null ? null : extentOf([seen.values, middles.values, ...sides.map((one) => one.values), own])
  const domainY = valueDomain(values ?? { low: 0, high: 1 })
  const left = leftFor([domainY])
  const grid = pixelGrid(domain, widthOf(options), left)
  const mids = middle.epochMs.length === 0 ? null : reducedLine(middles, grid)
  const lines = sides.map((side) => reducedLine(side, grid))
  const buys = fills === undefined ? [] : fillPoints(fills, 0, grid)
  const sells = fills === undefined ? [] : fillPoints(fills, 1, grid)
  return { domain, domainY, left, values, trades: seen, mids, quotes: lines, buys, sells, grid }
}

function captionOf(input: PriceInput, plan: PricePlan): string {
  const words: string[] = []
  const tradeCount = plan.trades.values.length
  if (tradeCount > 0) {
    words.push(`${countText(tradeCount)} trades, drawn from the lowest to the highest price of each pixel column`)
  }
  const fillCount = input.fills?.epochMs.length ?? 0
  const drawnCount = plan.buys.length + plan.sells.length
  if (fillCount > 0) {
    words.push(drawnCount === fillCount
      ? `${countText(fillCount)} own fills`
      : `${countText(drawnCount)} of ${countText(fillCount)} own fills drawn`)
  }
  return words.join('; ')
}

function legendOf(plan: PricePlan): LegendEntry[] {
  return [
    ...(plan.trades.values.length > 0 ? [{ label: 'trades', shape: 'line', className: 'market' } as const] : []),
    ...(plan.mids === null ? [] : [{ label: 'mid', shape: 'line', className: 'market' } as const]),
    ...(plan.quotes.length > 0 ? [
      { label: 'best bid', shape: 'line', className: 'buy-line' } as const,
      { label: 'best ask', shape: 'dashes', className: 'sell-line' } as const,
    ] : []),
    ...(plan.buys.length > 0 ? [{ label: 'own buys', shape: 'up', className: 'buy' } as const] : []),
    ...(plan.sells.length > 0 ? [{ label: 'own sells', shape: 'down', className: 'sell' } as const] : []),
  ]
}

function marksOf(plot: PlotModule, plan: PricePlan, options: PricePictureOptions): PlotMark[] {
  const [bids, asks] = plan.quotes
  const step = (line: ReducedLine): object => ({ curve: stepsOf(line), strokeWidth: 1 })
  return [
    ...timeAxis(plot, plan.domain, widthOf(options)),
    ...valueAxis(plot, withUnit('price', options.unit), { domain: plan.domainY, left: plan.left }),
    tradesMark(plan.trades, plan.grid),
    ...(plan.mids === null ? [] : [lineMark(plot, plan.mids, 'market', { strokeWidth: 1 })]),
    ...(bids === undefined ? [] : [lineMark(plot, bids, 'buy-line', step(bids))]),
    ...(asks === undefined ? [] : [lineMark(plot, asks, 'sell-line', { ...step(asks), strokeDasharray: '6 3' })]),
    shapesMark('buy', plan.buys, 'up'), shapesMark('sell', plan.sells, 'down'),
  ]
}

/**
 * The price over time: trades as bars from the lowest to the highest of each pixel column, mids, best bid and ask as
 * lines, own buys as triangles up and own sells as triangles down. Prices that are no finite numbers are gaps; without
 * any the picture says `no data`.
 *
 * @example
 * ```ts
 * import { pictures } from 'backtape'
 * const trades = { epochMs: Float64Array.of(0, 1_000), prices: Float64Array.of(64_000, 64_010) }
 * const fills = { epochMs: Float64Array.of(500), prices: Float64Array.of(64_005), sides: Uint8Array.of(0) }
 * const picture = pictures.price({ trades, fills }, { title: 'BTCUSDT', unit: 'USDT' })
 * if (!picture.svg.includes('own buys')) throw new Error('no fills')
 * ```
 */
export function pricePicture(input: PriceInput, options: PricePictureOptions = {}): Picture {
  const plan = planOf(input, options)
  return pictureOf({
    kind: 'price', title: 'Price', caption: captionOf(input, plan), legend: legendOf(plan), options,
    isEmpty: plan.values === null,
    panels: [{
      height: heightOf(options, 340),
      options: (plot) => ({
        marginLeft: plan.left, x: timeScale(plan.domain), y: { domain: plan.domainY },
        marks: marksOf(plot, plan, options),
      }),
    }],
  })
}
