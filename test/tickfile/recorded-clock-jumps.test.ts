import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptySummary } from '../../src/tickfile/lines/reading.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { settledTimes } from '../support/clocked-lines.ts'
import fc from '../support/many-cases.js'
import type { Stamp } from '../support/naive-clock.js'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedData } from '../support/shared-data.js'
import { pathSource } from '../support/tick-text.js'

/** Jumps put into recorded days: which lines they moved is known, so no rule is written a second time. */
interface Jump { readonly awayS: number, readonly lineCount: number, readonly soundBefore: number }
type Stamping = 'all' | 'none' | 'sound lines'

/** The lines of a recorded day, as they stand. */
async function recordedStamps(path: string): Promise<Stamp[]> {
  const stamps: Stamp[] = []
  for await (const { adapterTimeNs, exchangeTimeNs, count } of (await readTickFile(pathSource(path))).batches())
    for (let i = 0; i < count; i++) stamps.push([adapterTimeNs[i]!, exchangeTimeNs[i]!])
  return stamps
}

/** Lines with jumps from the line `from` on, the times that they should take, and the jumps by their lines; null where a jump is so short that lines of it are near to others by the rule. */
function jumped(sound: readonly Stamp[], from: number, jumps: readonly Jump[], stamping: Stamping): { stamps: Stamp[], expected: number[], named: [number, number][] } | null {
  const stamps = sound.map(([time, sent]): Stamp => [time, stamping === 'none' ? NaN : sent])
  const expected = sound.map(([time]) => time)
  const named: [number, number][] = []
  let at = from
  for (const { awayS, lineCount, soundBefore } of jumps) {
    at += soundBefore
    const before = sound[at - 1]![0]
    named.push([at, lineCount])
    if (Math.abs(awayS) * 1e9 <= 60e9 + sound[at + lineCount]![0] - before) return null
    for (const end = at + lineCount; at < end; at++) {
      const [time, sent] = stamps[at]!
      stamps[at] = [time + awayS * 1e9, stamping === 'all' ? sent : NaN]
      expected[at] = before
    }
  }
  return { stamps, expected, named }
}

const lineCount = fc.constantFrom(1, 2, 3, 10, 50, 300, 1000)
const soundBefore = fc.constantFrom(1, 2, 4, 10, 20, 50)
const ratio = fc.constantFrom(0.1, 0.2, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9, 1, 1.2, 1.5, 1.9, 2)
const sign = fc.constantFrom(1, 1, -1)
const jumps = fc.tuple(fc.constantFrom(660, 1800, 3600, 40_000, 86_400), fc.array(fc.tuple(ratio, sign, lineCount, soundBefore), { minLength: 2, maxLength: 3 })).map(([sizeS, parts]) => (
  parts.map(([part, side, count, before], i): Jump => ({ awayS: Math.round(sizeS * side * (i === 0 ? 1 : part)), lineCount: count, soundBefore: i === 0 ? 0 : before }))))

describe.skipIf(!hasSharedData).each(repeated(['binance_spot-ETHUSDT-2024-08-08', 'binance_swap-BTCUSDT-2024-07-18']))('jumps put into %s', (name) => {
  const day = recordedStamps(sharedData(`days/${name}.txt.zst`))
  const check = (sound: readonly Stamp[], from: number, parts: readonly Jump[], stamping: Stamping, sizes: readonly number[] = [64, 1, 64]): void => {
    const put = jumped(sound, from, parts, stamping)
    if (put === null) return
    const summary = emptySummary()
    expect(settledTimes(put.stamps, sizes, summary)).toEqual(put.expected)
    expect(summary.clockJumps.first.map(({ eventIndex, lineCount: count }) => [eventIndex, count])).toEqual(put.named)
  }
  test.each<[string, Jump[]]>([
    ['300 by an hour, 2 sound, 1 by half an hour', [{ awayS: 3600, lineCount: 300, soundBefore: 0 }, { awayS: 1800, lineCount: 1, soundBefore: 2 }]],
    ['5 by an hour, 2 sound, 1,000 by half an hour', [{ awayS: 3600, lineCount: 5, soundBefore: 0 }, { awayS: 1800, lineCount: 1000, soundBefore: 2 }]],
    ['200 by half an hour, 10 sound, 3 by a quarter', [{ awayS: 1800, lineCount: 200, soundBefore: 0 }, { awayS: 900, lineCount: 3, soundBefore: 10 }]],
    ['three that get smaller', [{ awayS: 7200, lineCount: 50, soundBefore: 0 }, { awayS: 3600, lineCount: 300, soundBefore: 3 }, { awayS: 1800, lineCount: 700, soundBefore: 1 }]],
    ['behind a jump back of twice the size, as the first lines of the file', [{ awayS: -7200, lineCount: 1000, soundBefore: -480 }, { awayS: -3960, lineCount: 5, soundBefore: 4 }, { awayS: -2160, lineCount: 10, soundBefore: 3 }]],
  ])('%s: every line is back', async (_, parts) => {
    const sound = (await day).slice(0, 8000)
    for (const stamping of ['none', 'all', 'sound lines'] as const) check(sound, 500, parts, stamping)
  })
  test('two or three jumps of any sizes: every line is back, and each jump is named', async () => {
    const lines = await day
    fc.assert(fc.property(fc.nat(), fc.integer({ min: 300, max: 1500 }), jumps, fc.constantFrom<Stamping>('none', 'all', 'sound lines'), fc.array(fc.integer({ min: 20, max: 64 }), { minLength: 1, maxLength: 4 }), (at, from, parts, stamping, sizes) => {
      const start = at % (lines.length - 10_000)
      check(lines.slice(start, start + 10_000), from, parts, stamping, sizes)
    }), { numRuns: 200 })
  })
})

test.skipIf(!hasSharedData)('jumps up to the end of a file, where all sound lines say when they were sent', async () => {
  const path = sharedData('days/binance_swap-BTCUSDT-2024-07-18.txt.zst')
  const lines = await recordedStamps(path)
  fc.assert(fc.property(fc.nat(), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 400 }), jumps, fc.constantFrom<Stamping>('all', 'sound lines'), (at, from, behind, parts, stamping) => {
    const count = parts.reduce((sum, part) => sum + part.lineCount + part.soundBefore, from + behind)
    const start = at % (lines.length - count)
    const put = jumped(lines.slice(start, start + count), from, parts, stamping)
    if (put !== null) expect([basename(path), ...settledTimes(put.stamps, [64])]).toEqual([basename(path), ...put.expected])
  }), { numRuns: 200 })
})
