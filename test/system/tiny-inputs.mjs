// A thousand tiny inputs (by day 300) convert in seconds of processor time; killed at any moment (by day at two), what stands is listed, and the same
// command finishes.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const day = join(process.env.BACKTAPE_SHARED ?? join(root, '../shared'), 'data/days/binance_swap-ETHUSDT-2024-07-18.txt.zst')
const work = mkdtempSync(join(tmpdir(), 'backtape-tiny-'))
const bin = join(root, 'bin/backtape.js')
/** Before results were published in batches a thousand took 175 s on the machine that it was measured on, now 17 s; 300 take 7.5 s. */
const isNight = Boolean(process.env.BACKTAPE_NIGHTLY)
const [COUNT, CPU_LIMIT_SECONDS] = isNight ? [1000, 60] : [300, 15]
/** Moments at which a conversion is killed, as far apart as they can be. */
const KILLS = isNight ? 10 : 2

function fail(message) {
  console.error(`tiny-inputs: ${message}`)
  process.exit(1)
}

const { createFrameCompressor } = await import('../../dist/files/zstd-compressor.js')
const pack = await createFrameCompressor(1)
const text = spawnSync('zstd', ['-dc', day], { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout
if (text === null || text === '') fail('it was not tried: zstd is missing')
const lines = text.split('\n')
const tiny = join(work, 'in')
mkdirSync(tiny)
const inputs = Array.from({ length: COUNT }, (_, i) => {
  const path = join(tiny, `binance_swap-ETH${i}-2024-07-18.txt.zst`)
  writeFileSync(path, pack(new TextEncoder().encode(`${[lines[0], ...lines.slice(1 + i, 30 + i)].join('\n')}\n`)))
  return path
})
const command = (out, paths) => [bin, 'convert', ...paths, '--margins', 'keep', '--out', out, '--jobs', '2']

const all = join(work, 'all')
const result = spawnSync('bash', ['-c', 'ulimit -t "$0"; "$@"', String(CPU_LIMIT_SECONDS), process.execPath, ...command(all, inputs)], { encoding: 'utf8' })
if (result.status !== 0) fail(`${COUNT} inputs in ${CPU_LIMIT_SECONDS} s of processor time: exit ${result.status ?? result.signal}: ${result.stderr.slice(-500)}`)

const few = inputs.slice(0, isNight ? 150 : 80)
const contents = (folder) => new Map(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name))]))
const begun = performance.now()
const calm = join(work, 'calm')
if (spawnSync(process.execPath, command(calm, few)).status !== 0) fail('an undisturbed run failed')
const lasted = performance.now() - begun
const want = contents(calm)

for (let moment = 1; moment <= KILLS; moment++) {
  const out = join(work, `killed-${moment}`)
  mkdirSync(out)
  const child = spawn(process.execPath, command(out, few), { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, (lasted * moment) / (KILLS + 0.5)))
  child.kill('SIGKILL')
  await ended
  const left = contents(out)
  const manifest = left.get('backtape-manifest.json')
  const entries = manifest === undefined ? [] : JSON.parse(manifest.toString()).entries
  const listed = new Set(entries.flatMap((entry) => entry.outputs.map(({ file }) => file)))
  for (const [name, bytes] of left) {
    if (name.startsWith('.') || name === 'backtape-manifest.json') continue
    if (!bytes.equals(want.get(name) ?? Buffer.alloc(0))) fail(`moment ${moment}: ${name} looks whole and is not`)
    if (!listed.has(name)) fail(`moment ${moment}: ${name} stands and is not listed`)
  }
  const again = spawnSync(process.execPath, command(out, few), { encoding: 'utf8' })
  if (again.status !== 0) fail(`moment ${moment}: the same command exits ${again.status}: ${again.stderr.slice(-500)}`)
  const found = contents(out)
  if ([...want.keys()].join() !== [...found.keys()].join()) fail(`moment ${moment}: other files than an undisturbed run`)
  for (const [name, bytes] of want) if (!bytes.equals(found.get(name))) fail(`moment ${moment}: ${name} differs from an undisturbed run`)
}

// Two conversions of different inputs into one folder: the manifest lists both.
const both = join(work, 'both')
const halves = [few.slice(0, few.length / 2), few.slice(few.length / 2)].map((paths) => new Promise((resolve) => spawn(process.execPath, command(both, paths), { stdio: 'ignore' }).once('exit', resolve)))
if ((await Promise.all(halves)).some((code) => code !== 0)) fail('one of two conversions into one folder failed')
for (const [name, bytes] of contents(both)) if (!bytes.equals(want.get(name) ?? Buffer.alloc(0))) fail(`two conversions: ${name} differs from one conversion`)

rmSync(work, { recursive: true, force: true })
console.log(`tiny-inputs: ${COUNT} inputs, ${KILLS} kills and two conversions at once: what stands is listed, and the same command finishes`)
