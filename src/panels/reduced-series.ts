/** A line as it is drawn: of each column its begin, the least and the greatest value, and the last one. */
export interface SeriesColumns {
  /** Epoch milliseconds, ascending: doubles, as everything of a picture. */
  readonly timeMs: readonly number[]
  readonly low: readonly number[]
  readonly high: readonly number[]
  readonly last: readonly number[]
  /** Points that a column has, but for the last column, which may have fewer. */
  readonly pointsEach: number
  /** Points of the last column. */
  readonly lastPoints: number
}

/** Columns at most: a screen has no more. */
const COLUMNS_MAX = 2_048

/**
 * A line of any length in bounded memory: where its columns are too many, each two of them become one, with the least
 * and the greatest value of both, so that no peak is lost. Values are doubles, for pictures.
 *
 * @example `new ReducedSeries().add(0, 1, 2, 1.5)`
 */
export class ReducedSeries {
  readonly #timeMs: number[]
  readonly #low: number[]
  readonly #high: number[]
  readonly #last: number[]
  #pointsEach: number
  #lastPoints: number

  /** Goes on from the columns of another one. */
  constructor(columns: SeriesColumns | null = null, private readonly columnsMax: number = COLUMNS_MAX) {
    this.#timeMs = [...columns?.timeMs ?? []]
    this.#low = [...columns?.low ?? []]
    this.#high = [...columns?.high ?? []]
    this.#last = [...columns?.last ?? []]
    this.#pointsEach = columns?.pointsEach ?? 1
    this.#lastPoints = columns?.lastPoints ?? 0
  }

  /** The line so far; its arrays are the series' own. */
  get columns(): SeriesColumns {
    return {
      timeMs: this.#timeMs, low: this.#low, high: this.#high, last: this.#last, pointsEach: this.#pointsEach,
      lastPoints: this.#lastPoints,
    }
  }

  /** Adds a point, or a span with its least, greatest and last value; times ascend. */
  add(timeMs: number, low: number, high: number, last: number): void {
    const at = this.#timeMs.length - 1
    if (at >= 0 && this.#lastPoints < this.#pointsEach) {
      this.#low[at] = Math.min(this.#low[at] as number, low)
      this.#high[at] = Math.max(this.#high[at] as number, high)
      this.#last[at] = last
      this.#lastPoints++
      return
    }
    if (this.#timeMs.length === this.columnsMax) {
      this.#halve()
      return this.add(timeMs, low, high, last)
    }
    this.#timeMs.push(timeMs)
    this.#low.push(low)
    this.#high.push(high)
    this.#last.push(last)
    this.#lastPoints = 1
  }

  /** Multiplies all values: they are integers at a scale that has become finer. */
  rescale(factor: number): void {
    for (const column of [this.#low, this.#high, this.#last])
      for (let at = 0; at < column.length; at++) column[at] = (column[at] as number) * factor
  }

  #halve(): void {
    const count = this.#timeMs.length
    for (let at = 0; at < count; at += 2) {
      const [to, next] = [at / 2, Math.min(at + 1, count - 1)]
      this.#timeMs[to] = this.#timeMs[at] as number
      this.#low[to] = Math.min(this.#low[at] as number, this.#low[next] as number)
      this.#high[to] = Math.max(this.#high[at] as number, this.#high[next] as number)
      this.#last[to] = this.#last[next] as number
    }
    const kept = Math.ceil(count / 2)
    for (const column of [this.#timeMs, this.#low, this.#high, this.#last]) column.length = kept
    this.#lastPoints = count % 2 === 0 ? this.#pointsEach * 2 : this.#pointsEach
    this.#pointsEach *= 2
  }
}
