// Strategies that answer what they see with requests drawn from a seed: whatever they could know of a change of the
// engine shows in their journals. They are made upon the classes of the build that runs them.
import { build } from './build.mjs'
import { Draws } from './draws.mjs'

const { Strategy, TradingInstrument, Parameter, List, Integer, Price } = build

const BAR_SPANS = ['1s', '5s', { trades: 3 }, { volume: '20' }]

/** Acts by its timers and by what comes back of its orders. */
class Trader extends Strategy {
  instruments
  seed
  wakeMs
  /** Of so many occasions, it acts at one. */
  calm
  /** Milliseconds for each request, on average: none runs into a loop of errors and answers. */
  paceMs
  /** Most open orders of an instrument. */
  most
  /** Bits: 1 bars, 2 a subscription of its own time, 4 tactics. */
  habits
  draws
  isSubscribed = false
  requestCount = 0
  startNs = 0

  onStart() {
    this.draws ??= new Draws(this.seed)
    this.startNs = this.nowNs()
    this.every(this.wakeMs, () => this.act(), { name: 'wake' })
    this.after(this.wakeMs * 3.5, () => this.act(), { name: 'once' })
    if ((this.habits & 2) !== 0) this.every(this.wakeMs * 5, () => this.subscribeOther(), { name: 'other' })
    if ((this.habits & 1) === 0) return
    for (const [at, instrument] of this.instruments.entries())
      this.subscribeBars(instrument, BAR_SPANS[(this.seed + at) % BAR_SPANS.length])
    this.subscribeBars(this.instruments[0], '2s', { of: 'mid', closeOn: this.seed % 2 === 0 ? 'timer' : 'event' })
  }

  saveState() {
    const { requestCount, startNs, isSubscribed } = this
    return { draws: this.draws.state, requestCount, startNs, isSubscribed }
  }

  restoreState({ draws, ...counts }) {
    this.draws = new Draws(1)
    this.draws.state = draws
    Object.assign(this, counts)
  }

  onMarketDataState(instrument, state, text) {
    this.log(`${instrument.code} ${state} ${text}`)
  }

  onOrderUpdate(order) {
    if (order.state === 'CANCELED' || order.state === 'FILLED') this.act()
  }

  onOrderError(order, error) {
    if (this.draws.once(4)) this.log(`error ${error.type} of ${order.type} ${order.state} ${order.executedQuantity}`)
    if (this.draws.once(4)) this.act()
  }

  onOrderFill(order) {
    const { price, quantity, fees, addedLiquidity } = order.getLastFill()
    this.log(`fill ${order.side} ${quantity} at ${price} fees ${fees} ${addedLiquidity} ${order.executedQuantity}`)
    this.act()
  }

  onOrderFillUpdate(order) {
    this.log(`fees ${order.getLastFill()?.fees} of ${order.totalQuantity}`)
  }

  onInstrumentPosition(instrument) {
    this.look(instrument)
  }

  onOrderEntryState(account, state) {
    this.log(`${account.id} ${state}`)
  }

  onAccountCancelAllOrdersResponse(account, error) {
    this.log(`${account.id} all canceled ${error?.type}`)
  }

  onBar(bar) {
    this.log(`bar ${bar.open} ${bar.high} ${bar.low} ${bar.close} ${bar.volume} ${bar.tradeCount}`)
  }

  onStop() {
    this.log(`stopped after ${this.draws?.state}`)
  }

  /** Writes down what it sees of an instrument and of its account. */
  look(instrument) {
    // What it has subscribed on its own it cannot trade.
    if (instrument.account === undefined)
      return this.log(`${instrument.code} ${instrument.bestBid?.price} ${instrument.markPrice}`)
    const {
      bestBid,
      bestAsk,
      position,
      averageEntryPrice,
      unrealisedPnl,
      realisedPnl,
      openOrders,
      account,
      markPrice,
    } = instrument
    const level = (one) => (one === null ? '-' : `${one.quantity} at ${one.price}`)
    const parts = [level(bestBid), level(bestAsk), markPrice, position, averageEntryPrice, unrealisedPnl, realisedPnl]
    if (this.draws.once(3))
      parts.push(
        account.equity,
        account.available(2),
        openOrders.map((order) => `${order.side} ${order.price} ${order.state}`),
      )
    if (this.draws.once(6)) parts.push(JSON.stringify(instrument.book))
    this.log(parts.join(' '))
  }

