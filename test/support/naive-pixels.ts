/* Reductions of pictures, computed point by point. */

/** The look of a line in one column of pixels, and whether the line breaks between neighbours. */
export interface NaiveColumn {
  readonly low: number
  readonly high: number
  readonly first: number
  readonly last: number
}

/** The columns of a line: those of the finite values of each. */
export function naiveColumns(epochMs: readonly number[], values: readonly number[], fromMs: number, toMs: number, columnCount: number): Map<number, NaiveColumn> {
  const found = new Map<number, number[]>()
  for (const [index, value] of values.entries()) {
    if (!Number.isFinite(value) || !Number.isFinite(epochMs[index])) continue
    const place = toMs > fromMs ? Math.floor((epochMs[index]! - fromMs) / (toMs - fromMs) * columnCount) : 0
    const column = Math.max(0, Math.min(columnCount - 1, place))
    found.set(column, [...found.get(column) ?? [], value])
  }
  return new Map([...found].map(([column, all]) => [column, { low: Math.min(...all), high: Math.max(...all), first: all[0]!, last: all.at(-1)! }]))
}

/** Pairs of neighbouring points that no line may join: whatever lies between them is a gap. */
export function naiveHasGap(epochMs: readonly number[], values: readonly number[], from: number, to: number): boolean {
  return values.some((value, index) => index > from && index < to && (!Number.isFinite(value) || !Number.isFinite(epochMs[index])))
}

/** The mean quantity of one cell, weighted by time; millisecond by millisecond, so times are whole. */
export function naiveCell(books: readonly { readonly atMs: number; readonly rows: readonly (readonly [price: number, quantity: number])[] }[], fromMs: number, toMs: number, low: number, high: number, isLast: boolean, endMs: number): number {
  let [sum, known] = [0, 0]
  for (let ms = fromMs; ms < toMs; ms++) {
    const book = books.findLast(({ atMs }) => atMs <= ms)
    if (book === undefined || book.rows.length === 0 || ms >= endMs) continue
    known += 1
    sum += book.rows.reduce((total, [price, quantity]) => total + (price >= low && (isLast ? price <= high : price < high) ? quantity : 0), 0)
  }
  return known === 0 ? NaN : sum / known
}
