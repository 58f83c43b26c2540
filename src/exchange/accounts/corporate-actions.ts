import { Amount, exactProduct } from '../../model/amount.js'
import { scaledFromText } from '../../model/decimal.js'
import type { Side } from '../../model/side.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition, type Leg, type PositionLeg } from './account-position.js'
import { isPaidInFull } from '../../model/contract.js'
import type { MoneyEvent } from './money-event.js'
import type { CorporateAction, Dividend, StockSplit } from '../../venue/account-messages.js'

const ZERO: Amount = Amount.ZERO

/** A corporate action of a run's plan. */
export interface PlannedAction {
  /** Exchange time, nanoseconds since the run's first midnight. */
  readonly timeNs: number
  readonly action: CorporateAction
}

/** Money or coins that an action moved, as a journal has them. */
export type ActionMoney = Pick<
  MoneyEvent,
  'kind' | 'underlyingId' | 'amount' | 'instrumentId' | 'leg' | 'size' | 'atPrice'
>

/**
 * Posts an action to an account: what it holds of the instrument becomes more or less, or pays. Returns what it did,
 * null where the account holds nothing.
 */
export function postCorporateAction(
  account: Account, { split, dividend }: CorporateAction, entry: InstrumentEntry,
): ActionMoney[] | null {
  // Who never traded a derivative holds none; coins may be held by their balance alone.
  const position =
    entry.instrument.type === 'spot' ? account.prospect(entry) : account.positions.get(entry.instrument.id)
  if (position === undefined) return null
  const { baseUnderlyingId } = position.contract
  if (baseUnderlyingId === null ? openLegs(position).length === 0 : !isHoldingCoins(account, baseUnderlyingId))
    return null
  const moved: ActionMoney[] = []
  if (split !== undefined)
    moved.push(
      ...(baseUnderlyingId === null
        ? splitLegs(account, position, split)
        : splitCoins(account, baseUnderlyingId, entry, split)),
    )
  if (dividend !== undefined)
    moved.push(
      ...(baseUnderlyingId === null
        ? payLegs(account, position, dividend)
        : payCoins(account, baseUnderlyingId, dividend)),
    )
  return moved.map((one) => ({ ...one, instrumentId: entry.instrument.id }))
}

/** On spot the balance is the position, whether it was traded or declared. */
function isHoldingCoins(account: Account, underlyingId: number): boolean {
  return !account.cashOf(underlyingId).isZero() || account.loans.owed(underlyingId).sign > 0
}

function lotOf({ instrument: { lotSize }, quantityScale }: InstrumentEntry): Amount {
  return lotSize === null ? Amount.scaled(1, quantityScale) : Amount.from(lotSize)
}

/** Whole lots of what a split made: what is beyond them is to be liquidated, or they are the nearest. */
function wholeOf(after: Amount, lot: Amount, { liquidateFractionalShares }: StockSplit): Amount {
  const nearest = after.quotient(lot, 0)
  const isBeyond = liquidateFractionalShares && nearest.times(lot).abs().gt(after.abs())
  return (isBeyond ? nearest.minus(Amount.ONE.signed(after.sign)) : nearest).times(lot)
}

function splitOf(amount: Amount, { buyVolume, sellVolume }: StockSplit): Amount {
  return amount.times(Amount.from(buyVolume)).quotient(Amount.from(sellVolume))
}

/**
 * `sellVolume` units become `buyVolume`; the value at which they were opened stays. What is no whole lot is sold at
 * `lastPrice`, or rounded.
 */
function splitLegs(account: Account, position: AccountPosition, split: StockSplit): ActionMoney[] {
  const underlyingId = position.contract.settlementUnderlyingId
  return openLegs(position).map(([leg, held]) => {
    const brought = splitLeg(account, position, leg, held, split)
    return {
      kind: 'split', underlyingId, leg, size: held.sums.quantity.toFixed(), amount: (brought ?? ZERO).toFixed(),
      ...(brought === null ? {} : { atPrice: split.lastPrice }),
    }
  })
}

