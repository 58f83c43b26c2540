import { describe, expect, test } from 'vitest'
import { clockWords } from '../../src/model/clock-words.js'
import { emptySummary } from '../../src/tickfile/lines/reading.js'
import { stitchDays } from '../../src/tickfile/days/stitching.js'
import { auditReading } from '../../src/tickfile/audit/audit.js'
import { auditText } from '../../src/tickfile/audit/audit-text.js'
import { auditVerdict } from '../../src/tickfile/audit/audit-report.js'
import fc from '../support/many-cases.js'
import { at, DAY, line, NAME, read, settledTimes, steps, YEAR } from '../support/clocked-lines.ts'
import { naiveClock, type Stamp } from '../support/naive-clock.js'
import { masterLine, tickReading } from '../support/tick-lines.js'
import { readBack, storedZstd } from '../support/tick-text.js'

describe('a stretch whose stamps return takes the stamp of the line before it', () => {
  const offsets: [string, (second: number) => number][] = [
    ['into the next day', (second) => second + DAY],
    ['to 00:00:30 of the next day', (second) => second % 1 + DAY + 30],
    ['to 23:59:59', (second) => DAY - 1 + second / 1e6],
    ['back a day', (second) => second - DAY],
    ['an hour ahead', (second) => second + 3600],
    ['an hour back', (second) => second - 3600],
    ['to the next year', (second) => second + YEAR],
    ['to the last year', (second) => second - YEAR],
    ['here and there', (second) => second + (Math.round(second) % 3 - 1.5) * DAY],
  ]
  for (const [words, jump] of offsets)
    for (const [length, step] of [[1, 0.01], [2, 10], [300, 0.01], [300, 10], [1000, 1]] as const)
      test(`${words}, ${String(length)} lines ${String(step)} s apart`, async () => {
        const [before, jumped, behind] = [steps(10_000, 50, step), steps(10_000 + 50 * step, length, step), steps(10_000 + (50 + length) * step, length + 20, step)]
        const { seconds, ...counts } = await read([...before.map((s) => line(s)), ...jumped.map((s) => line(jump(s), s)), ...behind.map((s) => line(s))])
        expect(counts).toEqual({ jumped: length, flagged: length, code: null })
        expect(seconds).toEqual([...before, ...jumped.map(() => before.at(-1)), ...behind].map((s) => expect.closeTo(s!, 3) as number))
      })
  test.each<[string, number[], number[]]>([
    ['60 s are none', [0, 1, 61, 2, 3], [0, 1, 61, 2, 3]],
    ['more are one', [0, 1, 61.001, 2, 3], [0, 1, 1, 2, 3]],
    ['60 s back are none', [100, 40, 101], [100, 40, 101]],
    ['more back are one', [100, 39.999, 101], [100, 100, 101]],
    ['two jumps with a line between them', [0, DAY, 1, DAY, 2, 3], [0, 0, 1, 1, 2, 3]],
    ['a clock that flaps', [0, DAY, DAY + 1, 1, DAY + 2, 2, 3, 4], [0, 0, 0, 1, 1, 2, 3, 4]],
    ['ahead, then back', [100, 100 + DAY, 100 - DAY, 101], [100, 100, 100, 101]],
    ['ahead, then back, near the begin', [0, 1, 2, 3 + DAY, 4 - DAY, 5, 6, 7, 8, 9], [0, 1, 2, 2, 2, 5, 6, 7, 8, 9]],
    ['a jump behind a quiet hour', [0, 3600, 3601, 3602 + DAY, 3603], [0, 3600, 3601, 3601, 3603]],
    ['a jump that ends with a quiet hour', [0, 1, 2 + DAY, 3603, 3604, 3605], [0, 1, 1, 3603, 3604, 3605]],
    ['the stamps stay where they are', [0, 1, DAY / 2, DAY / 2 + 1, DAY / 2 + 2], [0, 1, DAY / 2, DAY / 2 + 1, DAY / 2 + 2]],
    ['a small step back of a late line behind a quiet minute', [0, 60.5, 59.8, 62], [0, 60.5, 59.8, 62]],
  ])('%s', async (_, stamps, expected) => {
    expect((await read(stamps.map((s) => line(s)))).seconds).toEqual(expected)
  })
  test('a clock that is set back for good is none', async () => {
    const lines = [...steps(7000, 1001), ...steps(1000, 1100)]
    expect(await read(lines.map((s) => line(s)))).toEqual({ seconds: lines, jumped: 0, flagged: 0, code: null })
  })
  test('1,001 lines are none: they are treated as they stand', async () => {
    const lines = [...steps(0, 5), ...steps(DAY / 2, 1001), ...steps(6, 1100)]
    expect(await read(lines.map((s) => line(s)))).toEqual({ seconds: lines, jumped: 0, flagged: 0, code: null })
  })
  test('lines of an illiquid instrument, minutes apart, with one stamp an hour back: that one has jumped', async () => {
    const quiet = steps(0, 300, 120)
    const stamps = [...quiet.slice(0, 150), 14_500, ...quiet.slice(150)]
    const { seconds } = await read(stamps.map((s) => line(s)))
    expect(seconds).toEqual([...quiet.slice(0, 150), quiet[149], ...quiet.slice(150)])
  })
  test('lines of an illiquid instrument, minutes apart, ten of them an hour ahead', async () => {
    const quiet = steps(0, 100, 120)
    const { seconds } = await read(quiet.map((s, i) => line(i >= 40 && i < 50 ? s + 3600 : s)))
    expect(seconds).toEqual(quiet.map((s, i) => (i >= 40 && i < 50 ? 39 * 120 : s)))
  })
})

