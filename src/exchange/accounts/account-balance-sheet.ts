import { Amount, declaredAmount } from '../../model/amount.js'
import type { Account } from './account.js'
import { legValue, openLegs, type AccountPosition, type Leg, type PositionLeg } from './account-position.js'
import { isPaidInFull, type Contract } from '../../model/contract.js'
import { initialMargin, maintenanceMargin, shortOptionMargin, type ShortMargin } from './margin.js'
import { keptValue } from '../../model/kept-value.js'

/**
 * The price by which an instrument is valued now (exchange rules 8.2); null where nothing was ever known, or an inverse
 * contract has no value at it.
 */
export interface PriceOf {
  (instrumentId: number): Amount | null
  /** The last index price, by which the margin of sold options is counted. */
  readonly indexOf?: (instrumentId: number) => Amount | null
}

/** The amounts that back the derivatives which settle in one underlying. */
export interface WalletBalanceSheet {
  readonly cash: Amount
  /** Cash that isolated positions have for themselves. */
  readonly isolatedMargin: Amount
  /** Unrealised profit of cross and of isolated positions. */
  readonly crossProfit: Amount
  readonly isolatedProfit: Amount
  /** Value of what was paid in full: options and prediction contracts. */
  readonly marketValue: Amount
  /** Part of it that is owed: value of sold options under margin, below 0. */
  readonly soldValue: Amount
  /** Initial margin that open cross positions block, at their value now. */
  readonly crossInitial: Amount
  readonly crossMaintenance: Amount
  readonly isolatedMaintenance: Amount
  /** Open cross positions whose price is known. */
  readonly crossCount: number
}

const ZERO: Amount = Amount.ZERO

/** An open leg of a derivative with its value and profit at a price. */
export interface ValuedLeg {
  readonly position: AccountPosition
  readonly leg: Leg
  readonly held: PositionLeg
  readonly price: Amount
  readonly value: Amount
  readonly profit: Amount
  readonly maintenance: Amount
  /** Of options that were sold under margin: what must be there beside their value. */
  readonly sold: ShortMargin | null
  readonly isIsolated: boolean
}

/** Open legs that settle in an underlying and have a price, by instrument id, then leg; spot is none. */
export function valuedLegs(account: Account, underlyingId: number, priceOf: PriceOf): ValuedLeg[] {
  const legs: ValuedLeg[] = []
  for (const position of byInstrument(account)) {
    const { contract, entry } = position
    if (contract.kind === 'spot' || contract.settlementUnderlyingId !== underlyingId) continue
    const open = openLegs(position)
    const price = open.length === 0 ? null : priceOf(contract.instrumentId)
    if (price === null) continue
    const brackets =
      account.margin === null || isPaidInFull(contract) ? [] : account.margin.bracketsOf(entry.instrument)
    for (const [leg, held] of open) {
      const { value, profit } = legValue(contract, held, price)
      const sold =
        contract.option === undefined || held.sums.quantity.sign > 0
          ? null
          : soldMargin(account, contract, held.sums.quantity.abs(), priceOf)
      legs.push({
        position, leg, held, price, value, profit,
        maintenance: sold?.maintenance ?? maintenanceMargin(brackets, value), sold,
        isIsolated: !isPaidInFull(contract) && (account.margin?.isIsolated(leg) ?? false),
      })
    }
  }
  return legs
}

function byInstrument({ positions }: Account): Iterable<AccountPosition> {
  return positions.size < 2
    ? positions.values()
    : [...positions.values()].sort((a, b) => a.contract.instrumentId - b.contract.instrumentId)
}

/** The margin that sold options need; null where there are none, or nothing states it. */
function soldMargin({ margin }: Account, contract: Contract, quantity: Amount, priceOf: PriceOf): ShortMargin | null {
  const index = priceOf.indexOf?.(contract.instrumentId) ?? null
  return index === null || margin === null || margin.shortOptions === null
    ? null
    : shortOptionMargin(margin.shortOptions, contract, quantity, index)
}

/** Sums up what stands behind the positions of one wallet. */
export function balanceSheetOf(account: Account, underlyingId: number, legs: readonly ValuedLeg[]): WalletBalanceSheet {
  let [
    crossProfit, isolatedProfit, marketValue, soldValue, crossInitial, crossMaintenance, isolatedMaintenance,
    crossCount,
  ] = [ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 0]
  for (const { position, held, value, profit, maintenance, sold, isIsolated } of legs) {
    if (isPaidInFull(position.contract)) {
      marketValue = marketValue.plus(held.sums.quantity.sign > 0 ? value : value.negated())
      if (sold === null) continue
      crossCount++
      soldValue = soldValue.minus(value)
      crossInitial = crossInitial.plus(sold.initial)
      crossMaintenance = crossMaintenance.plus(sold.maintenance)
    } else if (isIsolated) {
      isolatedProfit = isolatedProfit.plus(profit)
      isolatedMaintenance = isolatedMaintenance.plus(maintenance)
    } else {
      crossCount++
      crossProfit = crossProfit.plus(profit)
      crossMaintenance = crossMaintenance.plus(maintenance)
      if (account.margin !== null)
        crossInitial = crossInitial.plus(initialMargin(account.margin.bracketsOf(position.entry.instrument), value))
    }
  }
  return {
    cash: account.cashOf(underlyingId), isolatedMargin: account.isolatedMargin(underlyingId), crossProfit,
    isolatedProfit, marketValue, soldValue, crossInitial, crossMaintenance, isolatedMaintenance, crossCount,
  }
}

