import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { SourceDigests } from '../../src/tickfile/cache/source-digest-client.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const DAY: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: 20, rows: [[1, 98, 4], [1, 97, 1]] },
  { kind: 'update', timeNs: 30, rows: [[0, 99, 3]] },
]

/** Digests are remembered of large files alone: a frame that decoders skip makes one of a small day. */
function largeFile(lines: readonly MarketLine[]): Buffer {
  const skipped = Buffer.alloc(8 + 8_500_000)
  skipped.writeUInt32LE(0x184D2A50, 0)
  skipped.writeUInt32LE(8_500_000, 4)
  return Buffer.concat([marketFile([...lines]), skipped])
}

let folder = ''
let cache = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-memory-'))
  cache = join(folder, 'days')
  path = join(folder, 'a-TEST1-2026-07-01.txt.zst')
  writeFileSync(path, largeFile(DAY))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function run({ file = path, ...options }: Omit<Partial<BacktestOptions>, 'parameters'> & { readonly file?: string, readonly parameters?: ParameterConfig }): Promise<BacktestResult> {
  return runBacktest({ strategy: RestlessStrategy, data: [file], day: '2026-07-01', parameters: { instrument: 'TEST1', wakeNs: 1_000_000_000 }, to: '00:02', account: { balances: { CASH: '1000' } }, ...options })
}

async function fingerprint(options: { readonly cache?: string, readonly file?: string } = {}): Promise<string> {
  const { fingerprint: found } = await run(options)
  return found
}

/** Another file is kept, and what is remembered of the first one says that it has the other's bytes. */
async function wrongClaim(): Promise<{ readonly memory: string, readonly other: string, readonly others: string }> {
  const other = join(folder, 'b-TEST1-2026-07-01.txt.zst')
  writeFileSync(other, largeFile(DAY.slice(0, 2)))
  const others = await fingerprint({ cache, file: other })
  const memory = memories().find((name) => readFileSync(name, 'utf8').startsWith(sha256(readFileSync(path))))!
  writeFileSync(memory, `${sha256(readFileSync(other))}\n`)
  return { memory, other, others }
}

const memories = (): string[] => readdirSync(cache).filter((name) => name.endsWith('.backtape-source')).map((name) => join(cache, name))
const days = (): string[] => readdirSync(cache).filter((name) => name.endsWith('.backtape-day')).map((name) => join(cache, name))
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