describe('where nothing stands behind or before it', () => {
  test.each<[string, string[], number[]]>([
    ['the last line, a day ahead', [line(1), line(2), line(3 + DAY, 3)], [1, 2, 2]],
    ['the last line, at 00:00:30 of the next day', [line(1), line(2), line(DAY + 30, 3)], [1, 2, 2]],
    ['the last line, a day back', [line(1), line(2), line(3 - DAY, 3)], [1, 2, 2]],
    ['the last line, of another year', [line(1), line(2), line(3 + YEAR, 3)], [1, 2, 2]],
    ['the last 300 lines', [...steps(0, 50), ...steps(50, 300, 5)].map((s, i) => line(i < 50 ? s : s + DAY, s)), [...steps(0, 50), ...steps(0, 300).map(() => 49)]],
    ['a late line of an illiquid instrument is none', [line(1), line(2), line(DAY + 30)], [1, 2, DAY + 30]],
    ['a late line of the same day is none', [line(1), line(2), line(DAY - 1, 3)], [1, 2, DAY - 1]],
    ['a late line that does not say when it was sent is none', [line(1), line(2), line(DAY + 30, null)], [1, 2, DAY + 30]],
    ['the first line, a day ahead', [line(DAY + 1, 1), line(2), line(3)], [2, 2, 3]],
    ['the first line, of another year', [line(YEAR + 1, 1), line(2), line(3)], [2, 2, 3]],
    ['the first line, of the last year', [line(-YEAR, 1), line(2), line(3)], [2, 2, 3]],
    ['the first line, a day back', [line(1 - DAY, 1), line(2), line(3)], [2, 2, 3]],
    ['an early line of an illiquid instrument is none', [line(-300), line(2), line(3)], [-300, 2, 3]],
    ['the first 300 lines', [...steps(0, 300, 5).map((s) => line(s + DAY, s)), ...steps(1500, 400).map((s) => line(s))], [...steps(0, 300).map(() => 1500), ...steps(1500, 400)]],
    ['an only line', [line(5 + DAY, 5)], [5 + DAY]],
    ['the last 300 of 350 lines, a day back', [...steps(0, 50), ...steps(50, 300)].map((s, i) => line(i < 50 ? s : s - DAY, s)), [...steps(0, 50), ...steps(0, 300).map(() => 49)]],
    ['the first lines of a clock that flaps', [DAY, 1, DAY + 2, DAY + 3, 4, 5, 6, 7, 8].map((s) => line(s, s % DAY)), [1, 1, 1, 1, 4, 5, 6, 7, 8]],
    ['the first line, at 23:59:59', [line(DAY - 1, 1), line(2), line(3)], [2, 2, 3]],
    ['the first line, which does not say when it was sent', [DAY, 1, 2].map((s) => line(s, null)), [1, 1, 2]],
  ])('%s', async (_, lines, expected) => {
    expect((await read(lines)).seconds).toEqual(expected)
  })
  test('the first 1,000 lines, 1,001 lines before the end', async () => {
    const [ahead, behind] = [steps(0, 1000), steps(1000, 1001)]
    expect(await read([...ahead.map((s) => line(s + DAY, s)), ...behind.map((s) => line(s))])).toMatchObject({ seconds: [...ahead.map(() => 1000), ...behind], jumped: 1000 })
  })
  test.each<[string, string[], number, string | null]>([
    ['the last line of another year does not say when it was sent', [line(1), line(YEAR, null)], 1, 'VALUE_INEXACT'],
    ['1,001 lines of another year', [line(1), ...steps(2, 1001).map((s) => line(s + YEAR, s)), line(1004)], 1, 'VALUE_INEXACT'],
    ['a file of another year than its name says', [line(YEAR), line(YEAR + 1)], 0, 'VALUE_INEXACT'],
  ])('%s: refused as it was', async (_, lines, count, code) => {
    expect(await read(lines)).toMatchObject({ seconds: { length: count }, code })
  })
  test('a file without a day in its name whose first line is of another year', async () => {
    expect(await read([line(-YEAR), line(1, null), line(2, null)], 'nameless')).toMatchObject({ code: 'VALUE_INEXACT', seconds: { length: 1 } })
  })
  test('lines of another year are counted as damage, in the order of their lines, with --on-damage', async () => {
    const lines = [line(1), line(YEAR, null), ...steps(2, 1001).map((s) => line(s + YEAR, s)), '[1,', line(1004), '[2,']
    const reading = await tickReading(NAME, [masterLine(), ...lines], { onDamage: 'count' })
    const indices: number[] = []
    for await (const { firstEventIndex, count } of reading.batches()) indices.push(firstEventIndex, count)
    const { damagedLineCount, damages, lineCount, eventCount } = reading.summary
    expect([damagedLineCount, lineCount, eventCount, indices]).toEqual([1004, lines.length + 1, 2, [0, 2]])
    expect(damages[0]).toMatchObject({ code: 'VALUE_INEXACT', place: { line: 3, field: 'adapterTs', found: at(YEAR), expected: 'epoch nanoseconds within 104 days of the day of the file' } })
  })
})

