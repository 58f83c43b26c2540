import {
  countText, extentOf, lineMark, pixelGrid, reducedLine, timeAxis, timeDomain, timeScale, valueDomain,
  withUnit,
} from './axes.js'
import { leftFor, valueAxis } from './number-axis.js'
import type { Picture } from './picture.js'
import { SERIES_COLORS } from './picture-theme.js'
import { heightOf, pictureOf, widthOf, type LegendShape, type PictureOptions } from './sheet.js'

/** A named line over time. */
export interface LineSeries {
  /** Name in the legend. */
  readonly name: string
  /** UTC milliseconds; doubles, since a picture has pixels. */
  readonly epochMs: Float64Array
  /** One value for each time; what is no finite number is a gap. */
  readonly values: Float64Array
}

/** The options of `pictures.line`. */
export interface LinePictureOptions extends PictureOptions {
  /** Name of the value axis; default `value`. */
  readonly label?: string
  /** Unit of the values. */
  readonly unit?: string
  /** Each value holds until the next one; default false: straight lines between points. */
  readonly steps?: boolean
  /** The value axis shows 0; default false. */
  readonly withZero?: boolean
}

const SHAPES: readonly LegendShape[] = ['line', 'dashes', 'dots']
const DASHES: readonly (string | undefined)[] = [undefined, '6 3', '2 3']

/** The look of the series with an index: a colour, and other dashes for each, so that colour is not all. */
export function seriesLook(
  index: number,
): { className: string; mark: string; shape: LegendShape; dashes: string | undefined } {
  const color = String(index % SERIES_COLORS + 1)
  return {
    className: `line-${color}`, mark: `mark-${color}`, shape: SHAPES[index % 3] ?? 'line', dashes: DASHES[index % 3],
  }
}

/** The sentence on points that were left out of lines; empty where none was. */
export function reducedWords(pointCount: number, isReduced: boolean): string {
  if (!isReduced) return ''
  return `${countText(pointCount)} points, drawn as first, lowest, highest and last of each pixel column`
}

/**
 * Lines or steps over time, one for each series, with UTC times. More points than pixels are drawn as the first,
 * lowest, highest and last of each column of pixels, which the caption says. A value that is no finite number is a gap;
 * without any finite value the picture says `no data`.
 *
 * @example
 * ```ts
 * import { pictures } from 'backtape'
 * const epochMs = Float64Array.of(0, 60_000, 120_000)
 * const picture = pictures.line([{ name: 'spread', epochMs, values: Float64Array.of(1, NaN, 2) }], { unit: 'USDT' })
 * if (!picture.svg.includes('time (UTC)')) throw new Error('no axis')
 * ```
 */
export function linePicture(series: readonly LineSeries[], options: LinePictureOptions = {}): Picture {
  const { label = 'value', unit, steps = false, withZero = false } = options
  const width = widthOf(options)
  const times = extentOf(series.map(({ epochMs }) => epochMs))
  const values = extentOf(series.map((one) => one.values))
  const domain = timeDomain(times ?? { low: 0, high: 0 })
  const domainY = valueDomain(values ?? { low: 0, high: 1 }, { withZero })
  const left = leftFor([domainY])
  const lines = series.map((one) => reducedLine(one, pixelGrid(domain, width, left)))
  const pointCount = series.reduce((sum, one) => sum + one.values.length, 0)
  return pictureOf({
    kind: 'line', title: series.map(({ name }) => name).join(', ') || 'Lines', options,
    isEmpty: times === null || values === null,
    caption: reducedWords(pointCount, lines.some(({ isReduced }) => isReduced)),
    legend: series.length < 2 ? [] : series.map(({ name }, index) => ({ label: name, ...seriesLook(index) })),
    panels: [{
      height: heightOf(options, 260),
      options: (plot) => ({
        marginLeft: left, x: timeScale(domain), y: { domain: domainY },
        marks: [
          ...timeAxis(plot, domain, width), ...valueAxis(plot, withUnit(label, unit), { domain: domainY, left }),
          ...lines.map((line, index) => lineMark(plot, line, seriesLook(index).className, {
            curve: steps ? 'step-after' : 'linear', strokeDasharray: seriesLook(index).dashes,
          })),
        ],
      }),
    }],
  })
}
