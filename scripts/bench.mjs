// npm run bench [NAME...]: installs and builds, then runs bench/NAME.mjs, or every one, each in a process of its own.
// The table of all figures comes last, and bench/results/DATE.json has them; figures of the same day and Node are
// replaced.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { filesBelow, root } from './project.mjs'

install()
build()
const wanted = process.argv.slice(2)
const benches = filesBelow('bench').filter((path) => /^bench\/[^/]+\.mjs$/.test(path))
const chosen = wanted.length === 0 ? benches : benches.filter((path) => wanted.includes(basename(path, '.mjs')))
if (chosen.length === 0) {
  console.error(`No such bench: wanted one of ${benches.map((path) => basename(path, '.mjs')).join(', ')}`)
  process.exit(1)
}
const figures = []
const load = loadavg()[0].toFixed(1)
for (const path of chosen) {
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' }
  const { status, stdout } = spawnSync(process.execPath, [path], options)
  const lines = stdout.trimEnd().split('\n')
  console.log(lines.filter((line) => !line.startsWith('| ')).join('\n'))
  figures.push(...lines.filter((line) => line.startsWith('| ')).map((line) => figureOf(basename(path, '.mjs'), line)))
  if (status !== 0) process.exitCode = 1
}
const title = `Node ${process.versions.node}, ${availableParallelism()} cores, load ${load} before:`
const head = ['', title, '', '| what | found | target | peak memory |', '|---|---|---|---|']
console.log([...head, ...figures.map(({ row }) => row)].join('\n'))
if (figures.length > 0) keep(figures)

/** A figure out of the row that a bench prints: what, found, target, peak memory. */
function figureOf(bench, row) {
  const [what, found, target, peak] = row.split('|').slice(1, -1).map((cell) => cell.trim())
  const peakMb = Number.parseFloat(peak)
  const memory = Number.isFinite(peakMb) ? { peakMemoryMb: peakMb } : {}
  return { row, figure: { bench, what, found, target, ...memory, node: process.versions.node } }
}

function keep(all) {
  const date = new Date().toISOString().slice(0, 10)
  const path = join(root, 'bench/results', `${date}.json`)
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).figures : []
  const nameOf = ({ bench, what, node }) => JSON.stringify([bench, what, node])
  const anew = new Set(all.map(({ figure }) => nameOf(figure)))
  const model = cpus()[0]?.model ?? 'unknown'
  const machine = `${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 1e9)} GB, ${process.platform}`
  mkdirSync(join(root, 'bench/results'), { recursive: true })
  const kept = before.filter((old) => !anew.has(nameOf(old)))
  const report = { date, machine, load: Number(load), figures: [...kept, ...all.map(({ figure }) => figure)] }
  writeFileSync(path, `${JSON.stringify(report, null, 1)}\n`)
  console.log(`\nWritten to bench/results/${date}.json.`)
}
