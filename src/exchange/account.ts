import { Decimal, decimalFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import type { Position, Wallet } from '../venue/messages.js'
import type { InstrumentDirectory, InstrumentEntry } from '../venue/venue.js'
import { feeOf, feeValueOf } from './fees.js'
import { contractFromInstrument, contractValue, isPaidInFull, type Contract } from './contract.js'
import { averageEntryPrice, emptyPosition, postFill, type PositionSums } from './ledger.js'
import type { AccountConfig, AccountSums } from './account-config.js'
import type { Side } from '../model/side.js'

/** What a fill did to the money. */
export interface PostedFill {
  readonly fee: Decimal
  readonly feeUnderlyingId: number
  readonly realizedPnl: Decimal
  readonly value: Decimal
}

/** A price and a quantity with their scales. */
export interface Execution {
  readonly price: number
  readonly priceScale: number
  readonly quantity: number
  readonly quantityScale: number
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

  /** Posts an execution: position, profit or exchange of assets, fee. */
  post(entry: InstrumentEntry, side: Side, execution: Execution, isMaker: boolean): PostedFill {
    const position = this.positionIn(entry)
    const { contract } = position
    const amount = decimalFromScaled(execution.quantity, execution.quantityScale)
    const at = decimalFromScaled(execution.price, execution.priceScale)
    const value = contractValue(contract, amount, at)
    const realizedPnl = postFill(contract, position.sums, side, amount, at)
    if (isPaidInFull(contract)) {
      const sign = side === 'BID' ? 1 : -1
      if (contract.kind === 'spot') this.#add(contract.baseUnderlyingId ?? contract.settlementUnderlyingId, amount.times(sign))
      this.#add(contract.settlementUnderlyingId, value.times(-sign))
    } else this.#add(contract.settlementUnderlyingId, realizedPnl)
    const feeUnderlyingId = entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId
    const fee = feeOf(this.config.fees, side, isMaker, feeValueOf(contract, entry.instrument, amount, value) ?? value, amount)
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

  /** The account as plain data: decimals are texts. */
  state(): AccountSums {
    return {
      cash: [...this.cash].map(([id, amount]) => [id, amount.toFixed()]),
      positions: [...this.positions].map(([instrumentId, { sums, fees }]) => ({
        instrumentId,
        quantity: sums.quantity.toFixed(),
        openValue: sums.openValue.toFixed(),
        realizedPnl: sums.realizedPnl.toFixed(),
        turnover: sums.turnover.toFixed(),
        fees: [...fees].map(([id, fee]) => [id, fee.toFixed()]),
      })),
    }
  }

  restore(state: AccountSums, instruments: InstrumentDirectory): void {
    this.cash.clear()
    this.positions.clear()
    for (const [id, amount] of state.cash) this.cash.set(id, new Decimal(amount))
    for (const { instrumentId, fees, ...sums } of state.positions) {
      const entry = instruments.get(instrumentId)
      if (entry === undefined) throw new BacktapeError('OPTION_INVALID', `Cannot restore a position: no instrument has the id ${instrumentId}`, { field: 'instrumentId' })
      const position = this.positionIn(entry)
      position.sums.quantity = new Decimal(sums.quantity)
      position.sums.openValue = new Decimal(sums.openValue)
      position.sums.realizedPnl = new Decimal(sums.realizedPnl)
      position.sums.turnover = new Decimal(sums.turnover)
      for (const [id, fee] of fees) position.fees.set(id, new Decimal(fee))
    }
  }
}
