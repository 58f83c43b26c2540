// The live view in Chromium, by the keyboard alone: the served replay is moved by its five actions, and an instance joins its clock over sockets.
// An instance is created by the form, refused first, started and watched; its chart, its tables and
// its journal have the fills that its run has. Two viewers of different speed see the same fills. No error is logged, nothing is asked of another origin,
// axe-core finds nothing serious, and a page of another origin can neither post nor connect. Screenshots go to .cache/ci/screenshots.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServing } from '../../dist/serve/serving-server.js'
import { openServerBeside } from '../../dist/strategy-server/strategy-server.js'
import { barriersIn, launchBrowser, watchFaults } from './chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shots = join(root, '.cache/ci/screenshots')
const FILE = join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const work = mkdtempSync(join(tmpdir(), 'backtape live '))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
mkdirSync(shots, { recursive: true })
const faults = []

function fail(message) {
  console.error(`live-view: ${message}${faults.length > 0 ? ` (${faults.join('; ')})` : ''}`)
  process.exit(1)
}

const expect = (what, found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) fail(`${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`)
}

cpSync(join(root, 'templates/init/strategies/touch-maker.ts'), join(work, 'strategies/touch-maker.ts'))
const account = { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } }
const serving = await openServing({ data: [FILE], from: '23:55', httpPort: 0, replay: { start: 'paused' }, accounts: { paper: account } })
void serving.run()
const { feeds, http, keys } = serving.addresses
const hosts = { feeds: feeds.map(({ json, market }) => ({ url: json, market })), backend: http, accounts: ['paper'] }
const server = await openServerBeside({
  strategies: join(work, 'strategies'), store: join(work, 'store'), port: 0,
  venues: {
    days: { type: 'replay', files: [FILE], from: '23:58', speed: 'max', account },
    clock: { type: 'simulated', ...hosts }, real: { type: 'live', ...hosts },
  },
  live: true,
}, { serving, keys: { clock: keys[0], real: keys[0] } })
const ask = async (path, options) => (await fetch(`${server.url}/api/v1/strategy${path}`, options)).json()

const browser = await launchBrowser(['--disable-features=LocalNetworkAccessChecks'])

async function openPage(options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, ...options })
  // A refused form is an answer of 422, which the browser logs.
  watchFaults(page, faults, { known: /status of 422/, origins: [server.url] })
  await page.goto(`${server.url}/live`)
  await page.waitForFunction(() => document.documentElement.dataset.connected === 'true')
  return page
}

/** Presses Tab until an element has the focus, which can be seen; `Shift+Tab`: one that is before. */
async function tabTo(page, selector, key = 'Tab') {
  for (let presses = 0; presses < 120; presses++) {
    const seen = await page.evaluate((wanted) => {
      const here = document.activeElement
      return here !== null && here.matches(wanted) ? getComputedStyle(here).outlineStyle !== 'none' : null
    }, selector)
    if (seen === false) faults.push(`${selector} does not show that it has the focus`)
    if (seen !== null) return
    await page.keyboard.press(key)
  }
  fail(`${key} does not lead to ${selector}`)
}

/** Looks at a page at two widths, light and dark: a screenshot of each, nothing beyond the edge, no barrier, no blank canvas. */
async function look(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 1000 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      if (wide > 0) faults.push(`${name} is ${wide} pixels wider than ${width}`)
      await page.screenshot({ path: join(shots, `live-${name}-${width}-${colorScheme}.png`), fullPage: true })
      for (const barrier of await barriersIn(page)) faults.push(`${name} at ${width}, ${colorScheme}: ${barrier}`)
    }
  }
  const blank = await page.$$eval('.watch canvas', (all) => all.filter((canvas) => {
    const { width, height } = canvas
    return width === 0 || new Set(canvas.getContext('2d').getImageData(0, 0, width, height).data).size < 3
  }).map((canvas) => canvas.getAttribute('aria-label')))
  if (blank.length > 0) faults.push(`${name} has blank pictures: ${blank.join(', ')}`)
}

