import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
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

async function fingerprint(options: { readonly cache?: string, readonly cacheLimitBytes?: number, readonly file?: string, readonly to?: string } = {}): Promise<string> {
  const { file = 'a-TEST1-2026-07-01.txt.zst', ...rest } = options
  const result = await runBacktest({ strategy: RestlessStrategy, data: [join(folder, file)], parameters: { instrument: 'TEST1', wakeNs: 1_000_000_000 }, to: '01:00', account: { balances: { CASH: '1000' } }, ...rest })
  return result.fingerprint
}

const kept = (): string[] => readdirSync(cache).filter((name) => name.endsWith('.backtape-day'))

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

  test('every cut and many changed bytes of a kept day are errors that say what to do', async () => {
    const plain = await fingerprint({ cache })
    const path = join(cache, kept()[0]!)
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at += 97) {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ 0x55
      writeFileSync(path, changed)
      await expect(fingerprint({ cache })).rejects.toThrow(/cached day .*delete it, it is made again/)
      writeFileSync(path, bytes)
      truncateSync(path, at)
      await expect(fingerprint({ cache })).rejects.toThrow(/cached day .*delete it, it is made again/)
    }
    rmSync(path)
    expect(await fingerprint({ cache })).toBe(plain)
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

  test.each([[0], [-1], [1.5], [NaN]])('a limit of %d bytes is refused', async (cacheLimitBytes) => {
    await expect(fingerprint({ cache, cacheLimitBytes })).rejects.toThrow(/cacheLimitBytes must be a whole number from 1/)
  })
})
