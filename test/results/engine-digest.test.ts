import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { ENGINE_DIGEST } from '../../src/results/engine-digest-reader.js'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

const { ENGINE_ROOMS, engineDigest } = await import(new URL('../../scripts/engine-digest.mjs', import.meta.url).href) as {
  readonly ENGINE_ROOMS: readonly string[]
  engineDigest(sources: readonly (readonly [path: string, text: string])[]): string
}
const DIST = join(import.meta.dirname, '../../dist')
/** Rooms that a run loads and of which no result depends: they show it, or write files. */
const SHOWING_ROOMS = ['export', 'files', 'panels', 'report/pages', 'report/plots', 'report/view', 'web']

/** Rooms of the modules that some modules load, themselves included. */
function roomsFrom(paths: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const left = paths.map((path) => join(DIST, path))
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (seen.has(path) || !existsSync(path)) continue
    seen.add(path)
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.js)'/g))
      left.push(join(dirname(path), name))
  }
  return new Set([...seen].map((path) => dirname(relative(DIST, path)).replaceAll('\\', '/')))
}

const options = {
  strategy: RestlessStrategy, day: '2026-07-01', parameters: { instrument: 'TEST1', seed: 1, wakeNs: 7 }, to: MADE_MIDNIGHT_NS + 200n,
  data: [marketFile([{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, { kind: 'trades', timeNs: 90, rows: [[1, 99, 4]] }], { id: 1 })],
  account: { balances: { CASH: '1000' } },
}

async function checkpointOf(more: object = {}): Promise<Checkpoint> {
  let text = ''
  await runBacktest({ ...options, ...more, checkpoints: { everySteps: 9, take: (checkpoint) => {
    text = JSON.stringify(checkpoint)
    return false
  } } })
  return JSON.parse(text) as Checkpoint
}

describe('the digest of the engine', () => {
  test('every room that a run loads is named as one that makes results or as one that shows them', () => {
    const rooms = roomsFrom(['backtest/passes.js', 'backtest/world-worker.js', 'tickfile/cache/day-frame-worker.js', 'tickfile/zstd/zstd-worker.js'])
    expect([...rooms].filter((room) => !SHOWING_ROOMS.includes(room)).sort()).toEqual(ENGINE_ROOMS.toSorted())
  })

  test('neither line ends nor the order of files count; a name or a letter does', () => {
    const digest = engineDigest([['src/a.ts', 'one\ntwo\n'], ['src/b.ts', '']])
    expect(engineDigest([['src/b.ts', ''], ['src/a.ts', 'one\r\ntwo\r\n']])).toBe(digest)
    expect(engineDigest([['src/a.ts', 'one\ntwo\n'], ['src/c.ts', '']])).not.toBe(digest)
    expect(engineDigest([['src/a.ts', 'one\ntwo'], ['src/b.ts', '\n']])).not.toBe(digest)
    expect(ENGINE_DIGEST).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('a checkpoint', () => {
  test('of this engine resumes without a word', async () => {
    const checkpoint = await checkpointOf()
    expect(checkpoint.engineDigest).toBe(ENGINE_DIGEST)
    expect(checkpoint).not.toHaveProperty('otherEngines')
    const result = await runBacktest({ ...options, resume: checkpoint, otherEngine: true })
    expect(result.summary.warnings.filter((sentence) => sentence.includes('engine'))).toEqual([])
  })

  test.each([
    ['of another engine', { engineDigest: 'a'.repeat(64) }, /its engine is aaaaaaaaaa, this build's is .* use --other-engine/],
    ['without an engine', { engineDigest: undefined }, /its engineDigest is missing/],
    ['with a number for it', { engineDigest: 5 }, /its engineDigest is missing/],
  ])('%s is refused', async (_, changed, words) => {
    const checkpoint = { ...await checkpointOf(), ...changed } as Checkpoint
    await expect(runBacktest({ ...options, resume: checkpoint })).rejects.toThrow(words)
    if (changed.engineDigest === undefined) await expect(runBacktest({ ...options, resume: checkpoint, otherEngine: true })).rejects.toThrow(words)
  })

  test('of another engine resumes where it is asked for, and every result from then on says so', async () => {
    const first = { ...await checkpointOf(), engineDigest: 'a'.repeat(64) }
    const second = await checkpointOf({ resume: first, otherEngine: true })
    expect(second).toMatchObject({ engineDigest: ENGINE_DIGEST, otherEngines: [{ digest: 'a'.repeat(64), until: first.time }] })
    const third = { ...second, engineDigest: 'b'.repeat(64) }
    const result = await runBacktest({ ...options, resume: third, otherEngine: true })
    const found = result.summary.warnings.filter((sentence) => sentence.includes('was played by another engine'))
    expect(found.map((sentence) => /another engine \((\w+)/.exec(sentence)?.[1])).toEqual(['a'.repeat(10), 'b'.repeat(10)])
    expect((await runBacktest({ ...options, resume: second })).summary.warnings.some((sentence) => sentence.includes('another engine'))).toBe(true)
  })
})
