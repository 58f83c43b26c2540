// Decompression into slots of shared memory, as a reading does it but without decoding lines, against `zstd -dc` of the
// same file, in interleaved pairs. usage: node bench/zstd.mjs [FILE=the big day] [PAIRS=5] [--zstd native|wasm|fzstd]
import { spawnSync } from 'node:child_process'
import { openSource } from '../dist/columns.js'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import { openTextStream } from '../dist/tickfile/zstd/text-stream.js'

const SLOT_COUNT = 4
const SLOT_BYTES = 1_048_576
const flag = process.argv.indexOf('--zstd')
const zstd = flag < 0 ? 'auto' : process.argv[flag + 1]
const path = process.argv[2]?.startsWith('--') === false ? process.argv[2] : bigDay()

async function decompressOnce() {
  const offsets = Array.from({ length: SLOT_COUNT }, (_, i) => i * SLOT_BYTES)
  const slots = { buffer: new SharedArrayBuffer(SLOT_COUNT * SLOT_BYTES), offsets, capacityBytes: SLOT_BYTES }
  const source = await openSource(path)
  const started = performance.now()
  const stream = openTextStream(source.open({ reuseChunks: true }), slots, {
    fileName: source.fileName, zstd, windowLimitBytes: 2 ** 27,
  })
  let textBytes = 0
  for (let filled = await stream.next(); filled !== null; filled = await stream.next()) {
    textBytes += filled.lengthBytes
    stream.release(filled.slot)
  }
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage()
  console.log(
    JSON.stringify({ ms, textBytes, cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 }),
  )
}

function peerOnce() {
  const started = performance.now()
  const { status } = spawnSync('zstd', ['-dc', path], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error('this bench needs the zstd program')
  return performance.now() - started
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

if (process.argv.includes('--once')) await decompressOnce()
else {
  const count = Number(/^\d+$/.test(process.argv[3] ?? '') ? process.argv[3] : 5)
  const pairs = Array.from({ length: count }, () => {
    const peerMs = peerOnce()
    const child = spawnSync(process.execPath, [import.meta.filename, path, '--once', '--zstd', zstd], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return { peerMs, ...JSON.parse(child.stdout.toString()) }
  })
  const ms = median(pairs.map((pair) => pair.ms))
  const [{ textBytes }] = pairs
  console.log(`zstd (${zstd}), Node ${process.versions.node}: ${(textBytes / 1e9).toFixed(2)} GB of text`)
  const ratios = pairs.map((pair) => pair.ms / pair.peerMs)
  const [cpuMs, peerMs] = [median(pairs.map((pair) => pair.cpuMs)), median(pairs.map((pair) => pair.peerMs))]
  const peakMb = Math.max(...pairs.map((pair) => pair.peakMb))
  console.log(
    `  ${ms.toFixed(0)} ms, ${(textBytes / ms / 1e6).toFixed(2)} GB/s, ${cpuMs.toFixed(0)} ms of CPU; zstd -dc ` +
      `${peerMs.toFixed(0)} ms`,
  )
  console.log(
    `  ratio ${median(ratios).toFixed(2)} (pairs ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}), peak ` +
      `${peakMb.toFixed(0)} MB`,
  )
  tableRow(
    `decompression alone, decoder ${zstd}`, `${median(ratios).toFixed(2)} x \`zstd -dc\` (${(ms / 1000).toFixed(1)} s)`,
    '-', peakMb,
  )
}
