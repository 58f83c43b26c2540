import { Decimal, scaledFromText } from '../model/decimal.js'
import type { CorporateAction, Dividend, StockSplit } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition } from './account-position.js'
import { quotient } from './contract.js'
import { postFill } from './ledger.js'

/** A corporate action of a run's plan. */
export interface PlannedAction {
  /** Exchange time, nanoseconds since the run's first midnight. */
  readonly timeNs: number
  readonly action: CorporateAction
}

/** Posts an action to an account: what it holds of the instrument becomes more or less, or pays. False where it holds nothing. */
export function postCorporateAction(account: Account, { split, dividend }: CorporateAction, entry: InstrumentEntry): boolean {
  const position = account.positions.get(entry.instrument.id)
  if (position === undefined || openLegs(position).length === 0) return false
  if (split !== undefined) postSplit(account, position, split)
  if (dividend !== undefined) postDividend(account, position, dividend)
  return true
}

/** `sellVolume` units become `buyVolume`; the value at which they were opened stays. What is no whole lot is sold at `lastPrice`, or rounded. */
function postSplit(account: Account, position: AccountPosition, { buyVolume, sellVolume, lastPrice, liquidateFractionalShares }: StockSplit): void {
  const { contract, entry } = position
  const { lotSize } = entry.instrument
  const lot = new Decimal(lotSize ?? new Decimal(10).pow(-entry.quantityScale))
  for (const [, held] of openLegs(position)) {
    const before = held.sums.quantity
    const after = quotient(before.times(buyVolume), new Decimal(sellVolume))
    const whole = liquidateFractionalShares ? after.divToInt(lot).times(lot) : after.div(lot).toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN).times(lot)
    const fraction = after.minus(whole)
    held.sums.quantity = liquidateFractionalShares ? after : whole
    if (contract.kind === 'spot' && contract.baseUnderlyingId !== null) account.add(contract.baseUnderlyingId, whole.minus(before))
    if (whole.isZero() && !liquidateFractionalShares) held.sums.openValue = new Decimal(0)
    if (!liquidateFractionalShares || fraction.isZero()) continue
    const price = new Decimal(lastPrice)
    const pnl = postFill(contract, held.sums, fraction.isPositive() ? 'ASK' : 'BID', fraction.abs(), price)
    account.flow(contract.settlementUnderlyingId, contract.kind === 'spot' ? fraction.times(price).times(contract.size) : pnl)
  }
}

/** A long receives the lowest dividend that was named, a short pays the highest: the conservative end of what is known. */
function postDividend(account: Account, position: AccountPosition, { underlyingId, highPrice, lowPrice }: Dividend): void {
  for (const [, { sums }] of openLegs(position)) account.flow(underlyingId, sums.quantity.times(sums.quantity.isPositive() ? lowPrice : highPrice))
}

/** What is wrong with the numbers of an action, or null. */
export function corporateActionFault({ split, dividend }: CorporateAction): string | null {
  if (split === undefined && dividend === undefined) return 'a split or a dividend'
  const isDecimal = (text: string): boolean => scaledFromText(text, 18) !== null || /^\d+(\.\d+)?$/.test(text)
  if (split !== undefined) {
    for (const text of [split.buyVolume, split.sellVolume, split.lastPrice]) if (!isDecimal(text) || !new Decimal(text).gt(0)) return 'decimals in quotes above 0 in split'
  }
  if (dividend !== undefined && (![dividend.highPrice, dividend.lowPrice].every(isDecimal) || new Decimal(dividend.lowPrice).gt(dividend.highPrice))) {
    return 'decimals in quotes in dividend, lowPrice not above highPrice'
  }
  return null
}
