// Makes the days of datasets/ (or of the folder named): `node scripts/make-datasets.mjs [FOLDER]`, after a build. A
// test runs it and compares bytes.
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { pack } from 'tar-stream'
import { writeDays } from '../dist/columns.js'

const folder = process.argv[2] ?? fileURLToPath(new URL('../datasets', import.meta.url))
const options = { force: true, level: 12 }
const FIRST_DAY = new Date('2026-07-01T00:00:00Z')

mkdirSync(folder, { recursive: true })
await writeDays(folder, { seed: 7, kind: 'perpetual', minutes: 5, days: 2 }, options)
await writeDays(folder, { seed: 7, kind: 'paired-spot', minutes: 5, days: 2 }, options)
await writeDays(folder, { seed: 7, kind: 'inverse', minutes: 4 }, options)
await writeDays(folder, { seed: 7, kind: 'spot', minutes: 4, era: '2025' }, options)
await writeDays(folder, { seed: 7, kind: 'option', minutes: 6 }, options)
await writeDays(folder, { seed: 7, kind: 'prediction', minutes: 4 }, options)

/** Packs days into an archive, always the same bytes. */
async function bundle(name, members) {
  const archive = pack()
  for (const { path } of members)
    archive.entry({ name: basename(path), mtime: FIRST_DAY, mode: 0o644, uid: 0, gid: 0 }, readFileSync(path))
  archive.finalize()
  await pipeline(archive, createWriteStream(join(folder, name)))
}

const parts = join(folder, '.parts')
const range = await writeDays(parts, { seed: 8, kind: 'option', strike: 72_000, minutes: 4, days: 2 }, options)
await bundle('synthetic_option-BTC-72000-C-2026-07-01..2026-07-02.tar', range)
const chain = []
for (const strike of [52_000, 56_000, 58_000, 60_000, 62_000, 64_000, 66_000, 70_000, 74_000])
  chain.push(...await writeDays(parts, { seed: 9, kind: 'option', strike, minutes: 1 }, options))
await bundle('synthetic_option-BTC-calls-2026-07-01.tar', chain)
rmSync(parts, { recursive: true })