/** Returns what a fraction brought, null where none was sold. */
function splitLeg(
  account: Account, position: AccountPosition, leg: Leg, held: PositionLeg, split: StockSplit,
): Amount | null {
  const after = splitOf(held.sums.quantity, split)
  const whole = wholeOf(after, lotOf(position.entry), split)
  held.sums.quantity = split.liquidateFractionalShares ? after : whole
  const fraction = after.minus(whole)
  if (whole.isZero() && !split.liquidateFractionalShares) account.writeOff(position, held)
  if (!split.liquidateFractionalShares || fraction.isZero()) return null
  return account.closePart(position, leg, sideThatCloses(fraction), fraction.abs(), Amount.from(split.lastPrice))
}

function sideThatCloses(quantity: Amount): Side {
  return quantity.sign > 0 ? 'ASK' : 'BID'
}

/**
 * The same for coins: the whole balance is split, what was borrowed of it too, and every position in them. Coins that
 * no trade brought are a flow of what the split gave or took.
 */
function splitCoins(account: Account, underlyingId: number, entry: InstrumentEntry, split: StockSplit): ActionMoney[] {
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
  const gained: ActionMoney = {
    kind: 'split', underlyingId, size: whole.toFixed(), amount: whole.minus(before).toFixed(),
  }
  const fraction = kept.minus(whole)
  if (fraction.isZero()) return [gained]
  const position = account.positionIn(entry)
  const brought = account.closePart(
    position, 'net', sideThatCloses(fraction), fraction.abs(), Amount.from(split.lastPrice),
  )
  return [
    gained,
    {
      kind: 'split', underlyingId: position.contract.settlementUnderlyingId, size: whole.toFixed(),
      amount: brought.toFixed(), atPrice: split.lastPrice,
    },
  ]
}

/**
 * A long receives the lowest dividend that was named, a short pays the highest: the conservative end of what is known.
 */
function payLegs(account: Account, { contract, legs }: AccountPosition, dividend: Dividend): ActionMoney[] {
  const paid: ActionMoney[] = []
  for (const [leg, held] of legs) {
    const { quantity } = held.sums
    if (quantity.isZero()) continue
    const { gained, money } = payOn(account, quantity, dividend)
    paid.push({ ...money, leg })
    // As with funding, an isolated position stands for itself.
    if (
      dividend.underlyingId === contract.settlementUnderlyingId &&
      !isPaidInFull(contract) &&
      account.margin?.isIsolated(leg) === true
    )
      held.margin = held.margin.plus(gained)
  }
  return paid
}

/** The same for coins: of what was borrowed the lender is paid. */
function payCoins(account: Account, coinId: number, dividend: Dividend): ActionMoney[] {
  return [account.cashOf(coinId), account.loans.of(coinId).principal.negated()]
    .filter((quantity) => !quantity.isZero())
    .map((quantity) => payOn(account, quantity, dividend).money)
}

function payOn(
  account: Account, quantity: Amount, { underlyingId, highPrice, lowPrice }: Dividend,
): { readonly gained: Amount; readonly money: ActionMoney } {
  const atPrice = quantity.sign > 0 ? lowPrice : highPrice
  const gained = exactProduct(quantity, Amount.from(atPrice), 'a dividend')
  account.flow(underlyingId, gained)
  return {
    gained, money: { kind: 'dividend', underlyingId, size: quantity.toFixed(), amount: gained.toFixed(), atPrice },
  }
}

/** The fault in the numbers of an action, or null. */
export function corporateActionFault({ split, dividend }: CorporateAction): string | null {
  if (split === undefined && dividend === undefined) return 'a split or a dividend'
  const isDecimal = (text: string): boolean => scaledFromText(text, 18) !== null || /^\d+(\.\d+)?$/.test(text)
  if (split !== undefined) {
    for (const text of [split.buyVolume, split.sellVolume, split.lastPrice])
      if (!isDecimal(text) || Amount.from(text).sign <= 0) return 'decimals in quotes above 0 in split'
  }
  if (
    dividend !== undefined &&
    (![dividend.highPrice, dividend.lowPrice].every(isDecimal) ||
      Amount.from(dividend.lowPrice).gt(Amount.from(dividend.highPrice)))
  ) {
    return 'decimals in quotes in dividend, lowPrice not above highPrice'
  }
  return null
}
