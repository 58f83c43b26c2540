// The minutes of the big day, its bars of ten seconds and of 1000 trades, against file to exact columns: processor
// time, each in a process of its own, in interleaved rounds.
// usage: node bench/minutes.mjs [ROUNDS=5] [FILE=the big day]
import { spawnSync } from 'node:child_process'
import { openTickFile } from '../dist/index.js'
import { openSource, readTickFile } from '../dist/columns.js'
import { TradeBars } from '../dist/export/trade-bars.js'
import { barRule } from '../dist/measures/bars/bar-span.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

const OPTIONS = { day: '2024-08-08' }
const TASKS = {
  columns: async (path) => {
    let rows = 0
    const reading = await readTickFile(await openSource(path), OPTIONS)
    for await (const batch of reading.batches()) rows += batch.rowStart[batch.count]
    return rows
  },
  minutes: async (path) => (await (await openTickFile(path, OPTIONS)).minutes()).rowCount,
  'bars of 10 s': async (path) => (await (await openTickFile(path, OPTIONS)).minutes({ every: '10s' })).rowCount,
  'bars of 1000 trades': async (path) => {
    const day = await openTickFile(path, OPTIONS)
    const bars = new TradeBars(day, barRule({ trades: 1000 }))
    for await (const batch of day.batches()) bars.add(batch)
    return bars.finish().rows.length
  },
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

function child(name, path) {
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, '--once', name, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`${name} failed`)
  return JSON.parse(stdout.toString())
}

if (process.argv[2] === '--once') {
  const rows = await TASKS[process.argv[3]](process.argv[4])
  const { user, system } = process.cpuUsage()
  console.log(JSON.stringify({ ms: (user + system) / 1000, rows, peakMb: process.resourceUsage().maxRSS / 1024 }))
} else {
  const path = process.argv[3] ?? bigDay()
  const found = Object.fromEntries(Object.keys(TASKS).map((name) => [name, []]))
  for (let round = 0; round < Number(process.argv[2] ?? 5); round++)
    for (const name of Object.keys(TASKS)) found[name].push(child(name, path))
  for (const [name, all] of Object.entries(found).slice(1)) {
    const ratio = median(all.map(({ ms }, at) => ms / found.columns[at].ms))
    const seconds = median(all.map(({ ms }) => ms)) / 1000
    const pairs = all.map(({ ms }, at) => (ms / found.columns[at].ms).toFixed(2)).join(' ')
    console.log(`${name}: ${all[0].rows} rows, pairs ${pairs}`)
    tableRow(
      `${name} of a day`, `${ratio.toFixed(2)} x file to columns (processor ${seconds.toFixed(1)} s)`, '1.5 x',
      Math.max(...all.map(({ peakMb }) => peakMb)),
    )
  }
}
