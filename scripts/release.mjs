// npm run release -- VERSION: what a release would do. With --write it does it: version, heading of the changelog,
// commit, tag, tarballs and their checksums in out/release. Nothing is published or pushed: that is said at the end.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { REPOSITORY, npmEntry, root } from './project.mjs'
import { packTarballs } from './tarballs.mjs'

const VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/
const [version = '', ...flags] = process.argv.slice(2).sort((a, b) => a.startsWith('-') - b.startsWith('-'))
const isWritten = flags.includes('--write')

function run(command, args) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}

const manifestFile = join(root, 'package.json')
const changesFile = join(root, 'CHANGELOG.md')
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
const changes = readFileSync(changesFile, 'utf8')
const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changes) ?? []

const refusals = [
  [!VERSION.test(version), `the version must be as 0.1.0, found ${JSON.stringify(version)}`],
  [flags.some((flag) => flag !== '--write'), `the only flag is --write, found ${flags.join(' ')}`],
  [REPOSITORY === '', 'scripts/project.mjs does not say REPOSITORY, where the sources can be read'],
  [unreleased.trim() === '', 'CHANGELOG.md has nothing below "## Unreleased"'],
  [run('git', ['status', '--porcelain']) !== '', 'the work tree has changes that are not committed'],
  [run('git', ['tag', '--list', `v${version}`]) !== '', `the tag v${version} exists`],
].flatMap(([isRefused, why]) => isRefused ? [why] : [])
if (refusals.length > 0) {
  for (const why of refusals) console.error(`Cannot release: ${why}`)
  process.exit(1)
}

const day = run('git', ['log', '-1', '--format=%cs'])
console.log(`version     ${manifest.version} -> ${version}`)
const count = unreleased.trim().split('\n').length
console.log(`changelog   "## ${version}, ${day}" takes ${count} lines of "## Unreleased"`)
console.log(`repository  ${REPOSITORY}`)
if (!isWritten) {
  console.log('Nothing was written: say --write')
  process.exit(0)
}
const links = {
  repository: { type: 'git', url: `git+${REPOSITORY}.git` }, homepage: `${REPOSITORY}#readme`,
  bugs: `${REPOSITORY}/issues`,
}
writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, version, ...links }, null, 2)}\n`)
writeFileSync(changesFile, changes.replace('## Unreleased\n', () => `## Unreleased\n\n## ${version}, ${day}\n`))
run(process.execPath, [npmEntry(), 'install', '--package-lock-only', '--ignore-scripts', '--silent'])
run('git', ['commit', '--all', '--message', `repository: version ${version}`])
run('git', ['tag', '--annotate', `v${version}`, '--message', `Backtape ${version}`])
const out = join(root, 'out/release')
const names = (await packTarballs(out)).map((path) => basename(path))
const sums = names.map((name) => {
  const sum = createHash('sha256').update(readFileSync(join(out, name))).digest('hex')
  return `${sum}  ${name}\n`
}).join('')
writeFileSync(join(out, 'SHA256SUMS'), sums)
console.log(`${out}\n${sums}`)
const publishing = names.map((name) => `npm publish ${join('out/release', name)}`).join('; ')
console.log(`Next, by hand: git push --follow-tags; ${publishing}`)
