import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { JournalSegment } from '../../src/protocol/journal-segment.js'
import { SegmentText } from '../../src/protocol/segment-text.js'
import type { OpenJournal } from '../../src/report/journal-sink.js'
import { Journal } from '../../src/results/journal.js'
import type { MessageFields } from '../../src/venue/field-units.js'
import { expectSame } from '../support/expected-same.ts'
import { lavishSettings, type LavishOptions } from '../support/lavish-run.ts'

const MINE = { instruments: ['TEST1', 'TEST2', 'TEST3'], seed: 1 }

/** Runs that come first, always the same: together they have many kinds of records. */
const SURE = fc.sample(fc.tuple(lavishSettings, fc.nat(999)), { seed: 4, numRuns: 6 })

async function linesOf(options: LavishOptions): Promise<string[]> {
  const lines: string[] = []
  await runBacktest({ ...options, journal: () => ({ write: (line) => void lines.push(line) }) })
  return lines
}

test('random runs with faults: the text of records is that of a writer that makes each line of its message', async () => {
  const seen = new Set<number>()
  await fc.assert(fc.asyncProperty(lavishSettings, fc.nat(999), async (setting, seed) => {
    const options: LavishOptions = { ...setting, parameters: [{ ...MINE, seed }] }
    const lines = await linesOf(options)
    // Every message as text at once, with the scales that it has then.
    const writer = vi.spyOn(Journal.prototype, 'message').mockImplementation(function (this: Journal, client, account, timeNs, message, units) {
      const fields = (units as Readonly<Record<string, MessageFields>>)[message.kind]!
      this.line('local', timeNs, message.kind, client, account, message, fields)
    })
    const expected = await linesOf(options).finally(() => { writer.mockRestore() })
    expectSame(lines, expected)
    let journal: OpenJournal | null = null
    const bytes: Uint8Array[] = []
    await runBacktest({ ...options, journal: () => ({ open: (one) => { journal = one }, writeSegment: (segment) => void bytes.push(segment) }) })
    const last = (journal as OpenJournal | null)?.openSegment() ?? null
    const segments = [...bytes, ...(last === null ? [] : [last])].map((segment) => JournalSegment.from(segment))
    expectSame(segments.flatMap((segment) => [...new SegmentText(segment).lines()]), lines)
    for (const segment of segments) for (const kind of segment.kinds.subarray(0, segment.lineCount)) seen.add(kind)
  }), { endOnFailure: true, numRuns: 12, examples: SURE })
  expect(seen.size).toBeGreaterThan(8)
}, 120_000)
