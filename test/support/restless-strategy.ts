import { Price } from '../../src/model/fixed-decimal.js'
import { RandomNumbers } from '../../src/model/random.js'
import { Integer, Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

type Decorate = (target: object, key: string) => void

/** Reacts to everything that it hears with some order, change or cancel, drawn from a seed and from what it sees: any change of what it could know shows in its journal. */
export class RestlessStrategy extends Strategy {
  instrument!: TradingInstrument
  seed = 1
  /** Nanoseconds between wakes. */
  wakeNs = 7
  /** Of so many things heard, one is answered. */
  calm = 2
  /** Most decimals of its quantities. */
  decimals = 0
  private drawn = 0
  private random = new RandomNumbers(1, 'restless', 0)

  override onStart(): void {
    this.random = new RandomNumbers(this.seed, 'restless', 0)
    this.every(this.wakeNs / 1e6, () => this.act(), { name: 'wake' })
    this.after(this.wakeNs / 1e6, () => this.log('once'), { name: 'once' })
  }

  override saveState(): unknown {
    return { drawn: this.drawn }
  }

  override restoreState(state: unknown): void {
    this.drawn = (state as { drawn: number }).drawn
  }

  override onInstrumentSnapshot(): void { this.act() }
  override onInstrumentTopOfBook(): void { this.act() }
  override onInstrumentTrades(): void { this.act() }
  override onMarketDataState(_instrument: unknown, state: string, text: string): void { this.log(`${state} ${text}`) }
  override onOrderUpdate(order: Order): void { if (order.state === 'CANCELED') this.act() }
  override onOrderFill(order: Order): void {
    const { averageEntryPrice, unrealisedPnl, realisedPnl, account: { equity } } = this.instrument
    this.log(`filled ${order.getLastFill()?.quantity.toString() ?? ''} ${[averageEntryPrice, unrealisedPnl, realisedPnl, equity].map(String).join(' ')}`)
  }

  protected draw(below: number): number {
    return this.random.bits(this.drawn++, 0) % below
  }

  private amount(below: number, least = 1): string {
    const whole = String(least + this.draw(below))
    const decimals = this.decimals === 0 ? 0 : this.draw(this.decimals + 1)
    return decimals === 0 ? whole : `${whole}.${String(1 + this.draw(10 ** decimals - 1)).padStart(decimals, '0')}`
  }

  private act(): void {
    if (this.draw(this.calm) !== 0) return
    const { instrument } = this
    const { bestBid, bestAsk, openOrders } = instrument
    const open = openOrders.filter((order) => order.state === 'CONFIRMED')
    const chosen = open[this.draw(Math.max(1, open.length))]
    const choice = this.draw(9)
    if (choice === 0 && chosen !== undefined) chosen.cancel()
    else if (choice === 1 && chosen?.conditions.pegOffsetValue) chosen.amend({ pegOffsetValue: Price.from(String(this.draw(3) - 1)) })
    else if (choice === 1 && chosen?.conditions.triggerPrice) chosen.amend({ triggerPrice: chosen.price! })
    else if (choice === 1 && chosen !== undefined) chosen.amend({ quantity: instrument.quantity(this.amount(9)) })
    else if (choice === 2 && chosen !== undefined) chosen.replace({ quantity: instrument.quantity(this.amount(9)) })
    else if (openOrders.length < 6) {
      const isBid = this.draw(2) === 0
      const touch = (isBid ? bestBid : bestAsk) ?? bestBid ?? bestAsk
      if (touch === null) return
      const quantity = instrument.quantity(this.amount(9))
      const side = isBid ? 'BID' as const : 'ASK' as const
      const price = instrument.roundPrice(touch.price, isBid ? 'down' : 'up')
      if (choice === 6) instrument.placeOrder({ side, quantity, price, type: 'STOP_LIMIT', triggerPrice: price, postOnly: this.draw(2) === 0 })
      else if (choice === 7) instrument.placeOrder({ side, quantity, type: this.draw(2) === 0 ? 'MARKET_PEGGED' : 'PRIMARY_PEGGED', pegOffsetValue: Price.from(String(this.draw(3) - 1)) })
      else if (choice === 8) instrument.placeOrder({ side, quantity, price, postOnly: false, displayQuantity: instrument.quantity(this.amount(3, 0)), reduceOnly: this.draw(3) === 0 })
      else if (choice === 3) instrument.placeOrder({ side: isBid ? 'BID' : 'ASK', quantity, price, postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' })
      else instrument.placeOrder({ side: isBid ? 'BID' : 'ASK', quantity, price, postOnly: this.draw(2) === 0 })
    }
  }
}
;(Parameter(TradingInstrument) as Decorate)(RestlessStrategy.prototype, 'instrument')
;(Parameter(Integer, { optional: true }) as Decorate)(RestlessStrategy.prototype, 'seed')
;(Parameter(Integer, { optional: true }) as Decorate)(RestlessStrategy.prototype, 'wakeNs')
;(Parameter(Integer, { optional: true }) as Decorate)(RestlessStrategy.prototype, 'calm')
;(Parameter(Integer, { optional: true }) as Decorate)(RestlessStrategy.prototype, 'decimals')
