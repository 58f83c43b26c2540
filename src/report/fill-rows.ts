import type { FillTable } from '../orders/fill-table.js'
import { AmountColumn, ByteColumn, NumberColumn } from '../rows/row-columns.js'

/** The times after the receipt of a fill at which the market is looked at again: 0.1, 1, 10 and 60 s. */
export const MARK_OUT_HORIZONS_NS: readonly number[] = [100_000_000, 1_000_000_000, 10_000_000_000, 60_000_000_000]

/** Columns of a report beside those of the fills. */
export class FillRows {
  /** When its client received it, local time; NaN where the run ended before. */
  readonly receivedNs: NumberColumn
  /** Signed position after it (on spot what the fills have come to), at the instrument's quantity scale. */
  readonly position: NumberColumn
  /** On spot what the wallet of the coin held after it; 0 else. */
  readonly wallet: AmountColumn
  /** Twice the arrival mid of its order's terms, an integer at a scale; NaN where there is none. */
  readonly arrivalTwice: NumberColumn
  readonly arrivalScale: ByteColumn
  /** Signed mark-out per unit after each horizon, an integer at a scale; NaN until it is measured. */
  readonly markOuts: readonly NumberColumn[]
  readonly markOutScales: readonly ByteColumn[]

  constructor(readonly fills: FillTable) {
    const { rows } = fills
    this.receivedNs = new NumberColumn(rows, 'receivedNs', NaN)
    this.position = new NumberColumn(rows, 'position')
    this.wallet = new AmountColumn(rows, 'wallet')
    this.arrivalTwice = new NumberColumn(rows, 'arrivalTwice', NaN)
    this.arrivalScale = new ByteColumn(rows, 'arrivalScale')
    this.markOuts = MARK_OUT_HORIZONS_NS.map((_, horizon) => new NumberColumn(rows, `markOut ${horizon}`, NaN))
    this.markOutScales = MARK_OUT_HORIZONS_NS.map((_, horizon) => new ByteColumn(rows, `markOutScale ${horizon}`))
  }
}
