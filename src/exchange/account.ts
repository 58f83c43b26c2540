import { Decimal, decimalFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Position, Wallet } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import { feeOf } from './fees.js'
import { averageEntryPrice, contractFromInstrument, contractValue, emptyPosition, postFill, type Contract, type PositionSums } from './ledger.js'
import type { AccountConfig } from './world-config.js'
import type { Side } from '../model/side.js'

/** What a fill did to the money. */
export interface PostedFill {
  readonly fee: Decimal
  readonly feeUnderlyingId: number
  readonly realizedPnl: Decimal
  readonly value: Decimal
}

/** One instrument of an account: its contract and its sums. */
export interface AccountPosition {
  readonly entry: InstrumentEntry
  readonly contract: Contract
  readonly sums: PositionSums
  /** Fees by underlying id. */
  readonly fees: Map<number, Decimal>
}

/** The money side of one account, exchange side: cash by underlying and positions by instrument. Exact; plain values. */
export class Account {
  readonly config: AccountConfig
  readonly cash: Map<number, Decimal> = new Map()
  readonly positions: Map<number, AccountPosition> = new Map()

  constructor(config: AccountConfig) {
    this.config = config
    for (const [underlyingId, amount] of config.balances) this.cash.set(underlyingId, new Decimal(amount))
  }

  /** The position in an instrument, made empty where there is none. */
  positionIn(entry: InstrumentEntry): AccountPosition {
    const { instrument } = entry
    const known = this.positions.get(instrument.id)
    if (known !== undefined) return known
    if (instrument.exchangeCode !== this.config.exchangeCode) {
      throw new BacktapeError('OPTION_INVALID', `Cannot trade ${instrument.exchangeCode}:${instrument.code} on account ${this.config.accountId}: it belongs to ${this.config.exchangeCode}`, {
        field: 'account', expected: instrument.exchangeCode, found: this.config.exchangeCode,
      })
    }
    const position: AccountPosition = { entry, contract: contractFromInstrument(instrument), sums: emptyPosition(), fees: new Map() }
    this.positions.set(instrument.id, position)
    return position
  }

  /** Posts an execution: position, profit or exchange of assets, fee. Quantities and prices at the directory's scales. */
  post(entry: InstrumentEntry, side: Side, price: number, quantity: number, isMaker: boolean): PostedFill {
    const position = this.positionIn(entry)
    const { contract } = position
    const amount = decimalFromScaled(quantity, entry.quantityScale)
    const at = decimalFromScaled(price, entry.priceScale)
    const value = contractValue(contract, amount, at)
    const realizedPnl = postFill(contract, position.sums, side, amount, at)
    if (contract.kind === 'spot') {
      const sign = side === 'BID' ? 1 : -1
      this.#add(contract.baseUnderlyingId ?? contract.settlementUnderlyingId, amount.times(sign))
      this.#add(contract.settlementUnderlyingId, value.times(-sign))
    } else this.#add(contract.settlementUnderlyingId, realizedPnl)
    const feeUnderlyingId = entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId
    const feeBase = feeUnderlyingId === contract.settlementUnderlyingId || this.config.fees.by !== 'value' ? value : amount
    const fee = feeOf(this.config.fees, side, isMaker, feeBase, amount)
    this.#add(feeUnderlyingId, fee.negated())
    position.fees.set(feeUnderlyingId, (position.fees.get(feeUnderlyingId) ?? new Decimal(0)).plus(fee))
    return { fee, feeUnderlyingId, realizedPnl, value }
  }

  /** The position as the protocol states it: both sides >= 0. */
  positionMessage(entry: InstrumentEntry, exchangeTimeNs: number): Position {
    const { contract, sums } = this.positionIn(entry)
    const units = sums.quantity.times(new Decimal(10).pow(entry.quantityScale)).toNumber()
    const average = averageEntryPrice(contract, sums)
    return {
      instrumentId: entry.instrument.id,
      exchangeTimeNs,
      longPosition: Math.max(0, units),
      shortPosition: Math.max(0, -units),
      ...(average === null ? {} : { averageEntryPrice: average.toFixed() }),
    }
  }

  /** All wallet entries, by underlying id. */
  walletMessages(exchangeTimeNs: number): Wallet[] {
    return [...this.cash].sort(([a], [b]) => a - b).map(([underlyingId, amount]) => ({
      underlyingId,
      availableAmount: amount.toFixed(),
      amountBlockedForMargin: '0',
      marginBalance: amount.toFixed(),
      exchangeTimeNs,
      cashBalance: amount.toFixed(),
    }))
  }

  #add(underlyingId: number, amount: Decimal): void {
    this.cash.set(underlyingId, (this.cash.get(underlyingId) ?? new Decimal(0)).plus(amount))
  }
}
