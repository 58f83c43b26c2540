// npm run bench [NAME...]: installs and builds, then runs bench/NAME.mjs, or every one, each in a process of its own.
import { basename } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { filesBelow, tryNode } from './project.mjs'

install()
build()
const wanted = process.argv.slice(2)
const benches = filesBelow('bench').filter((path) => /^bench\/[^/]+\.mjs$/.test(path))
const chosen = wanted.length === 0 ? benches : benches.filter((path) => wanted.includes(basename(path, '.mjs')))
if (chosen.length === 0) {
  console.error(`No such bench: wanted one of ${benches.map((path) => basename(path, '.mjs')).join(', ')}`)
  process.exit(1)
}
for (const path of chosen) if (tryNode(path) !== 0) process.exitCode = 1
