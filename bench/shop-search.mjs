// Searches among 100,000 instruments over HTTP, server and client in processes of their own, against a route that does
// nothing (`/api/samples` without samples). usage: node bench/shop-search.mjs [CALLS=5000]
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tableRow } from '../scripts/big-day.mjs'

const self = fileURLToPath(import.meta.url)
const INSTRUMENTS = 100_000
const WARM_UP = 1_000
const ROUNDS = 5
const VENUES = ['binance', 'okx', 'deribit', 'bybit', 'kraken', 'coinbase', 'bitget', 'gate', 'mexc', 'huobi']
const COUNTERS = ['USDT', 'USDC', 'USD', 'BTC', 'EUR']

/** The same numbers in every run. */
function randomOf(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** `BTC`, then made-up assets of three to six letters. */
function assetOf(number) {
  if (number === 0) return 'BTC'
  const random = randomOf(number * 7919)
  return Array.from({ length: 3 + random(4) }, () => String.fromCharCode(65 + random(26))).join('')
}

const DAYS = Array.from({ length: 300 }, (_, at) => {
  const date = new Date(Date.UTC(2023, 9, 1 + at)).toISOString().slice(0, 10)
  return { date, sizeBytes: 1_000_000 + at }
})

function madeInstrument(id) {
  const random = randomOf(id)
  const [base, counter, venue] = [assetOf(random(3000)), COUNTERS[random(5)], VENUES[random(10)]]
  const kind = random(4)
  const expiry = `${String(1 + random(28)).padStart(2, '0')}SEP24`
  const right = random(2) === 0 ? 'C' : 'P'
  const [code, type, market] = [
    [`${base}/${counter}`, 'spot', 'spot'], [`${base}${counter}`, 'perpetual', 'swap'],
    [`${base}-${expiry}`, 'future', 'futures'],
    [`${base}-${expiry}-${String(1000 * (1 + random(100)))}-${right}`, right === 'C' ? 'call' : 'put', 'options'],
  ][kind]
  const names = { exchangeCode: `${venue}_${market}`, exchangeName: venue }
  return { id, code, type, base, counter, ...names, state: 'open', days: DAYS }
}

async function serve() {
  const load = (path) => import(`../dist/${path}.js`)
  const { openShopStore } = await load('shop/store/shop-store-writer')
  const { ShopService } = await load('shop/server/shop-service')
  const { openShopHttp } = await load('shop/http/shop-http-server')
  const { listenHttp } = await load('web/http-server')
  const instruments = new Map(Array.from({ length: INSTRUMENTS }, (_, at) => [at + 1, madeInstrument(at + 1)]))
  const goods = { look: () => Promise.resolve({ version: 1, instruments, series: new Map() }) }
  const time = { nowMs: () => Date.UTC(2024, 7, 10) }
  const folder = mkdtempSync(join(tmpdir(), 'shop-bench-'))
  const store = await openShopStore(folder)
  const { handlers } = new ShopService({ goods, store, time, settings: {} })
  let nowMs = 0
  // Every call finds its bucket full.
  const shop = await openShopHttp({ handlers, hosts: 'loopback', steadyMs: () => nowMs += 60_000 })
  const request = (asked, response) => shop.request(asked, response) || response.end()
  const http = await listenHttp({ request }, { host: '127.0.0.1', port: 0, closeMs: 100 })
  process.on('message', async () => {
    process.send({ rss: process.memoryUsage.rss() })
    await http.close()
    await shop.close()
    store.close()
    rmSync(folder, { recursive: true })
    process.disconnect()
  })
  const started = performance.now()
  await handlers.search({ path: {}, query: {}, body: undefined, headers: {}, origin: '' })
  process.send({ port: http.port, indexMs: performance.now() - started })
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function answer(port, path) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let text = ''
      response.on('data', (piece) => (text += piece))
      response.on('end', () => response.statusCode === 200 ? resolve(text) : reject(new Error(text)))
    }).on('error', reject)
  })
}

/** Searches as people write them; those of one letter, without words, and with none of them among them. */
function searchOf(number) {
  const random = randomOf(number * 31)
  const one = madeInstrument(1 + random(INSTRUMENTS))
  const shapes = [
    one.code, one.base, `${one.base} perp`, `${one.base} ${one.counter}`, `${VENUES[random(10)]} ${one.base}`,
    `${one.base} option`, one.base.slice(0, 2), one.base.slice(0, 1), String(one.id), `btc ${random(28)}sep24`,
    'usdt perp', `${one.base}x nothing`, 'sep24',
  ]
  const at = random(shapes.length + 2)
  if (at >= shapes.length) return at === shapes.length ? '/api/search' : `/api/search?class=perp&base=${one.base}`
  return `/api/search?q=${encodeURIComponent(shapes[at])}`
}

/** The 99th of a hundred, and the middle, in milliseconds. */
async function timed(port, count, pathOf) {
  const times = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    await answer(port, pathOf(at))
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return { p99: times[Math.floor(count * 0.99)], median: times[Math.floor(count / 2)] }
}

async function measure(calls) {
  const child = fork(self, ['serve'])
  const said = () => new Promise((resolve) => child.once('message', resolve))
  const { port, indexMs } = await said()
  await timed(port, WARM_UP, searchOf)
  await timed(port, WARM_UP, () => '/api/samples')
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const empty = await timed(port, calls, () => '/api/samples')
    const search = await timed(port, calls, (at) => searchOf(round * calls + at))
    rounds.push({ empty, search, ratio: search.p99 / empty.p99 })
  }
  rounds.sort((a, b) => a.ratio - b.ratio)
  const end = said()
  child.send('end')
  const { rss } = await end
  const { empty, search, ratio } = rounds[Math.floor(ROUNDS / 2)]
  const ms = (value) => `${value.toFixed(2)} ms`
  const words = `p99 ${ms(search.p99)} (median ${ms(search.median)}) against ${ms(empty.p99)} (${ms(empty.median)})`
  tableRow(`a search among ${INSTRUMENTS.toLocaleString('en')} instruments, against an empty route`,
    `${ratio.toFixed(1)} x: ${words}`, '5 x', rss / 1e6)
  tableRow('its index, made once for each change of instruments', `${Math.round(indexMs)} ms`, '-')
  agent.destroy()
}

if (process.argv[2] === 'serve') await serve()
else await measure(Number(process.argv[2] ?? 5000))
