import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { assumptionNames, assumptionsFromOptions, type AssumptionOptions } from '../../src/configuration/assumptions.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { checkOptions } from '../../src/configuration/run-check.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { summaryText } from '../../src/report/summary-text.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { MADE_EPOCH_DAY, MADE_MIDNIGHT_NS, marketDay, marketFile } from '../support/made-market-file.ts'
import type { MarketLine, MarketRow } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { RunFolder } from '../support/run-folder.ts'

const S = 1_000_000_000
const folder = new RunFolder()
afterAll(() => folder.remove())
type Decorate = (target: object, key: string) => void

const BOOK: MarketLine = { kind: 'snapshot', timeNs: S, rows: [[0, 99, 10], [1, 101, 10]] }
const at = (second: number, ...rows: readonly MarketRow[]): MarketLine => ({ kind: 'update', timeNs: Math.round(second * S), rows })
const cross = (second: number): MarketLine => at(second, [1, 98, 3])
const uncross = (second: number): MarketLine => at(second, [1, 98, 0])
const sell = (second: number, price: number, quantity: number): MarketLine => ({ kind: 'trades', timeNs: Math.round(second * S), rows: [[1, price, quantity]] })
const top = (second: number): MarketLine => ({ kind: 'top', timeNs: Math.round(second * S), rows: [[0, 99, 10], [1, 101, 10]] })
/** Data go on: a line that changes nothing near the touch, each second. */
const ticking = (from: number, to: number): MarketLine[] => Array.from({ length: to - from }, (_, i) => at(from + i + 0.5, [0, 50, 1 + (i % 2)]))
const ordered = (...lines: readonly (MarketLine | readonly MarketLine[])[]): MarketLine[] => lines.flat().sort((a, b) => a.timeNs - b.timeNs)

interface Played {
  readonly result: BacktestResult
  readonly journal: readonly { readonly kind: string; readonly time: string; readonly [field: string]: unknown }[]
}

async function play(lines: readonly MarketLine[], plan: readonly string[], more: Partial<BacktestOptions> = {}): Promise<Played> {
  const journal: string[] = []
  const result = await runBacktest({
    strategy: Planned, data: [marketFile(lines)], day: '2026-07-01', account: { balances: { CASH: '1000' } }, parameters: { instrument: 'TEST1', plan: [...plan] },
    journal: () => ({ write: (line) => void journal.push(line) }), ...more,
  } as BacktestOptions & { parameters: Record<string, unknown> })
  return { result, journal: journal.map((line) => JSON.parse(line) as Played['journal'][number]) }
}

const seconds = (time: string): number => Number(BigInt(time) - MADE_MIDNIGHT_NS) / S
const gapsOf = ({ journal }: Pick<Played, 'journal'>): unknown[] => journal.flatMap(({ kind, side, time, reason }) => (kind === 'gap' ? [[side, seconds(time), reason]] : []))
const statesOf = ({ journal }: Played): unknown[] => journal.flatMap(({ kind, time, state, text }) => (kind === 'state' ? [[seconds(time), state, text]] : []))
const marketOf = ({ result }: Played): object => {
  const { bookUnknownCount, bookUnknownNs, crossedCount, crossedNs, crossedGapCount, crossedGapNs } = result.summary.markets[0]!
  return { bookUnknownCount, bookUnknownNs: bookUnknownNs / S, crossedCount, crossedNs: crossedNs / S, crossedGapCount, crossedGapNs: crossedGapNs! / S }
}
const NO_GAP = { bookUnknownCount: 0, bookUnknownNs: 0, crossedGapCount: 0, crossedGapNs: 0 }
const SINCE = 'the book is crossed since 2026-07-01T00:00:10.000000000Z'

