import { Double, Integer, Parameter, Quantity, QuoteKeeper, Strategy, TradingInstrument } from 'backtape'
import { exactLog } from 'backtape/columns'
import { stdev, type Bar } from 'backtape/measures'

/** Quotes around the reservation price of Avellaneda and Stoikov (2008), over a horizon that moves with the time. */
export class AvellanedaMaker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  @Parameter(Quantity) size!: Quantity
  /** At this position the side that adds to it is not quoted. */
  @Parameter(Quantity) maxPosition!: Quantity
  /** Risk aversion, per tick. */
  @Parameter(Double, { optional: true }) riskAversion = 0.1
  /** Decay of the fill rate with the distance from the mid, per tick. */
  @Parameter(Double, { optional: true }) fillDecay = 1.5
  /** Seconds of the horizon. */
  @Parameter(Integer, { optional: true }) horizon = 5

  changes = stdev(30)
  keeper!: QuoteKeeper

  override onStart(): void {
    this.keeper = new QuoteKeeper(this.instrument)
    this.subscribeBars(this.instrument, '1s', { of: 'mid', empty: true })
  }

  override onBar(bar: Bar): void {
    const { bestBid, bestAsk, position, view } = this.instrument
    const tick = Number(this.instrument.tickSizeAt(bar.close))
    const volatility = this.changes.next((bar.close.toNumber() - bar.open.toNumber()) / tick)
    if (bestBid === null || bestAsk === null || view.book.suspect) this.keeper.stop()
    else if (this.changes.isReady) {
      const variance = volatility * volatility * this.horizon
      const inventory = position.toNumber() / this.size.toNumber()
      const reservation = bar.close.toNumber() - inventory * this.riskAversion * variance * tick
      const halfSpread = (this.riskAversion * variance) / 2 + exactLog(1 + this.riskAversion / this.fillDecay) / this.riskAversion
      const bid = this.instrument.price(reservation - halfSpread * tick, 'down')
      const ask = this.instrument.price(reservation + halfSpread * tick, 'up')
      // Never across the touch: a post-only order that would take is rejected.
      const [lowestAsk, highestBid] = [this.instrument.stepPrice(bestBid.price, 1), this.instrument.stepPrice(bestAsk.price, -1)]
      const isLong = position.compare(this.maxPosition) >= 0
      const isShort = position.negated().compare(this.maxPosition) >= 0
      this.keeper.quote({
        bid: isLong ? null : { price: bid.compare(highestBid) > 0 ? highestBid : bid, quantity: this.size },
        ask: isShort ? null : { price: ask.compare(lowestAsk) < 0 ? lowestAsk : ask, quantity: this.size },
      })
    }
  }
}
