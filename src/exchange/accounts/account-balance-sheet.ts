import { Decimal, plus } from '../../model/decimal.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition, type Leg, type PositionLeg } from './account-position.js'
import { contractValue, isPaidInFull, type Contract } from '../../model/contract.js'
import { profitAt } from '../../model/position-sums.js'
import { initialMargin, maintenanceMargin } from './margin.js'
import { shortOptionMargin, type ShortMargin } from './short-option-margin.js'

/** The price by which an instrument is valued now (exchange rules 8.2); null where nothing was ever known. */
export interface PriceOf {
  (instrumentId: number): Decimal | null
  /** The last index price, by which the margin of sold options is counted. */
  readonly indexOf?: (instrumentId: number) => Decimal | null
}

/** The amounts that back the derivatives which settle in one underlying. */
export interface WalletBalanceSheet {
  readonly cash: Decimal
  /** Cash that isolated positions have for themselves. */
  readonly isolatedMargin: Decimal
  /** Unrealised profit of cross and of isolated positions. */
  readonly crossProfit: Decimal
  readonly isolatedProfit: Decimal
  /** Value of what was paid in full: options and prediction contracts. */
  readonly marketValue: Decimal
  /** Part of it that is owed: value of sold options under margin, below 0. */
  readonly soldValue: Decimal
  /** Initial margin that open cross positions block, at their value now. */
  readonly crossInitial: Decimal
  readonly crossMaintenance: Decimal
  readonly isolatedMaintenance: Decimal
  /** Open cross positions whose price is known. */
  readonly crossCount: number
}

const ZERO: Decimal = new Decimal(0)

/** An open leg of a derivative with its value and profit at a price. */
export interface ValuedLeg {
  readonly position: AccountPosition
  readonly leg: Leg
  readonly held: PositionLeg
  readonly price: Decimal
  readonly value: Decimal
  readonly profit: Decimal
  readonly maintenance: Decimal
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
    if (price === null || price.isZero()) continue
    const brackets =
      account.margin === null || isPaidInFull(contract) ? [] : account.margin.bracketsOf(entry.instrument)
    for (const [leg, held] of open) {
      const value = contractValue(contract, held.sums.quantity.abs(), price)
      const sold =
        contract.option === undefined || held.sums.quantity.isPositive()
          ? null
          : soldMargin(account, contract, held.sums.quantity.abs(), priceOf)
      legs.push({
        position, leg, held, price, value, profit: profitAt(contract, held.sums, value),
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
function soldMargin({ margin }: Account, contract: Contract, quantity: Decimal, priceOf: PriceOf): ShortMargin | null {
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
      marketValue = plus(marketValue, held.sums.quantity.isPositive() ? value : value.negated())
      if (sold === null) continue
      crossCount++
      soldValue = soldValue.minus(value)
      crossInitial = crossInitial.plus(sold.initial)
      crossMaintenance = crossMaintenance.plus(sold.maintenance)
    } else if (isIsolated) {
      isolatedProfit = plus(isolatedProfit, profit)
      isolatedMaintenance = plus(isolatedMaintenance, maintenance)
    } else {
      crossCount++
      crossProfit = plus(crossProfit, profit)
      crossMaintenance = plus(crossMaintenance, maintenance)
      if (account.margin !== null)
        crossInitial = plus(crossInitial, initialMargin(account.margin.bracketsOf(position.entry.instrument), value))
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
function crossEquity({ cash, isolatedMargin, crossProfit, marketValue }: WalletBalanceSheet): Decimal {
  return cash.minus(isolatedMargin).plus(crossProfit).plus(marketValue)
}

/** The part of it that is free for more: what was bought and paid is no margin, what was sold is owed. */
export function freeMargin(sheet: WalletBalanceSheet): Decimal {
  return crossEquity(sheet).minus(sheet.marketValue).plus(sheet.soldValue).minus(sheet.crossInitial)
}

/** True where everything there is has come down to what the cross positions must keep (exchange rules 8.3). */
export function isCrossDue(sheet: WalletBalanceSheet): boolean {
  return sheet.crossCount > 0 && sheet.crossMaintenance.gt(0) && crossEquity(sheet).lte(sheet.crossMaintenance)
}

/** The same for one isolated leg. */
export function isLegDue({ isIsolated, held, profit, maintenance }: ValuedLeg): boolean {
  return isIsolated && maintenance.gt(0) && held.margin.plus(profit).lte(maintenance)
}

/** The collateral of one leg beside its own profit: its margin, or everything else behind the cross positions. */
export function collateralOf(valued: ValuedLeg, sheet: WalletBalanceSheet): Decimal {
  return valued.isIsolated ? valued.held.margin : crossEquity(sheet).minus(valued.profit)
}
