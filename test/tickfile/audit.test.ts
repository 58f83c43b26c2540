import { describe, expect, test } from 'vitest'
import { auditReading } from '../../src/tickfile/audit/audit.js'
import { auditJson, auditVerdict, type AuditReport } from '../../src/tickfile/audit/audit-report.js'
import { auditText } from '../../src/tickfile/audit/audit-text.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { masterLine, tickReading, tickSource } from '../support/tick-lines.js'

const MIDNIGHT = 1_735_862_400_000_000_000n
const at = (seconds: number): string => String(MIDNIGHT + BigInt(Math.round(seconds * 1000)) * 1_000_000n)
const snapshot = (s: number, rows = '[0,"99.9","1",1],[1,"100.1","2",1]'): string => `[0,7,"0","s${s}",${at(s)},${at(s - 0.01)},[${rows}],false]`
const update = (s: number, rows: string, previous = '0'): string => `[1,7,"${previous}","u${s}",${at(s)},${at(s - 0.02)},[${rows}]]`
const trade = (s: number, id: string, price = '100', quantity = '1', previous = '0'): string => `[2,7,"${previous}","t${s}",${at(s)},0,[[0,"${price}","${quantity}",${id},${at(s)}]]]`
const state = (s: number, word: string): string => `[5,7,${at(s)},"${word}","because"]`

async function auditOf(lines: string[], master = masterLine(), name = 'test-MADE-2025-01-03.txt.zst'): Promise<AuditReport> {
  return auditReading(await tickReading(name, [master, ...lines], { onDamage: 'count' }))
}

