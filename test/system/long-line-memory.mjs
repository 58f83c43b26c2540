// A long line costs at most 4 x its length in memory: the gathered line, its column and room to grow.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const module = (path) => pathToFileURL(join(root, path)).href
const work = mkdtempSync(join(tmpdir(), 'backtape-long-line-'))
const NAME = 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'
const LENGTH = 15_000_000
const TIMES = 4

const { createFrameCompressor } = await import(module('dist/files/zstd-compressor.js'))
const pack = await createFrameCompressor(1)
const master = spawnSync('zstd', ['-dc', join(root, 'datasets', NAME)], { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout?.split('\n', 1)[0]
if (!master) {
  console.error('long-line-memory: it was not tried: zstd is missing')
  process.exit(1)
}

/** Line 2 with a text of any length. */
const LINES = {
  'chain id': (id) => `[1,9100001,"0","${id}",1782950160000000000,1782950160000000000,[[0,"1.1053","1370",1]]]`,
  'trade id': (id) => `[2,9100001,"0","2",1782950160000000000,1782950160000000000,[[1,"1.1077","66.8","${id}",1782950160000000000]]]`,
  'text of a state': (id) => `[5,9100001,1782950160000000000,"READY","${id}"]`,
  'unknown type': (id) => `[99,9100001,"${id}"]`,
}

/** Two letters of the text: plain ones, one of two bytes, an escape. A day takes each line with plain ones or escapes. */
const isNight = Boolean(process.env.BACKTAPE_NIGHTLY)
const CASES = Object.fromEntries(Object.entries(LINES).flatMap(([name, line], place) => [
  [name, [line, '11']], [`${name} in UTF-8`, [line, 'é']], [`${name} with escapes`, [line, String.raw`\n`]],
].filter((_, at) => isNight || at === (place % 3 === 0 ? 2 : 0))))

/** A program of users loads all of `backtape`. */
const program = `
await import(${JSON.stringify(module('dist/index.js'))})
const { openSource, readTickFile } = await import(${JSON.stringify(module('dist/columns.js'))})
const reading = await readTickFile(await openSource(process.argv[1]))
let count = 0
for await (const batch of reading.batches()) count += batch.count
const { lineCount } = reading.summary
console.log(JSON.stringify({ count, lineCount, peak: process.resourceUsage().maxRSS * 1024 }))`

/** The most memory that a process takes for a file: the least of up to twelve, as a collection may come late; one that is enough ends it. A short line is one of any kind by day. */
function measured(text, enough = 0) {
  const path = join(work, NAME)
  writeFileSync(path, pack(new TextEncoder().encode(`${master}\n${text}\n`)))
  let least = Infinity
  for (let count = 0; count < 12 && least > enough; count++) {
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', program, path], { encoding: 'utf8' })
    const found = run.status === 0 ? JSON.parse(run.stdout) : null
    if (found?.lineCount !== 2) {
      console.error(`long-line-memory: exit ${run.status}, not every line was read: ${run.stdout}${run.stderr}`)
      process.exit(1)
    }
    least = Math.min(least, found.peak)
  }
  return least
}

let failed = false
const shorts = new Map()
for (const [name, [line, fill]] of Object.entries(CASES)) {
  const kind = isNight ? name.split(' ')[0] : 'any'
  if (!shorts.has(kind)) shorts.set(kind, measured(line('1')))
  const short = shorts.get(kind)
  const long = measured(line(fill.repeat(LENGTH / 2)), short + TIMES * LENGTH)
  const times = (long - short) / LENGTH
  console.log(`long-line-memory: ${name}: ${(long / 1e6).toFixed(0)} MB against ${(short / 1e6).toFixed(0)} MB, ${times.toFixed(2)} x its length`)
  failed ||= times > TIMES
}
rmSync(work, { recursive: true, force: true })
if (failed) {
  console.error(`long-line-memory: a line of ${LENGTH} bytes costs more than ${TIMES} x its length`)
  process.exit(1)
}
console.log(`long-line-memory: a line of ${LENGTH / 1e6} MB costs at most ${TIMES} x its length`)
