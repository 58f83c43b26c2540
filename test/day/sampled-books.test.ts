import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { DayBook } from '../../src/day/day-book.js'
import type { DepthOptions } from '../../src/day/depth-table.js'
import type { BookGridOptions } from '../../src/day/sampled-books.js'
import { openTickFile, type TickDay } from '../../src/day/tick-day.js'
import { bookDepth } from '../../src/measures/market/book-depth.js'
import { datasetsFolder } from '../support/datasets-folder.ts'
import { dayOf, masterData, time, type Line } from '../support/hand-made-day.js'

const DAY_NS = 86_400_000_000_000n
const before = (clock: string): bigint => time(clock) - DAY_NS
const after = (clock: string): bigint => time(clock) + DAY_NS

/** The file of 2026-07-01: two minutes of the day before, one of the day after. */
const LINES: readonly Line[] = [
  [0, '0', 'a', before('23:58:00'), 0, [[0, '100', '2', 1], [1, '101', '4', 1]], false],
  [1, 'a', 'b', before('23:59:59'), 0, [[1, '101', '3', 1]]],
  [1, 'b', 'c', time('00:00:30'), 0, [[0, '99', '7', 1]]],
  [1, 'c', 'd', time('23:59:10'), 0, [[0, '100', '5', 1]]],
  [1, 'd', 'e', after('00:00:01'), 0, [[0, '99', '0', 1]]],
]
const MINUTE = { everyMs: 60_000 }

async function booksOf(day: TickDay, options: BookGridOptions): Promise<DayBook[]> {
  const books: DayBook[] = []
  for await (const book of day.books(options)) books.push(book)
  return books
}

const minutesOf = (books: readonly DayBook[]): number[] => books.map(({ timestampNs }) => Number((timestampNs - time('00:00')) / 60_000_000_000n))

describe('books on a grid', () => {
  test.each<[string, readonly Line[], Partial<BookGridOptions>, number, number | undefined, number | undefined]>([
    ['begin with the book of 00:00 and end with the day', LINES, {}, 1440, 0, 1439],
    ['end with the last event where the file ends in its day', LINES.slice(0, 4), {}, 1440, 0, 1439],
    ['end earlier where it ends earlier', LINES.slice(0, 3), {}, 1, 0, 0],
    ['are those of the file as it stands where that is asked for', LINES, { margins: 'keep' }, 1443, -2, 1440],
    ['begin behind 00:00 where the book does', LINES.slice(2), {}, 1439, 1, 1439],
    ['of a day without an event are the opening one alone', LINES.slice(0, 2), {}, 1, 0, 0],
    ['of a file that goes on behind an empty day: the opening book all day long', [...LINES.slice(0, 2), LINES[4]!], {}, 1440, 0, 1439],
    ['stand in the window', LINES, { from: '00:01', to: '00:03' }, 2, 1, 2],
    ['of a window that begins in the margin begin at 00:00', LINES, { from: '2026-06-30T23:58', to: '00:02' }, 2, 0, 1],
    ['of a window that ends in the margin end with the day', LINES, { from: '23:58', to: '2026-07-02T00:00:30Z' }, 2, 1438, 1439],
    ['of a window in the margin are none', LINES, { from: '2026-06-30T23:58', to: '00:00' }, 0, undefined, undefined],
    ['of a window in the margin are there with the margins', LINES, { from: '2026-06-30T23:58', to: '00:00', margins: 'keep' }, 2, -2, -1],
  ])('%s', async (_, lines, options, count, first, last) => {
    const day = await dayOf(masterData({}), lines)
    const books = await booksOf(day, { ...MINUTE, ...options })
    expect([books.length, minutesOf(books)[0], minutesOf(books).at(-1)]).toEqual([count, first, last])
    for (const book of [books[0], books[1], books.at(-1)])
      if (book !== undefined) expect(JSON.stringify(book)).toBe(JSON.stringify(await day.bookAt(book.timestampNs)))
    const table = await day.bookTable({ ...MINUTE, ...options, levels: 1 })
    expect([table.rowCount, table.metadata.get('margins'), table.metadata.get('levels')]).toEqual([count, options.margins ?? 'trim', '1'])
    expect((await day.depth([5], { ...MINUTE, ...options })).timesNs('ts')).toEqual(table.timesNs('ts'))
  })

  test('of a file without a day are those of the whole file', async () => {
    const day = await dayOf(masterData({}), LINES, {})
    expect(minutesOf(await booksOf(day, MINUTE))).toHaveLength(1443)
    expect((await day.bookTable(MINUTE)).metadata.get('margins')).toBe('keep')
  })

  test('of neighbouring days have no time in common', async () => {
    const times = new Set<bigint>()
    let count = 0
    for (const date of ['2026-07-01', '2026-07-02']) {
      const day = await openTickFile(join(datasetsFolder, `synthetic_swap-XRPUSDT-${date}.txt.zst`))
      for (const { timestampNs, time: text } of await booksOf(day, { everyMs: 10_000, levels: 1 })) {
        times.add(timestampNs)
        count++
        expect(text.slice(0, 10)).toBe(date)
      }
    }
    expect(times.size).toBe(count)
    expect(count).toBeGreaterThan(50)
  })

  test('another word than trim or keep is refused', async () => {
    const day = await dayOf(masterData({}), LINES)
    await expect(day.bookTable({ ...MINUTE, margins: 'none' as never })).rejects.toThrow('margins must be trim or keep, found "none"')
  })
})

