import { lineInColumns, type LinePoints, type PixelGrid } from './pixel-columns.js'
import { LEFT, RIGHT, type PlotMark, type PlotModule } from './sheet.js'
import { timeTicks } from './time-ticks.js'

/** The lowest and the highest of values. */
export interface Extent {
  readonly low: number
  readonly high: number
}

/** The extent of all finite values, or null where there is none. */
export function extentOf(columns: Iterable<ArrayLike<number>>): Extent | null {
  let [low, high] = [Infinity, -Infinity]
  for (const values of columns) {
    for (let index = 0; index < values.length; index++) {
      const value = values[index] ?? NaN
      if (!Number.isFinite(value)) continue
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return low <= high ? { low, high } : null
}

/** The domain of a value axis: the extent and a little room; one value stands in the middle. */
export function valueDomain(
  { low, high }: Extent, { withZero = false }: { withZero?: boolean } = {},
): [number, number] {
  const [from, to] = withZero ? [Math.min(0, low), Math.max(0, high)] : [low, high]
  const size = to - from
  if (!(size > 0)) {
    const room = Math.abs(from) * 0.001 || 1
    return [from - room, to + room]
  }
  if (!Number.isFinite(size)) return [from, to]
  return [withZero && from === 0 ? 0 : from - size * 0.04, withZero && to === 0 ? 0 : to + size * 0.04]
}

/** The domain of a time axis; a single instant gets a second on either side. */
export function timeDomain({ low, high }: Extent): [number, number] {
  return high > low ? [low, high] : [low - 1_000, high + 1_000]
}

/** The pixel columns of the drawing area of a picture `width` pixels wide that begins at `left`. */
export function pixelGrid([fromMs, toMs]: readonly [number, number], width: number, left: number): PixelGrid {
  return { fromMs, toMs, columnCount: Math.max(1, width - left - RIGHT) }
}

/** The scale of a time axis for Plot. */
export function timeScale(domain: readonly [number, number], { isLast = true }: { isLast?: boolean } = {}): object {
  // A linear scale of milliseconds: its words are made here, in UTC.
  return isLast ? { type: 'linear', domain } : { type: 'linear', domain, axis: null }
}

/**
 * A time axis with UTC times below the drawing, its marks `leastMs` or more apart; `isLast` false draws its grid alone,
 * for a panel above another.
 */
export function timeAxis(
  plot: PlotModule, [fromMs, toMs]: readonly [number, number], width: number,
  { isLast = true, leastMs = 0 }: { isLast?: boolean; leastMs?: number } = {},
): PlotMark[] {
  const ticks = timeTicks(fromMs, toMs, Math.max(2, Math.floor((width - LEFT - RIGHT) / 80)), leastMs)
  const words = new Map(ticks.epochMs.map((time, index) => [time, ticks.labels[index] ?? '']))
  const grid = plot.gridX({ ticks: ticks.epochMs, className: 'bt-grid', strokeOpacity: 1 })
  if (!isLast) return [grid]
  return [grid, plot.axisX({
    ticks: ticks.epochMs, tickFormat: (time: number) => words.get(time) ?? '', className: 'bt-axis',
    label: 'time (UTC)', labelArrow: 'none', labelAnchor: 'right', labelOffset: 38, lineHeight: 1.15,
  })]
}

/** A label with its unit: `price (USDT)`. */
export function withUnit(label: string, unit: string | undefined): string {
  return unit === undefined || unit === '' ? label : `${label} (${unit})`
}

/** A line of Plot through points, its gaps left open. */
export function lineMark(
  plot: PlotModule, { epochMs, values }: LinePoints, className: string, options: object = {},
): PlotMark {
  return plot.line({ length: values.length }, {
    x: epochMs, y: values, className: `bt-${className}`, strokeWidth: 1.5, ...options,
  })
}

/** Points in ascending order of time, equal times in the order given; those that have no time are left out. */
function inTimeOrder(line: LinePoints): LinePoints {
  const { epochMs, values } = line
  let isOrdered = epochMs.length === values.length
  for (let index = 0; isOrdered && index < epochMs.length; index++) {
    isOrdered = index === 0 ? Number.isFinite(epochMs[0]) : (epochMs[index] ?? NaN) >= (epochMs[index - 1] ?? NaN)
  }
  if (isOrdered) return line
  const order = Array.from({ length: Math.min(epochMs.length, values.length) }, (_, index) => index)
    .filter((index) => Number.isFinite(epochMs[index]))
    .sort((one, other) => (epochMs[one] ?? 0) - (epochMs[other] ?? 0))
  return {
    epochMs: Float64Array.from(order, (index) => epochMs[index] ?? NaN),
    values: Float64Array.from(order, (index) => values[index] ?? NaN),
  }
}

/** The points of a line that a picture needs. */
export interface ReducedLine extends LinePoints {
  /** True where points were left out. */
  readonly isReduced: boolean
}

/** The points of a line that a picture needs, and whether some were left out. */
export function reducedLine(line: LinePoints, grid: PixelGrid): ReducedLine {
  const ordered = inTimeOrder(line)
  const points = lineInColumns(ordered, grid)
  return { ...points, isReduced: points.values.length < ordered.values.length }
}

/**
 * The curve of a line whose values hold until the next; a reduced line has a point in every pixel, and needs no
 * steps.
 */
export function stepsOf({ isReduced }: { readonly isReduced: boolean }): string {
  return isReduced ? 'linear' : 'step-after'
}

/** `1,234` of a count. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
