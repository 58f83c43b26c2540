import { IdMap } from '../model/id-map.js'
import type { Amount } from '../model/amount.js'
import { ExactSum } from '../model/exact-sum.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import { keptValue } from '../model/kept-value.js'
import { ScaledAmount } from '../rows/exact-integer.js'
import { FillRows } from './fill-rows.js'
import type { RowStore } from '../rows/row-store.js'
import type { RowTableState } from '../rows/row-table.js'
import type { Fill } from '../venue/account-messages.js'

/** Where a fill belongs and what it did to the money. */
export interface FillContext {
  /** The row of its order; -1 where no client sent it. */
  readonly orderRow: number
  readonly accountId: string
  readonly clientId: string
  /** Why it happened: a trade, an opposite level shown, own aggression, the end of a gap. */
  readonly cause: string
  /** In the fee underlying. */
  readonly fee: Amount
  /** In the settlement underlying. */
  readonly value: Amount
  readonly realizedPnl: Amount
  /** On spot what the wallet of the coin held after it; null else. */
  readonly wallet: Amount | null
  /** True where it lies behind the last line of its instrument's data. */
  readonly isBehindData: boolean
  /** True where the depth book of its instrument was crossed with itself (exchange rules 6.5). */
  readonly isInCrossedBook: boolean
  /** Twice the arrival mid of its order's terms, an integer at a scale; NaN where there is none. */
  readonly arrivalTwice: number
  readonly arrivalScale: number
}

/** A context that is used again for every fill. */
export type WritableFillContext = { -readonly [Name in keyof FillContext]: FillContext[Name] }

/** Sums over the fills of one account on one instrument. */
export interface FillSums {
  fillCount: number
  makerFillCount: number
  /** Sizes of the values of all fills, and of those that added liquidity. */
  readonly value: ExactSum
  readonly makerValue: ExactSum
  gapFillCount: number
  /** Fills behind the last line of the instrument's data. */
  behindDataCount: number
  /** Fills while the depth book was crossed with itself. */
  crossedFillCount: number
  /** Signed position and its extremes, at the instrument's quantity scale; 0 is always among them. */
  position: number
  lowestPosition: number
  highestPosition: number
}

/** Rows that were not received, and sums, beside the columns of the rows. */
interface FillContent {
  readonly unreceived: IdMap<number>
  readonly sums: Map<string, Map<number, FillSums>>
}

/** The recorder as plain data. */
export interface FillRecorderState {
  readonly rows: RowTableState
  readonly own: FillContent
}

const noInstruments = (): Map<number, FillSums> => new Map()

const noFills = (): FillSums => ({
  fillCount: 0, makerFillCount: 0, value: new ExactSum(), makerValue: new ExactSum(), gapFillCount: 0,
  behindDataCount: 0, crossedFillCount: 0, position: 0, lowestPosition: 0, highestPosition: 0,
})

/** Every fill of a world in the order of execution. */
export class FillRecorder {
  readonly rows: FillRows
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, FillSums>> = new Map()
  /** Rows by own fill id. */
  #unreceived: IdMap<number> = new IdMap()
  readonly #scaled: ScaledAmount = new ScaledAmount()

  constructor(private readonly directory: InstrumentDirectory, store: RowStore) {
    this.rows = new FillRows(store)
  }

  /** The number of fills that the clients had not received. */
  get unreceivedCount(): number {
    return this.#unreceived.size
  }

  /** A fill was posted; its row. */
  filled(fill: Fill, context: FillContext): number {
    const { ownFillId, instrumentId, exchangeTimeNs, quantity } = fill
    const { orderRow, clientId, wallet } = context
    const { rows } = this
    const entry = this.directory.get(instrumentId)
    const isBuy = fill.side === 'BID'
    const row = rows.table.add()
    rows.ownFillId.set(row, ownFillId)
    rows.order.set(row, orderRow)
    if (orderRow < 0) rows.ownOrderId.set(row, fill.ownOrderId)
    rows.accountId.set(row, context.accountId)
    rows.clientId.set(row, clientId)
    rows.instrumentId.set(row, instrumentId)
    rows.cause.set(row, context.cause)
    rows.exchangeTimeNs.set(row, exchangeTimeNs)
    rows.isBuy.set(row, isBuy ? 1 : 0)
    rows.addedLiquidity.set(row, fill.addedLiquidity ? 1 : 0)
    rows.price.set(row, fill.price)
    rows.priceScale.set(row, fill.priceScale ?? entry?.priceScale ?? 0)
    rows.quantity.set(row, quantity)
    rows.quantityScale.set(row, entry?.quantityScale ?? 0)
    rows.feeUnderlyingId.set(row, fill.feeUnderlyingId)
    rows.fees.setAmount(row, context.fee)
    rows.value.setAmount(row, context.value)
    rows.realizedPnl.setAmount(row, context.realizedPnl)
    if (wallet !== null) rows.wallet.setAmount(row, wallet)
    rows.arrivalTwice.set(row, context.arrivalTwice)
    rows.arrivalScale.set(row, context.arrivalScale)
    rows.position.set(row, this.#count(fill, context, isBuy ? quantity : -quantity))
    // A forced fill is nobody's own.
    if (clientId === '') rows.table.release(row)
    else this.#unreceived.set(ownFillId, row)
    return row
  }

  /** A position is another without a fill, as a split makes it. */
  moved(accountId: string, instrumentId: number, position: number): void {
    const known = this.sums.get(accountId)?.get(instrumentId)
    if (known === undefined && position === 0) return
    this.#reach(known ?? this.#sumsOf(accountId, instrumentId), position)
  }

  /**
   * A fill has reached a client; its row where the order is that client's own and it had not received it before, else
   * -1.
   */
  received(clientId: string, { ownFillId }: Fill, timeNs: number): number {
    const row = this.#unreceived.get(ownFillId)
    if (row === undefined || this.rows.clientId.at(row) !== clientId) return -1
    this.#unreceived.delete(ownFillId)
    this.rows.receivedNs.set(row, timeNs)
    return row
  }

  state(): FillRecorderState {
    return {
      rows: this.rows.table.state(),
      own: { unreceived: this.#unreceived, sums: this.sums },
    }
  }

  restore({ rows, own }: FillRecorderState): void {
    this.rows.table.restore(rows)
    const { unreceived, sums } = own
    this.#unreceived = unreceived
    this.sums = sums
  }

  #count(
    fill: Fill, { accountId, cause, value, isBehindData, isInCrossedBook }: FillContext, change: number,
  ): number {
    const sums = this.#sumsOf(accountId, fill.instrumentId)
    const { integer, scale } = this.#scaled.read(value.abs())
    sums.fillCount++
    sums.value.add(integer, scale)
    if (fill.addedLiquidity) {
      sums.makerFillCount++
      sums.makerValue.add(integer, scale)
    }
    if (cause === 'gap') sums.gapFillCount++
    if (isBehindData) sums.behindDataCount++
    if (isInCrossedBook) sums.crossedFillCount++
    this.#reach(sums, sums.position + change)
    return sums.position
  }

  #reach(sums: FillSums, position: number): void {
    sums.position = position
    sums.lowestPosition = Math.min(sums.lowestPosition, position)
    sums.highestPosition = Math.max(sums.highestPosition, position)
  }

  #sumsOf(accountId: string, instrumentId: number): FillSums {
    return keptValue(keptValue(this.sums, accountId, noInstruments), instrumentId, noFills)
  }
}
