// A feed server into a socket that is only drained, beside a naive server (objects, JSON.stringify, ws.send) and the
// floor of ws (the same bytes sent again and again), in interleaved rounds of the same process.
//   node bench/feed-server.mjs [FILE=a bundled day] [ROUNDS=5] [MESSAGES=400000]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { WebSocketServer } from 'ws'
import { copyBatch, idTextAt, openSource, readTickFile } from '../dist/columns.js'
import { createFeedServer } from '../dist/feed/feed-server.js'
import { textFromScaled } from '../dist/model/decimal.js'
import { epochNsFromTime } from '../dist/model/time.js'

const MARKET = 'bench'
const DAY = 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const UNSENT_MAX = 1 << 20
const TURN = 512
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** The drain, a process of its own: handshake, what the server wants first, then nothing but reading. */
function drain(port, path, first) {
  const socket = connect(port, '127.0.0.1')
  const frame = (payload, opcode) => {
    const { length } = payload
    const lengths = length < 126 ? [0x80 | length] : [0xfe, length >> 8, length & 255]
    const head = [0x80 | opcode, ...lengths]
    return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
  }
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  for (const text of first) {
    const isBinary = text.startsWith('hex:')
    socket.write(frame(isBinary ? Buffer.from(text.slice(4), 'hex') : Buffer.from(text), isBinary ? 2 : 1))
  }
  socket.on('data', () => {})
  socket.on('close', () => process.exit())
}

async function drained(port, path, first) {
  const child = spawn(process.execPath, [import.meta.filename, '--drain', String(port), path, ...first], {
    stdio: 'inherit',
  })
  return () => new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill()
  })
}

async function batchesOf(path) {
  const reading = await readTickFile(await openSource(path), { day: '2026-07-01' })
  const batches = []
  for await (const batch of reading.batches()) batches.push(copyBatch(batch))
  return batches
}

