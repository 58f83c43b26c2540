// 100,000 hostile frames of twenty clients of the channels of a strategy server: right ones cut, changed and doubled, JSON of every other form, names and
// messages at their limits, binary ones, bytes that are no text, broken frames. Each answer is of a documented form, memory is bounded, a client beside
// them gets all of its own messages, and the server goes on.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

const FRAMES = 100_000
const CLIENTS = 20
const MB = 1 << 20
const GROWTH_MAX_MB = 150

/** The same numbers in every run. */
function randomOf(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

const OPS = ['login', 'subscribe', 'unsubscribe', 'publish']
const VALUES = ['', 'x', 'x'.repeat(249), 'x'.repeat(250), '\u{1f600}'.repeat(130), '\u0000', '__proto__', 'constructor', null, true, 0, -1, 1e308, [], {}, ['a'], { a: { b: [] } }, 'x'.repeat(70_000)]

/** One frame: a text, or bytes that are sent as a binary frame, or raw bytes on the wire. */
function hostile(random) {
  const pick = (list) => list[random(list.length)]
  const right = () => {
    const op = pick(OPS)
    return { op, ...op === 'login' ? { origin: `o${random(30)}` } : { channel: `c${random(5)}` }, ...op === 'publish' ? { message: 'm'.repeat(random(20)) } : {} }
  }
  const text = JSON.stringify(right())
  switch (random(14)) {
    case 0: return { text: text.slice(0, random(text.length + 1)) }
    case 1: return { text: JSON.stringify({ ...right(), [pick(['op', 'channel', 'origin', 'message'])]: pick(VALUES) }) }
    case 2: return { text: JSON.stringify(pick(VALUES)) }
    case 3: return { text: text.replace(/"([a-z]+)"/, (all) => `${all}:1,${all}`) }
    case 4: return { text: '['.repeat(1 + random(5_000)) }
    case 5: return { text: `{"op":"publish","channel":"c1","message":"${'\\u0000'.repeat(random(2_000))}"}` }
    case 6: return { text: JSON.stringify({ op: pick(['', 'LOGIN', 'error', 'event', 'toString', 'x'.repeat(1_000)]), channel: pick(VALUES) }) }
    case 7: return { text: text.split('').map((one) => (random(15) === 0 ? String.fromCharCode(random(0xd800)) : one)).join('') }
    case 8: return { text: `${text}${text}` }
    case 9: return { binary: Buffer.from(text) }
    case 10: return { binary: Buffer.from(Array.from({ length: random(50) }, () => random(256))) }
    case 11: return random(50) === 0 ? { raw: true } : { text: JSON.stringify({ ...right(), deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) }) }
    case 12: return random(200) === 0 ? { text: JSON.stringify({ op: 'publish', channel: 'c1', message: 'x'.repeat(random(2) === 0 ? MB + 1 : 2 * MB) }) } : { text }
    default: return { text }
  }
}

/** True for a frame of the server that the document, or our page, has. */
function isDocumented({ op, channel, origin, message, result, error, ...more }) {
  if (Object.keys(more).length > 0) return false
  const isText = (value) => typeof value === 'string'
  if (op === 'event') return [channel, origin, message].every(isText) && result === undefined && error === undefined
  if (message !== undefined) return false
  if (op === 'error') return isText(error) && result === undefined && origin === undefined
  const [of, other] = op === 'login' ? [origin, channel] : [channel, origin]
  if (!OPS.includes(op) || other !== undefined || (of !== undefined && !isText(of))) return false
  return error === undefined ? result === 'succeed' && op !== 'publish' && isText(of) : isText(error) && error !== '' && result === undefined
}

async function serve(folder) {
  const { openStrategyServer } = await import('../../lib/serve.js')
  process.on('unhandledRejection', (error) => process.send({ unhandled: String(error) }))
  const day = fileURLToPath(new URL('../../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst', import.meta.url))
  const server = await openStrategyServer({
    strategies: join(folder, 'strategies'), store: join(folder, 'store'), port: 0, venues: { paper: { type: 'replay', files: [day], speed: 'max', account: { balances: { USDT: '1' } } } },
  })
  process.on('message', () => {
    globalThis.gc()
    process.send({ rss: process.memoryUsage.rss() })
  })
  process.send(server.url)
}

