import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTickFile } from '../../src/tickfile/tick-file-writer.js'
import { openTickFile, readEvents } from '../../src/day/tick-day.js'
import { dayBytes, dayOf, masterData, time, type Line } from '../support/hand-made-day.js'

const MAX_ID = '9223372036854775807'

const LINES: Line[] = [
  [5, time('00:00:00'), 'READY', 'ready after connect'],
  [0, '0', '10', time('00:00:01'), time('00:00:01') - 5n, [[0, '1.0E+2', '2', 1], [1, '101.5', '0.25', 1]], false],
  [6, '0', MAX_ID, time('00:00:02'), 0, [[1, '101.5', '4', 1]]],
  [1, '10', 'ab/cd', time('00:00:03'), 0, [[0, '100', '0', 1], [0, '99.5', '7', 1]]],
  [2, '0', 't1', time('00:00:04'), 0, [[1, '99.5', '1', null, 0], [0, '101.5', '0.5', 'é"x', time('00:00:04')]]],
  [7, '0', 'm', time('00:00:05'), 0, '100.1234567890123', '0.5', null, '2', '-1', '0.7', '0.6', '0.8'],
  [7, '0', 'm', time('00:00:05'), 0, '100.2'],
  [8, '0', 'i', time('00:00:04'), 0, '99'],
  [9, '0', 'f', time('00:00:06'), 0, ['1.0E-4', time('08:00:00'), '0.000011']],
  [9, '0', 'f', time('00:00:07'), 0, ['-0.0001', 0]],
  [17, '0', 'l', time('00:00:08'), 0, [[1, '90', '3', time('00:00:07')]]],
  [1, 'zz', 'yy', time('00:00:09'), 0, [[1, '102', '1', 1]]],
]

const day = (): ReturnType<typeof dayOf> => dayOf(masterData({ ticksize: 0.5, lot_size: 0.25 }), LINES)

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const event of events) list.push(event)
  return list
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown

