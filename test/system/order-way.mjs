// The way of one limit order with one fill through the engine: files and functions that it enters, by V8's coverage, those of the same run without it
// subtracted. Prints both numbers and those of each room, and fails above the limits, which only go down: issue 38 wants 60 files and 300 functions.
import { Session } from 'node:inspector/promises'
import { join, resolve } from 'node:path'
import { Parameter, Strategy, TradingInstrument, runBacktest } from '../../dist/index.js'

const LIMITS = { files: 135, functions: 740 }
const root = resolve(import.meta.dirname, '../..')
const shared = resolve(process.env.BACKTAPE_SHARED ?? join(root, '../shared'))
const dist = `file://${join(root, 'dist')}/`

/** Looks at the market once a second, and bids once where it may. */
class Bidder extends Strategy {
  fills = 0

  onStart() {
    this.every(1000, () => {
      const { bestBid } = this.instrument
      if (!this.bids || this.order !== undefined || bestBid === null) return
      this.order = this.instrument.placeOrder({ side: 'BID', price: bestBid.price, quantity: this.instrument.quantity('0.001') })
    })
  }

  onOrderFill() { this.fills++ }

  onStop() { seen = this.fills }
}
Parameter(TradingInstrument)(Bidder.prototype, 'instrument')
Parameter(Boolean)(Bidder.prototype, 'bids')
let seen = 0

async function run(bids) {
  await runBacktest({
    strategy: Bidder, data: [join(shared, 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst')], parameters: { instrument: 'BTCUSDT', bids },
    account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } }, tables: 'memory',
  })
  return seen
}

const session = new Session()
session.connect()
await session.post('Profiler.enable')

/** Functions of the engine that a run enters, by file. */
async function entered(bids) {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const fills = await run(bids)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const found = new Set()
  for (const { url, functions } of result) {
    if (!url.startsWith(dist)) continue
    for (const { functionName, ranges: [{ startOffset, count }] } of functions)
      if (count > 0 && startOffset > 0) found.add(`${url.slice(dist.length)} ${startOffset} ${functionName}`)
  }
  return [found, fills]
}

// Whatever is done once in a process is done in the first run.
await entered(false)
const [without, none] = await entered(false)
const [withOrder, fills] = await entered(true)
if (none !== 0 || fills !== 1) throw new Error(`the order must have one fill, found ${fills}`)
const way = [...withOrder].filter((one) => !without.has(one))
const rooms = new Map()
for (const file of new Set(way.map((one) => one.split(' ')[0]))) {
  const room = file.slice(0, file.lastIndexOf('/'))
  rooms.set(room, (rooms.get(room) ?? 0) + 1)
}
const counted = { files: [...rooms.values()].reduce((sum, one) => sum + one, 0), functions: way.length }
for (const [room, count] of [...rooms].sort()) console.log(`${String(count).padStart(4)} files of ${room}`)
for (const [what, limit] of Object.entries(LIMITS)) {
  console.log(`${counted[what]} ${what}, at most ${limit}`)
  if (counted[what] > limit) process.exitCode = 1
}
