import { Decimal, declaredDecimal, plus } from '../../model/decimal.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition } from './account-position.js'
import type { PriceOf } from './account-balance-sheet.js'
import { contractValue, isPaidInFull } from '../../model/contract.js'
import { Wide } from '../../model/exact-money.js'
import { profitAt } from '../../model/position-sums.js'

/** The part of an account's equity that stands in one underlying. */
export interface EquityPart {
  amount: Decimal
  /**
   * The part of it that moves with prices, all of it above 0: values of open positions, and coins that were converted
   * at a market's price. Approximate.
   */
  moving: number
}

/** An account's equity before it is brought to one currency. */
export interface EquityParts {
  /** By underlying id. */
  readonly parts: ReadonlyMap<number, EquityPart>
  /** Instruments whose prices count in it. */
  readonly instrumentIds: readonly number[]
}

/** Equity in one currency: its underlying, null for USD. */
export interface Equity {
  readonly amount: Decimal
  readonly underlyingId: number | null
}

/** Equity that no rate brings to one currency. */
export interface UnknownEquity {
  /** Underlyings without a rate in USD, ascending. */
  readonly missingIds: readonly number[]
}

const ZERO: Decimal = new Decimal(0)

/**
 * True where nothing of an account can be lost to a price: it holds cash and coins alone, all its own. Its equity is
 * above 0 then, whatever the rates.
 */
export function isSafe(account: Account): boolean {
  let hasCash = false
  for (const amount of account.cash.values()) {
    if (amount.isZero()) continue
    if (amount.isNegative()) return false
    hasCash = true
  }
  if (!hasCash || account.debts.size > 0 || account.loans.underlyingIds.length > 0) return false
  for (const position of account.positions.values())
    if (position.contract.kind !== 'spot' && openLegs(position).length > 0) return false
  return true
}

/**
 * The equity of an account, by underlying: cash less loans and debts, profit of open derivatives, value of what was
 * paid in full. Coins count in the counter of the first spot instrument that the account traded and that has a price.
 * Null where nothing values an open position.
 */
export function equityParts(account: Account, priceOf: PriceOf): EquityParts | null {
  const parts = new Map<number, EquityPart>()
  for (const [underlyingId, cash] of account.cash) {
    const debt = account.debts.get(underlyingId) ?? ZERO
    parts.set(underlyingId, {
      amount: plus(plus(cash, account.loans.owed(underlyingId).negated()), debt.negated()), moving: 0,
    })
  }
  const instrumentIds: number[] = []
  const spot: AccountPosition[] = []
  for (const position of account.positions.values()) {
    if (position.contract.kind === 'spot') {
      if (!position.sums.turnover.isZero()) spot.push(position)
    } else if (!addPosition(parts, instrumentIds, position, priceOf)) return null
  }
  if (spot.length > 0) convertCoins(parts, instrumentIds, spot, priceOf)
  return { parts, instrumentIds }
}

/** Adds what is open of a derivative; false where nothing values it. */
function addPosition(
  parts: Map<number, EquityPart>, instrumentIds: number[], position: AccountPosition, priceOf: PriceOf,
): boolean {
  const { contract, legs } = position
  let price: Decimal | null = null
  for (const { sums } of legs.values()) {
    if (sums.quantity.isZero()) continue
    if (price === null) {
      price = priceOf(contract.instrumentId)
      if (price === null || (price.isZero() && contract.kind === 'inverse')) return false
      instrumentIds.push(contract.instrumentId)
    }
    const value = contractValue(contract, sums.quantity.abs(), price)
    const part = partOf(parts, contract.settlementUnderlyingId)
    part.amount = plus(
      part.amount,
      isPaidInFull(contract) ? (sums.quantity.isPositive() ? value : value.negated()) : profitAt(contract, sums, value),
    )
    part.moving += value.toNumber()
  }
  return true
}

/**
 * Brings coins to what they are traded for, each underlying once: by ascending instrument id, again as long as one of
 * them moves.
 */
function convertCoins(
  parts: Map<number, EquityPart>, instrumentIds: number[], spot: AccountPosition[], priceOf: PriceOf,
): void {
  const converted = new Set<number>()
  spot.sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
  for (let moved = true; moved;) {
    moved = false
    for (const {
      contract: { instrumentId, baseUnderlyingId, settlementUnderlyingId },
    } of spot) {
      const base =
        baseUnderlyingId === null || converted.has(baseUnderlyingId) || converted.has(settlementUnderlyingId)
          ? undefined
          : parts.get(baseUnderlyingId)
      if (base === undefined || baseUnderlyingId === null || base.amount.isZero()) continue
      const price = priceOf(instrumentId)
      // Its first price will count.
      if (price === null && !instrumentIds.includes(instrumentId)) instrumentIds.push(instrumentId)
      if (price === null) continue
      const part = partOf(parts, settlementUnderlyingId)
      const marketValue = new Wide(base.amount).times(price)
      part.amount = new Wide(part.amount).plus(marketValue)
      part.moving += marketValue.abs().toNumber() + base.moving * price.toNumber()
      parts.delete(baseUnderlyingId)
      converted.add(baseUnderlyingId)
      instrumentIds.push(instrumentId)
      moved = true
    }
  }
}

function partOf(parts: Map<number, EquityPart>, underlyingId: number): EquityPart {
  const known = parts.get(underlyingId)
  if (known !== undefined) return known
  const made = { amount: ZERO, moving: 0 }
  parts.set(underlyingId, made)
  return made
}

/**
 * Equity in one currency (exchange rules 8.6): that of its only part which is not 0, else USD by declared rates; exact.
 * Names the underlyings without a rate where one is missing.
 */
export function inOneCurrency(
  { parts }: EquityParts, usdRateOf: (underlyingId: number) => string | undefined,
): Equity | UnknownEquity {
  const filled = [...parts].filter(([, { amount }]) => !amount.isZero()).sort(([a], [b]) => a - b)
  const [only, other] = filled
  if (only === undefined) return { amount: ZERO, underlyingId: [...parts.keys()][0] ?? null }
  if (other === undefined) return { amount: only[1].amount, underlyingId: only[0] }
  const missingIds = filled.filter(([id]) => usdRateOf(id) === undefined).map(([id]) => id)
  if (missingIds.length > 0) return { missingIds }
  let sum: Decimal = new Wide(0)
  for (const [id, { amount }] of filled) sum = sum.plus(new Wide(amount).times(declaredDecimal(usdRateOf(id) ?? '0')))
  return { amount: sum, underlyingId: null }
}
