// Writes dist/results/engine-digest.json: SHA-256 of the sources of the rooms that make a result. It is the same in
// every package and on every system, as line ends do not count. Run by scripts/build.mjs.
// src/results/engine-digest-reader.ts reads it; test/results/engine-digest.test.ts compares ENGINE_ROOMS with imports.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow, root } from './project.mjs'

/** Rooms of which a change may change a result. The other rooms that a run loads show it, or write it to files. */
export const ENGINE_ROOMS = [
  'backtest', 'book', 'configuration', 'exchange', 'exchange/accounts', 'exchange/adapter', 'exchange/market',
  'exchange/matching', 'exchange/profile', 'exchange/risk', 'measures', 'measures/bars', 'measures/indicators', 'model',
  'orders', 'protocol', 'replay', 'report', 'results', 'rows', 'simulation', 'strategy', 'strategy/tactics', 'tables',
  'tables/reading', 'tickfile', 'tickfile/archive', 'tickfile/cache', 'tickfile/days', 'tickfile/lines',
  'tickfile/zstd', 'venue',
]

/** The digest of some sources: texts by their paths. */
export function engineDigest(sources) {
  const hash = createHash('sha256')
  for (const [path, text] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\0${text.replaceAll('\r\n', '\n')}\0`)
  return hash.digest('hex')
}

/** Writes the digest of this checkout's sources. */
export function writeEngineDigest() {
  const paths = [...filesBelow('src'), ...filesBelow('assembly')].filter((path) => (
    path.startsWith('assembly/') || ENGINE_ROOMS.includes(dirname(path).replace(/^src\/?/, ''))))
  const sha256 = engineDigest(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
  const file = join(root, 'dist/results/engine-digest.json')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ sha256 })}\n`)
}
