// Order round trip (place to confirmation, no simulated latency) over WebSocket and domain socket, server and client in
// processes of their own, against a naive `ws` echo of the same bytes. usage: node bench/order-entry.mjs [ORDERS=10000]
import { fork } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket, WebSocketServer } from 'ws'
import { tableRow } from '../scripts/big-day.mjs'

const self = fileURLToPath(import.meta.url)
const EPOCH_DAY = 19943
const WARM_UP = 2000

const instrument = {
  id: 1, code: 'TEST', codeAlias: null, nativeCode: null, exchangeId: 1, exchangeCode: 'test', type: 'perpetual',
  state: null, active: true, isInverse: false, isQuanto: false, contractValue: null, multiplier: '1', strikePrice: null,
  start: null, expiry: null, tickSize: '0.1', tickBands: [], significantDigits: null, maxDecimals: null,
  lotSize: '0.01', minOrder: null, maxOrder: null, minValue: null, fundingIntervalSeconds: null, baseUnderlyingId: 1,
  counterUnderlyingId: 2, valuationUnderlyingId: 2, feeUnderlyingId: 2,
}
const entries = [{ instrument, priceScale: 1, quantityScale: 2 }]
const instruments = { entries, get: (id) => entries.find((entry) => entry.instrument.id === id) }

/** A book of one bid and one ask. */
function snapshot() {
  const noIds = { form: new Uint8Array(1), high: new Uint32Array(1), low: new Uint32Array(1), texts: [] }
  const noTexts = { start: Uint32Array.of(0), bytes: new Uint8Array(0), isNull: new Uint8Array(0) }
  return {
    instrument, epochDay: EPOCH_DAY, priceScale: 1, quantityScale: 2, count: 1, firstEventIndex: 0,
    kind: Uint8Array.of(0), adapterTimeNs: Float64Array.of(0), exchangeTimeNs: Float64Array.of(0),
    previousEventId: noIds, eventId: noIds, flags: new Uint16Array(1), rowStart: Uint32Array.of(0, 2),
    side: Uint8Array.of(0, 1), price: Float64Array.of(1000, 1100), quantity: Float64Array.of(500, 500),
    tradeRowStart: Uint32Array.of(0, 0), rowTimeNs: new Float64Array(0), tradeId: noTexts,
    valueStart: Uint32Array.of(0, 0), values: new Float64Array(0), valueScale: new Uint8Array(0),
    textStart: Uint32Array.of(0, 0), text: noTexts,
  }
}

