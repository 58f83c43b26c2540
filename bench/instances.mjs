// Instances of a strategy server on their threads against runs of `backtape backtest` in their process: one, and twenty
// of one day. Medians of processor time and wall, in pairs. usage: node bench/instances.mjs [ROUNDS=3] [COUNT=20]
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadStrategy } from '../dist/configuration/strategy-module-reader.js'
import { runBacktest } from '../dist/index.js'
import { createJournalFile } from '../dist/report.js'
import { startInstance } from '../dist/strategy-server/instance-thread-client.js'
import { root } from '../scripts/project.mjs'

const DAY = resolve(
  root, process.env.BACKTAPE_SHARED ?? '../shared', 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst',
)
const MODULE = join(root, 'bench/peers/set-maker.ts')
const LIMITS = { heapMb: 512, bufferMb: 512, callbackMs: 10_000, journalMb: 512 }
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const venue = {
  day: '2024-08-08', account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
}
const parametersOf = (at) => ({ instrument: 'BTCUSDT', size: '0.01', ticks: at % 40 })

/** A run as the command does it with `--journal`: an instance leaves one too. */
async function play(at, folder) {
  const strategy = await loadStrategy(`${MODULE}#SetMaker`, '.', join(folder, 'bundles'))
  const journal = await createJournalFile(join(folder, 'journal.btj'), { force: true })
  const { fingerprint } = await runBacktest({
    ...venue, strategy, data: [DAY], parameters: parametersOf(at), tables: 'none', cache: join(folder, 'cache'),
    journal: () => journal.sink,
  })
  await journal.commit()
  return fingerprint
}

/** The same as an instance. */
function runInstance(at, folder) {
  const own = join(folder, `instance ${at} ${performance.now()}`)
  mkdirSync(own)
  const nothing = () => undefined
  return new Promise((done, failed) => {
    startInstance({
      instanceId: String(at), instanceName: String(at), modulePath: MODULE, strategyName: 'SetMaker',
      parameters: parametersOf(at), folder: own, isResumed: false, limits: LIMITS, cache: join(folder, 'cache'),
      bundles: join(folder, 'bundles'), venue: { type: 'replay', speed: 'max', files: [DAY], ...venue },
    }, {
      running: nothing, opened: nothing, published: nothing, progressed: nothing, logged: nothing, looked: nothing,
      ended: (end) => (end.end === 'whole' ? done(end.fingerprint) : failed(new Error(end.reason))),
    })
  })
}

/** One way of so many runs in this process: a parent process reads the figures. */
async function runHere(folder, { way, count }) {
  const [before, started] = [process.cpuUsage(), performance.now()]
  const numbers = Array.from({ length: count }, (_, at) => at)
  let fingerprints = []
  if (way === 'instances') fingerprints = await Promise.all(numbers.map((at) => runInstance(at, folder)))
  else for (const at of numbers) fingerprints.push(await play(at, folder))
  // A command begins with its process, an instance in one that is there.
  const isCommand = way === 'backtest'
  const { user, system } = isCommand ? process.cpuUsage() : process.cpuUsage(before)
  console.log(JSON.stringify({
    cpuMs: (user + system) / 1000, wallMs: performance.now() - (isCommand ? 0 : started),
    peakMb: process.resourceUsage().maxRSS / 1024, fingerprints: fingerprints.join(),
  }))
}

function child(folder, how) {
  const { status, stdout } = spawnSync(
    process.execPath, [import.meta.filename, '--once', folder, JSON.stringify(how)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`${JSON.stringify(how)} failed`)
  return JSON.parse(stdout.toString())
}

/** Runs one after another in processes of their own, as `backtape backtest` is: their sum. */
function commands(folder, count) {
  const all = Array.from({ length: count }, () => child(folder, { way: 'backtest', count: 1 }))
  return {
    cpuMs: all.reduce((sum, one) => sum + one.cpuMs, 0), wallMs: all.reduce((sum, one) => sum + one.wallMs, 0),
    peakMb: Math.max(...all.map((one) => one.peakMb)), fingerprints: all[0].fingerprints,
  }
}

function compare(rounds, count) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-instances-'))
  try {
    child(folder, { way: 'backtest', count: 1 })
    for (const size of [1, count]) {
      const pairs = Array.from({ length: size === 1 ? rounds * 3 : rounds }, () => [
        child(folder, { way: 'instances', count: size }), commands(folder, size),
      ])
      if (pairs.some(([a, b]) => !a.fingerprints.startsWith(b.fingerprints))) throw new Error('other fingerprints')
      for (const what of ['cpuMs', 'wallMs'])
        console.log(
          `${size} instance${size === 1 ? '' : 's'}, ${what}: ` +
            `${median(pairs.map(([a, b]) => a[what] / b[what])).toFixed(2)} x the runs one after another ` +
            `(${(median(pairs.map(([a]) => a[what])) / 1000).toFixed(2)} s)`,
        )
      const [peakMb, aloneMb] = [0, 1].map((at) => median(pairs.map((pair) => pair[at].peakMb)))
      console.log(`${size}: peak ${peakMb.toFixed(0)} MB, ${aloneMb.toFixed(0)} MB of one run`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first = '3', second = '20', third] = process.argv.slice(2)
if (first === '--once') await runHere(second, JSON.parse(third))
else compare(Number(first), Number(second))
