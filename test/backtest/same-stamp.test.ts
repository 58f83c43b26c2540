import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { AssumptionOptions } from '../../src/configuration/assumptions.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { SameStamp } from '../../src/model/exchange-order.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned, plannedRun } from '../support/planned-run.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { RunFolder } from '../support/run-folder.ts'
import { servers } from '../support/served-days.ts'

const MS = 1_000_000
const S = 1_000 * MS
const folder = new RunFolder()
const serve = servers()
afterAll(() => { folder.remove() })

const BOOK: MarketLine = { kind: 'snapshot', timeNs: S, rows: [[0, 100, 10], [0, 99, 5], [1, 101, 10]] }
/** 10 are ahead of the order, and 10 trade: its file shows what traded before the trade's own line. */
const bid = (quantity: number, timeNs: number, laterNs = 10 * MS): MarketLine => ({ kind: 'update', timeNs, adapterTimeNs: timeNs + laterNs, rows: [[0, 100, quantity]] })
const top = (quantity: number, timeNs: number, laterNs = 10 * MS): MarketLine => ({ kind: 'top', timeNs, adapterTimeNs: timeNs + laterNs, rows: [[0, 100, quantity], [1, 101, 10]] })
const sell = (quantity: number, timeNs: number, laterNs = 20 * MS): MarketLine => ({ kind: 'trades', timeNs, adapterTimeNs: timeNs + laterNs, rows: [[1, 100, quantity]] })
const PLAN = ['2s BID 100 6']
const power = (sameStamp: SameStamp): Pick<BacktestOptions, 'assumptions'> => ({ assumptions: { queue: 'power3', sameStamp } })

async function filled(lines: readonly MarketLine[], sameStamp: SameStamp): Promise<string | undefined> {
  const [result] = await plannedRun({ files: [lines], plans: [PLAN], options: power(sameStamp) })
  return result!.orders.rows[0]?.executed_qty
}

describe('trades and books of one exchange stamp (exchange rules 1.1)', () => {
  const quiet = (count: number, timeNs: number): MarketLine[] => Array.from({ length: count }, (_, at) => ({ kind: 'mark', timeNs, adapterTimeNs: timeNs + 10 * MS + at, value: 100 }))
  test.each<readonly [what: string, lines: readonly MarketLine[], trades: string, file: string]>([
    ['depth', [BOOK, bid(4, 5 * S), sell(6, 5 * S), sell(4, 10 * S)], '0', '6'],
    ['a top of book', [BOOK, top(4, 5 * S), sell(6, 5 * S), sell(4, 10 * S)], '0', '6'],
    ['one line of three stamps between the books of these', [BOOK, bid(7, 5 * S), bid(4, 6 * S, 2 * S), bid(0, 7 * S, 2 * S), { kind: 'trades', timeNs: 5 * S, adapterTimeNs: 10 * S, rows: [[1, 100, 3, 5 * S], [1, 100, 3, 6 * S], [1, 100, 4, 7 * S]] }], '0', '4'],
    ['a trade in the next batch', [BOOK, bid(4, 5 * S), ...quiet(16_384, 5 * S), sell(6, 5 * S), sell(4, 10 * S)], '0', '6'],
    ['a top without a stamp is where its file has it', [BOOK, { ...top(4, NaN), adapterTimeNs: 5 * S }, sell(6, 5 * S), sell(4, 10 * S)], '6', '6'],
    ['a book of an earlier stamp comes first', [BOOK, bid(4, 5 * S - 1), sell(6, 5 * S), sell(4, 10 * S)], '6', '6'],
  ])('%s', async (_what, lines, trades, file) => {
    expect([await filled(lines, 'trades'), await filled(lines, 'file')]).toEqual([trades, file])
  })

  test('a run that names no order has trade rows first, the preset has the file\'s order, and each says so', async () => {
    const namesOf = async (assumptions: AssumptionOptions): Promise<string | undefined> => (await plannedRun({ files: [[BOOK]], plans: [[]], options: { assumptions } }))[0]!.summary.assumptions['sameStamp']
    expect([await namesOf({}), await namesOf({ preset: 'hftbacktest' }), await namesOf({ preset: 'hftbacktest', sameStamp: 'trades' })]).toEqual(['trades', 'file', 'trades'])
  })
})

const DAY: readonly MarketLine[] = [BOOK, ...Array.from({ length: 40 }, (_, at): MarketLine[] => {
  const timeNs = (5 + at) * S
  return [at % 2 === 0 ? bid(8 - (at % 5), timeNs) : top(8 - (at % 7), timeNs), { kind: 'update', timeNs, adapterTimeNs: timeNs + 12 * MS, rows: [[1, 101, 4 + (at % 4)]] }, sell(1 + (at % 3), timeNs), { kind: 'trades', timeNs, adapterTimeNs: timeNs + 25 * MS, rows: [[0, 101, 2]] }]
}).flat()]

/** Worlds of restless strategies over a day whose books show trades before these come. */
function restless(sameStamp: SameStamp, more: Partial<BacktestOptions> = {}): BacktestOptions & { parameters: ParameterConfig[] } {
  return {
    strategy: RestlessStrategy, data: [marketFile(DAY)], day: '2026-07-01', to: '00:01', account: { balances: { CASH: '1000000' } },
    parameters: [1, 2].map((seed) => ({ instrument: 'TEST1', seed, wakeNs: (isNight ? 50 : 250) * MS })), assumptions: { requestLatency: '3ms', responseLatency: '5ms', sameStamp }, ...more,
  } as BacktestOptions & { parameters: ParameterConfig[] }
}
const printsOf = async (options: BacktestOptions & { parameters: ParameterConfig[] }): Promise<string[]> => (await runBacktest(options as never) as unknown as { fingerprint: string }[]).map(({ fingerprint }) => fingerprint)

