import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EXPORT_KINDS } from '../../src/export/export-kind.js'
import { TradeBars } from '../../src/export/trade-bars.js'
import { openTickFile, type TickDay } from '../../src/day/tick-day.js'
import { barRule, type BarSpan } from '../../src/measures/bars/bar-span.js'
import { auditReading } from '../../src/tickfile/audit/audit.js'
import { auditJson, type AuditReport } from '../../src/tickfile/audit/audit-report.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { Instrument } from '../../src/model/instrument.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { grownParts } from '../support/grown-parts.ts'
import { marketDay, type MarketPart } from '../support/made-market-file.ts'
import { timeLimitMs } from '../support/time-limit.ts'

const KINDS: readonly Partial<Instrument>[] = [{}, { isInverse: true, contractValue: '100' }, { multiplier: '0.01', tickBands: [{ floor: '0', tickSize: '0.5' }, { floor: '100', tickSize: '1' }] }]
const SPANS: readonly BarSpan[] = [{ trades: 3 }, { volume: '7' }, { turnover: '600' }, { imbalance: '4' }]

/** A day of two minutes and where its digits grow. */
const grownDay = fc.record({
  lines: marketLines(true), cut: fc.nat(), digits: fc.integer({ min: 1, max: 6 }), parity: fc.constantFrom(0, 1, 2), master: fc.constantFrom(...KINDS),
}).map(({ lines, cut, digits, parity, master }) => {
  const later = lines.map((line) => ({ ...line, timeNs: line.timeNs * 2e9 }))
  return { master, ...grownParts(later, 1 + (cut % (later.length - 1)), digits, (price) => parity === 2 || price % 2 === parity) }
})

const RUNS = { numRuns: 60 }
const openDay = (parts: readonly MarketPart[], master: Partial<Instrument>): Promise<TickDay> => openTickFile(marketDay(parts, { master }), { day: '2026-07-01' })
const plain = (value: unknown): string => JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one))

/** Says that something reads the same of a day whose digits grow and of one that had them from its begin. */
async function expectSame(of: (day: TickDay) => Promise<unknown>): Promise<void> {
  await fc.assert(fc.asyncProperty(grownDay, async ({ grown, whole, master }) => {
    const [own, other] = await Promise.all([grown, whole].map(async (parts) => plain(await of(await openDay(parts, master)))))
    expect(own).toBe(other)
  }), RUNS)
}

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

describe('digits that grow at any batch change nothing that is read', () => {
  test('minutes and spans', async () => {
    await expectSame(async (day) => [(await day.minutes({ columns: 'all' })).rows, (await day.minutes({ every: '10s' })).rows])
  }, timeLimitMs(60_000))

  test('bars that trades end', async () => {
    await expectSame(async (day) => {
      const all = SPANS.map((span) => new TradeBars(day, barRule(span)))
      for await (const batch of day.batches()) for (const bars of all) bars.add(batch)
      return all.map((bars) => bars.finish())
    })
  }, timeLimitMs(60_000))

  test('events, and tables of every kind', async () => {
    await expectSame(async (day) => [
      (await collected(day.events())).map((event) => JSON.stringify(event)),
      await Promise.all(EXPORT_KINDS.map(async (kind) => (await day.table(kind)).rows)),
    ])
  }, timeLimitMs(60_000))

  test('books at times and on a grid', async () => {
    await expectSame(async (day) => [(await day.bookTable({ everyMs: 5_000, levels: 3 })).rows, await Promise.all(['00:00:01', '00:00:59', '00:01:30'].map(async (time) => JSON.stringify(await day.bookAt(time))))])
  }, timeLimitMs(60_000))

  test('an audit', async () => {
    await fc.assert(fc.asyncProperty(grownDay, async ({ grown, whole, master }) => {
      const [own, other] = await Promise.all([grown, whole].map(async (parts) => {
        const report = auditJson(await auditReading(await readTickFile(await openSource(marketDay(parts, { master })), { onDamage: 'count', day: '2026-07-01' })))
        // Sizes are the file's own, and the trade of the evening before may be off the grid.
        const { compressedBytes: _, textBytes: __, pricesOffTick, priceDigitsBeyondTick, quantitiesOffLot, ...rest } = report as unknown as AuditReport
        return plain({ ...rest, depth: [pricesOffTick, priceDigitsBeyondTick, quantitiesOffLot].map(({ depth }) => depth) })
      }))
      expect(own).toBe(other)
    }), RUNS)
  }, timeLimitMs(60_000))
})
