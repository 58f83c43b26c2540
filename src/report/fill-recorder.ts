import type { Amount } from '../model/amount.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import type { FillTable } from '../orders/fill-table.js'
import { ScaledAmount } from '../rows/exact-integer.js'
import type { Fill } from '../venue/account-messages.js'
import { FillRows } from './fill-rows.js'

/** Facts of a fill beside its row. */
export interface FillContext {
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

/** The recorder as plain data; the rows are the table's to keep. */
export interface FillRecorderState {
  readonly unreceivedCount: number
  /** Exchange time of the last fill, nanoseconds; null: there is none. */
  readonly lastNs: number | null
  readonly sums: Map<string, Map<number, FillSums>>
}

const noInstruments = (): Map<number, FillSums> => new Map()

const noFills = (): FillSums => ({
  fillCount: 0, makerFillCount: 0, value: new ExactSum(), makerValue: new ExactSum(), gapFillCount: 0,
  behindDataCount: 0, crossedFillCount: 0, position: 0, lowestPosition: 0, highestPosition: 0,
})

/** Writes down of every fill of a world what lies beside its row, and counts it. */
export class FillRecorder {
  readonly rows: FillRows
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, FillSums>> = new Map()
  /** The number of fills that the clients had not received. */
  unreceivedCount = 0
  /** Exchange time of the last fill, nanoseconds; null: there is none. */
  lastNs: number | null = null
  readonly #scaled: ScaledAmount = new ScaledAmount()

  constructor(fills: FillTable) {
    this.rows = new FillRows(fills)
  }

  /** A fill was posted, `value` in its settlement underlying. */
  filled(row: number, value: Amount, context: FillContext): void {
    const { rows } = this
    const { fills } = rows
    if (context.wallet !== null) rows.wallet.setAmount(row, context.wallet)
    rows.arrivalTwice.set(row, context.arrivalTwice)
    rows.arrivalScale.set(row, context.arrivalScale)
    rows.position.set(row, this.#count(row, value, context))
    // A forced fill is nobody's own.
    if (fills.order.at(row) < 0) fills.rows.release(row)
    else this.unreceivedCount++
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
  received(row: number, clientId: string, { ownFillId, update }: Fill, timeNs: number): number {
    const { fills, receivedNs } = this.rows
    if (fills.clientId.at(row) !== clientId || fills.order.at(row) < 0 || !Number.isNaN(receivedNs.at(row))) return -1
    // The row of a fill that was received long ago may be that of another one by now.
    if (update && fills.ownFillId.at(row) !== String(ownFillId)) return -1
    this.unreceivedCount--
    receivedNs.set(row, timeNs)
    return row
  }

  state(): FillRecorderState {
    return { unreceivedCount: this.unreceivedCount, lastNs: this.lastNs, sums: this.sums }
  }

  restore({ unreceivedCount, lastNs, sums }: FillRecorderState): void {
    this.unreceivedCount = unreceivedCount
    this.lastNs = lastNs
    this.sums = sums
  }

  /** The position after a fill. */
  #count(row: number, value: Amount, { isBehindData, isInCrossedBook }: FillContext): number {
    const { fills } = this.rows
    const sums = this.#sumsOf(fills.accountId.at(row), fills.instrumentId.at(row))
    const { integer, scale } = this.#scaled.read(value.abs())
    sums.fillCount++
    this.lastNs = fills.exchangeTimeNs.at(row)
    sums.value.add(integer, scale)
    if (fills.addedLiquidity.at(row) === 1) {
      sums.makerFillCount++
      sums.makerValue.add(integer, scale)
    }
    if (fills.cause.at(row) === 'gap') sums.gapFillCount++
    if (isBehindData) sums.behindDataCount++
    if (isInCrossedBook) sums.crossedFillCount++
    const quantity = fills.quantity.at(row)
    this.#reach(sums, sums.position + (fills.isBuy.at(row) === 1 ? quantity : -quantity))
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