test('both orders one after the other, each world alone and from cached days, have the fingerprints of each alone', async () => {
  const [trades, file] = [await printsOf(restless('trades')), await printsOf(restless('file'))]
  for (const [at, print] of trades.entries()) expect(print).not.toBe(file[at])
  const cache = folder.path
  for (const [sameStamp, wanted] of [['trades', trades], ['file', file], ['trades', trades]] as const) {
    const path = folder.write('test-TEST1-2026-07-01.txt.zst', '')
    writeFileSync(path, marketFile(DAY))
    const cached = { ...restless(sameStamp), data: [path], cache: `${cache}/kept` }
    expect(await printsOf(cached)).toEqual(await printsOf({ ...restless(sameStamp), data: [path] }))
    for (const [at, parameters] of repeated([...restless(sameStamp).parameters.entries()])) expect(await printsOf({ ...restless(sameStamp), parameters: [parameters] })).toEqual([wanted[at]])
  }
})

test('a run that goes on from a checkpoint between the lines of one stamp ends as an undisturbed one, and not in another order', async () => {
  const one = (sameStamp: SameStamp, more: object = {}): BacktestOptions & { parameters: ParameterConfig[] } => restless(sameStamp, { to: '00:00:09', ...more })
  const whole = await printsOf(one('trades'))
  let last: Checkpoint | null = null
  for (let everySteps = 1; everySteps < 400; everySteps += isNight ? 29 : 87) {
    let checkpoint: Checkpoint | null = null
    await runBacktest(one('trades', { checkpoints: { everySteps, take: (taken: Checkpoint) => {
      checkpoint = JSON.parse(JSON.stringify(taken)) as Checkpoint
      return false
    } } }) as never)
    if (checkpoint === null) break
    last = checkpoint
    expect(await printsOf(one('trades', { resume: checkpoint }))).toEqual(whole)
  }
  await expect(runBacktest(one('file', { resume: last }) as never)).rejects.toThrow(/assumptions\.sameStamp was "trades" when it was taken and is "file" now/)
})

test('a run says how many trade rows a book of an earlier stamp shows, and warns above 5 % of them', async () => {
  const shown = (timeNs: number): MarketLine[] => [top(10, timeNs), top(4, timeNs + MS), sell(6, timeNs + 2 * MS), top(4, timeNs + 3 * MS)]
  const of = async (lines: readonly MarketLine[]): Promise<unknown> => {
    const [result] = await plannedRun({ files: [[BOOK, ...lines]], plans: [PLAN] })
    return [result!.summary.markets[0]!.shownTrades, result!.summary.warnings.filter((text) => text.includes('trade rows'))]
  }
  const many = Array.from({ length: 20 }, (_, at) => [top(10, (20 + at) * S), sell(1, (20 + at) * S)]).flat()
  const warning = 'test:TEST1: a book line of an earlier exchange stamp shows 1 of 19 trade rows before they come: resting orders may fill too early'
  expect(await of([...shown(5 * S), ...many.slice(0, 36)])).toEqual([{ tradeRows: 19, shownBefore: 1 }, [warning]])
  expect(await of([...shown(5 * S), ...many.slice(0, 38)])).toEqual([{ tradeRows: 20, shownBefore: 1 }, []])
})

test('what a strategy receives is in the order of its file', async () => {
  let received: string[] = []
  class Listener extends Planned {
    override onInstrumentTrades(): void { received.push('trade') }
    override onInstrumentTopOfBook(): void { received.push(`top ${this.instrument.bestBid?.quantity.toString()}`) }
    override onInstrumentSnapshot(): void { received.push(`book ${this.instrument.bestBid?.quantity.toString()}`) }
  }
  const receivedIn = async (sameStamp: SameStamp): Promise<string[]> => {
    received = []
    await plannedRun({ files: [DAY], plans: [[]], options: { strategy: Listener, ...power(sameStamp) } })
    return received
  }
  const inFile = await receivedIn('file')
  expect(inFile.length).toBeGreaterThan(100)
  expect(await receivedIn('trades')).toEqual(inFile)
})

test('what is served is in the order of its file', { timeout: 60_000 }, async () => {
  const texts: string[][] = []
  for (const sameStamp of ['trades', 'file'] as const) {
    const accounts = { paper: { exchange: 'synthetic_swap', balances: { CASH: '1000' } } }
    const served = await serve({ data: [marketFile(DAY, { exchangeCode: 'synthetic_swap' })], day: '2026-07-01', from: '00:00', to: '00:01', assumptions: { sameStamp }, accounts })
    const reader = await served.reader()
    await served.post('resume')
    await reader.until(() => reader.texts.filter((text) => text.startsWith('[2,')).length >= 80 || reader.closeCode !== null)
    texts.push(reader.texts.filter((text) => /^\[[0126],/.test(text)))
  }
  expect(texts[0]!.length).toBeGreaterThan(150)
  expect(texts[0]).toEqual(texts[1])
})