describe('depth of whole books', () => {
  const open = (): Promise<TickDay> => openTickFile(join(datasetsFolder, 'synthetic_swap-XRPUSDT-2026-07-01.txt.zst'))

  test('is that of a table with every level, to the last bits', async () => {
    const day = await open()
    const [depth, grid] = [await day.depth([1, 5, 25], { everyMs: 5000 }), bookDepth(await day.bookTable({ everyMs: 5000 }), [1, 5, 25])]
    expect(depth.rowCount).toBeGreaterThan(50)
    expect(depth.columns.map(({ name }) => name)).toEqual(grid.columns.map(({ name }) => name))
    for (const { name } of depth.columns.slice(1)) {
      const wanted = grid.numbers(name)
      depth.numbers(name).forEach((value, row) => {
        if (Number.isNaN(wanted[row])) expect(value).toBeNaN()
        else expect(Math.abs(value - (wanted[row] as number))).toBeLessThanOrEqual(1e-9 * Math.abs(wanted[row] as number))
      })
    }
    expect([depth.metadata.get('warning'), grid.metadata.get('warning'), depth.metadata.get('day')]).toEqual([undefined, undefined, '2026-07-01'])
  })

  test('is never less than a table of few levels states: that one is null where it is cut', async () => {
    const day = await open()
    const [whole, few] = [await day.depth([5, 25], { everyMs: 5000 }), bookDepth(await day.bookTable({ everyMs: 5000, levels: 20 }), [5, 25])]
    let nulls = 0
    for (const name of ['bid_qty_5bp', 'ask_qty_5bp', 'bid_qty_25bp', 'ask_qty_25bp']) {
      const [wanted, found] = [whole.numbers(name), few.numbers(name)]
      found.forEach((value, row) => {
        if (Number.isNaN(value)) nulls++
        else expect(value).toBeCloseTo(wanted[row] as number, 6)
      })
    }
    expect(nulls).toBeGreaterThan(50)
    expect(few.metadata.get('warning')).toMatch(/^bid_qty_25bp, ask_qty_25bp are null in \d+ of \d+ books: the levels of the grid end before the limit; it needs about [23]\d levels, or day\.depth, which reads whole books$/)
    expect(inspect(few)).toMatch(/^Table: \d+ rows, 8 columns\nWarning: bid_qty_25bp, ask_qty_25bp are null/)
  })

  test.each<[string, readonly number[], object, string]>([
    ['a limit of 0', [0], { everyMs: 1000 }, 'basisPoints must be above 0 and below 10000, found 0'],
    ['a limit of NaN', [NaN], { everyMs: 1000 }, 'basisPoints must be above 0 and below 10000, found NaN'],
    ['levels', [5], { everyMs: 1000, levels: 5 }, 'Cannot measure depth: an option must be one of everyMs, from, to, margins, maxRows, found the unknown option "levels"'],
    ['no step', [5], {}, 'everyMs must be a positive number'],
    ['no options', [5], undefined as never, 'the options must be an object, found undefined'],
    ['too many rows', [5], { everyMs: 1000, maxRows: 3 }, 'must have at most 3 rows, found more; take a longer everyMs or a span, or raise maxRows'],
  ])('%s is refused', async (_, limits, options, words) => {
    await expect((await open()).depth(limits, options as DepthOptions)).rejects.toThrow(words)
  })
})
