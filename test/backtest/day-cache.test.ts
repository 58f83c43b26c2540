import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

const DAY: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'ERROR', timeNs: 10 },
  { kind: 'snapshot', timeNs: 15, rows: [[0, 98, 5], [1, 101, 5]] },
  { kind: 'mark', timeNs: 16, value: 100 },
  { kind: 'trades', timeNs: 20, rows: [[1, 98, 4], [1, 97, 1]] },
]

let folder = ''
let cache = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backtape-cache-'))
  cache = join(folder, 'days')
  writeFileSync(join(folder, 'a-TEST1-2026-07-01.txt.zst'), marketFile(DAY))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function fingerprint(options: { readonly cache?: string, readonly cacheLimitBytes?: number, readonly file?: string, readonly to?: string, readonly onNote?: (note: string) => void } = {}): Promise<string> {
  const { file = 'a-TEST1-2026-07-01.txt.zst', ...rest } = options
  const result = await runBacktest({ strategy: RestlessStrategy, data: [join(folder, file)], parameters: { instrument: 'TEST1', wakeNs: 1_000_000_000 }, to: '00:01', account: { balances: { CASH: '1000' } }, ...rest })
  return result.fingerprint
}

/** The journal's digest of a run over the whole file, and what it noted. */
async function digestOf({ file, cache: days }: { readonly file: string, readonly cache?: string }): Promise<{ readonly journal: string, readonly notes: readonly string[] }> {
  const notes: string[] = []
  const { journalDigest, fingerprint: print } = await runBacktest({
    strategy: RestlessStrategy, data: [join(folder, file)], parameters: { instrument: 'TEST1', wakeNs: 1_000_000_000, calm: 40 }, to: '00:01', account: { balances: { CASH: '1000' } },
    onNote: (note) => { notes.push(note) }, ...(days === undefined ? {} : { cache: days }),
  })
  return { journal: `${journalDigest} ${print}`, notes }
}

const kept = (): string[] => readdirSync(cache).filter((name) => name.endsWith('.backtape-day'))

/** Frames of a kept day: where each begins, with its head, and how long it is. */
function framesOf(bytes: Buffer): { readonly at: number, readonly lengthBytes: number, readonly kind: string }[] {
  const frames = []
  for (let at = bytes.indexOf(10) + 1; at < bytes.length;) {
    const [jsonBytes, columnBytes] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    const { kind } = JSON.parse(bytes.subarray(at + 12, at + 12 + jsonBytes).toString()) as { kind: string }
    frames.push({ at, lengthBytes: 12 + jsonBytes + columnBytes, kind })
    at += 12 + jsonBytes + columnBytes
  }
  return frames
}

function damageFile(path: string, bytes: Buffer, { at, isCut }: { readonly at: number, readonly isCut: boolean }): void {
  const changed = Buffer.from(bytes)
  changed[at] = changed[at]! ^ 0x55
  writeFileSync(path, isCut ? bytes : changed)
  if (isCut) truncateSync(path, at)
}

