// On a full disk every command that writes says so in words, leaves no half file, and keeps what was there.
import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'bin/backtape.js')
const day = join(root, 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
const work = mkdtempSync(join(tmpdir(), 'backtape-full-disk-'))
const WORDS = /Cannot (?:write|make) .*the disk is full; free some space or choose another folder/
let count = 0
// By night each format of each command, where nothing stands and with --force over a file; a day has each command once in each of the two ways.
const isNight = Boolean(process.env.BACKTAPE_NIGHTLY)

function fail(message) {
  console.error(`full-disk: ${message}`)
  process.exitCode = 1
}

// Quotes ten times a second: half a megabyte of journal.
const project = join(work, 'project')
mkdirSync(project)
writeFileSync(join(project, 'maker.ts'), `import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Maker extends Strategy {
  @Parameter(TradingInstrument) instrument: TradingInstrument
  onStart(): void { this.every(100, () => { this.quote() }) }
  quote(): void {
    const { bestBid, openOrders } = this.instrument
    if (bestBid === null) return
    for (const order of openOrders) order.cancel()
    this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('10'), price: bestBid.price })
  }
}
`)
const runFile = JSON.stringify({
  strategy: './maker.ts#Maker', data: [day], from: '23:55',
  parameters: { instrument: 'synthetic_swap:XRPUSDT' }, account: { balances: { USDT: '1000' } },
})
writeFileSync(join(project, 'maker.run.json'), runFile)

const run = (args, cwd) => spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', cwd })

/** Name and bytes of every file below a folder. */
function contents(folder, prefix = '') {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const name = join(prefix, entry.name)
    if (entry.isDirectory()) return contents(join(folder, entry.name), name)
    return [`${name} ${readFileSync(join(folder, entry.name)).toString('latin1')}`]
  })
}

/** The command in a small file system, which some files are in before. */
function tried(name, { args, sizeKb, before = () => undefined, code = 1 }) {
  const disk = join(work, `disk-${++count}`)
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKb}k`, 'tmpfs', disk]).status !== 0) {
    fail(`${name} was not tried: nothing can be mounted`)
    return
  }
  try {
    before(disk)
    const stood = contents(disk)
    const { status, stdout, stderr } = run(args, disk)
    if (status !== code) fail(`${name}: exit ${status}: ${stdout.slice(-500)}${stderr.slice(-500)}`)
    if (!WORDS.test(stdout + stderr) || /Unexpected|backtape-part/.test(stdout + stderr)) fail(`${name}: no sentence in ${stdout.slice(-500)}${stderr.slice(-800)}`)
    const stands = contents(disk)
    const lost = stood.filter((file) => !stands.includes(file)).map((file) => file.slice(0, file.indexOf(' ')))
    const left = stands.filter((file) => !stood.includes(file)).map((file) => file.slice(0, file.indexOf(' ')))
    if (lost.length > 0) fail(`${name}: ${lost.join()} was lost or changed`)
    if (left.length > 0) fail(`${name}: ${left.join()} is left`)
  } finally {
    spawnSync('umount', [disk])
  }
}

/** Takes all room that there is. */
const filled = (disk) => { writeFileSync(join(disk, 'everything'), Buffer.alloc(4096)) }
const earlier = (name) => (disk) => { writeFileSync(join(disk, name), 'what stood there\n') }
const ownProject = (disk) => { cpSync(project, disk, { recursive: true }) }
const outputOf = (command, path, more = []) => [...command, '--out', path, ...more]
const commands = { minutes: ['minutes', day], book: ['book', day, '--every', '100ms', '--levels', '5'] }

tried('synth', { args: outputOf(['synth', '--minutes', '10'], '.'), sizeKb: 400 })
tried('synth --truth', { args: outputOf(['synth', '--minutes', '5', '--truth'], 'new/made'), sizeKb: 400 })
for (const [name, endings, sizeKb] of [['minutes', isNight ? ['csv', 'parquet'] : ['csv'], 4], ['book', isNight ? ['parquet', 'csv', 'csv.gz', 'arrow', 'jsonl'] : ['parquet'], 16]]) {
  for (const ending of endings) {
    const file = `out.${ending}`
    tried(`${name} ${ending}`, { args: outputOf(commands[name], file), sizeKb })
    tried(`${name} ${ending} --force`, { args: outputOf(commands[name], file, ['--force']), sizeKb: sizeKb + 4, before: earlier(file) })
  }
}
tried('minutes json', { args: outputOf(commands.minutes, 'out.json'), sizeKb: 4, before: filled })
const runs = join(project, 'maker.run.json')
for (const journal of isNight ? ['maker.jsonl', 'maker.jsonl.gz'] : ['maker.jsonl.gz']) {
  if (isNight) tried(`journal ${journal}`, { args: ['backtest', runs, '--journal', journal], sizeKb: 64 })
  tried(`journal ${journal} --force`, { args: ['backtest', runs, '--journal', journal, '--force'], sizeKb: 64, before: earlier(journal) })
}
for (const format of isNight ? ['csv', 'parquet', 'arrow', 'json'] : ['json']) tried(`tables ${format}`, { args: outputOf(['backtest', runs, '--to', format], 'tables'), sizeKb: 32 })
for (const [format, room] of isNight ? [['csv', 32], ['parquet', 36], ['parquet', 44], ['parquet', 52]] : [['parquet', 44]]) {
  tried(`tables ${format} --force, ${room} KiB`, {
    args: outputOf(['backtest', runs, '--to', format], 'tables', ['--force']), sizeKb: room,
    before: (disk) => {
      mkdirSync(join(disk, 'tables'))
      for (const table of ['fills', 'orders', 'equity', 'runs']) earlier(`tables/${table}.${format}`)(disk)
    },
  })
}
tried('verify --update', { args: ['verify', 'maker.run.json', '--update'], sizeKb: 64, before: ownProject })

// Standard output on a full disk.
const full = openSync('/dev/full', 'w')
const printing = [['info', day], ['events', day], ['backtest', runs, '--json'], ...isNight ? [['audit', day], [...commands.minutes, '--out', '-'], commands.book] : []]
for (const args of printing) {
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] })
  count++
  if (status !== 1 || !/Cannot write standard output: the disk is full/.test(stderr)) fail(`${args[0]} to standard output: exit ${status}: ${stderr.slice(-500)}`)
}
closeSync(full)

// A golden that stands stays: its strategy has changed, and the disk has no room for another.
if (run(['verify', 'maker.run.json', '--update'], project).status !== 0) fail('no golden was made')
const sizeKb = Math.ceil(readdirSync(project).reduce((sum, name) => sum + Math.ceil(statSync(join(project, name)).size / 4096) * 4, 0)) + 8
for (const slack of isNight ? [0, 16, 40] : [16]) {
  tried(`verify --update over a golden, ${slack} KiB free`, {
    args: ['verify', 'maker.run.json', '--update'], sizeKb: sizeKb + slack,
    before: (disk) => {
      ownProject(disk)
      writeFileSync(join(disk, 'maker.run.json'), runFile.replace('"1000"', '"2000"'))
    },
  })
}

rmSync(work, { recursive: true, force: true })
if (process.exitCode === undefined) console.log(`full-disk: ${count} commands on a full disk say so, leave nothing, and lose nothing`)
