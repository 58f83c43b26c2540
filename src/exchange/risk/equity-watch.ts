import { declaredAmount } from '../../model/amount.js'
import { isValueInverse, type Contract } from '../../model/contract.js'
import { isHeld, type Account, type PostedFill } from '../accounts/account.js'
import {
  equityParts, inOneCurrency, isSafe, type Equity, type EquityPart, type EquityParts, type PriceOf,
} from '../accounts/account-balance-sheet.js'
import { factorBetween } from '../../model/scale-factor.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import { EVERY_PRICE, type PriceBand } from '../market/market-money.js'
import type { EquityRecord } from '../accounts/money-event.js'

interface Watched {
  readonly record: EquityRecord
  /** By instrument: all whose prices count. */
  readonly bands: Map<number, PriceBand>
  /**
   * Rates in USD that equity was worked out with, by underlying; empty where it stood in one currency. Those of the
   * data are each day's own.
   */
  readonly rates: Map<number, string>
  /** The underlying of the equity that was worked out last; null where it was not known in one alone. */
  underlyingId: number | null
  /** The part of that equity that fills may still lose before it is worked out again; 0 where none is known. */
  room: number
}

/** Share of prices that a band reaches to either side at most. */
const WIDEST = 0.25
/**
 * A move of all prices by one part in so many of it loses no more than everything that moves: see {@link EquityWatch}.
 */
const CAUTION = 16
/** Share of an equity that fills may lose before it is worked out again: see {@link EquityWatch}. */
const FILLS_SHARE = 0.25
/** More than the quotients of a fill are rounded by, in any underlying. */
const ROUNDED = 1e-17
/** Below it the rounding of doubles counts, and every price is looked at. */
const NARROWEST = 1e-9

/** The price by which a market values positions, as a double: the mark, else the mid; NaN where neither is known. */
function approximatePrice(market: ExchangeMarket): number {
  const { markPrice, markScale } = market.prices
  if (!Number.isNaN(markPrice)) return markPrice / factorBetween(0, markScale)
  const { shown, priceScale } = market
  return (shown.bestBidPrice + shown.bestAskPrice) / 2 / factorBetween(0, priceScale)
}

/** The most that a fill at a price can lose while the price of its instrument stays within a band, its fee included. */
function greatestLoss(contract: Contract, { lowest, highest }: PriceBand, price: number, posted: PostedFill): number {
  const [low, high] = isValueInverse(contract) ? [price / lowest, price / highest] : [lowest / price, highest / price]
  const share = Math.max(Math.abs(1 - low), Math.abs(1 - high))
  return Math.abs(posted.value.approximate) * share + Math.max(0, posted.fee.approximate) + ROUNDED
}

/**
 * Watches the equity of accounts (exchange rules 8.6). Equity is worked out exactly after whatever moves money but
 * fills; between, a price is only held against a band around the one it was worked out with. If every price stays
 * within a share r <= 1/4 of its own, a product of up to four of them (a value, and coins that are converted and
 * converted again) changes by less than 10 r of itself, so equity above 16 r of all that moves stays above 6/16 of
 * itself.
 *
 * A fill adds `quantity * (P - p)` to that, at whatever price P its instrument has, less its fee: as long as P is
 * within the band no more is lost than {@link greatestLoss} says. While all fills together have lost less than 4/16 of
 * the equity, 2/16 are left, whatever the prices do in their bands: more than the rounding of doubles. Fills in another
 * currency or without a band, coins, and prices outside of their bands have equity worked out exactly.
 */
export class EquityWatch {
  readonly #watched: Map<Account, Watched> = new Map()

