// A shop and its client on disks that are full or read-only: each says so in one sentence, nothing half is left, and what was answered before holds once
// there is room again. Mounts need root.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import { openServing } from '../../dist/serve/serving-server.js'
import { openShop } from '../../dist/shop/checked/open-shop.js'
import { payOnPage } from '../support/pay-page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-shop-faults-'))
const [NAME, ID, DAY] = ['synthetic_swap:XRPUSDT', 9_100_001, '2026-07-01']
const FILE = `synthetic_swap-XRPUSDT-${DAY}.txt.zst`
const sold = readFileSync(join(root, 'datasets', FILE))
const FULL = /^Cannot (?:write|make) \S+: the disk is full; free some space or choose another folder$/
const READ_ONLY = /^Cannot (?:write|make|use) \S+: the file system is read-only; choose another folder$/
const disks = []
process.on('exit', () => {
  for (const disk of disks) spawnSync('umount', ['-l', disk])
  rmSync(work, { recursive: true, force: true })
})

function fail(words) {
  console.error(`shop-faults: ${words}`)
  process.exit(1)
}

const expect = (what, found, wanted) => {
  const isSame = wanted instanceof RegExp ? wanted.test(found) : JSON.stringify(found) === JSON.stringify(wanted)
  if (!isSame) fail(`${what} is ${JSON.stringify(found)}, expected ${wanted instanceof RegExp ? String(wanted) : JSON.stringify(wanted)}`)
}

/** A file system of its own. */
function mounted(name, sizeKb, ...options) {
  const disk = join(work, name)
  mkdirSync(disk)
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', [`size=${sizeKb}k`, 'mode=0700', ...options].join(), 'tmpfs', disk], { encoding: 'utf8' })
  if (done.status !== 0) fail(`nothing was tried: nothing can be mounted: ${done.stderr}`)
  disks.push(disk)
  return disk
}

/** Takes all room of a disk. */
function fill(disk) {
  const bytes = Buffer.alloc(4096)
  try {
    for (let at = 0; ; at++) writeFileSync(join(disk, `ballast-${at}`), bytes)
  } catch {
    // It is full.
  }
}

function free(disk) {
  for (const name of readdirSync(disk)) if (name.startsWith('ballast')) rmSync(join(disk, name))
}

async function served(stateFolder, more = {}, data = join(root, 'datasets', FILE)) {
  const notes = []
  const serving = await openServing({
    data: [data], httpPort: 0, replay: { start: 'paused' }, onNote: (note) => { notes.push(note) },
    account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
    shop: { stateFolder, now: '2026-07-04T00:00:00Z', samples: [`${NAME} ${DAY}`], ...more },
  })
  const url = serving.addresses.http
  const post = async (body, key = randomUUID()) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const answer = await fetch(`${url}/v1/checkout/session`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: await answer.json() }
  }
  return { serving, url, notes, post, basket: { email: 'me@example.org', items: [{ instrument_id: ID, date: DAY }], success_url: `${url}/shop`, cancel_url: `${url}/shop` } }
}

async function refusalOf(work) {
  try {
    await work()
  } catch (error) {
    return error
  }
  fail('something was done that cannot be')
}

/** The store on a disk that becomes full: what cannot be kept is not answered, and the shop goes on once there is room. */
async function fullStore() {
  const disk = mounted('store', 1024)
  const { serving, url, notes, post, basket } = await served(disk)
  const first = await post(basket)
  expect('a checkout', first.status, 201)
  fill(disk)
  // Pages of the journal that are used again need no room: so long it takes more.
  const key = randomUUID()
  let last = first
  for (let at = 0; at < 200 && last.status === 201; at++) last = await post({ ...basket, email: `${'x'.repeat(60)}@example.org` }, at === 0 ? key : randomUUID())
  expect('a checkout on a full disk', [last.status, last.body], [500, { error: { message: 'The server failed; its log says why.' } }])
  const { session_id: session } = first.body
  let paid = 0
  for (let at = 0; at < 200 && paid !== 500; at++) {
    if (serving.shop.service.purchases.session(session).record.state === 'paid') break
    paid = await payOnPage(`${url}/shop/pay/${session}`)
  }
  const state = serving.shop.service.purchases.session(session).record.state
  expect('the state of what could not be paid', [paid, state], paid === 500 ? [500, 'pending'] : [303, 'paid'])
  expect('a search meanwhile', (await fetch(`${url}/api/search?q=xrp`)).status, 200)
  for (const note of notes) expect('a note', note.replace(/^shop: \w+ \S+ failed: /, ''), FULL)
  if (notes.length === 0) fail('no note says that the disk is full')
  free(disk)
  expect('the same checkout once there is room', (await post(basket)).status, 201)
  if (state === 'pending') expect('the payment once there is room', await payOnPage(`${url}/shop/pay/${session}`), 303)
  await serving.close()
  const again = await served(disk)
  expect('the session after a restart', again.serving.shop.service.purchases.session(session).record.state, 'paid')
  await again.serving.close()
  expect('what lies in the folder', readdirSync(disk), ['shop.db'])
}

/** A store that cannot be made. */
async function noStore() {
  const disk = mounted('no-room', 4)
  fill(disk)
  const full = await refusalOf(() => served(join(disk, 'state')))
  expect('a store on a full disk', [full.code, FULL.test(full.message), full.message], ['OUTPUT_FAILED', true, full.message])
  const readOnly = mounted('read-only', 64, 'ro')
  for (const folder of [readOnly, join(readOnly, 'state')]) {
    const { code, message } = await refusalOf(() => served(folder))
    expect(`a store in ${folder}`, [code, READ_ONLY.test(message), message], ['OUTPUT_FAILED', true, message])
  }
}

