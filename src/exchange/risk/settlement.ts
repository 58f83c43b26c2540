import { Amount, exactProduct } from '../../model/amount.js'
import { isHeld, isHolding, type Account } from '../accounts/account.js'
import { openLegs, type AccountPosition } from '../accounts/account-position.js'
import { contractValue, isPaidInFull, optionPayoff } from '../../model/contract.js'
import type { IndexAverage } from '../market/index-average.js'
import type { ExchangeMarket } from '../market/exchange-market.js'
import type { PositionCloser } from './liquidation.js'
import type { MoneyObserver } from './money-observer.js'
import { indexOf, markOf, type LastMids, type MarkPrice } from '../market/mark-price.js'
import type { SettlementProfile } from '../profile/venue-profile.js'
import type { WorldMoney } from '../accounts/world-money.js'
import type { InstrumentDirectory } from '../../venue/venue.js'

const NS_PER_MS = 1_000_000

function averageOf(
  settlement: SettlementProfile | undefined, market: ExchangeMarket | undefined, expiryNs: number | undefined,
): IndexAverage | null {
  if (
    settlement?.index !== 'average' ||
    settlement.averageMs === undefined ||
    market === undefined ||
    expiryNs === undefined
  )
    return null
  return market.money.averageOver(expiryNs - settlement.averageMs * NS_PER_MS, expiryNs)
}

/** The index by which a contract ends: the last one, or its average over the time that the profile says. */
function settlementIndex(
  settlement: SettlementProfile | undefined, market: ExchangeMarket | undefined, expiryNs: number | undefined,
): MarkPrice | null {
  const last = indexOf(market)
  const average = averageOf(settlement, market, expiryNs)?.average() ?? null
  if (average !== null) return { price: average, by: 'average' }
  return last === null ? null : { price: last, by: 'index' }
}

/**
 * The price at which a contract ends: a prediction contract's outcome, an option's intrinsic value and a future's price
 * by the index; where that is not known the last mark, else the mid, which the event names. Null where nothing ever
 * valued it.
 */
function settlementPrice(
  { contract }: AccountPosition, market: ExchangeMarket | undefined, index: MarkPrice | null,
  outcome: string | undefined,
): MarkPrice | null {
  if (contract.kind === 'prediction')
    return outcome === undefined ? markOf(market) : { price: Amount.from(outcome), by: 'outcome' }
  if (index === null) return markOf(market)
  return {
    price: contract.option === undefined ? index.price : optionPayoff(contract.option, index.price), by: index.by,
  }
}

/** Settles what accounts hold of contracts that end. */
export class Settlement {
  /**
   * Counts the averages that accounts settle by, from the begin of the run: an index that nobody looked at could not be
   * averaged later.
   */
  constructor(
    private readonly accounts: ReadonlyMap<string, Account>,
    instruments: InstrumentDirectory,
    private readonly declared: WorldMoney,
    private readonly markets: ReadonlyMap<number, ExchangeMarket>,
    /** Last mids of instruments that are held and were never marked. */
    private readonly mids: LastMids,
    private readonly orders: PositionCloser,
    private readonly observer: MoneyObserver,
  ) {
    for (const { config } of accounts.values()) {
      if (config.profile?.settlement?.index !== 'average') continue
      for (const [instrumentId, expiryNs] of declared.expiries) {
        if (instruments.get(instrumentId)?.instrument.exchangeCode === config.exchangeCode)
          averageOf(config.profile.settlement, markets.get(instrumentId), expiryNs)
      }
    }
  }

  /** Settles an account's position; its orders there are cancelled. Returns whether anything was settled. */
  settle(account: Account, instrumentId: number, timeNs: number): boolean {
    const position = account.positions.get(instrumentId)
    const { accountId, profile } = account.config
    this.orders.cancelWhere((order) => order.accountId === accountId && order.instrumentId === instrumentId, timeNs)
    const legs = position === undefined ? [] : openLegs(position)
    const settled = position === undefined ? null : this.#priceOf(position, profile?.settlement)
    if (position === undefined || settled === null || legs.length === 0) return false
    const { contract } = position
    const underlyingId = contract.settlementUnderlyingId
    const size = legs.reduce((sum, [, { sums }]) => sum.plus(sums.quantity), Amount.ZERO)
    const value = legs.reduce(
      (sum, [, { sums }]) =>
        sum.plus(contractValue(contract, sums.quantity, settled.price).abs()),
      Amount.ZERO,
    )
    const fee = exactProduct(value, Amount.from(profile?.settlement?.feeRate ?? 0), 'a fee')
    const profit = account.settle(position, settled.price)
    if (!fee.isZero()) account.charge(position, underlyingId, fee)
    this.observer.money?.({
      kind: 'settlement', exchangeTimeNs: timeNs, accountId, underlyingId, amount: profit.toFixed(), instrumentId,
      size: size.toFixed(), atPrice: settled.price.toFixed(), markedBy: settled.by,
      ...(fee.isZero() ? {} : { feeAmount: fee.toFixed() }),
    })
    oweWhatIsMissing(account, underlyingId, instrumentId, timeNs, this.observer)
    return true
  }

  /**
   * At the end of a run: prediction contracts whose outcome is given are settled by it, though their end was not
   * reached.
   */
  settleOutcomes(timeNs: number): void {
    for (const instrumentId of [...this.declared.outcomes.keys()].sort((a, b) => a - b)) {
      for (const account of [...this.accounts.values()].filter((one) => isHolding(one, instrumentId)))
        this.settle(account, instrumentId, timeNs)
    }
  }

  #priceOf(position: AccountPosition, settlement: SettlementProfile | undefined): MarkPrice | null {
    const { declared } = this
    const { instrumentId } = position.contract
    const market = this.markets.get(instrumentId)
    const index = settlementIndex(settlement, market, declared.expiries.get(instrumentId))
    return settlementPrice(position, market, index, declared.outcomes.get(instrumentId)) ?? this.mids.of(instrumentId)
  }
}

/** After cash has paid what it had to: what it could not is a debt, never a negative balance that nobody notices. */
export function oweWhatIsMissing(
  account: Account, underlyingId: number, instrumentId: number, timeNs: number, observer: MoneyObserver,
): void {
  const shortfall = isDebtNow(account, underlyingId) ? account.owe(underlyingId) : null
  if (shortfall === null || shortfall.sign <= 0) return
  observer.money?.({
    kind: 'debt', exchangeTimeNs: timeNs, accountId: account.config.accountId, underlyingId,
    amount: shortfall.toFixed(), instrumentId,
  })
}

/**
 * True where missing cash is a debt: balances bind, and no position under margin is left whose profit may stand for it
 * until it is liquidated.
 */
function isDebtNow(account: Account, underlyingId: number): boolean {
  if (!isHeld(account)) return false
  return (
    account.margin === null ||
    ![...account.positions.values()].some(
      (position) =>
        !isPaidInFull(position.contract) &&
        position.contract.settlementUnderlyingId === underlyingId &&
        openLegs(position).length > 0,
    )
  )
}
