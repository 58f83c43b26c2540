// The channels of a strategy server: messages of a publisher to a hundred subscribers, beside a bare `ws` broadcast of
// the bytes that came; server, publisher and subscribers are processes of their own. Then the time from publish to
// receive, the status of a hundred instances beside a route that answers nothing, and the memory of an idle server.
// usage: node bench/channels.mjs [ROUNDS=5] [MESSAGES=20000]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, get } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { WebSocket, WebSocketServer } from 'ws'
import { root } from '../scripts/project.mjs'
import { tableRow } from '../scripts/big-day.mjs'

const DAY = resolve(
  root, process.env.BACKTAPE_SHARED ?? '../shared', 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst',
)
const SUBSCRIBERS = 100
/** Messages on their way to the subscribers at most: a server's queue is not what is measured. */
const WINDOW = 64
const TEXT = 'x'.repeat(100)
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const p99 = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]
const turn = (ms) => new Promise((done) => { setTimeout(done, ms) })

/** The server, ours or a bare one. */
async function serve(kind, folder) {
  let url = ''
  if (kind === 'ours') {
    const { openStrategyServer } = await import('../dist/serve.js')
    const account = { balances: { USDT: '100000' }, fees: { maker: '0', taker: '0' } }
    const server = await openStrategyServer({
      strategies: join(folder, 'strategies'), store: join(folder, 'store'), port: 0,
      venues: { paper: { type: 'replay', files: [DAY], speed: 1, account } },
    })
    url = server.url
  } else {
    const http = createServer()
    const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
    sockets.on('connection', (from) => from.on('message', (data) => {
      for (const one of sockets.clients) if (one !== from) one.send(data, { binary: false })
    }))
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    url = `http://127.0.0.1:${http.address().port}`
  }
  process.on('message', () => { process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }) })
  process.send(url)
}

/** A client's frame of text. */
function frame(text) {
  const data = Buffer.from(text)
  const head = data.length < 126 ? [0x81, 0x80 | data.length] : [0x81, 0xfe, data.length >> 8, data.length & 255]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), data])
}

/** Subscribers that only count bytes; says how many whole messages all of them have, as soon as they have more. */
async function drain(url, origins) {
  const { port, pathname } = new URL(url)
  const received = new Float64Array(SUBSCRIBERS)
  let [size, told, isBegun] = [0, 0, false]
  const tell = () => {
    const whole = Math.floor(Math.min(...received) / size)
    if (whole > told) process.send(told = whole)
  }
  const sockets = await Promise.all(Array.from(received, async (_, at) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await once(socket, 'data')
    if (origins) for (const one of [{ op: 'login', origin: `s${at}` }, { op: 'subscribe', channel: 'c' }])
      socket.write(frame(JSON.stringify(one)))
    socket.on('data', (data) => { if (isBegun) received[at] += data.length })
    return socket
  }))
  await turn(500)
  process.on('message', (bytes) => {
    [size, isBegun] = [bytes, true]
    const timer = setInterval(tell, 1)
    process.once('disconnect', () => clearInterval(timer))
  })
  process.once('disconnect', () => { for (const socket of sockets) socket.destroy() })
  process.send('ready')
}

