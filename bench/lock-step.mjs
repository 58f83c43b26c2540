// Lock-step: steps a second of a strategy that listens to everything and sets a timer, server and client in processes
// of their own, beside a ping-pong of two `ws` messages of about the same length as the floor.
//   node bench/lock-step.mjs [ROUNDS=3] [FILE=a bundled day]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { WebSocket, WebSocketServer } from 'ws'

const DAY = 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const PINGS = 20_000
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

async function serve(day, transport) {
  const { openServing } = await import('../dist/serve/serving-server.js')
  const { mkdtempSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const domainSocket = join(mkdtempSync(join(tmpdir(), 'lock-step-')), 's.sock')
  const served = await openServing({
    data: [day], from: '23:55', httpPort: 0, account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } },
    replay: { speed: 'lockstep' }, ...(transport === 'domainSocket' ? { domainSocket } : {}),
  })
  process.send(served.addresses)
  await served.run()
  await served.close()
  process.exit()
}

async function pong() {
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false })
  server.on('connection', (socket, { socket: raw }) => {
    raw.setNoDelay(true)
    socket.on('message', (data) => socket.send(data, { binary: false }))
  })
  await once(server, 'listening')
  process.send(server.address().port)
}

/** A process of this file in another part. */
async function started(...args) {
  const child = fork(import.meta.filename, args)
  const [said] = await once(child, 'message')
  return { said, child }
}

async function steps(day, encoding, transport) {
  const { runLive, Strategy } = await import('../dist/index.js')
  let begun = 0n
  class Listener extends Strategy {
    heard = 0
    onStart() {
      begun = process.hrtime.bigint()
      this.every(250, () => { this.heard++ })
    }
    onInstrumentTopOfBook() {
      this.heard++
    }
  }
  const { Parameter, TradingInstrument } = await import('../dist/index.js')
  Parameter(TradingInstrument)(Listener.prototype, 'instrument')
  const { said: { feeds: [feed], http, keys, accounts }, child } = await started('--serve', day, transport)
  const { stepCount } = await runLive({
    strategy: Listener, parameters: { instrument: 'XRPUSDT' }, feed: { url: feed[encoding], market: feed.market },
    apiKey: keys[0], backend: http, accountId: accounts, transport,
  })
  const perSecond = stepCount / (Number(process.hrtime.bigint() - begun) / 1e9)
  if (child.exitCode === null) await once(child, 'exit')
  return { perSecond, stepCount }
}

async function floor() {
  const { said: port, child } = await started('--pong')
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
  await once(socket, 'open')
  socket._socket.setNoDelay(true)
  const text = 'x'.repeat(120)
  const begun = process.hrtime.bigint()
  let left = PINGS
  await new Promise((resolve) => {
    socket.on('message', () => (--left > 0 ? socket.send(text) : resolve()))
    socket.send(text)
  })
  child.kill()
  socket.terminate()
  return PINGS / (Number(process.hrtime.bigint() - begun) / 1e9)
}

async function main() {
  const [rounds = '3', day = DAY] = process.argv.slice(2)
  const results = []
  let count = 0
  for (let round = 0; round < Number(rounds); round++) {
    const json = await steps(day, 'json', 'websocket')
    const sbe = await steps(day, 'sbe', 'domainSocket')
    count = json.stepCount
    results.push({ json: json.perSecond, sbe: sbe.perSecond, floor: await floor() })
  }
  const of = (name) => median(results.map((one) => one[name]))
  const perSecond = (value) => `${(value / 1000).toFixed(1)} k/s`
  console.log(`lock-step, Node ${process.versions.node}: median of ${rounds} rounds of ${count} steps`)
  console.log(`  json and WebSocket ${perSecond(of('json'))}`)
  console.log(`  sbe and domain socket ${perSecond(of('sbe'))}`)
  console.log(`  ping-pong of two ws messages ${perSecond(of('floor'))}`)
  const ratio = (name) => median(results.map((one) => one[name] / one.floor)).toFixed(2)
  console.log(`  json / floor ${ratio('json')}, sbe / floor ${ratio('sbe')}`)
}

const [part, ...rest] = process.argv.slice(2)
if (part === '--serve') await serve(...rest)
else if (part === '--pong') await pong()
else await main()
