// npm run bench [NAME...]: installs and builds, then runs bench/NAME.mjs, or every one, each in a process of its own; the table of all figures comes last.
import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { basename } from 'node:path'
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
const rows = []
const load = loadavg()[0].toFixed(1)
for (const path of chosen) {
  const { status, stdout } = spawnSync(process.execPath, [path], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
  const lines = stdout.trimEnd().split('\n')
  console.log(lines.filter((line) => !line.startsWith('| ')).join('\n'))
  rows.push(...lines.filter((line) => line.startsWith('| ')))
  if (status !== 0) process.exitCode = 1
}
console.log(['', `Node ${process.versions.node}, ${availableParallelism()} cores, load ${load} before:`, '', '| what | found | target | peak memory |', '|---|---|---|---|', ...rows].join('\n'))
