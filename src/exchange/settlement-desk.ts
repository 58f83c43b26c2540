import { Decimal, decimalFromScaled } from '../model/decimal.js'
import type { Account } from './account.js'
import { openLegs, type AccountPosition } from './account-position.js'
import { contractValue, optionPayoff } from './contract.js'
import type { InstrumentMarket } from './instrument-market.js'
import type { PositionCloser } from './liquidation.js'
import { markOf, type MarkPrice } from './mark-price.js'
import type { MoneyEvent } from './money-event.js'
import type { WorldMoney } from './world-money.js'

/** What settlement needs of its world. */
export interface SettlementHost {
  readonly declared: WorldMoney
  readonly handler: PositionCloser
  marketOf(instrumentId: number): InstrumentMarket | undefined
  tell(event: MoneyEvent): void
}

/**
 * The price at which a contract ends: a prediction contract's outcome, an option's intrinsic value and a future's price by the index; where
 * that is not known the last mark, else the mid, which the event names. Null where nothing ever valued it.
 */
export function settlementPrice({ contract }: AccountPosition, market: InstrumentMarket | undefined, outcome: string | undefined): MarkPrice | null {
  if (contract.kind === 'prediction') return outcome === undefined ? markOf(market) : { price: new Decimal(outcome), by: 'outcome' }
  const index = market === undefined || Number.isNaN(market.indexPrice) ? null : decimalFromScaled(market.indexPrice, market.indexScale)
  if (index === null) return markOf(market)
  return { price: contract.option === undefined ? index : optionPayoff(contract.option, index), by: 'index' }
}

/** Settles what an account holds of an instrument; its orders there are cancelled. Returns whether anything was settled. */
export function settleAccount(account: Account, instrumentId: number, timeNs: number, host: SettlementHost): boolean {
  const position = account.positions.get(instrumentId)
  const { accountId, profile } = account.config
  host.handler.cancelWhere((order) => order.accountId === accountId && order.instrumentId === instrumentId, timeNs)
  const legs = position === undefined ? [] : openLegs(position)
  const settled = position === undefined ? null : settlementPrice(position, host.marketOf(instrumentId), host.declared.outcomes.get(instrumentId))
  if (position === undefined || settled === null || legs.length === 0) return false
  const { contract } = position
  const underlyingId = contract.settlementUnderlyingId
  const size = legs.reduce((sum, [, { sums }]) => sum.plus(sums.quantity), new Decimal(0))
  const value = legs.reduce((sum, [, { sums }]) => sum.plus(settled.price.isZero() ? 0 : contractValue(contract, sums.quantity.abs(), settled.price)), new Decimal(0))
  const fee = value.times(profile?.settlement?.feeRate ?? 0)
  const profit = account.settle(position, settled.price)
  if (!fee.isZero()) account.charge(position, underlyingId, fee)
  host.tell({
    kind: 'settlement', exchangeTimeNs: timeNs, accountId, underlyingId, amount: profit.toFixed(), instrumentId, size: size.toFixed(), atPrice: settled.price.toFixed(), markedBy: settled.by,
    ...(fee.isZero() ? {} : { feeAmount: fee.toFixed() }),
  })
  return true
}
