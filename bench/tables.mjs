// The tables and the report of a run, beyond the same run without them: the market maker of the big day over cached
// columns, as `backtape backtest RUN --out FOLDER` writes them. usage: node bench/tables.mjs [ROUNDS=3]
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bigDay, tableRow } from '../scripts/big-day.mjs'
import { root } from '../scripts/project.mjs'

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** One command in this process; what a parent process prints. */
async function runHere(words) {
  const { main } = await import('../dist/cli/main.js')
  const write = process.stdout.write.bind(process.stdout)
  process.stdout.write = (_text, ...rest) => {
    rest.findLast((one) => typeof one === 'function')?.()
    return true
  }
  const code = await main(words)
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
  const { user, system } = process.cpuUsage()
  write(JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 }))
}

function child(words) {
  const { status, stdout } = spawnSync(
    process.execPath, [import.meta.filename, '--once', ...words], { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  if (status !== 0) throw new Error(`${words.join(' ')} failed`)
  return JSON.parse(stdout.toString())
}

/** Bytes of the files of a folder, in MB. */
function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6
}

function compare(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-tables-'))
  try {
    const run = join(folder, 'maker.run.json')
    writeFileSync(run, JSON.stringify({
      strategy: `${join(root, 'bench/peers/set-maker.ts')}#SetMaker`, data: [bigDay()], day: '2024-08-08',
      parameters: { instrument: 'BTCUSDT', size: '0.01', ticks: 0 }, assumptions: { sameStamp: 'file' },
      account: { balances: { USDT: '100000' }, fees: { maker: '0.0002', taker: '0.0005' } },
    }))
    const base = ['backtest', run, '--cache', join(folder, 'days'), '--no-record']
    child(base)
    const formats = ['csv', 'parquet']
    const out = (format) => join(folder, format)
    const found = Array.from({ length: rounds }, () => ({
      alone: child(base),
      ...Object.fromEntries(formats.map((format) => (
        [format, child([...base, '--out', out(format), '--to', format, '--force'])]))),
    }))
    const alone = median(found.map((round) => round.alone.cpuMs))
    tableRow('a market maker of the big day alone, processor time', `${(alone / 1000).toFixed(1)} s`, '-',
      Math.max(...found.map((round) => round.alone.peakMb)))
    for (const format of formats) {
      const more = median(found.map((round) => round[format].cpuMs - round.alone.cpuMs))
      const share = median(found.map((round) => round[format].cpuMs / round.alone.cpuMs - 1))
      const size = `${sizeOf(out(format)).toFixed(0)} MB`
      tableRow(`its tables as ${format} and its report, ${size}, beyond that`,
        `${(more / 1000).toFixed(1)} s, ${share.toFixed(2)} x`, '1.5 s, 250 MB',
        Math.max(...found.map((round) => round[format].peakMb)))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[2] === '--once') await runHere(process.argv.slice(3))
else compare(Number(process.argv[2] ?? 3))
