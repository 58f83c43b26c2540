import { Amount } from '../../model/amount.js'
import type { Instrument } from '../../model/instrument.js'
import { isLimited, type EntryError } from '../../model/order.js'
import { isHeld, type Account } from '../accounts/account.js'
import type { AccountPosition } from '../accounts/account-position.js'
import { freeMargin, balanceSheetOf, valuedLegs, type PriceOf } from '../accounts/account-balance-sheet.js'
import { isBeyondBrackets, type MarginTerms } from '../accounts/margin.js'
import { marketQuantity, type TradedInstrument, type TradedSource } from '../matching/order-engine.js'
import { limitRefusal, orderBounds, chanceRefusal, closableAfter, type OrderBounds } from './order-limits.js'
import { OrderNeeds, type Shortage } from './order-needs.js'
import { exchangeError } from '../market/resting-order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'
import { keptValue } from '../../model/kept-value.js'
import type { InstrumentDirectory, InstrumentEntry, OpeningTerms, UnderlyingDirectory } from '../../venue/venue.js'
import { isPaidInFull } from '../../model/contract.js'
import { underlyingCode } from './underlying-code.js'

/** The open orders of a world. */
export interface OpenOrderSource {
  /** All of them, in the order of acceptance. */
  values(): readonly OrderAtExchange[]
}

/** The outcome of the checks: an error, or what is to be borrowed first. */
export interface PreTradeOutcome {
  readonly error: EntryError | null
  readonly shortage: Shortage | null
}

const ZERO: Amount = Amount.ZERO
const FINE: PreTradeOutcome = { error: null, shortage: null }

/**
 * The exchange's checks of an account before it takes an order: the bounds of one order, spot balances where balances
 * were declared, margin where the profile declares it, the premium of an option where it does not, the whole stake of a
 * prediction contract. Sums are made when asked for; nothing is kept.
 */
export class PreTrade {
  readonly #needs: OrderNeeds
  /** Read once for each account and instrument. */
  readonly #bounds: Map<Account, Map<Instrument, OrderBounds>> = new Map()

  constructor(
    private readonly priceOf: PriceOf,
    traded: TradedSource,
    private readonly open: OpenOrderSource,
    private readonly underlyings: UnderlyingDirectory,
  ) {
    this.#needs = new OrderNeeds(priceOf, traded)
  }

  /**
   * Judges an order that the exchange would take otherwise; `without` is the order that it takes the place of (amend).
   */
  judge(
    account: Account, traded: TradedInstrument, order: OrderAtExchange, without?: OrderAtExchange,
  ): PreTradeOutcome {
    const position = account.prospect(traded.entry)
    const { contract } = position
    const unpriced = contract.kind === 'prediction' ? chanceRefusal(traded, order) : null
    if (unpriced !== null) return { error: unpriced, shortage: null }
    if (account.config.checks === 'none') return FINE
    const limit = limitRefusal(traded, order, this.#boundsOf(account, traded), {
      contract,
      price: () => this.#needs.priceOf(traded, order),
      reference: () => this.priceOf(order.instrumentId),
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
    if (isFree || (!isPaid && !isBalance && !isMargin) || this.#needs.priceOf(traded, order) === null) return FINE
    const others = this.#others(account, without)
    if (isBalance) return this.#spot(account, traded, order, others)
    if (isPaid || account.margin === null)
      return this.#paid(account, position, others, this.#withOrder(account, order, without), without)
    return this.#margin(account, account.margin, position, order, others, without)
  }

  /** The amount that open orders of an account, and prediction contracts that it sold, block of an underlying. */
  blocked(account: Account, underlyingId: number): Amount {
    if (account.config.checks === 'none' || (account.margin === null && !isHeld(account))) return ZERO
    return this.#needs.blockedBy(account, underlyingId, this.#others(account))
  }

  /**
   * The amount of an underlying that an order that is over would have spent: at its price what did not execute, of a
   * MARKET order what is there; never more than is free.
   */
  unused(account: Account, order: OrderAtExchange, underlyingId: number): Amount {
    const free = this.#needs.cashFor(account, underlyingId).minus(
      this.#needs.blockedBy(account, underlyingId, this.#others(account, order)),
    )
    const rest = order.price === null ? null : this.#needs.spends(account, order)
    return rest === null ? free : Amount.min(free, rest.missing)
  }

  /** The largest quantity of an order that is taken, at the market's scale; Infinity where nothing bounds it. */
  mostOf(account: Account, traded: TradedInstrument): number {
    return account.config.checks === 'none'
      ? Infinity
      : marketQuantity(traded, this.#boundsOf(account, traded).mostUnits)
  }

  #boundsOf(account: Account, { entry }: TradedInstrument): OrderBounds {
    // By its terms, which a later day may change.
    const byTerms = keptValue(this.#bounds, account, () => new Map<Instrument, OrderBounds>())
    return keptValue(byTerms, entry.instrument, () => orderBounds(entry, account.config.profile?.limits ?? {}))
  }

  #others(account: Account, without?: OrderAtExchange): OrderAtExchange[] {
    return this.open.values().filter(
      (other) => other !== without && other.accountId === account.config.accountId,
    )
  }

  /**
   * All open orders with the one that is judged: in its old place where it takes one, as what is held covers orders in
   * their order.
   */
  #withOrder(account: Account, order: OrderAtExchange, without?: OrderAtExchange): OrderAtExchange[] {
    const all = this.#others(account).map((other) => (other === without ? order : other))
    return all.includes(order) ? all : [...all, order]
  }

