import { PackedTimes } from '../../tables/packed-column.js'
import type { Table } from '../../tables/table.js'
import { checkRowCount, doublesColumn, measureRefusal, measureTable, type MarketTable } from './market-columns.js'

const BASIS_POINTS = 10_000

/** One side of a book, the best level first. */
export interface DepthSide {
  /** Prices and quantities in the units of the book, one a level. */
  readonly prices: Float64Array
  readonly quantities: Float64Array
  /** Levels of the side in these columns. */
  readonly count: number
  /** True where the book has no level behind them. */
  readonly isWhole: boolean
}

/** A book as the measure takes it. */
export interface DepthBook {
  readonly isSuspect: boolean
  readonly bids: DepthSide
  readonly asks: DepthSide
  /** Units of a price and of a quantity of 1: 1 for plain values, 10 to the scale for scaled integers. */
  readonly priceUnit: number
  readonly quantityUnit: number
}

/** The side with the mid of its book: distances are in basis points of it. */
interface MeasuredSide extends DepthSide {
  readonly mid: number
  /** 1 for asks, -1 for bids. */
  readonly sign: number
}

function distanceOf({ prices, mid, sign }: MeasuredSide, level: number): number {
  return (BASIS_POINTS * sign * ((prices[level] as number) - mid)) / Math.abs(mid)
}

/** Quantity up to a limit; NaN where the levels end before it and the book may go on. */
function depthOf(side: MeasuredSide, basisPoints: number): number {
  // A level at the limit itself counts, whatever the last bit of its distance is.
  const bound = basisPoints * (1 + 1e-12)
  let sum = 0
  for (let level = 0; level < side.count; level++) {
    if (distanceOf(side, level) > bound) return sum
    sum += side.quantities[level] as number
  }
  const isReached = distanceOf(side, side.count - 1) >= basisPoints * (1 - 1e-12)
  return side.isWhole || isReached ? sum : NaN
}

/** Quantity a basis point: the line through the touch's mid that is nearest to the cumulated quantities. */
function slopeOf(side: MeasuredSide): number {
  let [cumulated, product, squares] = [0, 0, 0]
  for (let level = 0; level < side.count; level++) {
    const distance = distanceOf(side, level)
    cumulated += side.quantities[level] as number
    product += distance * cumulated
    squares += distance * distance
  }
  return product / squares
}

/** Depth near the mid and slope of books, which are added one after the other: see {@link bookDepth}. */
export class DepthTable {
  readonly #ts: PackedTimes = new PackedTimes({ name: 'ts', type: { form: 'timestamp' }, nullable: false })
  readonly #rows: number[][] = []
  readonly #names: readonly string[]
  /** Columns with a null where the levels end before their limit, the books with one, and levels that reach them. */
  readonly #cutColumns: Set<string> = new Set()
  #cutBookCount = 0
  #levelsNeeded = 0

  /** Throws OPTION_INVALID for limits that are not above 0 and below 10,000. */
  constructor(private readonly basisPoints: readonly number[]) {
    for (const limit of basisPoints)
      if (!(limit > 0 && limit < BASIS_POINTS))
        throw measureRefusal('depth', 'basisPoints', 'above 0 and below 10000', String(limit))
    const depths = basisPoints.flatMap((limit) => ['bid', 'ask'].map((side) => `${side}_qty_${String(limit)}bp`))
    this.#names = ['mid', 'bid_slope', 'ask_slope', ...depths]
  }

  get rowCount(): number {
    return this.#rows.length
  }

  /** Adds the book of a time in epoch nanoseconds; its columns may be reused. */
  add(timeNs: bigint | null, { isSuspect, bids, asks, priceUnit, quantityUnit }: DepthBook): void {
    this.#ts.push(timeNs)
    const row = this.#names.map(() => NaN)
    this.#rows.push(row)
    const [bid, ask] = [bids.prices[0] as number, asks.prices[0] as number]
    if (isSuspect || bids.count === 0 || asks.count === 0 || !(bid <= ask)) return
    const mid = (bid + ask) / 2
    row[0] = mid / priceUnit
    // A mid of 0, as a spread may have, has no basis points.
    if (mid === 0) return
    const sides: readonly MeasuredSide[] = [{ ...bids, mid, sign: -1 }, { ...asks, mid, sign: 1 }]
    let isCut = false
    sides.forEach((side, place) => {
      row[1 + place] = slopeOf(side) / quantityUnit
      this.basisPoints.forEach((limit, at) => {
        const column = 3 + 2 * at + place
        const depth = depthOf(side, limit)
        row[column] = depth / quantityUnit
        if (!Number.isNaN(depth)) return
        isCut = true
        this.#cutColumns.add(this.#names[column] as string)
        const reach = distanceOf(side, side.count - 1)
        this.#levelsNeeded = Math.max(this.#levelsNeeded, Math.ceil((side.count * limit) / reach))
      })
    })
    if (isCut) this.#cutBookCount++
  }

