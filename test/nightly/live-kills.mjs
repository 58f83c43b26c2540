// Kills the server and the client of a live run at random moments. A server that is started again finds its client back; a client that is started again
// takes over nothing but the account; in the end what the strategy holds is what the adapter says, to whoever logs in anew.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { RandomNumbers } = await import('../../dist/index.js')
const { loginOrderEntry } = await import('../../dist/order-entry/order-entry-client.js')
const { readDirectory } = await import('../../dist/feed/instrument-directory-client.js')
const { directoryEntries } = await import('../../dist/live/directory-entries.js')
const work = mkdtempSync(join(tmpdir(), 'backtape-kills-'))
const seed = Number(process.env.KILL_SEED ?? '1')
const random = new RandomNumbers(seed, 'kills', 0)
let [draws, passed, failed] = [0, 0, 0]
const draw = (from, to) => from + Math.floor(random.uniform(draws++) * (to - from))
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const check = (name, holds, found) => {
  if (holds) passed++
  else {
    failed++
    console.log(`FAILED: ${name}: ${JSON.stringify(found)}`)
  }
}

async function startServer(httpPort, feedPort) {
  const child = fork(join(root, 'test/peers/kill-server.mjs'), [httpPort, feedPort, join(work, 's.sock')].map(String), { cwd: root })
  const [addresses] = await once(child, 'message')
  return { child, addresses }
}

async function startClient(addresses) {
  const child = fork(join(root, 'test/peers/kill-client.mjs'), [JSON.stringify(addresses)], { cwd: root })
  await once(child, 'message')
  return child
}

const kill = async (child) => {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** The adapter's answer to a login now. */
async function adapterState({ http, feeds: [{ market }] }) {
  const { instruments } = directoryEntries([await readDirectory(http, market, 'k', { hasMaster: true })])
  const { instrument: { id }, quantityScale } = instruments.entries[0]
  const client = await loginOrderEntry({
    backend: http, accountId: 'paper', processId: 'observer', version: '1', instruments, epochDay: 20635, listener: { onError() {}, onAccountStatus() {} },
  })
  const { orders, positions } = client.initial
  await client.logout()
  const position = positions.find((one) => one.instrumentId === id)
  const units = (position?.longPosition ?? 0) - (position?.shortPosition ?? 0)
  return { open: orders.map((one) => `${one.ownOrderId} ${one.executedQuantity / 10 ** quantityScale}`).sort(), units: units / 10 ** quantityScale }
}

async function clientState(client) {
  client.send('state')
  for (;;) {
    const [message] = await once(client, 'message')
    if (typeof message === 'object' && 'open' in message) return message
  }
}

let server = await startServer(0, 0)
const ports = [new URL(server.addresses.http).port, new URL(server.addresses.feeds[0].json).port]
let client = await startClient(server.addresses)
const kills = []
for (let round = 0; round < 8; round++) {
  await pause(draw(200, 1500))
  const what = ['server', 'client'][draw(0, 2)]
  kills.push(what)
  if (what === 'server') {
    await kill(server.child)
    await pause(draw(0, 500))
    server = await startServer(...ports)
    check('the server is where it was', new URL(server.addresses.http).port === ports[0], server.addresses.http)
  } else {
    await kill(client)
    await pause(draw(0, 500))
    client = await startClient(server.addresses)
  }
}
// The connection comes back within its back-off; then it trades once more.
await pause(3_000)
const traded = await clientState(client)
client.send('quiet')
await pause(1_000)
const own = await clientState(client)
const adapter = await adapterState(server.addresses)
check('it trades again', own.placed > 0 && traded.placed > 0, own)
check('nothing waits', own.pending === 0, own)
// Orders of a client that was killed are the account's: who logs in later did not place them.
const strangers = adapter.open.filter((one) => !own.open.includes(one))
check('every order that the strategy holds is the adapter\'s', own.open.every((one) => adapter.open.includes(one)), { own, adapter })
check('no order is lost', strangers.length === 0 || kills.includes('client'), { strangers, kills })
check('the position is the adapter\'s', Number(own.position) === adapter.units, { own: own.position, adapter: adapter.units })
client.send('quiet')
await kill(client)
await kill(server.child)
rmSync(work, { recursive: true, force: true })
console.log(`live-kills: seed ${seed}, ${kills.join(', ')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