describe('the digest that is remembered of a large file', () => {
  test('is that of its bytes, and runs that go by it have the fingerprint of those that do not', async () => {
    const plain = await fingerprint()
    expect(await fingerprint({ cache })).toBe(plain)
    expect(memories().map((name) => readFileSync(name, 'utf8'))).toEqual([`${sha256(readFileSync(path))}\n`])
    for (let i = 0; i < 3; i++) expect(await fingerprint({ cache })).toBe(plain)
    expect([memories().length, days().length]).toEqual([1, 1])
  })

  test('is another one where the file was written anew, or only touched', async () => {
    await fingerprint({ cache })
    utimesSync(path, 1000, 1000)
    await fingerprint({ cache })
    expect([memories().length, days().length]).toEqual([1, 1])
    writeFileSync(path, largeFile(DAY.slice(0, 2)))
    expect(await fingerprint({ cache })).toBe(await fingerprint())
    expect([memories().length, days().length]).toEqual([1, 2])
    expect(readFileSync(memories()[0]!, 'utf8')).toBe(`${sha256(readFileSync(path))}\n`)
  })

  test('is seen to hold before a run has a result: where it does not the run is refused, and the next one is right', async () => {
    const plain = await fingerprint({ cache })
    const { memory, others } = await wrongClaim()
    expect(others).not.toBe(plain)
    await expect(fingerprint({ cache })).rejects.toThrow(/^Cannot go on with the cached day of .*a-TEST1.*: the file has other bytes than were remembered of it/)
    expect(memories()).not.toContain(memory)
    expect(await fingerprint({ cache })).toBe(plain)
  })

  test('never keeps a day under another name than its own: a damaged day that a wrong digest names is not made again from these bytes', async () => {
    const plain = await fingerprint({ cache })
    const { other, others } = await wrongClaim()
    const [day] = days().filter((name) => name.includes(sha256(readFileSync(other))))
    const bytes = readFileSync(day!)
    // Within the first batch: found when it is read.
    bytes[bytes.indexOf('"kind":"batch"') + 400]! ^= 0x55
    writeFileSync(day!, bytes)
    await expect(fingerprint({ cache })).rejects.toThrow(/other bytes than were remembered/)
    // The damaged day is gone; nothing was kept in its place.
    expect(existsSync(day!)).toBe(false)
    expect(await fingerprint({ cache })).toBe(plain)
    expect(await fingerprint({ cache, file: other })).toBe(others)
  })

  test.each([['nothing', ''], ['words', 'soon\n'], ['half of it', `${'a'.repeat(32)}\n`], ['a digest of no day', `${'a'.repeat(64)}\n`]])('that reads %s is made anew', async (_name, text) => {
    const plain = await fingerprint({ cache })
    writeFileSync(memories()[0]!, text)
    expect(await fingerprint({ cache })).toBe(plain)
    expect(readFileSync(memories()[0]!, 'utf8')).toBe(`${sha256(readFileSync(path))}\n`)
  })

  test.each<[string, Partial<Parameters<typeof runBacktest>[0]>]>([
    ['stopped', { signal: AbortSignal.abort() }],
    ['stopped for a checkpoint', { checkpoints: { everySteps: 5, take: () => Promise.resolve(false) } }],
    ['ended by its strategy', { strategy: class extends RestlessStrategy { override onInstrumentTrades(): void { throw new Error('enough') } } }],
    ['refused for its parameters', { parameters: { instrument: 'TEST1', wakeNs: 1, colour: 'red' } }],
    ['refused for its times', { from: '23:00', to: '01:00' }],
  ])('is seen to hold before anything is told of a run that was %s', async (_name, options) => {
    const plain = await fingerprint({ cache })
    const { memory } = await wrongClaim()
    await expect(run({ cache, ...options })).rejects.toThrow(/other bytes than were remembered/)
    expect(memories()).not.toContain(memory)
    expect(await fingerprint({ cache })).toBe(plain)
  })

  test('is seen to hold before files are refused that do not go together', async () => {
    await fingerprint({ cache })
    const { memory } = await wrongClaim()
    const again = join(folder, 'c-TEST1-2026-07-01.txt.zst')
    writeFileSync(again, marketFile(DAY))
    for (const words of [/other bytes than were remembered/, /trim none takes one file an instrument/]) await expect(run({ cache, data: [path, again], trim: 'none' })).rejects.toThrow(words)
    expect(readFileSync(memory, 'utf8')).toBe(`${sha256(readFileSync(path))}\n`)
  })

  test('is that of the file that was opened, wherever it goes while it is played', async () => {
    const plain = await fingerprint({ cache })
    const result = await run({ cache, onProgress: () => { if (existsSync(path)) renameSync(path, join(folder, 'away')) } })
    expect(result.fingerprint).toBe(plain)
    expect(existsSync(path)).toBe(false)
  })

  test('is not kept of small files', async () => {
    writeFileSync(path, marketFile(DAY))
    await fingerprint({ cache })
    expect([memories().length, days().length]).toEqual([0, 1])
  })
})

test('a file that is gone when it is to be digested is an error that names it', async () => {
  const digests = new SourceDigests()
  await expect(digests.digest(join(folder, 'gone'))).rejects.toThrow(/^Cannot open .*gone: there is no such file/)
  expect(await digests.digest(path)).toBe(sha256(readFileSync(path)))
  await digests.close()
})
