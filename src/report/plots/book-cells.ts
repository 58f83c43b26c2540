/*
 * Books at many times become cells of time and price. A cell holds the quantity in its range of prices, averaged over
 * the time of its column during which a book was known.
 */

/** Books at many times; doubles, since a picture has pixels. */
export interface BookSamples {
  /** UTC milliseconds in ascending order; each book holds until the next time. */
  readonly epochMs: Float64Array
  /** Levels of sample `i`: rows `rowStarts[i]` up to `rowStarts[i + 1]`. None where the book is unknown. */
  readonly rowStarts: Uint32Array
  /** Price of each row. */
  readonly prices: Float64Array
  /** Quantity of each row. */
  readonly quantities: Float64Array
}

/** The cells of a heat map, column by column, from the lowest price. */
export interface CellGrid {
  readonly fromMs: number
  readonly toMs: number
  readonly columnCount: number
  readonly lowPrice: number
  readonly highPrice: number
  readonly rowCount: number
}

/** Row of a price, or -1 outside the grid. */
function cellRow(price: number, { lowPrice, highPrice, rowCount }: CellGrid): number {
  if (!(price >= lowPrice && price <= highPrice) || !(highPrice > lowPrice)) return -1
  return Math.min(rowCount - 1, Math.floor((price - lowPrice) / (highPrice - lowPrice) * rowCount))
}

/** The part of the time from `fromMs` to `toMs` that lies in each column, by a callback. */
function eachColumn(
  fromMs: number, toMs: number, grid: CellGrid, visit: (column: number, durationMs: number) => void,
): void {
  const widthMs = (grid.toMs - grid.fromMs) / grid.columnCount
  const [from, to] = [Math.max(fromMs, grid.fromMs), Math.min(toMs, grid.toMs)]
  if (!(to > from) || !(widthMs > 0)) return
  const first = Math.min(grid.columnCount - 1, Math.floor((from - grid.fromMs) / widthMs))
  for (let column = first; column < grid.columnCount; column++) {
    const begin = grid.fromMs + column * widthMs
    const durationMs = Math.min(to, begin + widthMs) - Math.max(from, begin)
    if (durationMs > 0) visit(column, durationMs)
    if (begin + widthMs >= to) return
  }
}

/**
 * The mean quantity of each cell, weighted by time, NaN where no book was known during the column. Levels outside the
 * grid and numbers that are not finite are left out. Index: column times `rowCount` plus row.
 */
export function bookCells(samples: BookSamples, grid: CellGrid): Float64Array {
  const { epochMs, rowStarts, prices, quantities } = samples
  const cells = new Float64Array(grid.columnCount * grid.rowCount)
  const knownMs = new Float64Array(grid.columnCount)
  const column = new Float64Array(grid.rowCount)
  for (let sample = 0; sample < epochMs.length; sample++) {
    const [start, end] = [rowStarts[sample] ?? 0, rowStarts[sample + 1] ?? prices.length]
    if (end <= start) continue
    column.fill(0)
    for (let row = start; row < end; row++) {
      const [at, quantity] = [cellRow(prices[row] ?? NaN, grid), quantities[row] ?? NaN]
      if (at >= 0 && Number.isFinite(quantity)) column[at] = (column[at] ?? 0) + quantity
    }
    eachColumn(epochMs[sample] ?? NaN, epochMs[sample + 1] ?? grid.toMs, grid, (at, durationMs) => {
      knownMs[at] = (knownMs[at] ?? 0) + durationMs
      const offset = at * grid.rowCount
      for (let row = 0; row < grid.rowCount; row++) {
        cells[offset + row] = (cells[offset + row] ?? 0) + (column[row] ?? 0) * durationMs
      }
    })
  }
  return cells.map((sum, index) => {
    const known = knownMs[Math.floor(index / grid.rowCount)] ?? 0
    return known > 0 ? sum / known : NaN
  })
}