describe('a crossed book is a gap (exchange rules 6.5)', () => {
  test('29 of 30 minutes: the strategy sees ERROR after ten seconds, and the run warns with duration and fills', async () => {
    const lines = ordered(BOOK, cross(10), ticking(11, 1799), sell(15, 96, 50), sell(60, 96, 50), uncross(1750), at(1790, [0, 99, 11]))
    const played = await play(lines, ['2s BID 97 3', '16s BID 100 1', '30s BID 100 1 IOC', '1760s BID 101 1 IOC'])
    expect(gapsOf(played)).toEqual([['exchange', 20, 'crossed'], ['local', 20, 'crossed']])
    expect(statesOf(played)).toEqual([[1, 'READY', ''], [20, 'ERROR', SINCE], [1750, 'READY', '']])
    expect(marketOf(played)).toEqual({ bookUnknownCount: 0, bookUnknownNs: 0, crossedCount: 1, crossedNs: 1740, crossedGapCount: 1, crossedGapNs: 1730 })
    const { orders, summary } = played.result
    expect(orders.rows.map((row) => [row.state, row.error_type])).toEqual([['FILLED', null], ['FILLED', null], ['REJECTED', 'MARKET_DATA_GAP'], ['FILLED', null]])
    expect(summary.instruments[0]).toMatchObject({ fillCount: 3, crossedFillCount: 2 })
    const words = 'test:TEST1: its depth book was crossed (best bid above best ask) for 29 min in 1 stretch, of which the book was unknown for 29 min: 2 fills inside'
    expect(summary.warnings).toContain(words)
    expect(summary.warnings.filter((one) => one.includes('the book was unknown for 2'))).toEqual([words])
    expect(summaryText(summary, { full: true })).toMatch(/book crossed +1740 s in 1 stretch, of which the book was unknown for 1730 s\n +book otherwise unknown +never\n/)
    expect(summaryText(summary)).toContain('crossed for 29 min in 1 stretch, of which the book was unknown for 29 min, no other gap\n')
  })

  test.each<readonly [what: string, lines: readonly MarketLine[], full: RegExp, short: string, warning: string | null]>([
    ['nothing', [], /\n +book unknown +never\n/, ', no gap\n', null],
    ['a crossing that is no gap', [cross(10), uncross(15)], /\n +book crossed +5 s in 1 stretch\n +book unknown +never\n/, ', crossed for 5 s in 1 stretch, no gap\n', null],
    ['another gap', [{ kind: 'ERROR', timeNs: 15 * S }, { ...BOOK, timeNs: 40 * S }], /\n +book unknown +25\.5 s in 1 period\n/, ', book unknown for 25.5 s in 1 gap\n', 'test:TEST1: the book was unknown for 25.5 s of 58.5 s of its data: orders that need it were refused there'],
    ['one of each', [cross(10), uncross(25), { kind: 'ERROR', timeNs: 30 * S }, { ...BOOK, timeNs: 50 * S }],
      /\n +book crossed +15 s in 1 stretch, of which the book was unknown for 5 s\n +book otherwise unknown +20\.5 s in 1 period\n/, ', crossed for 15 s in 1 stretch, of which the book was unknown for 5 s, book unknown for 20.5 s in 1 other gap\n',
      'test:TEST1: the book was unknown for 20.5 s of 58.5 s of its data, crossed books apart: orders that need it were refused there'],
  ])('the summary says each time once: %s', async (_what, lines, full, short, warning) => {
    const { result: { summary } } = await play(ordered(BOOK, ticking(2, 60), lines), ['2s BID 90 1'])
    expect(summaryText(summary, { full: true })).toMatch(full)
    expect(summaryText(summary)).toContain(short)
    expect(summary.warnings.filter((one) => one.includes('orders that need it'))).toEqual(warning === null ? [] : [warning])
  })

  test.each<readonly [what: string, lines: readonly MarketLine[], gapS: number | null, crossedS: number]>([
    ['9.9 s', [cross(10), uncross(19.9)], null, 9.9],
    ['10 s', [cross(10), uncross(20)], 20, 10],
    ['uncrossed for one line between', [cross(10), uncross(18), cross(18), uncross(27.9)], null, 17.9],
    ['crossed by another level before the first leaves', [cross(10), at(18, [0, 102, 1]), uncross(18.5), at(25, [0, 102, 0])], 20, 15],
    ['a top of book does not end it', [cross(10), top(15), uncross(25)], 20, 15],
    ['nor does it cross the depth book', [{ ...top(10), rows: [[0, 99, 1], [1, 98, 1]] }, { ...top(30), rows: [[0, 103, 1], [1, 101, 1]] }], null, 0],
    ['a locked book', [at(10, [1, 99, 3]), at(40, [1, 99, 0])], null, 0],
    ['a snapshot uncrosses it', [cross(10), { ...BOOK, timeNs: 25 * S }], 20, 15],
    ['a snapshot that is crossed does not', [cross(10), { ...BOOK, timeNs: 15 * S, rows: [[0, 99, 1], [1, 98, 1]] }, { ...BOOK, timeNs: 25 * S }], 20, 15],
  ])('%s', async (_what, lines, gapS, crossedS) => {
    const played = await play(ordered(BOOK, ticking(2, 45), lines), ['2s BID 90 1'])
    expect(gapsOf(played)).toEqual(gapS === null ? [] : [['exchange', gapS, 'crossed'], ['local', gapS, 'crossed']])
    expect(marketOf(played)).toMatchObject({ bookUnknownCount: 0, crossedNs: crossedS, crossedGapCount: gapS === null ? 0 : 1, crossedGapNs: gapS === null ? 0 : crossedS - 10 })
    expect(statesOf(played).at(-1)).toMatchObject({ 1: 'READY' })
    expect(played.result.summary.warnings.filter((one) => one.includes('crossed'))).toHaveLength(crossedS > 0 ? 1 : 0)
  })

  test('nobody watches: without an order the summary and the states are the same', async () => {
    const lines = ordered(BOOK, cross(10), ticking(11, 90), uncross(40), cross(50), uncross(52))
    const [idle, watched] = [await play(lines, []), await play(lines, ['2s BID 90 1'])]
    expect([marketOf(idle), statesOf(idle)]).toEqual([marketOf(watched), statesOf(watched)])
    expect(marketOf(idle)).toMatchObject({ crossedCount: 2, crossedNs: 32, crossedGapCount: 1, crossedGapNs: 20 })
  })

  test('at the end of the file, and of a run that ends in it', async () => {
    const lines = ordered(BOOK, cross(10))
    const played = await play(lines, ['2s BID 90 1', '30s BID 98 1 IOC'], { to: '00:00:50' })
    expect([gapsOf(played), marketOf(played)]).toEqual([
      [['exchange', 20, 'crossed'], ['local', 20, 'crossed']], { bookUnknownCount: 0, bookUnknownNs: 0, crossedCount: 1, crossedNs: 40, crossedGapCount: 1, crossedGapNs: 30 },
    ])
    expect(played.result.orders.rows.map((row) => row.error_type)).toEqual([null, 'MARKET_DATA_GAP'])
    // The run is over before it is detected.
    const short = await play(lines, ['2s BID 90 1'], { to: '00:00:15' })
    expect([gapsOf(short), marketOf(short)]).toEqual([[], { ...NO_GAP, crossedCount: 1, crossedNs: 5 }])
    // It was crossed before the run began: it counts from there.
    const late = await play(ordered(BOOK, cross(10), ticking(11, 60), uncross(40)), ['1s BID 90 1'], { from: '00:00:35' })
    expect(marketOf(late)).toEqual({ bookUnknownCount: 0, bookUnknownNs: 0, crossedCount: 1, crossedNs: 5, crossedGapCount: 1, crossedGapNs: 5 })
  })

  test('with a silence in it, and a broken chain: none of them ends it, and each gap is counted once', async () => {
    const silent = await play(ordered(BOOK, cross(10), at(100, [0, 50, 1]), uncross(110), at(120, [0, 50, 2])), ['2s BID 90 1'])
    expect(gapsOf(silent)).toEqual([['exchange', 20, 'crossed'], ['local', 20, 'crossed']])
    expect(statesOf(silent)).toEqual([[1, 'READY', ''], [20, 'ERROR', SINCE], [110, 'READY', '']])
    const options = { assumptions: { crossedAfter: '80s' } }
    const after = await play(ordered(BOOK, cross(10), at(100, [0, 50, 1]), uncross(110), at(120, [0, 50, 2])), ['2s BID 90 1'], options)
    expect(gapsOf(after)).toEqual([['exchange', 70, 'silence'], ['local', 70, 'silence'], ['local', 100, 'crossed']])
    expect(statesOf(after)).toEqual([[1, 'READY', ''], [70, 'ERROR', 'no data since 2026-07-01T00:00:10.000000000Z'], [100, 'ERROR', SINCE], [110, 'READY', '']])
    const broken = await play(ordered(BOOK, cross(10), ticking(11, 60), { kind: 'ERROR', timeNs: 30 * S }, { ...BOOK, timeNs: 40 * S, rows: [[0, 99, 1], [1, 98, 1]] }, uncross(50)), ['2s BID 90 1'])
    expect(marketOf(broken)).toMatchObject({ bookUnknownCount: 0, crossedGapCount: 1, crossedGapNs: 30 })
    expect(statesOf(broken)).toEqual([[1, 'READY', ''], [20, 'ERROR', SINCE], [30, 'ERROR', 'why'], [40, 'ERROR', SINCE], [50, 'READY', '']])
  })

  test('a fill by the level that crosses the book is inside, one at the end of the gap is not', async () => {
    const lines = ordered(BOOK, cross(10), uncross(15), ticking(16, 60), cross(20), at(35, [1, 97, 1]), at(38, [0, 99, 0], [1, 97, 0], [1, 98, 0], [1, 96, 9]))
    const { result } = await play(lines, ['2s BID 98 2', '31s BID 97 1'])
    expect(result.fills.rows.map((row) => row.cause)).toEqual(['shown', 'gap'])
    expect(result.summary.instruments[0]).toMatchObject({ crossedFillCount: 1, gapFillCount: 1 })
  })
})

