import { Decimal, scaledFromText } from '../model/decimal.js'
import type { CorporateAction, Dividend, StockSplit } from '../venue/messages.js'
import type { InstrumentEntry } from '../venue/venue.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition } from './account-position.js'
import { isPaidInFull, quotient } from './contract.js'

const ZERO: Decimal = new Decimal(0)

/** A corporate action of a run's plan. */
export interface PlannedAction {
  /** Exchange time, nanoseconds since the run's first midnight. */
  readonly timeNs: number
  readonly action: CorporateAction
}

/** Posts an action to an account: what it holds of the instrument becomes more or less, or pays. False where it holds nothing. */
export function postCorporateAction(account: Account, { split, dividend }: CorporateAction, entry: InstrumentEntry): boolean {
  // Who never traded a derivative holds none; coins may be held by their balance alone.
  const position = entry.instrument.type === 'spot' ? account.prospect(entry) : account.positions.get(entry.instrument.id)
  if (position === undefined) return false
  const { baseUnderlyingId } = position.contract
  const isHolder = baseUnderlyingId === null ? openLegs(position).length > 0 : isHoldingCoins(account, baseUnderlyingId)
  if (!isHolder) return false
  if (split !== undefined && baseUnderlyingId === null) splitLegs(account, position, split)
  else if (split !== undefined && baseUnderlyingId !== null) splitCoins(account, baseUnderlyingId, entry, split)
  if (dividend !== undefined && baseUnderlyingId === null) payLegs(account, position, dividend)
  else if (dividend !== undefined && baseUnderlyingId !== null) payCoins(account, baseUnderlyingId, dividend)
  return true
}

/** On spot the balance is the position, whether it was traded or declared. */
function isHoldingCoins(account: Account, underlyingId: number): boolean {
  return !account.cashOf(underlyingId).isZero() || account.loans.owed(underlyingId).gt(0)
}

function lotOf({ instrument: { lotSize }, quantityScale }: InstrumentEntry): Decimal {
  return new Decimal(lotSize ?? new Decimal(10).pow(-quantityScale))
}

/** Whole lots of what a split made: what is beyond them is to be liquidated, or they are the nearest. */
function wholeOf(after: Decimal, lot: Decimal, { liquidateFractionalShares }: StockSplit): Decimal {
  return liquidateFractionalShares ? after.divToInt(lot).times(lot) : after.div(lot).toDecimalPlaces(0, Decimal.ROUND_HALF_EVEN).times(lot)
}

function splitOf(amount: Decimal, { buyVolume, sellVolume }: StockSplit): Decimal {
  return quotient(amount.times(buyVolume), new Decimal(sellVolume))
}

/** `sellVolume` units become `buyVolume`; the value at which they were opened stays. What is no whole lot is sold at `lastPrice`, or rounded. */
function splitLegs(account: Account, position: AccountPosition, split: StockSplit): void {
  for (const [leg, held] of openLegs(position)) {
    const after = splitOf(held.sums.quantity, split)
    const whole = wholeOf(after, lotOf(position.entry), split)
    held.sums.quantity = split.liquidateFractionalShares ? after : whole
    const fraction = after.minus(whole)
    if (whole.isZero() && !split.liquidateFractionalShares) account.writeOff(position, held)
    else if (split.liquidateFractionalShares && !fraction.isZero()) account.closePart(position, leg, fraction.isPositive() ? 'ASK' : 'BID', fraction.abs(), new Decimal(split.lastPrice))
  }
}

/**
 * The same for coins: the whole balance is split, what was borrowed of it too, and every position in them. Coins that no trade brought are a
 * flow of what the split gave or took.
 */
function splitCoins(account: Account, underlyingId: number, entry: InstrumentEntry, split: StockSplit): void {
  const before = account.cashOf(underlyingId)
  const owed = account.loans.owed(underlyingId)
  const after = splitOf(before, split)
  const whole = wholeOf(after, lotOf(entry), split)
  const kept = split.liquidateFractionalShares ? after : whole
  let traded = ZERO
  for (const position of account.positions.values()) {
    if (position.contract.baseUnderlyingId !== underlyingId) continue
    for (const [, held] of openLegs(position)) {
      const { quantity } = held.sums
      // All coins were traded here: the position has what the rounding left.
      held.sums.quantity = quantity.eq(before) ? kept : splitOf(quantity, split)
      traded = traded.plus(held.sums.quantity).minus(quantity)
      if (held.sums.quantity.isZero()) account.writeOff(position, held)
    }
  }
  account.loans.split(underlyingId, (amount) => splitOf(amount, split))
  const untraded = kept.minus(before).minus(account.loans.owed(underlyingId).minus(owed)).minus(traded)
  if (!untraded.isZero()) account.flow(underlyingId, untraded)
  account.add(underlyingId, kept.minus(before).minus(untraded))
  const fraction = kept.minus(whole)
  if (!fraction.isZero()) account.closePart(account.positionIn(entry), 'net', fraction.isPositive() ? 'ASK' : 'BID', fraction.abs(), new Decimal(split.lastPrice))
}

/** A long receives the lowest dividend that was named, a short pays the highest: the conservative end of what is known. */
function payLegs(account: Account, { contract, legs }: AccountPosition, { underlyingId, highPrice, lowPrice }: Dividend): void {
  for (const [leg, held] of legs) {
    const { quantity } = held.sums
    if (quantity.isZero()) continue
    const gained = quantity.times(quantity.isPositive() ? lowPrice : highPrice)
    account.flow(underlyingId, gained)
    // As with funding, an isolated position stands for itself.
    if (underlyingId === contract.settlementUnderlyingId && !isPaidInFull(contract) && account.margin?.isIsolated(leg) === true) held.margin = held.margin.plus(gained)
  }
}

/** The same for coins: of what was borrowed the lender is paid. */
function payCoins(account: Account, coinId: number, { underlyingId, highPrice, lowPrice }: Dividend): void {
  const held = account.cashOf(coinId)
  account.flow(underlyingId, held.times(held.isPositive() ? lowPrice : highPrice).minus(account.loans.of(coinId).principal.times(highPrice)))
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
