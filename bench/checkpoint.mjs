// A checkpoint of a run with many open orders: from the state to text, and from text to a run that goes on; medians
// of processor time, less a run without orders. usage: node bench/checkpoint.mjs [ORDERS=10000] [TIMES=5]
import { Integer, Parameter, runBacktest, Strategy, TradingInstrument } from '../dist/index.js'
import { tickFileBytes } from '../dist/testing.js'
import { tableRow } from '../scripts/big-day.mjs'

const [orderCount = 10_000, times = 5] = process.argv.slice(2).map(Number)
const SECOND = 1_000_000_000n
const START = 1_782_900_000n * SECOND
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
let wokenMs = 0

/** Of this process: what else runs on the machine counts less than by a clock. */
function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Rests orders at as many prices, a few of each kind, and does nothing more. */
class Rester extends Strategy {
  instrument
  count
  onStart() {
    this.every(
      1000,
      () => {
        wokenMs ||= processorMs()
      },
      { name: 'wake' },
    )
  }

  saveState() {
    return { count: this.count }
  }
  restoreState({ count }) {
    this.count = count
  }

  onInstrumentSnapshot() {
    for (let number = 0; number < this.count; number++) {
      const side = number % 2 === 0 ? 'BID' : 'ASK'
      const price = this.instrument.price(String(side === 'BID' ? 50_000 - (number >> 1) : 50_001 + (number >> 1)))
      const quantity = this.instrument.quantity(String(1 + (number % 7)))
      if (number % 10 === 9)
        this.instrument.placeOrder({
          side,
          price,
          quantity,
          type: 'STOP_LIMIT',
          triggerPrice: side === 'BID' ? this.instrument.price('90000') : this.instrument.price('10'),
        })
      else this.instrument.placeOrder({ side, price, quantity, postOnly: false })
    }
    this.count = 0
  }
}
Parameter(TradingInstrument)(Rester.prototype, 'instrument')
Parameter(Integer)(Rester.prototype, 'count')

const master = {
  instrument: {
    id: 1,
    code: 'MADE',
    exchange_code: 'made',
    type: 'perpetual',
    is_inverse: false,
    is_quanto: false,
    multiplier: 1,
    ticksize: 1,
    lot_size: 1,
    base_underlying_id: 1,
    counter_underlying_id: 2,
    valuation_underlying_id: 2,
    fee_underlying_id: 2,
  },
  underlyings: [
    { id: 1, code: 'BTC', type: 'coin', fx_rate: 50_000 },
    { id: 2, code: 'USDT', type: 'coin', fx_rate: 1 },
  ],
}
function line(second, id) {
  const time = START + BigInt(second) * SECOND
  return `[${id === 1 ? 0 : 1},1,"${id - 1}","${id}",${time},${time},[[0,"50000","5",1],[1,"50001","5",1]]]`
}
const data = [await tickFileBytes([JSON.stringify(master), line(1, 1), line(2, 2), line(60, 3)])]

const optionsOf = (count) => ({
  strategy: Rester,
  data,
  day: '2026-07-01',
  from: '10:00',
  to: '10:01:01',
  parameters: { instrument: 'MADE', count },
  account: { balances: { USDT: '1000000000' } },
  assumptions: { staleAfter: 'off', gaps: 'ignore' },
})

/** Milliseconds of checkpoints of a run in which nothing happens between them, and the last one's text. */
async function written(count) {
  const [takes, texts] = [[], []]
  let text = ''
  let lastMs = 0
  await runBacktest({
    ...optionsOf(count),
    checkpoints: {
      every: '5s',
      take: (checkpoint) => {
        const takenMs = processorMs()
        if (lastMs > 0) takes.push(takenMs - lastMs)
        text = JSON.stringify(checkpoint)
        lastMs = processorMs()
        texts.push(lastMs - takenMs)
        return takes.length < times + 1
      },
    },
  })
  return { takeMs: median(takes.slice(1)), textMs: median(texts.slice(1)), text }
}

/** Milliseconds from the text of a checkpoint to the first step of the run that goes on. */
async function resumed(count, text) {
  const [parses, starts] = [[], []]
  for (let time = 0; time <= times; time++) {
    wokenMs = 0
    const startMs = processorMs()
    const resume = JSON.parse(text)
    const parsedMs = processorMs()
    await runBacktest({ ...optionsOf(count), resume, checkpoints: { everySteps: 2, take: () => false } })
    parses.push(parsedMs - startMs)
    starts.push(wokenMs - parsedMs)
  }
  return { parseMs: median(parses.slice(1)), startMs: median(starts.slice(1)) }
}

const empty = await written(0)
const emptyResumed = await resumed(0, empty.text)
const full = await written(orderCount)
const fullResumed = await resumed(orderCount, full.text)
const ms = (value) => value.toFixed(1)
const writeMs = full.takeMs - empty.takeMs + full.textMs
const readMs = fullResumed.parseMs + fullResumed.startMs - emptyResumed.startMs
tableRow(
  `a checkpoint of ${orderCount} open orders, ${(full.text.length / 1e6).toFixed(1)} MB: state to text`,
  `${ms(writeMs)} ms (taking it ${ms(full.takeMs - empty.takeMs)}, its JSON ${ms(full.textMs)})`,
  '50 ms',
  null,
)
tableRow(
  'text to a run that goes on',
  `${ms(readMs)} ms (its JSON ${ms(fullResumed.parseMs)}, restoring ${ms(readMs - fullResumed.parseMs)})`,
  '50 ms',
  null,
)