const MARGIN: MarketLine = { ...BOOK, timeNs: -60 * S }
/** The same line as it is received a second later. */
const received = (line: MarketLine, second: number): MarketLine => ({ ...line, adapterTimeNs: second * S })
const CROSSED_BOOK: MarketLine = { ...BOOK, rows: [[0, 99, 10], [1, 98, 3], [1, 101, 10]] }

describe('a crossing that begins in the margin of the first file counts from its own line, its time from the begin of the run', () => {
  test.each(([
    ['one of its last lines', [cross(-8)], 2, '52.000'],
    ['detected before midnight: with the book itself', [cross(-15)], 0, '45.000'],
    ['ten seconds before midnight to the nanosecond', [cross(-10)], 0, '50.000'],
    ['its first snapshot', [{ ...CROSSED_BOOK, timeNs: -7 * S }], 3, '53.000'],
    ['uncrossed for one line between', [cross(-8), uncross(-5), cross(-4)], 6, '56.000'],
    ['another level crosses before the first leaves', [cross(-8), at(-5, [0, 102, 1]), uncross(-4)], 2, '52.000', 0],
    ['broken by an ERROR', [cross(-9), { kind: 'ERROR', timeNs: -6 * S }, { ...CROSSED_BOOK, timeNs: -3 * S }], 7, '57.000'],
    ['a top of book does not break it', [cross(-8), top(-4)], 2, '52.000'],
    ['a locked book is none', [at(-15, [1, 99, 3]), cross(-6)], 4, '54.000'],
    ['by the time of the adapter', [received(cross(-9.5), -8), received(at(-8.6, [0, 50, 3]), -4)], 2, '52.000'],
    ['with a clock that steps back', [cross(-8), received(at(-7, [0, 50, 3]), -30), received(uncross(-6), -29), received(cross(-5), -28)], 2, '52.000'],
    ['over before it is detected', [cross(-8)], null, '52.000', 1.9],
    ['uncrossed in the margin', [cross(-30), uncross(-1)], null, '', 0],
  ] as readonly (readonly [what: string, margin: readonly MarketLine[], gapS: number | null, sinceS: string, endS?: number])[]).map(([what, margin, gapS, sinceS, endS = 90]) => [what, { margin, gapS, sinceS, endS }] as const))('%s', async (what, { margin, gapS, sinceS, endS }) => {
    const isGap = gapS !== null
    const end = endS === 0 && isGap ? at(90, [0, 102, 0]) : uncross(endS === 0 ? 90 : endS)
    const lines = ordered(...(what === 'its first snapshot' ? [] : [MARGIN]), margin, ticking(0, 120), end)
    const crossedS = endS === 0 && !isGap ? 0 : endS === 0 ? 90 : endS
    for (const plan of [['0.5s BID 90 1'], []]) {
      const played = await play(lines, plan)
      const gaps = isGap ? [['exchange', gapS, 'crossed'], ['local', gapS, 'crossed']] : []
      // That of the exchange is written down for who has orders there.
      expect(gapsOf(played)).toEqual(gaps.slice(plan.length > 0 && (gapS ?? 0) > 0.5 ? 0 : 1))
      expect(marketOf(played)).toEqual({ bookUnknownCount: 0, bookUnknownNs: 0, crossedCount: crossedS > 0 ? 1 : 0, crossedNs: crossedS, crossedGapCount: isGap ? 1 : 0, crossedGapNs: isGap ? crossedS - gapS : 0 })
      expect(statesOf(played).filter((state) => (state as unknown[])[1] === 'ERROR')).toEqual(isGap ? [[gapS, 'ERROR', `the book is crossed since 2026-06-30T23:59:${sinceS}000000Z`]] : [])
    }
  })

  test.each<readonly [from: string, gaps: readonly unknown[], crossedS: number, gapS: number]>([
    ['00:00:01', [['exchange', 2, 'crossed'], ['local', 2, 'crossed']], 89, 88],
    ['00:00:02', [['local', 2, 'crossed']], 88, 88],
    ['00:00:30', [['local', 30, 'crossed']], 60, 60],
    ['00:01:30', [], 0, 0],
  ])('a run from %s on', async (from, gaps, crossedS, gapS) => {
    const played = await play(ordered(MARGIN, cross(-8), ticking(0, 120), uncross(90)), ['0.2s BID 90 1', '95s BID 101 1 IOC'], { from })
    expect(gapsOf(played)).toEqual(gaps)
    expect(marketOf(played)).toEqual({ bookUnknownCount: 0, bookUnknownNs: 0, crossedCount: crossedS > 0 ? 1 : 0, crossedNs: crossedS, crossedGapCount: gapS > 0 ? 1 : 0, crossedGapNs: gapS })
    expect(statesOf(played).at(-1)).toMatchObject({ 1: 'READY' })
  })
})