/** Creates an instance by the form, at a venue that is chosen by its name: refused first, with its fault beside its field. */
async function create(page, name, venue) {
  await tabTo(page, 'header button.main')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#strategy option', { state: 'attached' })
  await tabTo(page, '#instanceName')
  await page.keyboard.type(name)
  await tabTo(page, '#venue')
  await page.keyboard.type(venue)
  await tabTo(page, '[id="parameters.size"]')
  await page.keyboard.type('10')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('BTCUSDT')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => [...document.querySelectorAll('dialog .field .error')].some(({ textContent }) => textContent !== ''), null, { timeout: 15_000 })
    .catch(async () => fail(`the form does not say what is wrong: ${await page.textContent('dialog')}`))
  await page.screenshot({ path: join(shots, 'live-form.png') })
  await page.keyboard.press('Control+A')
  await page.keyboard.type('XRPUSDT')
  await page.keyboard.press('Enter')
  await page.waitForFunction((wanted) => [...document.querySelectorAll('.instances .name')].some(({ textContent }) => textContent === wanted), name, { timeout: 60_000 })
    .catch(async () => fail(`the form does not make it: ${await page.textContent('dialog')}`))
}

const page = await openPage()
await page.waitForSelector('.instances')
await create(page, 'maker', 'days')
const [{ instanceId }] = await ask('/instance')
// A second viewer, which asks for its frames slowly.
const slow = await openPage()
await slow.evaluate(() => {
  const own = globalThis.requestAnimationFrame
  globalThis.requestAnimationFrame = (work) => setTimeout(() => own(work), 700)
})
await slow.goto(`${server.url}/live#instance=${instanceId}`)
await page.waitForTimeout(300)
await tabTo(page, 'button[aria-label="Start maker"]')
await page.keyboard.press('Enter')
await page.waitForFunction(() => ['STOPPED', 'FAILED'].includes(document.querySelector('.now-bar .kind')?.textContent ?? ''), null, { timeout: 60_000 })
const { status } = await ask(`/instance/${instanceId}`)
expect('the state', [status.state, status.end.end], ['STOPPED', 'whole'])
const fillCount = status.progress.fills
if (fillCount < 5) fail(`the run has ${fillCount} fills`)
for (const one of [page, slow]) {
  await one.waitForFunction((wanted) => document.querySelector('.watch')?.dataset.fills === String(wanted), fillCount, { timeout: 30_000 })
    .catch(() => fail(`a viewer has ${one === slow ? 'slowly ' : ''}fewer fills than the run's ${fillCount}`))
}
const drawn = await page.$eval('.watch canvas', (canvas) => Number(canvas.dataset.fills))
expect('the count of fills on the chart', drawn, fillCount)
// The newest fill of the table is the last one of the journal.
const { lines } = await ask(`/instance/${instanceId}/fills?line=0&limit=1000`)
const last = JSON.parse(lines.at(-1).text ?? lines.at(-1))
const [row] = await page.$$eval('.watch .middle .panel:nth-child(2) tbody tr', (rows) => rows.map((one) => [...one.cells].map(({ textContent }) => textContent)))
if (!JSON.stringify(last).includes(row[2])) fail(`the newest fill is at ${row[2]}, the journal has ${JSON.stringify(last)}`)
await look(page, 'run')
// The search of the journal shows what has its word, and nothing else.
await page.setViewportSize({ width: 1280, height: 1000 })
await tabTo(page, '.journal .search')
await page.keyboard.type('fill')
const found = await page.$$eval('.journal li', (all) => all.map(({ textContent }) => textContent.toLowerCase()))
if (found.length === 0 || found.some((text) => !text.includes('fill'))) fail(`a search for fills finds ${found.length} lines`)
await tabTo(page, '.as-table summary')
await page.keyboard.press('Enter')

// The replay beside, without a strategy.
const inPanel = (text) => page.waitForFunction((wanted) => document.querySelector('.replay-panel')?.textContent.includes(wanted), text)
  .catch(() => fail(`the panel of the replay does not say ${text}`))
const headHas = (text) => page.waitForFunction((wanted) => document.querySelector('.now-bar')?.textContent.includes(wanted), text)
  .catch(async () => fail(`the head does not say ${text}: ${await page.textContent('.now-bar')}`))
const until = async (isSo) => {
  for (let at = 0; !isSo(); at++) {
    if (at === 300) fail(`not so: ${isSo}`)
    await page.waitForTimeout(100)
  }
}
await page.setViewportSize({ width: 1280, height: 1000 })
await page.keyboard.press('Control+Home')
await tabTo(page, '.replay-panel .name')
await page.keyboard.press('Enter')
await headHas('Served replay')
await headHas('23:55:00')
await tabTo(page, '.replay-panel [role=group] button:nth-child(2)')
await page.keyboard.press('Enter')
await headHas('23:55:01')
await tabTo(page, '#replay-speed')
await page.keyboard.press('ArrowDown')
await until(() => serving.pacer.speed === 2)
await page.keyboard.press('ArrowUp')
await until(() => serving.pacer.speed === 1)
await tabTo(page, '#replay-time')
await page.keyboard.type('soon')
await page.keyboard.press('Enter')
await page.waitForFunction(() => document.querySelector('.words').textContent.includes('time'))
await page.keyboard.press('Control+A')
await page.keyboard.type('23:55:10')
await page.keyboard.press('Enter')
await headHas('23:55:10')
expect('the words behind an action that is done', await page.textContent('.words'), '')
await tabTo(page, '.replay-panel [role=group] button')
await page.keyboard.press('Enter')
await inPanel('plays')
await page.waitForFunction(() => document.querySelectorAll('.watch .ladder tr').length > 20, null, { timeout: 10_000 }).catch(() => fail('the replay has no book'))