describe('events as objects', () => {
  test('every kind, every field', async () => {
    const events = await all(readEvents(await day()))
    expect(events.map(({ kind }) => kind)).toEqual(['state', 'snapshot', 'topOfBook', 'update', 'trades', 'mark', 'mark', 'index', 'funding', 'funding', 'liquidations', 'update'])
    expect(plain(events)).toMatchObject([
      { eventIndex: 0, instrumentId: 7, adapterTimestampNs: String(time('00:00:00')), exchangeTimestampNs: null, state: 'READY', text: 'ready after connect' },
      { previousEventId: '0', eventId: '10', chainGap: false, exchangeTimestampNs: String(time('00:00:01') - 5n), forceReset: false, levels: [{ side: 'BID', price: '100', quantity: '2' }, { side: 'ASK', price: '101.5', quantity: '0.25' }] },
      { eventId: MAX_ID, bid: null, ask: { side: 'ASK', price: '101.5', quantity: '4' } },
      { previousEventId: '10', eventId: 'ab/cd', levels: [{ price: '100', quantity: '0' }, { price: '99.5', quantity: '7' }] },
      { trades: [{ aggressorSide: 'ASK', tradeId: null, exchangeTradeTimestampNs: null }, { aggressorSide: 'BID', price: '101.5', quantity: '0.5', tradeId: 'é"x', exchangeTradeTimestampNs: String(time('00:00:04')) }] },
      { price: '100.1234567890123', greeks: { delta: 0.5, gamma: null, vega: 2, theta: -1, markVolatility: 0.7, bidVolatility: 0.6, askVolatility: 0.8 } },
      { price: '100.2', greeks: null },
      { price: '99', adapterTimestampNs: String(time('00:00:04')) },
      { rate: '0.0001', nextFundingTimestampNs: String(time('08:00:00')), predictedRate: '0.000011' },
      { rate: '-0.0001', nextFundingTimestampNs: null, predictedRate: null },
      { liquidations: [{ side: 'ASK', price: '90', quantity: '3', exchangeLiquidationTimestampNs: String(time('00:00:07')) }] },
      { chainGap: true },
    ])
  })

  test('kinds filter and keep the ordinals of the file', async () => {
    const events = await all(readEvents(await day(), { kinds: ['mark', 'trades'] }))
    expect(events.map(({ kind, eventIndex }) => [kind, eventIndex])).toEqual([['trades', 4], ['mark', 5], ['mark', 6]])
    expect(events[0]?.kind === 'trades' && events[0].trades[1]?.price.toString()).toBe('101.5')
  })

  test('times filter by a clock that never steps back: from inclusive, to exclusive', async () => {
    const indexes = async (from?: string | bigint, to?: string | bigint): Promise<number[]> =>
      (await all(readEvents(await day(), { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }))).map(({ eventIndex }) => eventIndex)
    expect(await indexes('00:00:05', '00:00:07')).toEqual([5, 6, 7, 8])
    expect(await indexes(time('00:00:08'))).toEqual([10, 11])
    expect(await indexes(undefined, '2026-07-01T00:00:01Z')).toEqual([0])
    expect(await indexes(String(time('00:00:09')))).toEqual([11])
    expect(await indexes('23:00')).toEqual([])
  })

  test('events stay what they are after the next batch', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i): Line => [8, '0', String(i), time('00:00:00') + BigInt(i), 0, String(i)])
    const events = await all(readEvents(dayBytes(masterData({ ticksize: 0.5 }), lines)))
    expect(events).toHaveLength(40_000)
    expect(events.filter((event, i) => event.kind !== 'index' || event.price.toString() !== String(i) || event.eventId !== String(i) || event.eventIndex !== i)).toEqual([])
  })

  test('steps may be asked for without waiting', async () => {
    const iterator = readEvents(await day())
    const steps = await Promise.all(Array.from({ length: 14 }, () => iterator.next()))
    expect(steps.map((step) => step.done === true ? undefined : step.value.eventIndex)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, undefined, undefined])
  })

  test.each([
    [{ kinds: ['trade'] }, 'Cannot select events: kind must be one of snapshot'],
    [{ from: 'noon' }, 'Cannot read the time "noon"'],
  ])('refuses %j', async (options, message) => {
    await expect(async () => all(readEvents(await day(), options as never))).rejects.toThrow(message)
  })

  test('a clock time needs the day', async () => {
    await expect(all(readEvents(dayBytes(masterData({}), LINES), { from: '12:00' }))).rejects.toThrow('--day')
  })

  test('what a program without types may pass is refused with a code', async () => {
    const opened = await day()
    const refused: [string, () => Promise<unknown>][] = [
      ['OPTION_INVALID', () => openTickFile(null as never)],
      ['OPTION_INVALID', () => openTickFile(dayBytes(masterData({}), LINES), { onDamage: 'ignore' as never })],
      ...[5, null, {}, 'stop'].map((signal): [string, () => Promise<unknown>] => ['OPTION_INVALID', async () => all(readEvents(opened, { signal: signal as never }))]),
      ['OPTION_INVALID', () => all(opened.events({ from: '12:00', to: '11:00' }))],
      ['OPTION_INVALID', () => all(opened.books({ everyMs: 1000, from: '12:00', to: '11:00' }))],
      ['OPTION_INVALID', () => opened.bookAt('00:00:04', { levels: -1 })],
      ['TIME_INVALID', () => opened.bookAt(undefined as never)],
      ['TIME_INVALID', () => all(opened.events({ from: 12 as never }))],
    ]
    for (const [code, work] of refused) await expect(work()).rejects.toMatchObject({ name: 'BacktapeError', code })
  })
})