describe('a jump does not end with', () => {
  const jumping = (from: number, count: number): string[] => steps(from, count, 0.01).map((s) => line(s + DAY, s))
  test('a batch: lines wait for those behind them, and batches are as they would be without it', async () => {
    const before = steps(0, 16_300, 0.01)
    const lines = [...before.map((s) => line(s)), ...jumping(163, 300), ...steps(166, 40_000, 0.01).map((s) => line(s))]
    const sizes: number[] = []
    const reading = await tickReading(NAME, [masterLine(), ...lines])
    for await (const { count, firstEventIndex, adapterTimeNs } of reading.batches()) {
      expect(firstEventIndex).toBe(sizes.reduce((sum, size) => sum + size, 0))
      sizes.push(count)
      expect(Math.max(...adapterTimeNs.subarray(0, count))).toBeLessThan(700e9)
    }
    expect(sizes).toEqual([16_384, 16_384, 16_384, lines.length - 3 * 16_384])
    expect(reading.summary).toMatchObject({ jumpedLineCount: 300, clockJumps: { count: 1, first: [{ eventIndex: 16_300, lineCount: 300 }] }, eventCount: lines.length })
  })
  test('a frame, a damaged line, or a change of scale', async () => {
    const rows = (s: number, price: string): string => `[1,7,"0","${String(s)}",${at(s < 6 ? s : s + DAY)},${at(s)},[[0,"${price}","1",1]]]`
    const parts = [[masterLine(), line(1)], [rows(6, '1.1'), '[1,7', rows(7, '1.23456')], [rows(8, '1.1'), '', line(9)]]
    const frames = parts.map((part) => storedZstd(new TextEncoder().encode(`${part.join('\n')}\n`)))
    const source = { name: NAME, fileName: NAME, sizeBytes: null, repeatable: true, async *open() { yield* frames.map((frame) => frame.slice()) } }
    const { events, batches, reading } = await readBack(source, { onDamage: 'count' })
    expect(events.map((event) => event[3])).toEqual([at(1), at(1), at(1), at(1), at(9)])
    expect(batches.map(({ count, firstEventIndex }) => [firstEventIndex, count])).toEqual([[0, 2], [2, 3]])
    expect(reading!.summary).toMatchObject({ jumpedLineCount: 3, damagedLineCount: 1 })
  })
  test('the seam of two files: nothing is lost or delivered twice', async () => {
    const first = [...steps(DAY - 600, 670).map((s) => (s > DAY - 10 && s < DAY + 10 && s !== DAY + 2 ? line(s + 5 * DAY, s) : line(s)))]
    const second = [...steps(DAY - 480, 600).map((s, i) => line((i < 30 && i !== 20) || (s > DAY - 5 && s < DAY + 5 && s !== DAY - 1) ? s - DAY : s, s))]
    const named = (lines: string[]): string[] => [masterLine(), ...lines.map((text, i) => text.replace('"1"', `"${String(i)}x${text.length}"`))]
    const stitched = stitchDays([await tickReading(NAME, named(first)), await tickReading('test-MADE-2025-01-04.txt.zst', named(second))])
    const taken: number[] = []
    for await (const { adapterTimeNs, exchangeTimeNs, epochDay, count } of stitched.batches())
      for (let i = 0; i < count; i++) {
        taken.push(exchangeTimeNs[i]! / 1e9 + (epochDay - 20_091) * DAY)
        expect(Math.abs(adapterTimeNs[i]! - exchangeTimeNs[i]!)).toBeLessThan(30e9)
      }
    // The lines of 00:00:00 to 00:00:09 took the time of 23:59:50 in the earlier file and of 23:59:55 in the later one.
    expect(taken.filter((s) => s < DAY - 10)).toEqual(steps(DAY - 600, 590))
    expect(taken.filter((s) => s >= DAY + 10)).toEqual(steps(DAY + 10, 110))
  })
})

