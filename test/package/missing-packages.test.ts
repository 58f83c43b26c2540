import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { PACKAGE_PARTS } from '../../src/files/package-reader.js'
import { installPackage, type Lacking } from '../support/installed-package.ts'
import { severalFrames } from '../support/made-parquet.ts'
import { repeated } from '../support/repetitions.ts'

const DAY = 'node_modules/backtape/datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst'
const STRATEGY = `import { Parameter, Strategy, TradingInstrument } from 'backtape'
export class Idle extends Strategy { @Parameter(TradingInstrument) instrument!: TradingInstrument }
`
const RUN = { strategy: './idle.ts#Idle', data: [DAY], from: '23:59', to: '24:00', parameters: { instrument: 'XRPUSDT' } }

/** Files of signals that are read with a package: the first bytes of Arrow, and Parquet that is not read here. */
const SIGNALS = [['fair.arrow', Buffer.from('ARROW1\0\0')], ['fair.parquet', await severalFrames()]] as const

const folders: string[] = []
afterAll(() => { for (const folder of folders) rmSync(folder, { recursive: true, force: true }) })

function installed(lacking: Lacking): string {
  const folder = mkdtempSync(join(tmpdir(), 'backtape-lacking-'))
  folders.push(folder)
  installPackage(folder, lacking)
  mkdirSync(join(folder, 'out'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'idle.ts'), STRATEGY)
  writeFileSync(join(folder, 'idle.run.json'), JSON.stringify(RUN))
  for (const [name, bytes] of SIGNALS) {
    writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, `${name}.run.json`), JSON.stringify({ ...RUN, signals: [{ name: 'fair', file: name, time: 'time', delay: '0ms' }] }))
  }
  return folder
}

const command = (folder: string, ...args: readonly string[]) => spawnSync(process.execPath, [join(folder, 'node_modules/backtape/bin/backtape.js'), ...args], {
  cwd: folder, encoding: 'utf8', env: { ...process.env, BACKTAPE_CACHE: join(folder, 'cache') },
})
const program = (folder: string, text: string) => spawnSync(process.execPath, ['--input-type=module', '-e', text], {
  cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, BACKTAPE_CACHE: join(folder, 'cache') },
})

const said = (work: string): string => `try { ${work} } catch (error) { console.error(error.code, error.message) }`
const readTable = `import { readTable } from 'backtape'; ${said("await readTable('out/synthetic_spot-XRPUSDT-2026-07-01.trades.parquet')")}`
const toArrow = `import { openTickFile } from 'backtape'; ${said(`(await (await openTickFile('${DAY}')).table('trades', { from: '23:59' })).toArrow()`)}`
const picture = (work: string): string => `import { pictures } from 'backtape'; ${said(`pictures.histogram(Float64Array.of(1, 2, 3)).${work}`)}`

/** What is lacking; the work that needs it; the part that the sentence names. By day each package once. */
const CASES: readonly (readonly [name: string, part: string, lacking: Lacking, work: readonly string[]])[] = [
  ['apache-arrow', 'arrow', { packages: ['apache-arrow'] }, ['convert', DAY, '--out', 'out', '--to', 'arrow']],
  ['@duckdb/node-api', 'sql', { packages: ['@duckdb/node-api'] }, ['sql', 'select count(*) from trades', '--data', DAY]],
  ['@duckdb/node-api', 'sql', { programs: ['@duckdb/node-api', '@duckdb/node-bindings'] }, ['sql', 'select count(*) from trades', '--data', DAY]],
  ['esbuild', 'core', { packages: ['esbuild'] }, ['backtest', 'idle.run.json', '--no-record']],
  ['esbuild', 'core', { programs: ['esbuild'] }, ['backtest', 'idle.run.json', '--no-record']],
  ['apache-arrow', 'arrow', { packages: ['apache-arrow'] }, ['backtest', 'fair.arrow.run.json', '--no-record']],
  ['apache-arrow', 'arrow', { packages: ['apache-arrow'] }, ['backtest', 'fair.parquet.run.json', '--no-record']],
  ['parquet-wasm', 'parquet', { packages: ['parquet-wasm'] }, ['backtest', 'fair.parquet.run.json', '--no-record']],
]

