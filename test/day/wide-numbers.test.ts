import { describe, expect, test } from 'vitest'
import { readMinutes } from '../../src/day/minutes-reader.js'
import type { TickDay } from '../../src/day/tick-day.js'
import type { MinuteRow } from '../../src/measures/minutes.js'
import { dayOf, masterData, time, type Line } from '../support/hand-made-day.ts'

/** A venue with eight decimals for every coin. */
const MASTER = masterData({ type: 'spot', lot_size: 1e-8, min_order: 1e-8, ticksize: 1e-8 })
const at = (clock: string): [bigint, bigint] => [time(clock), time(clock)]
let id = 0
let depthId = 0
const head = (kind: number, clock: string): Line => [kind, '0', String(++id), ...at(clock)]
const snapshot = (clock: string, ...rows: Line[]): Line => {
  depthId = id + 1
  return [...head(0, clock), rows, false]
}
const update = (clock: string, ...rows: Line[]): Line => {
  const before = depthId
  depthId = ++id
  return [1, String(before), String(id), ...at(clock), rows]
}
const mark = (clock: string, price: string): Line => [...head(7, clock), price]
const bid = (price: string, quantity: string): Line => [0, price, quantity, 1]
const ask = (price: string, quantity: string): Line => [1, price, quantity, 1]
const trade = (clock: string, price: string, quantity: string): Line => [...head(2, clock), [[0, price, quantity, 't', time(clock)]]]

const minuteRows = async (lines: readonly Line[]): Promise<readonly MinuteRow[]> => (await readMinutes(await dayOf(MASTER, lines))).rows

const levels = async (day: TickDay, clock: string): Promise<unknown> => {
  const { bids, asks, suspect } = await day.bookAt(clock)
  return { bids: bids.map(({ price, quantity }) => `${String(quantity)} at ${String(price)}`), asks: asks.map(({ price, quantity }) => `${String(quantity)} at ${String(price)}`), suspect }
}

