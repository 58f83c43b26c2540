import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const release = (...args: readonly string[]) => spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: root, encoding: 'utf8' })

/** Files that differ from the last commit; tests that run beside this one have unfinished files. */
function changedFiles(): readonly string[] {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  return stdout.split('\n').filter((line) => !line.includes('.backtape-part-'))
}

test.each<[string, readonly string[], RegExp]>([
  ['no version', [], /the version must be as 0\.1\.0, found ""/],
  ['a version of two numbers', ['1.0'], /the version must be as 0\.1\.0, found "1\.0"/],
  ['another flag', ['0.1.0', '--publish'], /the only flag is --write, found --publish/],
  ['no place of the sources', ['0.1.0'], /scripts\/project\.mjs does not say REPOSITORY/],
  ['no place of the sources, and --write', ['0.1.0', '--write'], /scripts\/project\.mjs does not say REPOSITORY/],
])('a release refuses %s, and writes nothing', (_name, args, why) => {
  const before = changedFiles()
  const { status, stdout, stderr } = release(...args)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(why)
  expect(changedFiles()).toEqual(before)
})
