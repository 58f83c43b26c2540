import { Integer, Parameter, Price, Quantity, Strategy, TradingInstrument, type Level, type Side } from 'backtape'

/**
 * Quotes one order a side around the middle of the touch and leans against its own position: the longer it is, the lower both quotes, so
 * that the market takes the position off it again.
 */
export class InventoryMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  /** Beyond this position only the side that reduces it is quoted. */
  @Parameter(Quantity) maxPosition!: Quantity
  @Parameter(Integer, { optional: true }) halfSpreadTicks = 1
  /** How far the quotes have moved when the position is full. */
  @Parameter(Integer, { optional: true }) skewTicks = 3
  @Parameter(Integer, { optional: true }) refreshMs = 250

  override onStart(): void {
    this.every(this.refreshMs, () => this.requote())
  }

  requote(): void {
    const { bestBid, bestAsk } = this.instrument
    if (bestBid === null || bestAsk === null || this.instrument.view.book.suspect) {
      for (const order of this.instrument.openOrders) order.cancel()
      return
    }
    // Full is 1; doubles are good enough for a signal, prices and quantities stay exact.
    const inventory = this.instrument.position.toNumber() / this.maxPosition.toNumber()
    this.quote('BID', inventory < 1 ? this.priceOf('BID', bestBid, bestAsk, inventory) : null)
    this.quote('ASK', inventory > -1 ? this.priceOf('ASK', bestBid, bestAsk, inventory) : null)
  }

  /** The price of a side, on the tick and never across the touch. */
  priceOf(side: Side, bestBid: Level, bestAsk: Level, inventory: number): Price {
    const { scale, integer: bid } = bestBid.price
    const { integer: ask } = bestAsk.price
    const tick = Math.round(Number(this.instrument.tickSizeAt(bestBid.price)) * Number(`1e${String(scale)}`))
    const middle = (bid + ask) / 2 - inventory * this.skewTicks * tick
    const wanted = side === 'BID' ? Math.min(Math.floor(middle - this.halfSpreadTicks * tick), ask - tick) : Math.max(Math.ceil(middle + this.halfSpreadTicks * tick), bid + tick)
    return this.instrument.roundPrice(new Price(wanted, scale), side === 'BID' ? 'down' : 'up')
  }

  /** One order at this price: what stands there stays and keeps its queue position, what stands elsewhere goes. */
  quote(side: Side, price: Price | null): void {
    const standing = this.instrument.openOrders.filter((order) => order.side === side)
    for (const order of standing) if (price === null || order.price?.equals(price) !== true) order.cancel()
    if (price !== null && standing.length === 0) this.instrument.placeOrder({ side, quantity: this.size, price })
  }
}
