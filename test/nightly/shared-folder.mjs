// Containers, killed processes and disks: two conversions in PID namespaces of their own, and on machines of other names, share a folder; a
// command right after kill -9 finds nothing of the killed one; a cache on a full or read-only disk does not end a run. Needs root.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const days = join(process.env.BACKTAPE_SHARED ?? join(root, '../shared'), 'data/days')
const day = join(days, 'binance_swap-BTCUSDT-2023-04-04.txt.zst')
const other = join(days, 'binance_spot-ETHUSDT-2024-08-08.txt.zst')
const bin = join(root, 'bin/backtape.js')
const work = mkdtempSync(join(tmpdir(), 'backtape-shared-'))

function fail(message) {
  console.error(`shared-folder: ${message}`)
  process.exit(1)
}

const parts = (folder) => readdirSync(folder).filter((name) => name.includes('backtape-part'))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts a program, alone or in namespaces of its own. */
function start(words, space = []) {
  const [program, ...rest] = [...space, process.execPath, ...words]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (bytes) => (text += bytes))
  child.stderr.on('data', (bytes) => (text += bytes))
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, text }))) }
}

const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc']
const MACHINE = ['unshare', '--pid', '--fork', '--mount-proc', '--uts', 'sh', '-c', 'hostname other && exec "$@"', 'sh']
if (spawnSync(CONTAINER[0], [...CONTAINER.slice(1), 'true']).status !== 0) fail('unshare --pid was not tried: it needs root')

// A writer that holds its unfinished file for a time, or until a file is there (two minutes at most); what a second process in another namespace does beside it must leave it alone.
const holder = join(work, 'holder.mjs')
writeFileSync(holder, `
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createWholeFile } from ${JSON.stringify(new URL('../../dist/files/whole-file-writer.js', import.meta.url).href)}
const file = await createWholeFile(process.argv[2], {})
await file.write(new TextEncoder().encode('held'))
console.log('held')
const [,,, how] = process.argv
if (Number(how) >= 0) await pause(Number(how))
else for (let count = 0; count < 6000 && !existsSync(how); count++) await pause(20)
await file.commit().then(() => console.log('whole'), (error) => console.log(error.code + ' ' + error.message))
`)

for (const [name, space] of [['container', CONTAINER], ['machine', MACHINE]]) {
  const out = join(work, name)
  mkdirSync(out)
  const release = join(work, `release-${name}`)
  const held = start([holder, join(out, 'held.bin'), release], space)
  while (parts(out).length === 0) await pause(20)
  const { code, text } = await start([bin, 'convert', day, '--kinds', 'trades', '--out', out], space).ended
  if (code !== 0) fail(`a conversion beside another ${name} exits ${code}: ${text}`)
  if (parts(out).length !== 1) fail(`a conversion took the live part of another ${name} for a leftover`)
  writeFileSync(release, '')
  const end = await held.ended
  if (!end.text.includes('whole') || readFileSync(join(out, 'held.bin'), 'utf8') !== 'held') fail(`the part of another ${name} was not published: ${end.text}`)

  const both = join(work, `${name}-both`)
  const runs = await Promise.all([day, other].map((input) => start([bin, 'convert', input, '--out', both], space).ended))
  for (const run of runs) if (run.code !== 0) fail(`of two conversions in one folder one exits ${run.code}: ${run.text}`)
  if (parts(both).length > 0) fail('parts are left')

  const race = join(work, `${name}-race`)
  mkdirSync(race)
  const ends = await Promise.all([1, 2].map(() => start([holder, join(race, 'one.bin'), '1500'], space).ended))
  const won = ends.filter(({ text: said }) => said.includes('whole')).length
  if (won !== 1 || !ends.some(({ text: said }) => said.includes('OUTPUT_EXISTS'))) fail(`of two that write one name ${won} won: ${ends.map(({ text: said }) => said).join()}`)
}