describe('times of the venue that are of another year', () => {
  test('are taken as missing and counted', async () => {
    const far = ['17', at(YEAR), '99999999999999999999999', '1735862400000']
    const lines = far.flatMap((time, i) => [
      `[8,7,"0","1",${at(i)},${time},"1"]`,
      `[2,7,"0","1",${at(i)},${at(i)},[[0,"1","1","a",${time}],[0,"1","1","b",${at(i)}]]]`,
      `[17,7,"0","1",${at(i)},${at(i)},[[0,"1","1",${time}]]]`,
      `[9,7,"0","1",${at(i)},${at(i)},["0.1",${time}]]`,
    ])
    for (const decoder of ['wasm', 'javascript'] as const) {
      const { events, error, reading } = await readBack({ ...(await import('../support/tick-lines.js').then(({ tickSource }) => tickSource(NAME, [masterLine(), ...lines]))) }, { lines: decoder })
      expect(error).toBeNull()
      expect(reading!.summary).toMatchObject({ farTimeCount: 16, damagedLineCount: 0, jumpedLineCount: 0, eventCount: 16 })
      for (const [i, [kind, , , , exchange, rows, values]] of events.entries()) {
        const own = at(Math.floor(i / 4))
        if (kind === 8) expect(exchange).toBeNull()
        if (kind === 2) expect((rows as string[][]).map((row) => row[4])).toEqual([null, own])
        if (kind === 17) expect((rows as string[][]).map((row) => row[4])).toEqual([null])
        if (kind === 9) expect(values).toEqual(['0.1', null])
      }
    }
  })
})

