// Debian's Chromium with the driver alone: playwright-core without a browser of its own, in .cache/playwright.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DRIVER = '1.65.1'
const FLAGS = [
  '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
]
const cache = join(fileURLToPath(new URL('../../..', import.meta.url)), '.cache/playwright')

function installDriver() {
  const wanted = JSON.stringify({ private: true, dependencies: { 'playwright-core': DRIVER } })
  if (existsSync(join(cache, 'ok')) && readFileSync(join(cache, 'ok'), 'utf8') === wanted) return
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), wanted)
  const args = ['install', '--prefix', cache, '--no-audit', '--no-fund', '--silent', '--ignore-scripts']
  const done = spawnSync('npm', args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`playwright-core ${DRIVER} could not be installed: ${done.stderr}`)
  writeFileSync(join(cache, 'ok'), wanted)
}

function findChromium() {
  const found = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  if (found === '') throw new Error('Chromium is not installed (apt-get install chromium)')
  return found
}

/** A running Chromium; the caller closes it. */
export async function launchBrowser() {
  installDriver()
  const { chromium } = createRequire(join(cache, 'package.json'))('playwright-core')
  return chromium.launch({ executablePath: findChromium(), chromiumSandbox: false, args: FLAGS })
}

/** Collects in `faults` what a page logs as an error, throws, or asks of a network; `known` are errors to let pass. */
export function watchFaults(page, faults, known = /^$/) {
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !known.test(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || faults.push(`asks for ${request.url()}`))
}
