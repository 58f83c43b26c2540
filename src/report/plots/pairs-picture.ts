import { extentOf } from './axes.js'
import { bandAxisX, bandAxisY, bandScale, bottomRoom, nameRoom, type Bands } from './band-axes.js'
import { evenScale, heatLegend, levelClass, levelOf, shortNumber, type HeatScale } from './heat-scale.js'
import { HEAT_LEVELS } from './picture-theme.js'
import type { Picture } from './picture.js'
import { shapesMark } from './shapes-mark.js'
import {
  bounded, heightOf, pictureOf, RIGHT, widthOf, type PictureOptions, type PlotMark, type PlotModule,
} from './sheet.js'
import { pixelText } from './svg-text.js'

/** A value for each pair of two lists of names. */
export interface PairsInput {
  /** Names along the bottom. */
  readonly columns: readonly string[]
  /** Names down the side. */
  readonly rows: readonly string[]
  /** Value of row `r` and column `c` at `r * columns.length + c`; doubles; what is no finite number stays empty. */
  readonly values: Float64Array
}

/** The options of the heat map of pairs. */
export interface PairsPictureOptions extends PictureOptions {
  /** Name of what the columns are. */
  readonly columnLabel?: string
  /** Name of what the rows are. */
  readonly rowLabel?: string
  /** Unit of the values. */
  readonly unit?: string
  /** Index of a value that gets a frame, such as the best. */
  readonly framed?: number
  /** One sentence below the title, such as the number of sets that were tried. */
  readonly note?: string
}

function cellText(
  plot: PlotModule, cells: readonly number[], input: PairsInput, scale: HeatScale, isDark: boolean,
): PlotMark {
  const count = input.columns.length
  // Both ends of signed colours, and the upper end of the others, need the other ink.
  const [from, to] = scale.colors === 'signed' ? [2, HEAT_LEVELS - 3] : [-1, HEAT_LEVELS - 4]
  const shown = cells.filter((cell) => {
    const level = levelOf(input.values[cell] ?? NaN, scale)
    return isDark === (level < from || level > to)
  })
  return plot.text(shown, {
    x: (cell: number) => cell % count, y: (cell: number) => Math.floor(cell / count),
    text: (cell: number) => shortNumber(input.values[cell] ?? NaN), className: isDark ? 'bt-on-dark' : 'bt-ink',
  })
}

function cellMarks(
  cells: readonly number[], input: PairsInput, scale: HeatScale, size: readonly [number, number],
): PlotMark[] {
  const count = input.columns.length
  return Array.from({ length: HEAT_LEVELS }, (_, level) => {
    const own = cells.filter((cell) => levelOf(input.values[cell] ?? NaN, scale) === level)
    return shapesMark(levelClass(level, scale), (x, y) => own.map((cell) => (
      `M${pixelText(x(cell % count))},${pixelText(y(Math.floor(cell / count)))}`
      + `h${pixelText(size[0])}v${pixelText(size[1])}h${pixelText(-size[0])}Z`
    )).join(''))
  })
}

function frameMark(cell: number | undefined, input: PairsInput, [across, down]: readonly [number, number]): PlotMark[] {
  const count = input.columns.length
  if (cell === undefined || !(cell >= 0 && cell < input.values.length)) return []
  return [shapesMark('best', (x, y) => (
    `M${pixelText(x(cell % count) + 1)},${pixelText(y(Math.floor(cell / count)) + 1)}`
    + `h${pixelText(across - 2)}v${pixelText(down - 2)}h${pixelText(2 - across)}Z`
  ))]
}

/** A coloured value for each pair of two lists, such as a parameter against another. */
export function pairsPicture(input: PairsInput, options: PairsPictureOptions = {}): Picture {
  const { columnLabel = '', rowLabel = '', unit, framed, note = '' } = options
  const [bandsX, bandsY]: readonly Bands[] = [{ names: input.columns }, { names: input.rows }]
  const cells = Array.from(input.values.slice(0, input.columns.length * input.rows.length).keys())
    .filter((cell) => Number.isFinite(input.values[cell]))
  const extent = extentOf([input.values])
  const scale = evenScale(extent?.low ?? 0, extent?.high ?? 1)
  const marginLeft = nameRoom(bandsY ?? { names: [] })
  const across = Math.max(1, widthOf(options) - marginLeft - RIGHT)
  const marginBottom = bottomRoom(bandsX ?? { names: [] }, across)
  const height = heightOf(options, bounded(input.rows.length * 30, 120, 120, 700) + 26 + marginBottom)
  const down = Math.max(1, height - 26 - marginBottom)
  const size = [across / Math.max(1, input.columns.length), down / Math.max(1, input.rows.length)] as const
  const hasWords = size[0] >= 44 && size[1] >= 14
  return pictureOf({
    kind: 'pairs', title: 'Pairs', caption: note, options, isEmpty: cells.length === 0,
    legend: extent === null || extent.low === extent.high ? [] : heatLegend(scale, unit),
    panels: [{
      height,
      options: (plot) => ({
        marginLeft, marginBottom, x: bandScale({ names: input.columns }), y: bandScale({ names: input.rows }),
        marks: [
          ...cellMarks(cells, input, scale, size),
          bandAxisX(plot, { names: input.columns }, columnLabel, across),
          bandAxisY(plot, { names: input.rows }, rowLabel, down),
          ...(hasWords ? [cellText(plot, cells, input, scale, false), cellText(plot, cells, input, scale, true)] : []),
          ...frameMark(framed, input, size),
        ],
      }),
    }],
  })
}