  constructor(
    accounts: Iterable<Account>,
    private readonly priceOf: PriceOf,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    /** USD for one unit, where a rate is declared. */
    private readonly usdRateOf: (underlyingId: number) => string | undefined,
  ) {
    for (const account of accounts) {
      const { accountId, atZero } = account.config
      if (atZero === undefined || !isHeld(account)) continue
      this.#watched.set(account, {
        record: { accountId, stoppedNs: null, belowNs: null, unknownNs: null, missingIds: [] }, bands: new Map(),
        rates: new Map(), underlyingId: null, room: 0,
      })
    }
  }

  /** True where any account is watched at all. */
  get isNeeded(): boolean {
    return this.#watched.size > 0
  }

  /** The records of the accounts that are watched, in the order of their declaration. */
  records(): EquityRecord[] {
    return [...this.#watched.values()].map(({ record }) => ({ ...record }))
  }

  /**
   * Restores records of accounts that have been restored: every price that counts is looked at until equity has been
   * worked out again.
   */
  restore(records: readonly EquityRecord[]): void {
    for (const [account, watched] of this.#watched) {
      const { record, bands } = watched
      const saved = records.find(({ accountId }) => accountId === record.accountId)
      if (saved !== undefined) Object.assign(record, saved)
      if (isSafe(account) || this.#isSettled(account, watched)) continue
      for (const instrumentId of account.positions.keys())
        bands.set(instrumentId, EVERY_PRICE)
      this.#bandsChanged(account)
    }
  }

  /** True where the price of an instrument counts in any equity that is watched. */
  follows(instrumentId: number): boolean {
    return [...this.#watched.values()].some(({ bands }) => bands.has(instrumentId))
  }

  /** Prices of an instrument within which {@link isBeyond} is true of no account. */
  bandOf(instrumentId: number): PriceBand {
    let [lowest, highest] = [-Infinity, Infinity]
    for (const { bands, rates } of this.#watched.values()) {
      const band = bands.get(instrumentId)
      if (band === undefined) continue
      // Rates are other ones from one day to the next, and nobody tells.
      if (rates.size > 0) return EVERY_PRICE
      lowest = Math.max(lowest, band.lowest)
      highest = Math.min(highest, band.highest)
    }
    return { lowest, highest }
  }

  /**
   * True where a market's price is so far from where an account's equity was worked out that it has to be worked out
   * again.
   */
  isBeyond(account: Account, market: ExchangeMarket): boolean {
    const watched = this.#watched.get(account)
    const band = watched?.bands.get(market.instrumentId)
    if (watched === undefined || band === undefined) return false
    if (watched.rates.size > 0 && this.#hasOtherRates(watched)) return true
    const price = approximatePrice(market)
    return price <= band.lowest || price >= band.highest
  }

  /** The same as {@link isDue} after a fill at a price, a double, without working equity out where it stays above 0. */
  isDueAfterFill(account: Account, contract: Contract, price: number, posted: PostedFill, timeNs: number): boolean {
    const watched = this.#watched.get(account)
    if (watched === undefined || this.#isCovered(watched, contract, price, posted)) return false
    return this.isDue(account, timeNs)
  }

  /** True where the equity that was worked out last stands for a fill, too. */
  #isCovered(watched: Watched, contract: Contract, price: number, posted: PostedFill): boolean {
    const { bands, room, underlyingId } = watched
    const band = bands.get(contract.instrumentId)
    if (
      room === 0 || band === undefined || contract.kind === 'spot' ||
      contract.settlementUnderlyingId !== underlyingId || posted.feeUnderlyingId !== underlyingId
    )
      return false
    const left = room - greatestLoss(contract, band, price, posted)
    if (!(left > 0)) return false
    for (const [instrumentId, { lowest, highest }] of bands) {
      const market = this.markets.get(instrumentId)
      const now = market === undefined ? NaN : approximatePrice(market)
      if (!(now > lowest && now < highest)) return false
    }
    watched.room = left
    return true
  }

  /** Works equity out; true where it is so low that something is to be done at the end of the instant. */
  isDue(account: Account, timeNs: number): boolean {
    const watched = this.#watched.get(account)
    if (watched === undefined || this.#isSettled(account, watched)) return false
    const equity = this.#equityOf(account, watched, timeNs)
    if (equity === null || equity.amount.sign > 0) return false
    const { record } = watched
    return (record.belowNs === null && equity.amount.sign < 0) || this.#stops(account, record)
  }

  /** Judges an account at the end of an instant. Returns its equity where its strategies are to be stopped: once. */
  judge(account: Account, timeNs: number): Equity | null {
    const watched = this.#watched.get(account)
    if (watched === undefined) return null
    const equity = this.#equityOf(account, watched, timeNs)
    if (equity === null || equity.amount.sign > 0) return null
    const { record } = watched
    if (!equity.amount.isZero()) record.belowNs ??= timeNs
    const stops = this.#stops(account, record)
    if (stops) record.stoppedNs = timeNs
    if (this.#isSettled(account, watched)) {
      watched.bands.clear()
      this.#bandsChanged(account)
    }
    return stops ? equity : null
  }

  /** The markets of an account ask for their bands again: {@link bandOf} may give others now. */
  #bandsChanged({ positions }: Account): void {
    for (const instrumentId of positions.keys()) this.markets.get(instrumentId)?.money.bandsChanged()
  }

  #hasOtherRates({ rates }: Watched): boolean {
    for (const [underlyingId, usd] of rates) if (this.usdRateOf(underlyingId) !== usd) return true
    return false
  }

  #stops({ config }: Account, { stoppedNs }: EquityRecord): boolean {
    return config.atZero === 'stop' && stoppedNs === null
  }

  /** Nothing can happen any more that would be noted. */
  #isSettled(account: Account, { record }: Watched): boolean {
    return record.belowNs !== null && !this.#stops(account, record)
  }

  #equityOf(account: Account, watched: Watched, timeNs: number): Equity | null {
    const { bands, rates, record } = watched
    bands.clear()
    rates.clear()
    watched.room = 0
    this.#bandsChanged(account)
    if (isSafe(account)) return null
    const marketValue = equityParts(account, this.priceOf)
    if (marketValue === null) {
      // Nothing values a position yet: the next price of any may be the first.
      for (const instrumentId of account.positions.keys())
        bands.set(instrumentId, EVERY_PRICE)
      return null
    }
    const equity = inOneCurrency(marketValue, this.usdRateOf)
    const isKnown = 'amount' in equity
    const parts = [...marketValue.parts.values()]
    if (!isKnown && parts.some(({ amount }) => amount.sign < 0)) {
      if (record.unknownNs === null) Object.assign(record, { unknownNs: timeNs, missingIds: equity.missingIds })
      return null
    }
    if (isKnown && equity.underlyingId === null)
      for (const id of marketValue.parts.keys()) rates.set(id, this.usdRateOf(id) ?? '')
    watched.underlyingId = isKnown ? equity.underlyingId : null
    if (isKnown && equity.amount.sign > 0) watched.room = equity.amount.approximate * FILLS_SHARE
    this.#setBands(
      bands,
      marketValue,
      isKnown
        ? this.#shareOf(equity, marketValue)
        : Math.min(...parts.filter(({ amount }) => !amount.isZero()).map(shareOfPart)),
    )
    return isKnown ? equity : null
  }

  #shareOf({ amount, underlyingId }: Equity, { parts }: EquityParts): number {
    let moving = 0
    for (const [id, part] of parts)
      moving +=
        part.moving * (underlyingId === null ? declaredAmount(this.usdRateOf(id) ?? '0').approximate : 1)
    return shareOfPart({ amount, moving })
  }

  /** Bands around the prices of now, by a share of them. */
  #setBands(bands: Map<number, PriceBand>, { instrumentIds }: EquityParts, share: number): void {
    for (const instrumentId of instrumentIds) {
      const price = this.priceOf(instrumentId)?.approximate ?? NaN
      const isNarrow = !(share > NARROWEST) || !(price > 0)
      bands.set(
        instrumentId,
        isNarrow
          ? EVERY_PRICE
          : { lowest: price * (1 - share), highest: price * (1 + share) },
      )
    }
  }
}

/** The share of its prices by which they may all move while an amount stays above 0. */
function shareOfPart({ amount, moving }: EquityPart): number {
  return moving === 0 ? WIDEST : Math.min(WIDEST, amount.approximate / (CAUTION * moving))
}
