// A buyer in Chromium follows a link to the local shop, pays, declines, leaves, fetches a file and signs in, by the keyboard alone. No error is
// logged, nothing is asked of another origin, axe-core finds nothing serious, and pages of another origin, with a token of the form and a signed-in
// buyer before them, change nothing. Screenshots of every page, at 400 and 1280, light and dark, go to .cache/ci/screenshots.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServing } from '../../dist/serve/serving-server.js'
import { barriersIn, launchBrowser, watchFaults } from './chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shots = join(root, '.cache/ci/screenshots')
const [ID, DAYS] = [9_100_001, ['2026-07-01', '2026-07-02']]
const FILE = join(root, `datasets/synthetic_swap-XRPUSDT-${DAYS[0]}.txt.zst`)
const TOKEN = 'the-token-of-ann-0001'
const REBOUND = 'rebound.example'
const work = mkdtempSync(join(tmpdir(), 'backtape shop '))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
mkdirSync(shots, { recursive: true })
const faults = []

function fail(message) {
  console.error(`shop-pages: ${message}`)
  process.exit(1)
}

const expect = (what, found, wanted) => {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) fail(`${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`)
}

const serving = await openServing({
  data: [join(root, 'datasets')], from: '2026-07-01T00:00:00Z', replay: { start: 'paused' }, httpPort: 0,
  account: { exchange: 'synthetic_swap', balances: { USDT: '1' }, fees: { maker: '0', taker: '0' } },
  shop: { stateFolder: join(work, 'state'), now: '2026-07-04T00:00:00Z', accounts: [{ name: 'ann', token: TOKEN, realtimeKey: 'key-of-ann' }] },
})
const shop = serving.addresses.http
const { purchases, accounts } = serving.shop.service
const ann = accounts.accountOf(TOKEN)
const buyLink = `${shop}/shop?i=${ID}&d=${DAYS.join('..')}`

/** A server of pages of another origin: each path is a page, its body the text of the map. */
const elsewhere = new Map([['/', `<!doctype html><title>Letter</title><a href="${buyLink.replace('&', '&amp;')}">Two days of data</a>`]])
const other = createServer(({ url }, response) => {
  const body = elsewhere.get(url)
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body)
})
await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve))
const otherOrigin = `http://127.0.0.1:${other.address().port}`

