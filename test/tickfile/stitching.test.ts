import { describe, expect, test } from 'vitest'
import { OrderBook } from '../../src/book/order-book.js'
import { copyBatch, sliceBatch } from '../../src/model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../src/model/event-batch.js'
import { dayText, epochDayFromText } from '../../src/model/time.js'
import type { Reading } from '../../src/tickfile/lines/reading.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { stitchDays, trimToDay, type StitchedDays } from '../../src/tickfile/days/stitching.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { refusalOf } from '../support/collected.js'
import { madeSeam, type Recorder } from '../support/made-seam.js'
import { naiveDay, naiveStitch } from '../support/naive-stitching.js'
import { repeated } from '../support/repetitions.ts'
import { hasSharedData, sharedData } from '../support/shared-data.js'
import { linesOfBatch, masterLine, textOf, tickReading } from '../support/tick-lines.js'

const DAY = epochDayFromText('2025-01-03') ?? 0

interface Delivered {
  /** Lines of the files, in order. */
  lines: string[]
  /** Lines that the stitching put in, by how many lines came before. */
  seams: { at: number; line: string; flags: number; batch: EventBatch }[]
  times: { epochDay: number; timeNs: number }[]
}

async function delivered(stitched: StitchedDays): Promise<Delivered> {
  const found: Delivered = { lines: [], seams: [], times: [] }
  for await (const batch of stitched.batches()) {
    const lines = linesOfBatch(batch)
    lines.forEach((line, i) => {
      const flags = batch.flags[i] as number
      if ((flags & EVENT_FLAGS.SEAM) !== 0) found.seams.push({ at: found.lines.length, line, flags, batch: copyBatch(sliceBatch(batch, i, i + 1)) })
      else {
        found.lines.push(line)
        found.times.push({ epochDay: batch.epochDay, timeNs: batch.adapterTimeNs[i] as number })
      }
    })
  }
  return found
}

function levels(book: OrderBook): unknown {
  const { bids, asks } = book.state()
  return { bids, asks }
}

const pairs = [
  ['binance_swap-BTCUSDT', '2023-04-04', '2023-04-05'],
  ['binance_swap-BTCUSDT', '2024-07-18', '2024-07-19'],
  ['binance_swap-ETHUSDT', '2024-07-18', '2024-07-19'],
  ['binance_coin_swap-BTCUSD_PERP', '2024-08-08', '2024-08-09'],
  ['binance_spot-ETHUSDT', '2024-08-08', '2024-08-09'],
] as const

describe.skipIf(!hasSharedData)('recorded pairs', () => {
  test.each(repeated(pairs, ([, day]) => day.startsWith('2023')))('%s %s and %s are one stream, whatever the order of the arguments', async (code, first, second) => {
    const paths = [first, second].map((day) => sharedData(`days/${code}-${day}.txt.zst`))
    const texts = await Promise.all(paths.map(async (path) => (await textOf(await openSource(path))).split('\n').slice(1, -1)))
    const wanted = naiveStitch(texts[0] ?? [], texts[1] ?? [], epochDayFromText(second) ?? 0)
    const stitched = stitchDays(await Promise.all([...paths].reverse().map(async (path) => readTickFile(await openSource(path)))))
    const found = await delivered(stitched)
    expect(found.lines.length).toBe(wanted.lines.length)
    expect(found.lines.findIndex((line, i) => line !== wanted.lines[i])).toBe(-1)
    expect(found.seams).toEqual([])
    expect(stitched.report.days).toEqual([first, second])
    expect(stitched.report.seams[0]).toMatchObject({ duplicateCount: 0, recoveredCount: 0, uncertainCount: 0, differingLevelCount: null, hasNoBook: false, missingDays: [], masterDifferences: [] })
    expect(stitched.report.seams[0]?.overlapNs).toBeGreaterThan(60e9)
    expect(stitched.report.eventCount).toBe(wanted.lines.length)
  })

  test('the second day alone begins at 00:00 with the book that its margin warmed', async () => {
    const path = sharedData('days/binance_spot-ETHUSDT-2024-08-09.txt.zst')
    const day = epochDayFromText('2024-08-09') ?? 0
    const reading = await readTickFile(await openSource(path))
    const book = new OrderBook()
    let wanted: unknown = null
    for await (const batch of reading.batches()) {
      for (let i = 0; i < batch.count && wanted === null; i++) {
        if ((batch.adapterTimeNs[i] as number) >= 0) wanted = levels(book)
        else book.apply(batch, i)
      }
    }
    const found = await delivered(trimToDay(await readTickFile(await openSource(path))))
    const lines = (await textOf(await openSource(path))).split('\n').slice(1, -1)
    expect(found.lines).toEqual(naiveDay(lines, day).day.map(({ line }) => line))
    expect(found.seams.map(({ at, flags }) => [at, flags])).toEqual([[0, EVENT_FLAGS.SEAM]])
    const opening = new OrderBook()
    const seam = found.seams[0]?.batch as EventBatch
    opening.apply(seam, 0)
    expect(levels(opening)).toEqual(wanted)
    expect(opening.suspect).toBe(false)
    expect([seam.epochDay, seam.adapterTimeNs[0]]).toEqual([day, 0])
  })
})

