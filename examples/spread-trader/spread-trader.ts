import { Double, Integer, Parameter, Quantity, Strategy, TradingInstrument } from 'backtape'
import { sma } from 'backtape/measures'

/** The middle of the touch as a double, for signals; null where a side is empty or the book cannot be trusted. */
function middleOf({ bestBid, bestAsk, view }: TradingInstrument): number | null {
  if (bestBid === null || bestAsk === null || view.book.suspect) return null
  return (bestBid.price.toNumber() + bestAsk.price.toNumber()) / 2
}

/**
 * Trades the perpetual of a coin against its spot market: where the perpetual is dear against spot by its own average,
 * it sells the perpetual and buys spot, and the other way round; near the average both legs are flat.
 */
export class SpreadTrader extends Strategy {
  @Parameter(TradingInstrument) perpetual!: TradingInstrument
  @Parameter(TradingInstrument) spot!: TradingInstrument
  /** Quantity of each leg while the spread is on. */
  @Parameter(Quantity) size!: Quantity
  /** Distance of the basis from its average, in basis points, that opens the spread. */
  @Parameter(Double) entryBps!: number
  /** Distance below which it is closed. */
  @Parameter(Double) exitBps!: number
  @Parameter(Integer, { optional: true }) stepMs = 200
  average = sma(150)
  /** 1: long the perpetual and short spot; -1 the other way round. */
  direction = 0

  override onStart(): void {
    this.every(this.stepMs, () => this.step())
  }

  step(): void {
    const perpetual = middleOf(this.perpetual)
    const spot = middleOf(this.spot)
    if (perpetual === null || spot === null) return
    const basisBps = 10_000 * (perpetual / spot - 1)
    const distance = basisBps - this.average.next(basisBps)
    if (this.average.isReady) this.aim(distance)
  }

  aim(distance: number): void {
    let { direction } = this
    if (Math.abs(distance) > this.entryBps) direction = -Math.sign(distance)
    else if (Math.abs(distance) < this.exitBps) direction = 0
    if (direction === this.direction) return
    this.log(`direction ${direction}, distance ${distance.toFixed(2)} bps`)
    this.direction = direction
    this.perpetual.target(this.size.times(direction), { style: 'take', offsetTicks: 0 })
    this.spot.target(this.size.times(-direction), { style: 'take', offsetTicks: 0 })
  }

  /** The state that a checkpoint holds beside orders, positions and indicators. */
  override saveState(): unknown {
    return this.direction
  }

  override restoreState(saved: unknown): void {
    this.direction = saved as number
  }
}
