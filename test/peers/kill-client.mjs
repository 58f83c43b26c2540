// A strategy that trades all the time until a message says `quiet`; on any other it answers with what it has. usage: node test/peers/kill-client.mjs ADDRESSES
import { Parameter, RandomNumbers, runLive, Strategy, TradingInstrument } from '../../dist/index.js'

const { feeds: [feed], http } = JSON.parse(process.argv[2])
let isQuiet = false
let trader
process.on('message', (message) => {
  if (message === 'quiet') isQuiet = true
  else process.send({
    open: trader.instrument.openOrders.map((one) => `${one.ownOrderId} ${one.executedQuantity}`).sort(), position: String(trader.instrument.position), placed: trader.placed,
    pending: trader.instrument.openOrders.filter((one) => one.state !== 'CONFIRMED').length,
  })
})

class Trader extends Strategy {
  placed = 0
  random = new RandomNumbers(process.pid, 'trader', 0)
  draws = 0
  onStart() {
    trader = this
    this.every(250, () => this.round())
    process.send('started')
  }
  draw() {
    return this.random.uniform(this.draws++)
  }
  round() {
    const { bestBid, bestAsk, openOrders } = this.instrument
    if (isQuiet || bestBid === null || bestAsk === null) return
    if (openOrders.length > 6) return openOrders[Math.floor(this.draw() * openOrders.length)].cancel()
    const side = this.draw() < 0.5 ? 'BID' : 'ASK'
    const isTaking = this.draw() < 0.2
    const { price } = (side === 'BID') === isTaking ? bestAsk : bestBid
    if (!this.instrument.placeOrder({ side, price, quantity: this.instrument.quantity('10'), postOnly: !isTaking }).isDiscarded) this.placed++
  }
}
Parameter(TradingInstrument)(Trader.prototype, 'instrument')

const { reason } = await runLive({
  strategy: Trader, parameters: { instrument: 'XRPUSDT' }, feed: feed.json, apiKey: 'k', backend: http, accountId: 'paper',
})
process.send({ reason })
process.exit()
