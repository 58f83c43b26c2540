import { countText, extentOf, timeAxis } from './axes.js'
import { bandAxisY, bandScale, nameRoom } from './band-axes.js'
import { levelClass, type HeatScale } from './heat-scale.js'
import type { Picture } from './picture.js'
import { shapesMark } from './shapes-mark.js'
import { bounded, heightOf, LEFT, pictureOf, RIGHT, widthOf, type PictureOptions, type PlotMark } from './sheet.js'
import { pixelText } from './svg-text.js'
import { dayOf } from './time-ticks.js'

/** The days that are there of some instruments. */
export interface CoverageColumns {
  /** Names of the instruments, from above. */
  readonly names: readonly string[]
  /** Index of the instrument in `names`, one for each day that is there. */
  readonly nameIndices: Uint32Array
  /** Days since 1970-01-01. */
  readonly epochDays: Int32Array
  /** Part of the day that is covered, 0 to 1; doubles. */
  readonly shares: Float64Array
  /** 1 for a day whose file is damaged; absent where none is. */
  readonly damaged?: Uint8Array
}

const DAY_MS = 86_400_000
/** Levels by part of the day: up to a tenth, a half, nine tenths, almost all, all. */
const BOUNDS = [0.1, 0.5, 0.9, 0.999]
const WORDS = ['≤ 10 %', '≤ 50 %', '≤ 90 %', '< 99.9 %', 'whole day']
const LEVELS = [2, 4, 5, 6, 8]
const SCALE: HeatScale = { bounds: [], colors: 'heat' }

/** `1 day`, `1,084 days`. */
function countWords(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`
}

interface Cells {
  /** Days of one cell. */
  readonly dayCount: number
  readonly firstDay: number
  readonly columnCount: number
  /** Part of the days of a cell that is covered, row by row; -1 where none is there. */
  readonly shares: Float64Array
  readonly damaged: Uint8Array
}

/** Days as cells; where there are more days than pixels, a cell is several days and holds their mean. */
function cellsOf(columns: CoverageColumns, firstDay: number, lastDay: number, pixels: number): Cells {
  const days = lastDay - firstDay + 1
  const dayCount = Math.max(1, Math.ceil(days / pixels))
  const columnCount = Math.ceil(days / dayCount)
  const sums = new Float64Array(columnCount * columns.names.length).fill(-1)
  const damaged = new Uint8Array(sums.length)
  for (let row = 0; row < columns.epochDays.length; row++) {
    const [name, day, share] = [columns.nameIndices[row] ?? 0, columns.epochDays[row] ?? 0, columns.shares[row] ?? NaN]
    if (name >= columns.names.length || !Number.isFinite(share)) continue
    const cell = name * columnCount + Math.floor((day - firstDay) / dayCount)
    sums[cell] = Math.max(0, sums[cell] ?? 0) + Math.max(0, Math.min(1, share))
    damaged[cell] = (damaged[cell] ?? 0) | (columns.damaged?.[row] ?? 0)
  }
  return { dayCount, firstDay, columnCount, shares: sums.map((sum) => sum < 0 ? -1 : sum / dayCount), damaged }
}

/** Index of the words for a part of a day; -1 where nothing is there. */
function wordsOf(share: number): number {
  if (share < 0) return -1
  const index = BOUNDS.findIndex((bound, at) => at < BOUNDS.length - 1 ? share <= bound : share < bound)
  return index < 0 ? BOUNDS.length : index
}

function cellMarks(cells: Cells, rowPixels: number): PlotMark[] {
  const path = (
    chosen: (cell: number) => boolean, className: string, draw: (left: number, top: number, wide: number) => string,
  ): PlotMark => shapesMark(className, (x, y) => Array.from(cells.shares.keys()).filter(chosen).map((cell) => {
      const day = cells.firstDay + cell % cells.columnCount * cells.dayCount
      const [left, right] = [x(day * DAY_MS), x((day + cells.dayCount) * DAY_MS)]
      return draw(left, y(Math.floor(cell / cells.columnCount)), right - left)
    }).join(''))
  const gap = (wide: number): number => wide > 6 ? 1 : 0
  return [
    ...WORDS.map((_, level) => path(
      (cell) => wordsOf(cells.shares[cell] ?? -1) === level,
      levelClass(LEVELS[level] ?? 0, SCALE),
      (left, top, wide) => `M${pixelText(left)},${pixelText(top + 1)}h${pixelText(wide - gap(wide))}`
        + `v${pixelText(rowPixels - 2)}h${pixelText(gap(wide) - wide)}Z`,
    )),
    path((cell) => cells.damaged[cell] === 1, 'cross', (left, top, wide) => {
      const [x, y, size] = [left + wide / 2, top + rowPixels / 2, Math.max(2, Math.min(4, wide / 2 - 1))]
      return `M${pixelText(x - size)},${pixelText(y - size)}l${pixelText(2 * size)},${pixelText(2 * size)}`
        + `m${pixelText(-2 * size)},0l${pixelText(2 * size)},${pixelText(-2 * size)}`
    }),
  ]
}

/** The days that are there: a row for each instrument, a cell for each day, coloured by the part that is covered. */
export function coveragePicture(columns: CoverageColumns, options: PictureOptions = {}): Picture {
  const days = extentOf([columns.epochDays])
  const [firstDay, lastDay] = [days?.low ?? 0, days?.high ?? 0]
  const marginLeft = nameRoom(columns)
  const across = Math.max(1, widthOf(options) - marginLeft - RIGHT)
  const cells = cellsOf(columns, firstDay, lastDay, across)
  const height = heightOf(options, bounded(columns.names.length * 20, 40, 30, 2_000) + 50)
  const rowPixels = (height - 50) / Math.max(1, columns.names.length)
  const domain: [number, number] = [firstDay * DAY_MS, (lastDay + 1) * DAY_MS]
  return pictureOf({
    kind: 'coverage', title: 'Coverage', options, isEmpty: days === null || columns.names.length === 0,
    caption: `${countWords(columns.epochDays.length, 'day')} of ${countWords(columns.names.length, 'instrument')}, `
      + `${dayOf(domain[0])} to ${dayOf(lastDay * DAY_MS)}`
      + (cells.dayCount > 1 ? `; a cell is the mean of ${countText(cells.dayCount)} days` : ''),
    legend: [
      ...WORDS.map((label, level) => (
        { label, shape: 'square', className: levelClass(LEVELS[level] ?? 0, SCALE) } as const)),
      ...(columns.damaged?.includes(1) !== true ? [] : [
        { label: 'damaged', shape: 'cross', className: 'cross' } as const,
      ]),
    ],
    panels: [{
      height,
      options: (plot) => ({
        marginLeft, marginTop: 10, x: { type: 'linear', domain }, y: bandScale(columns),
        marks: [
          ...timeAxis(plot, domain, across + LEFT + RIGHT, { leastMs: DAY_MS }), ...cellMarks(cells, rowPixels),
          bandAxisY(plot, columns, '', height - 50),
        ],
      }),
    }],
  })
}