// The shop has to refuse what this browser would not even send from a name elsewhere to this machine.
const browser = await launchBrowser([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`, '--disable-features=LocalNetworkAccessChecks'])
const buyer = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true })
const page = await buyer.newPage()
// A browser logs each answer of 400 and more that it shows as a page.
watchFaults(page, faults, { known: /^Failed to load resource: the server responded with a status of 40\d/, origins: [shop, otherOrigin] })

/** Looks at a page at two widths, light and dark: a screenshot of each, nothing beyond the edge, no barrier. */
async function look(name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      if (wide > 0) faults.push(`${name} is ${wide} pixels wider than ${width}`)
      await page.screenshot({ path: join(shots, `shop-${name}-${width}-${colorScheme}.png`), fullPage: true })
      // What differs by width is what is left out at 400.
      if (width === 1280 || colorScheme === 'light') for (const barrier of await barriersIn(page)) faults.push(`${name} at ${width}, ${colorScheme}: ${barrier}`)
    }
  }
}

const titleOf = () => page.textContent('h1')
const pathOf = () => page.url().slice(shop.length)

/** Presses Tab until an element has the focus, which can be seen. */
async function tabTo(selector) {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const seen = await page.evaluate((wanted) => {
      const here = document.activeElement
      if (here === null || !here.matches(wanted)) return null
      // A box of the calendar shows its focus around the number that lies behind it.
      return [here, here.nextElementSibling].some((one) => one !== null && getComputedStyle(one).outlineStyle !== 'none')
    }, selector)
    if (seen === false) faults.push(`${selector} at ${pathOf()} does not show that it has the focus`)
    if (seen !== null) return
  }
  fail(`Tab does not lead to ${selector} at ${pathOf()}`)
}

/** Presses Enter where the focus lies, and waits for the page that it leads to. */
async function enter(selector, path) {
  await tabTo(selector)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  if (!path.test(pathOf())) fail(`${selector} leads to ${pathOf()} (${await titleOf()})`)
}

/** From the link of a letter to the pay page; its session. */
async function checkout() {
  await page.goto(`${otherOrigin}/`)
  await enter('a', /^\/shop\?i=/)
  expect('the title', await titleOf(), 'Cart')
  await tabTo('input[name=email]')
  await page.keyboard.type('me@example.org')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  const [, session] = /^\/shop\/pay\/(cs_[\w-]+)$/.exec(pathOf()) ?? fail(`the cart leads to ${pathOf()} (${await titleOf()})`)
  return session
}

const stateOf = (session) => purchases.session(session)?.record.state

/** Finds by the catalogue and its calendar, to the cart. */
async function find() {
  await page.goto(`${shop}/shop`)
  await look('catalogue')
  await tabTo('input[name=q]')
  await page.keyboard.type('xrp perp')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  await enter('td a', new RegExp(`^/shop\\?i=${ID}$`))
  await look('calendar')
  await tabTo('.month input')
  await page.keyboard.press('Space')
  await look('calendar-ticked')
  await enter('.buttons button', /^\/shop\?i=.*d=2026-07-01$/)
  expect('the days of the cart', await page.$$eval('td.day', (cells) => cells.map((cell) => cell.textContent)), DAYS.slice(0, 1))
  await page.goto(`${shop}/shop?q=nothing+at+all`)
  await look('nothing-found')
  await page.goto(`${shop}/shop/bundles`)
  await look('bundles')
  await enter('td a', /^\/shop\/bundles\?bundle=/)
  await look('bundle')
  await page.goto(`${shop}/shop?i=${ID}&d=2026-07-02..2026-07-05`)
  await look('cart-with-missing')
  await page.goto(`${shop}/shop?i=1`)
  await look('unknown')
}

async function buy() {
  const declined = await checkout()
  await look('pay')
  await enter('button[value=decline]', new RegExp(`^/shop\\?i=${ID}$`))
  const left = await checkout()
  await enter('button[value=leave]', new RegExp(`^/shop\\?i=${ID}$`))
  const paid = await checkout()
  await enter('button[value=pay]', new RegExp(`^/shop/pay/${paid}$`))
  expect('the states of the sessions', [declined, left, paid].map(stateOf), ['pending', 'pending', 'paid'])
  expect('the title', await titleOf(), 'Paid')
  await look('paid')
  await enter('a.main', /^\/shop\/receipt\/ord_/)
  await look('receipt')
  await page.emulateMedia({ media: 'print' })
  expect('what leads elsewhere on paper', [await page.isVisible('header nav'), await page.isVisible('footer')], [false, false])
  await page.emulateMedia({ media: 'screen' })
  await tabTo('td a')
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  if (!readFileSync(await download.path()).equals(readFileSync(FILE))) fail('the file of the receipt is another')
  return left
}

async function useAccount() {
  await page.goto(`${shop}/shop`)
  await enter('nav a[href="/account"]', /^\/account$/)
  await look('sign-in')
  for (const [words, title] of [['wrong', 'Account'], [TOKEN, 'ann']]) {
    await tabTo('input[name=token]')
    await page.keyboard.type(words)
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    expect('the title', await titleOf(), title)
    if (title === 'Account') await look('sign-in-refused')
  }
  await look('account')
  await page.goto(buyLink)
  expect('who is signed in', (await page.textContent('form.box')).includes('signed in as ann'), true)
  await look('cart')
}

/** The forms of the shop with the tokens that a page elsewhere could have fetched itself. */
async function stolenForms(session) {
  const formsAt = async (path, headers = {}) => [...(await (await fetch(shop + path, { headers })).text()).matchAll(/<form[^>]*method="post"[^>]*>[^]*?<\/form>/g)].map(([form]) => ({
    action: shop + /action="([^"]+)"/.exec(form)[1],
    fields: Object.fromEntries([...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  }))
  const [cart] = await formsAt(buyLink.slice(shop.length))
  const [pay] = await formsAt(`/shop/pay/${session}`)
  const [signIn] = await formsAt('/account')
  const [rotate, signOut] = await formsAt('/account', { authorization: `Bearer ${TOKEN}` })
  return [
    { ...cart, fields: { ...cart.fields, email: 'evil@example.org' } }, { ...pay, fields: { ...pay.fields, action: 'pay' } },
    { ...signIn, fields: { ...signIn.fields, token: 'x' } }, rotate, signOut,
  ]
}

const formText = ({ action, fields }) => `<form method="post" action="${action}">${Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('')}</form>`

/** Pages of another origin send forms, fetch, frame the shop, and come by a name of their own. */
async function attack(session) {
  const forms = await stolenForms(session)
  // A page elsewhere that leads to the shop gets the buyer another cookie for forms, never one for the account.
  const cookies = async () => (await buyer.cookies()).filter(({ name }) => name !== 'backtape_form')
  const before = { key: accounts.realtimeKey(ann), cookies: await cookies() }
  expect('the cookies', [before.cookies.length, (await buyer.cookies()).length], [1, 2])
  const evil = await buyer.newPage()
  const submitted = async (path, body, origin) => {
    const answers = []
    for (const form of forms) {
      elsewhere.set(path, body(formText(form)))
      const answered = evil.waitForResponse((response) => response.request().method() === 'POST')
      await evil.goto(otherOrigin + path)
      const response = await answered
      answers.push(`${new URL(response.url()).pathname} ${response.status()} ${(await response.request().allHeaders()).origin}`)
      await evil.waitForLoadState()
    }
    expect(`forms of ${path}`, answers, forms.map(({ action }) => `${new URL(action).pathname} 403 ${origin}`))
  }
  await submitted('/form', (form) => `<!doctype html>${form}<script>document.forms[0].submit()</script>`, otherOrigin)
  // A page that hides where it is from.
  await submitted('/hidden', (form) => `<!doctype html><meta name="referrer" content="no-referrer">${form}<script>document.forms[0].submit()</script>`, 'null')
  elsewhere.set('/empty', '<!doctype html><title>Evil</title>')
  await evil.goto(`${otherOrigin}/empty`)
  expect('what a page elsewhere reads', await evil.evaluate(readings, { shop, forms }), [])
  elsewhere.set('/frame', `<!doctype html><iframe src="${shop}/account"></iframe><iframe src="${buyLink}"></iframe>`)
  await evil.goto(`${otherOrigin}/frame`)
  expect('the frames', evil.frames().slice(1).map((frame) => frame.url()), ['chrome-error://chromewebdata/', 'chrome-error://chromewebdata/'])
  await rebind(forms)
  await evil.close()
  expect('the session', stateOf(session), 'pending')
  expect('the key', accounts.realtimeKey(ann), before.key)
  expect('the cookies', await cookies(), before.cookies)
}

/** Runs in a page: what it could read or send without a refusal, of ways to read and to send. */
async function readings({ shop, forms }) {
  const got = []
  const tried = async (name, work) => {
    try {
      const found = await work()
      if (found !== null) got.push(`${name}: ${found}`)
    } catch {
      // The browser keeps it from the page.
    }
  }
  const paths = ['/account', '/api/search?q=xrp', '/openapi.json', '/llms.txt']
  for (const path of paths)
    for (const mode of ['cors', 'no-cors'])
      await tried(`${mode} ${path}`, async () => (await fetch(shop + path, { mode, credentials: 'include' })).type)
  for (const { action, fields } of forms)
    for (const mode of ['cors', 'no-cors'])
      await tried(`${mode} ${action}`, async () => (await fetch(action, { method: 'POST', mode, credentials: 'include', body: new URLSearchParams(fields) })).type)
  await tried('json', async () => (await fetch(`${shop}/v1/checkout/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).type)
  await tried('simple json', async () => (await fetch(`${shop}/api/quote`, { method: 'POST', mode: 'no-cors', body: '{}' })).type)
  const loaded = (name, set) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), { onload: () => resolve('loaded'), onerror: () => resolve(null) })
    set(element)
    document.head.append(element)
  })
  await tried('script', () => loaded('script', (one) => { one.src = `${shop}/api/search?q=xrp` }))
  await tried('style', () => loaded('link', (one) => Object.assign(one, { rel: 'stylesheet', href: `${shop}/shop` })))
  await tried('image', () => loaded('img', (one) => { one.src = `${shop}/shop` }))
  await tried('socket', () => new Promise((resolve) => {
    const socket = new WebSocket(`${shop.replace('http', 'ws')}/api/v2`)
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve(null)
  }))
  const shown = window.open(`${shop}/account`)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await tried('window', () => shown.document.title)
  shown.close()
  return got
}

