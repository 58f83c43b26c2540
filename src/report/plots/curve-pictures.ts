import { countText, extentOf, valueDomain, withUnit } from './axes.js'
import { bottomNumbers, leftFor, valueAxis, wordPixels } from './number-axis.js'
import { seriesLook } from './line-picture.js'
import type { Picture } from './picture.js'
import { shapesMark } from './shapes-mark.js'
import {
  heightOf, LEFT, pictureOf, RIGHT, widthOf, type LegendShape, type PictureOptions, type PlotMark, type PlotModule,
} from './sheet.js'
import { shortText } from './svg-text.js'
import { durationText } from './time-ticks.js'

/** Mark-outs of one instrument or run by horizon. */
export interface MarkOutSeries {
  /** Name in the legend. */
  readonly name: string
  /** Times after the fill, milliseconds, above 0. */
  readonly horizonsMs: Float64Array
  /** Mean mark-out after each, above 0 is good; what is no finite number is a gap. */
  readonly means: Float64Array
}

/** Latencies of one kind of message. */
export interface LatencySeries {
  /** Name in the legend. */
  readonly name: string
  /** Latencies in milliseconds, in any order. */
  readonly latenciesMs: Float64Array
  /** The part of the messages with at most that latency, where `latenciesMs` are quantiles; absent for samples. */
  readonly shares?: Float64Array
}

/** The smile of one expiry. */
export interface SmileSeries {
  /** Name in the legend, such as the expiry. */
  readonly name: string
  /** Strikes, in any order. */
  readonly strikes: Float64Array
  /** Implied volatility of each as a part: 0.55 is 55 %. */
  readonly volatilities: Float64Array
}

/** The options of the picture of mark-outs. */
export interface MarkOutPictureOptions extends PictureOptions {
  /** Currency of the mark-outs. */
  readonly unit?: string
  /** The sentence below the title, for means of another kind; default: that of own fills, weighted by quantity. */
  readonly note?: string
}

/** The options of the picture of a smile. */
export interface SmilePictureOptions extends PictureOptions {
  /** Currency of the strikes. */
  readonly unit?: string
  /** Price of the underlying, drawn as an upright line. */
  readonly underlyingPrice?: number
}

const OWN_FILLS = 'Mean distance from the fill price to the mid, weighted by quantity; above 0 the market went our way'

interface Curve {
  readonly name: string
  readonly x: Float64Array
  readonly y: Float64Array
}

const MARKS: readonly LegendShape[] = ['circle', 'square', 'up', 'down']
const markOf = (index: number): LegendShape => MARKS[index % MARKS.length] ?? 'circle'

/** Points by x; those without a place on the axis are left out, those without a value are gaps. */
function sortedCurve(name: string, x: Float64Array, y: Float64Array, isPlace: (x: number) => boolean): Curve {
  const rows = Array.from(x.keys()).filter((row) => isPlace(x[row] ?? NaN))
    .sort((one, other) => (x[one] ?? 0) - (x[other] ?? 0))
  const of = (from: Float64Array): Float64Array => Float64Array.from(rows, (row) => from[row] ?? NaN)
  return { name, x: of(x), y: of(y) }
}

function curveMarks(plot: PlotModule, curves: readonly Curve[], withShapes: boolean, curve = 'linear'): PlotMark[] {
  return curves.flatMap(({ x, y }, index) => {
    const look = seriesLook(index)
    const points = Array.from(x.keys()).filter((row) => Number.isFinite(y[row]))
      .map((row) => ({ x: x[row] ?? 0, y: y[row] ?? 0 }))
    return [
      plot.line({ length: x.length }, {
        x, y, curve, className: `bt-${look.className}`, strokeWidth: 1.5, strokeDasharray: look.dashes,
      }),
      ...(withShapes ? [shapesMark(look.mark, points, markOf(index))] : []),
    ]
  })
}

function zeroMark(plot: PlotModule): PlotMark {
  return plot.ruleY([0], { className: 'bt-zero' })
}

function bottomAxis(plot: PlotModule, label: string, options: object): PlotMark[] {
  return [
    plot.gridX({ className: 'bt-grid', strokeOpacity: 1, ...options }),
    plot.axisX({
      className: 'bt-axis', label: shortText(label, 60), labelArrow: 'none', labelAnchor: 'right', labelOffset: 34,
      ...options,
    }),
  ]
}

