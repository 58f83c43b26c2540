import { Amount } from '../../model/amount.js'
import { isHeld, type Account } from '../accounts/account.js'
import type { AccountPosition, Leg } from '../accounts/account-position.js'
import { freeMargin, balanceSheetOf, valuedLegs, type PriceOf } from '../accounts/account-balance-sheet.js'
import { contractValue } from '../../model/contract.js'
import { isLimited } from '../../model/order.js'
import { bracketOf, initialMargin, shortOptionMargin, type MarginTerms } from '../accounts/margin.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import type { TradedInstrument, TradedSource } from '../matching/order-engine.js'
import { heldIn, largerFee, marginPrice, orderPrice } from './order-limits.js'

/** An amount of an underlying that an order spends, or is short of. */
export interface Shortage {
  readonly underlyingId: number
  readonly missing: Amount
}

const ZERO: Amount = Amount.ZERO
const ONE: Amount = Amount.ONE

/**
 * Amounts that orders need of an account: spot orders what they spend, prediction contracts their stake, options their
 * premium or margin, other contracts margin. Sums are made when asked for; nothing is kept.
 */
export class OrderNeeds {
  constructor(private readonly markOf: PriceOf, private readonly traded: TradedSource) {}

  /** The price by which an order is valued; null where none is known. */
  priceOf(traded: TradedInstrument, order: OrderAtExchange): Amount | null {
    return orderPrice(traded, order, order.price === null ? this.markOf(order.instrumentId) : null)
  }