  #spot(
    account: Account, traded: TradedInstrument, order: OrderAtExchange, others: readonly OrderAtExchange[],
  ): PreTradeOutcome {
    const need = this.#needs.spends(account, order)
    if (need === null) return FINE
    const free = this.#needs
      .cashFor(account, need.underlyingId)
      .minus(this.#needs.blockedBy(account, need.underlyingId, others))
    const missing = need.missing.minus(free)
    if (missing.sign <= 0) return FINE
    if (order.autoBorrow === true) return { error: null, shortage: { underlyingId: need.underlyingId, missing } }
    return short(
      `${order.side} of ${traded.entry.instrument.code} needs ${need.missing.toFixed()} ` +
        `${underlyingCode(this.underlyings, need.underlyingId)}, and ${free.toFixed()} is available`,
    )
  }

  /**
   * Prediction contracts, and options without margin, are paid in full: what all orders need then must be there, unless
   * this one adds nothing.
   */
  #paid(
    account: Account, { contract }: AccountPosition, others: readonly OrderAtExchange[],
    all: readonly OrderAtExchange[], without?: OrderAtExchange,
  ): PreTradeOutcome {
    const underlyingId = contract.settlementUnderlyingId
    const before = this.#needs.blockedBy(account, underlyingId, others)
    const need = this.#needs.blockedBy(account, underlyingId, all).minus(before)
    const free = this.#needs.cashFor(account, underlyingId).minus(before)
    if (
      without !== undefined &&
      need.lte(this.#needs.blockedBy(account, underlyingId, this.#others(account)).minus(before))
    )
      return FINE
    return need.sign > 0 && need.gt(free)
      ? short(
          `the order needs ${need.toFixed()} ${underlyingCode(this.underlyings, underlyingId)}, ` +
            `and ${free.toFixed()} is available`,
        )
      : FINE
  }

  #margin(
    account: Account, terms: MarginTerms, position: AccountPosition, order: OrderAtExchange,
    others: readonly OrderAtExchange[], without?: OrderAtExchange,
  ): PreTradeOutcome {
    const { contract, entry } = position
    const sale = this.#saleRefusal(account, position, [...others, order])
    if (sale !== null) return { error: sale, shortage: null }
    const underlyingId = contract.settlementUnderlyingId
    const free = freeMargin(
      balanceSheetOf(account, underlyingId, valuedLegs(account, underlyingId, this.priceOf)),
    )
    // An amend is held against what its order needs now: the market may have moved since it was taken.
    const current = without === undefined ? others : [...others, without]
    const before = this.#needs.blockedBy(account, underlyingId, current)
    const after = this.#needs.blockedBy(account, underlyingId, [...others, order])
    const isOpening = order.openClose === 'OPEN'
    const sizeWith = (orders: readonly OrderAtExchange[]): Amount =>
      isOpening ? this.#needs.legExposure(terms, position, orders) : this.#needs.exposure(position, orders)
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
      this.#needs
        .quantityOf(order)
        .gt(closableAfter(position, order.side, others, (other) => this.#needs.quantityOf(other)))
    if (after.lte(free) || (after.lte(before) && (without !== undefined || !opens))) return FINE
    return {
      error: exchangeError(
        'INSUFFICIENT_MARGIN',
        `orders and order need ${after.toFixed()} ${underlyingCode(this.underlyings, underlyingId)} as margin, and ` +
          `${free.toFixed()} is free`,
      ),
      shortage: null,
    }
  }

  /** Why options may not be sold short, or null. */
  #saleRefusal(account: Account, position: AccountPosition, orders: readonly OrderAtExchange[]): EntryError | null {
    const { contract, entry } = position
    const own = orders.filter(({ instrumentId }) => instrumentId === contract.instrumentId)
    if (contract.kind !== 'option' || orders.at(-1)?.side !== 'ASK' || this.#needs.uncovered(position, own).sign <= 0)
      return null
    if ((account.margin?.shortOptions ?? null) === null) {
      return exchangeError(
        'NOT_SUPPORTED',
        `the venue profile ${account.config.profile?.name ?? ''} does not say margin.shortOptions, which the seller ` +
          'of an option needs',
      )
    }
    if ((this.priceOf.indexOf?.(contract.instrumentId) ?? null) !== null) return null
    return exchangeError(
      'REFERENCE_PRICE_UNKNOWN',
      `the index of ${entry.instrument.code}, by which the margin of sold options is counted, is not known`,
    )
  }

}

/**
 * True where options may be sold with nothing behind them: a `generic` venue allows everything where it declares no
 * margin.
 */
export function sellsFreely({ config: { profile }, margin }: Account): boolean {
  return margin === null && (profile === undefined || profile.kind === 'generic')
}

function short(message: string): PreTradeOutcome {
  return { error: exchangeError('INSUFFICIENT_BALANCE', message), shortage: null }
}

/** The answer while orders change of accounts in which none can block anything. */
const NONE: Map<Account, string> = new Map()

/**
 * The amounts that orders block in the wallets of accounts, to notice when they change. Nothing is looked at where no
 * order of an account can block anything.
 */
export class BlockedAmounts {
  /** True where balances bind and an instrument of the account's exchange is paid in full. */
  private readonly pays: Map<string, boolean> = new Map()
  /** While orders change: what each account's wallets said last of what they block. */
  private stated: Map<Account, string> | null = null

  constructor(private readonly preTrade: PreTrade, private readonly instruments: InstrumentDirectory) {}

  /**
   * Does something to orders of accounts, and returns those of which more or less is blocked after it than their
   * wallets said last: before it, or while it went on. A change within a change is part of it.
   */
  changed(accounts: readonly Account[], change: () => void): Account[] {
    if (this.stated !== null) {
      change()
      return []
    }
    const stated = accounts.some((account) => this.blocks(account))
      ? new Map(accounts.map((account) => [account, this.textOf(account)]))
      : NONE
    this.stated = stated
    change()
    this.stated = null
    return stated === NONE ? [] : accounts.filter((account) => this.textOf(account) !== stated.get(account))
  }

  /** To be called when an account's wallets are stated to its clients. */
  stating(account: Account): void {
    if (this.stated?.has(account) === true) this.stated.set(account, this.textOf(account))
  }

  /** The amount that open orders of an account block of an underlying. */
  of(account: Account, underlyingId: number): Amount {
    return this.blocks(account) ? this.preTrade.blocked(account, underlyingId) : ZERO
  }

  /** Amounts of every wallet in one text; empty where orders block nothing, whatever they are for. */
  textOf(account: Account): string {
    if (!this.blocks(account)) return ''
    return [...account.cash.keys()]
      .map((underlyingId) => this.preTrade.blocked(account, underlyingId).toFixed())
      .join(' ')
  }

  /** True where any order of an account could block anything: that never changes. */
  blocks(account: Account): boolean {
    return account.config.checks !== 'none' && (account.margin !== null || this.paysOrders(account))
  }

  private paysOrders(account: Account): boolean {
    const { accountId, exchangeCode } = account.config
    return keptValue(this.pays, accountId, () =>
      isHeld(account) &&
      this.instruments.entries.some(
        (entry) => entry.instrument.exchangeCode === exchangeCode && isPaidInFull(account.prospect(entry).contract),
      ),
    )
  }
}

/**
 * The terms of opening an instrument that the venue states to a client, by the profile of its account: the rates by
 * which `PreTrade` judges. Undefined where nothing limits it: no declared balances, checks `none`, no margin section;
 * and for spot, whose wallets say it all.
 */
export function openingTermsOf(account: Account, entry: InstrumentEntry): OpeningTerms | undefined {
  if (!isHeld(account)) return undefined
  const { kind, size: contractSize, settlementUnderlyingId } = account.prospect(entry).contract
  const { margin } = account
  if (kind === 'spot') return undefined
  if (kind === 'prediction')
    return { kind, contractSize, settlementUnderlyingId, isCoverFree: true, shortSale: 'stake' }
  if (kind === 'option') {
    return {
      kind, contractSize, settlementUnderlyingId, isCoverFree: margin !== null,
      shortSale: (margin === null ? sellsFreely(account) : margin.shortOptions !== null) ? 'unstated' : 'refused',
    }
  }
  const initialMargin = margin?.bracketsOf(entry.instrument) ?? []
  if (margin === null || initialMargin.length === 0) return undefined
  return { kind, contractSize, settlementUnderlyingId, initialMargin, isIsolated: margin.isIsolated('long') }
}