async function madeWorld() {
  const load = (path) => import(`../dist/${path}.js`)
  const { Agenda } = await load('exchange/agenda')
  const { World } = await load('exchange/world')
  const { ExchangeMarket } = await load('exchange/market/exchange-market')
  const { RULE_SWITCHES } = await load('exchange/matching/assumptions')
  const { riskAverseQueue } = await load('exchange/matching/queue-model')
  const { constantLatency } = await load('exchange/adapter/order-latency')
  const { ExchangeOrderQueue } = await load('replay/exchange-order-queue')
  const { ExchangeTimes } = await load('replay/exchange-times')
  const queue = new ExchangeOrderQueue()
  const batch = snapshot()
  queue.batches.push(batch)
  new ExchangeTimes().queue(batch, 0, queue, new Float64Array(1))
  const market = new ExchangeMarket(1, queue, 'fused')
  market.advance(0, () => false)
  const none = constantLatency(0)
  const assumptions = {
    queue: riskAverseQueue, fills: 'partial', gaps: 'assumeWorst', requestLatency: none, responseLatency: none, seed: 1,
    switches: RULE_SWITCHES,
  }
  const fees = { maker: '0', taker: '0' }
  const accounts = [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100000']]), fees }]
  const agenda = new Agenda()
  const underlyings = { entries: [], get: () => undefined }
  const observer = { requested: () => undefined, delivered: () => undefined }
  const world = new World(
    { number: 0, assumptions, accounts, instruments, underlyings }, new Map([[1, market]]), agenda, observer,
  )
  return { world, agenda }
}

async function serve() {
  const { createOrderEntryServer } = await import('../dist/order-entry/order-entry-server.js')
  const { world, agenda } = await madeWorld()
  const nowNs = () => 0
  const source = {
    clock: { epochDay: EPOCH_DAY, nowNs }, instruments,
    accounts: new Map([['A', { exchangeId: 1, exchangeCode: 'test' }]]),
    connect: (clientId, accountId, listener) => Object.assign(
      world.connect(clientId, accountId, listener, nowNs), { disconnect: () => world.disconnect(clientId, accountId) },
    ),
  }
  const post = (task) => {
    task()
    for (let entry = agenda.take(); entry !== undefined; entry = agenda.take()) world.play(entry.timeNs, entry.message)
  }
  const domainSocket = join(mkdtempSync(join(tmpdir(), 'oe-bench-')), 'a.sock')
  const server = createOrderEntryServer({ source, processId: 'adapter', version: '1', domainSocket, post })
  const echo = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  echo.on('connection', (socket) => socket.on('message', (data) => socket.send(data, { binary: false })))
  const http = createServer((request, response) => server.request(request, response) || response.end())
  http.on('upgrade', (request, socket, head) => {
    if (server.upgrade(request, socket, head)) return
    socket.setNoDelay(true)
    echo.handleUpgrade(request, socket, head, (web) => echo.emit('connection', web))
  })
  http.listen(0, '127.0.0.1', async () => {
    const { port } = http.address()
    await server.open()
    process.send(port)
  })
}

const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const order = (number) => ({
  ownOrderId: uuid(number), clientOrderId: uuid(number), instrumentId: 1, type: 'LIMIT', side: 'BID',
  timeInForce: 'GOOD_TILL_CANCEL', price: 990, totalQuantity: 100, postOnly: true,
})

/** Microseconds of round trips, sorted. */
async function timed(count, trip, between = async () => undefined) {
  const times = []
  for (let number = 0; number < WARM_UP + count; number++) {
    const start = process.hrtime.bigint()
    await trip(number)
    if (number >= WARM_UP) times.push(Number(process.hrtime.bigint() - start) / 1000)
    await between(number)
  }
  return times.sort((a, b) => a - b)
}

let firstId = 0

async function orders(port, transport, count) {
  const { loginOrderEntry } = await import('../dist/order-entry/order-entry-client.js')
  const { messagesTo } = await import('../dist/protocol/order-entry-messages.js')
  let [onPlaced, onCanceled] = [() => undefined, () => undefined]
  const listener = messagesTo((message) => {
    if (message.kind === 'placeResponse') {
      if (message.results[0].error !== undefined) throw new Error(message.results[0].error.message)
      onPlaced()
    } else if (message.kind === 'cancelResponse') onCanceled()
  })
  const client = await loginOrderEntry({
    backend: `http://127.0.0.1:${port}`, accountId: 'A', processId: 'bench', version: '1', instruments,
    epochDay: EPOCH_DAY, transport, listener: { ...listener, onError: (error) => { throw error } }, reconnect: false,
  })
  const first = firstId
  firstId += WARM_UP + count
  const times = await timed(
    count,
    (number) => new Promise((done) => {
      onPlaced = done
      client.place([order(first + number)])
    }),
    (number) => new Promise((done) => {
      onCanceled = done
      client.cancel([{ ownOrderId: uuid(first + number) }])
    }),
  )
  await client.logout()
  return times
}

async function echoes(port, count) {
  const web = new WebSocket(`ws://127.0.0.1:${port}/echo`, { perMessageDeflate: false })
  await new Promise((done) => web.on('open', done))
  web._socket.setNoDelay(true)
  const text = JSON.stringify({
    msgType: 'place', accountId: 'A', entries: [{ ...order(1), price: '99', totalQuantity: '1' }],
  })
  let onMessage = () => undefined
  web.on('message', () => onMessage())
  const times = await timed(count, () => new Promise((done) => {
    onMessage = done
    web.send(text)
  }))
  web.terminate()
  return times
}

if (process.argv[2] === 'serve') await serve()
else {
  const count = Number(process.argv[2] ?? 10_000)
  const child = fork(self, ['serve'])
  const port = await new Promise((done) => child.on('message', done))
  const rows = {
    'order over WebSocket': await orders(port, 'websocket', count),
    'order over domain socket': await orders(port, 'domainSocket', count),
    'peer: ws echo of the same bytes': await echoes(port, count),
  }
  for (const [name, times] of Object.entries(rows)) {
    const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(0)
    tableRow(name, `p50 ${at(0.5)} us, p99 ${at(0.99)} us`, 'beside the echo')
  }
  child.kill()
}
