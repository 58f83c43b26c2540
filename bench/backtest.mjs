// Backtests of the big day against file to columns and, where Python is at hand, hftbacktest 2.4.4 on the same rows in the same run.
// usage: node bench/backtest.mjs [RUNS=5] [FILE=the big day] [--without-peer]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSource, readTickFile, runBacktest } from '../dist/index.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import * as strategies from './peers/strategies.mjs'

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

const CASES = [['Idle', 1, 'file'], ['Idle', 1, 'cache'], ['Maker', 1, 'file'], ['Maker', 1, 'cache'], ['Rester', 1, 'cache'], ['Rester', 100, 'cache'], ['Maker', 4, 'cache']]

function tell(columns, found, others) {
  const of = (name) => found.get(name)
  const times = (a, b) => `${(of(a).ms / of(b).ms).toFixed(2)} x`
  const ofColumns = (name) => `${of(name).ms.toFixed(0)} ms, ${(of(name).ms / columns.ms).toFixed(2)} x file to columns (${columns.ms.toFixed(0)} ms)`
  tableRow('file to finished backtest, a strategy that hears all and does nothing', ofColumns('Idle 1 file'), '1.3 x, 300 MB', of('Idle 1 file').peakMb)
  tableRow('the same from cached columns', ofColumns('Idle 1 cache'), 'about a second', of('Idle 1 cache').peakMb)
  tableRow(`a market maker every 100 ms, ${of('Maker 1 cache').lines} journal lines`, ofColumns('Maker 1 cache'), '', of('Maker 1 cache').peakMb)
  tableRow('100 parameter sets that rest an order and wake every 100 ms, against one', times('Rester 100 cache', 'Rester 1 cache'), '1.5 x', of('Rester 100 cache').peakMb)
  tableRow('4 market makers against one', times('Maker 4 cache', 'Maker 1 cache'), '100: 6 x', of('Maker 4 cache').peakMb)
  if (others === null) return
  for (const [mine, its, target] of [['Idle 1 cache', 'idle', '3 x'], ['Maker 1 cache', 'maker', '2.5 x']]) {
    const other = others[its]
    if (other === null) continue
    const ms = median(other.seconds) * 1000
    const loaded = `${ms.toFixed(0)} ms after ${(other.loadSeconds * 1000).toFixed(0)} ms to load its arrays`
    tableRow(`speed against hftbacktest 2.4.4, ${its}: this with its start and the reading of cached columns`, `${(ms / of(mine).ms).toFixed(2)} x (${loaded})`, target)
  }
}

function compare(path, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-bench-'))
  try {
    const cache = join(folder, 'days')
    measured(path, ['Idle', 1, cache], 1)
    const columns = measured(path, ['columns', 1, '-'], rounds)
    const roundsOf = (name, count) => (name === 'Maker' && count > 1 ? 1 : rounds)
    const found = new Map(CASES.map(([name, count, source]) => [`${name} ${count} ${source}`, measured(path, [name, count, source === 'cache' ? cache : '-'], roundsOf(name, count))]))
    tell(columns, found, process.argv.includes('--without-peer') ? null : peer(path, rounds, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first, ...rest] = process.argv.slice(2).filter((word) => word !== '--without-peer')
if (rest[0] === '--once') await runOnce(first, rest[1], Number(rest[2]), rest[3])
else compare(rest[0] ?? bigDay(), Number(first ?? 5))
