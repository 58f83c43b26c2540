// A download from the served shop over the loopback: the server against a bare node:http stream of the same file, a
// tar and a zip of a bundle with that file against the file, the client against curl (and zstd -t), and through a proxy
// of 50 MB/s. usage: node bench/shop-download.mjs [COPIES=4]
// COPIES of the big day make one file of about 1 GB. Needs curl, tar, zstd and room for four such files.
import { fork, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import { payOnPage } from '../test/support/pay-page.mjs'

const self = fileURLToPath(import.meta.url)
const ROUNDS = 5
const MB = 1_000_000
const PROXY_BYTES_A_SECOND = 50 * MB
const NAME = 'binance_swap-BTCUSDT-2024-08-08.txt.zst'
const [DAY, SERIES] = ['2024-08-08', 'chain']
const OPTIONS = fileURLToPath(new URL('../datasets/synthetic_option-BTC-calls-2026-07-01.tar', import.meta.url))
const SAMPLE_PATH = `/api/download/sample/67824/${DAY}`

/** Peak memory of this process alone; that of `resourceUsage` begins with the parent's. */
function peakMb() {
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(kilobytes) / 1024
}

/** The shop, and beside it in a process of its own the bare stream. */
async function serve(folder) {
  const { openServing } = await import('../dist/serve.js')
  const served = await openServing({
    data: [join(folder, NAME), join(folder, `${SERIES}-${DAY}.tar`)], httpPort: 0, replay: false,
    shop: { stateFolder: join(folder, 'state'), samples: [`binance_swap:BTCUSDT ${DAY}`] },
  })
  process.on('message', async () => {
    process.send({ peakMb: peakMb() })
    await served.close()
    process.disconnect()
  })
  process.send({ url: served.addresses.http })
}

/** Buys the day of the bundle on the pay page; the paths of its tar and its zip, which is ready. */
async function buyBundle(url) {
  const json = async (path, init) => (await fetch(`${url}${path}`, init)).json()
  const { bundles } = await json('/api/bundles')
  const { bundle_id: id } = bundles.find(({ series_key: key }) => key === SERIES)
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const items = [{ instrument_id: id, date: DAY, kind: 'series_day' }]
  const body = JSON.stringify({ email: 'me@example.org', items, success_url: `${url}/shop`, cancel_url: `${url}/shop` })
  const checkout = await json('/v1/checkout/session', { method: 'POST', headers, body })
  const { session_id: session, checkout_url: page } = checkout
  await payOnPage(page)
  const { order_id: order, download_token: token } = await json(`/v1/checkout/session/${session}`)
  const path = `/api/download/order/${order}/${id}`
  const zip = `${path}/${DAY}?kind=series_day&zip=1&t=${token}`
  while ((await json(`${zip}&probe=1`)).state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 500))
  return { tar: `${url}${path}/range?kind=series_day&from=${DAY}&to=${DAY}&t=${token}`, zip: `${url}${zip}` }
}

function serveBare(path) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': statSync(path).size })
    createReadStream(path, { highWaterMark: 1024 * 1024 }).pipe(response)
  })
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
  process.on('message', () => {
    process.send({ peakMb: peakMb() })
    server.close()
    process.disconnect()
  })
}

/** Hands bytes of answers on at one rate for all connections together. */
function serveSlowly(port) {
  const began = performance.now()
  let sent = 0
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far)
    far.on('data', (piece) => {
      sent += piece.length
      const dueMs = sent / PROXY_BYTES_A_SECOND * 1000 - (performance.now() - began)
      // A pause lets the allowance of the past go.
      if (dueMs < -100) sent = (performance.now() - began) / 1000 * PROXY_BYTES_A_SECOND
      near.write(piece)
      if (dueMs <= 5 && near.writableLength < MB) return
      far.pause()
      setTimeout(() => far.resume(), Math.max(1, dueMs))
    })
    far.on('end', () => near.end())
    const sockets = [near, far]
    for (const socket of sockets) socket.on('error', () => sockets.forEach((one) => one.destroy()))
  })
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
  process.on('message', () => {
    process.send({ peakMb: 0 })
    server.close()
    process.disconnect()
  })
}

