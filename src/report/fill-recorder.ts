import type { Amount } from '../model/amount.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import type { MarkedFill } from './mark-outs.js'
import { keptValue } from '../model/kept-value.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'
import { noInstruments, PackedRows, type PackedForm, type Rowed, type RowBudget } from './packed-rows.js'
import type { Fill } from '../venue/account-messages.js'

/** Where a fill belongs and what it did to the money. */
export interface FillContext {
  readonly accountId: string
  readonly clientId: string
  /** Why it happened: a trade, an opposite level shown, own aggression, the end of a gap. */
  readonly cause: string
  /** In the settlement underlying. */
  readonly value: Amount
  readonly realizedPnl: Amount
  /** On spot what the wallet of the coin held after it; 0 else. */
  readonly wallet: string
  /** True where it lies behind the last line of its instrument's data. */
  readonly isBehindData: boolean
}

/** A fill as the exchange made it, and when its client received it. */
export interface FillRecord extends MarkedFill, Rowed {
  readonly ownFillId: string
  readonly ownOrderId: string
  readonly exchangeTimeNs: number
  readonly addedLiquidity: boolean
  readonly fees: string
  readonly feeUnderlyingId: number
  readonly accountId: string
  readonly clientId: string
  readonly cause: string
  readonly value: string
  readonly realizedPnl: string
  /** Signed position after it (on spot what the fills have come to), at the instrument's quantity scale. */
  readonly position: number
  readonly wallet: string
  /** Local time; null where the run ended before. */
  receivedNs: number | null
}

const FORMS: { readonly [Name in Exclude<keyof FillRecord, 'row'>]: PackedForm } = {
  ownFillId: 'id', ownOrderId: 'id', exchangeTimeNs: 'number', addedLiquidity: 'word', fees: 'decimal',
  feeUnderlyingId: 'word', accountId: 'word', clientId: 'word', cause: 'word', value: 'decimal', realizedPnl: 'decimal',
  position: 'number', wallet: 'decimal', receivedNs: 'number', instrumentId: 'word', sign: 'word', price: 'number',
  priceScale: 'word', quantity: 'number', quantityScale: 'word', markOuts: 'numbers', markOutScales: 'numbers',
}

/** Sums over the fills of one account on one instrument. */
export interface FillSums {
  fillCount: number
  makerFillCount: number
  gapFillCount: number
  /** Fills behind the last line of the instrument's data. */
  behindDataCount: number
  /** Signed position and its extremes, at the instrument's quantity scale; 0 is always among them. */
  position: number
  lowestPosition: number
  highestPosition: number
}

/** The recorder as plain data; fills are meant by their index among the records. */
export interface FillRecorderState {
  readonly records: readonly FillRecord[]
  /** The number of records that are rows: the first ones. */
  readonly rowCount: number
  readonly unreceived: readonly number[]
  readonly sums: Saved<Map<string, Map<number, FillSums>>>
}

const noFills = (): FillSums => ({
  fillCount: 0, makerFillCount: 0, gapFillCount: 0, behindDataCount: 0, position: 0, lowestPosition: 0,
  highestPosition: 0,
})

/** Every fill of a world in the order of execution. */
export class FillRecorder {
  readonly rows: PackedRows<FillRecord> = new PackedRows(FORMS)
  /** By account id, then instrument id. */
  sums: Map<string, Map<number, FillSums>> = new Map()
  readonly #unreceived: Map<string, FillRecord> = new Map()

  constructor(private readonly directory: InstrumentDirectory, private readonly budget: RowBudget) {}

  /** The number of fills that the clients had not received. */
  get unreceivedCount(): number {
    return this.#unreceived.size
  }

