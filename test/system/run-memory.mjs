// A program's memory after four runs is at most 10 % above that of one, after a collection: nothing of a run is kept.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const data = join(process.env.BACKTAPE_SHARED ?? join(root, '../shared'), 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst')

// V8 keeps room for new objects that it has once had, whatever is in it: with the least of it the rest is the program's own.
const program = `
const { runBacktest, Parameter, Strategy, TradingInstrument } = await import(${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')).href)})
class Maker extends Strategy {
  onStart() {
    this.every(1000, () => {
      const { bestBid, openOrders } = this.instrument
      if (bestBid && openOrders.length === 0) this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('0.001'), price: bestBid.price })
    })
  }
}
Parameter(TradingInstrument)(Maker.prototype, 'instrument')
const account = { balances: { USDT: '1000000' }, fees: { maker: '0.0002', taker: '0.0005' } }
const assumptions = { queue: 'riskAverse', requestLatency: '10ms', responseLatency: '10ms' }
const seen = []
for (let run = 0; run < 5; run++) {
  await runBacktest({ strategy: Maker, data: [${JSON.stringify(data)}], parameters: { instrument: 'binance_swap:BTCUSDT' }, account, assumptions, seed: 1 })
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    gc()
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage()
  seen.push({ kept: heapUsed + external + arrayBuffers, rss })
}
console.log(JSON.stringify(seen))`
const flags = ['--expose-gc', '--max-semi-space-size=1', '--input-type=module', '-e', program]
const result = spawnSync(process.execPath, flags, { encoding: 'utf8' })
if (result.status !== 0) {
  console.error(`run-memory: exit ${result.status}: ${result.stderr}`)
  process.exit(1)
}
const seen = JSON.parse(result.stdout)
const limits = { kept: 1.1, rss: 1.25 }
for (const [name, limit] of Object.entries(limits)) {
  // Of the whole process the least of two counts, as the system takes pages back when it likes.
  const last = Math.min(seen[3][name], seen[4][name])
  if (last <= seen[0][name] * limit) continue
  console.error(`run-memory: ${name} is ${last} bytes after four runs, ${seen[0][name]} after one: ${JSON.stringify(seen)}`)
  process.exit(1)
}
console.log(`run-memory: ${seen.map(({ kept, rss }) => `${(kept / 1e6).toFixed(1)} of ${(rss / 1e6).toFixed(0)} MB`).join(', ')} after one to five runs`)