/** A source that plays batches as fast as they are asked for. */
function benchSource(batches) {
  const instrument = { ...batches[0].instrument, exchangeCode: MARKET }
  for (const batch of batches) batch.instrument = instrument
  const entry = { instrument, priceScale: batches[0].priceScale, quantityScale: batches[0].quantityScale }
  const source = {
    listener: null, instrument,
    clock: { epochDay: batches[0].epochDay, nowNs: () => 0, now: () => 0n },
    instruments: { entries: [entry], get: () => entry }, underlyings: { entries: [], get: () => undefined },
    market: () => ({ state: 'PENDING' }),
    subscribe: (_id, _topics, listener) => {
      source.listener = listener
      return { unsubscribe() {} }
    },
  }
  return source
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Sends lines until so many messages are sent; messages a second. */
async function pump(batches, messages, send, unsent) {
  let sent = 0
  const started = process.hrtime.bigint()
  while (sent < messages) {
    for (const batch of batches) {
      for (let i = 0; i < batch.count && sent < messages; sent++) {
        const end = Math.min(i + TURN, batch.count)
        for (; i < end; i++, sent++) send(batch, i)
        sent--
        unsent(true)
        while (unsent(false) > UNSENT_MAX) await turn()
      }
    }
  }
  while (unsent(false) > 0) await turn()
  return sent / (Number(process.hrtime.bigint() - started) / 1e9)
}

async function ours(batches, messages, encoding, first) {
  const source = benchSource(batches)
  const server = await createFeedServer({
    source, markets: [{ code: MARKET, exchangeId: 1, name: '', port: 0 }], processId: 'bench', clock: 'wall',
    access: { rejection: (key) => key === 'k' ? null : 'unknown api key', isPermitted: () => true },
  })
  const path = `/api/v6${encoding === 'sbe' ? '/sbe' : ''}?apiKey=k`
  const stop = await drained(server.addresses[0].port, path, first(source.instrument.id))
  while (![...server.connections].some((one) => one.commandCount > 0)) await turn()
  const [connection] = server.connections
  const before = connection.sentCount
  const send = (batch, index) => source.listener.onEvent(batch, index)
  const perSecond = await pump(batches, messages, send, (isTurn) => {
    if (isTurn) server.flush()
    return connection.unsentBytes
  })
  if (connection.sentCount - before < messages) throw new Error('messages are missing')
  await stop()
  await server.close()
  return perSecond
}

/** A server as one writes it first: rows of texts, JSON.stringify, send. */
function naiveMessage(batch, i) {
  const time = (ns) => Number.isNaN(ns) ? 0 : `@${epochNsFromTime(ns, batch.epochDay)}@`
  const rows = []
  for (let row = batch.rowStart[i]; row < batch.rowStart[i + 1]; row++)
    rows.push([
      batch.side[row], textFromScaled(batch.price[row], batch.priceScale),
      textFromScaled(batch.quantity[row], batch.quantityScale), 1,
    ])
  const message = [
    batch.kind[i], batch.instrument.id, idTextAt(batch.previousEventId, i), idTextAt(batch.eventId, i),
    time(batch.adapterTimeNs[i]), time(batch.exchangeTimeNs[i]), rows,
  ]
  return JSON.stringify(message).replaceAll(/"@(\d+)@"/g, '$1')
}

async function peer(batches, messages, makeMessage) {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const connected = once(sockets, 'connection')
  const stop = await drained(http.address().port, '/', [])
  const [webSocket] = await connected
  const send = (batch, i) => webSocket.send(makeMessage(batch, i))
  const perSecond = await pump(batches, messages, send, () => webSocket.bufferedAmount)
  await stop()
  http.close()
  return perSecond
}

async function main() {
  const { createJsonEncoder, createJsonRequests } = await import('../dist/protocol/feed-json-codec.js')
  const { createSbeEncoder, createSbeRequests } = await import('../dist/protocol/feed-sbe-codec.js')
  const [file = DAY, roundCount = '5', messageCount = '400000'] = process.argv.slice(2)
  const [rounds, messages] = [Number(roundCount), Number(messageCount)]
  const batches = await batchesOf(file)
  const texts = { organization: '', applicationName: 'bench', applicationVersion: '', processId: '' }
  const login = { kind: 'login', login: texts }
  const subscribe = (instrumentId) => (
    { kind: 'subscribe', subscribe: { instrumentId, topics: { liquidations: true }, topOfBookCoalescing: false } }
  )
  const json = (id) => [login, subscribe(id)].map((one) => createJsonRequests().encoder.encode(one))
  const hex = (one) => `hex:${Buffer.from(createSbeRequests().encoder.encode(one)).toString('hex')}`
  const sbe = (id) => [login, subscribe(id)].map(hex)
  const bytesOf = (encoder) => {
    let [bytes, count] = [0, 0]
    for (const batch of batches) for (let i = 0; i < batch.count; i++, count++) {
      encoder.sink.count = 0
      encoder.line(batch, i)
      bytes += encoder.sink.count
    }
    return bytes / count
  }
  const [jsonBytes, sbeBytes] = [bytesOf(createJsonEncoder()), bytesOf(createSbeEncoder())]
  const floor = Buffer.alloc(Math.round(jsonBytes), 120)
  const results = []
  for (let round = 0; round < rounds; round++) {
    results.push({
      json: await ours(batches, messages, 'json', json), sbe: await ours(batches, messages, 'sbe', sbe),
      naive: await peer(batches, messages >> 2, naiveMessage), floor: await peer(batches, messages >> 1, () => floor),
    })
  }
  const of = (name) => median(results.map((one) => one[name]))
  const thousand = (value) => `${(value / 1000).toFixed(0)} k/s`
  console.log(`feed-server, Node ${process.versions.node}: median of ${rounds} rounds of ${messages} messages`)
  console.log(`  json ${thousand(of('json'))}, ${jsonBytes.toFixed(1)} bytes a message`)
  console.log(`  sbe ${thousand(of('sbe'))}, ${sbeBytes.toFixed(1)} bytes a message`)
  console.log(`  naive JSON.stringify and ws.send ${thousand(of('naive'))}`)
  console.log(`  ws.send of ready bytes ${thousand(of('floor'))}`)
  const ratio = (a, b) => median(results.map((one) => one[a] / one[b])).toFixed(1)
  console.log(`  json / naive ${ratio('json', 'naive')}, json / ws floor ${ratio('json', 'floor')}`)
  console.log(`  sbe / ws floor ${ratio('sbe', 'floor')}`)
}

if (process.argv[2] === '--drain') drain(Number(process.argv[3]), process.argv[4], process.argv.slice(5))
else await main()
