// GET /metrics of a strategy server and of a control port, as Prometheus' own client library for Python reads them: every figure is that of the JSON.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServing, openStrategyServer } from '../../lib/serve.js'
import { check, endOfChecks } from '../support/counted-checks.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-metrics-'))
const day = join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const python = execFileSync('bash', [join(root, 'test/system/python/environment.sh')], { encoding: 'utf8' }).trim()

/** The families of a text: name, kind, help, and each sample by its labels. */
function parsed(text) {
  const code = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps([[f.name, f.type, f.documentation, [[s.name, s.labels, s.value] for s in f.samples]] for f in text_string_to_metric_families(sys.stdin.read())]))`
  const { status, stdout, stderr } = spawnSync(python, ['-c', code], { input: text, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const strategies = join(work, 'strategies')
mkdirSync(strategies)
writeFileSync(join(strategies, 'maker.ts'), `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Maker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  override onInstrumentTopOfBook() {
    const { bestBid, openOrders } = this.instrument
    if (bestBid !== null && openOrders.length === 0) this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('10'), price: bestBid.price })
  }
}
`)
const server = await openStrategyServer({
  strategies, store: join(work, 'store'), port: 0,
  venues: { paper: { type: 'replay', files: [day], from: '23:50', speed: 'max', account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } } },
})
const ask = async (path, body) => (await fetch(server.url + path, body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
const NAME = 'a "maker" of \\ é\n'
const { instanceId } = await ask('/api/v1/strategy/instance', { instanceName: NAME, strategyName: 'Maker', parameters: { instrument: 'XRPUSDT' } })
await ask('/api/v1/strategy/instance', { instanceName: 'at rest', strategyName: 'Maker', parameters: { instrument: 'XRPUSDT' } })
await ask(`/api/v1/strategy/instance/${instanceId}/start`, {})
for (const end = Date.now() + 60_000; Date.now() < end && (await ask(`/api/v1/strategy/instance/${instanceId}`)).status.state !== 'STOPPED';) await new Promise((resolve) => { setTimeout(resolve, 100) })
const { strategies: [{ progress }], marketData, runtime } = await ask('/api/v1/metrics')
const answer = await fetch(`${server.url}/metrics`)
check('the media type', answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
const families = parsed(await answer.text())
const valueOf = (name, labels = {}) => families.flatMap(([,,, samples]) => samples).filter(([one, its]) => one === `backtape_${name}` && JSON.stringify(its) === JSON.stringify(labels)).map(([,, value]) => value)
check('every family has help and a kind', families.filter(([, kind, help]) => help === '' || !['gauge', 'counter'].includes(kind)), [])
check('the instance has traded', progress.fills > 0, true)
const instance = { instance: NAME }
check('of the instance', [
  valueOf('instance_events', instance), valueOf('instance_orders', instance), valueOf('instance_fills', instance), valueOf('instance_open_orders', instance),
  valueOf('instance_gaps', instance), valueOf('instance_suspect_books', instance), valueOf('instance_callbacks', instance), valueOf('instance_longest_callback_seconds', instance), valueOf('instance_profit', { ...instance, currency: 'USDT' }),
  valueOf('instance_position', { ...instance, account: 'account', instrument: String(progress.positions[0]?.instrumentId) }),
], [
  [progress.events], [progress.orders], [progress.fills], [progress.openOrders], [progress.gaps], [progress.suspectBooks], [progress.callbacks], [progress.longestCallbackMs / 1_000], [Number(progress.profit.amount)],
  progress.positions.map(({ size }) => Number(size)),
])
check('one state each', families.find(([name]) => name === 'backtape_instance_state')[3].filter(([,, value]) => value === 1).map(([, { instance: one, state }]) => [one, state]), [[NAME, 'STOPPED'], ['at rest', 'CREATED']])
check('of all', [valueOf('market_data_events'), valueOf('threads'), valueOf('channels')], [[marketData.events], [runtime.threads], [runtime.channels]])
await server.close()

const serving = await openServing({ data: [day], replay: { start: 'paused' }, httpPort: 0, controlPort: 0, account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } } })
const { url, token } = serving.addresses.control
check('without the token', (await fetch(`${url}/metrics`)).status, 401)
const control = parsed(await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text())
const controlled = Object.fromEntries(control.flatMap(([,,, samples]) => samples.map(([name,, value]) => [name, value])))
check('of the control port', [controlled.backtape_serve_paused, controlled.backtape_serve_feed_connections, controlled.backtape_serve_open_orders, controlled.backtape_serve_resident_memory_bytes > 1e7, controlled.backtape_serve_market_time_seconds > 1.7e9], [1, 0, 0, true, true])
check('another method', (await fetch(`${url}/metrics`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status, 404)
await serving.close()
rmSync(work, { recursive: true, force: true })
endOfChecks()
