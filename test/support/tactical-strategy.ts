import { Bracket } from '../../src/strategy/tactics/bracket.js'
import { QuoteKeeper } from '../../src/strategy/tactics/quote-keeper.js'
import { RiskGuard } from '../../src/strategy/tactics/risk-guard.js'
import { StopMarket, TrailingStop } from '../../src/strategy/tactics/watched-stop.js'
import { RestlessStrategy } from './restless-strategy.ts'

/** Beside what {@link RestlessStrategy} does it keeps every tactic busy. */
export class TacticalStrategy extends RestlessStrategy {
  override calm = 6
  keeper!: QuoteKeeper
  bracket!: Bracket
  loss!: StopMarket
  trailing!: TrailingStop
  guard!: RiskGuard

  override onStart(): void {
    super.onStart()
    const { instrument } = this
    this.guard = new RiskGuard(instrument, { maxPosition: '40', maxOrdersPerSecond: 60 })
    this.keeper = new QuoteKeeper(instrument, { toleranceTicks: 1 })
    this.bracket = new Bracket(instrument, { watch: 'trades' })
    this.loss = new StopMarket(instrument, { watch: 'touch' })
    this.trailing = new TrailingStop(instrument, { watch: 'trades' })
    this.every(5e-6, () => { this.tend() }, { name: 'tend' })
  }

  private tend(): void {
    const { instrument, keeper, bracket } = this
    const { bestBid, bestAsk } = instrument
    const [bid, ask] = [bestBid === null ? null : instrument.roundPrice(bestBid.price, 'down'), bestAsk === null ? null : instrument.roundPrice(bestAsk.price, 'up')]
    const choice = this.draw(9)
    const quantity = instrument.quantity(String(1 + this.draw(5)))
    if (!bid || !ask || bid.compare(ask) >= 0 || choice === 0) keeper.stop()
    else if (choice < 4) keeper.quote({ bid: { price: bid, quantity }, ask: { price: ask, quantity } })
    else if (choice === 4) instrument.target(this.draw(3) === 0 ? quantity.negated() : quantity, { style: this.draw(2) === 0 ? 'take' : 'join', timeoutMs: 2e-5 })
    else if (choice === 5 && !bracket.isActive) {
      const entry = instrument.placeOrder({ side: 'BID', quantity, price: ask, postOnly: false })
      if (!entry.isDiscarded) bracket.protect(entry, { takeProfit: instrument.stepPrice(ask, 1), stop: instrument.stepPrice(bid, -1) })
    } else if (choice === 6 && this.loss.phase !== 'fired') this.loss.set({ side: 'ASK', price: instrument.stepPrice(bid, -1), quantity })
    else if (choice === 7 && this.trailing.phase !== 'fired') this.trailing.set({ side: 'BID', trailTicks: 1 + this.draw(2), quantity })
    else if (choice === 8 && this.draw(4) === 0) instrument.cancelAll('BID')
    this.log([keeper.orders.bid?.state, bracket.isActive, this.loss.phase, this.trailing.phase, instrument.position].map(String).join(' '))
  }
}