/** Fetches the sample; says how long the download itself took. */
async function fetchSample(url, folder, check) {
  const { openShop } = await import('../dist/index.js')
  const shop = openShop({ url })
  const start = performance.now()
  await shop.downloadSample({ href: SAMPLE_PATH }, { out: folder, check })
  process.send({ ms: performance.now() - start, peakMb: peakMb() })
  process.disconnect()
}

function child(...args) {
  const one = fork(self, args)
  const said = new Promise((resolve, reject) => {
    one.once('message', resolve)
    one.once('exit', (code) => { if (code !== 0) reject(new Error(`${args[0]} ended with ${String(code)}`)) })
  })
  const end = () => {
    const answer = new Promise((resolve) => one.once('message', resolve))
    one.send('end')
    return answer
  }
  return { said, end }
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

function shell(command) {
  const start = performance.now()
  const { status, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command}`], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - start
}

/** Both a few times in turn: the median of each, and of their ratios. */
async function paired(ours, theirs) {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await ours(), await theirs()]
    rounds.push([a, b, a / b])
  }
  return [0, 1, 2].map((at) => median(rounds.map((one) => one[at])))
}

async function measure(copies) {
  const folder = mkdtempSync(join(tmpdir(), 'shop-download-'))
  const path = join(folder, NAME)
  const day = readFileSync(bigDay())
  writeFileSync(path, Buffer.concat(Array.from({ length: copies }, () => day)))
  // A series is an archive with options among its instruments: those lie beside the big day, on a day of their own.
  shell(`cd '${folder}' && cp '${OPTIONS}' ${SERIES}-${DAY}.tar && tar -rf ${SERIES}-${DAY}.tar ${NAME}`)
  const [shop, bare] = [child('serve', folder), child('serve-bare', path)]
  const [{ url }, { url: bareUrl }] = [await shop.said, await bare.said]
  const slow = child('serve-slowly', new URL(url).port)
  const { url: slowUrl } = await slow.said
  const size = statSync(path).size
  let clientMb = 0
  const download = async (from, check) => {
    const out = join(folder, 'out')
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out)
    const { ms, peakMb: megabytes } = await child('fetch', from, out, check).said
    clientMb = megabytes
    return ms
  }
  const whole = `${url}${SAMPLE_PATH}`
  const out = join(folder, 'curl.zst')
  const row = async (what, goal, ours, theirs) => {
    clientMb = null
    const [a, b, ratio] = await paired(ours, theirs)
    const found = `${(a / 1000).toFixed(2)} against ${(b / 1000).toFixed(2)} s`
    tableRow(`${what} (${(size / MB).toFixed(0)} MB; ${found})`, `${ratio.toFixed(2)} x`, goal, clientMb)
  }
  const curl = (address) => () => shell(`curl -sf -o /dev/null '${address}'`)
  curl(whole)()
  await row('the server, read by curl, against a bare node:http stream', '1.2 x', curl(whole), curl(bareUrl))
  const bundle = await buyBundle(url)
  await row('a range tar, read by curl, against the file', '1.2 x', curl(bundle.tar), curl(whole))
  await row('a zip, read by curl, against the file', '1.2 x', curl(bundle.zip), curl(whole))
  await row('`--check none`, against `curl -o`', '1.5 x',
    () => download(url, 'none'), () => shell(`curl -sf -o ${out} ${whole}`))
  const goal = Number(process.versions.node.split('.')[0]) >= 24 ? '1.3 x' : '1.6 x'
  await row('checked, against curl, tee and zstd -t', goal,
    () => download(url, 'whole'), () => shell(`curl -sf ${whole} | tee ${out} | zstd -tq --long=31`))
  await row('checked, through 50 MB/s, against the transfer', '1.05 x',
    () => download(slowUrl, 'whole'), () => size / PROXY_BYTES_A_SECOND * 1000)
  const [{ peakMb: serverMb }] = [await shop.end(), await bare.end(), await slow.end()]
  tableRow('memory of the server', 'at its peak', '150 MB', serverMb)
  rmSync(folder, { recursive: true })
}

const [mode, ...rest] = process.argv.slice(2)
if (mode === 'serve') await serve(rest[0])
else if (mode === 'serve-bare') serveBare(rest[0])
else if (mode === 'serve-slowly') serveSlowly(rest[0])
else if (mode === 'fetch') await fetchSample(...rest)
else await measure(Number(mode ?? 4))
