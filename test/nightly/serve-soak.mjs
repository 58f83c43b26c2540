// An hour of market time at max with ten clients on the feed and on order entry: the server's memory stays flat, nothing is left unhandled. Then 200
// clients at once, every second of which reads nothing: these are closed, memory stays bounded, and the others get everything.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

const MB = 1 << 20
const CLIENTS = 10
const READERS = 200
/** Beyond what the server holds when the first tenth has been played. */
const GROWTH_MAX_MB = 60
/** 100 readers of nothing at 8 MiB each, and what serving takes. */
const CROWD_MAX_MB = 100 * 8 + 400

if (process.argv[2] === '--serve') await serve(JSON.parse(process.argv[3]))
else await main()

async function serve({ data, from, ...more }) {
  const { openServing } = await import('../../dist/serve/serving-server.js')
  process.on('unhandledRejection', (error) => process.send({ unhandled: String(error) }))
  const served = await openServing({
    data, from, httpPort: 0, replay: { speed: 'max', start: 'paused' },
    accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '10000000' }, fees: { maker: '0', taker: '0' } } }, ...more,
    keys: Array.from({ length: 100 }, (_, i) => ({ key: `k-${i}`, markets: ['synthetic_swap'], days: 'always' })),
  })
  const timer = setInterval(() => {
    globalThis.gc()
    process.send({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed, timeNs: String(served.replay.clock.nowNs()) })
  }, 100)
  process.on('message', () => served.pacer.resume())
  process.send({ addresses: served.addresses, id: served.replay.feed.instruments.entries[0].instrument.id })
  process.send({ ended: await served.run() })
  clearInterval(timer)
  await served.close()
  process.exit()
}

function fail(words) {
  console.error(`serve-soak: ${words}`)
  process.exit(1)
}

async function started(options) {
  const child = fork(fileURLToPath(import.meta.url), ['--serve', JSON.stringify(options)], { execArgv: ['--expose-gc'] })
  const memory = []
  let hasEnded = false
  const [first] = await once(child, 'message')
  child.on('message', (message) => {
    if (message.unhandled !== undefined) fail(`unhandled: ${message.unhandled}`)
    if (message.ended !== undefined) hasEnded = true
    if (message.rss !== undefined) memory.push(message)
  })
  const exit = once(child, 'exit')
  return { child, memory, exit, hasEnded: () => hasEnded, ...first }
}

/** A reader of everything; the last text that it received, and how many. */
async function reader({ addresses: { feeds: [feed] }, id }, at) {
  const socket = new WebSocket(`${feed.json}?apiKey=k-${at % 100}`, { perMessageDeflate: false })
  const said = { count: 0, notice: '' }
  socket.on('message', (data) => {
    said.count++
    if (data[0] !== 0x5b) said.notice = data.toString()
  })
  socket.on('error', () => undefined)
  said.closed = once(socket, 'close')
  await once(socket, 'open')
  socket.send('[13,"o","a","1","p"]')
  socket.send(`[11,${id}]`)
  return said
}

/** A trader that places and cancels as fast as it is answered. */
async function trader({ addresses: { http } }, at) {
  const socket = new WebSocket(`${http.replace('http', 'ws')}/api/v2`, { perMessageDeflate: false })
  const said = { placed: 0, begin: () => undefined }
  const send = (message) => socket.send(JSON.stringify({ accountId: 'paper', ...message }))
  const place = (id) => {
    const name = crypto.randomUUID()
    send({ msgType: 'place', entries: [{ ownOrderId: name, clientOrderId: name, instrumentId: id, type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: '0.1', totalQuantity: '100', postOnly: true }] })
    said.placed++
  }
  said.begin = (id) => {
    socket.on('message', (data) => {
      const { msgType, data: rows } = JSON.parse(data.toString())
      if (msgType !== 'orderUpdate') return
      for (const { ownOrderId, state } of rows) {
        if (state === 'CONFIRMED') send({ msgType: 'cancel', entries: [{ ownOrderId }] })
        else if (state === 'CANCELED') place(id)
      }
    })
    place(id)
  }
  socket.on('error', () => undefined)
  await once(socket, 'message')
  send({ msgType: 'login', requestId: 'r', processId: `soak-${at}`, version: '1', options: { filterByProcessId: true } })
  await once(socket, 'message')
  return said
}