/**
 * Marks of an axis of the logarithms of durations, `pixels` wide; Plot's own axis of logarithms leaves words out. Words
 * that would touch those before them are left out, round ones last.
 */
function durationTicks(ticks: readonly number[], [from, to]: readonly [number, number], pixels: number): object {
  const places = ticks.map((durationMs) => {
    const [text, place] = [durationText(durationMs), Math.log10(durationMs)]
    const [middle, half] = [(place - from) / (to - from) * pixels, wordPixels(text) / 2 + 4]
    return { text, place, left: middle - half, right: middle + half, isRound: /^10*(?:\D|$)/.test(text) }
  })
  const kept: typeof places = []
  for (const one of [...places.filter(({ isRound }) => isRound), ...places.filter(({ isRound }) => !isRound)])
    if (kept.every(({ left, right }) => one.left >= right || one.right <= left)) kept.push(one)
  const words = new Map(places.map((one) => [one.place, kept.includes(one) ? one.text : '']))
  return { ticks: [...words.keys()], tickFormat: (place: number) => words.get(place) ?? '' }
}

/** A curve over the logarithms of its places. */
function overRatios<One extends Curve>(curve: One): One {
  return { ...curve, x: curve.x.map((place) => Math.log10(place)) }
}

/** Decades from the lowest to the highest, with 2 and 5 between them where there are few. */
function decades(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  const factors = last - first <= 3 ? [1, 2, 5] : [1]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .flatMap((power) => factors.map((factor) => factor * 10 ** power))
    .filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
}

/** The domain of an axis of ratios; one value stands in the middle. */
function ratioDomain(low: number, high: number): [number, number] {
  return high > low ? [low / 1.05, high * 1.05] : [low / 2, high * 2]
}

const logs = ([low, high]: readonly [number, number]): [number, number] => [Math.log10(low), Math.log10(high)]

/** Mean mark-outs by the time after the fill, a curve for each series; above 0 is good for us. */
export function markOutPicture(series: readonly MarkOutSeries[], options: MarkOutPictureOptions = {}): Picture {
  const curves = series.map(({ name, horizonsMs, means }) => (
    sortedCurve(name, horizonsMs, means, (x) => x > 0 && x < Infinity)))
  const [across, up] = [extentOf(curves.map(({ x }) => x)), extentOf(curves.map(({ y }) => y))]
  const horizons = [...new Set(curves.flatMap(({ x }) => Array.from(x)))].sort((one, other) => one - other)
  const ticks = horizons.length <= 12 || across === null ? horizons : decades(across.low, across.high)
  const domainX = logs(ratioDomain(across?.low ?? 1, across?.high ?? 1))
  const domain = valueDomain(up ?? { low: 0, high: 1 }, { withZero: true })
  const left = leftFor([domain])
  return pictureOf({
    kind: 'mark-outs', title: 'Mark-outs', options, isEmpty: across === null || up === null,
    caption: options.note ?? OWN_FILLS,
    legend: series.map(({ name }, index) => ({ label: name, shape: markOf(index), className: seriesLook(index).mark })),
    panels: [{
      height: heightOf(options, 260),
      options: (plot) => ({
        marginLeft: left, x: { type: 'linear', domain: domainX }, y: { domain },
        marks: [
          ...bottomAxis(
            plot, 'time after the fill', durationTicks(ticks, domainX, widthOf(options) - left - RIGHT)),
          ...valueAxis(plot, withUnit('mark-out', options.unit), { domain, left }), zeroMark(plot),
          ...curveMarks(plot, curves.map(overRatios), true),
        ],
      }),
    }],
  })
}

/** Samples of a distribution that a picture needs: the lowest and the highest, and one for each half pixel between. */
const SHARE_STEPS = 600

function latencyCurve(
  { name, latenciesMs, shares }: LatencySeries,
): Curve & { readonly flatCount: number; readonly flatShare: number } {
  const isPlace = (x: number): boolean => x > 0 && x < Infinity
  const flatCount = latenciesMs.reduce((count, one) => count + (one <= 0 ? 1 : 0), 0)
  if (shares !== undefined) return { ...sortedCurve(name, latenciesMs, shares, isPlace), flatCount, flatShare: 0 }
  const sorted = latenciesMs.filter((one) => Number.isFinite(one)).sort()
  const rows = sorted.length <= SHARE_STEPS
    ? Array.from(sorted.keys())
    : Array.from({ length: SHARE_STEPS + 1 }, (_, step) => Math.round(step / SHARE_STEPS * (sorted.length - 1)))
  const shown = rows.filter((row) => isPlace(sorted[row] ?? NaN))
  return {
    name, flatCount, flatShare: sorted.length === 0 ? 0 : flatCount / sorted.length,
    x: Float64Array.from(shown, (row) => sorted[row] ?? NaN),
    y: Float64Array.from(shown, (row) => (row + 1) / sorted.length),
  }
}

