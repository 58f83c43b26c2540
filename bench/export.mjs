// Conversions of one file against reading it to columns, and against DuckDB's COPY of the same columns, in interleaved rounds.
//   node bench/export.mjs FILE [ROUNDS]      (FILE is read with day 2024-08-08; results go to the system's temporary folder)
// Wall time, processor time of all threads and peak memory of each; medians of the rounds. Each runs in a process of its own.
import { spawnSync } from 'node:child_process'
import { linkSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertFiles, openSource, readTickFile } from '../dist/index.js'

const DAY = '2024-08-08'

async function columns(path) {
  const reading = await readTickFile(await openSource(path), { day: DAY })
  let rows = 0
  for await (const batch of reading.batches()) rows += batch.rowStart[batch.count]
  return rows
}

async function convert(paths, out, to) {
  const result = await convertFiles(paths, { out, to, jobs: paths.length, read: { day: DAY } })
  if (result.failedCount > 0) throw result.inputs.find((input) => input.error !== null).error
  return result.inputs.flatMap((input) => input.outputs).reduce((sum, output) => sum + output.rowCount, 0)
}

/** DuckDB reads our Parquet and writes the same columns again. */
async function copy(folder, out, tail) {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  let rows = 0
  for (const kind of ['trades', 'bbo', 'depth']) {
    const result = await connection.runAndReadAll(`copy (from '${folder}/*.${kind}.parquet') to '${out}.${kind}' (${tail})`)
    rows += Number(result.getRows()[0][0])
  }
  return rows
}

async function once([task, path, folder]) {
  const cpuBefore = process.cpuUsage()
  const started = process.hrtime.bigint()
  const out = join(folder, `${task}-out`)
  const tasks = {
    columns: () => columns(path),
    parquet: () => convert([path], out, 'parquet'),
    arrow: () => convert([path], out, 'arrow'),
    two: () => convert([path, join(folder, 'second-of-2024-08-08.txt.zst')], out, 'parquet'),
    copy: () => copy(join(folder, 'kept'), out, 'format parquet, compression zstd'),
    keep: () => convert([path], join(folder, 'kept'), 'parquet'),
  }
  const rows = await tasks[task]()
  const used = process.cpuUsage(cpuBefore)
  const ms = Number(process.hrtime.bigint() - started) / 1e6
  console.log(JSON.stringify({ rows, ms, cpuMs: (used.user + used.system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 }))
  process.exit(0)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

function run(task, path, folder) {
  const child = spawnSync(process.execPath, [import.meta.filename, '--once', task, path, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  rmSync(join(folder, `${task}-out`), { recursive: true, force: true })
  for (const kind of ['trades', 'bbo', 'depth']) rmSync(join(folder, `${task}-out.${kind}`), { force: true })
  return JSON.parse(child.stdout.toString())
}

function compare(path, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-bench-'))
  try {
    linkSync(path, join(folder, 'second-of-2024-08-08.txt.zst'))
    run('keep', path, folder)
    const tasks = ['columns', 'parquet', 'copy', 'arrow', 'two']
    const found = Object.fromEntries(tasks.map((task) => [task, []]))
    for (let i = 0; i < rounds; i++) for (const task of tasks) found[task].push(run(task, path, folder))
    const of = (task, field) => median(found[task].map((each) => each[field]))
    console.log(`export, Node ${process.versions.node}, ${rounds} rounds of ${path}`)
    for (const task of tasks) {
      const [ms, cpuMs, peakMb, rows] = ['ms', 'cpuMs', 'peakMb', 'rows'].map((field) => of(task, field))
      const ratio = (task === 'two' ? ms / of('parquet', 'ms') : ms / of('columns', 'ms')).toFixed(2)
      const cpuRatio = (cpuMs / of('columns', 'cpuMs')).toFixed(2)
      const wall = `${ms.toFixed(0).padStart(7)} ms, ${ratio} x ${task === 'two' ? 'one' : 'columns'}`
      console.log(`  ${task.padEnd(8)} ${wall}; processor ${cpuMs.toFixed(0)} ms, ${cpuRatio} x; ${rows} rows; peak ${peakMb.toFixed(0)} MB`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first, ...rest] = process.argv.slice(2)
if (first === '--once') await once(rest)
else if (first === undefined) throw new Error('name a tick file: node bench/export.mjs FILE [ROUNDS]')
else compare(first, Number(rest[0] ?? 5))
