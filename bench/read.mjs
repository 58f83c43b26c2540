// File to exact columns against `zstd -dc` of the same file, in interleaved pairs.
//   node bench/read.mjs [FILE=the big day] [ROUNDS=5] [--zstd native|wasm|fzstd] [--lines wasm|javascript]
import { spawnSync } from 'node:child_process'
import { openSource, readTickFile } from '../dist/columns.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

function option(name, fallback) {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}

const mainCpu = () => process.threadCpuUsage === undefined ? NaN : cpu(process.threadCpuUsage())
const cpu = (usage = process.cpuUsage()) => (usage.user + usage.system) / 1000

/** Reads the file once in this process; what a parent process prints. */
async function readOnce(path) {
  const [cpuBefore, mainBefore] = [cpu(), mainCpu()]
  const started = process.hrtime.bigint()
  const reading = await readTickFile(await openSource(path), {
    day: '2024-08-08', zstd: option('zstd', 'auto'), lines: option('lines', 'auto'),
  })
  let rows = 0
  for await (const batch of reading.batches()) rows += batch.rowStart[batch.count]
  const ms = Number(process.hrtime.bigint() - started) / 1e6
  const { eventCount, textBytes } = reading.summary
  console.log(
    JSON.stringify({
      ms, rows, eventCount, textBytes, peakMb: process.resourceUsage().maxRSS / 1024, cpuMs: cpu() - cpuBefore,
      mainCpuMs: mainCpu() - mainBefore,
    }),
  )
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

function compare(path, rounds) {
  const flags = ['zstd', 'lines'].flatMap((name) => [`--${name}`, option(name, 'auto')])
  const pairs = []
  for (let i = 0; i < rounds; i++) {
    const started = process.hrtime.bigint()
    const peer = spawnSync('zstd', ['-dc', '--long=31', path], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (peer.status !== 0) throw new Error('zstd is needed for comparison')
    const peerMs = Number(process.hrtime.bigint() - started) / 1e6
    const child = spawnSync(process.execPath, [import.meta.filename, path, '--once', ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    pairs.push({ peerMs, ...JSON.parse(child.stdout.toString()) })
  }
  const last = pairs[0]
  const ratio = median(pairs.map((pair) => pair.ms / pair.peerMs))
  const ms = median(pairs.map((pair) => pair.ms))
  const peerMs = median(pairs.map((pair) => pair.peerMs))
  console.log(
    `read, Node ${process.versions.node}: ${last.eventCount} events, ${last.rows} rows, ` +
      `${(last.textBytes / 1e9).toFixed(2)} GB of text`,
  )
  console.log(
    `  columns ${ms.toFixed(0)} ms, zstd -dc ${peerMs.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (pairs ` +
      `${pairs.map((p) => (p.ms / p.peerMs).toFixed(2)).join(' ')})`,
  )
  const peakMb = Math.max(...pairs.map((p) => p.peakMb))
  console.log(`  ${(last.textBytes / ms / 1e6).toFixed(2)} GB/s, peak ${peakMb.toFixed(0)} MB`)
  tableRow(
    'file to exact columns', `${ratio.toFixed(2)} x \`zstd -dc\` (${(ms / 1000).toFixed(1)} s)`, '1.6 x, aim 1.4 x',
    peakMb,
  )
}

const path = process.argv[2]?.startsWith('--') === false ? process.argv[2] : bigDay()
if (process.argv.includes('--once')) await readOnce(path)
else compare(path, Number(/^\d+$/.test(process.argv[3] ?? '') ? process.argv[3] : 5))
