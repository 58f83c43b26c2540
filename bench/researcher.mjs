// The loop of a researcher as commands: thirty days by pattern against a command a day, and the list of 10,000 runs.
// usage: node bench/researcher.mjs [RUNS=3]
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDays } from '../dist/columns.js'
import { root } from '../scripts/project.mjs'
import { tableRow } from '../scripts/big-day.mjs'

const runs = Number(process.argv[2] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'backtape-researcher-'))
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const dayText = (number) => new Date(Date.UTC(2026, 6, 1 + number)).toISOString().slice(0, 10)

/** A command in a process of its own; `peakMb` is that of the process alone. */
function command(args, env = {}) {
  const started = performance.now()
  const words = ['--require', join(folder, 'peak.cjs'), join(root, 'bin/backtape.js'), ...args]
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  const peakMb = Number(/peak (\d+)/.exec(stderr.toString())?.[1]) / 1024
  return { ms: performance.now() - started, peakMb }
}

try {
  writeFileSync(join(folder, 'peak.cjs'), `process.on('exit', () => {
  require('node:fs').writeSync(2, '\\npeak ' + process.resourceUsage().maxRSS)
})\n`)
  const days = join(folder, 'days')
  mkdirSync(days)
  await writeDays(days, { seed: 1, minutes: 10, days: 30 }, { level: 3 })
  const example = join(root, 'examples/inventory-maker')
  cpSync(join(example, 'inventory-maker.ts'), join(folder, 'maker.ts'))
  const { parameters, account } = JSON.parse(readFileSync(join(example, 'inventory-maker.run.json'), 'utf8'))
  writeFileSync(join(folder, 'maker.run.json'), JSON.stringify({
    strategy: './maker.ts#InventoryMaker', data: ['days/**'], parameters, account,
  }))
  const one = (day) => ['backtest', 'maker.run.json', '--no-record', '--from', day, '--to', day]
  const found = []
  for (let run = 0; run < runs; run++) {
    const whole = command(['backtest', 'maker.run.json', '--no-record'])
    const single = Array.from({ length: 30 }, (_, number) => command(one(dayText(number))))
    const ms = single.reduce((sum, each) => sum + each.ms, 0)
    found.push({ ratio: whole.ms / ms, ms, whole, peakMb: Math.max(...single.map(({ peakMb }) => peakMb)) })
  }
  const ratio = median(found.map((one) => one.ratio))
  const { ms, peakMb } = found[0]
  tableRow(
    'thirty days by pattern against thirty commands, ten minutes of market a day',
    `${ratio.toFixed(2)} x (${(ms / 1000).toFixed(1)} s; a day alone ${peakMb.toFixed(0)} MB)`,
    '0.7 x, memory of one day',
    Math.max(...found.map(({ whole }) => whole.peakMb)),
  )
  command(one(dayText(0)).filter((word) => word !== '--no-record'), { CI: '' })
  const recorded = join(folder, '.backtape/runs')
  const [id] = readdirSync(recorded).filter((name) => name !== 'index.jsonl')
  const record = JSON.parse(readFileSync(join(recorded, id, 'record.json'), 'utf8'))
  for (let number = 0; number < 9_999; number++) {
    const second = new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '')
    const own = `${second}Z-abcdef`
    cpSync(join(recorded, id), join(recorded, own), { recursive: true })
    writeFileSync(join(recorded, own, 'record.json'), JSON.stringify({ ...record, id: own }))
  }
  const anew = command(['runs'])
  const listed = Array.from({ length: 5 }, () => command(['runs']))
  tableRow(
    'runs: the list of 10,000',
    `${(median(listed.map((one) => one.ms)) / 1000).toFixed(2)} s (${(anew.ms / 1000).toFixed(1)} s without its index)`,
    '0.3 s', Math.max(...listed.map((one) => one.peakMb)),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
