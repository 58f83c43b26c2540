// A client in Python that was written from the documents alone (test/peers/client.py): it rebuilds the book of each recorded day (a day takes the
// first of each market), and places, amends and
// cancels orders over WebSocket and domain socket. It gets the addresses alone.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shared = resolve(process.env.BACKTAPE_SHARED ?? join(root, '../shared'))
const work = mkdtempSync(join(tmpdir(), 'backtape-peers-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

const environment = spawnSync('bash', [join(root, 'test/system/python/environment.sh')], { encoding: 'utf8' })
if (environment.status !== 0) throw new Error(`peers: Python is not there: ${environment.stderr}`)
const python = environment.stdout.trim()

let [passed, failed] = [0, 0]

/** Serves a day, and lets the client of this mode at it. */
async function meet(day, speed, mode, ...args) {
  const server = spawn(process.execPath, [join(root, 'test/peers/serve.mjs'), day, join(work, `${passed}-${failed}.sock`), speed], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((done) => server.once('exit', done))
  let text = ''
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n')) break
  }
  const client = spawn(python, [join(root, 'test/peers/client.py'), mode, text.trim(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  client.stdout.setEncoding('utf8').on('data', (chunk) => { said += chunk })
  const code = await new Promise((done) => client.once('close', done))
  server.stdin.end()
  await ended
  process.stdout.write(`${mode} ${args.at(-1)}: ${said}`)
  const [, good, bad] = /(\d+) passed, (\d+) failed\s*$/.exec(said) ?? [0, 0, 1]
  passed += Number(good)
  failed += Number(bad)
  if (code !== 0 && Number(bad) === 0) failed++
}

const expected = join(shared, 'data/expected/file-stats.json')
const known = Object.keys(JSON.parse(readFileSync(expected, 'utf8')))
const days = readdirSync(join(shared, 'data/days')).filter((name) => known.includes(name)).sort()
if (days.length === 0) throw new Error('peers: there are no recorded days')
const isNight = Boolean(process.env.BACKTAPE_NIGHTLY)
const marketOf = (name) => name.split('-')[0]
const booked = days.filter((name, at) => isNight || days.findIndex((other) => marketOf(other) === marketOf(name)) === at)
for (const name of booked) await meet(join(shared, 'data/days', name), 'max', 'book', expected, name)
const ordered = join(shared, 'data/days', days.find((name) => name.includes('swap-ETHUSDT')))
for (const transport of ['websocket', 'domainSocket']) await meet(ordered, '2', 'orders', transport)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
