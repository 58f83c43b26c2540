import { Amount, declaredAmount, type StatedAmount } from '../../model/amount.js'
import { QUOTIENT_DECIMALS, textFromScaled } from '../../model/decimal.js'
import { BacktapeError } from '../../model/error.js'
import { instrumentName } from '../../model/instrument.js'
import type { Writable } from '../../model/writable.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import type { Account } from './account.js'
import { legOf, legValue, openLegs, type AccountPosition, type Leg, type PositionLeg } from './account-position.js'
import {
  collateralOf, freeMargin, balanceSheetOf, valuedLegs, availableBorrow, type PriceOf, type ValuedLeg,
} from './account-balance-sheet.js'
import { liquidationPrice, type OpenPosition } from './margin.js'
import { isPaidInFull, isValueInverse } from '../../model/contract.js'
import { averageEntryPrice } from '../../model/position-sums.js'
import type {
  Capabilities, IsolatedPosition, IsolatedSide, Position, UsdAmount, Wallet,
} from '../../venue/account-messages.js'

/** The sources of an account's messages beside its own sums. */
export interface StatementSources {
  readonly capabilities: Capabilities
  readonly priceOf: PriceOf
  /** USD for one unit, where a rate is declared. */
  readonly usdRateOf: (underlyingId: number) => string | undefined
  readonly codeOf: (underlyingId: number) => string | undefined
  /** The amount that open orders of the account block of an underlying. */
  readonly blockedByOrders: (underlyingId: number) => Amount
  /** Called when the wallets are stated, all of them at once. */
  readonly stating?: () => void
}

/** A position in both encodings: the net one, and the isolated ones where the account has or had any. */
export interface PositionStatement {
  readonly positions: readonly Position[]
  readonly isolatedPositions?: readonly IsolatedPosition[]
}

/** Wallets and their sums in USD; a sum that needs a rate nobody declared is absent. */
export interface WalletStatement {
  readonly wallets: readonly Wallet<StatedAmount, number>[]
  readonly maintenanceMargin?: readonly UsdAmount[]
  readonly totalBalances?: readonly UsdAmount[]
}

/** The amounts of a wallet, before it is known which are stated. */
interface WalletAmounts {
  readonly underlyingId: number
  /** The instrument whose isolated margin it is; null: the account's own. */
  readonly instrumentId: number | null
  readonly cash: Amount
  /** Unrealised. */
  readonly profit: Amount
  readonly free: Amount
  readonly blocked: Amount
  readonly balance: Amount
  readonly maintenanceMargin: Amount
  readonly owed: Amount
}

const ZERO: Amount = Amount.ZERO

function usdAmount(walletType: string, amount: Amount): UsdAmount {
  return { walletType, usdAmount: amount.rounded(QUOTIENT_DECIMALS) }
}

/** A position as an integer at the directory's scale. Throws VALUE_INEXACT where a double beyond 2^53 - 1 is not it. */
function statedUnits(quantity: Amount, { instrument, quantityScale }: InstrumentEntry): number {
  const units = quantity.integerAt(quantityScale)
  if (Number.isSafeInteger(units) || Amount.scaled(units, quantityScale).eq(quantity)) return units
  const most = textFromScaled(Number.MAX_SAFE_INTEGER, quantityScale)
  throw new BacktapeError(
    'VALUE_INEXACT',
    `Cannot hold a position of ${quantity.toFixed()} in ${instrumentName(instrument)}: with its lots of ` +
      `${String(quantityScale)} decimals the largest is ${most}`,
    { field: 'position', expected: `at most ${most}`, found: quantity.toFixed() },
  )
}

interface LegFields {
  readonly liquidationPrice?: StatedAmount
  readonly unrealizedPnl?: StatedAmount
  readonly averageEntryPrice?: StatedAmount
}

/** States positions and wallets of one account as the protocol has them. */
export class AccountStatements {
  constructor(private readonly account: Account, private readonly sources: StatementSources) {}

  /** The position in one instrument. */
  position(entry: InstrumentEntry, exchangeTimeNs: number): PositionStatement {
    const position = this.account.positionIn(entry)
    // Coins that are not the account's by trades alone may be split into parts of a unit; the wallet says all of them.
    const units = statedUnits(legOf(position, 'net').sums.quantity, entry)
    const net: Writable<Position> = {
      instrumentId: entry.instrument.id, exchangeTimeNs, longPosition: Math.max(0, units),
      shortPosition: Math.max(0, -units),
    }
    this.addLegFields(net, position, 'net')
    if (position.legs.size === 1) return { positions: [net] }
    const side = (leg: Leg): IsolatedSide => {
      const stated: Writable<IsolatedSide> = {
        size: Math.abs(statedUnits(position.legs.get(leg)?.sums.quantity ?? Amount.ZERO, entry)),
      }
      this.addLegFields(stated, position, leg)
      return stated
    }
    return {
      positions: [net],
      isolatedPositions: [
        { instrumentId: entry.instrument.id, exchangeTimeNs, long: side('long'), short: side('short') },
      ],
    }
  }