// An instance that joins its clock over sockets.
await create(page, 'joined', 'clock')
const joined = (await ask('/instance')).find(({ instanceName }) => instanceName === 'joined')
expect('its venue', joined.venue, 'clock')
await tabTo(page, 'button[aria-label="Start joined"]')
await page.keyboard.press('Enter')
await headHas('simulated · clock')
await page.waitForFunction(() => Number(document.querySelector('.watch')?.dataset.fills) > 0, null, { timeout: 180_000 }).catch(() => fail('the instance over sockets shows no fill'))
// The list receives progress once a second.
await page.waitForFunction(() => document.querySelector('.instances tr.chosen')?.cells[9].textContent !== '', null, { timeout: 20_000 }).catch(() => undefined)
const listed = await page.$eval('.instances tr.chosen', ({ cells }) => [...cells].map(({ textContent }) => textContent))
if (!/^2026-07-01 23:5/.test(listed[9])) fail(`the list has no last fill: ${listed}`)
const queues = await page.$$eval('.watch .middle .panel:first-child tbody tr:not(.past)', (rows) => rows.map(({ cells }) => cells[4].textContent))
if (queues.some((text) => text !== '')) fail(`places in queues that are not known: ${queues}`)
// One of a live venue, which is not started here, looks different from the others.
const { instanceId: careful } = await ask('/instance', {
  method: 'POST', headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ instanceName: 'careful', strategyName: 'TouchMaker', venue: 'real', parameters: { instrument: 'XRPUSDT', size: '10' } }),
})
await page.goto(`${server.url}/live#instance=${careful}`)
await headHas('LIVE · real · real money')
await page.screenshot({ path: join(shots, 'live-real.png') })
for (const barrier of await barriersIn(page)) faults.push(`an instance of a live venue: ${barrier}`)
const colours = await page.$$eval('.instances td.venue', (all) => all.map((cell) => getComputedStyle(cell).backgroundColor))
expect('the colours of venues: replay, simulated, live', new Set(colours).size, 2)
await page.goto(`${server.url}/live#instance=${joined.instanceId}`)
await headHas('simulated · clock')
await page.waitForFunction(() => Number(document.querySelector('.watch')?.dataset.fills) > 0, null, { timeout: 180_000 }).catch(() => fail('the instance over sockets shows no fill again'))
await look(page, 'sockets')
await page.setViewportSize({ width: 1280, height: 1000 })
await tabTo(page, '.replay-panel .name', 'Shift+Tab')
await page.keyboard.press('Enter')
await headHas('recorded days')
await page.waitForFunction(() => Number(document.querySelector('.watch')?.dataset.fills) > 0, null, { timeout: 180_000 }).catch(() => fail('the replay does not show the fills of its clients'))
await tabTo(page, '.replay-panel [role=group] button')
await page.keyboard.press('Enter')
await inPanel('is paused')
await look(page, 'replay')

// Pages of another origin.
const other = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Elsewhere</title>'))
await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve))
const foreign = await browser.newPage()
await foreign.goto(`http://127.0.0.1:${other.address().port}/`)
const outcomes = await foreign.evaluate(async (url) => {
  const post = await fetch(`${url}/api/v1/strategy/instance`, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }).then(({ status }) => status, () => 'refused')
  const socket = await new Promise((resolve) => {
    const one = new WebSocket(`${url.replace('http', 'ws')}/ws/live`)
    one.onopen = () => resolve('open')
    one.onerror = () => resolve('refused')
  })
  return [post, socket]
}, server.url)
expect('the outcome of a foreign page', outcomes, ['refused', 'refused'])
if (faults.length > 0) fail('faults')
other.close()
await browser.close()
await server.close()
await serving.close()
console.log(`live-view: ${fillCount} fills on chart, table and journal, for two viewers`)
process.exit(0)
