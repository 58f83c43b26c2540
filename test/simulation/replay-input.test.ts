import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openReplayInput, type ReplayInput, type ReplayInputOptions } from '../../src/simulation/replay-input.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

const DAY: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: 20, rows: [[1, 99, 4]] },
]
/** More than is read ahead of a file before its first text is decoded. */
const LARGE_BYTES = 16_000_000
const OPEN_FILES = '/proc/self/fd'

let folder = ''
let day = ''
let cache: NonNullable<ReplayInputOptions['cache']> = { folder: '', limitBytes: 1e9 }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-input-'))
  day = join(folder, 'a-TEST1-2026-07-01.txt.zst')
  cache = { ...cache, folder: join(folder, 'days') }
  writeFileSync(day, marketFile(DAY))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const kept = (): string[] => (existsSync(cache.folder) ? readdirSync(cache.folder) : [])

function openFiles(): string[] {
  return readdirSync(OPEN_FILES).flatMap((name) => {
    try {
      const path = readlinkSync(join(OPEN_FILES, name))
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })
}

async function readToItsEnd(input: ReplayInput): Promise<void> {
  for (const { batches } of input.inputs) for await (const _batch of batches());
  await input.close()
}

describe.runIf(existsSync(OPEN_FILES))('files that an input has let go of', () => {
  test.each<[name: string, options: () => ReplayInputOptions, isKept: boolean]>([
    ['of a file', () => ({}), false], ['of a whole file', () => ({ trim: 'none' }), false], ['of a file that is being kept', () => ({ cache }), false],
    ['of a kept day', () => ({ cache }), true], ['of a kept day, whole', () => ({ cache, trim: 'none' }), true],
  ])('closed with no batch read, and with one: %s', async (_name, options, isKept) => {
    if (isKept) await readToItsEnd(await openReplayInput([day], options()))
    const before = kept()
    for (const batchCount of [0, 1]) {
      for (const end of ['close', 'finish'] as const) {
        const input = await openReplayInput([day], options())
        const batches = input.inputs[0]!.batches()
        for (let i = 0; i < batchCount; i++) expect((await batches.next()).done).toBe(false)
        await input[end]()
        await input.close()
        expect([openFiles(), kept()]).toEqual([[], before])
      }
    }
  })

  test('a file that is refused, another that was opened before it', async () => {
    writeFileSync(join(folder, 'b-TEST2-2026-07-01.txt.zst'), Buffer.alloc(LARGE_BYTES, 'x'))
    for (const more of [{}, { cache }]) {
      await expect(openReplayInput([day, join(folder, 'b-TEST2-2026-07-01.txt.zst')], more)).rejects.toMatchObject({ code: 'NOT_ZSTD' })
      expect(openFiles()).toEqual([])
    }
  })

  test.each([['refused', { cacheLimitBytes: 0 }], ['broken off', { parameters: { instrument: 'nobody' } }]])('a run that is %s leaves nothing half written in the cache', async (_name, options) => {
    const parameters = { instrument: 'TEST1', wakeNs: 1e9 }
    await expect(runBacktest({ strategy: RestlessStrategy, data: [day], parameters, cache: cache.folder, account: { balances: { CASH: '1000' } }, ...options })).rejects.toThrow()
    expect([openFiles(), kept().filter((name) => name.includes('part'))]).toEqual([[], []])
  })
})

test('a stream that is refused while a read of it is stuck', async () => {
  async function* stuck(): AsyncGenerator<Uint8Array, void, undefined> {
    yield new Uint8Array(LARGE_BYTES)
    await new Promise(() => undefined)
  }
  await expect(openReplayInput([stuck()])).rejects.toMatchObject({ code: 'NOT_ZSTD' })
})
