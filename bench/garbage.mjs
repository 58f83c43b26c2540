// What the loop over a day leaves to the collector, by its own account (--trace-gc): bytes an event, and whether the
// heap grows over the hours. usage: node bench/garbage.mjs [FILE=the big day]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

/** Events of the big day. */
const EVENT_COUNT = 5_000_000
const backtest = join(import.meta.dirname, 'backtest.mjs')
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)\].*?: (Scavenge|Mark-Compact).*? ([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB/

/** Collections of the main thread: megabytes before and after each. */
function collections(path, name, cache) {
  const child = spawnSync(process.execPath, ['--trace-gc', backtest, path, '--once', name, '1', cache], {
    stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26,
  })
  if (child.status !== 0) throw new Error(`${name} failed`)
  const all = child.stdout.toString().split('\n').map((line) => COLLECTION.exec(line)).filter((found) => found !== null)
  const main = all[0]?.[1]
  return all
    .filter(([, isolate]) => isolate === main)
    .map(([, , kind, before, after]) => ({ kind, before: Number(before), after: Number(after) }))
}

function tell(name, found) {
  const scavenges = found.filter(({ kind }) => kind === 'Scavenge')
  const freedMb = found.reduce((sum, { before, after }) => sum + before - after, 0)
  const [third, last] = [found[Math.floor(found.length / 3)], found.at(-1)]
  const told = `${scavenges.length} scavenges, ${((freedMb * 1e6) / EVENT_COUNT).toFixed(0)} bytes an event, start ` +
    'included'
  tableRow(
    `what ${name} leaves to the collector, cached columns`,
    `${told}; heap ${third.after} MB after a third of them, ${last.after} MB at the end`, 'nothing an event, flat',
  )
}

const path = process.argv[2] ?? bigDay()
const folder = mkdtempSync(join(tmpdir(), 'backtape-bench-'))
try {
  const cache = join(folder, 'days')
  collections(path, 'Idle', cache)
  for (const name of ['Idle', 'Rester', 'Maker']) tell(name, collections(path, name, cache))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
