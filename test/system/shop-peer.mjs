// A buyer in Python that was written from spec 1 alone (test/peers/shop_client.py) buys and fetches a day, a bundle day and a range at a served shop.
// It gets the address alone. The file goes straight into audit, convert and a backtest.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServing } from '../../dist/serve/serving-server.js'
import { payOnPage } from '../support/pay-page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const datasets = join(root, 'datasets')
const [DAY, NEXT] = ['2026-07-01', '2026-07-02']
const FILE = `synthetic_swap-XRPUSDT-${DAY}.txt.zst`
const work = mkdtempSync(join(tmpdir(), 'backtape-shop-peer-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const [sold, out] = ['sold', 'bought'].map((name) => join(work, name))
for (const folder of [sold, out]) mkdirSync(folder)

let [passed, failed] = [0, 0]
const check = (what, isSo) => {
  if (isSo) passed += 1
  else {
    failed += 1
    console.log(`FAILED: ${what}`)
  }
}

// Two days of a perpetual, and two of a chain: the second one holds an instrument alone.
for (const name of [FILE, FILE.replace(DAY, NEXT), `synthetic_option-BTC-calls-${DAY}.tar`]) copyFileSync(join(datasets, name), join(sold, name))
const member = `synthetic_option-BTC-72000-C-${NEXT}.txt.zst`
execFileSync('tar', ['-xf', join(datasets, `synthetic_option-BTC-72000-C-${DAY}..${NEXT}.tar`), '-C', work, member])
execFileSync('tar', ['-cf', join(sold, `synthetic_option-BTC-calls-${NEXT}.tar`), '-C', work, member])

const serving = await openServing({
  data: [sold], replay: { start: 'paused' }, httpPort: 0,
  account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
  shop: { stateFolder: join(work, 'state'), now: '2026-07-08T00:00:00Z', samples: [`synthetic_swap:XRPUSDT ${NEXT}`] },
})

const client = spawn('python3', [join(root, 'test/peers/shop_client.py'), serving.addresses.http, out], { stdio: ['ignore', 'pipe', 'inherit'] })
const closed = new Promise((done) => client.once('close', done))
let said = ''
for await (const chunk of client.stdout.setEncoding('utf8')) {
  process.stdout.write(chunk)
  said += chunk
  const [, url] = /^PAY (.+)\n/m.exec(said) ?? []
  if (url !== undefined) {
    said = said.replace(/^PAY .+\n/m, '')
    check('the payment leads on', await payOnPage(url) === 303)
  }
}
const code = await closed
await serving.close()
const [, good, bad] = /(\d+) passed, (\d+) failed\s*$/.exec(said) ?? [0, 0, 1]
passed += Number(good)
failed += Number(bad)
check('the client ends well', code === Number(Number(bad) > 0))

const bought = join(out, FILE)
check('the bytes are those that are sold', readFileSync(bought).equals(readFileSync(join(datasets, FILE))))
const backtape = (...args) => execFileSync(process.execPath, [join(root, 'bin/backtape.js'), ...args], { encoding: 'utf8', env: { ...process.env, BACKTAPE_CACHE: join(work, 'cache') } })
check('the file is sound', JSON.parse(backtape('audit', bought, '--json'))[0].ok === true)
backtape('convert', bought, '--to', 'csv', '--out', join(work, 'tables'))
check('convert makes tables', readdirSync(join(work, 'tables'), { recursive: true }).some((name) => name.endsWith('.csv')))
const { summary } = JSON.parse(backtape('backtest', join(root, 'examples/grid-trader/grid-trader.run.json'), '--data', bought, '--to', `${DAY}T23:59:00Z`, '--json'))
check('a backtest has fills', summary.fillCount > 0)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
