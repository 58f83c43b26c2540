/*
 * Millions of points become what a picture can show: for each column of pixels the first, the lowest, the highest and
 * the last point. So the line drawn through them covers the same pixels as the line through all points would.
 */

/** Points of a line, times in ascending order, UTC milliseconds; a value of NaN ends a stretch of the line. */
export interface LinePoints {
  readonly epochMs: Float64Array
  readonly values: Float64Array
}

/** The lowest and the highest value of each column of pixels that has one, columns in ascending order. */
export interface ColumnRanges {
  /** Index of the column, 0 is the first. */
  readonly columns: Int32Array
  readonly lows: Float64Array
  readonly highs: Float64Array
  /** Number of points in the column. */
  readonly counts: Uint32Array
}

/** The columns of pixels of a picture: `columnCount` equal parts of the time from `fromMs` to `toMs`. */
export interface PixelGrid {
  readonly fromMs: number
  readonly toMs: number
  readonly columnCount: number
}

/** Index of the column of a time; times outside the grid lie in its first or last column. */
export function columnOf(epochMs: number, { fromMs, toMs, columnCount }: PixelGrid): number {
  if (!(toMs > fromMs)) return 0
  const column = Math.floor((epochMs - fromMs) / (toMs - fromMs) * columnCount)
  return Math.max(0, Math.min(columnCount - 1, column))
}

/** Number of points that a column keeps at most: four, and a gap before each. */
const KEPT_PER_COLUMN = 8

/** The kept points of one line, gaps included. */
class KeptPoints {
  readonly #times: number[] = []
  readonly #values: number[] = []

  add(epochMs: number, value: number): void {
    // Two gaps in a row are one, and a line that begins with a gap begins where the gap ends.
    if (Number.isNaN(value) && (this.#values.length === 0 || Number.isNaN(this.#values.at(-1)))) return
    this.#times.push(epochMs)
    this.#values.push(value)
  }

  points(): LinePoints {
    return { epochMs: Float64Array.from(this.#times), values: Float64Array.from(this.#values) }
  }
}

/** One column while its points are read: indices of what it keeps, -1 where there is none. */
interface OpenColumn {
  column: number
  first: number
  low: number
  high: number
  last: number
}

function closeColumn(open: OpenColumn, line: LinePoints, gapsBefore: Uint32Array, kept: KeptPoints): void {
  if (open.first < 0) return
  const indices = [...new Set([open.first, open.low, open.high, open.last])].sort((one, other) => one - other)
  let before = open.first
  for (const index of indices) {
    // A gap anywhere between two kept points stays one, wherever in the column it lay.
    if (index !== before && gapsBefore[index] !== gapsBefore[before]) kept.add(line.epochMs[index] ?? 0, NaN)
    kept.add(line.epochMs[index] ?? 0, line.values[index] ?? NaN)
    before = index
  }
}

/** Number of gaps before each point: values or times that are no finite number. */
function countGaps({ epochMs, values }: LinePoints): Uint32Array {
  const counts = new Uint32Array(values.length)
  let count = 0
  for (let index = 0; index < values.length; index++) {
    if (!Number.isFinite(values[index]) || !Number.isFinite(epochMs[index])) count += 1
    counts[index] = count
  }
  return counts
}

/**
 * The points of a line that a picture needs: of each column of pixels the first, lowest, highest and last, in their
 * order. No extreme of a column is lost, a value that is no finite number stays a gap, and a line of fewer points than
 * twice the columns comes back whole. Values are doubles, as pixels are.
 *
 * @param line - times in ascending order
 */
export function lineInColumns(line: LinePoints, grid: PixelGrid): LinePoints {
  const { epochMs, values } = line
  const gapsBefore = countGaps(line)
  const kept = new KeptPoints()
  const isWhole = values.length <= 2 * grid.columnCount
  const open: OpenColumn = { column: -1, first: -1, low: -1, high: -1, last: -1 }
  let lastGap = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? NaN
    if (!Number.isFinite(value) || !Number.isFinite(epochMs[index])) continue
    const column = isWhole ? index : columnOf(epochMs[index] ?? 0, grid)
    if (column !== open.column) {
      closeColumn(open, line, gapsBefore, kept)
      if (gapsBefore[index] !== lastGap) kept.add(epochMs[index] ?? 0, NaN)
      open.column = column
      open.first = open.low = open.high = index
    }
    if (value < (values[open.low] ?? NaN)) open.low = index
    if (value > (values[open.high] ?? NaN)) open.high = index
    open.last = index
    lastGap = gapsBefore[index] ?? 0
  }
  closeColumn(open, line, gapsBefore, kept)
  return kept.points()
}

/** The greatest number of points that {@link lineInColumns} gives for a grid, gaps included. */
export function keptPointsMax({ columnCount }: PixelGrid): number {
  return KEPT_PER_COLUMN * columnCount
}

/**
 * The lowest and highest value of each column of pixels, for points that no line joins, such as trades. Values and
 * times that are no finite numbers are left out. In any order of time.
 */
export function rangesInColumns({ epochMs, values }: LinePoints, grid: PixelGrid): ColumnRanges {
  const lows = new Float64Array(grid.columnCount).fill(Infinity)
  const highs = new Float64Array(grid.columnCount).fill(-Infinity)
  const counts = new Uint32Array(grid.columnCount)
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? NaN
    if (!Number.isFinite(value) || !Number.isFinite(epochMs[index])) continue
    const column = columnOf(epochMs[index] ?? 0, grid)
    if (value < (lows[column] ?? 0)) lows[column] = value
    if (value > (highs[column] ?? 0)) highs[column] = value
    counts[column] = (counts[column] ?? 0) + 1
  }
  const columns = Int32Array.from(counts.keys()).filter((column) => (counts[column] ?? 0) > 0)
  const of = (from: Float64Array): Float64Array => Float64Array.from(columns, (column) => from[column] ?? NaN)
  return {
    columns, lows: of(lows), highs: of(highs), counts: Uint32Array.from(columns, (column) => counts[column] ?? 0),
  }
}
