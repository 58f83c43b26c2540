import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { beforeAll, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** Plays random programs whole and in two parts: of each its seed, the digest of its texts, and DIFFERENT where the parts have others. */
function outcomesOf(seeds: readonly number[]): readonly (readonly string[])[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/random-programs/runner.mjs'), ROOT, 'digests', seeds.join(), '1'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trim().split('\n').map((line) => line.split(' ').slice(0, 3))
}

const PROGRAMS = [
  [456, 'its account is BANNED'],
  [585, 'its account is BANNED, in three worlds'],
  [273, 'one of its strategies has come to an instrument that the other one had, and waits to be told of its state'],
  [5061, 'an instrument that is subscribed again comes behind bars that were asked for late'],
  [5120, 'all strategies have ended, and rows of equity at fills go on'],
] as const
let outcomes: readonly (readonly string[])[] = []
beforeAll(() => { outcomes = outcomesOf(PROGRAMS.map(([seed]) => seed)) })

test.each(PROGRAMS)('program %d resumes to the same end from a checkpoint at which %s', (seed) => {
  expect(outcomes.find(([one]) => one === String(seed))).toEqual([String(seed), expect.stringMatching(/^[0-9a-f]{64}$/), '-'])
})