function child(...args) {
  const started = fork(import.meta.filename, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const next = async () => (await once(started, 'message'))[0]
  const end = async () => {
    const gone = once(started, 'exit')
    started.kill('SIGKILL')
    await gone
  }
  const ask = (what) => {
    started.send(what)
    return next()
  }
  return { started, next, end, ask }
}

const event = (message) => JSON.stringify({ op: 'event', channel: 'c', origin: 'p', message })

/** Opens a publisher of a server. */
async function publisher(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  return socket
}

/** One round of the fan-out. */
async function fanOut(kind, folder, messages) {
  const server = child('--serve', kind, folder)
  const address = (await server.next()).replace('http', 'ws')
  const url = kind === 'ours' ? `${address}/ws/v1` : `${address}/`
  const readers = child('--drain', url, kind === 'ours' ? 'origins' : '')
  await readers.next()
  const socket = await publisher(url)
  if (kind === 'ours') {
    socket.send(JSON.stringify({ op: 'login', origin: 'p' }))
    await once(socket, 'message')
  }
  const text = kind === 'ours' ? JSON.stringify({ op: 'publish', channel: 'c', message: TEXT }) : event(TEXT)
  const bytes = Buffer.byteLength(event(TEXT))
  readers.started.send(bytes + (bytes < 126 ? 2 : 4))
  const before = (await server.ask('usage')).cpu
  const started = performance.now()
  let [sent, taken] = [0, 0]
  await new Promise((done) => {
    const more = () => { for (; sent < messages && sent - taken < WINDOW; sent++) socket.send(text) }
    readers.started.on('message', (count) => {
      taken = count
      if (taken >= messages) done()
      else more()
    })
    more()
  })
  const wallMs = performance.now() - started
  const { cpu } = await server.ask('usage')
  socket.terminate()
  await readers.end()
  await server.end()
  return { wallMs, cpuMs: (cpu.user - before.user + cpu.system - before.system) / 1000 }
}

/** Times from publish to receive, a hundred subscribers beside, at most 250 messages a second. */
async function latency(folder, count) {
  const server = child('--serve', 'ours', folder)
  const url = `${(await server.next()).replace('http', 'ws')}/ws/v1`
  const readers = child('--drain', url, 'origins')
  await readers.next()
  const [from, to] = [await publisher(url), await publisher(url)]
  const say = async (socket, what) => {
    socket.send(JSON.stringify(what))
    await once(socket, 'message')
  }
  await say(from, { op: 'login', origin: 'p' })
  await say(to, { op: 'login', origin: 'r' })
  await say(to, { op: 'subscribe', channel: 'c' })
  const sentAt = []
  const times = []
  to.on('message', () => times.push(performance.now() - sentAt[times.length]))
  for (let at = 0; at < count; at++) {
    sentAt.push(performance.now())
    from.send(JSON.stringify({ op: 'publish', channel: 'c', message: TEXT }))
    await turn(4)
  }
  while (times.length < count) await turn(5)
  from.terminate()
  to.terminate()
  await readers.end()
  await server.end()
  return times
}

const MODULE = `
import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Idle extends Strategy {
  @Parameter(TradingInstrument) instrument!: TradingInstrument
}
`

/** Answers, one after another over one connection. */
async function answerTimes(agent, url, count) {
  const times = []
  for (let at = 0; at < count; at++) {
    const started = performance.now()
    await new Promise((done, failed) => {
      get(url, { agent }, (response) => response.resume().once('end', done)).once('error', failed)
    })
    times.push(performance.now() - started)
  }
  return times
}

/** The status of a hundred instances, twenty of them running in real time; and memory when there were none. */
async function status(folder, rounds) {
  const server = child('--serve', 'ours', folder)
  const url = await server.next()
  await turn(3_000)
  const idle = (await server.ask('usage')).rss
  const post = async (path, body) => (await fetch(`${url}/api/v1/strategy/instance${path}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  })).json()
  const ids = []
  for (let at = 0; at < 100; at++) {
    const made = { instanceName: `i${at}`, strategyName: 'Idle', parameters: { instrument: 'BTCUSDT' } }
    ids.push((await post('', made)).instanceId)
  }
  await post('/start', { instanceIds: ids.slice(0, 20) })
  const states = async () => (await fetch(`${url}/api/v1/strategy/instance/status`)).json()
  for (;;) {
    const all = await states()
    if (all.filter(({ state }) => state === 'RUNNING').length === 20) break
    const failed = all.find(({ state }) => state === 'FAILED')
    if (failed !== undefined) throw new Error(JSON.stringify(failed))
    await turn(200)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ratios = []
  const found = []
  for (let at = 0; at < rounds; at++) {
    const [all, empty] = [
      p99(await answerTimes(agent, `${url}/api/v1/strategy/instance/status`, 1_000)),
      p99(await answerTimes(agent, `${url}/nothing`, 1_000)),
    ]
    found.push(all)
    ratios.push(all / empty)
  }
  agent.destroy()
  await server.end()
  return { idle, ratio: median(ratios), ms: median(found) }
}

async function main(rounds, messages) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-channels-'))
  mkdirSync(join(folder, 'strategies'))
  writeFileSync(join(folder, 'strategies/idle.ts'), MODULE)
  try {
    const pairs = []
    for (let at = 0; at < rounds; at++)
      pairs.push([await fanOut('ours', folder, messages), await fanOut('bare', folder, messages)])
    const wall = median(pairs.map(([a, b]) => b.wallMs / a.wallMs))
    const cpu = median(pairs.map(([a, b]) => b.cpuMs / a.cpuMs))
    const perSecond = median(pairs.map(([{ wallMs }]) => messages * SUBSCRIBERS / wallMs))
    tableRow(
      `fan-out to ${SUBSCRIBERS} subscribers against a bare broadcast of ws`,
      `${wall.toFixed(2)} x its speed (${perSecond.toFixed(0)} k/s), ${cpu.toFixed(2)} x by processor time`, '0.8 x',
    )
    const times = await latency(folder, 2_000)
    tableRow(
      'publish to receive, 200 messages a second to a hundred subscribers',
      `median ${median(times).toFixed(2)} ms, p99 ${p99(times).toFixed(2)} ms`, '-',
    )
    const { idle, ratio, ms } = await status(folder, rounds)
    tableRow(
      'status of 100 instances, 20 of them running, p99 against an empty route',
      `${ratio.toFixed(2)} x (${ms.toFixed(2)} ms)`, '3 x',
    )
    tableRow('a strategy server that is idle', `${(idle / 2 ** 20).toFixed(0)} MB`, '130 MB')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first = '5', second = '20000', third] = process.argv.slice(2)
if (first === '--serve') await serve(second, third)
else if (first === '--drain') await drain(second, third === 'origins')
else await main(Number(first), Number(second))
