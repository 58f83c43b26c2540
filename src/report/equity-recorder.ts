import { plus, type Decimal } from '../model/decimal.js'
import { addToDrawdown, beginDrawdown, NO_FALL, type Drawdown } from './drawdown.js'
import { keptValue } from '../model/kept-value.js'
import { AmountColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable, type RowTableState } from '../rows/row-table.js'

/** The money of one underlying at an instant, over all accounts of a world. */
export interface MoneySums {
  /** Starting balances. */
  readonly start: Decimal
  readonly realizedPnl: Decimal
  readonly unrealizedPnl: Decimal
  readonly fees: Decimal
  /** Funding and interest: received less paid. */
  readonly flows: Decimal
  readonly turnover: Decimal
}

/** Start, profits, fees and flows put together. */
export function equityOf({ start, realizedPnl, unrealizedPnl, fees, flows }: MoneySums): Decimal {
  const gross = plus(plus(start, realizedPnl), unrealizedPnl)
  return plus(fees.isZero() ? gross : gross.minus(fees), flows)
}

/** Rows of the equity table: amounts of one underlying at an instant. */
export class EquitySamples {
  readonly table: RowTable
  readonly timeNs: NumberColumn
  readonly underlyingId: WordColumn<number>
  readonly equity: AmountColumn
  readonly realizedPnl: AmountColumn
  readonly unrealizedPnl: AmountColumn
  readonly fees: AmountColumn
  readonly drawdown: AmountColumn
  /** All of them but time and underlying. */
  readonly amounts: readonly AmountColumn[]

  constructor(store: RowStore) {
    const table = (this.table = new RowTable(store))
    this.timeNs = new NumberColumn(table, 'timeNs')
    this.underlyingId = new WordColumn(table, 'underlyingId')
    this.equity = new AmountColumn(table, 'equity')
    this.realizedPnl = new AmountColumn(table, 'realizedPnl')
    this.unrealizedPnl = new AmountColumn(table, 'unrealizedPnl')
    this.fees = new AmountColumn(table, 'fees')
    this.drawdown = new AmountColumn(table, 'drawdown')
    this.amounts = [this.equity, this.realizedPnl, this.unrealizedPnl, this.fees, this.drawdown]
  }
}

/** The sums of the samples of one underlying. */
export interface EquityTrack {
  /**
   * The last sample: its sums, null where they are not known any more, its equity, and how far that lies below the
   * peak.
   */
  sums: MoneySums | null
  equity: Decimal
  fall: Decimal
  readonly drawdown: Drawdown
  /** The highest equity of a row. */
  rowPeak: Decimal
}

/** The sums of the samples so far. */
interface EquitySums {
  readonly tracks: Map<number, EquityTrack>
  startNs: number
}

/** The recorder as plain data. */
export interface EquityRecorderState {
  readonly rows: RowTableState
  readonly sums: EquitySums
}

/**
 * Equity by underlying at sampled instants: rows for a table, and as sums what the summary says of them, so that it is
 * the same where no rows are kept.
 */
export class EquityRecorder {
  readonly rows: EquitySamples
  #sums: EquitySums = { tracks: new Map(), startNs: 0 }

  /** The last row of each underlying, and what it was made of. */
  readonly #lastRows: Map<number, { row: number; readonly sums: MoneySums }> = new Map()

  /** `hasSampleRows` false: samples are no rows, {@link row} alone makes them. */
  constructor(private readonly store: RowStore, private readonly hasSampleRows = true) {
    this.rows = new EquitySamples(store)
  }

  get tracks(): ReadonlyMap<number, EquityTrack> {
    return this.#sums.tracks
  }

  /** When the first sample was taken. */
  get startNs(): number {
    return this.#sums.startNs
  }

  /** The first sample: equity where the run begins. */
  begin(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    this.#sums.startNs = timeNs
    this.#add(timeNs, money)
    if (!this.hasSampleRows) this.row(timeNs, money)
  }

  /** A later sample. */
  sample(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    this.#add(timeNs, money)
  }

  /** Rows between samples, of which nothing else is made. */
  row(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    if (!this.store.isKeeping) return
    for (const [underlyingId, sums] of money) {
      const track = this.#trackOf(underlyingId, sums.start)
      this.#keep(timeNs, underlyingId, sums, sums === track.sums ? track.equity : equityOf(sums), track)
    }
  }

  state(): EquityRecorderState {
    return { rows: this.rows.table.state(), sums: this.#sums }
  }

  restore({ rows, sums }: EquityRecorderState): void {
    this.rows.table.restore(rows)
    this.#sums = sums
  }

  #add(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    for (const [underlyingId, sums] of money) {
      const track = this.#trackOf(underlyingId, sums.start)
      const equity = sums === track.sums ? track.equity : equityOf(sums)
      if (equity !== track.equity || track.sums === null) track.fall = addToDrawdown(track.drawdown, equity, timeNs)
      else if (track.fall.isZero()) track.drawdown.peakNs = timeNs
      track.sums = sums
      track.equity = equity
      if (this.hasSampleRows && this.store.isKeeping) this.#keep(timeNs, underlyingId, sums, equity, track)
    }
  }

  #keep(timeNs: number, underlyingId: number, sums: MoneySums, equity: Decimal, track: EquityTrack): void {
    if (equity !== track.rowPeak && equity.gt(track.rowPeak)) track.rowPeak = equity
    const { rows } = this
    const row = rows.table.add()
    rows.timeNs.set(row, timeNs)
    rows.underlyingId.set(row, underlyingId)
    const last = this.#lastRows.get(underlyingId)
    // Nothing has changed since: most rows of a world that rests.
    if (last?.sums === sums) {
      for (const column of rows.amounts) column.copy(row, last.row)
      last.row = row
      return
    }
    this.#lastRows.set(underlyingId, { row, sums })
    rows.equity.setDecimal(row, equity)
    rows.realizedPnl.setDecimal(row, sums.realizedPnl)
    rows.unrealizedPnl.setDecimal(row, sums.unrealizedPnl)
    rows.fees.setDecimal(row, sums.fees)
    rows.drawdown.setDecimal(row, equity === track.rowPeak ? NO_FALL : track.rowPeak.minus(equity))
  }

  /** An underlying that shows up later stood at its start until then. */
  #trackOf(underlyingId: number, start: Decimal): EquityTrack {
    return keptValue(this.#sums.tracks, underlyingId, () => ({
      sums: null, equity: start, fall: NO_FALL, drawdown: beginDrawdown(start, this.#sums.startNs), rowPeak: start,
    }))
  }
}
