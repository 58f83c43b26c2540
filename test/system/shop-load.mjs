// 80 clients of a shop at once, each from an address of its own, for half a minute, by night 200 for an hour: every client gets its answers, one that asks
// without a pause gets 429 with Retry-After and takes nothing from the others, and the memory of the server stays flat. Before that, 50 downloads at once
// of a large file: the whole server stays under 150 MB.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MB = 1 << 20
const [ID, LARGE_ID, DAY] = [9_100_001, 9_100_006, '2026-07-01']
const [CLIENTS, SECONDS] = process.env.BACKTAPE_NIGHTLY ? [200, 3600] : [80, 30]
/** Of these one in ten asks without a pause. */
const isRude = (at) => at % 10 === 9
const DOWNLOADS = 50
const LARGE_BYTES = 1000 * MB
const MEMORY_MAX_MB = 150
/** Beyond what the server holds after a first part of the time: of the whole process, and of what is left behind a collection. */
const GROWTH_MAX_MB = { rss: 25, kept: 8 }
/** An answer that takes longer is one for which a client starved, seconds. */
const PATIENCE_SECONDS = 15

async function serve({ data, stateFolder, samples }) {
  const { openServing } = await import('backtape/serve')
  process.on('unhandledRejection', (error) => process.send({ unhandled: String(error) }))
  const serving = await openServing({
    data, httpPort: 0, replay: { start: 'paused' }, onNote: (note) => process.send({ note }),
    account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
    shop: { stateFolder, now: '2026-07-04T00:00:00Z', samples },
  })
  process.on('message', (message) => {
    if (message === 'memory') {
      globalThis.gc()
      const { rss, heapUsed, external } = process.memoryUsage()
      process.send({ memory: { rss, kept: heapUsed + external } })
    } else void serving.close().then(() => process.exit())
  })
  process.send({ url: serving.addresses.http })
}

function fail(words) {
  console.error(`shop-load: ${words}`)
  process.exit(1)
}

async function started(options) {
  // V8 keeps room for new objects that it has once had, whatever is in it: with the least of it the rest is the server's own.
  const execArgv = ['--expose-gc', '--max-semi-space-size=1']
  const child = fork(fileURLToPath(import.meta.url), ['--serve', JSON.stringify(options)], { execArgv })
  process.on('exit', () => child.kill('SIGKILL'))
  const [{ url }] = await once(child, 'message')
  const memory = []
  child.on('message', (message) => {
    if (message.unhandled !== undefined) fail(`unhandled: ${message.unhandled}`)
    if (message.note !== undefined) fail(`the shop notes: ${message.note}`)
    if (message.memory !== undefined) memory.push(message.memory)
  })
  const statusOf = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024
  const end = async () => {
    const exit = once(child, 'exit')
    child.send('end')
    const [code] = await exit
    if (code !== 0) fail(`the server ends with ${code}`)
  }
  return { child, url, memory, peakMb: () => statusOf('VmHWM'), nowMb: () => statusOf('VmRSS'), end }
}

/** Asks from an address of this machine; the body is read, and kept where it is text. */
function asked(question, path) {
  const { url, agent, method = 'GET', headers = {}, body } = question
  return new Promise((resolve, reject) => {
    const beganMs = performance.now()
    const sent = request(new URL(path, url), { agent, method, headers }, (response) => {
      const pieces = []
      let bytes = 0
      response.on('data', (piece) => {
        bytes += piece.length
        if (!/zstd|octet/.test(response.headers['content-type'] ?? '')) pieces.push(piece)
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(pieces).toString(), bytes, ms: performance.now() - beganMs }))
    })
    // A connection that waited may end just as it is used again.
    sent.on('error', (error) => (sent.reusedSocket && error.code === 'ECONNRESET' ? resolve(asked(question, path)) : reject(error)))
    sent.end(body)
  })
}

/** Connections from an address of its own: calls are counted by address. */
function agentAt(at) {
  return new Agent({ keepAlive: true, maxSockets: 1, localAddress: `127.1.${Math.floor(at / 100)}.${at % 100 + 1}` })
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Buys both files; the paths of the files. */
async function bought(server, agent) {
  const body = JSON.stringify({
    email: 'me@example.org', items: [ID, LARGE_ID].map((id) => ({ instrument_id: id, date: DAY })),
    success_url: `${server.url}/shop`, cancel_url: `${server.url}/shop`,
  })
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const checkout = await asked({ url: server.url, agent, method: 'POST', headers, body }, '/v1/checkout/session')
  const { session_id: session } = JSON.parse(checkout.text)
  const page = await asked({ url: server.url, agent }, `/shop/pay/${session}`)
  const cookie = page.headers['set-cookie'].map((one) => one.split(';')[0]).join('; ')
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'origin': server.url, cookie }
  const fields = new URLSearchParams({ action: 'pay', csrf: /name="csrf" value="([^"]+)"/.exec(page.text)[1] })
  await asked({ url: server.url, agent, method: 'POST', headers: form, body: String(fields) }, `/shop/pay/${session}`)
  const { order_id: order, download_token: token } = JSON.parse((await asked({ url: server.url, agent }, `/v1/checkout/session/${session}`)).text)
  return { order, token, pathOf: (id) => `/api/download/order/${order}/${id}/${DAY}?t=${token}` }
}

