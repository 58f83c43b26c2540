import { Double, Integer, Parameter, Quantity, Strategy, TradingInstrument, type DataInstrument, type Side } from 'backtape'

/**
 * Follows the flow of public trades: when aggressive buyers outweigh sellers by more than a threshold it buys at the touch, and it
 * is out again when the flow turns or its time is up.
 */
export class FlowTaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  /** Net flow, in the instrument's unit, that opens a position. */
  @Parameter(Double) threshold!: number
  /** What is left of the flow after each step, from 0 to 1. */
  @Parameter(Double, { optional: true }) decay = 0.8
  @Parameter(Integer, { optional: true }) stepMs = 500
  @Parameter(Integer, { optional: true }) holdSteps = 20

  flow = 0
  heldSteps = 0

  override onStart(): void {
    this.every(this.stepMs, () => this.decide())
  }

  override onInstrumentTrades(instrument: DataInstrument): void {
    for (const trade of instrument.getLastTrades()) this.flow += (trade.aggressorSide === 'BID' ? 1 : -1) * trade.quantity.toNumber()
  }

  decide(): void {
    const { position, openOrders } = this.instrument
    const held = position.compare(Quantity.ZERO)
    this.heldSteps = held === 0 ? 0 : this.heldSteps + 1
    if (openOrders.length === 0) {
      if (held === 0 && Math.abs(this.flow) > this.threshold) this.take(this.flow > 0 ? 'BID' : 'ASK', this.size)
      else if (held !== 0 && (this.heldSteps > this.holdSteps || this.flow * held < 0)) this.take(held > 0 ? 'ASK' : 'BID', new Quantity(Math.abs(position.integer), position.scale))
    }
    this.flow *= this.decay
  }

  /** Takes what is shown at the touch, and leaves nothing behind. */
  take(side: Side, quantity: Quantity): void {
    const best = side === 'BID' ? this.instrument.bestAsk : this.instrument.bestBid
    if (best === null) return
    this.log(`${side} ${quantity.toString()} at ${best.price.toString()}, flow ${this.flow.toFixed(3)}`)
    this.instrument.placeOrder({ side, quantity, price: best.price, timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
  }

  /** What a checkpoint must hold beside orders and positions. */
  override saveState(): unknown {
    return { flow: this.flow, heldSteps: this.heldSteps }
  }

  override restoreState(state: unknown): void {
    const { flow, heldSteps } = state as { flow: number; heldSteps: number }
    this.flow = flow
    this.heldSteps = heldSteps
  }
}
