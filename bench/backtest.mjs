// Backtests of the big day against file to columns and, where Python is at hand, hftbacktest 2.4.4 on the same rows in
// the same run. usage: node bench/backtest.mjs [RUNS=5] [FILE=the big day] [--without-peer]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runBacktest } from '../dist/index.js'
import { openSource, readTickFile } from '../dist/columns.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import * as strategies from './peers/strategies.mjs'

const DAY = '2024-08-08'
const PEER = 'hftbacktest==2.4.4'
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** One case in this process, `rounds` times after each other; what a parent process prints. */
async function runHere(path, name, worldCount, cache, rounds) {
  const ms = []
  let result = null
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    if (name === 'columns') {
      const reading = await readTickFile(await openSource(path), { day: DAY })
      for await (const batch of reading.batches()) void batch.count
    } else {
      const parameters = { instrument: 'BTCUSDT', ...(name === 'Idle' ? {} : { size: '0.01' }) }
      const results = await runBacktest({
        strategy: strategies[name], data: [path], day: DAY,
        parameters: Array.from({ length: worldCount }, () => parameters),
        account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
        ...(cache === '-' ? {} : { cache }),
      })
      result = results[0]
    }
    ms.push(performance.now() - started)
  }
  console.log(
    JSON.stringify({
      ms, peakMb: process.resourceUsage().maxRSS / 1024, lines: result?.journalLineCount ?? 0,
      fingerprint: result?.fingerprint ?? '',
    }),
  )
}

function child(path, [name, worldCount, cache], rounds = 1) {
  const { status, stdout } = spawnSync(
    process.execPath, [import.meta.filename, path, '--once', name, String(worldCount), cache, String(rounds)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`${name} failed`)
  return JSON.parse(stdout.toString())
}

/**
 * Cases in processes of their own, round by round: the speed of a machine changes by the minute, and ratios are to
 * compare what ran side by side.
 */
function measured(path, cases, rounds) {
  const runs = new Map(cases.map(({ key }) => [key, []]))
  for (let round = 0; round < rounds; round++)
    for (const { key, what, most = rounds } of cases) if (round < most) runs.get(key).push(child(path, what))
  return new Map(
    [...runs].map(([key, all]) => [
      key,
      {
        ms: median(all.map(({ ms }) => ms[0])), peakMb: Math.max(...all.map(({ peakMb }) => peakMb)),
        lines: all[0].lines,
      },
    ]),
  )
}

function peer(path, rounds, folder) {
  const home = join(import.meta.dirname, '../.cache/peers/hftbacktest')
  const python = join(home, 'bin/python')
  if (!existsSync(python)) {
    mkdirSync(home, { recursive: true })
    const made =
      spawnSync('python3', ['-m', 'venv', home], { stdio: 'inherit' }).status === 0 &&
      spawnSync(python, ['-m', 'pip', 'install', '-q', PEER], { stdio: 'inherit' }).status === 0
    if (!made) return null
  }
  const rows = join(folder, 'rows.bin')
  if (
    spawnSync(process.execPath, [join(import.meta.dirname, 'peers/rows.mjs'), path, rows, DAY], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }).status !== 0
  )
    return null
  return Object.fromEntries(
    ['idle', 'maker'].map((name) => {
      const { status, stdout } = spawnSync(
        python, [join(import.meta.dirname, 'peers/replay.py'), rows, '0.1', '0.001', name, String(rounds)],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      return [name, status === 0 ? JSON.parse(stdout.toString()) : null]
    }),
  )
}

const CASES = [
  ['Idle', 1, 'file'], ['Idle', 1, 'cache'], ['Maker', 1, 'file'], ['Maker', 1, 'cache'], ['Rester', 1, 'cache'],
  ['Rester', 100, 'cache'], ['Maker', 4, 'cache'],
]

function tell(found, warm, others) {
  const of = (name) => found.get(name)
  const columns = of('columns')
  const times = (a, b) => `${(of(a).ms / of(b).ms).toFixed(2)} x`
  const ofColumns = (name) =>
    `${of(name).ms.toFixed(0)} ms, ${(of(name).ms / columns.ms).toFixed(2)} x file to columns ` +
      `(${columns.ms.toFixed(0)} ms)`
  tableRow(
    'file to finished backtest, a strategy that hears all and does nothing', ofColumns('Idle 1 file'), '1.3 x, 300 MB',
    of('Idle 1 file').peakMb,
  )
  tableRow('the same from cached columns', ofColumns('Idle 1 cache'), 'about a second', of('Idle 1 cache').peakMb)
  tableRow(
    `a market maker every 100 ms, ${of('Maker 1 cache').lines} journal lines`, ofColumns('Maker 1 cache'), '',
    of('Maker 1 cache').peakMb,
  )
  tableRow(
    '100 parameter sets that rest an order and wake every 100 ms, against one',
    times('Rester 100 cache', 'Rester 1 cache'), '1.5 x', of('Rester 100 cache').peakMb,
  )
  tableRow(
    '4 market makers against one', times('Maker 4 cache', 'Maker 1 cache'), '100: 6 x', of('Maker 4 cache').peakMb,
  )
  if (others === null) return
  for (const [name, its, target] of [['Idle', 'idle', '3 x'], ['Maker', 'maker', '2.5 x']]) {
    const other = others[its]
    if (other === null) continue
    const ms = median(other.seconds) * 1000
    const loaded = `${ms.toFixed(0)} ms after ${(other.loadSeconds * 1000).toFixed(0)} ms to load its arrays`
    const mine = warm.get(name)
    tableRow(
      `speed against hftbacktest 2.4.4, ${its}, both in one process after a first run; this reads cached columns`,
      `${(ms / mine).toFixed(2)} x: ${mine.toFixed(0)} ms (${loaded})`, target,
    )
    tableRow('the same, this in a new process each time', `${(ms / of(`${name} 1 cache`).ms).toFixed(2)} x`, target)
  }
}

function compare(path, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-bench-'))
  try {
    const cache = join(folder, 'days')
    child(path, ['Idle', 1, cache])
    const cases = CASES.map(([name, count, source]) => {
      const what = [name, count, source === 'cache' ? cache : '-']
      return { key: `${name} ${count} ${source}`, what, ...(name === 'Maker' && count > 1 ? { most: 1 } : {}) }
    })
    const found = measured(path, [{ key: 'columns', what: ['columns', 1, '-'] }, ...cases], rounds)
    const warm = new Map(
      ['Idle', 'Maker'].map((name) => [name, median(child(path, [name, 1, cache], 1 + rounds).ms.slice(1))]),
    )
    tell(found, warm, process.argv.includes('--without-peer') ? null : peer(path, rounds, folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first, ...rest] = process.argv.slice(2).filter((word) => word !== '--without-peer')
if (rest[0] === '--once') await runHere(first, rest[1], Number(rest[2]), rest[3], Number(rest[4]))
else compare(rest[0] ?? bigDay(), Number(first ?? 5))
