import type { Table } from '../../tables/table.js'
import { checkRowCount, doublesColumn, measureRefusal, measureTable, type MarketTable } from './market-columns.js'
import { PackedTimes } from '../../tables/packed-column.js'

const BASIS_POINTS = 10_000

/** One book of a grid: its rows are those from `from` to before `to`. */
interface GridBook {
  readonly from: number
  readonly to: number
}

function booksOf(times: BigInt64Array): GridBook[] {
  const books: GridBook[] = []
  for (let from = 0; from < times.length;) {
    let to = from + 1
    while (to < times.length && times[to] === times[from]) to++
    books.push({ from, to })
    from = to
  }
  return books
}

/** One side of a book: distances in basis points of the mid, and quantities. */
interface SideLevels {
  readonly distance: readonly number[]
  readonly quantity: readonly number[]
}

function levelsOf(
  { from, to }: GridBook, prices: Float64Array, quantities: Float64Array, mid: number, sign: number,
): SideLevels {
  const [distance, quantity]: [number[], number[]] = [[], []]
  for (let row = from; row < to; row++) {
    if (Number.isNaN(prices[row])) continue
    distance.push((BASIS_POINTS * sign * ((prices[row] as number) - mid)) / mid)
    quantity.push(quantities[row] as number)
  }
  return { distance, quantity }
}

function depthOf({ distance, quantity }: SideLevels, basisPoints: number): number {
  // A level at the limit itself counts, whatever the last bit of its distance is.
  return quantity.reduce((sum, one, at) => ((distance[at] as number) <= basisPoints * (1 + 1e-12) ? sum + one : sum), 0)
}

/** Quantity a basis point: the line through the touch's mid that is nearest to the cumulated quantities. */
function slopeOf({ distance, quantity }: SideLevels): number {
  let [cumulated, product, squares] = [0, 0, 0]
  distance.forEach((one, at) => {
    cumulated += quantity[at] as number
    product += one * cumulated
    squares += one * one
  })
  return product / squares
}

/**
 * Depth near the mid and slope of the book, one row a book of a grid (`day.bookTable({ everyMs })`, or a file of
 * `backtape book --every`). `bid_qty_10bp` is the quantity from the best bid to 10 basis points below the mid, the
 * limit included, for each of `basisPoints`; `bid_slope` = sum(x Q) / sum(x^2) over the levels of the grid, x the
 * distance of a level from the mid in basis points and Q the quantity cumulated up to it: quantity a basis point, the
 * line through the mid by least squares; the same of asks. All are null where a side is empty, the book is crossed or
 * `suspect` (after a gap, until the next snapshot). A grid of few levels ends where its levels end: depth is what it
 * holds. Doubles. Throws OPTION_INVALID for a grid without rows, and limits that are not above 0.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { bookDepth } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const depth = bookDepth(await day.bookTable({ everyMs: 10_000, levels: 50 }), [5, 25])
 * console.log(depth.rows.at(-1)?.bid_qty_25bp, depth.rows.at(-1)?.ask_slope)
 * ```
 */
export function bookDepth(grid: MarketTable, basisPoints: readonly number[] = [5, 10, 25]): Table {
  checkRowCount('depth', 'grid', grid)
  for (const limit of basisPoints)
    if (!(limit > 0 && limit < BASIS_POINTS))
      throw measureRefusal('depth', 'basisPoints', 'above 0 and below 10000', String(limit))
  const times = grid.timesNs('ts')
  const suspect = grid.numbers('suspect')
  const [bidPrice, bidQuantity] = [grid.numbers('bid_price'), grid.numbers('bid_qty')]
  const [askPrice, askQuantity] = [grid.numbers('ask_price'), grid.numbers('ask_qty')]
  const ts = new PackedTimes({ name: 'ts', type: { form: 'timestamp' }, nullable: false })
  const rows = booksOf(times).map((book) => {
    const { from } = book
    ts.push(times[from] ?? null)
    const isMarket = suspect[from] === 0 && (bidPrice[from] as number) <= (askPrice[from] as number)
    const mid = isMarket ? ((bidPrice[from] as number) + (askPrice[from] as number)) / 2 : NaN
    const sides = [
      levelsOf(book, bidPrice, bidQuantity, mid, -1), levelsOf(book, askPrice, askQuantity, mid, 1),
    ]
    const known = (value: number): number => (isMarket ? value : NaN)
    return [
      mid, ...sides.map((side) => known(slopeOf(side))),
      ...basisPoints.flatMap((limit) => sides.map((side) => known(depthOf(side, limit)))),
    ]
  })
  const names = [
    'mid', 'bid_slope', 'ask_slope',
    ...basisPoints.flatMap((limit) => ['bid', 'ask'].map((side) => `${side}_qty_${String(limit)}bp`)),
  ]
  return measureTable(
    'book_depth', [ts, ...names.map((name, at) => doublesColumn(name, rows.map((row) => row[at] as number)))], grid,
  )
}
