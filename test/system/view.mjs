// Makes a view of an example run, opens it from file:// and served, in Chromium: steps, fills, keys, a jump in time, three
// widths, light and dark. Nothing is asked of a network, no error is logged, and what the page shows is what stands in
// the run's own data. Screenshots go to .cache/ci/screenshots.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launchBrowser } from './chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shots = join(root, '.cache/ci/screenshots')
const work = mkdtempSync(join(tmpdir(), 'backtape view '))
const program = join(root, 'bin/backtape.js')
const RUN = join(root, 'examples/inventory-maker/inventory-maker.run.json')
const ARGS = ['view', RUN, '--from', '2026-07-01T23:58:00Z', '--for', '90s']
let server = null
process.on('exit', () => {
  server?.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
})

function fail(message) {
  console.error(`view: ${message}`)
  process.exit(1)
}

const file = join(work, 'view.html')
const made = spawnSync(process.execPath, [program, ...ARGS, '--out', file], { encoding: 'utf8' })
if (made.status !== 0) fail(`no page was made: ${made.stderr}`)
mkdirSync(shots, { recursive: true })
const browser = await launchBrowser()
const faults = []

/** A page of which every error and every request is noted. */
async function openPage(url, options) {
  const page = await browser.newPage(options)
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()))
  page.on('request', (request) => request.url() === url || /^(data|blob):/.test(request.url()) ||
    faults.push(`asks for ${request.url()}`))
  await page.goto(url)
  await page.waitForSelector('.ladder tbody tr', { timeout: 60_000 })
  return page
}

const eventOf = async (page) => Number(await page.evaluate(() => document.documentElement.dataset.event))
const ladderOf = (page) => page.$$eval('.ladder tbody tr', (rows) => rows.map((row) => row.textContent).join('|'))
const wordsOf = (page) => page.textContent('.now')

/** Every step forward changes the event, and back again gives the same book. */
async function checkSteps(page) {
  await page.keyboard.press('Home')
  const books = [await ladderOf(page)]
  for (let step = 1; step <= 60; step++) {
    await page.keyboard.press('ArrowRight')
    if (await eventOf(page) !== step) fail(`step ${step} leads to event ${await eventOf(page)}`)
    books.push(await ladderOf(page))
  }
  if (new Set(books).size < 10) fail('sixty steps show fewer than ten books')
  for (let step = 59; step >= 0; step--) {
    await page.keyboard.press('ArrowLeft')
    if (await ladderOf(page) !== books[step]) fail(`the book of event ${step} is another one on the way back`)
  }
}

async function checkFills(page) {
  await page.keyboard.press('Home')
  for (let fill = 0; fill < 12; fill++) {
    await page.keyboard.press('f')
    const words = await wordsOf(page)
    if (!/At the exchange your (BID|ASK) (buys|sells) [\d.]+ at [\d.]+/.test(words)) fail(`no fill: ${words}`)
    const marked = await page.$$eval('[aria-label="Own fills"] tr.hit', (rows) => rows.length)
    if (marked === 0) fail('the fill is not marked in its table')
  }
  const twelfth = await eventOf(page)
  await page.keyboard.press('F')
  await page.keyboard.press('f')
  if (await eventOf(page) !== twelfth) fail('a fill back and forth is another event')
  await page.keyboard.press('o')
  if (!/you (send|receive)|exchange/.test(await wordsOf(page))) fail('o leads to no event of an own order')
}

async function checkJump(page) {
  await page.keyboard.press('g')
  await page.keyboard.type('23:58:30.5')
  await page.keyboard.press('Enter')
  const words = await wordsOf(page)
  if (!/2026-07-01 23:58:(29|30)\.\d{9}/.test(words)) fail(`a jump to 23:58:30.5 leads to ${words}`)
  await page.keyboard.press('?')
  if (!(await page.isVisible('dialog'))) fail('? shows no help')
  if (!(await page.textContent('dialog')).includes('next own fill')) fail('the help lists no keys')
  // Keys are the dialog's while it is open, and the browser closes it a moment after the key.
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'hidden' })
  const before = await eventOf(page)
  await page.keyboard.press('Space')
  const isPlaying = await page.evaluate(() => document.querySelector('button.main').textContent)
  await page.waitForFunction((from) => Number(document.documentElement.dataset.event) > from, before, {
    timeout: 60_000, polling: 100,
  }).catch(() => fail(`Space plays nothing for a minute; its button says ${isPlaying}`))
  await page.keyboard.press('Space')
  const stopped = await eventOf(page)
  await page.waitForTimeout(150)
  if (await eventOf(page) !== stopped) fail('a page that was paused plays on')
}

