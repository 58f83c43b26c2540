import { Price } from '../../src/model/fixed-decimal.js'
import { RandomNumbers } from '../../src/model/random.js'
import { Integer, List, Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

/** JSON in which a time is its text. */
const plain = (value: unknown): string => JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))

type Decorate = (target: object, key: string) => void

/** Uses all that orders can be, on several instruments, and writes down all that it sees: whatever a restored run has wrong shows in its journal. */
export class LavishStrategy extends Strategy {
  instruments!: TradingInstrument[]
  seed = 1
  /** Minutes of market time between wakes. */
  wakeMinutes = 7
  private drawn = 0
  private random = new RandomNumbers(1, 'lavish', 0)

  override onStart(): void {
    this.random = new RandomNumbers(this.seed, 'lavish', 0)
    this.every(this.wakeMinutes * 60_000, () => {
      this.look()
      this.act()
    }, { name: 'wake' })
  }

  override saveState(): unknown {
    return { drawn: this.drawn }
  }

  override restoreState(state: unknown): void {
    this.drawn = (state as { drawn: number }).drawn
  }

  override onInstrumentSnapshot(): void { this.act() }
  override onInstrumentTrades(instrument: { getLastTrades(): readonly unknown[] }): void {
    if (instrument.getLastTrades().length > 0) this.act()
  }
  override onInstrumentMarkPrice(): void { this.act() }
  override onInstrumentFundingRate(instrument: { readonly fundingRate: { readonly rate: unknown } | null }): void { this.log(`funding ${String(instrument.fundingRate?.rate)}`) }
  override onMarketDataState(_instrument: unknown, state: string, text: string): void { this.log(`${state} ${text}`) }
  override onOrderUpdate(order: Order): void { if (order.state === 'CANCELED') this.act() }
  override onOrderError(order: Order, error: { readonly type: string }): void { this.log(`${error.type} of ${order.state}`) }
  override onOrderFill(order: Order): void { this.log(`fill ${plain(order.getLastFill())}`) }
  override onOrderFillUpdate(order: Order): void { this.log(`corrected ${plain(order.getLastFill())}`) }
  override onInstrumentPosition(instrument: TradingInstrument): void { this.log(`position ${instrument.code} ${instrument.position.toString()}`) }
  override onOrderEntryState(account: { readonly id: string }, state: string): void { this.log(`${account.id} ${state}`) }
  override onAccountCancelAllOrdersResponse(_account: unknown, error: { readonly type: string } | null): void { this.log(`all cancelled ${error?.type ?? 'ok'}`) }

  private look(): void {
    for (const { code, position, openOrders, account, markPrice, indexPrice, averageEntryPrice, unrealisedPnl, realisedPnl, fills } of this.instruments) {
      const orders = openOrders.map(({ side, state, price, executedQuantity, totalQuantity, conditions }) => [side, state, price?.toString(), executedQuantity.toString(), totalQuantity.toString(), JSON.stringify(conditions)].join(' '))
      this.log(plain([code, position.toString(), account.state, account.wallets, account.equity, markPrice?.toString(), indexPrice?.toString(), orders, averageEntryPrice, unrealisedPnl, realisedPnl, fills.slice(-3)]))
    }
  }

  private draw(below: number): number {
    return this.random.bits(this.drawn++, 0) % below
  }

  private act(): void {
    if (this.draw(2) !== 0) return
    const instrument = this.instruments[this.draw(this.instruments.length)]!
    const open = instrument.openOrders.filter((order) => order.state === 'CONFIRMED')
    const chosen = open[this.draw(Math.max(1, open.length))]
    const choice = this.draw(12)
    const quantity = instrument.quantity(String(1 + this.draw(9)))
    if (choice === 0) chosen?.cancel()
    else if (choice === 1 || choice === 4) chosen?.replace({ quantity })
    else if (choice === 2 && chosen !== undefined) chosen.amend(chosen.conditions.triggerPrice !== null && chosen.price !== null ? { triggerPrice: chosen.price } : { quantity, context: { drawn: this.drawn } })
    else if (choice === 3 && this.draw(4) === 0) instrument.account.cancelAllOrders()
    else if (instrument.openOrders.length < 5) this.place(instrument)
  }

  private place(instrument: TradingInstrument): void {
    const side = this.draw(2) === 0 ? 'BID' as const : 'ASK' as const
    const touch = side === 'BID' ? instrument.bestBid ?? instrument.bestAsk : instrument.bestAsk ?? instrument.bestBid
    if (touch === null) return
    const price = Price.from(String(Number(touch.price.toString()) + this.draw(5) - 2))
    const base: OrderParams = { side, quantity: instrument.quantity(String(1 + this.draw(9))), price, postOnly: false, useSpare: this.draw(4) === 0, context: { drawn: this.drawn } }
    const kinds: readonly Partial<OrderParams>[] = [
      {}, {}, { timeInForce: 'IMMEDIATE_OR_CANCEL' }, { postOnly: true }, { type: 'MARKET', price: null, timeInForce: 'IMMEDIATE_OR_CANCEL' },
      { type: 'STOP_LIMIT', triggerPrice: touch.price }, { type: this.draw(2) === 0 ? 'MARKET_PEGGED' : 'PRIMARY_PEGGED', price: null, pegOffsetValue: Price.from(String(this.draw(3) - 1)) },
      { displayQuantity: instrument.quantity(String(this.draw(3))) }, { reduceOnly: true }, { closeOnly: true },
    ]
    const money: Partial<OrderParams> = instrument.isSpot ? { autoBorrow: this.draw(2) === 0, autoRepay: this.draw(2) === 0 } : { openClose: (['AUTO', 'AUTO', 'OPEN', 'CLOSE'] as const)[this.draw(4)]! }
    instrument.placeOrder({ ...base, ...kinds[this.draw(kinds.length)], ...money })
  }
}
;(Parameter(List(TradingInstrument)) as Decorate)(LavishStrategy.prototype, 'instruments')
;(Parameter(Integer, { optional: true }) as Decorate)(LavishStrategy.prototype, 'seed')
;(Parameter(Integer, { optional: true }) as Decorate)(LavishStrategy.prototype, 'wakeMinutes')