describe('numbers beyond 2^53 without their point', () => {
  test.each([
    ['8 decimals beside 100 million', '250.12345678', '100000000.00000000', '100000000'],
    ['whole ones alone', '250', '900719925474099300000', '900719925474099300000'],
    ['a sum of doubles', '1', '0.30000000000000004', '0.30000000000000004'],
    ['more decimals than a scale has', '1', '0.0000000000000000000000000000000001', '0.0000000000000000000000000000000001'],
    ['an exponent', '1', '1e25', '10000000000000000000000000'],
    ['just what fits', '1', '90071992.54740991', '90071992.54740991'],
    ['one unit more', '0.00000001', '90071992.54740992', '90071992.54740992'],
  ])('a book and its day have %s', async (_what, first, second, shown) => {
    const lines = [snapshot('00:01:00', bid('0.00000123', first), ask('0.00000124', second)), update('00:02:00', bid('0.00000122', '3')), update('00:03:00', ask('0.00000124', '0'), ask('0.00000125', '7.5'))]
    const day = await dayOf(MASTER, lines)
    expect(await levels(day, '00:02:30')).toEqual({ bids: [`${first} at 0.00000123`, '3 at 0.00000122'], asks: [`${shown} at 0.00000124`], suspect: false })
    expect(await levels(await dayOf(MASTER, lines), '00:03:30')).toEqual({ bids: [`${first} at 0.00000123`, '3 at 0.00000122'], asks: ['7.5 at 0.00000125'], suspect: false })
    const table = await (await dayOf(MASTER, lines)).table('depth')
    expect(table.column('qty')).toEqual([first, shown, '3', '0', '7.5'].map((text) => expect.stringMatching(new RegExp(`^${text.replace('.', '\\.')}(\\.?0+)?$`)) as string))
    const grid = await (await dayOf(MASTER, lines)).bookTable({ everyMs: 60_000 })
    expect(grid.column('ask_qty').map((value) => String(value).replace(/\.0+$/, '')).slice(0, 2)).toEqual([shown, shown])
  })

  test('quantities of a book that get a finer digit beside 100 million stay what they are', async () => {
    const lines = [snapshot('00:01:00', bid('0.00000123', '100000000'), ask('0.00000124', '7')), update('00:02:00', ask('0.00000124', '0.00000001')), update('00:03:00', bid('0.00000123', '99999999.5'))]
    expect(await levels(await dayOf(MASTER, lines), '00:02:30')).toMatchObject({ bids: ['100000000 at 0.00000123'], asks: ['0.00000001 at 0.00000124'] })
    expect(await levels(await dayOf(MASTER, lines), '00:03:30')).toMatchObject({ bids: ['99999999.5 at 0.00000123'] })
  })

  test('the book of the margin is handed over with them', async () => {
    const before = (BigInt(Date.parse('2026-06-30T23:59:00Z')) * 1_000_000n)
    const day = await dayOf(MASTER, [[0, '0', '900', before, before, [bid('0.00000123', '100000000.00000001'), ask('0.00000124', '2')], false], [1, '900', '901', ...at('00:01:00'), [ask('0.00000124', '1.5')]]])
    const depth = await day.table('depth')
    expect(depth.column('qty')).toEqual(['100000000.00000001', '2', '1.5'])
  })

  test('a price that no integer holds makes the book suspect until the next snapshot, and is read, shown and summed up', async () => {
    const lines = [snapshot('00:01:00', bid('1', '2'), ask('2', '1')), update('00:02:00', bid('90071993.12345678', '1')), trade('00:02:10', '90071993.12345678', '2'), trade('00:02:20', '1', '0.5'), snapshot('00:03:00', bid('1', '3'))]
    expect(await levels(await dayOf(MASTER, lines), '00:02:30')).toMatchObject({ suspect: true })
    expect(await levels(await dayOf(MASTER, lines), '00:03:30')).toEqual({ bids: ['3 at 1'], asks: [], suspect: false })
    expect((await (await dayOf(MASTER, lines)).table('depth')).column('price')).toEqual(['1', '2', '90071993.12345678', '1'])
    const rows = await minuteRows(lines)
    expect(rows.map(({ open, high, low, close, volume_buy: volume, vwap }) => [open, high, low, close, volume, vwap])).toEqual([
      [null, null, null, null, '0', null], ['90071993.12345678', '90071993.12345678', '1', '1', '2.5', '72057594.698765424'],
    ])
  })

  test('minutes are exact', async () => {
    const lines = [
      snapshot('00:01:00', bid('0.5', '100000000.00000001'), ask('0.75', '0.30000000000000004')), trade('00:01:10', '0.5', '3'), trade('00:01:20', '0.5', '123456789012.00000001'),
      trade('00:01:30', '0.75', '0.30000000000000004'), update('00:01:30', bid('0.5', '2')), update('00:02:00', bid('0.5', '1')),
    ]
    const [row] = await minuteRows(lines)
    expect(row).toMatchObject({
      open: '0.5', high: '0.75', low: '0.5', close: '0.75', volume_buy: '123456789015.30000001000000004', turnover_usd: '123456789015.45000001000000006',
      // Half of the minute each, 2 USD for one.
      top1_bid_qty: '50000001.000000005', top1_bid_usd: '50000001.000000005', top1_ask_qty: '0.30000000000000004', top1_ask_usd: '0.45000000000000006',
    })
  })

  test.each([
    ['0.0070174072573915', '0.0070174072573915'], ['0.9007199254740993', '0.9007199254740993'], ['1.0123456789012345', '1.0123456789012345'], ['-1.0123456789012345', '-1.0123456789012345'],
    ['9007199254740993', '9007199254740993'], ['1234567890.123456789012345678901', '1234567890.123456789012345678901'], [`0.${'1'.repeat(60)}`, `0.${'1'.repeat(60)}`], ['1e-31', '0.0000000000000000000000000000001'],
  ])('a mark of %s is one', async (text, shown) => {
    const day = await dayOf(MASTER, [mark('00:01:00', '0.5'), mark('00:02:00', text), [...head(8, '00:03:00'), text], [...head(9, '00:04:00'), [text, 0, text]]])
    const seen: string[] = []
    for await (const event of day.events()) {
      if (event.kind === 'mark' || event.kind === 'index') seen.push(String(event.price))
      else if (event.kind === 'funding') seen.push(event.rate.toFixed(), event.predictedRate?.toFixed() ?? '')
    }
    expect(seen).toEqual(['0.5', shown, shown, shown, shown])
    expect((await day.table('mark')).column('price')).toEqual(['0.5', shown])
    expect((await day.table('funding')).column('predicted_rate')).toEqual([shown])
  })

  test('a value beyond 2^53 is compared, added and taken apart exactly', async () => {
    const prices = []
    for await (const event of (await dayOf(MASTER, [mark('00:01:00', '9007199254740993'), mark('00:01:01', '9007199254740994'), mark('00:01:02', '9007199254740991')])).events())
      if (event.kind === 'mark') prices.push(event.price)
    const [a, b, c] = prices as [(typeof prices)[0], (typeof prices)[0], (typeof prices)[0]]
    expect([a.compare(b), b.compare(a), a.compare(c), c.compare(a), a.equals(a)]).toEqual([-1, 1, 1, -1, true])
    expect([b.minus(a), a.minus(b), a.minus(c), a.negated().abs(), b.times(0)].map(String)).toEqual(['1', '-1', '2', '9007199254740993', '0'])
    expect([JSON.stringify(a), a.toDecimal().toFixed(), a.negated().toString(), a.sign, a.negated().sign]).toEqual(['"9007199254740993"', '9007199254740993', '-9007199254740993', 1, -1])
    expect(() => a.plus(b)).toThrow(expect.objectContaining({ code: 'VALUE_INEXACT' }) as Error)
  })
})