  /** All positions, in the order in which they were first traded. */
  positions(exchangeTimeNs: number): PositionStatement {
    const all = [...this.account.positions.values()].map(({ entry }) => this.position(entry, exchangeTimeNs))
    const isolated = all.flatMap(({ isolatedPositions = [] }) => isolatedPositions)
    return {
      positions: all.flatMap(({ positions }) => positions),
      ...(isolated.length === 0 ? {} : { isolatedPositions: isolated }),
    }
  }

  /** All wallets, by underlying id; behind that of the account those of isolated margin, by instrument id. */
  wallets(exchangeTimeNs: number): Wallet<StatedAmount, number>[] {
    return this.amounts().map((amounts) => this.wallet(amounts, exchangeTimeNs))
  }

  /** All wallets, with their sums in USD where every rate that they need is declared. */
  walletStatement(exchangeTimeNs: number): WalletStatement {
    this.sources.stating?.()
    const all = this.amounts()
    // What was borrowed lies in the wallet, and is not the account's own.
    const own = this.isSeparate ? all.filter(({ instrumentId }) => instrumentId === null) : all
    const total = this.inUsd(own, ({ balance, owed }) => (owed.isZero() ? balance : balance.minus(owed)))
    const maintenance = this.account.margin === null ? null : this.maintenanceInUsd(all, own)
    const statement: Writable<WalletStatement> = {
      wallets: all.map((amounts) => this.wallet(amounts, exchangeTimeNs)),
    }
    if (maintenance !== null) statement.maintenanceMargin = maintenance
    if (total !== null) statement.totalBalances = [usdAmount('ACCOUNT', total)]
    return statement
  }

  /** By type of wallet; null where a rate is missing. */
  private maintenanceInUsd(all: readonly WalletAmounts[], own: readonly WalletAmounts[]): readonly UsdAmount[] | null {
    const margin = ({ maintenanceMargin }: WalletAmounts): Amount => maintenanceMargin
    const ofAccount = this.inUsd(own, margin)
    if (ofAccount === null) return null
    if (all.length === own.length) return [usdAmount('ACCOUNT', ofAccount)]
    const isolated = this.inUsd(all.filter(({ instrumentId }) => instrumentId !== null), margin)
    return isolated === null ? null : [usdAmount('ACCOUNT', ofAccount), usdAmount('ISOLATED', isolated)]
  }

  /** True where isolated margin is stated in wallets of its own. */
  private get isSeparate(): boolean {
    return this.sources.capabilities.walletTypes.includes('ISOLATED') && this.account.margin !== null
  }

  private inUsd(wallets: readonly WalletAmounts[], amountOf: (wallet: WalletAmounts) => Amount): Amount | null {
    let sum = ZERO
    for (const wallet of wallets) {
      const amount = amountOf(wallet)
      const rate = this.sources.usdRateOf(wallet.underlyingId)
      if (rate === undefined && !amount.isZero()) return null
      if (rate !== undefined) sum = sum.plus(amount.times(declaredAmount(rate)))
    }
    return wallets.length === 0 ? null : sum
  }

  /** The amounts of the wallets, in the order in which they are stated. */
  private amounts(): WalletAmounts[] {
    const all = [...this.account.cash.keys()].map((underlyingId) => this.amountsOf(underlyingId))
    if (this.isSeparate) all.push(...this.isolatedAmounts())
    return all.length < 2
      ? all
      : all.sort((a, b) => a.underlyingId - b.underlyingId || (a.instrumentId ?? -1) - (b.instrumentId ?? -1))
  }

  /** The amounts of each instrument with an isolated position. */
  private isolatedAmounts(): WalletAmounts[] {
    const { account, sources: { priceOf } } = this
    return [...account.positions.values()].flatMap((position) => {
      const { contract: { instrumentId, settlementUnderlyingId: underlyingId } } = position
      if (isPaidInFull(position.contract) || position.contract.kind === 'spot') return []
      const open = openLegs(position).filter(([leg]) => account.margin?.isIsolated(leg) === true)
      if (open.length === 0) return []
      const cash = open.reduce((sum, [, { margin }]) => sum.plus(margin), ZERO)
      const valued = valuedLegs(account, underlyingId, priceOf)
        .filter((one) => one.isIsolated && one.position === position)
      const profit = valued.reduce((sum, one) => sum.plus(one.profit), ZERO)
      const maintenanceMargin = valued.reduce((sum, { maintenance }) => sum.plus(maintenance), ZERO)
      return [{
        underlyingId, instrumentId, cash, profit, free: ZERO, blocked: cash, balance: cash.plus(profit),
        maintenanceMargin, owed: ZERO,
      }]
    })
  }

