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

const parts = join(folder, '.parts')
const members = await writeDays(parts, { seed: 8, kind: 'option', minutes: 4, days: 2 }, options)
const archive = pack()
for (const { path } of members)
  archive.entry({ name: basename(path), mtime: FIRST_DAY, mode: 0o644, uid: 0, gid: 0 }, readFileSync(path))
archive.finalize()
await pipeline(archive, createWriteStream(join(folder, 'synthetic_option-BTC-68000-C-2026-07-01..2026-07-02.tar')))
rmSync(parts, { recursive: true })