/** A page that came by a name of its own, which then leads to the shop: it is of the same origin as what it asks for. */
async function rebind(forms) {
  const origin = shop.replace('127.0.0.1', REBOUND)
  const evil = await buyer.newPage()
  await evil.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Evil</title>' }))
  await evil.goto(`${origin}/`)
  const statuses = await evil.evaluate(async ({ paths, posts }) => {
    const answers = []
    for (const path of paths) answers.push((await fetch(path)).status)
    for (const { action, fields } of posts) answers.push((await fetch(new URL(action).pathname, { method: 'POST', body: new URLSearchParams(fields) })).status)
    return answers
  }, { paths: ['/shop', '/account', '/api/search?q=xrp', '/openapi.json', '/llms.txt'], posts: forms })
  expect('the answers to a name that leads here', [...new Set(statuses)], [403])
  await evil.close()
}

await find()
const left = await buy()
await useAccount()
await attack(left)
await page.goto(`${shop}/account`)
await enter('form[action="/account/sign-out"] button', /^\/account$/)
expect('the title', await titleOf(), 'Account')
await browser.close()
other.close()
await serving.close()
if (faults.length > 0) fail(`the pages report: ${[...new Set(faults)].slice(0, 20).join('\n')}`)
console.log('A buyer finds, pays, declines, leaves and signs in by the keyboard; a page elsewhere can do nothing.')
