import { Integer, Parameter, Quantity, Strategy, TradingInstrument, type Side } from 'backtape'
import { ema, type Bar } from 'backtape/measures'

/** Holds `size` while a fast average of the closes is above a slow one, and is short of `size` while it is below. */
export class AverageCross extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  @Parameter(Integer, { optional: true }) barSeconds = 2

  fast = ema(5)
  slow = ema(15)

  override onStart(): void {
    this.subscribeBars(this.instrument, `${this.barSeconds}s`)
  }

  override onBar(bar: Bar): void {
    const isRising = this.fast.next(bar.close) > this.slow.next(bar.close)
    if (this.slow.isReady && this.instrument.openOrders.length === 0) this.hold(isRising ? 'BID' : 'ASK')
  }

  /** Takes what is missing to `size` on a side, at the best price; what is not filled is tried again with the next bar. */
  hold(side: Side): void {
    const { bestBid, bestAsk, position } = this.instrument
    const best = side === 'BID' ? bestAsk : bestBid
    const held = side === 'BID' ? position.toDecimal() : position.toDecimal().neg()
    const missing = this.size.toDecimal().minus(held)
    if (best === null || !missing.isPositive() || missing.isZero()) return
    this.log(`${side}: fast ${this.fast.value.toFixed(5)}, slow ${this.slow.value.toFixed(5)}`)
    this.instrument.placeOrder({
      side, quantity: Quantity.from(missing.toFixed()), price: best.price, timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false,
    })
  }
}
