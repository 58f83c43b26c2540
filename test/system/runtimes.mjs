// Runs the programs of README.md and of the guide to reading a day under Deno and Bun, each from its npm package, and compares what they print and the fingerprints with Node's.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, '.cache/runtimes')
const packages = { deno: '2.9.6', bun: '1.4.5' }
const work = mkdtempSync(join(tmpdir(), 'backtape-runtimes-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function fail(message) {
  console.error(`runtimes: ${message}`)
  process.exit(1)
}

function run(command, args, cwd = work) {
  // Deno paints wherever FORCE_COLOR is set, also to 0.
  const { FORCE_COLOR: _, ...env } = process.env
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' } })
  if (done.status !== 0) fail(`${command} ${args.join(' ')} exits ${done.status ?? done.signal}: ${done.error ?? ''}${done.stderr}${done.stdout.slice(-2000)}`)
  return done.stdout
}

/** The binaries lie in packages of the platform: no install script has to download anything. */
function installRuntimes() {
  const wanted = JSON.stringify({ private: true, dependencies: packages })
  const file = join(cache, 'package.json')
  if (existsSync(join(cache, 'ok')) && readFileSync(join(cache, 'ok'), 'utf8') === wanted) return
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, wanted)
  run('npm', ['install', '--prefix', cache, '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], cache)
  writeFileSync(join(cache, 'ok'), wanted)
}

function binary(...places) {
  return places.map((place) => join(cache, 'node_modules', place)).find(existsSync) ?? fail(`none of ${places.join(', ')} was installed`)
}

/** The package and what it depends on, as an installation has them. */
function installPackage() {
  const installed = join(work, 'node_modules/backtape')
  for (const part of ['bin', 'datasets', 'lib', 'package.json', 'profiles', 'schemas']) cpSync(join(root, part), join(installed, part), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(work, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(work, 'node_modules', name), 'junction')
  }
  symlinkSync(join(root, 'datasets'), join(work, 'datasets'), 'junction')
}

const CLASS_RUN = `import { readFileSync } from 'node:fs'
import { runBacktest } from 'backtape'
import { TouchMaker } from './touch-maker.ts'

const { $schema, strategy, ...options } = JSON.parse(readFileSync('touch-maker.run.json', 'utf8'))
const result = await runBacktest({ ...options, strategy: TouchMaker })
console.log(result.fingerprint, result.journalLineCount)
`

installRuntimes()
installPackage()
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = (language, page = readme) => [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code)
const maker = blocks('ts').find((code) => code.includes('class TouchMaker')) ?? fail('README.md has no TouchMaker')
const guide = readFileSync(join(root, 'docs/guide/read-a-day.md'), 'utf8')
const programs = [readme, guide].flatMap((page) => blocks('ts', page).filter((code) => !code.includes('class ')))
if (programs.length < 2) fail(`README.md and docs/guide/read-a-day.md have ${programs.length} programs`)
writeFileSync(join(work, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
writeFileSync(join(work, 'touch-maker.ts'), maker)
writeFileSync(join(work, 'touch-maker.run.json'), blocks('json').find((text) => text.includes('touch-maker.ts#TouchMaker')) ?? fail('README.md has no run file'))
writeFileSync(join(work, 'class-run.ts'), CLASS_RUN)
const files = programs.map((code, number) => {
  writeFileSync(join(work, `program-${number}.ts`), code)
  return `program-${number}.ts`
})

const bin = 'node_modules/backtape/bin/backtape.js'
const runtimes = {
  Node: { program: (file) => run(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), file]), command: (args) => run(process.execPath, [bin, ...args]) },
  Deno: deno(binary('@deno/linux-x64-glibc/deno', '@deno/linux-arm64-glibc/deno', '@deno/darwin-arm64/deno', '@deno/darwin-x64/deno')),
  Bun: bun(binary('@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-aarch64/bin/bun', '@oven/bun-darwin-aarch64/bin/bun', '@oven/bun-darwin-x64/bin/bun')),
}

function deno(path) {
  return { program: (file) => run(path, ['run', '--allow-all', file]), command: (args) => run(path, ['run', '--allow-all', bin, ...args]) }
}

function bun(path) {
  return { program: (file) => run(path, ['run', file]), command: (args) => run(path, ['run', bin, ...args]) }
}

/** Everything that a runtime is asked, by name. */
function answers({ program, command }) {
  rmSync(join(work, 'touch-maker.golden.json'), { force: true })
  const said = { class: program('class-run.ts') }
  said.run = command(['backtest', 'touch-maker.run.json', '--journal', 'maker.jsonl', '--force'])
  said.journal = readFileSync(join(work, 'maker.jsonl'), 'utf8')
  command(['verify', 'touch-maker.run.json', '--update'])
  command(['verify', '.'])
  for (const file of files) said[file] = program(file)
  said.audit = command(['audit', 'datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'])
  const kinds = process.env.BACKTAPE_NIGHTLY ? [] : ['--kinds', 'trades,bbo']
  command(['convert', 'datasets/synthetic_swap-XRPUSDT-2026-07-02.txt.zst', '--to', 'parquet', '--out', 'archive', '--check', '--force', ...kinds])
  return said
}

const wanted = answers(runtimes.Node)
for (const name of ['Deno', 'Bun']) {
  const found = answers(runtimes[name])
  for (const [what, text] of Object.entries(wanted)) if (found[what] !== text) fail(`${name} differs in ${what}: ${found[what].slice(0, 1000)}\ninstead of: ${text.slice(0, 1000)}`)
}
console.log(`runtimes: Deno ${packages.deno} and Bun ${packages.bun} do what Node ${process.version} does, in ${Object.keys(wanted).length} answers`)