describe('findings', () => {
  test('chain gaps have a stream, a place and a length', async () => {
    const report = await auditOf([snapshot(1), update(2, '[0,"99.8","1",1]', 's1'), update(4.5, '[0,"99.8","2",1]', 'elsewhere'), trade(5, '"1"'), trade(6, '"2"', '100', '1', 'lost')])
    expect(report.chainGapCounts).toEqual({ book: 1, trades: 1 })
    expect(report.chainGaps.first).toEqual([
      { stream: 'book', eventIndex: 2, timestampNs: at(4.5), lengthNs: 2.5e9 },
      { stream: 'trades', eventIndex: 4, timestampNs: at(6), lengthNs: 1e9 },
    ])
    expect(report.suspect).toMatchObject({ states: 1, durationNs: 1.5e9 })
    expect(auditVerdict(report).ok).toBe(true)
  })
  test('outages last to READY, the suspect book to the next snapshot', async () => {
    const report = await auditOf([state(0, 'READY'), snapshot(1), state(2, 'ERROR'), state(4, 'READY'), snapshot(7), state(8, 'ERROR'), trade(10, '"1"')])
    expect(report.states).toEqual({ READY: 2, ERROR: 2 })
    expect(report.outages.first.map(({ durationNs, isOver, text }) => [durationNs, isOver, text])).toEqual([[2e9, true, 'because'], [2e9, false, 'because']])
    expect([report.outageNs, report.suspect.durationNs, report.suspect.longestNs, report.suspect.begins.first]).toEqual([4e9, 7e9, 5e9, [at(2), at(8)]])
  })
  test('crossed and locked books are judged after whole lines, and timed', async () => {
    const report = await auditOf([
      snapshot(1), update(2, '[0,"100.1","1",1],[1,"100.1","0",1],[1,"100.2","1",1]'), update(3, '[0,"100.2","1",1]'), update(5, '[0,"100.3","1",1]'), update(9, '[0,"100.3","0",1],[0,"100.2","0",1]'),
    ])
    expect(report.crossed).toEqual({ states: 1, durationNs: 4e9, longestNs: 4e9, begins: { count: 1, first: [at(5)] } })
    expect(report.locked).toEqual({ states: 1, durationNs: 2e9, longestNs: 2e9, begins: { count: 1, first: [at(3)] } })
    expect(auditJson(report)).toMatchObject({ crossedStates: 1, crossedPercent: 20, ok: true })
  })
  test('clock: steps back, quiet periods, latencies, missing exchange times', async () => {
    const report = await auditOf([snapshot(1), update(100, '[0,"99.8","1",1]'), update(99.5, '[0,"99.8","2",1]'), trade(170, '"1"'), `[8,7,"0","1",${at(170)},${at(171)},"100"]`])
    expect([report.stepsBack, report.largestStepBackNs]).toEqual([1, 5e8])
    expect(report.quietPeriods).toEqual({ count: 2, first: [{ fromTimestampNs: at(1), toTimestampNs: at(100), durationNs: 99e9 }, { fromTimestampNs: at(100), toTimestampNs: at(170), durationNs: 70e9 }] })
    expect(report.withoutExchangeTime).toEqual({ trades: 1 })
    expect(report.feedLatency.index).toMatchObject({ count: 1, negativeCount: 1, smallestNs: -1e9, medianNs: -1e9, largestNs: -1e9 })
    expect(report.feedLatency.update).toMatchObject({ count: 2, negativeCount: 0, medianNs: 2e7 })
    expect(report.dayCoverage).toMatchObject({ day: '2025-01-03', percent: 0, eventsBefore: 0, eventsAfter: 0, percentOfExistence: 0 })
  })
  test('trade ids: missing, standing before, out of order', async () => {
    const ids = ['"5"', '"6"', '"5"', '""', 'null', '"a-b"', '"a-b"', '"123456789012345678901"', '"123456789012345678900"']
    expect((await auditOf(ids.map((id, i) => trade(i + 1, id)))).tradeIds).toEqual({ missing: 2, duplicates: 2, outOfOrder: 2 })
  })
  test('trades that a book line of an earlier stamp shows before', async () => {
    const top = (s: number, quantity: number): string => `[6,7,"0","o${s}",${at(s)},${at(s - 0.01)},[[0,"99.9","${quantity}",1],[1,"100.1","2",1]]]`
    const sell = (s: number): string => `[2,7,"0","t${s}",${at(s)},0,[[1,"99.9","6","${s}",${at(s - 0.005)}]]]`
    const report = await auditOf([snapshot(1), top(2, 10), top(3, 4), sell(3.001), top(3.002, 4), top(4, 10), sell(5), top(5.01, 4)])
    expect([report.tradeRows, report.tradeRowsShownBefore, auditJson(report)['tradeRowsShownBefore']]).toEqual([2, 1, 1])
    expect(auditText(report)).toContain('\n  -  1 of 2 trades that a book line of an earlier stamp shows before\n')
    expect(auditText(await auditOf([snapshot(1), top(2, 10), sell(3), top(3.1, 4)]))).not.toContain('shows before')
  })
  test('prices off the tick, digits beyond it, quantities off the lot', async () => {
    const master = masterLine({ ticksize: '0.5', lot_size: '0.02' })
    const report = await auditOf([snapshot(1, '[0,"99.5","0.04",1],[1,"100.3","0.03",1]'), trade(2, '"1"', '100.55', '0.01'), trade(3, '"2"', '100.5', '0.02')], master)
    expect([report.pricesOffTick, report.priceDigitsBeyondTick, report.quantitiesOffLot]).toEqual([{ trades: 1, depth: 1 }, { trades: 1, depth: 0 }, { trades: 1, depth: 1 }])
  })
  test('price-banded ticks', async () => {
    const master = masterLine({ ticksize: '0.0001', tick_table: { e: [{ p: '0', t: '0.0001' }, { p: '0.005', t: '0.0005' }], i: true } })
    const report = await auditOf([trade(1, '"1"', '0.0049'), trade(2, '"2"', '0.0051'), trade(3, '"3"', '0.0055')], master)
    expect(report.pricesOffTick.trades).toBe(1)
  })
  test('unknown types are counted and no fault', async () => {
    const report = await auditOf([snapshot(1), '[99,7,"what"]', '[99,7]'])
    expect([report.unknownTypes, report.events, report.damagedLines, auditVerdict(report).ok]).toEqual([{ 99: 2 }, 1, 0, true])
  })
  test('lists are bounded, their counts are not', async () => {
    const lines = Array.from({ length: 150 }, (_, i) => update(i + 1, '[0,"99.8","1",1]', 'lost'))
    const { chainGaps } = await auditOf([snapshot(0), ...lines])
    expect([chainGaps.count, chainGaps.first.length]).toEqual([150, 100])
  })
})

describe('a file that is not sound', () => {
  test('damaged lines', async () => {
    const verdict = auditVerdict(await auditOf([snapshot(1), '[1,7,"0","2"', snapshot(3)]))
    expect(verdict.reasons[0]).toMatch(/^1 damaged line left out; the first: Cannot decode line 3/)
  })
  test('an event of another instrument', async () => {
    expect(auditVerdict(await auditOf([snapshot(1), snapshot(2).replace('[0,7', '[0,8')])).ok).toBe(false)
  })
  test('another day than its name says', async () => {
    expect(auditVerdict(await auditOf([snapshot(1)], masterLine(), 'test-MADE-2025-01-05.txt.zst')).reasons).toEqual(['no event lies on 2025-01-05, the day of the file'])
  })
  test('a book that ends crossed, unless a gap explains it', async () => {
    const crossing = '[0,"101","1",1]'
    expect(auditVerdict(await auditOf([snapshot(1), update(2, crossing)])).reasons).toEqual(['the book ends crossed, bid 101 over ask 100.1, without a gap or an outage before'])
    expect(auditVerdict(await auditOf([snapshot(1), update(2, crossing, 'lost')])).ok).toBe(true)
  })
  test('a truncated file keeps what came before', async () => {
    const source = await tickSource('test-CUT-2025-01-03.txt.zst', [masterLine(), ...Array.from({ length: 20_000 }, (_, i) => snapshot(i * 0.001, `[0,"${(i % 97) + 1}","${(i * 7919) % 1000 + 1}",1]`))])
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source.open()) yield chunk.subarray(0, chunk.length - 9)
    }
    const report = await auditReading(await readTickFile({ ...source, open }, { onDamage: 'count' }))
    expect(report.failure?.code).toBe('ZSTD_TRUNCATED')
    expect(auditVerdict(report).ok).toBe(false)
    expect(auditText(report)).toContain('NOT SOUND')
  })
})

