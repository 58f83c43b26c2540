import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'

/**
 * So many orders that are over are still known, at most twice as many: enough for every late cancel, and the memory of
 * a long run stays flat.
 */
export const ENDED_ORDERS = 65_536

/** The orders of an account by own id, plain data. */
export interface OwnOrdersState {
  /** Rows of orders that are on their way or open. */
  readonly rows: IdMap<number>
  /** Instruments of orders that are over, in two generations. */
  readonly ended: IdMap<number>
  readonly endedBefore: IdMap<number>
}

/** The orders of one account by own id: rows of those on their way or open, instruments of those that are over. */
export class OwnOrders {
  /** Rows; -2 less the row of an order whose instrument is not known. */
  #rows: IdMap<number> = new IdMap()
  /** Those that are over, and the generation before them: when one is full, the older goes. */
  #ended: IdMap<number> = new IdMap()
  #endedBefore: IdMap<number> = new IdMap()

  /** `instrumentAt` is the instrument of a row. */
  constructor(private readonly instrumentAt: (row: number) => number) {}

  /** The row of an order that is on its way or open; -1 where there is none. */
  rowOf(ownOrderId: Id): number {
    const row = this.#rows.get(ownOrderId) ?? -1
    return row < -1 ? -2 - row : row
  }

  /** The instrument of an order; 0 where none is known. */
  instrumentOf(ownOrderId: Id): number {
    const row = this.#rows.get(ownOrderId)
    if (row === undefined) return this.#ended.get(ownOrderId) ?? this.#endedBefore.get(ownOrderId) ?? 0
    return row < 0 ? 0 : this.instrumentAt(row)
  }

  /** The number of orders that are on their way or open. */
  get openCount(): number {
    return this.#rows.size
  }

  /** True for the id of any order that is still known. */
  has(ownOrderId: Id): boolean {
    return this.#rows.has(ownOrderId) || this.#ended.has(ownOrderId) || this.#endedBefore.has(ownOrderId)
  }

  /** An order is on its way. */
  add(ownOrderId: Id, row: number): void {
    this.#rows.set(ownOrderId, row)
  }

  /** An order is on its way in the place of another, whose instrument it has. */
  addInPlace(ownOrderId: Id, row: number, of: Id): void {
    this.#rows.set(ownOrderId, this.instrumentOf(of) === 0 ? -2 - row : row)
  }

  /** An order is over; its row, -1 where it was none of those that are open. */
  end(ownOrderId: Id): number {
    const row = this.rowOf(ownOrderId)
    if (row < 0) return row
    const instrumentId = this.instrumentOf(ownOrderId)
    this.#rows.delete(ownOrderId)
    this.#ended.set(ownOrderId, instrumentId)
    if (this.#ended.size < ENDED_ORDERS) return row
    this.#endedBefore = this.#ended
    this.#ended = new IdMap()
    return row
  }

  state(): OwnOrdersState {
    return { rows: this.#rows, ended: this.#ended, endedBefore: this.#endedBefore }
  }

  restore({ rows, ended, endedBefore }: OwnOrdersState): void {
    this.#rows = rows
    this.#ended = ended
    this.#endedBefore = endedBefore
  }
}
