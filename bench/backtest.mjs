// Backtests of the big day against file to columns and, where Python is at hand, hftbacktest 2.4.4 on the same rows in the same run.
//   node bench/backtest.mjs [FILE] [ROUNDS] [--without-peer]      FILE: big_day.py's output, default /tmp/big5.txt.zst, day 2024-08-08
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSource, readTickFile, runBacktest } from '../dist/index.js'
import * as strategies from './backtest-strategies.mjs'

const DAY = '2024-08-08'
const PEER = 'hftbacktest==2.4.4'
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** One case in this process; what a parent process prints. */
async function runOnce(path, name, worldCount, cache) {
  const started = performance.now()
  let result = null
  if (name === 'columns') {
    const reading = await readTickFile(await openSource(path), { day: DAY })
    for await (const batch of reading.batches()) void batch.count
  } else {
    const parameters = { instrument: 'BTCUSDT', ...(name === 'Idle' ? {} : { size: '0.01' }) }
    const results = await runBacktest({
      strategy: strategies[name], data: [path], day: DAY, parameters: Array.from({ length: worldCount }, () => parameters),
      account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } }, ...(cache === '-' ? {} : { cache }),
    })
    result = results[0]
  }
  console.log(JSON.stringify({ ms: performance.now() - started, peakMb: process.resourceUsage().maxRSS / 1024, lines: result?.journalLineCount ?? 0, fingerprint: result?.fingerprint ?? '' }))
}

function measured(path, [name, worldCount, cache], rounds) {
  const runs = Array.from({ length: rounds }, () => {
    const child = spawnSync(process.execPath, [import.meta.filename, path, '--once', name, String(worldCount), cache], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (child.status !== 0) throw new Error(`${name} failed`)
    return JSON.parse(child.stdout.toString())
  })
  return { ms: median(runs.map(({ ms }) => ms)), peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)), lines: runs[0].lines }
}

function peer(path, rounds, folder) {
  const home = join(import.meta.dirname, '../.cache/peers/hftbacktest')
  const python = join(home, 'bin/python')
  if (!existsSync(python)) {
    mkdirSync(home, { recursive: true })
    const made = spawnSync('python3', ['-m', 'venv', home], { stdio: 'inherit' }).status === 0 && spawnSync(python, ['-m', 'pip', 'install', '-q', PEER], { stdio: 'inherit' }).status === 0
    if (!made) return null
  }
  const rows = join(folder, 'rows.bin')
  if (spawnSync(process.execPath, [join(import.meta.dirname, 'peers/rows.mjs'), path, rows, DAY], { stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0) return null
  return Object.fromEntries(['idle', 'maker'].map((name) => {
    const child = spawnSync(python, [join(import.meta.dirname, 'peers/replay.py'), rows, '0.1', '0.001', name, String(rounds)], { stdio: ['ignore', 'pipe', 'inherit'] })
    return [name, child.status === 0 ? JSON.parse(child.stdout.toString()) : null]
  }))
}

function compare(path, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-bench-'))
  try {
    const cache = join(folder, 'days')
    measured(path, ['Idle', 1, cache], 1)
    const columns = measured(path, ['columns', 1, '-'], rounds)
    const cases = [['Idle', 1, '-'], ['Idle', 1, cache], ['Maker', 1, '-'], ['Maker', 1, cache], ['Rester', 1, cache], ['Rester', 100, cache], ['Maker', 100, cache]]
    const found = new Map(cases.map((one) => [`${one[0]} ${one[1]} ${one[2] === '-' ? 'file' : 'cache'}`, measured(path, one, one[1] > 1 ? Math.min(rounds, 3) : rounds)]))
    console.log(`backtest, Node ${process.versions.node}: medians of ${rounds}; file to columns ${columns.ms.toFixed(0)} ms, peak ${columns.peakMb.toFixed(0)} MB`)
    for (const [name, { ms, peakMb, lines }] of found) {
      console.log(`  ${name.padEnd(18)} ${ms.toFixed(0).padStart(6)} ms, ${(ms / columns.ms).toFixed(2)} x file to columns, peak ${peakMb.toFixed(0)} MB, ${lines} journal lines`)
    }
    const ratio = (a, b) => (found.get(a).ms / found.get(b).ms).toFixed(2)
    console.log(`  100 that rest one order ${ratio('Rester 100 cache', 'Rester 1 cache')} x one; 100 market makers ${ratio('Maker 100 cache', 'Maker 1 cache')} x one`)
    const others = process.argv.includes('--without-peer') ? null : peer(path, rounds, folder)
    if (others === null) return
    for (const [mine, its] of [['Idle 1 cache', 'idle'], ['Maker 1 cache', 'maker']]) {
      const other = others[its]
      if (other === null) continue
      const ms = median(other.seconds) * 1000
      const times = (ms / found.get(mine).ms).toFixed(2)
      const loadMs = (other.loadSeconds * 1000).toFixed(0)
      console.log(`  hftbacktest 2.4.4 ${its}: replay ${ms.toFixed(0)} ms and ${loadMs} ms to load; this, with its start and the reading of cached columns, is ${times} x as fast`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const path = process.argv[2] ?? '/tmp/big5.txt.zst'
if (!existsSync(path)) console.log(`backtest: no big day at ${path}; make it with python3 ../shared/data/tools/big_day.py ${path} 5000000`)
else if (process.argv[3] === '--once') await runOnce(path, process.argv[4], Number(process.argv[5]), process.argv[6])
else compare(path, Number(/^\d+$/.test(process.argv[3] ?? '') ? process.argv[3] : 5))
