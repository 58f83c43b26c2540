// The market maker of ./strategies.mjs as a module that a run file names, `ticks` away from the touch.
import { Parameter, Price, Quantity, Strategy, TradingInstrument } from 'backtape'

export class SetMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  @Parameter(Number) ticks!: number

  override onStart(): void {
    this.every(100, () => { this.requote() })
  }

  requote(): void {
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (bestBid === null || bestAsk === null) return
    const [bid, ask] = [this.away(bestBid.price, -1), this.away(bestAsk.price, 1)]
    let [hasBid, hasAsk] = [false, false]
    for (const order of openOrders) {
      if (order.price?.equals(order.side === 'BID' ? bid : ask) !== true) {
        if (order.state === 'CONFIRMED') order.cancel()
      } else if (order.side === 'BID') hasBid = true
      else hasAsk = true
    }
    if (!hasBid && openOrders.length < 4) this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bid })
    if (!hasAsk && openOrders.length < 4) this.instrument.placeOrder({ side: 'ASK', quantity: this.size, price: ask })
  }

  /** The price so many ticks further from the middle. */
  private away(price: Price, direction: 1 | -1): Price {
    let found = price
    const tick = Price.from('0.1')
    for (let at = 0; at < this.ticks; at++) found = direction === 1 ? found.plus(tick) : found.minus(tick)
    return found
  }
}
