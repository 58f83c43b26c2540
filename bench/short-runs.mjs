// Short commands: processor time (user and system) of each, as a process of its own.
// usage: node bench/short-runs.mjs [DAY.txt.zst] [RUNS=9]; without a day, a bundled made-up one.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'

const day = resolve(process.argv[2] ?? join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'))
const runs = Number(process.argv[3] ?? 9)
const folder = mkdtempSync(join(tmpdir(), 'backtape-short-runs-'))
const backtape = join(root, 'bin/backtape.js')
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Median processor seconds of a process; a first run, which fills the caches, is left out. */
function seconds(...words) {
  const found = Array.from({ length: runs + 1 }, () => {
    const options = { cwd: folder, env: { ...process.env, CI: 'true' }, encoding: 'utf8' }
    const { status, stderr } = spawnSync(process.execPath, ['--require', join(folder, 'times.cjs'), ...words], options)
    if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return Number(/processor (\d+)/.exec(stderr)?.[1]) / 1e6
  })
  return median(found.slice(1))
}

const shown = (what, found, target) => tableRow(what, `${found.toFixed(2)} s of processor`, target, null)

try {
  writeFileSync(join(folder, 'times.cjs'), `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(2, '\\nprocessor ' + (user + system))
})\n`)
  writeFileSync(join(folder, 'columns.mjs'), `
import { openSource, readTickFile } from ${JSON.stringify(pathToFileURL(join(root, 'lib/columns.js')).href)}
let count = 0
for await (const batch of (await readTickFile(await openSource(process.argv[2]))).batches()) count += batch.count
if (count === 0) throw new Error('no events')
`)
  const [{ firstAdapterTimestampNs, instrument: { exchangeCode, code } }] = JSON.parse(
    spawnSync(process.execPath, [backtape, 'info', '--quick', '--json', day], { encoding: 'utf8' }).stdout,
  )
  // A day that was cut out may have little more than five minutes.
  const from = new Date(Number(BigInt(firstAdapterTimestampNs) / 1_000_000n) + 1000)
  writeFileSync(join(folder, 'maker.run.json'), JSON.stringify({
    strategy: join(root, 'examples/flow-taker/flow-taker.ts#FlowTaker'), data: [day],
    from: from.toISOString(), to: new Date(from.getTime() + 300_000).toISOString(),
    parameters: { instrument: `${exchangeCode}:${code}`, size: '1', threshold: 200 },
    account: { balances: { USDT: '100000' } },
  }))
  shown('`backtape --help`', seconds(backtape, '--help'), '0.15 s')
  shown('`backtape backtest --help`', seconds(backtape, 'backtest', '--help'), '-')
  shown('`backtape info --quick`', seconds(backtape, 'info', '--quick', day), '0.25 s')
  const [info, columns] = [seconds(backtape, 'info', day), seconds('columns.mjs', day)]
  tableRow('`backtape info`', `${(info / columns).toFixed(2)} x file to columns (${info.toFixed(2)} s)`, '1.05 x', null)
  const run = seconds(backtape, 'backtest', 'maker.run.json', '--cache', 'cache', '--no-record')
  shown('`backtape backtest`, five minutes of a kept day', run, '0.8 s, aim 0.5 s')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
