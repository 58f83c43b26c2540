// `npm pack` in a fresh clone, and both packages installed from a registry by their names: README's programs and its
// run work with each, core is small, and says which part is missing.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import {
  mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRegistry } from '../support/local-registry.mjs'

const MEGABYTE = 1_000_000
const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-installed-'))
// npm's own variables of an outer npm do not reach the inner ones.
const outer = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
const env = { ...Object.fromEntries(outer), BACKTAPE_CACHE: join(work, 'cache') }
// Records of runs are kept where CI is not set.
delete env.CI

function run(cwd, command, ...args) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', env })
  assert.equal(done.status, 0, `${command} ${args.join(' ')} in ${cwd}:\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}
/** Beside the registry, which this process is. */
const install = (cwd, address, spec) => new Promise((resolve, reject) => {
  const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--registry', address, spec]
  execFile('npm', words, { cwd, env }, (error, _, stderr) => error === null ? resolve() : reject(new Error(stderr)))
})
const filesOf = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name))
const packagesOf = (folder) => filesOf(folder)
  .filter((path) => /node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+[\\/]package\.json$/.test(path)).length

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [program, strategy] = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
const [, runFile] = /^```json\n([\s\S]*?)^```$/m.exec(readme)

/** README's programs, as a reader types them into an empty folder. */
function tryReadme(project, reported) {
  symlinkSync('node_modules/backtape/datasets', join(project, 'datasets'))
  writeFileSync(join(project, 'program.mjs'), program)
  writeFileSync(join(project, 'touch-maker.ts'), strategy)
  writeFileSync(join(project, 'touch-maker.run.json'), runFile)
  assert.match(run(project, 'node', 'program.mjs'), /^XRPUSDT\n(BID|ASK) /)
  const commands = [...readme.matchAll(/^node bin\/backtape\.js (.*)$/gm)].map(([, words]) => words.split(' '))
  for (const words of commands) run(project, 'npx', '--no', 'backtape', ...words)
  const [, words] = /^`npx --no (backtape backtest .*?)(?: --report)?`/m.exec(readme)
  return JSON.parse(run(project, 'npx', '--no', ...words.split(' '), ...reported, '--json'))
}

try {
  const clone = join(work, 'clone')
  run(work, 'git', 'clone', '--quiet', '--depth', '1', `file://${root}`, clone)
  const packed = run(clone, 'npm', 'pack', '--silent', '--prefer-offline').trim().split('\n').at(-1)
  const tarballs = run(clone, 'node', 'scripts/tarballs.mjs', '--out', join(work, 'pack')).trim().split('\n')
  const sizes = [join(clone, packed), tarballs[0]].map((path) => statSync(path).size)
  assert.equal(sizes[0], sizes[1], '`npm pack` and `npm run pack` make the same package')
  const registry = await openRegistry(tarballs)
  const summaries = {}
  try {
    const installed = [['whole', 'backtape', '--report'], ['core', 'backtape@npm:backtape-core']]
    for (const [name, spec, ...reported] of installed) {
      const project = join(work, name)
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
      await install(project, registry.address, spec)
      summaries[name] = tryReadme(project, reported)
    }
  } finally {
    registry.close()
  }
  assert.deepEqual(summaries.core, summaries.whole, 'both packages run the same')

  const core = join(work, 'core')
  const inside = join(core, 'node_modules')
  // esbuild's program lies there once, under two names.
  const sizeOf = new Map(filesOf(inside).map((path) => statSync(path)).map(({ ino, size }) => [ino, size]))
  const bytes = [...sizeOf.values()].reduce((sum, size) => sum + size, 0)
  const count = packagesOf(inside)
  assert.ok(bytes <= 30 * MEGABYTE && count <= 12, `core has ${count} packages, ${bytes} bytes`)
  const day = 'datasets/synthetic_swap-XRPUSDT-2026-07-02.txt.zst'
  for (const [name, part, ...words] of [
    ['apache-arrow', 'arrow', 'convert', day, '--to', 'arrow', '--out', 'arrow'],
    ['linkedom', 'pictures', 'backtest', 'touch-maker.run.json', '--report', 'report.html'],
  ]) {
    const refused = spawnSync('npx', ['--no', 'backtape', ...words], { cwd: core, encoding: 'utf8', env })
    assert.equal(refused.status, 1)
    const sentence = `the package ${name} \\(part ${part}\\).*npm install --include=optional ${name}`
    assert.match(`${refused.stdout}${refused.stderr}`, new RegExp(sentence))
  }
  run(join(work, 'whole'), 'npx', '--no', 'backtape', 'convert', day, '--to', 'arrow', '--out', 'arrow')
  console.log(`installed: README works with both; core has ${count} packages, ${(bytes / MEGABYTE).toFixed(1)} MB`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
