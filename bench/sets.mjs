// Many parameter sets of a trading strategy over two recorded minutes, in this process: time and peak memory.
// usage: node bench/sets.mjs [SETS=1000]
import { join } from 'node:path'
import { runBacktest } from '../dist/index.js'
import { tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'
import { Maker } from './peers/strategies.mjs'

const setCount = Number(process.argv[2] ?? 1000)
const DAY = '2024-07-19'

const parameters = Array.from({ length: setCount }, (_, number) => (
  { instrument: 'BTCUSDT', size: String((1 + number % 50) / 1000) }))
const [started, used] = [performance.now(), process.cpuUsage()]
const results = await runBacktest({
  strategy: Maker, data: [join(root, `../shared/data/days/binance_swap-BTCUSDT-${DAY}.txt.zst`)], day: DAY,
  from: `${DAY}T00:01:00Z`, to: `${DAY}T00:03:00Z`, parameters,
  account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
})
const seconds = (performance.now() - started) / 1000
const { user, system } = process.cpuUsage(used)
const peakMb = process.resourceUsage().maxRSS / 1024
const rowCount = results.reduce((sum, { orders, fills, trades }) => (
  sum + orders.rowCount + fills.rowCount + trades.rowCount), 0)
console.log(
  `${setCount} sets, ${rowCount} rows of orders, fills and round trips: ${seconds.toFixed(2)} s, of the processor ` +
    `${((user + system) / 1e6).toFixed(2)} s, peak ${peakMb.toFixed(0)} MB`,
)
tableRow(
  `${setCount} sets of a market maker over two recorded minutes`, `${seconds.toFixed(1)} s`, '20 s, 600 MB', peakMb,
)