// kill -9, and the same command at once, while the system may still take the killed one down.
for (let round = 0; round < 5; round++) {
  const out = join(work, `killed-${round}`)
  mkdirSync(out)
  const { child } = start([holder, join(out, 'held.bin'), '60000'])
  while (parts(out).length === 0) await pause(20)
  child.kill('SIGKILL')
  const { status, stderr } = spawnSync(process.execPath, [holder, join(out, 'held.bin'), '0'], { encoding: 'utf8' })
  if (status !== 0 || readdirSync(out).join() !== 'held.bin') fail(`after kill -9 there is ${readdirSync(out).join()}: ${stderr}`)
}

// A thread that does nothing but compute has its part refreshed all the same.
const still = spawnSync(process.execPath, ['--input-type=module', '-e', `
import { statSync, writeFileSync } from 'node:fs'
import { keepFresh } from ${JSON.stringify(new URL('../../dist/files/heartbeat-client.js', import.meta.url).href)}
writeFileSync(process.argv[1], '')
const before = statSync(process.argv[1]).ctimeMs
keepFresh(process.argv[1])
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 45_000)
console.log(statSync(process.argv[1]).ctimeMs - before)`, join(work, 'still')], { encoding: 'utf8' })
if (!(Number(still.stdout) > 15_000)) fail(`a part was refreshed after ${still.stdout} ms of a thread that stands still: ${still.stderr}`)

// A cache on a small and on a read-only disk: the run has the fingerprint of one without a cache, and one note.
const run = join(work, 'run')
mkdirSync(run)
copyFileSync(day, join(run, 'binance_swap-BTCUSDT-2023-04-04.txt.zst'))
writeFileSync(join(run, 'idle.mjs'), "import { Parameter, Strategy, TradingInstrument } from 'backtape'\nexport class Idle extends Strategy { @Parameter(TradingInstrument) instrument\n onStart() {} }\n")
writeFileSync(join(run, 'idle.run.json'), JSON.stringify({
  strategy: './idle.mjs#Idle', data: ['binance_swap-BTCUSDT-2023-04-04.txt.zst'], parameters: { instrument: 'BTCUSDT' }, account: { balances: { USDT: '1000' } },
}))
const fingerprintOf = (...more) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'backtest', join(run, 'idle.run.json'), '--json', ...more], { encoding: 'utf8' })
  if (status !== 0) fail(`a run exits ${status}: ${stderr}`)
  return { fingerprint: JSON.parse(stdout).fingerprint, stderr }
}
const plain = fingerprintOf()
for (const [options, words] of [['size=64k', /the disk is full/], ['ro', /the file system is read-only/]]) {
  const cache = join(work, `cache-${options.slice(0, 2)}`)
  mkdirSync(cache)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', cache]).status !== 0) fail(`a disk with ${options} was not tried`)
  try {
    const { fingerprint, stderr } = fingerprintOf('--cache', cache)
    if (fingerprint !== plain.fingerprint) fail(`a cache on a disk with ${options} changes the result`)
    if ((stderr.match(/Decoded days are not kept/g) ?? []).length !== 1 || !words.test(stderr)) fail(`no note of a cache with ${options}: ${stderr}`)
    // A strategy as it was compiled is small, and kept whole where it fits.
    const left = readdirSync(cache).filter((name) => !name.endsWith('.backtape-strategy'))
    if (left.length > 0) fail(`${left.join()} is left in a cache with ${options}`)
    for (const outputs of [['--journal', join(cache, 'j.jsonl')], ['--out', join(cache, 'tables')], ['--checkpoint', join(cache, 'c.json')]]) {
      if (options !== 'ro') continue
      const refused = spawnSync(process.execPath, [bin, 'backtest', join(run, 'idle.run.json'), ...outputs], { encoding: 'utf8' })
      if (refused.status !== 1 || !words.test(refused.stderr)) fail(`${outputs.join(' ')} on a read-only disk: ${refused.status} ${refused.stderr}`)
    }
  } finally {
    spawnSync('umount', [cache])
  }
}
if (statSync(join(run, 'idle.run.json')).size === 0) fail('the run file is gone')

rmSync(work, { recursive: true, force: true })
console.log('shared-folder: containers and machines leave live parts alone, kill -9 leaves nothing, a cache on a bad disk ends no run')