  act() {
    const isEarly = (this.nowNs() - this.startNs) / 1e6 < (this.requestCount - 8) * this.paceMs
    if (isEarly || !this.draws.once(this.calm)) return
    const count = this.draws.once(5) ? this.draws.within(2, 4) : 1
    this.requestCount += count
    for (let number = 0; number < count; number++) this.request()
    if (this.draws.once(10)) this.look(this.draws.one(this.instruments))
    if (this.draws.once(3000)) this.stop('enough')
  }

  request() {
    const { draws } = this
    const instrument = draws.one(this.instruments)
    const open = instrument.openOrders
    const chosen = open.length === 0 ? null : draws.one(open)
    const what = draws.below(24)
    if (chosen !== null && (what < 9 || open.length >= this.most)) this.change(instrument, chosen)
    else if (what === 9 && draws.once(2)) instrument.account.cancelAllOrders()
    else if (what === 10 && (this.habits & 4) !== 0) this.tactic(instrument)
    else this.place(instrument)
  }

  tactic(instrument) {
    if (this.draws.once(2)) instrument.cancelAll(this.draws.one(['BID', 'ASK', undefined]))
    else {
      const style = this.draws.one(['take', 'join'])
      instrument.target(this.lots(instrument, this.draws.within(instrument.isSpot ? 0 : -8, 8)), {
        style,
        timeoutMs: 3000,
      })
    }
  }

  /** A quantity of whole lots; its text keeps the sign. */
  lots(instrument, count) {
    const text = instrument.quantity(Math.abs(count) * Number(instrument.master.lotSize), 'up').toString()
    return count < 0 ? `-${text}` : text
  }

  quantity(instrument, most = 30) {
    return instrument.quantity(this.lots(instrument, this.draws.within(1, most)))
  }

  /** A price some ticks around the touch; null where nothing is known of it. */
  near(instrument, side, ticks) {
    const { bestBid, bestAsk } = instrument
    const touch = (side === 'BID' ? bestBid : bestAsk) ?? bestBid ?? bestAsk
    if (touch === null) return null
    const price = instrument.stepPrice(touch.price, this.draws.within(-ticks, ticks))
    return Number(price.toString()) > 0 ? price : touch.price
  }

  change(instrument, order) {
    const { draws } = this
    const what = draws.below(10)
    if (what < 4) return order.cancel()
    const price = order.price === null ? null : this.near(instrument, order.side, 4)
    const { triggerPrice, pegOffsetValue } = order.conditions
    const wanted = draws.below(4)
    const change = {
      ...((wanted === 0 || wanted === 3) && price !== null ? { price } : {}),
      ...(wanted === 1 || wanted === 3 || price === null ? { quantity: this.quantity(instrument) } : {}),
      ...(triggerPrice !== null && draws.once(2)
        ? { triggerPrice: this.near(instrument, order.side, 3) ?? triggerPrice }
        : {}),
      ...(pegOffsetValue !== null && what < 8 && draws.once(2) ? { pegOffsetValue: this.offset(instrument) } : {}),
      ...(draws.once(6) ? { context: this.context() } : {}),
    }
    if (Object.keys(change).length === 0) change.quantity = this.quantity(instrument)
    if (what < 8) order.amend(change)
    else order.replace(change)
  }

  offset(instrument) {
    const tick = Number(instrument.master.tickSize)
    return Price.from((this.draws.within(-2, 2) * tick).toFixed(4))
  }

  context() {
    const { draws } = this
    return draws.one([{}, { n: draws.below(100) }, { text: 'é"\\', list: [1, { a: null }], deep: { b: [true] } }])
  }

