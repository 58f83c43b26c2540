import { Decimal, decimalFromScaled } from '../../model/decimal.js'
import type { Instrument } from '../../model/instrument.js'
import type { OrderError } from '../../model/order.js'
import { isHeld, type Account } from '../accounts/account.js'
import type { AccountPosition, Leg } from '../accounts/account-position.js'
import { freeMargin, balanceSheetOf, valuedLegs, type PriceOf } from '../accounts/account-balance-sheet.js'
import { contractValue } from '../accounts/contract.js'
import { bracketOf, initialMargin, isBeyondBrackets } from '../accounts/margin.js'
import type { MarginTerms } from '../accounts/margin-terms.js'
import type { TradedInstrument } from '../matching/order-engine.js'
import { limitRefusal, orderBounds, type OrderBounds } from './order-limits.js'
import { chanceRefusal, closableAfter, heldIn, largerFee, marginPrice, orderPrice } from './order-value.js'
import { isLimited } from '../matching/position-limits.js'
import { remainingQuantity, type ExchangeOrderRecord } from '../market/resting-order.js'
import { shortOptionMargin } from '../accounts/short-option-margin.js'
import { exchangeError } from '../market/exchange-error.js'

/** What the checks look at. */
export interface PreTradeHost {
  readonly priceOf: PriceOf
  /** The code of an underlying, for sentences. */
  codeOf(underlyingId: number): string
  openOrders(): IterableIterator<ExchangeOrderRecord>
  traded(instrumentId: number): TradedInstrument | null
}

/** What an order is short of; an order that borrows may have it. */
export interface Shortage {
  readonly underlyingId: number
  readonly missing: Decimal
}

/** The outcome of the checks: an error, or what is to be borrowed first. */
export interface PreTradeOutcome {
  readonly error: OrderError | null
  readonly shortage: Shortage | null
}

const ZERO: Decimal = new Decimal(0)
const ONE: Decimal = new Decimal(1)
const FINE: PreTradeOutcome = { error: null, shortage: null }

/**
 * What the exchange asks of an account before it takes an order: the bounds of one order, spot balances where balances
 * were declared, margin where the profile declares it, the premium of an option where it does not, the whole stake of a
 * prediction contract. Sums are made when asked for; nothing is kept.
 */
export class PreTrade {
  readonly #host: PreTradeHost
  /** Read once for each account and instrument. */
  readonly #bounds: Map<Account, Map<Instrument, OrderBounds>> = new Map()

  constructor(host: PreTradeHost) {
    this.#host = host
  }

