// Debian's Chromium with the driver alone: playwright-core without a browser of its own, in .cache/playwright, and axe-core beside it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = { 'playwright-core': '1.65.1', 'axe-core': '4.14.1' }
const FLAGS = [
  '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
]
const cache = join(fileURLToPath(new URL('../../..', import.meta.url)), '.cache/playwright')

function installDriver() {
  const wanted = JSON.stringify({ private: true, dependencies: PACKAGES })
  if (existsSync(join(cache, 'ok')) && readFileSync(join(cache, 'ok'), 'utf8') === wanted) return
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), wanted)
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--silent', '--ignore-scripts']
  const done = spawnSync('npm', args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`playwright-core could not be installed: ${done.stderr}`)
  writeFileSync(join(cache, 'ok'), wanted)
}

function findChromium() {
  const found = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  if (found === '') throw new Error('Chromium is not installed (apt-get install chromium)')
  return found
}

/** A running Chromium, with more flags; the caller closes it. */
export async function launchBrowser(flags = []) {
  installDriver()
  const { chromium } = createRequire(join(cache, 'package.json'))('playwright-core')
  return chromium.launch({ executablePath: findChromium(), chromiumSandbox: false, args: [...FLAGS, ...flags] })
}

/** Faults of a page, as it stands, that axe-core calls serious or critical: rule, elements. The driver is installed before. */
export async function barriersIn(page) {
  await page.evaluate(readFileSync(createRequire(join(cache, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8'))
  const { violations } = await page.evaluate(() => globalThis.axe.run(document))
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id} (${help}): ${nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ')}`)
}

/**
 * Collects in `faults` what a page logs as an error, throws, or asks of a network; `known` are errors to let pass, `origins` those that it may ask.
 */
export function watchFaults(page, faults, { known = /^$/, origins = [] } = {}) {
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !known.test(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (!/^(file|data|blob):/.test(protocol) && !origins.includes(origin)) faults.push(`asks for ${request.url()}`)
  })
}
