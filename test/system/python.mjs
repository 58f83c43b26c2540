// Runs docs/guide/python.md: its commands, then its Python, with the packages of test/system/python/packages.txt.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'backtape-python-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: work, encoding: 'utf8', timeout: 300_000, ...options })
  if (done.status === 0) return done.stdout
  console.error(`python: ${[command, ...args].join(' ').slice(0, 200)}\n${done.stdout}\n${done.stderr}`)
  process.exit(1)
}

const python = run('bash', [join(root, 'test/system/python/environment.sh')]).trim()
for (const folder of ['datasets', 'examples', 'profiles', 'schemas', 'node_modules', 'package.json', 'dist', 'lib'])
  symlinkSync(join(root, folder), join(work, folder))
mkdirSync(join(work, 'bin'))
writeFileSync(join(work, 'bin/backtape'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'bin/backtape.js')}" "$@"\n`)
chmodSync(join(work, 'bin/backtape'), 0o755)
const env = { ...process.env, CI: 'true', PATH: `${join(work, 'bin')}${delimiter}${process.env.PATH ?? ''}` }
const page = readFileSync(join(root, 'docs/guide/python.md'), 'utf8')
const blocks = (language) => [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map((match) => match[1])
const commands = blocks('sh').join('').split('\n').filter((line) => line.startsWith('backtape '))
const code = blocks('py')
if (commands.length !== 2 || code.length < 4) throw new Error('python: the page has lost its commands or its code')
for (const line of commands) run('sh', ['-c', line], { env })
writeFileSync(join(work, 'page.py'), code.join('\n'))
console.log(run(python, ['page.py'], { env }).split('\n').slice(0, 12).join('\n'))
console.log(`python: ${code.length} pieces of docs/guide/python.md ran`)
