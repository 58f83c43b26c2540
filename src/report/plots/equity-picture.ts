import {
  extentOf, lineMark, pixelGrid, reducedLine, stepsOf, timeAxis, timeDomain, timeScale, valueDomain, withUnit,
} from './axes.js'
import { leftFor, valueAxis } from './number-axis.js'
import { reducedWords } from './line-picture.js'
import type { Picture } from './picture.js'
import { heightOf, pictureOf, widthOf, type PictureOptions } from './sheet.js'

/** Equity over time; doubles, since a picture has pixels. The table `equity` of a result has the exact values. */
export interface EquityColumns {
  /** UTC milliseconds. */
  readonly epochMs: Float64Array
  /** Equity at each time; what is no finite number is a gap. */
  readonly equity: Float64Array
  /** Distance below the highest equity so far, 0 or above; default computed from `equity`. */
  readonly drawdown?: Float64Array
}

/** The options of `pictures.equity`. */
export interface EquityPictureOptions extends PictureOptions {
  /** Code of the underlying. */
  readonly unit?: string
}

/** Marks of the drawdown. */
const FALL_TICKS = 3

/** The distance of each value below the highest before it; gaps stay gaps. */
function drawdownOf(equity: Float64Array): Float64Array {
  let highest = -Infinity
  return equity.map((value) => {
    if (!Number.isFinite(value)) return NaN
    highest = Math.max(highest, value)
    return highest - value
  })
}

/**
 * Equity over time, and below it the drawdown: the distance from the highest equity so far, drawn downwards. Without
 * any finite value the picture says `no data`.
 *
 * @example
 * ```ts
 * import { pictures } from 'backtape'
 * const picture = pictures.equity(
 *   { epochMs: Float64Array.of(0, 60_000, 120_000), equity: Float64Array.of(1_000, 1_004, 1_001) }, { unit: 'USDT' },
 * )
 * if (!picture.svg.includes('drawdown (USDT)')) throw new Error('no drawdown')
 * ```
 */
export function equityPicture(
  { epochMs, equity, drawdown }: EquityColumns, options: EquityPictureOptions = {},
): Picture {
  const width = widthOf(options)
  const height = heightOf(options, 360)
  const [times, values] = [extentOf([epochMs]), extentOf([equity])]
  const domain = timeDomain(times ?? { low: 0, high: 0 })
  const falls = (drawdown ?? drawdownOf(equity)).map((value) => 0 - value)
  const upper = valueDomain(values ?? { low: 0, high: 1 })
  const lower = [Math.min(extentOf([falls])?.low ?? 0, 0) * 1.04 || -1, 0] as const
  const left = Math.max(leftFor([upper]), leftFor([lower], FALL_TICKS))
  const grid = pixelGrid(domain, width, left)
  const [line, below] = [reducedLine({ epochMs, values: equity }, grid), reducedLine({ epochMs, values: falls }, grid)]
  return pictureOf({
    kind: 'equity', title: 'Equity and drawdown', options, isEmpty: times === null || values === null,
    caption: reducedWords(equity.length, line.isReduced), legend: [],
    panels: [
      {
        height: Math.round(height * 0.6),
        options: (plot) => ({
          x: timeScale(domain, { isLast: false }), marginLeft: left, marginBottom: 10, y: { domain: upper },
          marks: [
            ...timeAxis(plot, domain, width, { isLast: false }),
            ...valueAxis(plot, withUnit('equity', options.unit), { domain: upper, left }),
            lineMark(plot, line, 'line-1', { curve: stepsOf(line) }),
          ],
        }),
      },
      {
        height: Math.round(height * 0.4),
        options: (plot) => ({
          x: timeScale(domain), marginLeft: left, y: { domain: lower },
          marks: [
            ...timeAxis(plot, domain, width),
            ...valueAxis(plot, withUnit('drawdown', options.unit), { domain: lower, left, tickCount: FALL_TICKS }),
            plot.areaY({ length: below.values.length }, {
              x: below.epochMs, y1: 0, y2: below.values, curve: stepsOf(line), className: 'bt-area-2',
            }),
            lineMark(plot, below, 'line-2', { curve: stepsOf(line) }),
          ],
        }),
      },
    ],
  })
}