  /** The amount that a spot order spends, its fee included where that is taken of the same. */
  spends(account: Account, order: OrderAtExchange): Shortage | null {
    const traded = this.traded.of(order.instrumentId)
    const price = traded === null ? null : this.priceOf(traded, order)
    if (traded === null || price === null) return null
    const position = account.prospect(traded.entry)
    const { contract, entry } = position
    const quantity = Amount.scaled(order.remainingQuantity, traded.market.quantityScale)
    const value = contractValue(contract, quantity, price)
    const isBuy = order.side === 'BID'
    const underlyingId = isBuy
      ? contract.settlementUnderlyingId
      : (contract.baseUnderlyingId ?? contract.settlementUnderlyingId)
    const paysHere = (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === underlyingId
    return {
      underlyingId,
      missing: (isBuy ? Amount.max(ZERO, value) : quantity).plus(
        paysHere ? largerFee(account, position, order.side, quantity, value) : ZERO,
      ),
    }
  }

  /**
   * Cash that may be spent: not what isolated positions have for themselves, nor what cross ones block. Profits that
   * are not realised pay nothing.
   */
  cashFor(account: Account, underlyingId: number): Amount {
    const cash = account.cashOf(underlyingId)
    if (account.margin === null) return cash
    const sheet = balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, this.markOf))
    return Amount.min(cash.minus(sheet.isolatedMargin), freeMargin(sheet))
  }

  /**
   * The cost of orders of a prediction contract: a buy its price, a sale the rest to 1, each its fee. What is held,
   * and what was sold, covers them in their order; limited ones cost nothing, but use up what is held.
   */
  #staked(account: Account, position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const { contract, entry } = position
    const paysHere =
      (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === contract.settlementUnderlyingId
    let [held, sold] = [heldIn(position, 1), heldIn(position, -1)]
    let sum = ZERO
    for (const order of orders) {
      const isBid = order.side === 'BID'
      const quantity = this.quantityOf(order)
      const covered = order.openClose === 'OPEN' ? ZERO : Amount.min(quantity, isBid ? sold : held)
      if (isBid) sold = sold.minus(covered)
      else held = held.minus(covered)
      const traded = isLimited(order) ? null : this.traded.of(order.instrumentId)
      const price = traded === null ? null : this.priceOf(traded, order)
      if (price === null) continue
      const opened = quantity.minus(covered)
      sum = sum.plus(contractValue(contract, opened, Amount.max(ZERO, isBid ? price : ONE.minus(price))))
      // What closes has brought its fee along, or brings it.
      if (paysHere)
        sum = sum.plus(largerFee(account, position, order.side, opened, contractValue(contract, opened, price)))
    }
    return sum
  }

  /** The greatest cost of sold prediction contracts at their end, 1 each: what their sale brought is not free. */
  #liability(account: Account, underlyingId: number): Amount {
    return [...account.positions.values()]
      .filter(({ contract: { kind, settlementUnderlyingId: id } }) => kind === 'prediction' && id === underlyingId)
      .reduce((sum, position) => sum.plus(contractValue(position.contract, heldIn(position, -1), ONE)), ZERO)
  }

  /** Amount of an underlying that these orders block, with what sold prediction contracts may cost. */
  blockedBy(account: Account, underlyingId: number, orders: readonly OrderAtExchange[]): Amount {
    let sum = isHeld(account) ? this.#liability(account, underlyingId) : ZERO
    const bets = new Map<AccountPosition, OrderAtExchange[]>()
    const derivatives = new Map<AccountPosition, OrderAtExchange[]>()
    for (const order of orders) {
      const traded = this.traded.of(order.instrumentId)
      if (traded === null) continue
      const position = account.prospect(traded.entry)
      const isBet = position.contract.kind === 'prediction'
      // What closes needs nothing but the premium of a sold option behind which nothing was kept.
      const isBoughtBack = account.margin === null && position.contract.kind === 'option' && order.side === 'BID'
      if (isLimited(order) && !isBet && !isBoughtBack) continue
      if (position.contract.kind === 'spot') {
        const spent = isHeld(account) ? this.spends(account, order) : null
        if (spent?.underlyingId === underlyingId) sum = sum.plus(spent.missing)
      } else if (position.contract.settlementUnderlyingId === underlyingId) {
        const isPremium = position.contract.kind === 'option' && isHeld(account)
        const group = isBet
          ? isHeld(account)
            ? bets
            : null
          : account.margin === null && !isPremium
            ? null
            : derivatives
        group?.set(position, [...(group.get(position) ?? []), order])
      }
    }
    for (const [position, own] of bets) sum = sum.plus(this.#staked(account, position, own))
    for (const [position, own] of derivatives)
      sum = sum.plus(
        position.contract.kind === 'option'
          ? this.#optionMargin(account, position, own)
          : this.#orderMargin(account, position, own),
      )
    return sum
  }

  /**
   * The quantity of the asks that would sell more than is held; what is held covers none that OPEN a short position
   * beside it.
   */
  uncovered(position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const asked = (isOpening: boolean): Amount =>
      orders
        .filter(({ side, openClose }) => side === 'ASK' && (openClose === 'OPEN') === isOpening)
        .reduce((sum, order) => sum.plus(this.quantityOf(order)), ZERO)
    return asked(true).plus(Amount.max(ZERO, asked(false).minus(heldIn(position, 1))))
  }

  /**
   * The margin of orders of an option: bids their price as far as they do not buy back, asks the margin of what they
   * sell short. Without margin every bid needs its price and its fee, as nothing was kept behind what was sold.
   */
  #optionMargin(account: Account, position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const { margin } = account
    const { contract, entry } = position
    const paysHere =
      margin === null &&
      (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === contract.settlementUnderlyingId
    let sum = ZERO
    let sold = heldIn(position, -1)
    for (const order of orders) {
      const traded = order.side === 'BID' ? this.traded.of(order.instrumentId) : null
      const price = traded === null ? null : this.priceOf(traded, order)
      if (price === null) continue
      const quantity = this.quantityOf(order)
      const bought = margin === null || order.openClose === 'OPEN' ? quantity : Amount.max(ZERO, quantity.minus(sold))
      sold = sold.minus(quantity.minus(bought))
      sum = sum.plus(Amount.max(ZERO, contractValue(contract, bought, price)))
      if (paysHere)
        sum = sum.plus(largerFee(account, position, 'BID', quantity, contractValue(contract, quantity, price)))
    }
    const uncovered = this.uncovered(position, orders)
    const index = uncovered.sign > 0 ? (this.markOf.indexOf?.(contract.instrumentId) ?? null) : null
    const short =
      index === null || margin === null || margin.shortOptions === null
        ? null
        : shortOptionMargin(margin.shortOptions, contract, uncovered, index)
    return sum.plus(short?.initial ?? ZERO)
  }

  /** The open quantity of an order, in units of the instrument. */
  quantityOf(order: OrderAtExchange): Amount {
    const traded = this.traded.of(order.instrumentId)
    return traded === null ? ZERO : Amount.scaled(order.remainingQuantity, traded.market.quantityScale)
  }

  /**
   * Margin that open orders need beyond what the position blocks already: the worse of all bids and all asks executing.
   */
  #orderMargin(account: Account, position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const { margin } = account
    if (margin === null) return ZERO
    const brackets = margin.bracketsOf(position.entry.instrument)
    let sum = ZERO
    for (const leg of ['long', 'short'] as const) {
      const { value, added } = this.#opening(margin, position, leg, orders)
      const whole = value.plus(added)
      // What opens an isolated position takes its share of the margin of the whole, whichever of the orders comes last.
      if (margin.isIsolated(leg)) sum = sum.plus(added.times(bracketOf(brackets, whole)?.initialRate ?? ZERO))
      else sum = sum.plus(initialMargin(brackets, whole)).minus(initialMargin(brackets, value))
    }
    const held = this.#heldValue(position)
    const more = initialMargin(brackets, this.exposure(position, orders)).minus(initialMargin(brackets, held.abs()))
    return sum.plus(Amount.max(ZERO, more))
  }

  /**
   * Value of the position beside the net one that OPEN makes, by its entry where its margin is its own; and what such
   * orders add to it.
   */
  #opening(
    margin: MarginTerms, position: AccountPosition, leg: Leg, orders: readonly OrderAtExchange[],
  ): { readonly value: Amount; readonly added: Amount } {
    const sums = position.legs.get(leg)?.sums
    const added = orders
      .filter(
        ({ openClose, instrumentId, side }) =>
          openClose === 'OPEN' &&
          instrumentId === position.contract.instrumentId &&
          (side === 'BID') === (leg === 'long'),
      )
      .reduce((sum, order) => sum.plus(this.#valueOf(position, order)), ZERO)
    if (sums === undefined || sums.quantity.isZero()) return { value: ZERO, added }
    const price = margin.isIsolated(leg) ? null : this.markOf(position.contract.instrumentId)
    return {
      value: (price === null ? sums.openValue : contractValue(position.contract, sums.quantity, price)).abs(),
      added,
    }
  }

  /**
   * The value that the position can come to that the last of the orders opens; 0 where it opens none beside the net
   * one.
   */
  legExposure(terms: MarginTerms, position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const order = orders.at(-1)
    if (order?.openClose !== 'OPEN') return ZERO
    const { value, added } = this.#opening(terms, position, order.side === 'BID' ? 'long' : 'short', orders)
    return value.plus(added)
  }

  /**
   * The larger value that the net position can come to by its open orders; what they close of the one that OPEN made on
   * the other side comes first.
   */
  exposure(position: AccountPosition, orders: readonly OrderAtExchange[]): Amount {
    const held = this.#heldValue(position)
    const sizeOf = (leg: Leg): Amount => position.legs.get(leg)?.sums.quantity.abs() ?? ZERO
    let [bids, asks, long, short] = [ZERO, ZERO, sizeOf('long'), sizeOf('short')]
    for (const order of orders) {
      if (order.instrumentId !== position.contract.instrumentId || order.openClose === 'OPEN' || isLimited(order))
        continue
      const quantity = this.quantityOf(order)
      const closed = Amount.min(quantity, order.side === 'BID' ? short : long)
      const value = this.#valueOf(position, order, quantity.minus(closed))
      if (order.side === 'BID') [bids, short] = [bids.plus(value), short.minus(closed)]
      else [asks, long] = [asks.plus(value), long.minus(closed)]
    }
    return Amount.max(held.abs(), held.plus(bids), asks.minus(held))
  }

  #heldValue({ contract, sums }: AccountPosition): Amount {
    const price = sums.quantity.isZero() ? null : this.markOf(contract.instrumentId)
    const value = price === null ? sums.openValue : contractValue(contract, sums.quantity, price)
    return value.abs().signed(sums.quantity.sign)
  }

  /** The value of an order without its sign. */
  #valueOf(
    { contract }: AccountPosition, order: OrderAtExchange, quantity: Amount = this.quantityOf(order),
  ): Amount {
    const traded = this.traded.of(order.instrumentId)
    const price = traded === null ? null : marginPrice(traded, contract, order, this.markOf(order.instrumentId))
    return price === null ? ZERO : contractValue(contract, quantity, price).abs()
  }
}