/** A connection that asks for everything and reads nothing, not even pings. */
function deaf({ addresses: { feeds: [feed] }, id }, at) {
  const { hostname, port, pathname } = new URL(feed.json)
  const socket = connect(Number(port), hostname)
  const frame = (text) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  const login = [frame('[13,"o","a","1","p"]'), frame(`[11,${id}]`)]
  socket.on('error', () => undefined)
  return new Promise((resolve) => socket.once('connect', () => {
    socket.pause()
    const head = `GET ${pathname}?apiKey=k-${at % 100} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    socket.write(Buffer.concat([Buffer.from(head), ...login]), () => resolve(socket))
  }))
}

async function main() {
  const { mkdtempSync, rmSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const { spawnSync } = await import('node:child_process')
  const work = mkdtempSync(join(tmpdir(), 'backtape-soak-'))
  process.on('exit', () => rmSync(work, { recursive: true, force: true }))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const made = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), 'synth', '--seed', '7', '--minutes', '61', '--out', work], { encoding: 'utf8' })
  if (made.status !== 0) fail(made.stderr)
  const { readdirSync } = await import('node:fs')
  const day = readdirSync(work).find((name) => name.startsWith('synthetic_swap-') && name.endsWith('.zst'))
  if (day === undefined) fail('no day was made')
  const data = [join(work, day)]

  const server = await started({ data })
  const readers = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => reader(server, at)))
  const traders = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => trader(server, at)))
  server.child.send('go')
  for (const one of traders) one.begin(server.id)
  await server.exit
  await Promise.all(readers.map(({ closed }) => closed))
  const counts = new Set(readers.map(({ count }) => count))
  const { memory } = server
  const early = Math.max(...memory.slice(0, Math.max(2, memory.length >> 2)).map(({ rss }) => rss))
  const late = Math.max(...memory.slice(memory.length >> 1).map(({ rss }) => rss))
  const orders = traders.reduce((sum, { placed }) => sum + placed, 0)
  console.log(`serve-soak: ${[...counts].join(', ')} messages to each of ${CLIENTS} readers, ${orders} orders, ${(early / MB).toFixed(0)} MB early, ${(late / MB).toFixed(0)} MB late, ${memory.length} looks`)
  if (!server.hasEnded()) fail('the replay did not end')
  if (counts.size !== 1 || readers.some(({ notice }) => notice !== 'service shutdown')) fail(`the readers did not get the same: ${JSON.stringify(readers.map(({ count, notice }) => [count, notice]))}`)
  if (orders < 5 * CLIENTS) fail(`${orders} orders are too few`)
  if (late - early > GROWTH_MAX_MB * MB) fail('memory grows')

  const crowd = await started({ data })
  const deafs = await Promise.all(Array.from({ length: READERS / 2 }, (_, at) => deaf(crowd, at)))
  const fast = await Promise.all(Array.from({ length: READERS / 2 }, (_, at) => reader(crowd, at)))
  crowd.child.send('go')
  await crowd.exit
  await Promise.all(fast.map(({ closed }) => closed))
  for (const socket of deafs) socket.destroy()
  const most = Math.max(...crowd.memory.map(({ rss }) => rss))
  const seen = new Set(fast.map(({ count }) => count))
  console.log(`serve-soak: ${READERS} clients, half of them deaf: ${[...seen].join(', ')} messages to each reader, at most ${(most / MB).toFixed(0)} MB`)
  if (seen.size !== 1 || fast.some(({ notice }) => notice !== 'service shutdown')) fail('a reader was harmed by one that does not read')
  if (most > CROWD_MAX_MB * MB) fail('memory is not bounded')
  process.exit(0)
}