describe('a package that is not installed is named, with its part and the command that installs it', () => {
  test.each(repeated(CASES, ([name], at) => CASES.findIndex((one) => one[0] === name) === at))('%s (%s) without %j', (name, part, lacking, work) => {
    const folder = installed(lacking)
    const { stdout, stderr, status } = command(folder, ...work)
    expect(`${stdout}${stderr}`).toContain(`Cannot do this without the package ${name} (part ${part}), which is not installed here for ${process.platform}-${process.arch}: npm install --include=optional ${name}`)
    expect(`${stdout}${stderr}`).not.toMatch(/report it|SQL_INVALID|^\s+at /m)
    expect(status).toBe(1)
    expect(readdirSync(join(folder, 'out'))).toEqual([])
  }, 120_000)
})

test.each(repeated([
  ['@observablehq/plot', { packages: ['@observablehq/plot'] }, picture('svg')],
  ['@resvg/resvg-js', { packages: ['@resvg/resvg-js'] }, picture('toPng()')],
  ['@resvg/resvg-js', { programs: ['@resvg/resvg-js'] }, picture('toPng()')],
], (_, at) => at !== 1))('a picture without %s', (name, lacking, text) => {
  expect(program(installed(lacking), text).stderr).toContain(`PACKAGE_MISSING Cannot do this without the package ${name} (part pictures), which is not installed here`)
}, 120_000)

test('a Parquet file is read without parquet-wasm, unless its pages need it', async () => {
  const folder = installed({ packages: ['parquet-wasm'] })
  expect(command(folder, 'convert', DAY, '--out', 'out', '--to', 'parquet', '--kinds', 'trades').status).toBe(0)
  expect(program(folder, readTable).stderr).toBe('')
  writeFileSync(join(folder, 'frames.parquet'), await severalFrames())
  const other = `import { readTable } from 'backtape'; ${said("await readTable('frames.parquet')")}`
  expect(program(folder, other).stderr).toContain('PACKAGE_MISSING Cannot do this without the package parquet-wasm (part parquet)')
}, 120_000)

test('the page of installing names the packages of each part', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/guide/install.md'), 'utf8').split('\n## Parts\n')[1] ?? ''
  const rows = [...page.matchAll(/^\| `(\w+)` \| (`[^|]*`) \|/gm)].flatMap(([, part = '', packages = '']) => packages.split(', ').map((name) => [name.replaceAll('`', ''), part]))
  expect(Object.fromEntries(rows)).toEqual(PACKAGE_PARTS)
})

const OTHERS = ['apache-arrow', '@duckdb/node-api', '@observablehq/plot', '@resvg/resvg-js', 'linkedom', 'parquet-wasm']

test('without any of them, what is not theirs works: info, events, audit, convert to Parquet, CSV and JSON, and runs', () => {
  const folder = installed({ packages: OTHERS })
  const works = [
    ['info', DAY], ['audit', DAY], ['events', DAY, '--from', '23:59:59'], ['minutes', DAY], ['book', DAY, '--at', '12:00'], ['backtest', 'idle.run.json', '--no-record'],
    ...['parquet', 'csv', 'jsonl'].map((format) => ['convert', DAY, '--out', 'out', '--to', format]),
  ]
  // One process for all: each start of one loads the program anew.
  const { stdout, stderr } = program(folder, `const { main } = await import('./node_modules/backtape/lib/chunks/main.js')
for (const work of ${JSON.stringify(works)}) console.log('\\nended ' + JSON.stringify([work.join(' '), await main(work)]))
process.exit()`)
  expect(stdout.split('\n').filter((line) => line.startsWith('ended '))).toEqual(works.map((work) => `ended ${JSON.stringify([work.join(' '), 0])}`))
  expect(stderr).not.toContain('PACKAGE_MISSING')
  expect(program(folder, readTable).stderr).toBe('')
  for (const [name, part, text] of [
    ['apache-arrow', 'arrow', toArrow], ['linkedom', 'pictures', picture('svg')], ['linkedom', 'pictures', picture('toPng()')],
  ] as const) expect(program(folder, text).stderr).toContain(`PACKAGE_MISSING Cannot do this without the package ${name} (part ${part})`)
}, 300_000)