/** Exports on a full disk fail with their reason, and nothing of them is left. */
async function fullExports() {
  const disk = mounted('cache', 64)
  process.env.BACKTAPE_CACHE = disk
  const { serving, url, notes } = await served(join(work, 'state-exports'))
  const path = `${url}/api/download/sample/${ID}/${DAY}`
  let answer
  for (let at = 0; at < 300; at++) {
    answer = await fetch(`${path}?format=bbo.csv.gz`)
    if (answer.status !== 202) break
    await answer.arrayBuffer()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect('an export on a full disk', [answer.status, await answer.json()], [500, { error: { message: 'The export bbo.csv.gz cannot be made: OUTPUT_FAILED' } }])
  expect('its note', notes.join('\n'), /^The export bbo\.csv\.gz of \S+ has failed: Cannot write \S+: the disk is full; free some space or choose another folder$/)
  const left = readdirSync(disk, { recursive: true }).filter((name) => /bbo|backtape-part/.test(name))
  expect('what is left', left, [])
  expect('the file itself', (await (await fetch(path)).arrayBuffer()).byteLength, sold.length)
  await serving.close()
  delete process.env.BACKTAPE_CACHE
}

/** The client: keys are on the disk before a request leaves, and a file is whole or has not got its name. */
async function client() {
  const { serving, url } = await served(join(work, 'state-client'))
  const { purchases } = serving.shop.service
  const full = mounted('full', 64)
  const readOnly = mounted('locked', 1024, 'ro')
  const buy = async (configFolder) => {
    const shop = openShop({ url, configFolder })
    return shop.checkout(await shop.quote([{ instrumentId: ID, date: DAY }]), { email: 'me@example.org' })
  }
  fill(full)
  for (const [folder, words] of [[full, FULL], [join(readOnly, 'config'), READ_ONLY], [readOnly, READ_ONLY]]) {
    const { code, message } = await refusalOf(() => buy(folder))
    expect(`buying with ${folder}`, [code, words.test(message), message], ['OUTPUT_FAILED', true, message])
  }
  free(full)
  const configFolder = join(work, 'config')
  const checkout = await buy(configFolder)
  purchases.pay(checkout.sessionId)
  const order = await checkout.paid()
  const shop = openShop({ url, configFolder })
  const get = async (out, more = {}) => {
    for await (const { path } of shop.download(order, { out, ...more })) return readFileSync(path)
  }
  // The size of a day is known before, that of an export is not.
  const noRoom = /^Cannot write into \S+: the files have 531967 bytes, and 65536 bytes are free; free some space or choose another folder$/
  const places = [[full, noRoom], [full, FULL, { format: 'bbo.csv.gz' }], [readOnly, READ_ONLY], [join(readOnly, 'out'), READ_ONLY]]
  for (const [out, words, more] of places) {
    const { code, message } = await refusalOf(() => get(out, more))
    expect(`a download to ${out}`, [code, words.test(message), message], ['OUTPUT_FAILED', true, message])
    if (readdirSync(full).some((name) => !/part/.test(name))) fail(`half a file has got its name: ${readdirSync(full)}`)
  }
  spawnSync('mount', ['-o', 'remount,size=4m', full])
  if (!(await get(full)).equals(sold)) fail('the file is another')
  expect('what lies there', readdirSync(full).filter((name) => !name.startsWith('.')), ['backtape-shop-manifest.json', FILE])
  await serving.close()
  // The baskets whose keys could not be kept have not left.
  const store = new Database(join(work, 'state-client', 'shop.db'))
  expect('the sessions', store.prepare('SELECT count(*) AS count FROM sessions').get().count, 1)
  store.close()
}

/** Files that go, and that change, while they are sold. */
async function soldFiles() {
  const [days, out] = [join(work, 'days'), join(work, 'out')]
  mkdirSync(days)
  const path = join(days, FILE)
  writeFileSync(path, sold)
  const { serving, url, notes } = await served(join(work, 'state-sold'), {}, days)
  const shop = openShop({ url, configFolder: join(work, 'config-sold') })
  const checkout = await shop.checkout(await shop.quote([{ instrumentId: ID, date: DAY }]), { email: 'me@example.org' })
  serving.shop.service.purchases.pay(checkout.sessionId)
  const order = await checkout.paid()
  const get = async () => {
    for await (const file of shop.download(order, { out })) return readFileSync(file.path)
  }
  const seen = () => fetch(`${url}/api/instrument/${ID}/days`).then(async (answer) => (answer.ok ? (await answer.json()).days.map(({ size }) => size) : []))
  const listed = async (sizes) => {
    while (JSON.stringify(await seen()) !== JSON.stringify(sizes)) await new Promise((resolve) => setTimeout(resolve, 500))
  }
  rmSync(path)
  const gone = await refusalOf(get)
  expect('a day that went', [gone.code, gone.message.split('\n').length, /: status 404/.test(gone.message), gone.message], ['SHOP_REFUSED', 1, true, gone.message])
  await listed([])
  writeFileSync(path, sold.subarray(0, 300_000))
  await listed([300_000])
  const cut = await refusalOf(get)
  expect('a day that was cut', [cut.code, cut.message.split('\n').length], ['SHOP_FILE_WRONG', 1])
  expect('what is left of it', readdirSync(out).filter((name) => !name.startsWith('.')), [`${FILE}.bad`])
  writeFileSync(path, sold)
  await listed([sold.length])
  if (!(await get()).equals(sold)) fail('the file is another')
  expect('the notes', notes, [])
  await serving.close()
}

await fullStore()
await noStore()
await soldFiles()
await fullExports()
await client()
console.log('A shop and its client on full and read-only disks say so, and lose nothing.')
