import { Decimal } from '../../model/decimal.js'
import { quotient, type Contract } from '../../model/contract.js'
import type { ShortOptionMargin } from '../profile/venue-profile-money.js'

/** The same with its texts read. */
export interface ShortOptionTerms {
  readonly initialRate: Decimal
  readonly minimumInitialRate: Decimal
  readonly maintenanceRate: Decimal
}

/** Margin of short options in their settlement underlying, their own value left out. */
export interface ShortMargin {
  readonly initial: Decimal
  readonly maintenance: Decimal
}

/** Reads what a profile says. */
export function shortOptionTerms({
  initialRate, minimumInitialRate, maintenanceRate,
}: ShortOptionMargin): ShortOptionTerms {
  return {
    initialRate: new Decimal(initialRate), minimumInitialRate: new Decimal(minimumInitialRate),
    maintenanceRate: new Decimal(maintenanceRate),
  }
}

/** The margin of a number of sold options of one kind at an index; null where the contract is no option. */
export function shortOptionMargin(
  { initialRate, minimumInitialRate, maintenanceRate }: ShortOptionTerms, { option, size }: Contract, quantity: Decimal,
  index: Decimal,
): ShortMargin | null {
  if (option === undefined || !index.gt(0)) return null
  const outOfTheMoney = Decimal.max(
    0, option.right === 'call' ? option.strike.minus(index) : index.minus(option.strike),
  )
  const rate = Decimal.max(initialRate.minus(quotient(outOfTheMoney, index)), minimumInitialRate)
  const amount = quantity.times(size).times(option.paidIn === 'coin' ? 1 : index)
  return { initial: amount.times(rate), maintenance: amount.times(maintenanceRate) }
}
