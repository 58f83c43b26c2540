import { Amount } from '../../model/amount.js'
import { textFromScaled } from '../../model/decimal.js'
import type { EntryError } from '../../model/order.js'
import type { InstrumentDirectory } from '../../venue/venue.js'
import { isHeld, type Account, type PostedFill } from '../accounts/account.js'
import { openPositionOf } from '../accounts/account-statements.js'
import {
  collateralOf, isCrossDue, isLegDue, balanceSheetOf, valuedLegs, type PriceOf, type ValuedLeg,
} from '../accounts/account-balance-sheet.js'
import { isPaidInFull } from '../../model/contract.js'
import type { ForcedFill } from '../matching/order-making.js'
import { bankruptcyPrice } from '../accounts/margin.js'
import type { MoneyObserver } from './money-observer.js'
import type { OpenOrderSource, PreTrade } from './pre-trade.js'
import { exchangeError } from '../market/resting-order.js'
import { orderWith, type OrderAtExchange } from '../../orders/order-at-exchange.js'

/** Takes orders and positions away from an account. */
export interface PositionCloser {
  cancelWhere(isMeant: (order: OrderAtExchange) => boolean, timeNs: number, why?: EntryError): void
  /** `posted` is called between the ledger and the messages. */
  forceFill(account: Account, instrumentId: number, fill: ForcedFill, posted: (sums: PostedFill) => void): void
}

/** Why orders go with positions. */
const LIQUIDATED: EntryError = exchangeError(
  'LIQUIDATED', 'cancelled, as positions of its account were liquidated',
)

/** Underlyings in which an account's open derivatives settle, ascending. */
function settlements(account: Account): number[] {
  const ids = new Set<number>()
  const sells = account.margin?.shortOptions !== null
  for (const { contract } of account.positions.values())
    if (!isPaidInFull(contract) || (sells && contract.kind === 'option')) ids.add(contract.settlementUnderlyingId)
  return [...ids].sort((a, b) => a - b)
}

/** Legs of an underlying whose margin has come down to what they must keep (exchange rules 8.3). */
function dueLegs(account: Account, underlyingId: number, priceOf: PriceOf): ValuedLeg[] {
  const legs = valuedLegs(account, underlyingId, priceOf)
  const isCross = isCrossDue(balanceSheetOf(account, underlyingId, legs))
  return legs.filter(
    (leg) => (!isPaidInFull(leg.position.contract) || leg.sold !== null) && (leg.isIsolated ? isLegDue(leg) : isCross),
  )
}

/** True where any position of an account is to be liquidated at the prices of now. */
export function isAnythingDue(account: Account, priceOf: PriceOf): boolean {
  return account.margin !== null && settlements(account).some((id) => dueLegs(account, id, priceOf).length > 0)
}

/**
 * The price at which a position is taken over, on the instrument's grid, rounded to where it costs its owner no more
 * than there is; `fees` were taken for cross legs that closed before, and come on top of what they lost. Behind a leg
 * whose collateral is used up already there is nothing that its loss could use up: it closes no better than at the
 * price of now, and what is missing is a debt. Prices are above 0, but where the position has seen one that is not.
 */
function takeoverPrice(account: Account, leg: ValuedLeg, fees: Amount, priceOf: PriceOf): number {
  const underlyingId = leg.position.contract.settlementUnderlyingId
  const sheet = balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, priceOf))
  const collateral = leg.isIsolated ? collateralOf(leg, sheet) : collateralOf(leg, sheet).plus(fees)
  const isLong = leg.held.sums.quantity.sign > 0
  const position = openPositionOf(leg)
  const bankruptcy = bankruptcyPrice(position, collateral) ?? leg.price
  const price = collateral.sign > 0
    ? bankruptcy
    : isLong
      ? Amount.min(bankruptcy, leg.price)
      : Amount.max(bankruptcy, leg.price)
  const { priceScale } = leg.position.entry
  // Cut off towards 0.
  const units = price.integerAt(priceScale)
  const cut = Amount.scaled(units, priceScale).comparedTo(price)
  const rounded = isLong && cut < 0 ? units + 1 : !isLong && cut > 0 ? units - 1 : units
  return position.isBelowZero === true ? rounded : Math.max(1, rounded)
}

/** Takes over the positions of accounts that can no longer stand for them (exchange rules 8.3). */
export class Liquidation {
  constructor(
    private readonly instruments: InstrumentDirectory,
    private readonly priceOf: PriceOf,
    private readonly open: OpenOrderSource,
    private readonly orders: PositionCloser,
    private readonly preTrade: PreTrade,
    private readonly observer: MoneyObserver,
  ) {}

