import { Decimal } from '../model/decimal.js'
import type { Fill } from '../venue/messages.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import { MARK_OUT_HORIZONS_NS, type MarkedFill } from './mark-outs.js'
import type { RowBudget } from './row-budget.js'

/** Where a fill belongs and what it did to the money. */
export interface FillContext {
  readonly accountId: string
  readonly clientId: string
  /** Why it happened: a trade, an opposite level shown, own aggression, the end of a gap. */
  readonly cause: string
  /** In the settlement underlying. */
  readonly value: Decimal
  readonly realizedPnl: Decimal
}

/** A fill as the exchange made it, and when its client heard of it. */
export interface FillRecord extends MarkedFill {
  readonly fill: Fill
  readonly accountId: string
  readonly clientId: string
  readonly cause: string
  readonly value: string
  readonly realizedPnl: string
  /** Signed position after it, at the instrument's quantity scale. */
  readonly position: number
  /** Local time; null where the run ended before. */
  heardNs: number | null
}

/** Sums over the fills of one account on one instrument. */
export interface FillSums {
  fillCount: number
  makerFillCount: number
  gapFillCount: number
  /** Signed position and its extremes, at the instrument's quantity scale; 0 is always among them. */
  position: number
  lowestPosition: number
  highestPosition: number
}

/** The recorder as plain data; fills are meant by their index among the records. */
export interface FillRecorderState {
  readonly records: readonly FillRecord[]
  /** How many of the records are rows: the first ones. */
  readonly rowCount: number
  readonly unheard: readonly number[]
  readonly sums: readonly (readonly [accountId: string, instruments: readonly (readonly [instrumentId: number, sums: FillSums])[]])[]
}

/** Every fill of a world in the order of execution. */
export class FillRecorder {
  readonly rows: FillRecord[] = []
  /** By account id, then instrument id. */
  readonly sums: Map<string, Map<number, FillSums>> = new Map()
  readonly #unheard: Map<string, FillRecord> = new Map()
  readonly #directory: InstrumentDirectory
  readonly #budget: RowBudget

  constructor(directory: InstrumentDirectory, budget: RowBudget) {
    this.#directory = directory
    this.#budget = budget
  }

  /** How many fills the clients had not heard of. */
  get unheardCount(): number {
    return this.#unheard.size
  }

  filled(fill: Fill, context: FillContext): void {
    const entry = this.#directory.get(fill.instrumentId)
    const sign = fill.side === 'BID' ? 1 : -1
    const record: FillRecord = {
      fill,
      accountId: context.accountId,
      clientId: context.clientId,
      cause: context.cause,
      value: context.value.toFixed(),
      realizedPnl: context.realizedPnl.toFixed(),
      position: this.#count(fill, context, sign),
      heardNs: null,
      instrumentId: fill.instrumentId,
      sign,
      price: fill.price,
      priceScale: entry?.priceScale ?? 0,
      quantity: fill.quantity,
      quantityScale: entry?.quantityScale ?? 0,
      markOuts: MARK_OUT_HORIZONS_NS.map(() => null),
    }
    // A forced fill is nobody's own.
    if (context.clientId !== '') this.#unheard.set(fill.ownFillId, record)
    if (!this.#budget.isKeeping) return
    this.#budget.take('fills')
    this.rows.push(record)
  }

  /** A position is another without a fill, as a split makes it. */
  moved(accountId: string, instrumentId: number, position: number): void {
    const known = this.sums.get(accountId)?.get(instrumentId)
    if (known === undefined && position === 0) return
    this.#reach(known ?? this.#sumsOf(accountId, instrumentId), position)
  }

  /** A fill has reached a client; its record where the order is that client's own and it had not heard of it before. */
  heard(clientId: string, { ownFillId }: Fill, timeNs: number): FillRecord | null {
    const record = this.#unheard.get(ownFillId)
    if (record === undefined || record.clientId !== clientId) return null
    this.#unheard.delete(ownFillId)
    record.heardNs = timeNs
    return record
  }

  /** `others` are records that somebody else still needs. */
  state(others: readonly FillRecord[]): FillRecorderState {
    const records = [...new Set([...this.rows, ...this.#unheard.values(), ...others])]
    const place = new Map(records.map((record, index) => [record, index]))
    const sums = [...this.sums].map(([accountId, instruments]) => [accountId, [...instruments]] as const)
    return { records, rowCount: this.rows.length, unheard: [...this.#unheard.values()].map((record) => place.get(record) ?? 0), sums }
  }

  /** Returns the records in the order of the state's. */
  restore({ records, rowCount, unheard, sums }: FillRecorderState): FillRecord[] {
    const own = records.map((record) => ({ ...record, markOuts: [...record.markOuts] }))
    for (const record of own.slice(0, rowCount)) {
      this.#budget.take('fills')
      this.rows.push(record)
    }
    for (const index of unheard) {
      const record = own[index]
      if (record !== undefined) this.#unheard.set(record.fill.ownFillId, record)
    }
    for (const [accountId, instruments] of sums) this.sums.set(accountId, new Map(instruments.map(([id, counts]) => [id, { ...counts }])))
    return own
  }

  #count(fill: Fill, { accountId, cause }: Pick<FillContext, 'accountId' | 'cause'>, sign: number): number {
    const sums = this.#sumsOf(accountId, fill.instrumentId)
    sums.fillCount++
    if (fill.addedLiquidity) sums.makerFillCount++
    if (cause === 'gap') sums.gapFillCount++
    this.#reach(sums, sums.position + sign * fill.quantity)
    return sums.position
  }

  #reach(sums: FillSums, position: number): void {
    sums.position = position
    sums.lowestPosition = Math.min(sums.lowestPosition, position)
    sums.highestPosition = Math.max(sums.highestPosition, position)
  }

  #sumsOf(accountId: string, instrumentId: number): FillSums {
    const byInstrument = this.sums.get(accountId) ?? new Map<number, FillSums>()
    this.sums.set(accountId, byInstrument)
    const sums = byInstrument.get(instrumentId) ?? { fillCount: 0, makerFillCount: 0, gapFillCount: 0, position: 0, lowestPosition: 0, highestPosition: 0 }
    byInstrument.set(instrumentId, sums)
    return sums
  }
}
