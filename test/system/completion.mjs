// The script of fish completes lines in fish: commands with their meanings, options, values, and files behind a command.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const program = resolve(import.meta.dirname, '../../bin/backtape.js')
const folder = mkdtempSync(join(tmpdir(), 'backtape-fish-'))
try {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'backtape'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
  chmodSync(join(bin, 'backtape'), 0o755)
  writeFileSync(join(folder, 'day.txt.zst'), '')
  const env = { ...process.env, HOME: folder, PATH: `${bin}:${process.env.PATH}` }
  const script = execFileSync('backtape', ['completion', 'fish'], { env, encoding: 'utf8' })
  const completed = (line) => execFileSync('fish', ['-c', `${script}\ncomplete -C ${JSON.stringify(line)}`], {
    env, cwd: folder, encoding: 'utf8',
  }).trimEnd().split('\n')
  for (const [line, ...expected] of [
    ['backtape aud', /^audit\tchecks tick files/], ['backtape info --j', /^--json\tone JSON array/],
    ['backtape synth --era 20', /^2025/, /^2026/], ['backtape info da', /^day\.txt\.zst/],
  ]) {
    const found = completed(line)
    for (const one of expected) assert.ok(found.some((word) => one.test(word)), `${line}: ${found.join(' | ')}`)
  }
  assert.ok(!completed('backtape da').some((word) => word.startsWith('day')), 'a file stands for no command')
  console.log('completion: fish completes commands, options, values and files')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
