// What a new user does: the packed package into an empty folder, `backtape init`, `npm install`, `npm test`, the CI
// script, and the notebook of the project in a real Jupyter with the project's own kernel.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installJupyter } from '../../scripts/notebook-runner.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, '.cache/jupyter')
const work = mkdtempSync(join(tmpdir(), 'backtape-init-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
// Records of runs are kept where CI is not set; npm's own variables of an outer npm do not reach the inner ones.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

function run(command, args, options = {}) {
  const startedMs = Date.now()
  const done = spawnSync(command, args, { cwd: work, encoding: 'utf8', timeout: 300_000, env, ...options })
  const words = [command, ...args].join(' ').replaceAll(work, '.').slice(0, 100)
  console.log(`${words}: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  if (done.status === 0) return done.stdout
  console.error(`init: ${words}, exit code ${String(done.status)}\n${done.stdout}\n${done.stderr}`)
  process.exit(1)
}

function check(isRight, words) {
  if (isRight) return
  console.error(`init: ${words}`)
  process.exit(1)
}

const NPM = ['--no-audit', '--no-fund', '--prefer-offline']
installJupyter()
const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', work]
const [pack] = JSON.parse(run('npm', packing, { cwd: root }))
writeFileSync(join(work, 'package.json'), '{"private":true}')
run('npm', ['install', ...NPM, `./${pack.filename}`])
run('npx', ['--no-install', 'backtape', 'init', 'my-strategy'])

const project = join(work, 'my-strategy')
const inProject = { cwd: project }
const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
check(dependencies.backtape === `file:../${pack.filename}`, `backtape is ${dependencies.backtape}, not the tarball`)
run('npm', ['install', ...NPM], inProject)
// The script runs the tests too.
run('npm', ['test'], inProject)
run('sh', ['ci.sh'], { ...inProject, env: { ...env, npm_config_prefer_offline: 'true', npm_config_audit: 'false' } })

const jupyter = {
  ...env, JUPYTER_PATH: join(project, 'jupyter'), JUPYTER_CONFIG_DIR: join(work, 'config'),
  JUPYTER_RUNTIME_DIR: join(work, 'runtime'), IPYTHONDIR: join(work, 'ipython'),
}
const notebook = [
  '--to', 'notebook', '--execute', '--ExecutePreprocessor.timeout=120', '--output-dir', join(work, 'out'),
  'notebooks/first-look.ipynb',
]
run(join(cache, 'venv/bin/jupyter-nbconvert'), notebook, { ...inProject, env: jupyter })
const { cells } = JSON.parse(readFileSync(join(work, 'out/first-look.ipynb'), 'utf8'))
const outputs = cells.flatMap((cell) => (cell.outputs ?? []).flatMap((one) => one.text ?? [])).join('')
check(/^XRPUSDT 0\.0001/.test(outputs) && outputs.includes('bt3:'), `the notebook printed ${outputs.slice(0, 400)}`)
const text = readFileSync(join(project, 'notebooks/first-look.ipynb'), 'utf8')
check(JSON.parse(text).cells.every((cell) => (cell.outputs ?? []).length === 0), 'the notebook was changed by its run')
console.log('init: a project from the packed package tests, verifies and runs its notebook')