  /**
   * Liquidates what is due: the account's orders on those instruments are cancelled, and with a cross position all
   * whose margin comes out of the same wallet; each position is closed at its bankruptcy price with the profile's fee,
   * and what is missing after the last of them becomes a debt, which names that one. Returns the instruments that were
   * closed.
   */
  liquidate(account: Account, timeNs: number): number[] {
    const closed: number[] = []
    for (const underlyingId of settlements(account)) {
      const due = dueLegs(account, underlyingId, this.priceOf)
      const instrumentIds = [...new Set(due.map(({ position }) => position.contract.instrumentId))]
      const isCross = due.some((leg) => !leg.isIsolated)
      this.orders.cancelWhere(
        (order) =>
          order.accountId === account.config.accountId &&
          (instrumentIds.includes(order.instrumentId) || (isCross && this.#isOfWallet(account, order, underlyingId))),
        timeNs,
        LIQUIDATED,
      )
      this.#closeLegs(account, due, timeNs)
      closed.push(...instrumentIds)
    }
    return closed
  }

  /**
   * Cancels orders that are paid in full, newest first, until free cash covers the rest: what a liquidation took was
   * blocked for them, and filled they would take cash below 0. Returns whether any was cancelled.
   */
  cancelUncovered(account: Account, timeNs: number): boolean {
    if (!isHeld(account)) return false
    const isPaid = ({ accountId, instrumentId }: OrderAtExchange): boolean => {
      const entry = accountId === account.config.accountId ? this.instruments.get(instrumentId) : undefined
      return entry !== undefined && isPaidInFull(account.prospect(entry).contract)
    }
    const newestFirst = [...this.open.values()].filter(isPaid).reverse()
    const cancelled = new Set<OrderAtExchange>()
    for (const underlyingId of account.cash.keys()) {
      for (const order of newestFirst) {
        // A copy is none of the open orders, so all of them count.
        const free = this.preTrade.unused(account, orderWith(order, { price: null }), underlyingId)
        if (free.sign >= 0) break
        if (cancelled.has(order) || !this.preTrade.unused(account, order, underlyingId).gt(free)) continue
        this.orders.cancelWhere((one) => one === order, timeNs, LIQUIDATED)
        cancelled.add(order)
      }
    }
    return cancelled.size > 0
  }

  /**
   * True where the cross margin of an underlying stands behind an order: a derivative that settles in it, and no
   * isolated leg.
   */
  #isOfWallet(
    account: Account, { instrumentId, openClose = 'AUTO' }: OrderAtExchange, underlyingId: number,
  ): boolean {
    const entry = this.instruments.get(instrumentId)
    if (entry === undefined || entry.instrument.type === 'spot') return false
    return (
      account.prospect(entry).contract.settlementUnderlyingId === underlyingId &&
      account.margin?.isIsolated(openClose === 'AUTO' ? 'net' : 'long') !== true
    )
  }

  /**
   * Closes legs one after the other. A winner among them pays for a loser: what is missing is judged with the last,
   * before its wallets are sent. An isolated leg has its own margin and nothing else: what its loss and its fee are
   * beyond that is its debt, and the wallet keeps the rest.
   */
  #closeLegs(account: Account, due: readonly ValuedLeg[], timeNs: number): void {
    let fees = Amount.ZERO
    for (const [number, valued] of due.entries()) {
      const { position: { contract, entry }, leg, held: { sums: { quantity }, margin } } = valued
      const about = {
        exchangeTimeNs: timeNs, accountId: account.config.accountId, underlyingId: contract.settlementUnderlyingId,
        instrumentId: contract.instrumentId, leg,
      }
      const owe = (shortfall: Amount): void => {
        if (shortfall.sign > 0) this.observer.money?.({ kind: 'debt', ...about, amount: shortfall.toFixed() })
      }
      const price = takeoverPrice(account, valued, fees, this.priceOf)
      const fill: ForcedFill = {
        side: quantity.sign > 0 ? 'ASK' : 'BID', leg, price, quantity: quantity.abs().integerAt(entry.quantityScale),
        timeNs, ...(account.margin === null ? {} : { feeRate: account.margin.liquidationFeeRate }),
      }
      this.orders.forceFill(account, entry.instrument.id, fill, ({ realizedPnl, fee }) => {
        this.observer.money?.({
          kind: 'liquidation', ...about, amount: realizedPnl.toFixed(), size: quantity.toFixed(),
          atPrice: textFromScaled(price, entry.priceScale), feeAmount: fee.toFixed(),
        })
        if (valued.isIsolated) owe(account.oweAmount(about.underlyingId, fee.minus(realizedPnl).minus(margin)))
        else fees = fees.plus(fee)
        if (number === due.length - 1) owe(account.owe(about.underlyingId))
      })
    }
  }
}