describe('the cache of decoded days', () => {
  test('a first run keeps the day, a second one reads it, both as without it', async () => {
    const plain = await fingerprint()
    expect(await fingerprint({ cache })).toBe(plain)
    expect(kept()).toHaveLength(1)
    const bytes = readFileSync(join(cache, kept()[0]!))
    expect(await fingerprint({ cache })).toBe(plain)
    expect(readFileSync(join(cache, kept()[0]!)).equals(bytes)).toBe(true)
    rmSync(cache, { recursive: true })
    expect(await fingerprint({ cache })).toBe(plain)
  })

  test('the same bytes under another name are the same day, other bytes are not', async () => {
    await fingerprint({ cache })
    writeFileSync(join(folder, 'b-TEST1-2026-07-01.txt.zst'), marketFile(DAY))
    await fingerprint({ cache, file: 'b-TEST1-2026-07-01.txt.zst' })
    expect(kept()).toHaveLength(1)
    writeFileSync(join(folder, 'b-TEST1-2026-07-01.txt.zst'), marketFile(DAY.slice(0, 3)))
    expect(await fingerprint({ cache, file: 'b-TEST1-2026-07-01.txt.zst' })).toBe(await fingerprint({ file: 'b-TEST1-2026-07-01.txt.zst' }))
    expect(kept()).toHaveLength(2)
  })

  test('every cut of a kept day, and what is changed at its begin and its end, are made again from the source', async () => {
    const plain = await fingerprint({ cache })
    const path = join(cache, kept()[0]!)
    const bytes = readFileSync(path)
    const frames = framesOf(bytes)
    expect(frames.map(({ kind }) => kind)).toEqual(['start', 'batch', 'end'])
    const cuts = [...Array.from(bytes.keys()).filter((at) => at % (isNight ? 97 : 485) === 0), ...frames.flatMap(({ at }) => [at, at + 5, at + 12, at + 20])]
    const [, first, end] = frames
    const changes = [...Array.from(bytes.keys()).filter((at) => at < first!.at || at >= end!.at).filter((at) => at % (isNight ? 23 : 115) === 0), 0, bytes.length - 1]
    for (const damage of [...cuts.map((at) => ({ at, isCut: true })), ...changes.map((at) => ({ at, isCut: false }))]) {
      damageFile(path, bytes, damage)
      expect(await fingerprint({ cache })).toBe(plain)
      expect(readFileSync(path).equals(bytes), JSON.stringify(damage)).toBe(true)
    }
    expect(kept()).toHaveLength(1)
  }, 180_000)

  test('a changed byte of the first batch is found before it is given, and a later one behind the batches that were whole', async () => {
    const plain = await fingerprint({ cache })
    const path = join(cache, kept()[0]!)
    const bytes = readFileSync(path)
    const [, batch] = framesOf(bytes)
    for (const at of [0, 9, 12, 30, batch!.lengthBytes - 1]) {
      damageFile(path, bytes, { at: batch!.at + at, isCut: false })
      expect(await fingerprint({ cache })).toBe(plain)
      expect(readFileSync(path).equals(bytes)).toBe(true)
    }
    // Two batches: the first is good, and what follows it comes from the source.
    const twice = Buffer.concat([bytes.subarray(0, batch!.at + batch!.lengthBytes), bytes.subarray(batch!.at)])
    for (const at of [9, 30]) {
      damageFile(path, twice, { at: batch!.at + batch!.lengthBytes + at, isCut: false })
      const notes: string[] = []
      expect(await fingerprint({ cache, onNote: (note) => { notes.push(note) } })).toBe(plain)
      expect(notes).toEqual([expect.stringMatching(/^The kept day .* was damaged: it is removed and made again/)])
      expect(readFileSync(path).equals(bytes)).toBe(true)
    }
  }, 180_000)

  test('a day of many batches that is damaged in the middle gives every event of its source once, and is kept anew', async () => {
    const file = 'c-TEST1-2026-07-01.txt.zst'
    const [longest, plain] = [40_000, async (): Promise<string> => (await digestOf({ file })).journal]
    const lines = Array.from({ length: longest }, (_, i): MarketLine => (
      { kind: i === 0 ? 'snapshot' : 'update', timeNs: i * 1_000_000, rows: [[0, 99, 5 + (i % 7)], ...(i === 0 ? [[1, 101, 5]] : [])] as [0 | 1, number, number][] }))
    writeFileSync(join(folder, file), marketFile(lines))
    const undisturbed = await plain()
    await digestOf({ file, cache })
    const path = join(cache, kept()[0]!)
    const bytes = readFileSync(path)
    const batches = framesOf(bytes).filter(({ kind }) => kind === 'batch')
    expect(batches.length).toBeGreaterThan(2)
    for (const { at, lengthBytes } of repeated(batches.slice(1))) {
      damageFile(path, bytes, { at: at + (lengthBytes >> 1), isCut: false })
      const { journal, notes } = await digestOf({ file, cache })
      expect(journal).toBe(undisturbed)
      expect(notes).toHaveLength(1)
      expect(readFileSync(path).equals(bytes)).toBe(true)
    }
  }, 180_000)

  test('a damaged day goes though the run ends before it is made again', async () => {
    await fingerprint({ cache })
    const path = join(cache, kept()[0]!)
    const [, batch] = framesOf(readFileSync(path))
    damageFile(path, readFileSync(path), { at: batch!.at + 30, isCut: false })
    chmodSync(join(folder, 'a-TEST1-2026-07-01.txt.zst'), 0o400)
    await fingerprint({ cache, to: '00:00:00.000000005' })
    expect(kept().length === 0 || framesOf(readFileSync(path)).length === 3).toBe(true)
    expect(await fingerprint({ cache })).toBe(await fingerprint())
  })

  test.each([
    ['in /proc', '/proc/backtape/days', 'no folder can be made in /proc; choose another folder'],
    ['where a file stands', 'FILE', 'a file with this name stands where the folder should be'],
  ])('a folder that cannot be made is refused before the run: %s', async (_, path, words) => {
    const place = path === 'FILE' ? join(folder, 'a-TEST1-2026-07-01.txt.zst') : path
    await expect(fingerprint({ cache: place })).rejects.toMatchObject({ code: 'OUTPUT_FAILED', message: expect.stringContaining(words) as string })
  })

  test('a day whose end lists many damages is read without its source', async () => {
    await fingerprint({ cache })
    const path = join(cache, kept()[0]!)
    const bytes = readFileSync(path)
    const end = framesOf(bytes)[2]!
    const content = JSON.parse(bytes.subarray(end.at + 12).toString()) as { summary: { damages: object[] } }
    content.summary.damages = Array.from({ length: 100 }, (_, i) => ({ code: 'LINE_INVALID', message: `{"kind":"end", ${'x'.repeat(300)} ${i}`, place: {} }))
    const json = Buffer.from(JSON.stringify(content))
    const head = Buffer.alloc(12)
    head.writeUInt32LE(json.length, 0)
    head.writeUInt32LE(crc32(json), 8)
    const long = Buffer.concat([bytes.subarray(0, end.at), head, json])
    writeFileSync(path, long)
    await fingerprint({ cache })
    expect(readFileSync(path).equals(long)).toBe(true)
  })

  test('the days used longest ago go when there are too many bytes; a day beyond the limit is not kept', async () => {
    await fingerprint({ cache })
    const [first] = kept()
    const sizeBytes = readFileSync(join(cache, first!)).length
    utimesSync(join(cache, first!), 1, 1)
    writeFileSync(join(folder, 'b-TEST1-2026-07-01.txt.zst'), marketFile(DAY.slice(0, 4)))
    await fingerprint({ cache, cacheLimitBytes: sizeBytes + 10, file: 'b-TEST1-2026-07-01.txt.zst' })
    expect(kept()).toHaveLength(1)
    expect(kept()).not.toContain(first)
    rmSync(cache, { recursive: true })
    await fingerprint({ cache, cacheLimitBytes: 100 })
    expect(readdirSync(cache)).toEqual([])
  })

  test.each([['a-TEST1-2026-07-01.txt.zst'], [join('a-TEST1-2026-07-01.txt.zst', 'days')]])('a file in the place of the folder is refused: %s', async (name) => {
    const path = join(folder, name)
    await expect(fingerprint({ cache: path })).rejects.toMatchObject({ name: 'BacktapeError', code: 'OUTPUT_FAILED', message: expect.stringContaining(path) as string })
  })

  test.each([[0], [-1], [1.5], [NaN]])('a limit of %d bytes is refused', async (cacheLimitBytes) => {
    await expect(fingerprint({ cache, cacheLimitBytes })).rejects.toThrow(/cacheLimitBytes: expected a whole number from 1, found/)
  })
})
