// Kills a conversion at ten moments (by day at four) and runs the same command again: the results must be those of an undisturbed run, byte for byte.
// Also: a full disk, a read-only folder, an output that exists. The middle two need root; without it they are named as not tried.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const days = join(process.env.BACKTAPE_SHARED ?? join(root, '../shared'), 'data/days')
const inputs = ['binance_swap-BTCUSDT-2023-04-04', 'binance_spot-ETHUSDT-2024-08-08'].map((name) => join(days, `${name}.txt.zst`))
const work = mkdtempSync(join(tmpdir(), 'backtape-kill-'))
const bin = join(root, 'bin/backtape.js')
const command = (out) => [bin, 'convert', ...inputs, '--to', 'parquet', '--out', out, '--jobs', '2']

function fail(message) {
  console.error(`conversion-kill: ${message}`)
  process.exit(1)
}

function convert(out) {
  return spawnSync(process.execPath, command(out), { encoding: 'utf8' })
}

function contents(folder) {
  return new Map(readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name))]))
}

function compare(want, found, when) {
  if ([...want.keys()].join() !== [...found.keys()].join()) fail(`${when}: ${[...found.keys()].join(', ')} instead of ${[...want.keys()].join(', ')}`)
  for (const [name, bytes] of want) if (!bytes.equals(found.get(name))) fail(`${when}: ${name} differs from an undisturbed run`)
}

const calm = join(work, 'calm')
const begun = performance.now()
const first = convert(calm)
if (first.status !== 0) fail(`an undisturbed run exits ${first.status}: ${first.stderr}`)
const lasted = performance.now() - begun
const want = contents(calm)

const KILLS = process.env.BACKTAPE_NIGHTLY ? 10 : 4
for (let moment = 1; moment <= KILLS; moment++) {
  const out = join(work, `killed-${moment}`)
  const child = spawn(process.execPath, command(out), { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => setTimeout(resolve, (lasted * moment) / (KILLS + 0.5)))
  child.kill('SIGKILL')
  await ended
  mkdirSync(out, { recursive: true })
  for (const [name, bytes] of contents(out)) {
    if (name.startsWith('.') || name === 'backtape-manifest.json') continue
    if (!bytes.equals(want.get(name) ?? Buffer.alloc(0))) fail(`moment ${moment}: ${name} looks whole and is not`)
  }
  const again = convert(out)
  if (again.status !== 0) fail(`moment ${moment}: the same command exits ${again.status}: ${again.stderr}`)
  compare(want, contents(out), `moment ${moment}`)
}

const exists = join(work, 'exists')
mkdirSync(exists)
const foreign = [...want.keys()].find((name) => name.endsWith('.trades.parquet'))
writeFileSync(join(exists, foreign), 'mine')
const refused = convert(exists)
if (refused.status === 0 || readFileSync(join(exists, foreign), 'utf8') !== 'mine') fail('an output of somebody else was overwritten')

/** Runs the command in a mounted folder that has to refuse it, and looks for what looks whole. */
function refusedIn(out, options, when, folder = out) {
  mkdirSync(out)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', out], { encoding: 'utf8' })
  if (mounted.status !== 0) {
    console.log(`conversion-kill: ${when} was not tried: ${mounted.stderr.trim()}`)
    return
  }
  try {
    const result = convert(folder)
    if (result.status === 0) fail(`${when}: exit 0`)
    if (/backtape-part/.test(result.stdout + result.stderr)) fail(`${when}: a hidden name in ${result.stdout}${result.stderr}`)
    if (!/Cannot (write|make)/.test(result.stdout + result.stderr) || !/the disk is full|read-only/.test(result.stdout + result.stderr)) fail(`${when}: no sentence in ${result.stdout}${result.stderr}`)
    for (const [name, bytes] of contents(out)) {
      if (name.startsWith('.')) fail(`${when}: ${name} is left`)
      if (name !== 'backtape-manifest.json' && !bytes.equals(want.get(name) ?? Buffer.alloc(0))) fail(`${when}: ${name} looks whole and is not`)
    }
  } finally {
    spawnSync('umount', [out])
  }
}
refusedIn(join(work, 'full'), 'size=300k', 'a full disk')
refusedIn(join(work, 'read-only'), 'ro', 'a read-only folder')
refusedIn(join(work, 'read-only-disk'), 'ro', 'a folder to be made on a read-only disk', join(work, 'read-only-disk/new/deep'))

rmSync(work, { recursive: true, force: true })
console.log(`conversion-kill: ${KILLS} kills, a foreign output, a full disk and a read-only folder: nothing looks whole that is not, and the same command finishes`)
