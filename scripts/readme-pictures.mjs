// Makes the pictures of README.md from an example run over a bundled day, in Chromium: docs/pictures/report.png and
// viewer.png, each below 120 kB. Run it when a page looks different: node scripts/readme-pictures.mjs
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launchBrowser } from '../test/system/chromium/browser.mjs'
import { root } from './project.mjs'

const LIMIT_BYTES = 120_000
const RUN = 'examples/inventory-maker/inventory-maker.run.json'
const work = mkdtempSync(join(tmpdir(), 'backtape-pictures-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function backtape(...args) {
  const done = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), ...args], { cwd: root, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`backtape ${args.join(' ')}: ${done.stderr}`)
}

backtape('backtest', RUN, '--no-record', '--report', join(work, 'report.html'))
backtape('view', RUN, '--from', '23:58:00', '--for', '60s', '--out', join(work, 'viewer.html'))
mkdirSync(join(root, 'docs/pictures'), { recursive: true })
const browser = await launchBrowser()
for (const [name, height, prepare] of [
  ['report', 620, (page) => page.evaluate(() => {
    const headings = [...document.querySelectorAll('h2')]
    headings.find(({ textContent }) => textContent === 'Price and fills').scrollIntoView()
  })],
  ['viewer', 520, async (page) => {
    await page.waitForSelector('.ladder tbody tr', { timeout: 60_000 })
    for (let fill = 0; fill < 3; fill++) await page.keyboard.press('f')
  }],
]) {
  const page = await browser.newPage({ viewport: { width: 1040, height }, colorScheme: 'light' })
  await page.goto(pathToFileURL(join(work, `${name}.html`)).href)
  await prepare(page)
  const path = join(root, `docs/pictures/${name}.png`)
  await page.screenshot({ path })
  const { size } = statSync(path)
  if (size > LIMIT_BYTES) throw new Error(`${path} has ${size} bytes, more than ${LIMIT_BYTES}`)
  console.log(`${path}: ${size} bytes`)
}
await browser.close()
