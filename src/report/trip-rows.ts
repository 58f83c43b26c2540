import { Decimal } from '../model/decimal.js'
import { quotient, type Contract } from '../model/contract.js'
import { profitAt } from '../model/position-sums.js'
import { decimalOfExact } from './exact-integer.js'
import { AmountColumn, ByteColumn, IndexColumn, NumberColumn, WordColumn } from './row-columns.js'
import type { RowStore } from './row-store.js'
import { RowTable } from './row-table.js'

const ZERO: Decimal = new Decimal(0)

/** Quantities from their opening to their closing; amounts are in the settlement underlying. */
export class TripRows {
  readonly table: RowTable
  /** The number of its leg. */
  readonly leg: IndexColumn
  /** 1 for long, 0 for short. */
  readonly isLong: ByteColumn
  readonly entryNs: NumberColumn
  /** NaN where it was open when the run ended. */
  readonly exitNs: NumberColumn
  readonly quantity: AmountColumn
  readonly entryPrice: AmountColumn
  /** Of what is open, the price that values it; null where nothing does. */
  readonly exitPrice: AmountColumn
  /** Value of the quantity at its opening. */
  readonly entryValue: AmountColumn
  /** Fees apart. */
  readonly grossProfit: AmountColumn
  readonly fees: AmountColumn
  readonly otherFees: AmountColumn
  /** Highest and lowest of entry, exit and the sampled prices between them. */
  readonly highPrice: AmountColumn
  readonly lowPrice: AmountColumn
  /** The cause of its end; `open` where it did not end. */
  readonly exit: WordColumn<string>
  /** Rows of the fills; -1 where none opened or ended it. */
  readonly entryFill: IndexColumn
  readonly exitFill: IndexColumn

  constructor(store: RowStore) {
    const table = (this.table = new RowTable(store))
    this.leg = new IndexColumn(table, 'leg')
    this.isLong = new ByteColumn(table, 'isLong')
    this.entryNs = new NumberColumn(table, 'entryNs')
    this.exitNs = new NumberColumn(table, 'exitNs', NaN)
    this.quantity = new AmountColumn(table, 'quantity')
    this.entryPrice = new AmountColumn(table, 'entryPrice')
    this.exitPrice = new AmountColumn(table, 'exitPrice')
    this.entryValue = new AmountColumn(table, 'entryValue')
    this.grossProfit = new AmountColumn(table, 'grossProfit')
    this.fees = new AmountColumn(table, 'fees')
    this.otherFees = new AmountColumn(table, 'otherFees')
    this.highPrice = new AmountColumn(table, 'highPrice')
    this.lowPrice = new AmountColumn(table, 'lowPrice')
    this.exit = new WordColumn(table, 'exit')
    this.entryFill = new IndexColumn(table, 'entryFill')
    this.exitFill = new IndexColumn(table, 'exitFill')
  }

  /** The most that a round trip was in profit at the best price that it saw, 0 or above; fees apart. */
  favorableExcursion(row: number, contract: Contract): Decimal {
    const best = this.isLong.at(row) === 1 ? this.highPrice : this.lowPrice
    return Decimal.max(0, amountAt(this.grossProfit, row), this.#profitAt(row, contract, amountAt(best, row)))
  }

  /** The most that it was in loss, 0 or above. */
  adverseExcursion(row: number, contract: Contract): Decimal {
    const worst = this.isLong.at(row) === 1 ? this.lowPrice : this.highPrice
    const profit = this.#profitAt(row, contract, amountAt(worst, row))
    return Decimal.max(0, amountAt(this.grossProfit, row).negated(), profit.negated())
  }

  #profitAt(row: number, contract: Contract, price: Decimal): Decimal {
    const quantity = new Decimal(this.isLong.at(row) === 1 ? 1 : -1)
    const openValue = amountAt(this.entryValue, row)
    return profitAt(contract, { quantity, openValue }, valueAt(contract, amountAt(this.quantity, row), price))
  }
}

function amountAt(column: AmountColumn, row: number): Decimal {
  return decimalOfExact(column.integerAt(row), column.scaleAt(row))
}

/** A value of which nothing is posted: exact where 40 digits hold it. */
function valueAt({ kind, size }: Contract, quantity: Decimal, price: Decimal): Decimal {
  if (price.isZero()) return ZERO
  const amount = quantity.times(size)
  return kind === 'inverse' ? quotient(amount, price) : amount.times(price)
}
