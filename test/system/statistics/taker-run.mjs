// Takes both sides of recorded days in sizes that never fit, and writes the tables: taker-run.mjs FOLDER FORMAT,... CODE SIZE DAY...
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'

const [, , folder, formats, code, size, ...days] = process.argv
mkdirSync(folder, { recursive: true })
const dist = resolve(import.meta.dirname, '../../../dist/index.js')
const module = `import { Parameter, Strategy, TradingInstrument } from ${JSON.stringify(dist)}
export class Taker extends Strategy {
  onStart() {
    let step = 0
    this.every(1700, () => {
      const { bestBid, bestAsk } = this.instrument
      step++
      if (!bestBid || !bestAsk) return
      const isBuy = step * 7919 % 13 < 6 + (step % 3)
      const quantity = this.instrument.quantity(${JSON.stringify(size)}).times(1 + step % 4)
      this.instrument.placeOrder({ type: 'MARKET', side: isBuy ? 'BID' : 'ASK', quantity })
    })
  }
}
Parameter(TradingInstrument)(Taker.prototype, 'instrument')
`
writeFileSync(join(folder, 'taker.mjs'), module)
const run = join(folder, 'taker.run.json')
writeFileSync(run, JSON.stringify({
  strategy: './taker.mjs#Taker', data: days.map((day) => resolve(day)), parameters: { instrument: code },
  account: { fees: { maker: '0.0001', taker: '0.00037' } }, equity: { every: '10s', fills: true },
}))
const bin = resolve(import.meta.dirname, '../../../bin/backtape.js')
for (const format of formats.split(',')) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'backtest', run, '--no-record', '--json', '--out', join(folder, format), '--to', format], { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(stderr)
  writeFileSync(join(folder, 'summary.json'), stdout)
}
