// Kills `shop buy`, `shop get` and the server of a shop at ten moments each, and gives the same command again: the file that was sold, one order for
// one basket, and a token that still opens it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { payOnPage } from '../support/pay-page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { RandomNumbers } = await import('../../dist/index.js')
const program = join(root, 'bin/backtape.js')
const work = mkdtempSync(join(tmpdir(), 'backtape-shop-kills-'))
const [NAME, DAY] = ['synthetic_swap:XRPUSDT', '2026-07-02']
const FILE = `synthetic_swap-XRPUSDT-${DAY}.txt.zst`
const sold = readFileSync(join(root, 'datasets', FILE))
const random = new RandomNumbers(Number(process.env.KILL_SEED ?? '1'), 'kills', 0)
let [draws, passed, failed] = [0, 0, 0]
const draw = (from, to) => from + Math.floor(random.uniform(draws++) * (to - from))
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
})

const check = (name, holds, found) => {
  if (holds) return passed++
  failed++
  console.log(`FAILED: ${name}: ${JSON.stringify(found)}`)
}

function start(args, env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, BACKTAPE_CACHE: join(work, 'cache'), ...env },
  })
  running.add(child)
  const said = { out: '', err: '' }
  child.stdout.on('data', (text) => { said.out += text })
  child.stderr.on('data', (text) => { said.err += text })
  const ended = new Promise((done) => child.once('close', (code) => {
    running.delete(child)
    done({ code, ...said })
  }))
  return { child, said, ended }
}

async function until(holds, what) {
  for (let looks = 0; looks < 600; looks++) {
    if (await holds()) return
    await pause(100)
  }
  throw new Error(`${what} within a minute`)
}

/** A server over the same store and folder, at the same port. */
async function startServer(place, port) {
  const one = start(['serve', '--data', join(root, 'datasets', FILE), '--shop', '--state', join(place, 'state'), '--port', String(port), '--start', 'paused'])
  await until(() => /directory: http/.test(one.said.err), 'the server listens')
  return { ...one, url: /directory: (http:\S+?);/.exec(one.said.err)[1] }
}

const port = 20_000 + draw(0, 20_000)
const buyer = (place, url) => ({ BACKTAPE_SHOP: url, BACKTAPE_CONFIG: join(place, 'config') })
const buyArgs = ['shop', 'buy', NAME, DAY, '--email', 'me@example.org', '--yes']
const getArgs = (place) => ['shop', 'get', '--order', 'last', '--out', join(place, 'bought')]

async function unpaid(place, url) {
  const { out } = await start(['shop', 'orders', '--json'], buyer(place, url)).ended
  return JSON.parse(out).unpaid
}

/** A basket that was bought, its command killed after some milliseconds and given again. */
async function buyWithKill(place, url, ms) {
  const first = start(buyArgs, buyer(place, url))
  await pause(ms)
  first.child.kill('SIGKILL')
  await first.ended
  const again = start(buyArgs, buyer(place, url))
  await until(() => /here: http/.test(again.said.err), 'an address to pay at')
  const sessions = await unpaid(place, url)
  check(`one session after a kill at ${ms} ms`, sessions.length === 1, sessions)
  const status = await payOnPage(sessions[0].checkoutUrl)
  check('the page takes the payment', status === 303, status)
  const bought = await again.ended
  check('the second command ends with the order', bought.code === 0 && /^order \S+\n$/.test(bought.out), bought)
}

async function orderCount(place, url) {
  return JSON.parse((await start(['shop', 'orders', '--json'], buyer(place, url)).ended).out).orders.length
}

const server = await startServer(work, port)
for (let turn = 0; turn < 10; turn++) {
  const place = join(work, `buyer-${turn}`)
  await buyWithKill(place, server.url, draw(100, 2_500))
  check('one order', (await orderCount(place, server.url)) === 1, place)
  const first = start(getArgs(place), buyer(place, server.url))
  await pause(draw(100, 1_200))
  first.child.kill('SIGKILL')
  await first.ended
  const again = await start(getArgs(place), buyer(place, server.url)).ended
  const there = again.code === 0 && readFileSync(join(place, 'bought', FILE)).equals(sold)
  check('the file is the one that was sold', there, again)
  const left = readdirSync(join(place, 'bought')).filter((name) => /\.(part|bad|json)$/.test(name) && name.includes('.part'))
  check('nothing in part is left', left.length === 0, left)
}

// The server is killed while a buyer pays and downloads; over the same store it goes on.
let current = server
for (let turn = 0; turn < 10; turn++) {
  const place = join(work, `late-${turn}`)
  const buying = start(buyArgs, buyer(place, current.url))
  await until(() => /here: http/.test(buying.said.err), 'an address to pay at')
  const [session] = await unpaid(place, current.url)
  const paying = payOnPage(session.checkoutUrl).catch(() => 0)
  await pause(draw(0, 40))
  current.child.kill('SIGKILL')
  await current.ended
  await paying
  current = await startServer(work, port)
  // A payment that was taken has been kept, and its page has no form any more; another one can be made again.
  await payOnPage(session.checkoutUrl)
  const bought = await buying.ended
  check('the buyer has one order', bought.code === 0 && (await orderCount(place, current.url)) === 1, bought)
  const got = await start(getArgs(place), buyer(place, current.url)).ended
  check('its token opens the file', got.code === 0 && readFileSync(join(place, 'bought', FILE)).equals(sold), got)
}
current.child.kill('SIGTERM')
await current.ended
console.log(`shop-kills: ${passed} checks held, ${failed} did not`)
process.exit(failed === 0 ? 0 : 1)
