// readTable of a Parquet file of a million trades, against parquet-wasm and apache-arrow into the same packed columns,
// as it was read before. Processor time, interleaved rounds, medians; each reader in a process of its own.
// node bench/read-table.mjs [ROWS=1000000] [ROUNDS=5]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableRow } from '../scripts/big-day.mjs'

const READERS = {
  readTable: async (path) => {
    const { readTable } = await import('../dist/index.js')
    return async () => (await readTable(path)).rowCount
  },
  'parquet-wasm': async (path) => {
    const { openParquetBatches } = await import('../dist/tables/reading/parquet-batch-reader.js')
    const { PackedVectors } = await import('../dist/tables/reading/packed-vectors.js')
    const { ParquetFile } = await import('../dist/tables/reading/parquet-file-reader.js')
    const file = await ParquetFile.open(path)
    await file.close()
    return async () => {
      const { schema, batches } = await openParquetBatches(path, file.layout.groups.length)
      const rows = new PackedVectors(path, schema)
      for (const batch of batches()) rows.add(batch)
      return rows.rowCount
    }
  },
}

async function write(path, rowCount) {
  const { createTable } = await import('../dist/columns.js')
  const { createTableFile } = await import('../dist/tables/table-file-writer.js')
  const { createTableStream } = await import('../dist/tables/table-stream.js')
  const { tableChunks } = await import('../dist/tables/table-chunks.js')
  const column = (name, type, value) => (
    { name, type, nullable: name === 'event_id', values: Array.from({ length: rowCount }, (_, row) => value(row)) })
  const decimal = (scale) => ({ form: 'decimal', precision: 18, scale })
  const table = createTable([
    column('ts', { form: 'timestamp' }, (row) => 1_782_864_000_000_000_000n + BigInt(row) * 86_123_457n),
    column('side', { form: 'side' }, (row) => ((row * 7_919) % 13 < 6 ? 'BID' : 'ASK')),
    column('price', decimal(1), (row) => String(60_000 + ((row * 31) % 997) / 2)),
    column('qty', decimal(3), (row) => String(((row * 7_919) % 100_003) / 1_000)),
    column('event_id', { form: 'uint64' }, (row) => (row % 50 === 0 ? null : BigInt(row) * 3n)),
    column('event_index', { form: 'uint32' }, (row) => row >> 1),
  ])
  const file = await createTableFile(path, { format: 'parquet' }, { force: true, inputs: [] })
  const target = { write: (bytes) => file.write(bytes) }
  const stream = await createTableStream(table.columns, table.metadata, { format: 'parquet' }, target)
  for (const chunk of tableChunks(table)) await stream.write(chunk)
  await stream.finish(new Map())
  await file.commit(table.metadata)
}

async function once([reader, path]) {
  const read = await READERS[reader](path)
  await read()
  const before = process.cpuUsage()
  const rows = await read()
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ rows, ms: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 }))
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

async function main([rowCount = '1000000', rounds = '5']) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-read-table-'))
  const path = join(folder, 'trades.parquet')
  await write(path, Number(rowCount))
  const found = Object.fromEntries(Object.keys(READERS).map((reader) => [reader, []]))
  for (let round = 0; round < Number(rounds); round++)
    for (const reader of Object.keys(READERS)) {
      const args = [import.meta.filename, '--once', reader, path]
      const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
      const { stdout, status } = spawnSync(process.execPath, args, options)
      if (status !== 0) throw new Error(`${reader} failed`)
      found[reader].push(JSON.parse(stdout))
    }
  rmSync(folder, { recursive: true })
  const [own, peer] = Object.values(found).map((runs) => median(runs.map(({ ms }) => ms)))
  const peak = median(found.readTable.map(({ peakMb }) => peakMb))
  const times = `${(own / 1000).toFixed(2)} s, ${(peer / own).toFixed(1)} x as fast as parquet-wasm with apache-arrow`
  tableRow(`readTable of ${Number(rowCount).toLocaleString('en')} rows, processor time`, times, '2.2 x', peak)
}

if (process.argv[2] === '--once') await once(process.argv.slice(3))
else await main(process.argv.slice(2))