  private amountsOf(underlyingId: number): WalletAmounts {
    const account = this.account
    if (account.margin === null) return this.amountsWithoutMargin(underlyingId)
    const { priceOf, blockedByOrders } = this.sources
    const sheet = balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, priceOf))
    const {
      cash, isolatedMargin, crossProfit, isolatedProfit, marketValue, crossInitial, crossMaintenance,
      isolatedMaintenance,
    } = sheet
    const byOrders = blockedByOrders(underlyingId)
    // Isolated margin is part of the cash, and of this wallet where it has none of its own.
    const part = this.isSeparate
      ? { cash: cash.minus(isolatedMargin), profit: crossProfit, margin: ZERO, maintenance: ZERO }
      : {
          cash, profit: crossProfit.plus(isolatedProfit), margin: isolatedMargin, maintenance: isolatedMaintenance,
        }
    return {
      underlyingId, instrumentId: null, cash: part.cash, profit: part.profit,
      free: Amount.max(ZERO, freeMargin(sheet).minus(byOrders)),
      blocked: part.margin.plus(crossInitial).plus(byOrders),
      balance: part.cash.plus(part.profit).plus(marketValue),
      maintenanceMargin: crossMaintenance.plus(part.maintenance),
      owed: account.loans.owed(underlyingId),
    }
  }

  /** Without margin rules cash alone is what can be spent, and nothing stands behind a position. */
  private amountsWithoutMargin(underlyingId: number): WalletAmounts {
    const account = this.account
    const cash = account.cashOf(underlyingId)
    const blocked = this.sources.blockedByOrders(underlyingId)
    let [profit, marketValue] = [ZERO, ZERO]
    for (const { contract, legs } of account.positions.values()) {
      if (contract.kind === 'spot' || contract.settlementUnderlyingId !== underlyingId) continue
      for (const held of legs.values()) {
        const price = held.sums.quantity.isZero() ? null : this.sources.priceOf(contract.instrumentId)
        if (price === null) continue
        const open = legValue(contract, held, price)
        if (isPaidInFull(contract)) marketValue = marketValue.plus(open.value.signed(held.sums.quantity.sign))
        else profit = profit.plus(open.profit)
      }
    }
    return {
      underlyingId, instrumentId: null, cash, profit, free: cash.minus(blocked), blocked,
      balance: cash.plus(profit).plus(marketValue), maintenanceMargin: ZERO, owed: account.loans.owed(underlyingId),
    }
  }

  private wallet(
    { underlyingId, instrumentId, cash, profit, free, blocked, balance, maintenanceMargin, owed }: WalletAmounts,
    exchangeTimeNs: number,
  ): Wallet<StatedAmount, number> {
    const account = this.account
    const { capabilities, codeOf } = this.sources
    const wallet: Writable<Wallet<StatedAmount, number>> = {
      underlyingId, availableAmount: free, amountBlockedForMargin: blocked, marginBalance: balance, exchangeTimeNs,
    }
    if (instrumentId !== null) Object.assign(wallet, { type: 'ISOLATED', instrumentId })
    if (account.margin !== null) wallet.maintenanceMargin = maintenanceMargin
    if (!owed.isZero()) wallet.borrowed = owed
    if (capabilities.cashBalance) wallet.cashBalance = cash
    if (capabilities.walletUnrealizedPnl) wallet.unrealizedPnl = profit
    const borrowable = capabilities.availableBorrow && instrumentId === null
      ? availableBorrow(account, underlyingId, codeOf(underlyingId) ?? '')
      : null
    if (borrowable !== null) wallet.availableBorrow = borrowable
    return wallet
  }

  private addLegFields(stated: Writable<LegFields>, position: AccountPosition, leg: Leg): void {
    const held = position.legs.get(leg)
    if (held === undefined || held.sums.quantity.isZero()) return
    const { capabilities, priceOf } = this.sources
    const average = capabilities.averageEntryPrice ? averageEntryPrice(position.contract, held.sums) : null
    const price = capabilities.positionUnrealizedPnl ? priceOf(position.contract.instrumentId) : null
    const liquidation = capabilities.liquidationPrice ? this.liquidationPrice(position, held) : null
    if (liquidation !== null) stated.liquidationPrice = liquidation
    if (price !== null) stated.unrealizedPnl = legValue(position.contract, held, price).profit
    if (average !== null) stated.averageEntryPrice = average
  }

  /** Null where no margin is declared, the position cannot be liquidated, or nothing values it. */
  private liquidationPrice(position: AccountPosition, held: PositionLeg): Amount | null {
    const account = this.account
    const { contract, entry } = position
    if (account.margin === null || isPaidInFull(contract)) return null
    const legs = valuedLegs(account, contract.settlementUnderlyingId, this.sources.priceOf)
    const valued = legs.find((one) => one.held === held)
    if (valued === undefined) return null
    const sheet = balanceSheetOf(account, contract.settlementUnderlyingId, legs)
    const others = valued.isIsolated ? ZERO : sheet.crossMaintenance.minus(valued.maintenance)
    return liquidationPrice(
      openPositionOf(valued), collateralOf(valued, sheet).minus(others), account.margin.bracketsOf(entry.instrument),
    )
  }
}

/** A leg as the mathematics of margin see it. */
export function openPositionOf({ position: { contract }, held, price }: ValuedLeg): OpenPosition {
  const { quantity, openValue: value } = held.sums
  const openValue = value.signed(quantity.sign)
  return {
    contract, isLong: quantity.sign > 0, quantity: quantity.abs(), openValue,
    isBelowZero: !isValueInverse(contract) && (openValue.sign < 0 || price.sign <= 0),
  }
}
