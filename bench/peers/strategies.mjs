// The strategies of ../backtest.mjs, as a user would write them (fields bound without decorator syntax: this is plain
// JavaScript).
import { Parameter, Quantity, Strategy, TradingInstrument } from '../../dist/index.js'
import {
  bollinger, ema, macd, rma, rsi, slope, sma, stdev, wma, zscore,
} from '../../dist/measures.js'

const bind = (type, target, name) => Parameter(type)(target.prototype, name)

/** Subscribes to everything, top of book included, and does nothing. */
export class Idle extends Strategy {
  heard = 0
  onInstrumentSnapshot() { this.heard++ }
  onInstrumentTopOfBook() { this.heard++ }
  onInstrumentTrades() { this.heard++ }
  onInstrumentLiquidations() { this.heard++ }
  onInstrumentMarkPrice() { this.heard++ }
  onInstrumentIndexPrice() { this.heard++ }
  onInstrumentFundingRate() { this.heard++ }
}
bind(TradingInstrument, Idle, 'instrument')

/** Quotes both touches, looked at every 100 ms of market time. */
export class Maker extends Strategy {
  onStart() {
    this.every(100, () => this.requote())
  }

  requote() {
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (bestBid === null || bestAsk === null) return
    let [hasBid, hasAsk] = [false, false]
    for (const order of openOrders) {
      const want = order.side === 'BID' ? bestBid.price : bestAsk.price
      if (!order.price.equals(want)) {
        if (order.state === 'CONFIRMED') order.cancel()
      } else if (order.side === 'BID') hasBid = true
      else hasAsk = true
    }
    if (!hasBid && openOrders.length < 4)
      this.instrument.placeOrder({ side: 'BID', quantity: this.size, price: bestBid.price })
    if (!hasAsk && openOrders.length < 4)
      this.instrument.placeOrder({ side: 'ASK', quantity: this.size, price: bestAsk.price })
  }
}
bind(TradingInstrument, Maker, 'instrument')
bind(Quantity, Maker, 'size')

/** Rests one order far away (once the first snapshot is there, or it would be refused) and wakes every 100 ms. */
export class Rester extends Strategy {
  wakes = 0
  onStart() {
    this.every(100, () => this.wake())
  }

  wake() {
    this.wakes++
    const { instrument } = this
    if (this.wakes === 100)
      instrument.placeOrder({ side: 'BID', quantity: this.size, price: instrument.price('20000') })
  }
}
bind(TradingInstrument, Rester, 'instrument')
bind(Quantity, Rester, 'size')

const SPANS = ['1s', '2s', '5s', '10s', '15s', '30s', '1min', '5min', '15min', '1h']

/** Beside what Idle does: bars of ten spans, and ten indicators over each. */
export class TradeBars extends Idle {
  of = 'trades'
  indicators = new Map()

  onStart() {
    for (const span of SPANS) {
      const series = this.subscribeBars(this.instrument, span, { of: this.of })
      this.indicators.set(String(series), [
        sma(20), ema(20), wma(20), rma(20), stdev(20), zscore(20), rsi(14), macd(), bollinger(), slope(20),
      ])
    }
  }

  onBar(bar, series) {
    const close = bar.close.toNumber()
    for (const indicator of this.indicators.get(String(series))) indicator.next(close)
  }
}
bind(TradingInstrument, TradeBars, 'instrument')

/** The same of mids. */
export class MidBars extends TradeBars {
  of = 'mid'
}