/** Downloads of a large file: some read all the time, some pause, some leave; the most that the server took. */
async function checkDownloads(options) {
  const server = await started(options)
  const { pathOf } = await bought(server, agentAt(0))
  const beforeMb = server.nowMb()
  const agents = Array.from({ length: DOWNLOADS }, (_, at) => agentAt(at))
  let count = 0
  const streams = await Promise.all(agents.map((agent, at) => new Promise((resolve, reject) => {
    request(new URL(pathOf(LARGE_ID), server.url), { agent, headers: { range: `bytes=${at * MB}-` } }, (response) => {
      if (response.statusCode !== 206) reject(new Error(`a download answers ${response.statusCode}`))
      response.on('data', (piece) => { count += piece.length })
      response.on('error', () => undefined)
      resolve(response)
    }).on('error', reject).end()
  })))
  for (let rounds = 0; rounds < (process.env.BACKTAPE_NIGHTLY ? 20 : 8); rounds++) {
    await pause(200)
    for (const [at, stream] of streams.entries()) (at + rounds) % 3 === 0 ? stream.pause() : stream.resume()
  }
  const most = server.peakMb()
  console.log(`shop-load: ${DOWNLOADS} downloads at once, ${(count / 1e9).toFixed(1)} GB: at most ${most.toFixed(0)} MB, ${beforeMb.toFixed(0)} MB before`)
  for (const stream of streams) stream.destroy()
  if (count < DOWNLOADS * 4 * MB) fail('the downloads get too little')
  if (most > MEMORY_MAX_MB) fail(`${DOWNLOADS} downloads take ${most.toFixed(0)} MB`)
  await server.end()
}

/** Requests of a client, one after the other: a path, and a body where it posts. */
function questions(url, at, { order, token, pathOf }) {
  const json = { 'content-type': 'application/json' }
  const days = [ID, LARGE_ID].map((id) => ({ instrument_id: id, date: DAY }))
  const range = { range: `bytes=${at * 1000}-${at * 1000 + 65_535}` }
  return [
    { path: '/api/search?q=xrp' }, { path: `/api/instrument/${ID}/coverage` }, { path: pathOf(ID) }, { path: `/shop?i=${ID}&d=${DAY}` },
    { path: '/api/quote', method: 'POST', headers: json, body: JSON.stringify({ items: days }) },
    { path: `/api/instrument/${ID}/days?limit=5` }, { path: pathOf(LARGE_ID), headers: range, status: 206 },
    { path: `/v1/orders/${order}`, headers: { authorization: `Bearer ${token}` } },
    { path: `/api/download/sample/${ID}/${DAY}?format=trades.parquet` }, { path: '/shop' }, { path: `/api/analyze/instrument-last-24h-minutes/${ID}?format=csv` },
    { path: '/v1/checkout/session', method: 'POST', headers: json, status: 201, body: JSON.stringify({ email: 'me@example.org', items: days.slice(0, 1), success_url: `${url}/shop`, cancel_url: `${url}/shop` }) },
    { path: '/api/search?q=nothing-of-this' }, { path: `/api/instrument/${ID}/calendar?month=2026-07` },
  ]
}

/** A client that waits between its questions: each is answered. */
async function polite(server, at, order, untilMs) {
  const agent = agentAt(at)
  const asks = questions(server.url, at, order)
  const seen = { count: 0, slowest: 0, wrong: [] }
  for (let turn = at; performance.now() < untilMs; turn++) {
    const { path, status = 200, ...more } = asks[turn % asks.length]
    if (path.startsWith('/v1/checkout')) more.headers = { ...more.headers, 'idempotency-key': randomUUID() }
    const answer = await asked({ url: server.url, agent, ...more }, path).catch((error) => ({ status: String(error), ms: 0 }))
    seen.count++
    seen.slowest = Math.max(seen.slowest, answer.ms)
    if (answer.status !== status) seen.wrong.push(`${path.split('?')[0]} ${answer.status}`)
    // About one a second: each bucket has more, of checkouts too.
    await pause(900 + (at * 37 + turn * 101) % 400)
  }
  agent.destroy()
  return seen
}

