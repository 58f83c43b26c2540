import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openReplayInput } from '../../src/simulation/replay-input.js'
import { readEvents } from '../../src/day/tick-day.js'
import { MADE_EPOCH_DAY, marketDay, type MadeDay } from '../support/made-market-file.ts'

const DAYS = 100
const OPEN_FILES = '/proc/self/fd'
const folder = mkdtempSync(join(tmpdir(), 'backtape-many-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function dayFile(set: string, index: number, made: MadeDay = {}): string {
  const epochDay = MADE_EPOCH_DAY + index
  const path = join(folder, `${set}-TEST1-${new Date(epochDay * 86_400_000).toISOString().slice(0, 10)}.txt.zst`)
  writeFileSync(path, marketDay([{ lines: [{ kind: 'snapshot', timeNs: 1e9, rows: [[0, 99, 5], [1, 101, 5]] }] }], { ...made, epochDay }))
  return path
}

const files = Array.from({ length: DAYS }, (_, i) => dayFile('whole', i))

/** How many of the days this process holds open. */
function openCount(): number {
  return readdirSync(OPEN_FILES).filter((name) => {
    try {
      return readlinkSync(join(OPEN_FILES, name)).startsWith(folder)
    } catch {
      return false
    }
  }).length
}

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

describe.runIf(existsSync(OPEN_FILES))(`${DAYS} days of one instrument`, { timeout: 180_000 }, () => {
  test.each([['in order', files], ['the other way round', files.toReversed()]])('an input holds few of them open, and knows the digest of each: %s', async (_, data) => {
    const input = await openReplayInput(data)
    let greatest = openCount()
    let [count, batchCount] = [0, 0]
    const [one] = input.inputs
    for await (const batch of one!.batches()) {
      count += batch.count
      if (batchCount++ % 10 === 0) greatest = Math.max(greatest, openCount())
    }
    await input.finish()
    expect(one!.digests.map((digest) => digest.hex())).toEqual(files.map(sha256))
    await input.close()
    expect(count).toBeGreaterThanOrEqual(DAYS)
    expect(greatest).toBeLessThanOrEqual(3)
    expect(openCount()).toBe(0)
  })

  test('digests of days that nobody reads come at the end', async () => {
    const input = await openReplayInput(files.slice(0, 5))
    await input.finish()
    expect(input.inputs[0]!.digests.map((digest) => digest.hex())).toEqual(files.slice(0, 5).map(sha256))
    await input.close()
    expect(openCount()).toBe(0)
  })

  test('readEvents holds few of them open', async () => {
    let [greatest, count] = [0, 0]
    for await (const event of readEvents(files)) {
      if (event.kind !== 'snapshot') continue
      if (count++ % 10 === 0) greatest = Math.max(greatest, openCount())
    }
    expect(count).toBeGreaterThanOrEqual(DAYS)
    expect(greatest).toBeLessThanOrEqual(2)
  })

  test.each<[string, () => string, string]>([
    ['other money terms', () => dayFile('money', DAYS - 1, { fields: { contract_value: '10' } }), 'money terms differ'],
    ['a day that is there twice', () => dayFile('twice', 3), 'is of the same day'],
    ['a day beyond the span', () => dayFile('far', DAYS), 'a run spans at most 100 days'],
  ])('a last file with %s is refused before anything is decoded, and nothing stays open', async (_, last, sentence) => {
    const list = sentence.includes('span') ? files : files.slice(0, DAYS - 1)
    await expect(openReplayInput([...list, last()])).rejects.toThrow(sentence)
    expect(openCount()).toBe(0)
  })

  test('a file whose first line changes before its turn is refused', async () => {
    const [first, second] = [dayFile('changing', 0), dayFile('changing', 1)]
    const input = await openReplayInput([first, second])
    dayFile('changing', 1, { fields: { lot_size: '2' } })
    const read = async (): Promise<void> => {
      for await (const batch of input.inputs[0]!.batches()) expect(batch.count).toBeGreaterThan(0)
    }
    await expect(read()).rejects.toThrow(`Cannot read ${second}: its master data changed since the run began`)
    await input.close()
    expect(openCount()).toBe(0)
  })
})
