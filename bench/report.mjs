// The report of a run with 100,000 orders: time and size of the page with its data beside it.
// usage: node bench/report.mjs [ORDERS=100000]
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Parameter, runBacktest, Strategy, TradingInstrument } from '../dist/index.js'
import { tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'

const wanted = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'backtape-report-'))

const IMMEDIATE = { timeInForce: 'IMMEDIATE_OR_CANCEL' }

/** Many orders, some that fill at once and some that rest and are cancelled. */
class Busy extends Strategy {
  instrument
  left = wanted
  onStart() {
    this.every(5, () => this.act())
  }

  act() {
    const { bestBid, bestAsk } = this.instrument
    if (bestBid === null || bestAsk === null || this.left <= 0) return
    this.instrument.account.cancelAllOrders()
    const quantity = this.instrument.quantity('10')
    const isFirst = this.left % 4 === 0
    for (const side of ['BID', 'ASK']) {
      // Of every four orders two rest and two take.
      const price = (side === 'BID') === isFirst ? bestBid.price : bestAsk.price
      if (this.left-- > 0) this.instrument.placeOrder({ side, price, quantity, ...(isFirst ? {} : IMMEDIATE) })
    }
  }
}
Parameter(TradingInstrument)(Busy.prototype, 'instrument')

try {
  const result = await runBacktest({
    strategy: Busy, data: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')],
    parameters: { instrument: 'XRPUSDT' },
    account: { balances: { USDT: '100000' }, fees: { maker: '0', taker: '0.0004' } },
  })
  const path = join(folder, 'report.html')
  const [started, used] = [performance.now(), process.cpuUsage()]
  await result.writeReport(path)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(used)
  const [page, data] = [path, join(folder, 'report.json')].map((one) => statSync(one).size / 1e6)
  const { rowCount } = result.orders
  if (rowCount !== wanted) throw new Error(`${rowCount} orders, wanted ${wanted}`)
  console.log(
    `${rowCount} orders, ${result.fills.rowCount} fills: ${seconds.toFixed(2)} s, of the processor ` +
      `${((user + system) / 1e6).toFixed(2)} s, page ${page.toFixed(2)} MB, data ${data.toFixed(1)} MB`,
  )
  const what = `report of a run with ${rowCount} orders`
  tableRow(what, `${seconds.toFixed(2)} s`, 'under 3 s')
  tableRow(`${what}, its page`, `${page.toFixed(2)} MB`, 'under 5 MB')
  if (seconds > 3 || page > 5) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