/** A client that asks on and on: what it gets beyond its bucket is 429 with the time to wait. */
async function rude(server, at, _order, untilMs) {
  const agent = agentAt(at)
  const seen = { count: 0, refused: 0, wrong: [], slowest: 0 }
  const beganMs = performance.now()
  while (performance.now() < untilMs) {
    const { status, headers, text, ms } = await asked({ url: server.url, agent }, '/api/search?q=xrp')
    seen.slowest = Math.max(seen.slowest, ms)
    if (status === 200) seen.count++
    else if (status === 429 && /^[1-9]\d*$/.test(headers['retry-after'] ?? '') && JSON.parse(text).error.message !== '') seen.refused++
    else seen.wrong.push(`${status} ${JSON.stringify(headers)} ${text}`)
    await pause(20)
  }
  agent.destroy()
  const most = 120 + 2 * Math.ceil((performance.now() - beganMs) / 1000) + 1
  if (seen.count > most) seen.wrong.push(`${seen.count} answers where the bucket has ${most}`)
  return seen
}

async function checkCrowd(options) {
  const server = await started(options)
  const order = await bought(server, agentAt(0))
  await asked({ url: server.url, agent: agentAt(0) }, `/api/download/sample/${ID}/${DAY}?format=trades.parquet`)
  const ready = async () => (await asked({ url: server.url, agent: agentAt(0) }, `/api/download/sample/${ID}/${DAY}?format=trades.parquet`)).status === 200
  while (!await ready()) await pause(100)
  const looking = setInterval(() => server.child.send('memory'), Math.max(1000, SECONDS * 20))
  const untilMs = performance.now() + SECONDS * 1000
  const seen = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => (isRude(at) ? rude : polite)(server, at, order, untilMs)))
  clearInterval(looking)
  const { memory } = server
  await server.end()
  const most = (name, from, end) => Math.max(...memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * end)).map((one) => one[name])) / MB
  const grown = Object.keys(GROWTH_MAX_MB).map((name) => ({ name, early: most(name, 0.2, 0.5), late: most(name, 0.7, 1) }))
  const politest = seen.filter((_, at) => !isRude(at))
  const rudest = seen.filter((_, at) => isRude(at))
  const least = Math.min(...politest.map(({ count }) => count))
  const total = seen.reduce((sum, { count, refused = 0 }) => sum + count + refused, 0)
  const slowest = Math.max(...seen.map((one) => one.slowest)) / 1000
  console.log(`shop-load: ${CLIENTS} clients for ${SECONDS} s: ${total} answers, at least ${least} to each that waits, the slowest after ${slowest.toFixed(2)} s; ` +
    `${rudest.map(({ count }) => count).join(', ')} to those that do not, ${rudest.reduce((sum, { refused }) => sum + refused, 0)} refusals; ${grown.map(({ name, early, late }) => `${name} ${early.toFixed(0)} MB, later ${late.toFixed(0)} MB`).join('; ')}`)
  const wrong = seen.flatMap((one) => one.wrong)
  if (wrong.length > 0) fail(`${wrong.length} wrong answers: ${[...new Set(wrong)].slice(0, 10).join('; ')}`)
  if (rudest.some(({ refused, count }) => refused === 0 || count < 120)) fail('a client that does not wait gets no 429, or less than its bucket')
  if (least < SECONDS / 4) fail(`a client got ${least} answers in ${SECONDS} s`)
  if (slowest > PATIENCE_SECONDS) fail(`a client waited ${slowest} s`)
  for (const { name, early, late } of grown) if (late - early > GROWTH_MAX_MB[name]) fail(`memory grows (${name}): ${JSON.stringify(memory)}`)
}

async function main() {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const work = mkdtempSync(join(tmpdir(), 'backtape-shop-load-'))
  process.on('exit', () => rmSync(work, { recursive: true, force: true }))
  const days = join(work, 'days')
  mkdirSync(days)
  const [small, large] = ['swap', 'spot'].map((market) => `synthetic_${market}-XRPUSDT-${DAY}.txt.zst`)
  for (const name of [small, large]) copyFileSync(join(root, 'datasets', name), join(days, name))
  // Behind its last frame the large one has a frame to skip, whose bytes take no room on the disk.
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])
  head.writeUInt32LE(LARGE_BYTES, 4)
  appendFileSync(join(days, large), head)
  truncateSync(join(days, large), statSync(join(days, large)).size + LARGE_BYTES)
  const options = { data: [days], samples: [`synthetic_swap:XRPUSDT ${DAY}`] }
  await checkDownloads({ ...options, stateFolder: join(work, 'state-1') })
  await checkCrowd({ ...options, stateFolder: join(work, 'state-2') })
  process.exit(0)
}

if (process.argv[2] === '--serve') await serve(JSON.parse(process.argv[3]))
else await main()
