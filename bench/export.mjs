// Conversions of one file against reading it to columns, against DuckDB's COPY of the same columns and against writing
// as many bytes, in interleaved rounds.
// node bench/export.mjs [FILE=the big day] [ROUNDS=5] (day 2024-08-08; results go to BACKTAPE_BENCH_OUT, default the
// system's temporary folder) Wall time, processor time of all threads and peak memory of each; medians of the rounds.
// Each runs in a process of its own.
import { spawnSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, symlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bigDay, tableRow } from '../scripts/big-day.mjs'

const DAY = '2024-08-08'

async function columns(path) {
  const { openSource, readTickFile } = await import('../dist/columns.js')
  const reading = await readTickFile(await openSource(path), { day: DAY })
  let rows = 0
  for await (const batch of reading.batches()) rows += batch.rowStart[batch.count]
  return { rows }
}

async function convert(paths, out, to) {
  const { convertFiles } = await import('../dist/index.js')
  const result = await convertFiles(paths, { out, to, jobs: paths.length, read: { day: DAY } })
  if (result.failedCount > 0) throw result.inputs.find((input) => input.error !== null).error
  const outputs = result.inputs.flatMap((input) => input.outputs)
  return {
    rows: outputs.reduce((sum, output) => sum + output.rowCount, 0),
    bytes: outputs.reduce((sum, output) => sum + output.sizeBytes, 0),
  }
}

/** DuckDB reads our Parquet and writes the same columns again. */
async function copy(folder, out, tail) {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  let rows = 0
  for (const kind of ['trades', 'bbo', 'depth']) {
    const result = await connection.runAndReadAll(
      `copy (from '${folder}/*.${kind}.parquet') to '${out}.${kind}' (${tail})`,
    )
    rows += Number(result.getRows()[0][0])
  }
  return { rows }
}

/** The time of the disk alone for so many bytes. */
function write(bytes, out) {
  const piece = new Uint8Array(1 << 20).fill(7)
  const file = openSync(out, 'w')
  for (let left = bytes; left > 0; left -= piece.length) writeSync(file, piece)
  fsyncSync(file)
  closeSync(file)
  return { rows: 0 }
}

async function once([task, path, folder, bytes]) {
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
    write: () => write(Number(bytes), out),
  }
  const { rows, bytes: written = 0 } = await tasks[task]()
  const used = process.cpuUsage(cpuBefore)
  const ms = Number(process.hrtime.bigint() - started) / 1e6
  console.log(
    JSON.stringify({
      rows, written, ms, cpuMs: (used.user + used.system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024,
    }),
  )
  process.exit(0)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

function run(task, path, folder, bytes = 0) {
  const child = spawnSync(process.execPath, [import.meta.filename, '--once', task, path, folder, String(bytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for (const tail of ['', '.trades', '.bbo', '.depth'])
    rmSync(join(folder, `${task}-out${tail}`), { recursive: true, force: true })
  return JSON.parse(child.stdout.toString())
}

function compare(path, rounds) {
  const folder = mkdtempSync(join(process.env.BACKTAPE_BENCH_OUT ?? tmpdir(), 'backtape-bench-'))
  try {
    symlinkSync(resolve(path), join(folder, 'second-of-2024-08-08.txt.zst'))
    run('keep', path, folder)
    const tasks = ['columns', 'parquet', 'copy', 'arrow', 'write', 'two']
    const found = Object.fromEntries(tasks.map((task) => [task, []]))
    for (let i = 0; i < rounds; i++)
      for (const task of tasks) found[task].push(run(task, path, folder, found.arrow[0]?.written))
    const of = (task, field) => median(found[task].map((each) => each[field]))
    const ratio = (task, field, base) => median(found[task].map((each, i) => each[field] / found[base][i][field]))
    console.log(`export, Node ${process.versions.node}, ${rounds} rounds of ${path}`)
    for (const task of tasks) {
      const [ms, cpuMs, peakMb, rows] = ['ms', 'cpuMs', 'peakMb', 'rows'].map((field) => of(task, field))
      console.log(
        `  ${task.padEnd(8)} ${ms.toFixed(0).padStart(7)} ms; processor ${cpuMs.toFixed(0)} ms; ${rows} rows, ` +
          `${(of(task, 'written') / 1e6).toFixed(0)} MB; peak ${peakMb.toFixed(0)} MB`,
      )
    }
    const words = (task, base, name) =>
      `${ratio(task, 'ms', base).toFixed(2)} x ${name} (processor ${ratio(task, 'cpuMs', base).toFixed(2)} x)`
    tableRow('Parquet of every kind', words('parquet', 'columns', 'file to columns'), '2 x', of('parquet', 'peakMb'))
    tableRow(
      'DuckDB COPY of the same columns, Parquet to Parquet', words('copy', 'columns', 'file to columns'), 'peer',
      of('copy', 'peakMb'),
    )
    tableRow('Arrow of every kind', words('arrow', 'columns', 'file to columns'), '1.5 x', of('arrow', 'peakMb'))
    tableRow(
      `writing those ${(of('arrow', 'written') / 1e9).toFixed(1)} GB to this disk`,
      words('write', 'columns', 'file to columns'), 'limit', of('write', 'peakMb'),
    )
    tableRow('two files, `--jobs 2`', words('two', 'parquet', 'one'), '1.6 x', of('two', 'peakMb'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first, ...rest] = process.argv.slice(2)
if (first === '--once') await once(rest)
else compare(first ?? bigDay(), Number(rest[0] ?? 5))