/** Bytes that are no frame: a reserved bit, no mask, a cut length. */
async function breakFrame(url, random) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(`GET /ws/v1 HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`)
  await once(socket, 'data')
  socket.end(Buffer.from(Array.from({ length: 1 + random(40) }, () => random(256))))
  await once(socket, 'close')
}

/** Waits until the server has taken what it was sent, or has closed. */
async function taken(socket) {
  await new Promise((resolve) => {
    const done = () => {
      socket.off('pong', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('pong', done)
    socket.on('close', done)
    socket.ping('', undefined, (error) => { if (error) done() })
  })
}

async function attack(url, at, count, faults) {
  const random = randomOf(at + 1)
  let [socket, answers, closes] = [null, 0, 0]
  const open = async () => {
    socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`)
    socket.on('error', () => undefined)
    socket.on('message', (data) => {
      answers++
      const frame = JSON.parse(data.toString())
      if (!isDocumented(frame)) faults.push(`no documented form: ${data.toString().slice(0, 300)}`)
    })
    await once(socket, 'open')
  }
  await open()
  for (let sent = 0; sent < count; sent++) {
    const frame = hostile(random)
    if (socket.readyState !== WebSocket.OPEN) {
      closes++
      await open()
    }
    if (frame.raw === true) await breakFrame(url, random)
    else if (frame.binary !== undefined) socket.send(frame.binary)
    else socket.send(frame.text)
    if (socket.bufferedAmount > MB || sent % 100 === 99) await taken(socket)
  }
  socket.terminate()
  return { answers, closes }
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-frames-'))
  mkdirSync(join(folder, 'strategies'))
  const faults = []
  const child = fork(fileURLToPath(import.meta.url), ['--serve', folder], { execArgv: ['--expose-gc'] })
  child.on('message', ({ unhandled }) => { if (unhandled !== undefined) faults.push(`unhandled: ${unhandled}`) })
  child.on('exit', (code) => { if (code !== null) faults.push(`the server has ended with ${code}`) })
  const [url] = await once(child, 'message')
  const look = async () => {
    child.send('look')
    return (await once(child, 'message'))[0].rss
  }
  const before = await look()
  const calm = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`)
  const heard = []
  calm.on('message', (data) => {
    const { op, message } = JSON.parse(data.toString())
    if (op === 'event') heard.push(message)
  })
  await once(calm, 'open')
  calm.send('{"op":"login","origin":"calm"}')
  calm.send('{"op":"subscribe","channel":"calm"}')
  let published = 0
  const publishing = setInterval(() => {
    void fetch(`${url}/api/v1/channel/calm/send?origin=rest`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: String(published++) })
  }, 100)
  const all = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => attack(url, at, FRAMES / CLIENTS, faults)))
  clearInterval(publishing)
  const late = Date.now() + 10_000
  while (heard.length < published && Date.now() < late) await new Promise((resolve) => { setTimeout(resolve, 50) })
  if (heard.map(Number).sort((a, b) => a - b).some((number, at) => number !== at) || heard.length !== published) faults.push(`the client beside them has ${heard.length} of ${published}`)
  const after = await look()
  const { runtime } = await (await fetch(`${url}/api/v1/metrics`)).json()
  if (runtime.channels !== 1 || runtime.channelClients !== 1) faults.push(`left behind: ${runtime.channels} channels, ${runtime.channelClients} clients`)
  calm.terminate()
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  rmSync(folder, { recursive: true, force: true })
  const sum = (name) => all.reduce((total, one) => total + one[name], 0)
  console.log(`channel-frames: ${FRAMES} frames, ${sum('answers')} answers, ${sum('closes')} closes, ${heard.length} calm messages, ${(before / MB).toFixed(0)} MB before, ${(after / MB).toFixed(0)} MB after`)
  if (after - before > GROWTH_MAX_MB * MB) faults.push('memory grows')
  for (const fault of faults.slice(0, 10)) console.log(`FAILED: ${fault}`)
  process.exit(faults.length === 0 ? 0 : 1)
}

if (process.argv[2] === '--serve') await serve(process.argv[3])
else await main()
