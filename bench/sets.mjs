// Many parameter sets of a market maker in one call: over minutes of a recorded day, against as many calls, and divided
// over threads; over the big day, against one set. usage: node bench/sets.mjs [ROUNDS=3]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadStrategy } from '../dist/configuration/strategy-module-reader.js'
import { runBacktest } from '../dist/index.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'

const RECORDED = resolve(
  root, process.env.BACKTAPE_SHARED ?? '../shared', 'data/days/binance_swap-BTCUSDT-2024-08-08.txt.zst',
)
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Some sets in this process, after a run of the first one alone; what a parent process prints. */
async function runHere(path, { setCount, jobs = 1, isOneCall = true, from, to, cache, tables = 'none' }) {
  const strategy = await loadStrategy('set-maker.ts#SetMaker', join(root, 'bench/peers'))
  const sets = Array.from({ length: setCount }, (_, at) => ({ instrument: 'BTCUSDT', size: '0.01', ticks: at % 40 }))
  const run = (parameters) => runBacktest({
    strategy, data: [path], day: '2024-08-08', parameters, jobs, tables,
    account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
    ...(from === undefined ? {} : { from, to }), cache,
  })
  if (from !== undefined) await run(sets.slice(0, 1))
  const [before, started] = [process.cpuUsage(), performance.now()]
  const results = []
  for (const parameters of isOneCall ? [sets] : sets.map((set) => [set])) results.push(...await run(parameters))
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({
    cpuMs: (user + system) / 1000, wallMs: performance.now() - started,
    peakMb: process.resourceUsage().maxRSS / 1024,
    lineCount: results.reduce((sum, one) => sum + one.journalLineCount, 0),
    fingerprints: results.map(({ fingerprint }) => fingerprint).join(),
  }))
}

function child(path, how) {
  const { status, stdout } = spawnSync(
    process.execPath, [import.meta.filename, '--once', path, JSON.stringify(how)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`${JSON.stringify(how)} failed`)
  return JSON.parse(stdout.toString())
}

function compare(rounds) {
  const cache = mkdtempSync(join(tmpdir(), 'backtape-sets-'))
  try {
    const five = { from: '23:54:30', to: '23:59:30', cache }
    const two = { from: '23:56', to: '23:58', cache }
    const [one, many] = [true, false].map((isOneCall) => (
      Array.from({ length: rounds }, () => child(RECORDED, { setCount: 20, ...five, isOneCall }))))
    const share = median(one.map(({ cpuMs }, at) => cpuMs / many[at].cpuMs))
    tableRow(
      '20 sets of a maker on 5 minutes, one call against 20 calls, processor time', `${share.toFixed(2)} x`, '0.2 x',
      one[0].peakMb,
    )
    const thousand = child(RECORDED, { setCount: 1000, ...two })
    tableRow(
      '1,000 sets of a maker over two recorded minutes', `${(thousand.wallMs / 1000).toFixed(1)} s`, '20 s, 600 MB',
      thousand.peakMb,
    )
    const divided = child(RECORDED, { setCount: 1000, ...two, jobs: 2 })
    if (divided.fingerprints !== thousand.fingerprints) throw new Error('jobs change the fingerprints')
    tableRow(
      `the same with --jobs 2 on ${availableParallelism()} cores`,
      `${(divided.wallMs / 1000).toFixed(1)} s, ${(divided.wallMs / thousand.wallMs).toFixed(2)} x`, '', divided.peakMb,
    )
    const path = bigDay()
    child(path, { setCount: 1, cache, from: '00:00', to: '00:01' })
    const alone = median(Array.from({ length: rounds }, () => child(path, { setCount: 1, cache }).cpuMs))
    for (const [setCount, target] of [[4, '1.3 x'], [12, '1.8 x'], [30, '3 x']]) {
      const { cpuMs, peakMb } = child(path, { setCount, cache })
      const found = `${(cpuMs / alone).toFixed(2)} x`
      tableRow(`${setCount} makers of the big day against one, processor time`, found, target, peakMb)
    }
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

if (process.argv[2] === '--once') await runHere(process.argv[3], JSON.parse(process.argv[4]))
else compare(Number(process.argv[2] ?? 3))
