import { isValueInverse, type Contract } from '../model/contract.js'
import { Decimal, QUOTIENT_DECIMALS } from '../model/decimal.js'
import type { ExactCell } from '../model/exact-cell.js'
import {
  differenceOf, productOf, quotientAt, ScaledAmount, ScaledDecimal, tenTo, widened, type ExactInteger,
} from '../rows/exact-integer.js'
import { AmountColumn, ByteColumn, IndexColumn, NumberColumn, WordColumn } from '../rows/row-columns.js'
import type { RowStore } from '../rows/row-store.js'
import { RowTable } from '../rows/row-table.js'

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

  /** Reads the most that a round trip was in profit at the best price that it saw, fees apart: 0 or above. */
  readFavorableExcursion(row: number, contract: Contract, cell: ExactCell): void {
    this.#readExcursion(row, contract, this.isLong.at(row) === 1 ? this.highPrice : this.lowPrice, 1, cell)
  }

  /** Reads the most that it was in loss: 0 or above. */
  readAdverseExcursion(row: number, contract: Contract, cell: ExactCell): void {
    this.#readExcursion(row, contract, this.isLong.at(row) === 1 ? this.lowPrice : this.highPrice, -1, cell)
  }

  /** Reads the profit net of fees, with as many digits as a Decimal has. */
  readProfit(row: number, cell: ExactCell): void {
    const scale = Math.max(this.grossProfit.scaleAt(row), this.fees.scaleAt(row))
    const [gross, fees] = [integerOf(this.grossProfit, row, scale), integerOf(this.fees, row, scale)]
    cell.integer = differenceOf(gross, fees)
    cell.scale = scale
    if (typeof cell.integer === 'number') return
    const { integer, scale: own } = rounded.read(new Decimal(`${gross}e-${scale}`).minus(`${fees}e-${scale}`))
    cell.integer = integer
    cell.scale = own
  }

  /** The greatest of 0, the profit and that at a price, for -1 of both negated. */
  #readExcursion(row: number, contract: Contract, prices: AmountColumn, sign: 1 | -1, cell: ExactCell): void {
    const { integer: size, scale: sizeScale } = scaled.read(contract.size)
    const [price, priceScale] = [prices.integerAt(row), prices.scaleAt(row)]
    const amount = productOf(this.quantity.integerAt(row), size)
    const amountScale = this.quantity.scaleAt(row) + sizeScale
    const isInverse = isValueInverse(contract)
    const valueScale = isInverse ? QUOTIENT_DECIMALS : amountScale + priceScale
    const scale = Math.max(valueScale, this.entryValue.scaleAt(row), this.grossProfit.scaleAt(row))
    const value = !isInverse ? productOf(amount, price) : price === 0 ? 0 : quotientAt(
      BigInt(amount) * tenTo(QUOTIENT_DECIMALS + priceScale), BigInt(price) * tenTo(amountScale), QUOTIENT_DECIMALS,
    )
    const rise = differenceOf(widened(value, scale - valueScale), integerOf(this.entryValue, row, scale))
    // A long gains when a linear value rises, and when an inverse one falls.
    const isGain = (this.isLong.at(row) === 1) !== isInverse === sign > 0
    const profit = isGain ? rise : differenceOf(0, rise)
    const gross = integerOf(this.grossProfit, row, scale)
    const own = sign > 0 ? gross : differenceOf(0, gross)
    const greater = own > profit ? own : profit
    cell.integer = greater > 0 ? greater : 0
    cell.scale = scale
  }
}

const scaled = new ScaledAmount()
const rounded = new ScaledDecimal()

function integerOf(column: AmountColumn, row: number, scale: number): ExactInteger {
  return widened(column.integerAt(row), scale - column.scaleAt(row))
}
