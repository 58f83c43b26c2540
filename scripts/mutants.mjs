// npm run mutants [FILE...]: mutation testing (StrykerJS) of dist/exchange, dist/book and dist/strategy, or of the files named (such as exchange/queue-model).
// Takes hours for everything; it is no part of CI. Stryker lives in .cache/mutants, as users who only want to run Backtape need not install it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { npmEntry, root } from './project.mjs'

const STRYKER = '9.6.1'
const home = join(root, '.cache/mutants')
const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${STRYKER}`)
const program = join(home, 'node_modules/@stryker-mutator/core/bin/stryker.js')

install()
build()
if (!existsSync(program)) {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"private":true}\n')
  // Its vitest is the project's own, found by walking up from .cache/mutants.
  const { status } = spawnSync(process.execPath, [npmEntry(), 'install', '--prefix', home, '--legacy-peer-deps', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const named = process.argv.slice(2).map((name) => `dist/${name.replace(/^(src|dist)\//, '').replace(/\.(ts|js)$/, '')}.js`)
writeFileSync(join(home, 'stryker.config.json'), JSON.stringify({
  testRunner: 'vitest',
  plugins: [join(home, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  vitest: { configFile: 'test/mutants.config.ts' },
  mutate: named.length > 0 ? named : ['dist/exchange/*.js', 'dist/book/*.js', 'dist/strategy/*.js'],
  ignorePatterns: ['.cache', 'docs', 'bench', 'out', 'coverage'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: '.cache/mutants/report.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: '.cache/mutants/work',
  timeoutMS: 15_000,
  disableTypeChecks: false,
}, null, 2))
// Fewer runs of each property: a mutant that lives is tried again by hand with all of them.
const env = { ...process.env, BACKTAPE_PROPERTY_RUNS: process.env.BACKTAPE_PROPERTY_RUNS ?? '60' }
process.exitCode = spawnSync(process.execPath, [program, 'run', join(home, 'stryker.config.json')], { stdio: 'inherit', cwd: root, env }).status ?? 1
