// A feed server into a socket that is only drained, beside a naive server (objects, JSON.stringify, ws.send) and the
// floor of ws (the same bytes sent again and again), in interleaved rounds of the same process.
//   node bench/feed-server.mjs [FILE=a bundled day] [ROUNDS=5] [MESSAGES=400000]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { WebSocketServer } from 'ws'
import { idTextAt } from '../dist/columns.js'
import { textFromScaled } from '../dist/model/decimal.js'
import { epochNsFromTime } from '../dist/model/time.js'
import { tableRow } from '../scripts/big-day.mjs'
import { batchesOf, DAY, KEY, median, pump, servedBatches } from './feed/served-batches.mjs'

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

async function ours(batches, messages, encoding, first) {
  const served = await servedBatches(batches)
  const path = `/api/v6${encoding === 'sbe' ? '/sbe' : ''}?apiKey=${KEY}`
  const stop = await drained(served.port, path, first(batches[0].instrument.id))
  const before = process.cpuUsage()
  const { sent, seconds } = await served.send(messages)
  const { user, system } = process.cpuUsage(before)
  await stop()
  await served.close()
  return { perSecond: sent / seconds, perCpuSecond: sent / ((user + system) / 1e6) }
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
  const before = process.cpuUsage()
  const { sent, seconds } = await pump(batches, messages, send, () => webSocket.bufferedAmount)
  const { user, system } = process.cpuUsage(before)
  await stop()
  http.close()
  return { perSecond: sent / seconds, perCpuSecond: sent / ((user + system) / 1e6) }
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
  const of = (name, unit) => median(results.map((one) => one[name][unit]))
  const thousand = (value) => `${(value / 1000).toFixed(0)} k/s`
  const ratio = (a, b) => median(results.map((one) => one[a].perSecond / one[b].perSecond)).toFixed(1)
  const shown = (name) => `${thousand(of(name, 'perSecond'))}, ${thousand(of(name, 'perCpuSecond'))} of processor time`
  console.log(`feed-server, Node ${process.versions.node}: median of ${rounds} rounds of ${messages} messages`)
  console.log(`  json ${shown('json')}, ${jsonBytes.toFixed(1)} bytes a message`)
  console.log(`  sbe ${shown('sbe')}, ${sbeBytes.toFixed(1)} bytes a message`)
  console.log(`  naive JSON.stringify and ws.send ${shown('naive')}`)
  console.log(`  ws.send of ready bytes ${shown('floor')}`)
  console.log(`  json / naive ${ratio('json', 'naive')}, json / ws floor ${ratio('json', 'floor')}`)
  console.log(`  sbe / ws floor ${ratio('sbe', 'floor')}`)
  tableRow('feed server into a drained socket, JSON', shown('json'), '1 M/s')
  tableRow('feed server into a drained socket, SBE', shown('sbe'), '3 M/s')
}

if (process.argv[2] === '--drain') drain(Number(process.argv[3]), process.argv[4], process.argv.slice(5))
else await main()
