import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { assumptionNames, assumptionsFromOptions, type AssumptionOptions } from '../../src/configuration/assumptions.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { checkOptions } from '../../src/configuration/run-check.js'
import { defaultStaleAfter, stalenessBy, staleAfterOf, type StaleAfter } from '../../src/configuration/stale-after.js'
import type { Instrument } from '../../src/model/instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import { madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { RunFolder } from '../support/run-folder.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const S = 1_000_000_000
const folder = new RunFolder()
afterAll(() => folder.remove())
type Decorate = (target: object, key: string) => void

const BOOK: MarketLine = { kind: 'snapshot', timeNs: S, rows: [[0, 99, 10], [1, 101, 10]] }
const update = (second: number, quantity = 10): MarketLine => ({ kind: 'update', timeNs: second * S, rows: [[0, 99, quantity]] })
/** A line each `stepS` seconds for an hour. */
const hourly = (stepS: number, line: (second: number) => MarketLine): MarketLine[] => [BOOK, ...Array.from({ length: Math.floor(3600 / stepS) }, (_, at) => line(1 + (at + 1) * stepS))]

interface Played {
  readonly result: BacktestResult
  readonly journal: readonly { readonly kind: string; readonly time: string; readonly [field: string]: unknown }[]
}

async function play(lines: readonly MarketLine[], plan: readonly string[], more: Partial<BacktestOptions> = {}, instrument: Partial<Instrument> = {}): Promise<Played> {
  const journal: string[] = []
  const result = await runBacktest({
    strategy: Planned, data: [marketFile(lines, instrument)], day: '2026-07-01', account: { balances: { CASH: '1000' } }, parameters: { instrument: 'TEST1', plan: [...plan] },
    journal: () => ({ write: (line) => void journal.push(line) }), ...more,
  } as BacktestOptions & { parameters: Record<string, unknown> })
  return { result, journal: journal.map((line) => JSON.parse(line) as Played['journal'][number]) }
}

const seconds = (time: string): number => Number(BigInt(time) - MADE_MIDNIGHT_NS) / S
const gapsOf = ({ journal }: Played): unknown[] => journal.flatMap(({ kind, side, time, reason }) => (kind === 'gap' ? [[side, seconds(time), reason]] : []))

