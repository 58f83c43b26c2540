// The audit of the big day against reading it to columns, each in a process of its own, in pairs.
// usage: node bench/audit.mjs [RUNS=5] [FILE=the big day] [DAY=2024-08-08]
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

const self = fileURLToPath(import.meta.url)

async function measure(work, path, day) {
  const { openSource } = await import('../dist/tickfile/archive/source-reader.js')
  const { readTickFile } = await import('../dist/tickfile/tick-file-reader.js')
  const { auditReading } = await import('../dist/tickfile/audit/audit.js')
  const start = performance.now()
  const reading = await readTickFile(await openSource(path), { day, onDamage: 'count' })
  let events = 0
  if (work === 'audit') events = (await auditReading(reading)).events
  else for await (const batch of reading.batches()) events += batch.count
  const seconds = (performance.now() - start) / 1000
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  console.log(
    JSON.stringify({
      seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, events, peakMb: Math.round(maxRSS / 1024),
    }),
  )
}

function child(work, path, day) {
  return JSON.parse(execFileSync(process.execPath, [self, 'child', work, path, day], { encoding: 'utf8' }))
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

if (process.argv[2] === 'child') await measure(...process.argv.slice(3))
else {
  const [runs = '5', path = bigDay(), day = '2024-08-08'] = process.argv.slice(2)
  const results = { columns: [], audit: [] }
  for (let run = 0; run < Number(runs); run++)
    for (const work of ['columns', 'audit']) results[work].push(child(work, path, day))
  const ratio = median(results.audit.map((audit, i) => audit.seconds / results.columns[i].seconds))
  console.log(
    `audit: ${(results.audit[0].events / 1e6).toFixed(1)} M events, medians of ${runs}, Node ${process.versions.node}`,
  )
  for (const [work, list] of Object.entries(results)) {
    const [wall, processor] = ['seconds', 'cpuSeconds'].map((name) => median(list.map((r) => r[name])).toFixed(2))
    console.log(
      `  ${work.padEnd(8)} ${wall} s (${processor} s of processor)  peak ${Math.max(...list.map((r) => r.peakMb))} MB`,
    )
  }
  console.log(`  ratio in pairs ${ratio.toFixed(2)} (target: at most 1.5)`)
  const seconds = median(results.audit.map((audit) => audit.seconds))
  tableRow(
    'audit', `${ratio.toFixed(2)} x file to columns (${seconds.toFixed(1)} s)`, '1.5 x',
    Math.max(...results.audit.map((r) => r.peakMb)),
  )
}
