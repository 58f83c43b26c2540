import { Parameter, Quantity, Strategy, TradingInstrument, type Order } from 'backtape'

/** Quotes both sides of the touch, and again once both orders are over. */
export class TouchMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  @Parameter(Number, { optional: true, name: 'refreshMs' }) refresh = 1000

  override onStart(): void {
    this.every(this.refresh, () => this.requote())
  }

  requote(): void {
    const { bestBid, bestAsk } = this.instrument
    if (!bestBid || !bestAsk || this.instrument.openOrders.length > 0) return
    this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price })
    this.instrument.placeOrder({ side: 'ASK', quantity: this.size, price: bestAsk.price })
  }

  override onOrderFill(order: Order): void {
    this.log(`${order.side} ${order.getLastFill()?.price.toString() ?? ''}`)
  }
}
