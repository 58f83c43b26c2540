// Events of the big day as objects, and its minutes, against JSON.parse of every line behind `zstd -dc`, each in a
// process of its own, in turns. usage: node bench/events.mjs [RUNS=5] [FILE=the big day] [DAY=2024-08-08]
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

const self = fileURLToPath(import.meta.url)
const WORKS = {
  columns: 'batches of columns',
  events: 'every event as an object, its kind and time read',
  trades: 'kinds trades, every fill with price and quantity',
  minutes: 'minute statistics, 22 columns',
  json: 'peer: zstd -dc | JSON.parse per line (nanoseconds wrong)',
}

async function parseLines(path) {
  const zstd = spawn('zstd', ['-dc', path], { stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  let count = -1
  for await (const chunk of zstd.stdout) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()
    for (const line of lines) if (JSON.parse(line) !== null) count++
  }
  return count
}

async function run(work, path, day) {
  if (work === 'json') return parseLines(path)
  const { openTickFile, readEvents, readMinutes } = await import('../dist/index.js')
  const opened = await openTickFile(path, { day })
  let count = 0
  let last = 0n
  if (work === 'columns') for await (const batch of opened.batches()) count += batch.count
  if (work === 'events') {
    for await (const event of readEvents(opened)) {
      count++
      if (event.kind !== 'state') last = event.adapterTimestampNs
    }
    if (last === 0n) throw new Error('no time was read')
  }
  if (work === 'trades')
    for await (const event of readEvents(opened, { kinds: ['trades'] }))
      for (const { price, quantity } of event.trades) if (price.integer > 0 && quantity.integer > 0) count++
  if (work === 'minutes') {
    await readMinutes(opened)
    count = opened.summary.eventCount
  }
  return count
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

if (process.argv[2] === 'child') {
  const start = performance.now()
  const count = await run(...process.argv.slice(3))
  const seconds = (performance.now() - start) / 1000
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  console.log(
    JSON.stringify({
      seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, count, peakMb: Math.round(maxRSS / 1024),
    }),
  )
} else {
  const [runs = '5', path = bigDay(), day = '2024-08-08'] = process.argv.slice(2)
  const results = Object.fromEntries(Object.keys(WORKS).map((work) => [work, []]))
  for (let i = 0; i < Number(runs); i++) {
    for (const work of Object.keys(WORKS))
      results[work].push(
        JSON.parse(execFileSync(process.execPath, [self, 'child', work, path, day], { encoding: 'utf8' })),
      )
  }
  const peer = median(results.json.map(({ seconds }) => seconds))
  console.log(`events: medians of ${runs}, Node ${process.versions.node} (target: 1.5 M events/s)`)
  for (const [work, words] of Object.entries(WORKS)) {
    const seconds = median(results[work].map((result) => result.seconds))
    const cpu = median(results[work].map(({ cpuSeconds }) => cpuSeconds)).toFixed(2)
    const { count } = results[work][0]
    const peak = Math.max(...results[work].map(({ peakMb }) => peakMb))
    const speed = `${(count / seconds / 1e6).toFixed(2).padStart(5)} M/s  ${(seconds / peer).toFixed(2)} x the peer`
    console.log(
      `  ${work.padEnd(8)} ${seconds.toFixed(2).padStart(6)} s (${cpu} s of processor)  ${speed}  peak ${peak} MB  ` +
        `${words}`,
    )
  }
  const events = results.events
  const [rate, ratio] = [
    events[0].count / median(events.map(({ seconds }) => seconds)) / 1e6,
    median(events.map(({ seconds }, i) => seconds / results.columns[i].seconds)),
  ]
  tableRow(
    'friendly events', `${rate.toFixed(2)} M/s (${ratio.toFixed(2)} x file to columns)`, '1.5 M/s',
    Math.max(...events.map(({ peakMb }) => peakMb)),
  )
}
