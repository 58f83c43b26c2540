import { Double, Integer, Parameter, Quantity, Strategy, TradingInstrument } from 'backtape'

/** The middle of the touch as a double, for signals; null where a side is empty or the book cannot be trusted. */
function middleOf({ bestBid, bestAsk, view }: TradingInstrument): number | null {
  return bestBid === null || bestAsk === null || view.book.suspect ? null : (bestBid.price.toNumber() + bestAsk.price.toNumber()) / 2
}

/**
 * Trades the ratio of two instruments that should move together: when the first is dear against the second by its own slow
 * average, it sells the first and buys the second, and the other way round; near the average it is flat.
 */
export class SpreadTrader extends Strategy {
  @Parameter(TradingInstrument) first!: TradingInstrument
  @Parameter(TradingInstrument) second!: TradingInstrument
  @Parameter(Quantity) firstSize!: Quantity
  @Parameter(Quantity) secondSize!: Quantity
  /** Distance of the ratio from its average, as a share of it, that opens the spread. */
  @Parameter(Double) entry!: number
  /** Distance below which it is closed. */
  @Parameter(Double) exit!: number
  /** Weight of a new ratio in the average. */
  @Parameter(Double, { optional: true }) weight = 0.01
  @Parameter(Integer, { optional: true }) stepMs = 200
  @Parameter(Integer, { optional: true }) warmSteps = 50

  average = 0
  steps = 0
  /** 1: long the first leg and short the second; -1 the other way round. */
  target = 0

  override onStart(): void {
    this.every(this.stepMs, () => this.step())
  }

  step(): void {
    const [first, second] = [middleOf(this.first), middleOf(this.second)]
    if (first === null || second === null) return
    const ratio = first / second
    this.average = this.steps === 0 ? ratio : this.average + this.weight * (ratio - this.average)
    this.steps++
    if (this.steps > this.warmSteps) this.aim(ratio / this.average - 1)
    this.work(this.first, this.firstSize, this.target)
    this.work(this.second, this.secondSize, -this.target)
  }

  aim(distance: number): void {
    const target = Math.abs(distance) > this.entry ? -Math.sign(distance) : Math.abs(distance) < this.exit ? 0 : this.target
    if (target !== this.target) this.log(`target ${String(target)}, distance ${distance.toFixed(5)}`)
    this.target = target
  }

  /** Brings a leg to its wanted position by orders that take; what the touch did not hold is tried again at the next step. */
  work(leg: TradingInstrument, size: Quantity, direction: number): void {
    if (leg.openOrders.length > 0) return
    const missing = size.toDecimal().times(direction).minus(leg.position.toDecimal())
    if (missing.isZero()) return
    const side = missing.isNegative() ? 'ASK' : 'BID'
    const best = side === 'BID' ? leg.bestAsk : leg.bestBid
    if (best === null) return
    leg.placeOrder({ side, quantity: Quantity.from(missing.abs().toFixed()), price: best.price, timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
  }

  /** What a checkpoint must hold beside orders and positions. */
  override saveState(): unknown {
    return { average: this.average, steps: this.steps, target: this.target }
  }

  override restoreState(state: unknown): void {
    const { average, steps, target } = state as { average: number; steps: number; target: number }
    this.average = average
    this.steps = steps
    this.target = target
  }
}