describe('made-up seams', () => {
  const exact: Recorder = { clockMs: 0, lossRate: 0, fromSeconds: -30, toSeconds: 30, hasIds: true }
  const files = (lines: { earlier: string[]; later: string[] }): Promise<Reading[]> =>
    Promise.all([tickReading('7_2025-01-02.txt.zst', lines.earlier), tickReading('7_2025-01-03.txt.zst', lines.later)])

  async function bookAfter(lines: readonly string[]): Promise<unknown> {
    const book = new OrderBook()
    for await (const batch of (await tickReading('7_2025-01-03.txt.zst', lines)).batches()) book.applyRange(batch, 0, batch.count)
    return levels(book)
  }

  test.each(Array.from({ length: 24 }, (_, i) => [i + 1, (i % 6) * 700 - 1750, Math.floor(i / 6) * 0.02]))(
    'seed %i, clocks %i ms apart, %d lost: nothing is lost or delivered twice, and the book is the later file’s',
    async (seed, skewMs, lossRate) => {
      const earlier = { ...exact, clockMs: skewMs, lossRate }
      const lines = madeSeam(seed, earlier, { ...exact, lossRate }, DAY)
      const wanted = naiveStitch(lines.earlier.slice(1), lines.later.slice(1), DAY)
      const stitched = stitchDays(await files(lines))
      const book = new OrderBook()
      const found: Delivered = { lines: [], seams: [], times: [] }
      for await (const batch of stitched.batches()) {
        const texts = linesOfBatch(batch)
        for (let i = 0; i < batch.count; i++) {
          book.apply(batch, i)
          if (((batch.flags[i] as number) & EVENT_FLAGS.SEAM) === 0) found.lines.push(texts[i] as string)
        }
      }
      expect(found.lines).toEqual(wanted.lines)
      expect(new Set(found.lines.map((line) => line.split(',').slice(0, 4).filter((_, i) => i !== 2).join())).size).toBe(found.lines.length)
      const [seam] = stitched.report.seams
      expect(seam).toMatchObject({ duplicateCount: wanted.duplicates, recoveredCount: wanted.recovered, uncertainCount: 0 })
      if (skewMs < -500) expect(wanted.duplicates).toBeGreaterThan(0)
      if (skewMs > 500) expect(wanted.recovered).toBeGreaterThan(0)
      if (lossRate === 0) expect(seam?.differingLevelCount).toBe(null)
      expect(levels(book)).toEqual(await bookAfter(lines.later))
    },
  )

  test('without ids the trim is by time alone, and the events near midnight are called uncertain', async () => {
    const lines = madeSeam(3, { ...exact, hasIds: false, clockMs: 3 }, { ...exact, hasIds: false }, DAY)
    const stitched = stitchDays(await files(lines))
    const found = await delivered(stitched)
    const a = naiveDay(lines.earlier.slice(1), DAY - 1).day
    const b = naiveDay(lines.later.slice(1), DAY).day
    expect(found.lines).toEqual([...a, ...b].map(({ line }) => line))
    expect(stitched.report.seams[0]?.uncertainCount).toBeGreaterThan(100)
  })

  test('without ids, but of one recording, every event is certain', async () => {
    const lines = madeSeam(4, { ...exact, hasIds: false, fromSeconds: -40 }, { ...exact, hasIds: false }, DAY)
    const stitched = stitchDays(await files(lines))
    await delivered(stitched)
    expect(stitched.report.seams[0]?.uncertainCount).toBe(0)
  })

  const at = (day: number, seconds: number): string => String(BigInt(day) * 86_400_000_000_000n + BigInt(Math.round(seconds * 1000)) * 1_000_000n)
  const snapshot = (id: string, day: number, seconds: number, bid: string): string => `[0,7,"0","${id}",${at(day, seconds)},0,[[0,"${bid}","1",1],[1,"101","2",1]]]`
  const update = (previous: string, id: string, day: number, seconds: number, bid: string): string => `[1,7,"${previous}","${id}",${at(day, seconds)},0,[[0,"${bid}","5",1]]]`

  test('books that differ at 00:00 give one snapshot, reported, not a gap', async () => {
    const readings = await files({
      earlier: [masterLine(), snapshot('1', DAY - 1, 100, '99'), update('1', '2', DAY - 1, 200, '98')],
      later: [masterLine(), snapshot('8', DAY, -60, '97.5'), update('8', '9', DAY, 10, '97')],
    })
    const stitched = stitchDays(readings)
    const found = await delivered(stitched)
    expect(found.seams).toHaveLength(1)
    expect(found.seams[0]).toMatchObject({ at: 2, flags: EVENT_FLAGS.SEAM, line: `[0,7,"0","8",${at(DAY, 0)},0,[[0,"97.5","1",1],[1,"101","2",1]]]` })
    expect(stitched.report.seams[0]).toMatchObject({ differingLevelCount: 3, overlapNs: 0 })
  })

  test('a suspect book is handed over as suspect', async () => {
    const readings = await files({
      earlier: [masterLine(), snapshot('1', DAY - 1, 100, '99')],
      later: [masterLine(), snapshot('8', DAY, -60, '97.5'), update('4', '9', DAY, -10, '97'), update('9', '10', DAY, 10, '96')],
    })
    const found = await delivered(stitchDays(readings))
    expect(found.seams[0]?.flags).toBe(EVENT_FLAGS.SEAM | EVENT_FLAGS.CHAIN_GAP)
    const book = new OrderBook()
    book.apply(found.seams[0]?.batch as EventBatch, 0)
    expect(book.suspect).toBe(true)
  })

  test.each([
    ['follows in the chain', '2', 0],
    ['does not follow', '7', EVENT_FLAGS.CHAIN_GAP],
    ['begins a chain', '0', EVENT_FLAGS.CHAIN_GAP],
  ])('a later file without a book at midnight goes on with the earlier one; its first update %s', async (_, previous, flag) => {
    const stitched = stitchDays(await files({
      earlier: [masterLine(), snapshot('1', DAY - 1, 100, '99'), update('1', '2', DAY - 1, 200, '98')],
      later: [masterLine(), `[8,7,"0","5",${at(DAY, 5)},0,"1"]`, update(previous, '9', DAY, 10, '97')],
    }))
    const flags: number[] = []
    for await (const batch of stitched.batches()) flags.push(...batch.flags.subarray(0, batch.count))
    expect(flags).toEqual([0, 0, 0, flag])
    expect(stitched.report.seams[0]).toMatchObject({ hasNoBook: true, differingLevelCount: null })
  })

  test('steps back across midnight stay where the running maximum puts them', async () => {
    const readings = await files({
      earlier: [masterLine(), snapshot('1', DAY - 1, 100, '99'), update('1', '2', DAY, 0, '98'), update('2', '3', DAY - 1, 86_399, '97')],
      later: [masterLine(), snapshot('1', DAY, -10, '99'), update('1', '2', DAY, 0, '98'), update('2', '3', DAY - 1, 86_399, '97'), update('3', '4', DAY, 1, '96')],
    })
    const found = await delivered(stitchDays(readings))
    expect(found.lines.map((line) => line.split(',')[3])).toEqual(['"1"', '"2"', '"3"', '"4"'])
    expect(found.times.map(({ epochDay }) => epochDay)).toEqual([DAY - 1, DAY, DAY, DAY])
  })

  test('scales only grow over the files, and values stay equal', async () => {
    const stitched = stitchDays(await files({
      earlier: [masterLine(), `[0,7,"0","1",${at(DAY - 1, 5)},0,[[0,"99.12345","1.00001",1]]]`],
      later: [masterLine(), snapshot('2', DAY, 5, '97.5'), update('2', '3', DAY, 6, '97')],
    }))
    const scales: [number, number][] = []
    const lines: string[] = []
    for await (const batch of stitched.batches()) {
      scales.push([batch.priceScale, batch.quantityScale])
      lines.push(...linesOfBatch(batch))
    }
    expect(scales.every(([price, quantity]) => price === 5 && quantity === 5)).toBe(true)
    expect(lines.slice(1)).toEqual([snapshot('2', DAY, 5, '97.5'), update('2', '3', DAY, 6, '97')])
  })

  test('missing days and differing masters are reported; the book is handed over all the same', async () => {
    const stitched = stitchDays([
      await tickReading('7_2025-01-06.txt.zst', [masterLine({ ticksize: 0.5, state: 'x' }), snapshot('1', DAY + 3, -5, '97'), update('1', '2', DAY + 3, 5, '96')]),
      await tickReading('7_2025-01-03.txt.zst', [masterLine(), snapshot('1', DAY, 5, '99')]),
    ])
    const found = await delivered(stitched)
    expect(found.lines).toHaveLength(2)
    expect(found.seams).toHaveLength(1)
    expect(stitched.report.seams[0]).toMatchObject({
      missingDays: ['2025-01-04', '2025-01-05'],
      day: '2025-01-06',
      overlapNs: 0,
      masterDifferences: [{ field: 'state', kind: 'state', earlier: 'null', later: '"x"' }, { field: 'tickSize', kind: 'grid', earlier: '"0.1"', later: '"0.5"' }],
    })
    expect(stitched.firstDay).toBe(DAY)
    expect(dayText(stitched.firstDay)).toBe('2025-01-03')
  })

  test('leaving early closes every reading', async () => {
    const readings = await files(madeSeam(9, exact, exact, DAY))
    const closed: string[] = []
    const watched = readings.map((reading): Reading => ({ ...reading, close: async () => {
        closed.push(reading.name)
        await reading.close()
      }, batches: () => reading.batches() }))
    for await (const batch of stitchDays(watched).batches()) if (batch.count > 0) break
    expect(new Set(closed).size).toBe(2)
  })

  test.each<[string, () => Promise<Reading[]>, string, RegExp]>([
    ['no file', () => Promise.resolve([]), 'OPTION_INVALID', /give at least one/],
    ['a file without a day', async () => [await tickReading('day.txt.zst', [masterLine()])], 'DAY_UNKNOWN', /name it with --day YYYY-MM-DD, or the day of a run/],
    ['two files of one day', async () => [await tickReading('7_2025-01-03.txt.zst', [masterLine()]), await tickReading('test-MADE-2025-01-03.txt.zst', [masterLine()])], 'OPTION_INVALID', /same day 2025-01-03/],
    ['files of two instruments', async () => [await tickReading('7_2025-01-03.txt.zst', [masterLine()]), await tickReading('8_2025-01-04.txt.zst', [masterLine({ id: 8, code: 'OTHER' })])], 'WRONG_INSTRUMENT', /instrument 7 \(MADE\), found 8 \(OTHER\)/],
  ])('%s is refused', async (_, readings, code, sentence) => {
    const opened = await readings()
    const refusal = await refusalOf(() => stitchDays(opened))
    expect(refusal.code).toBe(code)
    expect(refusal.message).toMatch(sentence)
  })

  test('a day given by option is as good as one in the name', async () => {
    const reading = await tickReading('day.txt.zst', [masterLine(), snapshot('1', DAY, -5, '97'), update('1', '2', DAY, 5, '96')], { day: '2025-01-03' })
    const found = await delivered(trimToDay(reading))
    expect(found.lines).toHaveLength(1)
    expect(found.seams).toHaveLength(1)
  })
})