describe('silence is a gap (exchange rules 6.4)', () => {
  test.each<readonly [string, readonly MarketLine[], Partial<Instrument>]>([
    ['a line of depth each 50 s on a perpetual', hourly(50, (second) => update(second)), {}],
    ['any line each 9 min on spot', hourly(540, (second) => ({ kind: 'mark', timeNs: second * S, value: 100 })), { type: 'spot' }],
  ])('no gap and the same queue: %s', async (_what, lines, instrument) => {
    const plan = ['10s BID 99 3 postOnly']
    const played = await play(lines, plan, {}, instrument)
    expect([gapsOf(played), played.result.summary.markets[0]?.bookUnknownCount, played.result.orders.rows.map((row) => [row.state, row.quantity_ahead])]).toEqual([[], 0, [['CONFIRMED', '10']]])
    const off = await play(lines, plan, { assumptions: { staleAfter: 'off' } }, instrument)
    expect(played.result.journalDigest).toBe(off.result.journalDigest)
  })

  test.each<readonly [string, (second: number) => MarketLine, Partial<Instrument>, number]>([
    ['a perpetual, where trades and marks go on', (second) => (second % 2 === 0 ? { kind: 'mark', timeNs: second * S, value: 100 } : { kind: 'trades', timeNs: second * S, rows: [[0, 101, 1]] }), {}, 60],
    ['spot', (second) => ({ kind: 'mark', timeNs: second * S, value: 100 }), { type: 'spot' }, 600],
  ])('is detected so long behind the last counting line: %s', async (_what, line, instrument, afterS) => {
    const lines = [BOOK, line(2), line(3), ...(afterS === 60 ? [line(40), line(55), line(100)] : []), update(1000)]
    const played = await play(lines, ['10s BID 90 1'], {}, instrument)
    const lastS = afterS === 60 ? 1 : 3
    expect(gapsOf(played)).toEqual([['exchange', lastS + afterS, 'silence'], ['local', lastS + afterS, 'silence']])
    expect(played.journal.flatMap(({ kind, time, state, text }) => (kind === 'state' ? [[seconds(time), state, text]] : []))).toEqual([
      [1, 'READY', ''], [lastS + afterS, 'ERROR', `no data since 2026-07-01T00:00:0${lastS}.000000000Z`], [1000, 'READY', ''],
    ])
    expect(played.result.summary.markets[0]).toMatchObject({ bookUnknownCount: 1, bookUnknownNs: (1000 - lastS) * S })
  })

  test('of twice its length with an unbroken chain costs no order its place', async () => {
    const trade: MarketLine = { kind: 'trades', timeNs: 5 * S, rows: [[1, 99, 4]] }
    const end: MarketLine = { kind: 'trades', timeNs: 140 * S, rows: [[1, 99, 8]] }
    const lines = [BOOK, trade, update(6, 6), update(130, 6), end, update(141, 1)]
    const plan = ['2s BID 99 3 postOnly']
    const [silent, off] = await Promise.all([play(lines, plan), play(lines, plan, { assumptions: { staleAfter: 'off' } })])
    expect(gapsOf(silent)).toEqual([['exchange', 66, 'silence'], ['local', 66, 'silence']])
    // 10 - 4 ahead; 8 more give two of them.
    for (const { result } of [silent, off]) expect(result.orders.rows.map((row) => [row.state, row.executed_qty])).toEqual([['CONFIRMED', '2']])
    const told = ({ journal }: Played): unknown[] => journal.filter(({ kind }) => !['gap', 'state', 'bookKnown'].includes(kind)).map(({ seq: _seq, ...line }) => line)
    expect(told(silent)).toEqual(told(off))
  })

  test('refuses a MARKET order at 12:00 after a recording that ended at 00:05, and the summary counts the gap', async () => {
    const played = await play([BOOK, update(60), update(120), update(180), update(240), update(300)], [], { to: '24:00' })
    expect(played.result.summary.markets[0]).toMatchObject({ bookUnknownCount: 1, bookUnknownNs: (86_400 - 300) * S })
    const late = await play([BOOK, update(60), update(120), update(180), update(240), update(300)], ['43200s BID 101 1 IOC', '43300s BID 98 1'], { to: '24:00' })
    expect(late.result.orders.rows.map((row) => [row.state, row.error_type])).toEqual([['REJECTED', 'MARKET_DATA_GAP'], ['CONFIRMED', null]])
    const off = await play([BOOK, update(300)], ['43200s BID 101 1 IOC'], { to: '24:00', assumptions: { staleAfter: 'off' } })
    expect(off.result.orders.rows.map((row) => row.state)).toEqual(['FILLED'])
  })

  test('another future changes nothing before it is detected: a file that is cut is not known to be before', async () => {
    const whole = [BOOK, ...Array.from({ length: 40 }, (_, at) => update(5 + at * 10, 5 + (at % 7)))]
    const plan = ['1s BID 99 2', '50s BID 98 1', '130s ASK 101 1', '170s BID 99 1', '195s BID 101 1 IOC', '250s BID 101 1 IOC']
    const known = await play(whole, plan, { to: '00:10:00' })
    for (const cut of [3, 8, 13, 20]) {
      const lastNs = whole[cut - 1]!.timeNs
      const other = await play(whole.slice(0, cut), plan, { to: '00:10:00' })
      const upTo = ({ journal }: Played): unknown[] => journal.filter(({ time }) => BigInt(time) < MADE_MIDNIGHT_NS + BigInt(lastNs) + 60n * BigInt(S))
      expect(upTo(other)).toEqual(upTo(known))
      expect(gapsOf(other)[0]).toEqual(['exchange', lastNs / S + 60, 'silence'])
    }
  })

  test.each([30, 90, 150])('goes on from a checkpoint inside of it to the same end: after %i s', async (second) => {
    const lines = [BOOK, update(5, 6), { kind: 'trades', timeNs: 80 * S, rows: [[1, 99, 1]] } as MarketLine, update(140, 4), update(400, 3)]
    const plan = ['2s BID 99 3', '70s BID 99 1', '71s BID 102 1', '75s BID 101 1 IOC', '145s BID 101 1 IOC', '210s BID 98 2']
    const whole = await play(lines, plan)
    let text = ''
    await play(lines, plan, { checkpoints: { every: `${second}s`, take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    const { result } = await play(lines, plan, { resume: JSON.parse(text) as Checkpoint })
    expect([result.fingerprint, JSON.stringify(result.summary), result.orders.rows])
      .toEqual([whole.result.fingerprint, JSON.stringify(whole.result.summary), whole.result.orders.rows])
  })

  test('of a kept day is the same', async () => {
    const lines = [BOOK, ...Array.from({ length: 50 }, (_, at) => update(2 + at, 3 + (at % 5))), update(200, 6), ...Array.from({ length: 50 }, (_, at) => update(201 + at, 3 + (at % 5)))]
    const path = join(folder.path, 'test-TEST1-2026-07-01.txt.zst')
    writeFileSync(path, marketFile(lines))
    const plan = ['2s BID 99 3', '120s BID 98 1', '210s BID 101 1 IOC']
    const plain = await play(lines, plan, { data: [path] })
    expect(gapsOf(plain)).toHaveLength(2)
    for (const _again of [1, 2]) {
      const kept = await play(lines, plan, { data: [path], cache: join(folder.path, 'cache') })
      expect([kept.result.fingerprint, kept.journal]).toEqual([plain.result.fingerprint, plain.journal])
    }
  })

  test('ends a run under halt where it is detected', async () => {
    const { result } = await play([BOOK, update(200)], ['2s BID 99 3'], { assumptions: { gaps: 'halt' } })
    expect(result.summary.halt).toEqual({ instrument: 'test:TEST1', time: '2026-07-01T00:01:01.000000000Z', reason: 'silence' })
  })
})

/** Notes the best prices each ten seconds. */
class Looking extends Strategy {
  instrument!: TradingInstrument

  override onStart(): void {
    this.look()
    this.every(10_000, () => { this.look() }, { name: 'look' })
  }

  look(): void {
    const { bestBid, bestAsk, marketDataState, book } = this.instrument
    this.log(`${marketDataState} ${bestBid?.price.toString() ?? 'none'} ${bestAsk?.price.toString() ?? 'none'} ${book.suspect ? 'suspect' : 'known'}`)
  }
}
;(Parameter(TradingInstrument) as Decorate)(Looking.prototype, 'instrument')

describe('assumptions.staleAfter', () => {
  test.each<readonly [AssumptionOptions, string]>([
    [{}, '60s for perpetuals and futures, 10min for others'], [{ staleAfter: '30s' }, '30s'], [{ staleAfter: 'off' }, 'off'], [{ staleAfter: '1s' }, '1s'], [{ staleAfter: '24h' }, '24h'],
    [{ gaps: 'ignore' }, 'off'], [{ preset: 'hftbacktest' }, 'off'], [{ preset: 'hftbacktest', staleAfter: '5min' }, '5min'], [{ gaps: 'ignore', staleAfter: '30s' }, '30s'],
  ])('%j is named %s', (options, name) => {
    expect(assumptionNames(assumptionsFromOptions(options))['staleAfter']).toBe(name)
  })

  test.each([['999ms', '"999ms"'], ['25h', '"25h"'], ['0s', '"0s"'], ['never', '"never"'], ['', '""'], [60, '60'], [null, 'null']])('refuses %j', async (staleAfter, found) => {
    const { faults } = await checkOptions({ strategy: Looking, data: ['x'], assumptions: { staleAfter } })
    expect(faults).toEqual([{ path: 'assumptions.staleAfter', expected: 'a duration from 1s to 24h, or "off"', found }])
  })

  const profile = (kind: string): never => ({ name: kind, kind, capabilities: {} }) as never
  test.each<readonly [string, Partial<Instrument>, string | null, object, number, 'book' | 'any']>([
    ['a perpetual', {}, null, {}, 60, 'book'], ['a future', { type: 'future' }, null, {}, 60, 'book'], ['spot', { type: 'spot' }, null, {}, 600, 'any'],
    ['an option', { type: 'call' }, null, {}, 600, 'any'], ['an unknown type', { type: '' }, null, {}, 600, 'any'],
    ['a perpetual of a prediction market', {}, 'prediction', {}, 600, 'any'], ['a perpetual with an outcome', {}, null, { outcomes: { TEST: '1' } }, 600, 'any'],
    ['a perpetual under a profile of spot, which it is not', {}, 'spot', {}, 60, 'book'], ['a perpetual of a usdtPerpetual venue', {}, 'usdtPerpetual', {}, 60, 'book'],
  ])('is by kind: %s', (_what, instrument, kind, options, afterS, counts) => {
    const profiles = new Map(kind === null ? [] : [['account', profile(kind)]])
    expect(stalenessBy(defaultStaleAfter(false), options, profiles)(madeInstrument(instrument))).toEqual({ afterNs: afterS * S, counts })
    expect(stalenessBy(staleAfterOf('30s') as StaleAfter, options, profiles)(madeInstrument(instrument))).toEqual({ afterNs: 30 * S, counts })
    expect(stalenessBy(staleAfterOf('off') as StaleAfter, options, profiles)(madeInstrument(instrument))).toBeNull()
  })
})

test('while market data are PENDING or in ERROR no best price is known', async () => {
  const lines = [{ ...BOOK, timeNs: 15 * S }, { kind: 'ERROR', timeNs: 35 * S }, { ...BOOK, timeNs: 45 * S }, update(170)] as MarketLine[]
  const { journal } = await play(lines, [], { strategy: Looking, parameters: { instrument: 'TEST1' }, to: '00:03:00' })
  const looks = journal.flatMap(({ kind, time, text }) => (kind === 'log' ? [`${seconds(time)} ${String(text)}`] : []))
  expect(looks.slice(0, 11)).toEqual([
    '0 PENDING none none suspect', '10 PENDING none none suspect', '20 READY 99 101 known', '30 READY 99 101 known', '40 ERROR none none suspect', '50 READY 99 101 known',
    '60 READY 99 101 known', '70 READY 99 101 known', '80 READY 99 101 known', '90 READY 99 101 known', '100 READY 99 101 known',
  ])
  expect(looks.slice(11)).toEqual([...[110, 120, 130, 140, 150, 160].map((second) => `${second} ERROR none none suspect`), '170 READY 99 101 known'])
})