describe('it is the same however it is played', () => {
  const lines = ordered(BOOK, cross(10), ticking(3, 90), sell(15, 97, 5), sell(30, 97, 5), uncross(40), sell(45, 98, 9), cross(50), uncross(58), cross(70))
  const inMargin = ordered(MARGIN, cross(-8), lines.filter(({ timeNs }) => timeNs > 15 * S), sell(1, 97, 5), sell(4, 97, 5))
  const plan = ['0.5s BID 97 1', '2s BID 98 3', '12s BID 97 9', '25s BID 100 1', '26s BID 99 1 IOC', '47s BID 101 1 IOC', '55s BID 98 2']

  /** Taken up again from a checkpoint, a run ends as the unbroken one, byte for byte. */
  async function resumesAlike(second: number, own: readonly MarketLine[], more: object = {}, played = play(own, plan, more)): Promise<void> {
    const whole = await played
    let text = ''
    const first = await play(own, plan, { ...more, checkpoints: { every: `${second}s`, take: (checkpoint: Checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    const { result, journal } = await play(own, plan, { ...more, resume: JSON.parse(text) as Checkpoint })
    expect([result.fingerprint, JSON.stringify(result.summary), result.orders.rows])
      .toEqual([whole.result.fingerprint, JSON.stringify(whole.result.summary), whole.result.orders.rows])
    const behind = first.journal.filter(({ kind }) => kind !== 'end')
    expect(JSON.stringify([...behind.slice(0, whole.journal.length - journal.length), ...journal])).toBe(JSON.stringify(whole.journal))
  }

  let unbroken: Promise<Played> | undefined
  test.each([5, 15, 21, 40, 41, 55, 79, 81])('goes on from a checkpoint to the same end: after %i s', (second) => resumesAlike(second, lines, {}, unbroken ??= play(lines, plan)))

  test.each([[1, {}], [2, {}], [3, {}], [16, {}], [2, { from: '00:00:01' }], [30, { from: '00:00:01' }], [5, { from: '00:00:20' }]] as const)(
    'and where it began in the margin: after %i s, %j', (second, more) => resumesAlike(second, inMargin, more),
  )

  test('of a kept day', async () => {
    const path = join(folder.path, 'test-TEST1-2026-07-01.txt.zst')
    writeFileSync(path, marketFile(lines))
    const plain = await play(lines, plan, { data: [path] })
    expect(gapsOf(plain)).toHaveLength(4)
    for (const _again of [1, 2]) {
      const kept = await play(lines, plan, { data: [path], cache: join(folder.path, 'cache') })
      expect([kept.result.fingerprint, kept.journal]).toEqual([plain.result.fingerprint, plain.journal])
    }
  })

  test('of the file order of a stamp', async () => {
    const files = await Promise.all((['trades', 'file'] as const).map((sameStamp) => play(lines, plan, { assumptions: { sameStamp } })))
    expect(files.map((one) => [gapsOf(one), marketOf(one)])).toEqual([[gapsOf(files[0]!), marketOf(files[0]!)], [gapsOf(files[0]!), marketOf(files[0]!)]])
  })

  test('over the midnight between two files: the time goes on, and ends in the other one', async () => {
    const day = 86_400
    const first = ordered({ ...BOOK, timeNs: (day - 60) * S }, cross(day - 4), ticking(day - 50, day))
    const before: MarketLine = { ...BOOK, timeNs: -3 * S, rows: [[0, 50, 1], [0, 99, 10], [1, 98, 3], [1, 101, 10]] }
    const second = ordered(before, ticking(1, 30), uncross(20))
    const files = ['2026-07-01', '2026-07-02'].map((name, i) => {
      const path = join(folder.path, `seam-TEST1-${name}.txt.zst`)
      writeFileSync(path, marketDay([{ lines: i === 0 ? first : second }], { epochDay: MADE_EPOCH_DAY + i }))
      return path
    })
    const played = await play([], ['40s BID 90 1'], { data: files, day: undefined, from: '2026-07-01T23:59:00Z' } as object)
    expect(gapsOf(played)).toEqual([['exchange', day + 6, 'crossed'], ['local', day + 6, 'crossed']])
    expect(marketOf(played)).toMatchObject({ crossedCount: 1, crossedNs: 24, crossedGapCount: 1, crossedGapNs: 14 })
  })

  const day = 86_400
  const filesOf = (days: readonly (readonly [offset: number, lines: readonly MarketLine[]])[]): string[] => days.map(([offset, own], i) => {
    const path = join(folder.path, `seams-TEST1-2026-07-0${1 + offset}.txt.zst`)
    writeFileSync(path, marketDay([{ lines: own }], { epochDay: MADE_EPOCH_DAY + offset }))
    return days[i] === undefined ? '' : path
  })
  const quiet = ordered({ ...BOOK, timeNs: (day - 60) * S }, ticking(day - 50, day))
  const last = at(-0.2, [0, 60, 7])
  const uncrossed = ordered(ticking(1, 30), uncross(20))

  test.each<readonly [what: string, days: readonly (readonly [number, readonly MarketLine[]])[], gapS: number, crossedS: number]>([
    ['of which only the margin of the second is crossed: since its own line', [[0, quiet], [1, ordered(MARGIN, cross(-7), last, uncrossed)]], day + 3, 20.2],
    ['of which both are, the first for longer', [[0, ordered(quiet, cross(day - 4))], [1, ordered(MARGIN, cross(-2), last, uncrossed)]], day + 6, 24],
    ['of which both are, the second for longer: the run has seen the first', [[0, ordered(quiet, cross(day - 2))], [1, ordered(MARGIN, cross(-9), last, uncrossed)]], day + 8, 22],
    ['of which only the first is: nothing goes on', [[0, ordered(quiet, cross(day - 4))], [1, ordered(MARGIN, last, ticking(1, 30))]], NaN, 3.8],
    ['with a day between that no file covers', [[0, quiet], [2, ordered(MARGIN, cross(-7), last, uncrossed)]], 2 * day + 3, 20],
  ])('at the midnight of two files, %s', async (_what, days, gapS, crossedS) => {
    const files = filesOf(days)
    const options = { data: files, day: undefined, from: '2026-07-01T23:59:00Z' } as object
    const played = await play([], ['40s BID 90 1'], options)
    expect(gapsOf(played).filter((gap) => (gap as unknown[])[2] === 'crossed')).toEqual(Number.isNaN(gapS) ? [] : [['exchange', gapS, 'crossed'], ['local', gapS, 'crossed']])
    expect(marketOf(played)).toMatchObject({ crossedCount: 1, crossedNs: crossedS })
    const whole = play([], plan, options)
    for (const second of [58, 65, 75]) await resumesAlike(second, [], options, whole)
    const cache = join(folder.path, `cache-${String(gapS)}-${crossedS}`)
    for (const _again of [1, 2]) expect((await play([], ['40s BID 90 1'], { ...options, cache })).journal).toEqual(played.journal)
  })

  test('beside another instrument, which it leaves alone: one that idles crossed changes nothing', async () => {
    const plain = ordered(BOOK, ticking(2, 90), sell(15, 97, 5))
    const own = await play(plain, plan)
    const beside = await play(plain, plan, { data: [marketFile(plain), marketFile(lines, { id: 2 })] })
    expect(beside.result.journalDigest).toBe(own.result.journalDigest)
    expect(beside.result.orders.rows).toEqual(own.result.orders.rows)
    expect(beside.result.summary.warnings.filter((one) => one.includes('crossed'))).toEqual([])
    const crossed = await play(lines, plan, { data: [marketFile(lines), marketFile(plain, { id: 2 })] })
    expect(crossed.result.journalDigest).toBe((await play(lines, plan)).result.journalDigest)
  })

  test('in sets: each has its own fills inside', async () => {
    const results = await runBacktest({
      strategy: Planned, data: [marketFile(lines)], day: '2026-07-01', account: { balances: { CASH: '1000' } }, parameters: [plan, [], plan].map((one) => ({ instrument: 'TEST1', plan: [...one] })),
    } as BacktestOptions & { parameters: Record<string, unknown>[] })
    const alone = await play(lines, plan)
    expect(results.map(({ summary }) => [summary.markets[0]!.crossedNs, summary.instruments[0]?.crossedFillCount ?? 0]))
      .toEqual([alone, null, alone].map((one) => [alone.result.summary.markets[0]!.crossedNs, one?.result.summary.instruments[0]!.crossedFillCount ?? 0]))
    expect(results[0]!.fingerprint).toBe(alone.result.fingerprint)
  })
})

/** Notes the best prices each ten seconds. */
class Looking extends Strategy {
  instrument!: TradingInstrument

  override onStart(): void {
    this.every(10_000, () => {
      const { bestBid, bestAsk, marketDataState, book } = this.instrument
      this.log(`${marketDataState} ${bestBid?.price.toString() ?? 'none'} ${bestAsk?.price.toString() ?? 'none'} ${book.suspect ? 'suspect' : 'known'}`)
    }, { name: 'look' })
  }
}
;(Parameter(TradingInstrument) as Decorate)(Looking.prototype, 'instrument')

test('a strategy that only looks sees it as well', async () => {
  const { journal } = await play(ordered(BOOK, cross(10), ticking(11, 60), uncross(35)), [], { strategy: Looking, parameters: { instrument: 'TEST1' } })
  const looks = journal.flatMap(({ kind, time, text }) => (kind === 'log' ? [`${seconds(time)} ${String(text)}`] : []))
  expect(looks.slice(0, 4)).toEqual(['10 READY 99 98 known', '20 ERROR none none suspect', '30 ERROR none none suspect', '40 READY 99 101 known'])
})

describe('assumptions.crossedAfter', () => {
  test.each<readonly [AssumptionOptions, string]>([
    [{}, '10s'], [{ crossedAfter: '500ms' }, '500ms'], [{ crossedAfter: 'off' }, 'off'], [{ crossedAfter: '1ms' }, '1ms'], [{ crossedAfter: '24h' }, '24h'],
    [{ gaps: 'ignore' }, 'off'], [{ preset: 'hftbacktest' }, 'off'], [{ preset: 'hftbacktest', crossedAfter: '10s' }, '10s'], [{ gaps: 'ignore', crossedAfter: '30s' }, '30s'],
  ])('%j is %s', (options, name) => {
    expect(assumptionNames(assumptionsFromOptions(options))['crossedAfter']).toBe(name)
  })

  test.each([['999us', '"999us"'], ['25h', '"25h"'], ['0s', '"0s"'], ['-1s', '"-1s"'], ['10', '"10"'], ['never', '"never"'], ['', '""'], [10, '10'], [null, 'null']])('refuses %j', async (crossedAfter, found) => {
    const { faults } = await checkOptions({ strategy: Looking, data: ['x'], assumptions: { crossedAfter } })
    expect(faults).toEqual([{ path: 'assumptions.crossedAfter', expected: 'a duration from 1ms to 24h, or "off"', found }])
  })

  test('off in the preset: fills are as before, and the warning stands all the same', async () => {
    const lines = ordered(BOOK, cross(10), ticking(11, 60), sell(30, 97, 50), uncross(40))
    const preset = await play(lines, ['2s BID 97 3', '25s BID 100 1 IOC'], { assumptions: { preset: 'hftbacktest', queue: 'riskAverse' } })
    expect([gapsOf(preset), marketOf(preset)]).toEqual([[], { ...NO_GAP, crossedCount: 1, crossedNs: 30 }])
    expect(preset.result.orders.rows.map((row) => row.error_type)).toEqual([null, null])
    expect(preset.result.summary.warnings.filter((one) => one.includes('crossed'))).toEqual([expect.stringContaining('for 30 s in 1 stretch: 2 fills inside')])
    const trusting = await play(lines, ['2s BID 97 3', '25s BID 100 1 IOC'], { assumptions: { gaps: 'ignore', crossedAfter: '5s' } })
    expect(gapsOf(trusting)).toEqual([['exchange', 15, 'crossed'], ['local', 15, 'crossed']])
    expect(trusting.result.orders.rows.map((row) => row.error_type)).toEqual([null, 'MARKET_DATA_GAP'])
    expect(marketOf(trusting)).toMatchObject({ crossedGapNs: 25 })
  })
})
