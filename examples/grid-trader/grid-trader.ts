import {
  Integer, Parameter, Quantity, RiskGuard, StopMarket, Strategy, TradingInstrument, type Order, type Price, type Side,
} from 'backtape'

/** Rests levels on both sides; what one fills is answered a step back, and a stop closes what runs away. */
export class GridTrader extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  /** Quantity of each level. */
  @Parameter(Quantity) size!: Quantity
  /** Greatest position, open orders of the side included: an order beyond it is discarded. */
  @Parameter(Quantity) maxPosition!: Quantity
  @Parameter(Integer, { optional: true }) levels = 3
  @Parameter(Integer, { optional: true }) stepTicks = 4
  /** Ticks between the average entry price and the stop. */
  @Parameter(Integer, { optional: true }) stopTicks = 12
  guard!: RiskGuard
  stopper!: StopMarket

  override onStart(): void {
    this.guard = new RiskGuard(this.instrument, { maxPosition: this.maxPosition })
    this.stopper = new StopMarket(this.instrument)
    this.every(1_000, () => this.tend())
  }

  /** Without orders, as at the beginning and after a stop: closes what a race has left, and lays a new grid. */
  tend(): void {
    const { bestBid, bestAsk, openOrders, position, view } = this.instrument
    if (bestBid === null || bestAsk === null || view.book.suspect || openOrders.length > 0) return
    if (this.stopper.phase === 'fired') return
    if (position.sign > 0) return this.stopper.set({ side: 'ASK', price: bestBid.price })
    if (position.sign < 0) return this.stopper.set({ side: 'BID', price: bestAsk.price })
    for (let level = 1; level <= this.levels; level++) {
      this.rest('BID', bestBid.price, -level)
      this.rest('ASK', bestAsk.price, level)
    }
  }

  rest(side: Side, from: Price, steps: number): void {
    if (this.stopper.phase === 'fired') return
    const price = this.instrument.stepPrice(from, steps * this.stepTicks)
    this.instrument.placeOrder({ side, quantity: this.size, price, postOnly: false })
  }

  override onOrderUpdate(order: Order): void {
    if (order.state !== 'FILLED' || order.price === null) return
    if (order.side === 'BID') this.rest('ASK', order.price, 1)
    else this.rest('BID', order.price, -1)
  }

  /** The stop follows the average entry price, and changes its side with the position. */
  override onInstrumentPosition(): void {
    const { position, averageEntryPrice } = this.instrument
    if (this.stopper.phase === 'fired') return this.instrument.cancelAll()
    if (averageEntryPrice === null) return this.stopper.disarm()
    const price = this.instrument.price(averageEntryPrice.toFixed(), 'down')
    const stop = this.instrument.stepPrice(price, -position.sign * this.stopTicks)
    this.stopper.set({ side: position.sign > 0 ? 'ASK' : 'BID', price: stop })
  }
}