describe('what is said of it', () => {
  test('by the summary and in words', async () => {
    const reading = await tickReading(NAME, [masterLine(), line(1), line(2 + DAY), line(3), line(4 - YEAR, 4), line(5), `[8,7,"0","1",${at(6)},17,"1"]`])
    for await (const _ of reading.batches()) continue
    const { summary } = reading
    expect(summary.clockJumps).toEqual({ count: 2, first: [
      { eventIndex: 1, lineCount: 1, recordedTimestampNs: at(2 + DAY), takenTimestampNs: at(1) },
      { eventIndex: 3, lineCount: 1, recordedTimestampNs: at(4 - YEAR), takenTimestampNs: at(3) },
    ] })
    expect(clockWords(summary)).toEqual([
      'the adapter clock jumped: 2 lines took the time of the line before; the first: event 1, stamped 2025-01-04T00:00:02.000000000Z, taken at 2025-01-03T00:00:01.000000000Z',
      '1 time of the venue more than 104 days from the day of the file: taken as missing',
    ])
    expect(clockWords(emptySummary())).toEqual([])
  })
  test('by the audit: a finding with its place, no damage, no quiet day', async () => {
    const stamps = [...steps(0, 100), 100 + DAY, ...steps(101, 100)]
    const report = await auditReading(await tickReading(NAME, [masterLine(), ...stamps.map((s, i) => line(s, i))], { onDamage: 'count' }))
    expect(report).toMatchObject({ jumpedLineCount: 1, clockJumps: { count: 1 }, stepsBack: 0, quietPeriods: { count: 0 }, lastAdapterTimestampNs: at(200) })
    expect(auditVerdict(report).ok).toBe(true)
    expect(auditText(report)).toContain('  -  the adapter clock jumped: 1 line took the time of the line before; the first: event 100, stamped 2025-01-04T00:01:40')
  })
  test('lists are bounded, counts are not', async () => {
    const reading = await tickReading(NAME, [masterLine(), ...steps(0, 301).map((s) => line(s % 2 === 1 ? s + DAY : s))])
    for await (const _ of reading.batches()) continue
    expect([reading.summary.jumpedLineCount, reading.summary.clockJumps.count, reading.summary.clockJumps.first.length]).toEqual([150, 150, 100])
  })
})


test('batches cut anywhere give what the whole file gives', () => {
  const step = fc.constantFrom(0.1, 1, 5, 29, 31, 59, 61, 200, -0.5)
  const offset = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.constantFrom(61, -61, 90, -90, 3600, -3600, DAY, -DAY, Infinity, -Infinity))
  const stretch = fc.tuple(offset, fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean())
  fc.assert(fc.property(fc.array(stretch, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }), (stretches, sizes) => {
    let second = 80_000
    const stamps = stretches.flatMap(([away, gaps, isGiven]) => gaps.map((gap): Stamp => {
      second += gap
      return [away * 1e9 + Math.round(second * 1e9), isGiven ? Math.round(second * 1e9) : NaN]
    }))
    expect(settledTimes(stamps, sizes)).toEqual(naiveClock(stamps))
  }), { numRuns: 3000 })
})
