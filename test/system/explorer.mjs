// The explorer of a strategy server in Chromium: its tester makes, starts and stops an instance by the examples that stand there. No error is logged,
// nothing is asked of another origin, axe-core finds nothing serious, and a page of another origin can neither post nor connect.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStrategyServer } from '../../dist/serve.js'
import { barriersIn, launchBrowser, watchFaults } from './chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shots = join(root, '.cache/ci/screenshots')
const work = mkdtempSync(join(tmpdir(), 'backtape-explorer-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
mkdirSync(shots, { recursive: true })
const faults = []
const expect = (what, found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) faults.push(`${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`)
}

const strategies = join(work, 'strategies')
mkdirSync(strategies)
writeFileSync(join(strategies, 'waiter.ts'), `
import { Strategy } from 'backtape'
export class Waiter extends Strategy {
  override onStart() { this.every(1, () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) }) }
}
`)
const server = await openStrategyServer({
  strategies, store: join(work, 'store'), port: 0,
  venues: { paper: { type: 'replay', files: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], speed: 'max', account: { balances: { USDT: '1000' } } } },
})
const ask = async (path) => (await fetch(server.url + path)).json()

// Every endpoint has examples for all that it needs, and the frames of the WebSocket are described.
const spec = await ask('/openapi.json')
for (const [path, methods] of Object.entries(spec.paths))
  for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
    for (const { name, required, example } of parameters) if (required && example === undefined) faults.push(`${method} ${path} has no example of ${name}`)
    for (const { example } of Object.values(requestBody?.content ?? {})) if (example === undefined) faults.push(`${method} ${path} has no example of its body`)
  }
for (const word of ['login', 'subscribe', 'unsubscribe', 'publish', 'event']) if (!JSON.stringify(spec.components.schemas).includes(`"${word}"`)) faults.push(`the operation ${word} is not described`)

const other = createServer((_, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Evil</title>') })
await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve))
const otherOrigin = `http://127.0.0.1:${other.address().port}`

const browser = await launchBrowser(['--disable-features=LocalNetworkAccessChecks'])
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
const page = await context.newPage()
watchFaults(page, faults, { origins: [server.url] })
await page.goto(`${server.url}/`)
await page.waitForSelector('.opblock')
expect('the operations', (await page.$$('.opblock')).length, Object.values(spec.paths).flatMap((methods) => Object.keys(methods)).length)
expect('the bar', await page.$$eval('header nav a', (links) => links.map((link) => link.getAttribute('href'))), ['/live', '/openapi.json', '/api/v1/metrics', '/metrics'])

/** Opens an operation, executes it with the examples that are there, and returns status and body. */
async function execute(operationId) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`)
  await block.locator('.opblock-summary-control').click()
  const tryOut = block.locator('.try-out__btn')
  if (await tryOut.count() > 0 && /Try it out/.test(await tryOut.textContent())) await tryOut.click()
  await block.locator('.execute').click()
  await block.locator('.live-responses-table .response-col_status').first().waitFor()
  const status = Number.parseInt(await block.locator('.live-responses-table .response-col_status').last().textContent(), 10)
  return { status, shown: await block.locator('.live-responses-table').textContent() }
}

const created = await execute('create')
expect('the answer to create', created.status, 201)
const [instance] = await ask('/api/v1/strategy/instance')
expect('what was made', [instance?.instanceName, instance?.strategyName, instance?.parameters], ['maker', 'Waiter', {}])
// The examples take up what is there now.
await page.reload()
await page.waitForSelector('.opblock')
expect('the answer to start', (await execute('start')).status, 200)
const stateOf = async () => (await ask(`/api/v1/strategy/instance/${instance.instanceId}`)).status.state
for (const end = Date.now() + 30_000; Date.now() < end && await stateOf() !== 'RUNNING';) await new Promise((resolve) => { setTimeout(resolve, 100) })
expect('its state', await stateOf(), 'RUNNING')
expect('the answer to stop', (await execute('stop')).status, 200)
for (const end = Date.now() + 30_000; Date.now() < end && await stateOf() !== 'STOPPED';) await new Promise((resolve) => { setTimeout(resolve, 100) })
expect('its state', await stateOf(), 'STOPPED')
expect('the answer to send', (await execute('send')).status, 204)
for (const barrier of await barriersIn(page)) faults.push(barrier)
await page.screenshot({ path: join(shots, 'explorer-1280.png') })

const evil = await context.newPage()
await evil.goto(otherOrigin)
const tried = await evil.evaluate(async (url) => {
  const post = await fetch(`${url}/api/v1/channel/signals/send?origin=evil`, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: 'x' }).then(({ type }) => type, () => 'failed')
  const read = await fetch(`${url}/api/v1/strategy`).then(() => 'read', () => 'failed')
  const connected = await new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`)
    socket.onopen = () => { resolve('open') }
    socket.onerror = () => { resolve('failed') }
  })
  return { post, read, connected }
}, server.url)
expect('what another page reads and connects', [tried.read, tried.connected], ['failed', 'failed'])
const refused = await fetch(`${server.url}/api/v1/channel/signals/send?origin=evil`, { method: 'POST', headers: { 'content-type': 'text/plain', origin: otherOrigin }, body: 'x' })
expect('a post from another page', refused.status, 403)
for (const path of ['/', '/explorer/explorer.js']) expect(`${path} from another page`, (await fetch(server.url + path, { headers: { origin: otherOrigin } })).status, 403)

await browser.close()
other.close()
await server.close()
for (const fault of faults) console.log(`FAILED: ${fault}`)
console.log(faults.length === 0 ? 'explorer: the tester makes, starts and stops an instance' : `${faults.length} failed`)
process.exit(faults.length === 0 ? 0 : 1)
