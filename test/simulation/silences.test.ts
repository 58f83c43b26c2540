import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withSilences } from '../../src/simulation/made-lines.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import { sliceBatch } from '../../src/model/event-batch-columns.js'
import { SILENCE_TEXT } from '../../src/model/silence.js'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { naiveSilences } from '../support/naive-silences.ts'
import type { Staleness } from '../../src/exchange/market/market-silence.js'
import { fewest } from '../support/repetitions.ts'

const KINDS = ['snapshot', 'update', 'trades', 'top', 'mark', 'READY'] as const

async function* given(batches: readonly EventBatch[]): AsyncGenerator<EventBatch, void, undefined> {
  for (const batch of batches) yield batch
}

/** The made lines with the place of the file's line behind each, and the places of lines that end one. */
async function found(lines: readonly MarketLine[], cuts: readonly number[], staleness: Staleness | null, lastDay: number | null): Promise<{ begins: unknown[]; ends: number[]; kinds: number[] }> {
  const whole = lineBatch(lines, { instrument: madeInstrument() })
  const places = [0, ...new Set(cuts.filter((cut) => cut < lines.length).sort((a, b) => a - b)), lines.length]
  const batches = places.slice(1).map((to, at) => sliceBatch(whole, places[at]!, to))
  const [begins, ends, kinds]: [unknown[], number[], number[]] = [[], [], []]
  for await (const batch of withSilences(given(batches), staleness, lastDay)) {
    for (let i = 0; i < batch.count; i++) {
      const flags = batch.flags[i]!
      if ((flags & EVENT_FLAGS.SILENCE) !== 0) {
        expect([batch.count, batch.kind[i]]).toEqual([1, 5])
        begins.push([SILENCE_TEXT.lineSinceNs(batch, i), batch.adapterTimeNs[i]])
        continue
      }
      if ((flags & EVENT_FLAGS.SILENCE_END) !== 0) ends.push(kinds.length)
      kinds.push(batch.kind[i]!)
    }
  }
  return { begins, ends, kinds }
}

test('silences are those of rule 6.4 read plainly, however a file is cut into batches', async () => {
  const line = fc.record({ kind: fc.constantFrom(...KINDS), stepNs: fc.integer({ min: -8, max: 30 }) })
  let count = 0
  await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(30), { maxLength: 5 }), fc.constantFrom('book' as const, 'any' as const), async (steps, cuts, counts) => {
    let nowNs = 1_000
    const lines = steps.map(({ kind, stepNs }): MarketLine => {
      nowNs += stepNs
      return { kind, timeNs: nowNs, rows: kind === 'mark' || kind === 'READY' ? [] : [[0, 100, 5]], ...(kind === 'mark' ? { value: 1 } : {}) }
    })
    const expected = naiveSilences(lines, 20, counts, Infinity)
    count += expected.length
    const { begins, ends, kinds } = await found(lines, cuts, { afterNs: 20, counts }, null)
    expect(kinds).toHaveLength(lines.length)
    expect(begins).toEqual(expected.map(({ lastNs, detectedNs }) => [lastNs, detectedNs]))
    expect(ends).toEqual(expected.flatMap(({ endIndex }) => (endIndex === null ? [] : [endIndex])))
    expect(await found(lines, cuts, null, null)).toMatchObject({ begins: [], ends: [] })
  }), { numRuns: 300 })
  expect(count).toBeGreaterThan(fewest(200))
})

const DAY = 86_400_000_000_000
test.each<readonly [string, readonly MarketLine[], number | null, number]>([
  ['the last line of a file that goes on to 24:00', [{ kind: 'snapshot', timeNs: DAY - 10 }], 0, 0],
  ['detected at 24:00 itself', [{ kind: 'snapshot', timeNs: DAY - 20 }], 0, 0],
  ['one nanosecond before', [{ kind: 'snapshot', timeNs: DAY - 21 }], 0, 1],
  ['of a file that is played whole', [{ kind: 'snapshot', timeNs: DAY - 10 }], null, 1],
  ['behind marks alone, where they do not count', [{ kind: 'mark', timeNs: 5, value: 1 }], 0, 0],
  ['a next line just in time', [{ kind: 'snapshot', timeNs: 5 }, { kind: 'update', timeNs: 25, rows: [[0, 1, 1]] }], -1, 0],
])('the end of the data: %s', async (_what, lines, lastDay, count) => {
  expect((await found(lines, [], { afterNs: 20, counts: 'book' }, lastDay)).begins).toHaveLength(count)
})

test('of live lines a silence begins when the feed has come so far, not with the next line', async () => {
  const line = (timeNs: number): EventBatch => lineBatch([{ kind: 'update', timeNs, rows: [[0, 100, 5]] }], { instrument: madeInstrument() })
  const nothing = sliceBatch(line(0), 0, 0)
  let reachedNs = 0
  async function* live(): AsyncGenerator<EventBatch> {
    yield line(100)
    for (reachedNs of [110, 124, 125, 126, 190]) yield nothing
    yield line(200)
    yield line(215)
  }
  const times: unknown[] = []
  for await (const batch of withSilences(live(), { afterNs: 20, counts: 'book' }, null, { lagNs: 5, reachedNs: () => reachedNs }))
    times.push(batch.count === 0 ? `at ${String(reachedNs)}` : [batch.adapterTimeNs[0], batch.flags[0]! & (EVENT_FLAGS.SILENCE | EVENT_FLAGS.SILENCE_END)])
  expect(times).toEqual([[100, 0], 'at 110', 'at 124', 'at 125', [120, EVENT_FLAGS.SILENCE], 'at 126', 'at 190', [200, EVENT_FLAGS.SILENCE_END], [215, 0], [235, EVENT_FLAGS.SILENCE]])
})
