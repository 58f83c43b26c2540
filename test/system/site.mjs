// Opens the built documentation site from file:// in Chromium, as somebody does who was handed the folder: the first
// page, the navigation, searches, the found pages. Nothing is asked of a network, no error is logged, and every link
// between its pages leads somewhere.
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launchBrowser, watchFaults } from './chromium/browser.mjs'

/** From file:// a page may not use the symbols of another file: TypeDoc's script puts them into the page then. */
const ICONS = /^Unsafe attempt to load URL file:\S+icons\.svg#/
const root = fileURLToPath(new URL('../..', import.meta.url))
const SEARCHES = [
  ...existsSync(join(root, 'docs/guide')) ? [{ words: 'queue position', group: 'Guide' }] : [],
  { words: 'placeOrder', group: null },
  { words: 'bankruptcy', group: 'Decisions' },
]
const work = mkdtempSync(join(tmpdir(), 'backtape site '))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function fail(message) {
  console.error(`site: ${message}`)
  process.exit(1)
}

/** Links of the built pages that lead to no file, or to a place that the other page does not have. */
function deadLinks(site) {
  const names = readdirSync(site, { recursive: true }).filter((name) => name.endsWith('.html')).sort()
  const pages = new Map(names.map((name) => [join(site, name), readFileSync(join(site, name), 'utf8')]))
  const idsOf = (text) => new Set([...text.matchAll(/\bid="([^"]+)"/g)].map((match) => match[1]))
  const ids = new Map([...pages].map(([path, text]) => [path, idsOf(text)]))
  return [...pages].flatMap(([path, text]) => [...text.matchAll(/\bhref="([^"]+)"/g)].flatMap(([, raw]) => {
    const target = raw.replaceAll('&amp;', '&')
    if (/^(https?|mailto|data):/.test(target)) return []
    const [file, anchor] = target.split('#').map(decodeURIComponent)
    const to = file === '' ? path : resolve(dirname(path), file)
    const isFile = statSync(to, { throwIfNoEntry: false })?.isFile() === true
    const isGood = isFile && (!anchor || !ids.has(to) || ids.get(to).has(anchor))
    return isGood ? [] : [`${relative(site, path)}: ${target}`]
  }))
}

async function search(page, { words, group }) {
  await page.keyboard.press('/')
  await page.waitForSelector('#tsd-search-input', { state: 'visible' })
  await page.fill('#tsd-search-input', words)
  await page.waitForSelector('#tsd-search-results a', { timeout: 60_000 })
  const found = await page.$$eval('#tsd-search-results a', (links) => (
    links.map(({ textContent, href }) => ({ name: textContent.trim(), href }))
  ))
  const names = found.map(({ name }) => name).join(', ')
  const wanted = group === null ? found.slice(0, 1) : found.filter(({ href }) => groupOf(href) === group)
  for (const { name, href } of wanted) {
    await page.goto(href)
    const text = (await page.textContent('.col-content') ?? '').toLowerCase()
    if (words.toLowerCase().split(' ').every((word) => text.includes(word))) return console.log(`"${words}": ${name}`)
  }
  fail(`a search for "${words}" finds no page of ${group ?? 'all'} that has these words: ${names || 'nothing'}`)
}

/** The group that the navigation lists a page in. */
let groups = new Map()
function groupOf(href) {
  return groups.get(href.split('#')[0])
}

async function readNavigation(page) {
  await page.waitForSelector('#tsd-nav-container a', { state: 'attached' })
  const rows = await page.$$eval('#tsd-nav-container > li', (items) => items.map((item) => ({
    group: item.querySelector('summary')?.textContent.trim() ?? '',
    links: [...item.querySelectorAll('a')].map((link) => link.href),
  })))
  groups = new Map(rows.flatMap(({ group, links }) => links.map((link) => [link.split('#')[0], group])))
  console.log(`navigation: ${rows.map(({ group, links }) => `${group} ${links.length}`).join(', ')}`)
}

const built = join(root, 'site')
if (!existsSync(join(built, 'index.html'))) fail('site/ is not built: npm run docs')
const site = join(work, 'site')
cpSync(built, site, { recursive: true })
const dead = deadLinks(site)
if (dead.length > 0) fail(`${dead.length} links lead nowhere:\n${dead.slice(0, 40).join('\n')}`)

const browser = await launchBrowser()
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
const faults = []
watchFaults(page, faults, { known: ICONS })
await page.goto(pathToFileURL(join(site, 'index.html')).href)
const first = await page.textContent('body') ?? ''
if (!first.includes('Where do I begin?')) fail('the first page is not that by question')
const head = await page.textContent('header') ?? ''
if (!/\bv?\d+\.\d+\.\d+\b/.test(head)) fail('the first page does not show the version')
await page.waitForSelector('#icon-search', { state: 'attached' })
await readNavigation(page)
const closed = await page.$$eval('#tsd-nav-container > li > details:not([open])', (groups) => groups.length)
if (closed > 0) fail(`${closed} groups of the navigation are closed`)
for (const one of SEARCHES) await search(page, one)
if (process.env.SITE_SHOT) await page.screenshot({ path: process.env.SITE_SHOT })
await browser.close()
if (faults.length > 0) fail(`the pages report errors: ${[...new Set(faults)].slice(0, 10).join('; ')}`)
console.log('The documentation site opens, is searched and leads nowhere dead.')