  /**
   * Judges an order that the exchange would take otherwise; `without` is the order that it takes the place of (amend).
   */
  judge(
    account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, without?: ExchangeOrderRecord,
  ): PreTradeOutcome {
    const position = account.prospect(traded.entry)
    const { contract } = position
    const unpriced = contract.kind === 'prediction' ? chanceRefusal(traded, order) : null
    if (unpriced !== null) return { error: unpriced, shortage: null }
    if (account.config.checks === 'none') return FINE
    const limit = limitRefusal(traded, order, this.#boundsOf(account, traded), {
      contract,
      price: () => this.#priceOf(traded, order),
      reference: () => this.#host.priceOf(order.instrumentId),
      // Those that closeOnly takes away are not in its way.
      openCount: () =>
        this.#others(account, without).filter(
          ({ instrumentId, clientId }) =>
            instrumentId === order.instrumentId && (order.closeOnly !== true || clientId !== order.clientId),
        ).length,
    })
    if (limit !== null) return { error: limit, shortage: null }
    const isPremium = contract.kind === 'option' && account.margin === null
    const isPaid = (contract.kind === 'prediction' || isPremium) && isHeld(account)
    const isBalance = contract.kind === 'spot' && isHeld(account)
    const isMargin = account.margin !== null && contract.kind !== 'spot' && contract.kind !== 'prediction'
    const sale =
      isPremium && !isLimited(order) && !sellsFreely(account)
        ? this.#saleRefusal(account, position, [...this.#others(account, without), order])
        : null
    if (sale !== null) return { error: sale, shortage: null }
    const isFree = isLimited(order) && !(isPremium && order.side === 'BID')
    if (isFree || (!isPaid && !isBalance && !isMargin) || this.#priceOf(traded, order) === null) return FINE
    const others = this.#others(account, without)
    if (isBalance) return this.#spot(account, traded, order, others)
    if (isPaid || account.margin === null)
      return this.#paid(account, position, others, this.#withOrder(account, order, without), without)
    return this.#margin(account, account.margin, position, order, others, without)
  }

  /** What open orders of an account, and prediction contracts that it sold, block of an underlying. */
  blocked(account: Account, underlyingId: number): Decimal {
    if (account.config.checks === 'none' || (account.margin === null && !isHeld(account))) return ZERO
    return this.#blockedBy(account, underlyingId, this.#others(account))
  }

  /**
   * What an order that is over leaves of an underlying that it would have spent: at its price what did not execute, of
   * a MARKET order what is there; never more than is free.
   */
  unused(account: Account, order: ExchangeOrderRecord, underlyingId: number): Decimal {
    const free = this.#cashFor(account, underlyingId).minus(
      this.#blockedBy(account, underlyingId, this.#others(account, order)),
    )
    const rest = order.price === null ? null : this.#spends(account, order)
    return rest === null ? free : Decimal.min(free, rest.missing)
  }

  /** The largest quantity of an order that is taken, at the market's scale; Infinity where nothing bounds it. */
  mostOf(account: Account, traded: TradedInstrument): number {
    return account.config.checks === 'none'
      ? Infinity
      : this.#boundsOf(account, traded).mostUnits * traded.quantityFactor
  }

  #boundsOf(account: Account, { entry }: TradedInstrument): OrderBounds {
    // By its terms, which a later day may change.
    const byTerms = this.#bounds.get(account) ?? new Map<Instrument, OrderBounds>()
    const known = byTerms.get(entry.instrument)
    if (known !== undefined) return known
    const bounds = orderBounds(entry, account.config.profile?.limits ?? {})
    this.#bounds.set(account, byTerms.set(entry.instrument, bounds))
    return bounds
  }

  #others(account: Account, without?: ExchangeOrderRecord): ExchangeOrderRecord[] {
    const { accountId } = account.config
    return [...this.#host.openOrders()].filter((other) => other !== without && other.accountId === accountId)
  }

  /**
   * All open orders with the one that is judged: in its old place where it takes one, as what is held covers orders in
   * their order.
   */
  #withOrder(account: Account, order: ExchangeOrderRecord, without?: ExchangeOrderRecord): ExchangeOrderRecord[] {
    const { accountId } = account.config
    const all = [...this.#host.openOrders()]
      .filter((other) => other.accountId === accountId)
      .map((other) => (other === without ? order : other))
    return all.includes(order) ? all : [...all, order]
  }

  #priceOf(traded: TradedInstrument, order: ExchangeOrderRecord): Decimal | null {
    return orderPrice(traded, order, order.price === null ? this.#host.priceOf(order.instrumentId) : null)
  }

  /** What a spot order spends, its fee included where that is taken of the same. */
  #spends(account: Account, order: ExchangeOrderRecord): Shortage | null {
    const traded = this.#host.traded(order.instrumentId)
    const price = traded === null ? null : this.#priceOf(traded, order)
    if (traded === null || price === null) return null
    const position = account.prospect(traded.entry)
    const { contract, entry } = position
    const quantity = decimalFromScaled(remainingQuantity(order), traded.market.quantityScale)
    const value = contractValue(contract, quantity, price)
    const isBuy = order.side === 'BID'
    const underlyingId = isBuy
      ? contract.settlementUnderlyingId
      : (contract.baseUnderlyingId ?? contract.settlementUnderlyingId)
    const paysHere = (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === underlyingId
    return {
      underlyingId,
      missing: (isBuy ? value : quantity).plus(
        paysHere ? largerFee(account, position, order.side, quantity, value) : ZERO,
      ),
    }
  }

  #spot(
    account: Account, traded: TradedInstrument, order: ExchangeOrderRecord, others: readonly ExchangeOrderRecord[],
  ): PreTradeOutcome {
    const need = this.#spends(account, order)
    if (need === null) return FINE
    const free = this.#cashFor(account, need.underlyingId).minus(this.#blockedBy(account, need.underlyingId, others))
    const missing = need.missing.minus(free)
    if (!missing.gt(0)) return FINE
    if (order.autoBorrow === true) return { error: null, shortage: { underlyingId: need.underlyingId, missing } }
    const { code } = traded.entry.instrument
    return short(
      `${order.side} of ${code} needs ${need.missing.toFixed()} ${this.#host.codeOf(need.underlyingId)}, and ` +
        `${free.toFixed()} is available`,
    )
  }

  /**
   * Prediction contracts, and options without margin, are paid in full: what all orders need then must be there, unless
   * this one adds nothing.
   */
  #paid(
    account: Account, { contract }: AccountPosition, others: readonly ExchangeOrderRecord[],
    all: readonly ExchangeOrderRecord[], without?: ExchangeOrderRecord,
  ): PreTradeOutcome {
    const underlyingId = contract.settlementUnderlyingId
    const before = this.#blockedBy(account, underlyingId, others)
    const need = this.#blockedBy(account, underlyingId, all).minus(before)
    const free = this.#cashFor(account, underlyingId).minus(before)
    if (without !== undefined && need.lte(this.#blockedBy(account, underlyingId, this.#others(account)).minus(before)))
      return FINE
    return need.gt(0) && need.gt(free)
      ? short(
          `the order needs ${need.toFixed()} ${this.#host.codeOf(underlyingId)}, and ${free.toFixed()} is available`,
        )
      : FINE
  }

  /**
   * Cash that may be spent: not what isolated positions have for themselves, nor what cross ones block. Profits that
   * are not realised pay nothing.
   */
  #cashFor(account: Account, underlyingId: number): Decimal {
    const cash = account.cashOf(underlyingId)
    if (account.margin === null) return cash
    const sheet = balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, this.#host.priceOf))
    return Decimal.min(cash.minus(sheet.isolatedMargin), freeMargin(sheet))
  }

  /**
   * What orders of a prediction contract stake: a buy its price, a sale the rest to 1, each its fee. What is held, and
   * what was sold, covers them in their order; limited ones stake nothing, but use up what is held.
   */
  #staked(account: Account, position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    const { contract, entry } = position
    const paysHere =
      (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === contract.settlementUnderlyingId
    let [held, sold] = [heldIn(position, 1), heldIn(position, -1)]
    let sum = ZERO
    for (const order of orders) {
      const isBid = order.side === 'BID'
      const quantity = this.#quantityOf(order)
      const covered = order.openClose === 'OPEN' ? ZERO : Decimal.min(quantity, isBid ? sold : held)
      if (isBid) sold = sold.minus(covered)
      else held = held.minus(covered)
      const traded = isLimited(order) ? null : this.#host.traded(order.instrumentId)
      const price = traded === null ? null : this.#priceOf(traded, order)
      if (price === null) continue
      const opened = quantity.minus(covered)
      sum = sum.plus(contractValue(contract, opened, Decimal.max(0, isBid ? price : ONE.minus(price))))
      // What closes has brought its fee along, or brings it.
      if (paysHere)
        sum = sum.plus(largerFee(account, position, order.side, opened, contractValue(contract, opened, price)))
    }
    return sum
  }

  /** What sold prediction contracts may cost at their end, 1 each: what their sale brought is not free. */
  #liability(account: Account, underlyingId: number): Decimal {
    let sum = ZERO
    for (const position of account.positions.values()) {
      const { contract } = position
      if (contract.kind === 'prediction' && contract.settlementUnderlyingId === underlyingId)
        sum = sum.plus(contractValue(contract, heldIn(position, -1), ONE))
    }
    return sum
  }

  #margin(
    account: Account, terms: MarginTerms, position: AccountPosition, order: ExchangeOrderRecord,
    others: readonly ExchangeOrderRecord[], without?: ExchangeOrderRecord,
  ): PreTradeOutcome {
    const { contract, entry } = position
    const sale = this.#saleRefusal(account, position, [...others, order])
    if (sale !== null) return { error: sale, shortage: null }
    const underlyingId = contract.settlementUnderlyingId
    const sheet = balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, this.#host.priceOf))
    // An amend is held against what its order needs now: the market may have moved since it was taken.
    const current = without === undefined ? others : [...others, without]
    const before = this.#blockedBy(account, underlyingId, current)
    const after = this.#blockedBy(account, underlyingId, [...others, order])
    const free = freeMargin(sheet)
    const isOpening = order.openClose === 'OPEN'
    const sizeWith = (orders: readonly ExchangeOrderRecord[]): Decimal =>
      isOpening ? this.#legExposure(terms, position, orders) : this.#exposure(position, orders)
    const exposure = sizeWith([...others, order])
    const sizeBefore = isOpening && without === undefined ? ZERO : sizeWith(current)
    // What makes no position larger is never in the way, however large the price has made the one that is there.
    if (isBeyondBrackets(terms.bracketsOf(entry.instrument), exposure) && exposure.gt(sizeBefore)) {
      return {
        error: exchangeError(
          'POSITION_TOO_LARGE', `a position of value ${exposure.toFixed()} is beyond the last margin bracket`,
        ),
        shortage: null,
      }
    }
    // What closes needs nothing new, nor does a change to less; what opens has to have its margin, though something
    // larger is blocked already.
    const opens =
      isOpening ||
      this.#quantityOf(order).gt(closableAfter(position, order.side, others, (other) => this.#quantityOf(other)))
    if (after.lte(free) || (after.lte(before) && (without !== undefined || !opens))) return FINE
    return {
      error: exchangeError(
        'INSUFFICIENT_MARGIN',
        `orders and order need ${after.toFixed()} ${this.#host.codeOf(underlyingId)} as margin, and ` +
          `${free.toFixed()} is free`,
      ),
      shortage: null,
    }
  }

  #blockedBy(account: Account, underlyingId: number, orders: readonly ExchangeOrderRecord[]): Decimal {
    let sum = isHeld(account) ? this.#liability(account, underlyingId) : ZERO
    const bets = new Map<AccountPosition, ExchangeOrderRecord[]>()
    const derivatives = new Map<AccountPosition, ExchangeOrderRecord[]>()
    for (const order of orders) {
      const traded = this.#host.traded(order.instrumentId)
      if (traded === null) continue
      const position = account.prospect(traded.entry)
      const isBet = position.contract.kind === 'prediction'
      // What closes needs nothing but the premium of a sold option behind which nothing was kept.
      const isBoughtBack = account.margin === null && position.contract.kind === 'option' && order.side === 'BID'
      if (isLimited(order) && !isBet && !isBoughtBack) continue
      if (position.contract.kind === 'spot') {
        const spent = isHeld(account) ? this.#spends(account, order) : null
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

  /** Why options may not be sold short, or null. */
  #saleRefusal(account: Account, position: AccountPosition, orders: readonly ExchangeOrderRecord[]): OrderError | null {
    const { contract, entry } = position
    const own = orders.filter(({ instrumentId }) => instrumentId === contract.instrumentId)
    if (contract.kind !== 'option' || orders.at(-1)?.side !== 'ASK' || !this.#uncovered(position, own).gt(0))
      return null
    if ((account.margin?.shortOptions ?? null) === null) {
      const { profile } = account.config
      return exchangeError(
        'NOT_SUPPORTED',
        `the venue profile ${profile?.name ?? ''} does not say margin.shortOptions, which the seller of an option ` +
          'needs',
      )
    }
    if ((this.#host.priceOf.indexOf?.(contract.instrumentId) ?? null) !== null) return null
    return exchangeError(
      'REFERENCE_PRICE_UNKNOWN',
      `the index of ${entry.instrument.code}, by which the margin of sold options is counted, is not known`,
    )
  }

  /**
   * How much of the asks would sell what is not held; what is held covers none that OPEN a short position beside it.
   */
  #uncovered(position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    let [opened, asked] = [ZERO, ZERO]
    for (const order of orders) {
      if (order.side !== 'ASK') continue
      if (order.openClose === 'OPEN') opened = opened.plus(this.#quantityOf(order))
      else asked = asked.plus(this.#quantityOf(order))
    }
    return opened.plus(Decimal.max(0, asked.minus(heldIn(position, 1))))
  }

  /**
   * What orders of an option need: bids their price as far as they do not buy back, asks the margin of what they sell
   * short. Without margin every bid needs its price and its fee, as nothing was kept behind what was sold.
   */
  #optionMargin(account: Account, position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    const { margin } = account
    const { contract, entry } = position
    const paysHere =
      margin === null &&
      (entry.instrument.feeUnderlyingId ?? contract.settlementUnderlyingId) === contract.settlementUnderlyingId
    let sum = ZERO
    let sold = heldIn(position, -1)
    for (const order of orders) {
      const traded = order.side === 'BID' ? this.#host.traded(order.instrumentId) : null
      const price = traded === null ? null : this.#priceOf(traded, order)
      if (price === null) continue
      const quantity = this.#quantityOf(order)
      const bought = margin === null || order.openClose === 'OPEN' ? quantity : Decimal.max(0, quantity.minus(sold))
      sold = sold.minus(quantity.minus(bought))
      sum = sum.plus(contractValue(contract, bought, price))
      if (paysHere)
        sum = sum.plus(largerFee(account, position, 'BID', quantity, contractValue(contract, quantity, price)))
    }
    const uncovered = this.#uncovered(position, orders)
    const index = uncovered.gt(0) ? (this.#host.priceOf.indexOf?.(contract.instrumentId) ?? null) : null
    const short =
      index === null || margin === null || margin.shortOptions === null
        ? null
        : shortOptionMargin(margin.shortOptions, contract, uncovered, index)
    return sum.plus(short?.initial ?? ZERO)
  }

  #quantityOf(order: ExchangeOrderRecord): Decimal {
    const traded = this.#host.traded(order.instrumentId)
    return traded === null ? ZERO : decimalFromScaled(remainingQuantity(order), traded.market.quantityScale)
  }

  /**
   * Margin that open orders need beyond what the position blocks already: the worse of all bids and all asks executing.
   */
  #orderMargin(account: Account, position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    const { margin } = account
    if (margin === null) return ZERO
    const brackets = margin.bracketsOf(position.entry.instrument)
    let sum = ZERO
    for (const leg of ['long', 'short'] as const) {
      const { value, added } = this.#opening(margin, position, leg, orders)
      const whole = value.plus(added)
      // What opens an isolated position takes its share of the margin of the whole, whichever of the orders comes last.
      if (margin.isIsolated(leg)) sum = sum.plus(added.times(bracketOf(brackets, whole)?.initialRate ?? 0))
      else sum = sum.plus(initialMargin(brackets, whole)).minus(initialMargin(brackets, value))
    }
    const held = this.#heldValue(position)
    const more = initialMargin(brackets, this.#exposure(position, orders)).minus(initialMargin(brackets, held.abs()))
    return sum.plus(Decimal.max(0, more))
  }

  /**
   * Value of the position beside the net one that OPEN makes, by its entry where its margin is its own; and what such
   * orders add to it.
   */
  #opening(
    margin: MarginTerms, position: AccountPosition, leg: Leg, orders: readonly ExchangeOrderRecord[],
  ): { readonly value: Decimal; readonly added: Decimal } {
    const sums = position.legs.get(leg)?.sums
    let added = ZERO
    for (const order of orders) {
      const isMeant =
        order.openClose === 'OPEN' &&
        order.instrumentId === position.contract.instrumentId &&
        (order.side === 'BID') === (leg === 'long')
      if (isMeant) added = added.plus(this.#valueOf(position, order))
    }
    if (sums === undefined || sums.quantity.isZero()) return { value: ZERO, added }
    const price = margin.isIsolated(leg) ? null : this.#host.priceOf(position.contract.instrumentId)
    return {
      value: price === null ? sums.openValue.abs() : contractValue(position.contract, sums.quantity.abs(), price),
      added,
    }
  }

  /**
   * The value that the position can come to that the last of the orders opens; 0 where it opens none beside the net
   * one.
   */
  #legExposure(terms: MarginTerms, position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    const order = orders.at(-1)
    if (order?.openClose !== 'OPEN') return ZERO
    const { value, added } = this.#opening(terms, position, order.side === 'BID' ? 'long' : 'short', orders)
    return value.plus(added)
  }

  /**
   * The larger value that the net position can come to by its open orders; what they close of the one that OPEN made on
   * the other side comes first.
   */
  #exposure(position: AccountPosition, orders: readonly ExchangeOrderRecord[]): Decimal {
    const held = this.#heldValue(position)
    const sizeOf = (leg: Leg): Decimal => position.legs.get(leg)?.sums.quantity.abs() ?? ZERO
    let [bids, asks, long, short] = [ZERO, ZERO, sizeOf('long'), sizeOf('short')]
    for (const order of orders) {
      if (order.instrumentId !== position.contract.instrumentId || order.openClose === 'OPEN' || isLimited(order))
        continue
      const quantity = this.#quantityOf(order)
      const closed = Decimal.min(quantity, order.side === 'BID' ? short : long)
      const value = this.#valueOf(position, order, quantity.minus(closed))
      if (order.side === 'BID') [bids, short] = [bids.plus(value), short.minus(closed)]
      else [asks, long] = [asks.plus(value), long.minus(closed)]
    }
    return Decimal.max(held.abs(), held.plus(bids), asks.minus(held))
  }

  #heldValue({ contract, sums }: AccountPosition): Decimal {
    const price = sums.quantity.isZero() ? null : this.#host.priceOf(contract.instrumentId)
    if (price === null) return sums.openValue
    const value = contractValue(contract, sums.quantity.abs(), price)
    return sums.quantity.isPositive() ? value : value.negated()
  }

  #valueOf(
    { contract }: AccountPosition, order: ExchangeOrderRecord, quantity: Decimal = this.#quantityOf(order),
  ): Decimal {
    const traded = this.#host.traded(order.instrumentId)
    const price = traded === null ? null : marginPrice(traded, contract, order, this.#host.priceOf(order.instrumentId))
    return price === null ? ZERO : contractValue(contract, quantity, price)
  }
}

/**
 * Whether options may be sold with nothing behind them: a `generic` venue allows everything where it declares no
 * margin.
 */
export function sellsFreely({ config: { profile }, margin }: Account): boolean {
  return margin === null && (profile === undefined || profile.kind === 'generic')
}

function short(message: string): PreTradeOutcome {
  return { error: exchangeError('INSUFFICIENT_BALANCE', message), shortage: null }
}
