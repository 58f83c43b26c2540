import {
  extentOf, lineMark, pixelGrid, reducedLine, stepsOf, timeAxis, timeDomain, timeScale, valueDomain, withUnit,
} from './axes.js'
import { leftFor, valueAxis } from './number-axis.js'
import { reducedWords } from './line-picture.js'
import type { Picture } from './picture.js'
import { heightOf, pictureOf, widthOf, type PictureOptions } from './sheet.js'

/** Spread and depth over time, each value until the next; doubles, since a picture has pixels. */
export interface SpreadColumns {
  /** UTC milliseconds. */
  readonly epochMs: Float64Array
  /** Best ask less best bid; what is no finite number is a gap. */
  readonly spreads: Float64Array
  /** Quantity on the bid side. */
  readonly bidDepths: Float64Array
  /** Quantity on the ask side. */
  readonly askDepths: Float64Array
}

/** The options of the picture of spread and depth. */
export interface SpreadPictureOptions extends PictureOptions {
  /** Unit of the spread: currency or `bps`. */
  readonly unit?: string
  /** Unit of the depth. */
  readonly depthUnit?: string
}

/** The spread over time, and below it the depth of both sides. */
export function spreadPicture(columns: SpreadColumns, options: SpreadPictureOptions = {}): Picture {
  const { epochMs, spreads, bidDepths, askDepths } = columns
  const [width, height] = [widthOf(options), heightOf(options, 380)]
  const times = extentOf([epochMs])
  const domain = timeDomain(times ?? { low: 0, high: 0 })
  const [spreadExtent, depthExtent] = [extentOf([spreads]), extentOf([bidDepths, askDepths])]
  const [upper, lower] = [
    valueDomain(spreadExtent ?? { low: 0, high: 1 }, { withZero: true }),
    valueDomain(depthExtent ?? { low: 0, high: 1 }, { withZero: true }),
  ]
  const left = leftFor([upper, lower])
  const [spread, bids, asks] = [spreads, bidDepths, askDepths]
    .map((values) => reducedLine({ epochMs, values }, pixelGrid(domain, width, left)))
  const part = height / 2
  return pictureOf({
    kind: 'spread', title: 'Spread and depth', options,
    isEmpty: times === null || spreadExtent === null && depthExtent === null,
    caption: reducedWords(epochMs.length, spread?.isReduced === true),
    legend: [
      { label: 'spread', shape: 'line', className: 'line-3' },
      { label: 'bid depth', shape: 'line', className: 'buy-line' },
      { label: 'ask depth', shape: 'dashes', className: 'sell-line' },
    ],
    panels: [
      {
        height: Math.round(part - 15),
        options: (plot) => ({
          x: timeScale(domain, { isLast: false }), marginLeft: left, marginBottom: 10, y: { domain: upper },
          marks: [
            ...timeAxis(plot, domain, width, { isLast: false }),
            ...valueAxis(plot, withUnit('spread', options.unit), { domain: upper, left }),
            ...(spread === undefined ? [] : [lineMark(plot, spread, 'line-3', { curve: stepsOf(spread) })]),
          ],
        }),
      },
      {
        height: Math.round(part + 15),
        options: (plot) => ({
          x: timeScale(domain), marginLeft: left, y: { domain: lower },
          marks: [
            ...timeAxis(plot, domain, width),
            ...valueAxis(plot, withUnit('depth', options.depthUnit), { domain: lower, left }),
            ...(bids === undefined ? [] : [lineMark(plot, bids, 'buy-line', { curve: stepsOf(bids) })]),
            ...(asks === undefined ? [] : [
              lineMark(plot, asks, 'sell-line', { curve: stepsOf(asks), strokeDasharray: '6 3' }),
            ]),
          ],
        }),
      },
    ],
  })
}