async function shoot(page, name) {
  await page.evaluate(() => { globalThis.scrollTo(0, 0) })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  if (wide > 0) fail(`${name} is ${wide} pixels wider than its window`)
  await page.screenshot({ path: join(shots, `view-${name}.png`), fullPage: true })
}

/** Log lines of a strategy and a name of a run that would be markup: the page shows them as text. */
async function checkMarkup() {
  const words = '</script><script>globalThis.broken = 1</script><img src=x onerror="globalThis.broken = 2"><b>bold</b>'
  writeFileSync(join(work, 'strategy.mjs'), `import { Strategy } from 'backtape'
export class Shouting extends Strategy {
  onStart() { this.every(1000, () => this.log(${JSON.stringify(words).replaceAll('</', '<\\/')})) }
}
`)
  const name = '<img src=x onerror=globalThis.broken=3>'
  writeFileSync(join(work, `${name}.run.json`), JSON.stringify({
    strategy: './strategy.mjs#Shouting', data: [join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')],
    account: { balances: { USDT: '1' } }, from: '23:56:00',
  }))
  const shouted = join(work, 'shouted.html')
  const args = ['view', `${name}.run.json`, '--from', '23:56:00', '--for', '5s', '--out', shouted]
  const done = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', cwd: work })
  if (done.status !== 0) fail(`no page was made of a run with markup: ${done.stderr}`)
  if (readFileSync(shouted, 'utf8').includes(work)) fail('the page names a path of this machine')
  const page = await browser.newPage()
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(pathToFileURL(shouted).href)
  await page.waitForSelector('.journal')
  await page.keyboard.press('End')
  const { text, title, broken, bold } = await page.evaluate(() => ({
    text: document.querySelector('.journal').textContent, title: document.querySelector('h1').textContent,
    broken: globalThis.broken, bold: document.querySelectorAll('b, img').length,
  }))
  if (broken !== undefined || bold > 0) fail(`markup of a log line or a name was obeyed: ${broken}, ${bold} elements`)
  if (!text.includes(words) || title !== name) fail(`markup is not shown as text: ${title}, ${text.slice(0, 200)}`)
  await page.close()
}

const url = pathToFileURL(file).href
for (const [width, height, scheme] of [[1280, 900, 'light'], [1280, 900, 'dark'], [400, 850, 'light'], [2560, 1300, 'dark'], [2560, 1300, 'light']]) {
  const page = await openPage(url, { viewport: { width, height }, colorScheme: scheme })
  if (width === 1280 && scheme === 'light') {
    await checkSteps(page)
    await checkFills(page)
    await checkJump(page)
  }
  await page.keyboard.press('Home')
  for (let fill = 0; fill < 12; fill++) await page.keyboard.press('f')
  await shoot(page, `${width}-${scheme}`)
  await page.close()
}

await checkMarkup()
server = spawn(process.execPath, [program, ...ARGS, '--serve'], { stdio: ['ignore', 'pipe', 'pipe'] })
const served = await new Promise((resolve) => {
  let text = ''
  server.stdout.on('data', (data) => {
    text += data
    if (text.includes('\n')) resolve(text.trim())
  })
  server.on('exit', () => resolve(''))
})
if (!/^http:\/\/127\.0\.0\.1:\d+\/$/.test(served)) fail(`--serve prints ${served}`)
const page = await openPage(served, { viewport: { width: 1280, height: 900 } })
await page.keyboard.press('f')
if (!(await wordsOf(page)).includes('At the exchange your')) fail('the served page steps to no fill')
for (const [path, status] of [['', 200], ['package.json', 404], ['%2e%2e/package.json', 404], ['?x=1', 200]]) {
  const response = await fetch(`${served}${path}`)
  if (response.status !== status) fail(`${served}${path} answers ${response.status}, expected ${status}`)
}
if ((await fetch(served, { method: 'POST' })).status !== 405) fail('the server takes a POST')
await browser.close()
const left = await new Promise((resolve) => {
  server.on('exit', resolve)
  server.kill('SIGINT')
})
if (left !== 130) fail(`the served view ends with ${left} after Ctrl-C`)
if (faults.length > 0) fail(`the pages report errors: ${[...new Set(faults)].slice(0, 10).join('; ')}`)
console.log('A view opens from its file and served, steps, plays, and asks nobody for anything.')
