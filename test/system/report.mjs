// Makes reports of an example run from the command line and opens them from file:// in Chromium at 400, 1280 and 2560
// pixels, dark, and as a PDF: no console error, no request leaves the page, nothing overflows, every picture has marks,
// search, sorting and keyboard work. Screenshots go into .cache/ci/screenshots/.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launchBrowser } from './chromium/browser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shots = join(root, '.cache/ci/screenshots')
const work = mkdtempSync(join(tmpdir(), 'backtape report '))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
mkdirSync(shots, { recursive: true })

function fail(message) {
  console.error(`report: ${message}`)
  process.exit(1)
}

function backtape(...args) {
  const done = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), ...args], {
    cwd: work, encoding: 'utf8', env: { ...process.env, CI: '' },
  })
  if (done.status !== 0) fail(`backtape ${args.join(' ')}: ${done.stderr}`)
}

/** The example with an absolute path and a token in its run file, as people have them. */
function makeReports() {
  cpSync(join(root, 'examples/avellaneda-maker'), work, { recursive: true })
  const path = join(work, 'avellaneda-maker.run.json')
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('../../datasets', join(root, 'datasets')))
  backtape('backtest', 'avellaneda-maker.run.json', '--report', 'run.html', '--note', 'token=ABC123secret <script>x</script>')
  backtape('backtest', 'avellaneda-maker.run.json', '--grid', 'size=50,100', '--grid', 'maxPosition=60,300', '--report', 'sets.html')
  backtape('runs', 'compare', 'last:0', 'best', '--report', 'runs.html')
  for (const name of ['run', 'sets', 'runs'])
    for (const ending of ['html', 'json']) {
      const text = readFileSync(join(work, `${name}.${ending}`), 'utf8')
      if (text.includes(root) || text.includes(work) || text.includes('ABC123secret'))
        fail(`${name}.${ending} holds an absolute path or a token`)
    }
}

const faults = []

async function open(browser, name, width, colorScheme = 'light') {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  page.on('pageerror', (error) => faults.push(`${name} ${width}: ${error}`))
  page.on('console', (message) => faults.push(`${name} ${width}: ${message.text()}`))
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`${name} asks for ${request.url()}`)
  })
  await page.goto(pathToFileURL(join(work, `${name}.html`)).href)
  return page
}

/** Elements beyond the right edge, and pictures without marks. */
async function look(page, what) {
  const { wide, empty, pictures } = await page.evaluate(() => {
    const seen = (node) => node.getClientRects().length > 0
    const inner = (node) => node.closest('.scroll, pre, svg') !== null
    const svgs = [...document.querySelectorAll('figure svg')].filter(seen)
    return {
      wide: [...document.querySelectorAll('body *')].filter((node) => (
        seen(node) && !inner(node) && node.getBoundingClientRect().right > innerWidth + 1
      )).map((node) => `${node.tagName} ${node.className}`).slice(0, 5)
        .concat(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      empty: svgs.filter((svg) => ![...svg.querySelectorAll('path, circle, rect:not(.bt-ground)')].some((mark) => {
        const { width, height } = mark.getBoundingClientRect()
        return width + height > 2
      })).map((svg) => svg.getAttribute('aria-label')),
      pictures: svgs.length,
    }
  })
  if (wide.length > 0) faults.push(`${what}: wider than the page: ${wide.join(', ')}`)
  if (empty.length > 0) faults.push(`${what}: pictures without marks: ${empty.join(', ')}`)
  if (pictures === 0) faults.push(`${what}: no picture`)
  return pictures
}

async function shoot(page, name) {
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}

const rowsOf = (page) => page.$$eval('#orders-table tbody tr', (rows) => (
  rows.map((row) => [...row.cells].map((cell) => cell.textContent))))
const statusOf = (page) => page.textContent('#orders-status')

/** Search, sorting, pages: by the keyboard alone. */
async function useOrders(page) {
  await page.waitForFunction(() => document.getElementById('orders-status').textContent.startsWith('Orders 1 to 50'))
  const { orders } = JSON.parse(readFileSync(join(work, 'run.json'), 'utf8'))
  const wanted = orders.data[123]
  const id = wanted[orders.columns.indexOf('own_order_id')]
  await page.keyboard.press('/')
  await page.keyboard.type(id)
  await page.waitForFunction(() => document.querySelectorAll('#orders-table tbody tr').length === 1)
  const [found] = await rowsOf(page)
  const [price, time] = [wanted[orders.columns.indexOf('price')], wanted[orders.columns.indexOf('ts')]]
  const sent = time.replace('T', ' ').slice(0, 23)
  if (!found.includes(id) || !found.includes(price) || !found[0].startsWith(sent))
    fail(`the search for ${id} shows ${found.join(' | ')}`)
  await page.keyboard.press('Escape')
  if (!(await statusOf(page)).startsWith(`Orders 1 to 50 of ${orders.data.length}`)) fail('Escape does not end the search')
  await page.keyboard.type('no such order')
  await page.waitForFunction(() => document.getElementById('orders-status').textContent.startsWith('No order'))
  await page.keyboard.press('Escape')
  await page.focus('#orders-table')
  await page.keyboard.press('PageDown')
  if (!(await statusOf(page)).startsWith('Orders 51 to 100')) fail(`PageDown shows ${await statusOf(page)}`)
  await page.keyboard.press('PageUp')
  const heads = await page.$$eval('#orders-table th', (all) => all.map((head) => head.textContent.trim()))
  const at = heads.indexOf('executed')
  await page.focus(`#orders-table th:nth-child(${at + 1}) button`)
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key)
  const values = (await rowsOf(page)).map((row) => Number(row[at]))
  if (values.some((value, row) => row > 0 && value > values[row - 1])) fail(`sorted by executed: ${values.join(' ')}`)
}

makeReports()
const browser = await launchBrowser()
for (const name of ['run', 'sets', 'runs']) {
  for (const [width, scheme] of [[400, 'light'], [1280, 'light'], [2560, 'dark']]) {
    const page = await open(browser, name, width, scheme)
    const pictures = await look(page, `${name} at ${width}`)
    await shoot(page, `report-${name}-${width}`)
    if (name === 'run' && width === 1280) await useOrders(page)
    if (name === 'run' && width === 400) console.log(`run: ${pictures} pictures`)
    await page.close()
  }
}
const page = await open(browser, 'run', 1280)
const pdf = await page.pdf({ format: 'A4', path: join(shots, 'report-run.pdf') })
await page.emulateMedia({ media: 'print' })
await shoot(page, 'report-run-print')
const pageCount = pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length ?? 0
if (pageCount < 3 || pageCount > 40) fail(`on paper the report has ${pageCount} pages`)
await browser.close()
if (faults.length > 0) fail([...new Set(faults)].slice(0, 10).join('\n'))
console.log(`The reports open, are searched, printed on ${pageCount} pages, and ask for nothing.`)
