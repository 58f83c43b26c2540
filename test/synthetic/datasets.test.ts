import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { EVENT_FLAGS } from '../../src/model/event-batch.js'
import { writeDays } from '../../src/synthetic/made-days-writer.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { isNight } from '../support/repetitions.ts'

const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../../scripts/make-datasets.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'backtape-datasets-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bundled = readdirSync(DATASETS).filter((name) => name !== 'README.md').sort()

async function read(path: string): Promise<{ counts: Map<number, number>; gaps: number; steps: number; code: string }> {
  const reading = await readTickFile(await openSource(path))
  const counts = new Map<number, number>()
  let gaps = 0
  let steps = 0
  for await (const batch of reading.batches()) {
    for (let i = 0; i < batch.count; i++) {
      const kind = batch.kind[i] ?? -1
      const flags = batch.flags[i] ?? 0
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if ((flags & EVENT_FLAGS.CHAIN_GAP) !== 0) gaps += 1
      if ((flags & EVENT_FLAGS.CLOCK_STEPPED_BACK) !== 0) steps += 1
    }
  }
  return { counts, gaps, steps, code: reading.instrument.code }
}

describe('the bundled days', () => {
  test('are small', () => {
    expect(bundled.reduce((sum, name) => sum + statSync(join(DATASETS, name)).size, 0)).toBeLessThan(6_000_000)
  })

  // By day the goldens of made-up days say the same of shorter ones.
  if (isNight) test('come out of the script byte for byte', () => {
    execFileSync(process.execPath, [SCRIPT, folder], { stdio: 'inherit' })
    expect(readdirSync(folder).sort()).toEqual(bundled)
    for (const name of bundled) expect([name, readFileSync(join(folder, name)).equals(readFileSync(join(DATASETS, name)))]).toEqual([name, true])
  }, 180_000)

  test.each(bundled.filter((name) => name.endsWith('.zst')))('%s: read whole, one chain gap, one step back of the clock', async (name) => {
    const { counts, gaps, steps, code } = await read(join(DATASETS, name))
    expect(name).toContain(`-${code}-`)
    expect([gaps, steps, counts.get(0), counts.get(5)]).toEqual([1, 1, 4, 3])
  })

  test('are named in the README, all of them', () => {
    const readme = readFileSync(join(DATASETS, 'README.md'), 'utf8')
    for (const name of bundled) expect(readme).toContain(name.endsWith('.tar') ? name : name.slice(name.lastIndexOf('-2026-07-02') > 0 ? name.indexOf('-02.') : 0).replace('.txt.zst', ''))
  })
})

describe('writing days', () => {
  test('a day and its truth; what exists is not overwritten unless asked', async () => {
    const out = join(folder, 'new', 'folder')
    const written = await writeDays(out, { seed: 1, minutes: 1, kind: 'option', truth: true })
    expect(written.map(({ path }) => path.slice(out.length + 1))).toEqual([
      'synthetic_option-BTC-68000-C-2026-07-01.txt.zst',
      'synthetic_option-BTC-68000-C-2026-07-01.truth.jsonl.zst',
    ])
    const before = readFileSync(written[0]?.path ?? '')
    const { counts } = await read(written[0]?.path ?? '')
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(written[0]?.lineCount)
    await expect(writeDays(out, { seed: 2, minutes: 1, kind: 'option' })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect(readFileSync(written[0]?.path ?? '').equals(before)).toBe(true)
    await writeDays(out, { seed: 2, minutes: 1, kind: 'option' }, { force: true })
    expect(readFileSync(written[0]?.path ?? '').equals(before)).toBe(false)
    expect(readdirSync(out)).toHaveLength(2)
  })

  test('a folder that cannot be: OUTPUT_FAILED', async () => {
    await expect(writeDays(join(SCRIPT, 'below'), { seed: 1, minutes: 1 })).rejects.toMatchObject({ code: 'OUTPUT_FAILED' })
  })

  test('a refused option leaves nothing', async () => {
    const out = join(folder, 'refused')
    await expect(writeDays(out, { seed: 1, minutes: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    expect(readdirSync(folder)).not.toContain('refused')
  })
})
