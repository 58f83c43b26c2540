import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { playBacktest } from '../../src/backtest/run-backtest.js'
import { recordStretch, type StretchOptions } from '../../src/backtest/stretch.js'
import { readRunFile, type RunFile } from '../../src/configuration/run-file-reader.js'
import { textFromScaled } from '../../src/model/decimal.js'
import { EventWords, instrumentText } from '../../src/panels/event-words.js'
import type { StretchColumns } from '../../src/panels/stretch-columns.js'
import { packedStretch, unpackedStretch } from '../../src/report/view/stretch-packing.js'
import { StretchReplay } from '../../src/panels/stretch-replay.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { DirectStretch } from '../support/direct-stretch.ts'
import { isNight } from '../support/repetitions.ts'
import { packageFolder, RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

const DAY_NS = 86_400_000_000_000
const example = (name: string): Promise<RunFile> => readRunFile(join(packageFolder, `examples/${name}/${name}.run.json`))

/** A whole run with its journal. */
async function played(options: BacktestOptions): Promise<{ readonly result: BacktestResult; readonly lines: readonly string[] }> {
  const lines: string[] = []
  const results = [await playBacktest({ ...options, journal: () => ({ write: (line) => void lines.push(line) }) }, () => null)].flat()
  return { result: results[0]!, lines }
}

describe('a stretch of a run', () => {
  let options: BacktestOptions
  let whole: Awaited<ReturnType<typeof played>>

  beforeAll(async () => {
options = { ...(await example('inventory-maker')).options, to: '2026-07-02T00:01:00Z' }
    whole = await played(options)
  })

  test('leaves the run as it is: its fingerprint with a stretch to its end is that without', async () => {
    const { result, columns } = await recordStretch('r', options, { from: '2026-07-02T00:00:00Z', to: '2026-07-02T00:01:00Z' })
    expect([result.fingerprint, result.journalDigest, result.isPartial]).toEqual([whole.result.fingerprint, whole.result.journalDigest, false])
    expect(columns.lines.text).toEqual(whole.lines.slice(-columns.lines.text.length))
    if (!isNight) return
    const later = await recordStretch('r', options, { from: '2026-07-01T23:55:00Z', to: '2026-07-02T00:01:00Z' })
    expect(later.result.fingerprint).toBe(whole.result.fingerprint)
    expect(later.columns.lines.text).toEqual(whole.lines)
  })

  test('ends the run behind it: its lines are those of the run, and no others', async () => {
    const { result, columns } = await recordStretch('r', options, { from: '2026-07-01T23:57:00Z', forNs: 60e9 })
    expect(result.isPartial).toBe(true)
    const at = whole.lines.indexOf(columns.lines.text[0]!)
    expect(columns.lines.text).toEqual(whole.lines.slice(at, at + columns.lines.text.length))
    const times = columns.lines.text.map((line) => BigInt((JSON.parse(line) as { time: string }).time))
    const [from, to] = [BigInt(columns.fromEpochNs), BigInt(columns.fromEpochNs) + 60_000_000_000n]
    expect(times.every((time) => time >= from && time < to)).toBe(true)
    const next = JSON.parse(whole.lines[at + columns.lines.text.length]!) as { time: string }
    expect(BigInt(next.time) >= to).toBe(true)
  })

  test('says of each own fill when it happened and when it was received, exactly as the journal does', async () => {
    const { columns } = await recordStretch('r', options, { from: '2026-07-01T23:57:00Z', forNs: 60e9 })
    const told = columns.lines.text.flatMap((line) => {
      const { kind, time, fills = [] } = JSON.parse(line) as { kind: string; time: string; fills?: { exchangeTimestampNs: string; price: string; quantity: string; ownOrderId: string; fees: string }[] }
      return kind === 'fill' ? fills.map((fill) => [fill.exchangeTimestampNs, time, fill.price, fill.quantity, fill.ownOrderId, `${fill.fees} USDT`]) : []
    })
    const { fills, events, fromEpochNs, orders, instruments } = columns
    const { priceScale, quantityScale } = instruments[0]!
    const at = (event: number): string => String(BigInt(fromEpochNs) + BigInt(events.timeNs[event]!))
    const shown = fills.event.flatMap((event, place) => (fills.receipt[place] === -1 || event < 0 ? [] : [[
      at(event), at(fills.receipt[place]!), textFromScaled(fills.price[place]!, priceScale), textFromScaled(fills.quantity[place]!, quantityScale), orders[fills.order[place]!]!.ownOrderId, fills.fee[place],
    ]]))
    expect(shown.length).toBeGreaterThan(30)
    expect(shown).toEqual(told.filter(([executed]) => BigInt(executed!) >= BigInt(fromEpochNs)))
  })

  test('holds no path of this machine', async () => {
    const { columns } = await recordStretch('r', options, { from: '2026-07-01T23:57:00Z', forNs: 10e9 })
    expect(packedStretch(columns)).not.toContain(packageFolder)
  })

  test.each<[string, StretchOptions, RegExp]>([
    ['before the run', { from: '2026-07-01T12:00:00Z' }, /from must be a time of the run, from 2026-07-01T23:55:00\.000000000Z and before 2026-07-02T00:01:00\.000000000Z, found 2026-07-01T12:00:00Z/],
    ['behind the run', { from: '2026-07-02T00:05:00Z' }, /from must be a time of the run/],
    ['that ends before its begin', { from: '2026-07-01T23:58:00Z', to: '23:57:00' }, /to must be a time after 2026-07-01T23:58:00\.000000000Z, found 23:57:00/],
    ['of eleven minutes', { from: '2026-07-01T23:58:00Z', forNs: 660e9 }, /for must be at most 10min after 2026-07-01T23:58:00\.000000000Z, found 11min/],
    ['without levels', { from: '2026-07-01T23:58:00Z', levels: 0 }, /levels must be a whole number from 1 to 100, found 0/],
    ['of no time', { from: 'soon' }, /soon/],
  ])('%s is refused', async (_, stretch, why) => {
    await expect(recordStretch('r', options, stretch)).rejects.toThrow(why)
  })

  test('with more events than a page holds is refused by the limit and the instant', async () => {
    const stretch = { from: '2026-07-01T23:58:00Z', eventsMax: 100 }
    await expect(recordStretch('r', options, stretch)).rejects.toThrow(/Cannot view the stretch from 2026-07-01T23:58:00\.000000000Z: there are more than 100 events before 2026-07-01T23:58:0\d\.\d{9}Z; end it there/)
  })

  test('of several sets is refused, and one that was stopped', async () => {
    const sets = [options.parameters, options.parameters] as NonNullable<BacktestOptions['parameters']>
    await expect(recordStretch('r', { ...options, parameters: sets }, { from: '2026-07-01T23:58:00Z' })).rejects.toThrow(/parameters must be one parameter set, found 2 of them/)
    await expect(recordStretch('r', { ...options, signal: AbortSignal.abort() }, { from: '2026-07-01T23:58:00Z' })).rejects.toMatchObject({ code: 'STOPPED' })
  })
})

describe('what is rebuilt of a stretch', () => {
  /** Compares books and queues at every event with those that were copied whole. */
  async function compare(options: BacktestOptions, fromNs: number, lengthNs: number): Promise<{ readonly columns: StretchColumns; readonly replay: StretchReplay }> {
    let direct = null as DirectStretch | null
    await playBacktest(options, () => (direct = new DirectStretch({ fromNs, toNs: fromNs + lengthNs })))
    const columns = unpackedStretch(packedStretch(direct!.columns('r', [])))
    const replay = new StretchReplay(columns, 64)
    const { moments } = direct!
    expect(moments.size).toBeGreaterThan(100)
    let last = moments.get(0)!
    const forwards = Array.from({ length: replay.count }, (_, event) => event)
    const books = new Map<number, ReadonlyMap<string, string>>()
    for (const event of forwards) {
      const moment = moments.get(event)
      last = moment ?? last
      books.set(event, last.books)
      if (moment === undefined) continue
      const open = replay.orders(event, 0).filter(({ state }) => state !== 'SENT').map(({ ownOrderId, price, total, executed, ahead }) => [ownOrderId, price, total, executed, ahead])
      expect(JSON.stringify(open.toSorted())).toBe(moment.orders)
    }
    for (const event of [...forwards, ...forwards.toReversed()]) {
      for (const [at, { name }] of columns.instruments.entries()) {
        const { bids, asks } = replay.ladders[at]!.at(event)
        expect(JSON.stringify([bids, asks].map(({ prices, quantities }) => prices.map((price, level) => [price, quantities[level]])))).toBe(books.get(event)!.get(name))
      }
    }
    return { columns, replay }
  }

  test('is at every event the book that its client had, and the queue of each own order at the exchange', async () => {
    const { options } = await example('inventory-maker')
    const { columns, replay } = await compare(options, DAY_NS - 60e9, 20e9)
    expect(columns.orders.length).toBeGreaterThan(5)
    const words = new EventWords(replay, columns.instruments.map(instrumentText))
    for (let event = 0; event < replay.count; event++) expect(words.of(event)).not.toBe('')
  })

  test('is so with two instruments and a top of book that is newer than the depth', async () => {
    const { options } = await example('spread-trader')
    const { columns } = await compare({ ...options, from: '2026-07-01T23:58:00Z' }, DAY_NS - 90e9, 8e9)
    expect(columns.instruments.length).toBeGreaterThan(1)
  })

  test('steps lead to fills, own orders and trades, and back', async () => {
    const { options } = await example('inventory-maker')
    const { columns } = await recordStretch('r', options, { from: '2026-07-01T23:58:00Z', forNs: 30e9 })
    const replay = new StretchReplay(columns)
    const fills: number[] = []
    for (let event = 0, next = replay.next(0, 'fill'); next !== event; event = next, next = replay.next(event, 'fill')) fills.push(next)
    expect(fills).toEqual([...new Set(columns.fills.event)].sort((a, b) => a - b))
    expect(fills.every((event) => replay.kindOf(event) === 'execution' && replay.fillsAt(event).length > 0)).toBe(true)
    expect([replay.previous(fills[3]!, 'fill'), replay.previous(fills[0]!, 'fill'), replay.next(replay.count - 1, 'event'), replay.previous(0, 'event')]).toEqual([fills[2], fills[0], replay.count - 1, 0])
    expect([replay.kindOf(0), replay.kindOf(replay.count - 1)]).toEqual(['begin', 'end'])
    expect([replay.eventAt(-1), replay.eventAt(Infinity)]).toEqual([0, replay.count - 1])
    expect(columns.events.timeNs.every((timeNs, at) => at === 0 || timeNs >= columns.events.timeNs[at - 1]!)).toBe(true)
    for (const kind of ['order', 'trade'] as const) expect(replay.previous(replay.next(200, kind), kind)).toBeLessThanOrEqual(200)
  })
})

describe('a stretch of a strategy of a test', () => {
  test('shows an order on its way, one that is refused, and log lines as they stand', async () => {
    folder.write('subject.ts', strategyModule(`  override onStart(): void {
    this.log('</script><b>begin</b>')
    this.after(2_000, () => {
      const { bestBid, bestAsk } = this.instrument
      if (bestBid === null || bestAsk === null) return
      const quantity = this.instrument.quantity('100')
      this.instrument.placeOrder({ side: 'BID', quantity, price: bestBid.price })
      this.instrument.placeOrder({ side: 'BID', quantity, price: bestAsk.price, postOnly: true })
    })
  }
`))
    const run = await readRunFile(folder.write('subject.run.json', runContent({ account: { balances: { USDT: '1000' } }, assumptions: { requestLatency: '20ms', responseLatency: '20ms' } })))
    const { columns } = await recordStretch('r', run.options, { from: '23:55:30', to: '23:55:40' })
    const replay = new StretchReplay(columns)
    expect(columns.lines.text[0]).toContain('</script><b>begin</b>')
    expect(replay.kindOf(1)).toBe('log')
    const states = columns.orders.map((_, number) => columns.orderRows.state.filter((_state, row) => columns.orderRows.order[row] === number))
    expect(states.map((one) => [...new Set(one)])).toEqual([expect.arrayContaining(['SENT', 'CONFIRMED']), ['SENT', 'REJECTED']])
    const sent = columns.orderRows.event[0]!
    const resting = columns.orderRows.event[columns.orderRows.state.indexOf('CONFIRMED')]!
    expect(replay.timeNsOf(resting) - replay.timeNsOf(sent)).toBe(20_000_000)
    expect(columns.orderRows.ahead[columns.orderRows.state.indexOf('CONFIRMED')]).toBeGreaterThan(0)
  })
})
