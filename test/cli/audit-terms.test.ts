import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backtape } from '../support/command.ts'
import { MADE_EPOCH_DAY, marketDay, type MadeDay } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RunFolder } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const LINES: MarketLine[] = [{ kind: 'snapshot', timeNs: 1e9, rows: [[0, 980, 50], [1, 1020, 50]] }]

function dayFile(set: string, day: number, made: MadeDay = {}): string {
  const path = join(folder.path, set, `test-TEST1-2026-07-0${day}.txt.zst`)
  folder.write(`${set}/made`, '')
  writeFileSync(path, marketDay([{ lines: LINES, priceScale: 1, quantityScale: 1 }], { ...made, epochDay: MADE_EPOCH_DAY + day - 1 }))
  return path
}

/** The lines behind the files' own reports. */
const changesOf = (out: string): string[] => out.split('\n\n').filter((part) => part.includes('master data change')).join('\n').trim().split('\n')

describe.concurrent('an audit of several files names master data that change between their days (rule 1.7)', { timeout: 180_000 }, () => {
  test.each<[string, MadeDay, string]>([
    ['contract-value', { fields: { contract_value: '10' } }, 'contractValue: null, then "10"; a run over both days is refused, as money would change its meaning'],
    ['tick', { fields: { ticksize: '0.5' } }, 'tickSize: "1", then "0.5"'],
    ['state', { fields: { state: 'suspended' } }, 'state: null, then "suspended"'],
    ['code', { fields: { code: 'RENAMED' } }, 'code: "TEST1", then "RENAMED"'],
  ])('%s', async (set, changed, sentence) => {
    const [first, second] = [dayFile(set, 1), dayFile(set, 2, changed)]
    const [forward, backward] = await Promise.all([backtape(['audit', first, second]), backtape(['audit', second, first])])
    const code = set === 'code' ? 'RENAMED' : 'TEST1'
    const [heading, ...lines] = changesOf(forward.out)
    expect(heading).toMatch(new RegExp(`^\\w*:${code}: master data change between 2026-07-01 \\(${first}\\) and 2026-07-02 \\(${second}\\)$`))
    expect(lines).toContain(`  -  ${sentence}`)
    expect(changesOf(backward.out)).toEqual([heading, ...lines])
    expect(forward.err).toContain('2 files audited')
    expect(forward.err).toContain('master data change between days once')
    expect([forward.code, backward.code]).toEqual([0, 0])
  })

  test('files that state the same, one number written in two ways, are without a finding', async () => {
    const files = [dayFile('same', 1, { fields: { ticksize: '0.1' } }), dayFile('same', 2, { fields: { ticksize: '0.10' } })]
    const [text, json] = await Promise.all([backtape(['audit', ...files]), backtape(['audit', ...files, '--json'])])
    expect(text.out + text.err).not.toContain('master data change')
    expect(JSON.parse(json.out)).toHaveLength(2)
  })

  test('a change that goes back is two; the JSON array ends with all of them, whatever the order of the files', async () => {
    const [one, two, three] = [dayFile('back', 1), dayFile('back', 2, { fields: { lot_size: '2' } }), dayFile('back', 3)]
    const [forward, mixed] = await Promise.all([backtape(['audit', one, two, three, '--json']), backtape(['audit', three, one, two, '--json'])])
    const last = (JSON.parse(forward.out) as object[]).at(-1)
    expect(last).toMatchObject({
      ok: true,
      termChanges: [
        { earlier: one, earlierDay: '2026-07-01', later: two, laterDay: '2026-07-02', changes: [{ field: 'lotSize', kind: 'grid', later: '"2"' }] },
        { earlier: two, later: three, laterDay: '2026-07-03', changes: [{ field: 'lotSize', kind: 'grid', earlier: '"2"' }] },
      ],
    })
    expect((JSON.parse(mixed.out) as object[]).at(-1)).toEqual(last)
    expect(forward.code).toBe(0)
  })
})
