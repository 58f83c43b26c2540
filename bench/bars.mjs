// Bars of ten spans with ten indicators each, against a replay that does nothing, over cached columns of the big day.
// usage: node bench/bars.mjs [RUNS=5] [FILE=the big day]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBacktest } from '../dist/index.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import * as strategies from './peers/strategies.mjs'

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** One run in this process: what the parent prints. */
async function runHere(path, cache, name) {
  const started = performance.now()
  await runBacktest({
    strategy: strategies[name], data: [path], day: '2024-08-08', cache, parameters: { instrument: 'BTCUSDT' },
    account: { balances: { USDT: '100000' } },
  })
  console.log(JSON.stringify({ ms: performance.now() - started, peakMb: process.resourceUsage().maxRSS / 1024 }))
}

function child(path, cache, name) {
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, path, '--once', cache, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${name} failed`)
  return JSON.parse(stdout.toString())
}

if (process.argv[3] === '--once') await runHere(process.argv[2], process.argv[4], process.argv[5])
else {
  const runs = Number(process.argv[2] ?? 5)
  const path = process.argv[3] ?? bigDay()
  const cache = mkdtempSync(join(tmpdir(), 'backtape-bars-'))
  try {
    const found = { Idle: [], TradeBars: [], MidBars: [] }
    child(path, cache, 'Idle')
    // Round by round: the speed of a machine changes by the minute.
    for (let run = 0; run < runs; run++)
      for (const name of Object.keys(found)) found[name].push(child(path, cache, name))
    const pairs = (name) => found[name].map(({ ms }, at) => ms / found.Idle[at].ms - 1)
    for (const [name, what, target] of [['TradeBars', 'trades', '0.3 x'], ['MidBars', 'mids', '']])
      tableRow(
        `bars of ten spans from ${what}, ten indicators each, beyond an idle replay`,
        `${median(pairs(name)).toFixed(2)} x (${median(found.Idle.map(({ ms }) => ms)).toFixed(0)} ms)`, target,
        Math.max(...found[name].map(({ peakMb }) => peakMb)),
      )
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}