  /** The table, with what its source says of instrument and day, and facts of its own. */
  table(source: Pick<MarketTable, 'metadata'>, facts: Iterable<readonly [string, string]> = []): Table {
    const columns = this.#names.map((name, at) => doublesColumn(name, this.#rows.map((row) => row[at] as number)))
    const warning = this.#warning()
    const warnings = warning === null ? {} : { warning }
    return measureTable('book_depth', [this.#ts, ...columns], source, { ...Object.fromEntries(facts), ...warnings })
  }

  /** Levels behind the last one are unknown: how many are needed is their density near the mid, carried on. */
  #warning(): string | null {
    if (this.#cutBookCount === 0) return null
    const columns = this.#names.filter((name) => this.#cutColumns.has(name)).join(', ')
    const levels = Number.isFinite(this.#levelsNeeded) ? `about ${String(this.#levelsNeeded)} levels` : 'more levels'
    return `${columns} ${this.#cutColumns.size === 1 ? 'is' : 'are'} null in ${String(this.#cutBookCount)} of ` +
      `${String(this.rowCount)} books: the levels of the grid end before the limit; it needs ${levels}, or ` +
      'day.depth, which reads whole books'
  }
}

/** Rows of each book of a grid: from, and to before. */
function bookRows(times: BigInt64Array): (readonly [from: number, to: number])[] {
  const books: (readonly [number, number])[] = []
  for (let from = 0; from < times.length;) {
    let to = from + 1
    while (to < times.length && times[to] === times[from]) to++
    books.push([from, to])
    from = to
  }
  return books
}

/** Levels of a side, which stand in the first of its rows. */
function levelCount(prices: Float64Array, [from, to]: readonly [number, number]): number {
  let row = from
  while (row < to && !Number.isNaN(prices[row])) row++
  return row - from
}

/**
 * Depth near the mid and slope of the book, one row a book of a grid (`day.bookTable({ everyMs })`, or a file of
 * `backtape book --every`). `bid_qty_10bp` is the quantity from the best bid to 10 basis points below the mid, the
 * limit included, for each of `basisPoints`; `bid_slope` = sum(x Q) / sum(x^2) over the levels of the grid, x the
 * distance of a level from the mid in basis points and Q the quantity cumulated up to it: quantity a basis point, the
 * line through the mid by least squares; the same of asks. All are null where a side is empty, the book is crossed or
 * `suspect` (after a gap, until the next snapshot). Doubles.
 *
 * A depth is null too where the levels of the grid end before its limit: `metadata` then has a `warning` with the
 * levels needed. `day.depth` takes whole books. A grid ends at its `levels`; where its metadata do not state them, as
 * in CSV, at the most levels that one of its sides has. Throws OPTION_INVALID for a grid without rows, and limits that
 * are not above 0.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { bookDepth } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const depth = bookDepth(await day.bookTable({ everyMs: 10_000, levels: 50 }), [5])
 * console.log(depth.rows.at(-1)?.bid_qty_5bp, depth.rows.at(-1)?.ask_slope, depth.metadata.get('warning'))
 * ```
 */
export function bookDepth(grid: MarketTable, basisPoints: readonly number[] = [5, 10, 25]): Table {
  checkRowCount('depth', 'grid', grid)
  const made = new DepthTable(basisPoints)
  const times = grid.timesNs('ts')
  const suspect = grid.numbers('suspect')
  const columns = (['bid', 'ask'] as const).map((side) => (
    { prices: grid.numbers(`${side}_price`), quantities: grid.numbers(`${side}_qty`) }))
  const books = bookRows(times)
  const counts = books.map((rows) => columns.map(({ prices }) => levelCount(prices, rows)))
  const stated = grid.metadata.get('levels')
  const most = stated === undefined
    ? counts.reduce((sofar, sides) => Math.max(sofar, ...sides), 0)
    : stated === 'all' ? Infinity : Number(stated)
  books.forEach(([from, to], at) => {
    const [bids, asks] = columns.map(({ prices, quantities }, side): DepthSide => {
      const count = counts[at]?.[side] ?? 0
      return {
        prices: prices.subarray(from, to), quantities: quantities.subarray(from, to), count, isWhole: count < most,
      }
    }) as [DepthSide, DepthSide]
    made.add(times[from] ?? null, { isSuspect: suspect[from] !== 0, bids, asks, priceUnit: 1, quantityUnit: 1 })
  })
  return made.table(grid)
}
