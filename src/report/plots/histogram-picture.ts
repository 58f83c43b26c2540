import { countText, extentOf, withUnit } from './axes.js'
import { bottomNumbers, leftFor, numberWords, valueAxis } from './number-axis.js'
import type { Picture } from './picture.js'
import { shapesMark } from './shapes-mark.js'
import { bounded, heightOf, pictureOf, RIGHT, widthOf, type PictureOptions } from './sheet.js'
import { pixelText } from './svg-text.js'

/** The options of a histogram. */
export interface HistogramOptions extends PictureOptions {
  /** Name of the values; default `value`. */
  readonly label?: string
  /** Unit of the values. */
  readonly unit?: string
  /** Number of bars, about; default 40. Their width is 1, 2 or 5 times a power of ten. */
  readonly barCount?: number
}

interface Bars {
  readonly low: number
  readonly width: number
  readonly counts: readonly number[]
  readonly valueCount: number
}

/** Width of a bar: 1, 2 or 5 times a power of ten, so that about `barCount` of them cover a size. */
function barWidth(size: number, barCount: number): number {
  const rough = size / barCount
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999_999) ?? 10)
}

/** Counts by bar; a value on the edge of two bars belongs to the right one, the highest to the last. */
function barsOf(values: Float64Array, barCount: number): Bars {
  const finite = values.filter(Number.isFinite)
  const { low, high } = extentOf([finite]) ?? { low: 0, high: 0 }
  const size = high - low
  const width = size > 0 && Number.isFinite(size) ? barWidth(size, barCount) : Math.abs(low) * 0.01 || 1
  const first = Math.floor(low / width) * width
  const counts = new Array<number>(Math.max(1, Math.min(1_000, Math.floor((high - first) / width) + 1))).fill(0)
  for (const value of finite) {
    const bar = Math.max(0, Math.min(counts.length - 1, Math.floor((value - first) / width)))
    counts[bar] = (counts[bar] ?? 0) + 1
  }
  return { low: first, width, counts, valueCount: finite.length }
}

/** Numbers of values by bars of equal width. */
export function histogramPicture(values: Float64Array, options: HistogramOptions = {}): Picture {
  const { label = 'value', unit } = options
  const bars = barsOf(values, bounded(options.barCount, 40, 1, 400))
  const leftOut = values.length - bars.valueCount
  const most = bars.counts.reduce((one, other) => Math.max(one, other), 0)
  const end = bars.low + bars.width * bars.counts.length
  const domain = [0, Math.max(1, most) * 1.04] as const
  const domainX = [bars.low, end] as const
  const left = leftFor([domain])
  return pictureOf({
    kind: 'histogram', title: label, options, legend: [], isEmpty: bars.valueCount === 0,
    caption: `${countText(bars.valueCount)} values, bars ${numberWords([0, bars.width], 1)(bars.width)} wide`
      + (leftOut === 0 ? '' : `; ${countText(leftOut)} that are no finite numbers left out`),
    panels: [{
      height: heightOf(options, 260),
      options: (plot) => ({
        marginLeft: left, x: { domain: domainX }, y: { domain },
        marks: [
          ...valueAxis(plot, 'count', { domain, left }),
          shapesMark('mark-1', (x, y) => bars.counts.map((count, index) => {
            const [left, right] = [x(bars.low + index * bars.width), x(bars.low + (index + 1) * bars.width)]
            return count === 0 ? '' : `M${pixelText(left + 0.5)},${pixelText(y(0))}V${pixelText(y(count))}`
              + `H${pixelText(Math.max(left + 1, right - 0.5))}V${pixelText(y(0))}Z`
          }).join('')),
          ...bottomNumbers(plot, withUnit(label, unit), domainX, widthOf(options) - left - RIGHT).slice(1),
        ],
      }),
    }],
  })
}