describe('a day', () => {
  test('says what it is, and may be read again', async () => {
    const opened = await day()
    expect([opened.instrument.code, opened.day, opened.underlyings.length]).toEqual(['HAND', '2026-07-01', 3])
    expect((await all(opened.events())).length).toBe(12)
    expect((await all(opened.events())).length).toBe(12)
    expect(opened.summary.eventCount).toBe(12)
    await opened.close()
  })

  test('a stream is read once; the second reading is refused with the reason', async () => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield dayBytes(masterData({ ticksize: 0.5 }), LINES)
    }
    const opened = await openTickFile(bytes(), { day: '2026-07-01' })
    expect((await all(opened.events())).length).toBe(12)
    await expect(all(opened.events())).rejects.toThrow('Cannot read stream twice: a stream gives its events once; save it to a file first')
  })

  test('leaving the loop closes the source', async () => {
    let closed = false
    async function* bytes(): AsyncGenerator<Uint8Array> {
      try {
        const whole = dayBytes(masterData({ ticksize: 0.5 }), Array.from({ length: 60_000 }, (_, i): Line => [8, '0', 'x', time('00:00:00') + BigInt(i), 0, '1']))
        for (let at = 0; at < whole.length; at += 4096) yield whole.slice(at, at + 4096)
      } finally {
        closed = true
      }
    }
    for await (const event of readEvents(bytes())) if (event.eventIndex === 2) break
    expect(closed).toBe(true)
  })

  test('a signal stops events, also of a day that was opened before, and its reason is the cause', async () => {
    const whole = dayBytes(masterData({ ticksize: 0.5 }), Array.from({ length: 60_000 }, (_, i): Line => [8, '0', 'x', time('00:00:00') + BigInt(i), 0, '1']))
    const opened = await openTickFile(whole, { day: '2026-07-01' })
    for (const input of [opened, whole]) {
      const why = new Error('enough')
      const stop = new AbortController()
      let count = 0
      const reading = async (): Promise<void> => {
        for await (const event of readEvents(input, { signal: stop.signal })) {
          count++
          if (event.eventIndex === 20_000) stop.abort(why)
        }
      }
      await expect(reading()).rejects.toMatchObject({ code: 'STOPPED', cause: why })
      expect(count).toBeLessThan(60_000)
    }
    const before = readEvents(opened, { signal: AbortSignal.abort('never') })
    await expect(before.next()).rejects.toMatchObject({ code: 'STOPPED', cause: 'never' })
  })

  test('await using closes a day, and a file that was not ended is gone', async () => {
    const opened = await day()
    const closed: string[] = []
    const close = opened.close.bind(opened)
    opened.close = () => {
      closed.push('day')
      return close()
    }
    await opened[Symbol.asyncDispose]()
    expect(closed).toEqual(['day'])
    const path = join(mkdtempSync(join(tmpdir(), 'backtape-closing-')), '7_2025-01-03.txt.zst')
    const file = await createTickFile(path, '{"instrument":{"id":7,"code":"A"},"underlyings":[]}')
    await file[Symbol.asyncDispose]()
    expect(readdirSync(dirname(path))).toEqual([])
    rmSync(dirname(path), { recursive: true })
  })

  test('books at a time: exact, with doubt carried along', async () => {
    const opened = await day()
    const levels = async (at: string | bigint): Promise<unknown> => plain(await opened.bookAt(at))
    expect(await levels('00:00:00.5')).toMatchObject({ suspect: true, bids: [], asks: [] })
    expect(await levels('00:00:01')).toMatchObject({ suspect: false, bids: [{ price: '100', quantity: '2' }], asks: [{ price: '101.5', quantity: '0.25' }] })
    expect(await levels(time('00:00:03') - 1n)).toMatchObject({ bids: [{ price: '100' }] })
    expect(await levels('2026-07-01T00:00:03Z')).toMatchObject({ time: '2026-07-01T00:00:03.000000000Z', bids: [{ price: '99.5', quantity: '7' }] })
    expect(await levels('12:00')).toMatchObject({ suspect: true, asks: [{ price: '101.5' }, { price: '102' }] })
    expect((await opened.bookAt('12:00', { levels: 1 })).asks).toHaveLength(1)
  })

  test('a grid holds what bookAt says of each time', async () => {
    const opened = await day()
    const grid = await all(opened.books({ everyMs: 1500, levels: 5 }))
    expect(grid.map((book) => (book.timestampNs - time('00:00:00')) / 1_500_000_000n)).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n])
    for (const book of grid) expect(plain(book)).toEqual(plain(await opened.bookAt(book.timestampNs, { levels: 5 })))
    const part = await all(opened.books({ everyMs: 1000, from: '00:00:02', to: '00:00:04' }))
    expect(part.map((book) => book.time)).toEqual(['2026-07-01T00:00:02.000000000Z', '2026-07-01T00:00:03.000000000Z'])
    await expect(all(opened.books({ everyMs: 0 }))).rejects.toThrow('everyMs must be a positive number')
  })
})
