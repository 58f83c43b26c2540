// Ten instances on one clock, fifty clients of the channels, five viewers and a Kafka broker for two minutes, or as many seconds as the first word says:
// memory stays flat, every client has every message of every other one once and in order, the broker too, and nothing is left unhandled. One client is
// written in Python from the vendor's document alone (test/system/python/channel_client.py).
import { fork, spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MB = 1 << 20
const [INSTANCES, CLIENTS, VIEWERS] = [10, 50, 5]
/** Beyond what the server holds in the second quarter. */
const GROWTH_MAX_MB = 60
const TALKER = `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Talker extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
  count = 0
  onStart() {
    const channel = this.openChannel('all')
    this.every(10_000, () => { channel.publish(String(this.count++)) })
  }
}
`
const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms) })

async function serve(folder, broker) {
  const { openStrategyServer } = await import('../../lib/serve.js')
  process.on('unhandledRejection', (error) => process.send({ unhandled: String(error) }))
  const server = await openStrategyServer({
    strategies: join(folder, 'strategies'), store: join(folder, 'store'), port: 0, broker_servers: [broker], broker_topics: ['all'],
    venues: { clock: { type: 'replay', files: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')], from: '00:00', speed: 20, account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } } },
  })
  setInterval(() => {
    globalThis.gc()
    process.send({ rss: process.memoryUsage.rss() })
  }, 1_000).unref()
  process.on('message', async () => {
    await server.close()
    process.send({ closed: true })
    process.disconnect()
  })
  process.send({ url: server.url })
}

/** Numbers of each origin: each one more than the one before. */
class Sequences {
  faults = []
  last = new Map()

  take(origin, message) {
    const [number, before] = [Number(message), this.last.get(origin)]
    if (before !== undefined && number !== before + 1) this.faults.push(`${origin}: ${message} behind ${before}`)
    this.last.set(origin, number)
  }
}

class Client {
  heard = new Sequences()
  sent = 0

  static async open(url, at) {
    const one = new Client()
    one.origin = `client ${at}`
    one.socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`)
    await once(one.socket, 'open')
    let answers = 0
    const ready = new Promise((resolve) => {
      one.socket.on('message', (data) => {
        const { op, origin, message, error } = JSON.parse(data.toString())
        if (error !== undefined) one.heard.faults.push(`refused: ${error}`)
        if (op === 'event') one.heard.take(origin, message)
        else if (++answers === 2) resolve()
      })
    })
    one.socket.send(JSON.stringify({ op: 'login', origin: one.origin }))
    one.socket.send(JSON.stringify({ op: 'subscribe', channel: 'all' }))
    await ready
    one.socket.on('close', (code) => { if (!one.isOver) one.heard.faults.push(`closed: ${code}`) })
    return one
  }

  publish() {
    this.socket.send(JSON.stringify({ op: 'publish', channel: 'all', message: String(this.sent++) }))
  }
}

async function viewer(url, instanceId) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/live`)
  const seen = { frames: 0, end: () => socket.close() }
  await once(socket, 'open')
  socket.on('message', (data) => {
    const { op } = JSON.parse(data.toString())
    if (op !== 'stretch' && op !== 'part') return
    seen.frames++
    socket.send('{"op":"shown"}')
  })
  socket.send(JSON.stringify({ op: 'watch', instanceId }))
  return seen
}

async function main(seconds) {
  const { openBroker } = await import('../support/kafka-broker.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'backtape-strategy-soak-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'strategies'))
  writeFileSync(join(folder, 'strategies/talker.ts'), TALKER)
  const faults = []
  const broker = await openBroker()
  broker.make('all')
  const child = fork(fileURLToPath(import.meta.url), ['--serve', folder, broker.server], { execArgv: ['--expose-gc'] })
  const memory = []
  let closed = () => undefined
  const isClosed = new Promise((resolve) => { closed = resolve })
  const [{ url }] = await once(child, 'message')
  child.on('message', (message) => {
    if (message.unhandled !== undefined) faults.push(`unhandled: ${message.unhandled}`)
    if (message.rss !== undefined) memory.push(message.rss)
    if (message.closed) closed()
  })
  const post = async (path, body) => (await fetch(`${url}/api/v1/strategy${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
  const ids = []
  for (let at = 0; at < INSTANCES; at++) ids.push((await post('/instance', { instanceName: `talker ${at}`, strategyName: 'Talker', parameters: { instrument: 'XRPUSDT' } })).instanceId)
  const clients = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => Client.open(url, at)))
  const python = execFileSync('bash', [join(root, 'test/system/python/environment.sh')], { encoding: 'utf8' }).trim()
  const other = spawn(python, [join(root, 'test/system/python/channel_client.py'), `${url.replace('http', 'ws')}/ws/v1`, 'all', 'python'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  other.stdout.on('data', (data) => { said += data })
  const otherEnd = once(other, 'close')
  while (!said.includes('ready')) await wait(100)
  await post('/instance/start', { instanceIds: ids })
  let statuses = []
  const until = async (...states) => {
    do {
      await wait(500)
      statuses = await (await fetch(`${url}/api/v1/strategy/instance/status`)).json()
    } while (!statuses.every(({ state }) => states.includes(state)))
  }
  await until('RUNNING', 'FAILED')
  const viewers = await Promise.all(Array.from({ length: VIEWERS }, (_, at) => viewer(url, ids[at])))
  for (let second = 0; second < seconds; second++) {
    for (const one of clients) one.publish()
    await wait(1_000)
  }
  await post('/stop-all', {})
  await until('STOPPED', 'FAILED')
  for (const { instanceName, state, reason } of statuses) if (state !== 'STOPPED') faults.push(`${instanceName}: ${state}, ${reason}`)
  other.stdin.end()
  await otherEnd
  const fromPython = JSON.parse(said.split('\n').at(-2))
  await wait(2_000)
  const { runtime } = await (await fetch(`${url}/api/v1/metrics`)).json()
  for (const one of clients) one.isOver = true
  for (const one of viewers) one.end()
  child.send('close')
  await isClosed
  for (const one of clients) one.socket.terminate()
  const [first] = clients
  for (const { origin, heard } of clients) {
    faults.push(...heard.faults.map((fault) => `${origin}: ${fault}`))
    for (const { origin: from, sent } of clients) if (from !== origin && heard.last.get(from) !== sent - 1) faults.push(`${origin} has ${heard.last.get(from)} of ${sent} of ${from}`)
    if (heard.last.size !== CLIENTS - 1 + INSTANCES) faults.push(`${origin} has messages of ${heard.last.size} others`)
  }
  faults.push(...fromPython.faults)
  for (const [origin, number] of first.heard.last) if (origin !== 'python' && fromPython.last[origin] !== number) faults.push(`Python has ${fromPython.last[origin]} of ${origin}, not ${number}`)
  const inBroker = new Sequences()
  const records = broker.read('all')
  for (const { value, headers } of records) inBroker.take(headers.CS_ORIGIN, value)
  faults.push(...inBroker.faults.map((fault) => `broker: ${fault}`))
  for (const [origin, number] of [[first.origin, first.sent - 1], ...first.heard.last]) if (inBroker.last.get(origin) !== number) faults.push(`the broker has ${inBroker.last.get(origin)} of ${origin}, not ${number}`)
  await broker.close()
  const quarter = memory.length >> 2
  const [early, late] = [Math.max(...memory.slice(quarter, 2 * quarter)), Math.max(...memory.slice(3 * quarter))]
  console.log(`strategy-soak: ${seconds} s, ${records.length} records, ${[...first.heard.last.values()].reduce((sum, number) => sum + number + 1, 0)} messages to each client, ` +
    `${viewers.map(({ frames }) => frames).join(', ')} frames to viewers, ${(early / MB).toFixed(0)} MB early, ${(late / MB).toFixed(0)} MB late, longest delay ${runtime.eventLoopDelayMsMax.toFixed(0)} ms`)
  if (viewers.some(({ frames }) => frames < 2)) faults.push('a viewer has seen nothing')
  if (late - early > GROWTH_MAX_MB * MB) faults.push('memory grows')
  for (const fault of faults.slice(0, 20)) console.log(`FAILED: ${fault}`)
  process.exit(faults.length === 0 ? 0 : 1)
}

const [first = '120', second, third] = process.argv.slice(2)
if (first === '--serve') await serve(second, third)
else await main(Number(first))