  filled(fill: Fill, context: FillContext): void {
    const entry = this.directory.get(fill.instrumentId)
    const sign = fill.side === 'BID' ? 1 : -1
    const { ownFillId, ownOrderId, exchangeTimeNs, addedLiquidity, fees, feeUnderlyingId } = fill
    const record: FillRecord = {
      row: this.budget.isKeeping ? this.rows.length : -1,
      ownFillId, ownOrderId, exchangeTimeNs, addedLiquidity, fees: String(fees), feeUnderlyingId,
      accountId: context.accountId,
      clientId: context.clientId,
      cause: context.cause,
      value: context.value.toFixed(),
      realizedPnl: context.realizedPnl.toFixed(),
      position: this.#count(fill, context, sign),
      wallet: context.wallet,
      receivedNs: null,
      instrumentId: fill.instrumentId,
      sign,
      price: fill.price,
      priceScale: fill.priceScale ?? entry?.priceScale ?? 0,
      quantity: fill.quantity,
      quantityScale: entry?.quantityScale ?? 0,
      markOuts: [null, null, null, null],
      markOutScales: [null, null, null, null],
    }
    if (this.budget.isKeeping) {
      this.budget.take('fills')
      this.rows.add(record)
    }
    // A forced fill is nobody's own.
    if (context.clientId === '') this.done(record)
    else this.#unreceived.set(ownFillId, record)
  }

  /** A record changes no more. */
  done({ row }: FillRecord): void {
    this.rows.pack(row)
  }

  /** A position is another without a fill, as a split makes it. */
  moved(accountId: string, instrumentId: number, position: number): void {
    const known = this.sums.get(accountId)?.get(instrumentId)
    if (known === undefined && position === 0) return
    this.#reach(known ?? this.#sumsOf(accountId, instrumentId), position)
  }

  /** A fill has reached a client; its record where the order is that client's own and it had not received it before. */
  received(clientId: string, { ownFillId }: Fill, timeNs: number): FillRecord | null {
    const record = this.#unreceived.get(ownFillId)
    if (record === undefined || record.clientId !== clientId) return null
    this.#unreceived.delete(ownFillId)
    record.receivedNs = timeNs
    return record
  }

  /** `others` are records that somebody else still needs. */
  state(others: readonly FillRecord[]): FillRecorderState {
    const records = [...new Set([...this.rows.all(), ...this.#unreceived.values(), ...others])]
    const place = new Map(records.map((record, index) => [record, index]))
    return {
      records, rowCount: this.rows.length,
      unreceived: [...this.#unreceived.values()].map((record) => place.get(record) ?? 0),
      sums: savedState(this.sums),
    }
  }

  /**
   * Returns the records in the order of the state's; {@link settle} is to be called with those that somebody still
   * needs.
   */
  restore({ records, rowCount, unreceived, sums }: FillRecorderState): FillRecord[] {
    const own = records.map((record, index) => ({
      ...record, row: index < rowCount ? index : -1, markOuts: [...record.markOuts],
      markOutScales: [...record.markOutScales],
    }))
    for (const record of own.slice(0, rowCount)) {
      this.budget.take('fills')
      this.rows.add(record)
    }
    for (const index of unreceived) {
      const record = own[index]
      if (record !== undefined) this.#unreceived.set(record.ownFillId, record)
    }
    this.sums = restoredState(sums)
    return own
  }

  /** After a restore: what nobody needs any more changes no more. */
  settle(others: readonly FillRecord[]): void {
    const needed = new Set([...this.#unreceived.values(), ...others].map(({ row }) => row))
    for (let row = 0; row < this.rows.length; row++) if (!needed.has(row)) this.rows.pack(row)
  }

  #count(fill: Fill, { accountId, cause, isBehindData }: FillContext, sign: number): number {
    const sums = this.#sumsOf(accountId, fill.instrumentId)
    sums.fillCount++
    if (fill.addedLiquidity) sums.makerFillCount++
    if (cause === 'gap') sums.gapFillCount++
    if (isBehindData) sums.behindDataCount++
    this.#reach(sums, sums.position + sign * fill.quantity)
    return sums.position
  }

  #reach(sums: FillSums, position: number): void {
    sums.position = position
    sums.lowestPosition = Math.min(sums.lowestPosition, position)
    sums.highestPosition = Math.max(sums.highestPosition, position)
  }

  #sumsOf(accountId: string, instrumentId: number): FillSums {
    return keptValue(keptValue(this.sums, accountId, noInstruments<FillSums>), instrumentId, noFills)
  }
}
