// Same fingerprint everywhere: each example and two recorded days, in other processes, on the other Node, in another time zone, locale, working
// directory and TMPDIR, with the files in another order. Then 50 random checkpoints of each example, restored in a new process on the other Node. A day
// takes every fourth example, whose goldens `npm test` plays on both Nodes, the two hours around a midnight of the recorded days,
// all that is elsewhere at once, and a checkpoint of the first of them.
// Last, runs with all that the adapter and the accounts can do, stopped and gone on with in a new process.
// BACKTAPE_SEED=N repeats the checkpoints of a run that failed.
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '../..')
const shared = resolve(process.env.BACKTAPE_SHARED ?? join(root, '../shared'))
const otherNode = process.env.OTHER_NODE ?? process.execPath
const seed = process.env.BACKTAPE_SEED ?? String(Date.now() % 1_000_000)
const folder = mkdtempSync(join(tmpdir(), 'backtape-elsewhere-'))
const faults = []
const isNight = Boolean(process.env.BACKTAPE_NIGHTLY)
const CHECKPOINTS = isNight ? 50 : 1
const LAVISH_RUNS = isNight ? '20' : '3'
const examples = readdirSync(join(root, 'examples')).filter((name) => !name.includes('.')).filter((_, at) => isNight || at % 4 === 1)
const checkpointed = isNight ? examples : examples.slice(0, 1)

function run(node, args, options = {}) {
  const child = spawnSync(node, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options, env: { ...process.env, ...options.env } })
  if (child.status !== 0) throw new Error(`${args.join(' ')} ended with ${child.status}: ${child.stderr}`)
  return child.stdout
}

const fingerprintsOf = (out) => out.match(/bt3:[0-9a-f]{64}/g)?.join(' ') ?? 'no fingerprint'

function recordedRun(name, days) {
  const path = join(folder, `${name}.run.json`)
  writeFileSync(path, JSON.stringify({
    strategy: `${join(root, 'examples/inventory-maker/inventory-maker.ts')}#InventoryMaker`,
    data: days.map((day) => join(shared, `data/days/binance_swap-BTCUSDT-${day}.txt.zst`)),
    parameters: { instrument: 'BTCUSDT', size: '0.01', maxPosition: '0.05' },
    account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } },
    ...isNight ? {} : { from: '2023-04-04T23:00:00Z', to: '2023-04-05T01:00:00Z' },
  }))
  return path
}

function sameEverywhere() {
  const elsewhere = join(folder, 'another tmp')
  mkdirSync(elsewhere)
  const straight = recordedRun('straight', ['2023-04-04', '2023-04-05'])
  const turned = recordedRun('turned', ['2023-04-05', '2023-04-04'])
  const files = [...examples.map((name) => [join(root, 'examples', name, `${name}.run.json`)]), [straight, turned]]
  const timeZone = { TZ: 'Pacific/Chatham', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' }
  const otherFolder = { TMPDIR: elsewhere, TZ: 'America/St_Johns' }
  // Each is another process. By night a difference has one cause.
  const ways = isNight
    ? [
      [`Node at ${otherNode}`, otherNode, {}],
      ['another process', process.execPath, {}],
      ['another time zone and locale', process.execPath, { env: timeZone }],
      ['another TMPDIR and working directory', process.execPath, { env: otherFolder, cwd: elsewhere }],
    ]
    : [[`Node at ${otherNode}, another time zone, locale, TMPDIR and working directory`, otherNode, { env: { ...otherFolder, ...timeZone }, cwd: elsewhere }]]
  for (const [path, ...again] of files) {
    const command = (file) => [join(root, 'bin/backtape.js'), 'backtest', file]
    const expected = fingerprintsOf(run(process.execPath, command(path)))
    for (const [words, node, options] of ways) {
      const found = fingerprintsOf(run(node, command(path), options))
      if (found !== expected) faults.push(`${path} in ${words}: expected ${expected}, found ${found}`)
    }
    for (const file of again) {
      const found = fingerprintsOf(run(process.execPath, command(file)))
      if (found !== expected) faults.push(`${file}, its files in another order: expected ${expected}, found ${found}`)
    }
  }
}

function sameFromCheckpoints() {
  const worker = join(import.meta.dirname, '../support/checkpoint-runs.mjs')
  for (const name of checkpointed) {
    const path = join(root, 'examples', name, `${name}.run.json`)
    const kept = join(folder, `${name}-checkpoints`)
    mkdirSync(kept)
    const expected = run(process.execPath, [worker, 'take', path, kept, String(CHECKPOINTS), seed]).trim()
    const found = run(otherNode, [worker, 'restore', path, kept]).trim().split('\n')
    for (const line of found) if (!line.endsWith(expected)) faults.push(`${name}: a checkpoint after ${line}, expected ${expected}`)
    if (found.length !== CHECKPOINTS) faults.push(`${name}: expected ${CHECKPOINTS} checkpoints, found ${found.length}`)
  }
}

/** The worker compiled, with the built package as its source. */
async function lavishWorker(into) {
  const builtSource = (builder) => builder.onResolve({ filter: /\/src\/.*\.js$/ }, ({ path }) => ({ path: pathToFileURL(join(root, 'dist', path.replace(/^.*\/src\//, ''))).href, external: true }))
  const outfile = join(into, 'lavish-worker.mjs')
  await build({
    entryPoints: [join(root, 'test/support/lavish-worker.ts')], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20.19', packages: 'external', plugins: [{ name: 'built-source', setup: builtSource }],
  })
  return outfile
}

async function sameFromLavishCheckpoints() {
  const kept = join(folder, 'lavish')
  mkdirSync(kept)
  // In the package, where its dependencies are found.
  const compiled = mkdtempSync(join(root, 'node_modules/.lavish-'))
  try {
    const worker = await lavishWorker(compiled)
    const expected = run(process.execPath, [worker, 'take', kept, LAVISH_RUNS, seed])
    const found = run(otherNode, [worker, 'restore', kept, LAVISH_RUNS, seed])
    if (found !== expected) faults.push(`lavish runs from checkpoints: expected\n${expected}found\n${found}`)
  } finally {
    rmSync(compiled, { recursive: true, force: true })
  }
}

try {
  if (!existsSync(dirname(join(shared, 'data/days')))) throw new Error(`there is no ${shared}/data`)
  sameEverywhere()
  sameFromCheckpoints()
  await sameFromLavishCheckpoints()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`repeat with BACKTAPE_SEED=${seed}`)
else console.log(`same-elsewhere: ${examples.length} examples and two recorded days have one fingerprint everywhere; ${CHECKPOINTS} random checkpoints of ${checkpointed.join(', ')} too, and one of each of ${LAVISH_RUNS} lavish runs (seed ${seed})`)
process.exitCode = faults.length === 0 ? 0 : 1