  place(instrument) {
    const { draws } = this
    const side = draws.one(['BID', 'ASK'])
    const price = this.near(instrument, side, 4)
    if (price === null) return
    const { isSpot } = instrument
    instrument.placeOrder({
      side,
      quantity: this.quantity(instrument),
      price,
      postOnly: draws.once(3),
      ...this.terms(instrument, side),
      ...(!isSpot && draws.once(6) ? { openClose: draws.one(['AUTO', 'OPEN', 'CLOSE']) } : {}),
      ...(isSpot && draws.once(2) ? { autoBorrow: !draws.once(4), autoRepay: draws.once(2) } : {}),
      ...(draws.once(10) ? { useSpare: true } : {}),
      ...(draws.once(6) ? { context: this.context() } : {}),
      ...(draws.once(16) ? { minQuantity: this.quantity(instrument, 10) } : {}),
      ...(draws.once(20) ? { baseRiskRatio: draws.one(['0.5', '1']) } : {}),
      ...(isSpot && side === 'BID' && draws.once(20) ? { counterRiskRatio: '0.3' } : {}),
    })
  }

  terms(instrument, side) {
    const { draws } = this
    switch (draws.below(18)) {
      case 0:
        return { type: 'MARKET', price: null, postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }
      case 1:
        return { timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }
      case 2:
        return { timeInForce: 'FILL_OR_KILL', postOnly: false }
      case 3:
        return { postOnly: true }
      case 4:
      case 5:
        return { type: 'STOP_LIMIT', triggerPrice: this.near(instrument, side, 3) }
      case 6:
        return { type: 'MARKET_PEGGED', price: null, pegOffsetValue: this.offset(instrument) }
      case 7:
        return { type: 'PRIMARY_PEGGED', price: null, pegOffsetValue: this.offset(instrument) }
      case 8:
        return { displayQuantity: this.quantity(instrument, 4) }
      case 9:
        return { displayQuantity: instrument.quantity('0') }
      case 10:
        return { reduceOnly: true }
      case 11:
        return { closeOnly: true }
      // Crosses: it takes.
      case 12:
      case 13:
        return { price: this.near(instrument, side === 'BID' ? 'ASK' : 'BID', 2), postOnly: false }
      default:
        return {}
    }
  }

  subscribeOther() {
    const [{ master }] = this.instruments
    const code = master.code.startsWith('X') ? 'Y2' : 'X1'
    if (this.isSubscribed) this.unsubscribeInstrument(this.subscribeInstrument(code))
    else this.log(`${code} ${this.subscribeInstrument(code).marketDataState}`)
    this.isSubscribed = !this.isSubscribed
  }
}
const types = {
  instruments: List(TradingInstrument),
  seed: Integer,
  wakeMs: Integer,
  calm: Integer,
  paceMs: Integer,
  most: Integer,
  habits: Integer,
}
for (const [name, type] of Object.entries(types)) Parameter(type)(Trader.prototype, name)

/** Acts by trades and the top of book as well. */
class Taker extends Trader {
  onInstrumentTrades(instrument) {
    if (this.draws.once(8))
      this.log(
        instrument
          .getLastTrades()
          .map((trade) => `${trade.side} ${trade.quantity} ${trade.price}`)
          .join(),
      )
    this.act()
  }

  onInstrumentTopOfBook() {
    this.act()
  }
}

/** Acts by everything. */
class Watcher extends Taker {
  onInstrumentSnapshot() {
    this.act()
  }
  onInstrumentMarkPrice(instrument) {
    if (this.draws.once(5)) this.look(instrument)
  }
  onInstrumentIndexPrice(instrument) {
    if (this.draws.once(5)) this.log(`index ${instrument.indexPrice}`)
  }
  onInstrumentFundingRate(instrument) {
    this.log(`funding ${instrument.fundingRate?.rate}`)
  }
  onInstrumentLiquidations(instrument) {
    this.log(`liquidations ${instrument.getLastLiquidations().length}`)
  }
}

/** The strategy classes, by their names: they differ in the topics that they subscribe. */
export const CLASSES = { Trader, Taker, Watcher }