describe('coverage of the part of the day in which the contract existed', () => {
  // One event every 50 s from the first to the last second.
  const recorded = (from: number, to: number): string[] => Array.from({ length: Math.floor((to - from) / 50) + 1 }, (_, i) => snapshot(from + i * 50))
  test.each<[string, Record<string, unknown>, string[], number | null, string | null]>([
    ['a whole day', {}, recorded(-100, 86_450), 100, null],
    ['99 % of it', {}, recorded(0, 85_550), 99.0162, null],
    ['less', {}, recorded(0, 85_500), 98.9583, 'covers 98.9583 % of 2025-01-03'],
    ['a far expiry, and a start long ago', { start: '2021-06-24T08:00:14Z', expiry: '2100-12-25T08:00:00Z' }, recorded(-100, 86_450), 100, null],
    ['a contract that expired at 08:00', { expiry: '2025-01-03T08:00:00Z' }, recorded(-100, 28_800), 100, null],
    ['one that expired, cut', { expiry: '2025-01-03T08:00:00Z' }, recorded(0, 14_400), 50, 'covers 50 % of 2025-01-03 from 00:00:00 to 08:00:00, in which the contract existed'],
    ['one that began at 22:00', { start: '2025-01-03T22:00:00.000Z' }, recorded(79_200, 86_450), 100, null],
    ['one that began, late', { start: '2025-01-03T22:00:00Z' }, recorded(82_800, 86_450), 50, 'covers 50 % of 2025-01-03 from 22:00:00 to 24:00:00, in which the contract existed'],
    ['fifteen minutes from event to event', { start: '2025-01-03T12:00:00Z', expiry: '2025-01-03T12:15:00Z' }, recorded(43_190, 44_140), 100, null],
    ['one that did not exist yet', { start: '2025-02-01' }, recorded(0, 100), null, null],
    ['times that are none', { start: 'soon', expiry: '-' }, recorded(0, 85_500), 98.9583, 'covers 98.9583 % of 2025-01-03'],
    ['a quiet hour', {}, [...recorded(0, 43_200), ...recorded(46_800, 86_400)], 95.8333, 'covers 95.8333 % of 2025-01-03'],
  ])('%s', async (_, master, lines, percent, finding) => {
    const report = await auditOf(lines, masterLine(master))
    expect(report.dayCoverage?.percentOfExistence).toBe(percent)
    // A finding, no damage.
    expect(auditJson(report)).toMatchObject({ ok: true, partlyCovered: finding !== null })
    const found = auditText(report).split('\n').filter((line) => line.startsWith('  -  covers'))
    expect(found).toEqual(finding === null ? [] : [`  -  ${finding}`])
  })
  test('is not judged where nothing says the day', async () => {
    const report = await auditOf(recorded(0, 100), masterLine(), 'nameless')
    expect([report.dayCoverage, auditJson(report)['partlyCovered']]).toEqual([null, false])
  })
})

describe('in words', () => {
  test('a sound file says so in few lines', async () => {
    const text = auditText(await auditOf([snapshot(-1), update(2, '[0,"99.8","1",1]', 's-1')], masterLine({ expiry: '2025-01-03T00:00:02Z' })))
    expect(text.split('\n')[0]).toBe('test-MADE-2025-01-03.txt.zst: sound')
    expect(text).toContain('ends at bid 99.9 x 1, ask 100.1 x 2')
  })
  test('every finding has a line', async () => {
    const text = auditText(await auditOf([snapshot(1), state(2, 'ERROR'), update(90, '[0,"100.1","1",1]', 'lost'), update(89, '[0,"100.25","0.0001",1]'), trade(90, '""')]))
    for (const words of ['chain gap in book', '1 outage, 88 s', 'locked 1 time', 'crossed 1 time', 'suspect 1 time', 'stepped back 1 time, by 1 s', 'quiet period', 'trades without id', 'off the tick', 'more digits', 'off the lot']) expect(text).toContain(words)
  })
  test('no events at all', async () => {
    const report = await auditOf([])
    expect([report.firstAdapterTimestampNs, report.coverageSeconds, report.finalBestBid, auditVerdict(report)]).toEqual([null, 0, null, { ok: false, reasons: ['the file holds no event'] }])
    expect(auditText(report)).toContain('no book snapshot')
  })
})