/** A curve from the left edge of its picture: as high as the part of latencies of 0 or less, then up at the first. */
function fromEdge(curve: Curve & { readonly flatShare: number }, edge: number): Curve {
  const first = curve.x[0]
  if (first === undefined) return curve
  return {
    name: curve.name, x: Float64Array.of(Math.min(edge, first), ...curve.x),
    y: Float64Array.of(curve.flatShare, ...curve.y),
  }
}

/** The part of the messages with at most a latency, a curve for each series. */
export function latencyPicture(series: readonly LatencySeries[], options: PictureOptions = {}): Picture {
  const curves = series.map(latencyCurve)
  const across = extentOf(curves.map(({ x }) => x))
  const flatCount = curves.reduce((sum, one) => sum + one.flatCount, 0)
  const domain = ratioDomain(across?.low ?? 1, across?.high ?? 1)
  return pictureOf({
    kind: 'latency', title: 'Latencies', options,
    isEmpty: across === null || extentOf(curves.map(({ y }) => y)) === null,
    caption: 'Part of the messages with at most that latency'
      + (flatCount === 0 ? '' : `; ${countText(flatCount)} of 0 or less lie left of the picture`),
    legend: series.map(({ name }, index) => ({ label: name, ...seriesLook(index) })),
    panels: [{
      height: heightOf(options, 260),
      options: (plot) => ({
        x: { type: 'linear', domain: logs(domain) }, y: { domain: [0, 1] },
        marks: [
          ...bottomAxis(
            plot, 'latency', durationTicks(decades(...domain), logs(domain), widthOf(options) - LEFT - RIGHT)),
          plot.gridY({ ticks: 5, className: 'bt-grid', strokeOpacity: 1 }),
          plot.axisY({
            ticks: 5, className: 'bt-axis', label: 'part of messages (%)', labelArrow: 'none', labelAnchor: 'top',
            labelOffset: 56, tickFormat: (share: number) => String(Math.round(share * 100)),
          }),
          ...curveMarks(plot, curves.map((one) => overRatios(fromEdge(one, domain[0]))), false, 'step-after'),
        ],
      }),
    }],
  })
}

/** Implied volatility by strike, a curve for each series. */
export function smilePicture(series: readonly SmileSeries[], options: SmilePictureOptions = {}): Picture {
  const curves = series.map(({ name, strikes, volatilities }) =>
    sortedCurve(name, strikes, volatilities.map((one) => one * 100), Number.isFinite))
  const { unit, underlyingPrice } = options
  const [strikes, volatilities] = [
    extentOf([...curves.map(({ x }) => x), underlyingPrice === undefined ? [] : [underlyingPrice]]),
    extentOf(curves.map(({ y }) => y)),
  ]
  const domainX = valueDomain(strikes ?? { low: 0, high: 1 })
  const domain = valueDomain(volatilities ?? { low: 0, high: 1 })
  const left = leftFor([domain])
  return pictureOf({
    kind: 'smile', title: 'Implied volatility by strike', caption: '', options,
    isEmpty: strikes === null || volatilities === null,
    legend: [
      ...series.map(({ name }, index) => ({ label: name, shape: markOf(index), className: seriesLook(index).mark })),
      ...(underlyingPrice === undefined ? [] : [
        {
          label: `underlying at ${countText(Math.round(underlyingPrice))}`, shape: 'dashes', className: 'zero',
        } as const,
      ]),
    ],
    panels: [{
      height: heightOf(options, 300),
      options: (plot) => ({
        marginLeft: left, x: { domain: domainX }, y: { domain },
        marks: [
          ...bottomNumbers(plot, withUnit('strike', unit), domainX, widthOf(options) - left - RIGHT),
          ...valueAxis(plot, 'implied volatility (%)', { domain, left }),
          ...(underlyingPrice === undefined || !Number.isFinite(underlyingPrice) ? [] : [
            plot.ruleX([underlyingPrice], { className: 'bt-zero', strokeDasharray: '6 3' }),
          ]),
          ...curveMarks(plot, curves, true),
        ],
      }),
    }],
  })
}