/**
 * The amount that backs cross positions: cash that is no isolated margin, their profits, and the market value of
 * options.
 */
function crossEquity({ cash, isolatedMargin, crossProfit, marketValue }: WalletBalanceSheet): Amount {
  return cash.minus(isolatedMargin).plus(crossProfit).plus(marketValue)
}

/** The part of it that is free for more: what was bought and paid is no margin, what was sold is owed. */
export function freeMargin(sheet: WalletBalanceSheet): Amount {
  return crossEquity(sheet).minus(sheet.marketValue).plus(sheet.soldValue).minus(sheet.crossInitial)
}

/** True where everything there is has come down to what the cross positions must keep (exchange rules 8.3). */
export function isCrossDue(sheet: WalletBalanceSheet): boolean {
  return sheet.crossCount > 0 && sheet.crossMaintenance.sign > 0 && crossEquity(sheet).lte(sheet.crossMaintenance)
}

/** The same for one isolated leg. */
export function isLegDue({ isIsolated, held, profit, maintenance }: ValuedLeg): boolean {
  return isIsolated && maintenance.sign > 0 && held.margin.plus(profit).lte(maintenance)
}

/** The collateral of one leg beside its own profit: its margin, or everything else behind the cross positions. */
export function collateralOf(valued: ValuedLeg, sheet: WalletBalanceSheet): Amount {
  return valued.isIsolated ? valued.held.margin : crossEquity(sheet).minus(valued.profit)
}

/** The part of an account's equity that stands in one underlying. */
export interface EquityPart {
  amount: Amount
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
  readonly amount: Amount
  readonly underlyingId: number | null
}

/** Equity that no rate brings to one currency. */
export interface UnknownEquity {
  /** Underlyings without a rate in USD, ascending. */
  readonly missingIds: readonly number[]
}

/**
 * True where nothing of an account can be lost to a price: it holds cash and coins alone, all its own. Its equity is
 * above 0 then, whatever the rates.
 */
export function isSafe(account: Account): boolean {
  let hasCash = false
  for (const amount of account.cash.values()) {
    if (amount.isZero()) continue
    if (amount.sign < 0) return false
    hasCash = true
  }
  if (!hasCash || account.debts.size > 0 || !account.loans.isEmpty) return false
  for (const { contract, legs } of account.positions.values())
    if (contract.kind !== 'spot') for (const { sums } of legs.values()) if (!sums.quantity.isZero()) return false
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
      amount: cash.plus(account.loans.owed(underlyingId).negated()).plus(debt.negated()), moving: 0,
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
  let price: Amount | null = null
  for (const held of legs.values()) {
    const { quantity } = held.sums
    if (quantity.isZero()) continue
    if (price === null) {
      price = priceOf(contract.instrumentId)
      if (price === null) return false
      instrumentIds.push(contract.instrumentId)
    }
    const { value, profit } = legValue(contract, held, price)
    const part = partOf(parts, contract.settlementUnderlyingId)
    part.amount = part.amount.plus(
      isPaidInFull(contract) ? value.signed(quantity.sign) : profit,
    )
    part.moving += Math.abs(value.approximate)
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
      const marketValue = base.amount.times(price)
      part.amount = part.amount.plus(marketValue)
      part.moving += Math.abs(marketValue.approximate) + base.moving * Math.abs(price.approximate)
      parts.delete(baseUnderlyingId)
      converted.add(baseUnderlyingId)
      instrumentIds.push(instrumentId)
      moved = true
    }
  }
}

function partOf(parts: Map<number, EquityPart>, underlyingId: number): EquityPart {
  return keptValue(parts, underlyingId, () => ({ amount: ZERO, moving: 0 }))
}

/**
 * Equity in one currency (exchange rules 8.6): that of its only part which is not 0, else USD by declared rates; exact.
 * Names the underlyings without a rate where one is missing.
 */
export function inOneCurrency(
  { parts }: EquityParts, usdRateOf: (underlyingId: number) => string | undefined,
): Equity | UnknownEquity {
  let [filledCount, only, sum] = [0, null as number | null, ZERO]
  const missingIds: number[] = []
  for (const [id, { amount }] of parts) {
    if (amount.isZero()) continue
    filledCount++
    only = id
    const rate = usdRateOf(id)
    if (rate === undefined) missingIds.push(id)
    else sum = sum.plus(amount.times(declaredAmount(rate)))
  }
  if (only === null) return { amount: ZERO, underlyingId: [...parts.keys()][0] ?? null }
  if (filledCount === 1) return { amount: parts.get(only)?.amount ?? ZERO, underlyingId: only }
  return missingIds.length > 0 ? { missingIds: missingIds.sort((a, b) => a - b) } : { amount: sum, underlyingId: null }
}

/**
 * The amount that an account may still borrow of an underlying; null where its profile declares no bound or no rate.
 */
export function availableBorrow({ config, loans }: Account, underlyingId: number, code: string): Amount | null {
  const limit = config.profile?.borrowLimits?.[code]
  return limit === undefined || config.profile?.borrowRates?.[code] === undefined
    ? null
    : Amount.max(ZERO, Amount.from(limit).minus(loans.owed(underlyingId)))
}
