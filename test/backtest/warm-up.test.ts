import { Readable } from 'node:stream'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { ema } from '../../src/measures/indicators/indicators.js'
import { figuresOf, type Bar } from '../../src/measures/bars/bar.js'
import type { BarSpan } from '../../src/measures/bars/bar-span.js'
import type { BarOptions, BarSeries } from '../../src/strategy/bar-series.js'
import { Parameter } from '../../src/strategy/parameter.js'
import type { Order } from '../../src/strategy/order.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { MADE_EPOCH_DAY, MADE_MIDNIGHT_NS, marketDay, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { fewest } from '../support/repetitions.ts'
import { RunFolder } from '../support/run-folder.ts'

const S = 1_000_000_000
const DAY = 86_400 * S
const folder = new RunFolder()
afterAll(() => folder.remove())

type Decorate = (target: object, key: string) => void
type Wanted = readonly (readonly [span: BarSpan, options?: BarOptions])[]

/** Writes down every bar and what an indicator makes of them; and orders. */
class Warming extends Strategy {
  instrument!: TradingInstrument
  average = ema(3)
  static wanted: Wanted = []
  /** From when on an order follows each bar, epoch nanoseconds, and each bar of the warm-up; null: none does. */
  static ordersFrom: bigint | null = null
  static bars: unknown[] = []
  static states: unknown[] = []
  static lastTrades: string[] = []

  override onStart(): void {
    Object.assign(Warming, { bars: [], states: [], lastTrades: [] })
    for (const [span, options] of Warming.wanted) this.subscribeBars(this.instrument, span, options)
  }

  override onBar(bar: Bar, series: BarSeries): void {
    const { startNs: _, endNs: __, ...figures } = figuresOf(bar)
    this.average.next(bar.close)
    const { epochDay: ___, ...rest } = figures
    Warming.bars.push([String(series), bar.startTimestampNs, bar.endTimestampNs, rest, this.average.value])
    Warming.states.push([this.now(), this.warmingUp])
    if (Warming.ordersFrom !== null && (this.warmingUp || this.now() > Warming.ordersFrom)) Warming.states.push(this.order().discardReason)
  }

  override onInstrumentTrades(): void {
    Warming.lastTrades.push(`${this.warmingUp}`)
  }

  order(): Order {
    return this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('1'), price: this.instrument.price('90') })
  }
}
;(Parameter(TradingInstrument) as Decorate)(Warming.prototype, 'instrument')

type Options = Parameters<typeof runBacktest>[0]

function optionsOf(data: Options['data'], more: Partial<Options> = {}): Options {
  return { strategy: Warming, data, day: '2026-07-01', parameters: { instrument: 'TEST1' }, account: { balances: { CASH: '1000' } }, ...more }
}

const at = (timeNs: number): bigint => MADE_MIDNIGHT_NS + BigInt(timeNs)

/** All ends and begins of these lie on multiples of 20 ns. */
const SPANS: Wanted = [
  ['2ns'], ['5ns', { closeOn: 'event', empty: true }], ['10ns', { of: 'mid', empty: true }], ['20ns', { closeOn: 'event' }], ['4ns', { of: 'mid', closeOn: 'event' }],
  [{ trades: 2 }], [{ volume: '6' }], [{ imbalance: '3' }],
]

function warmed(wanted: Wanted, warmUp: string): Wanted {
  return wanted.map(([span, options]) => [span, { ...options, warmUp }])
}

async function barsOf(wanted: Wanted, options: Options): Promise<unknown[]> {
  Warming.wanted = wanted
  await runBacktest(options)
  return Warming.bars
}

describe('a warm-up', () => {
  test('gives the bars and indicators of a run that began so much earlier, the first of them before its first event', async () => {
    let past = 0
    const wanted = fc.shuffledSubarray([...SPANS], { minLength: 1 })
    const latency = fc.constantFrom('recorded', 'recorded+4ns', 'constant 6ns', 'uniform 0ns 9ns')
    await fc.assert(fc.asyncProperty(marketLines(true), wanted, fc.constantFrom(20, 40), latency, async (lines, chosen, beginNs, feedLatency) => {
      const file = marketFile(lines)
      const assumptions = { feedLatency }
      const early = await barsOf(chosen, optionsOf([file], { assumptions, from: at(beginNs - 20), to: at(200) }))
      const late = await barsOf(warmed(chosen, '20ns'), optionsOf([file], { assumptions, from: at(beginNs), to: at(200) }))
      expect(late).toEqual(early)
      const states = Warming.states as [bigint, boolean][]
      for (const [now, isWarmingUp] of states) expect(isWarmingUp ? now === at(beginNs) : now >= at(beginNs)).toBe(true)
      past += states.filter(([, isWarmingUp]) => isWarmingUp).length
    }), { numRuns: 60 })
    expect(past).toBeGreaterThan(fewest(60))
  }, 180_000)

  test('series of several lengths begin each at their own time, the one without a warm-up with the run', async () => {
    await fc.assert(fc.asyncProperty(marketLines(false), async (lines) => {
      const options = optionsOf([marketFile(lines)], { from: at(40), to: at(200) })
      const both = await barsOf([['10ns', { warmUp: '40ns' }], [{ trades: 2 }, { warmUp: '20ns' }], [{ trades: 2 }], ['2ns', { of: 'mid', warmUp: '20ns' }]], options)
      const titles = ['10ns of trades of TEST1', '2 trades of TEST1', '2ns of mid prices of TEST1']
      const own = [...await barsOf([['10ns', { warmUp: '40ns' }]], options), ...await barsOf([[{ trades: 2 }, { warmUp: '20ns' }]], options), ...await barsOf([[{ trades: 2 }]], options), ...await barsOf([['2ns', { of: 'mid', warmUp: '20ns' }]], options)]
      const sorted = (bars: unknown[]): string[] => bars.map((bar) => JSON.stringify((bar as unknown[]).slice(0, 4), (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).sort()
      expect(sorted(both)).toEqual(sorted(own))
      expect(new Set(both.map((bar) => (bar as string[])[0])).size).toBeLessThanOrEqual(titles.length)
    }), { numRuns: 30 })
  }, 180_000)

  test('leaves what a run is as it is: other sets, a checkpoint and a resumed run have the same fingerprint', async () => {
    class Several extends Warming {
      warmUpNs = 20
      override onStart(): void {
        if (this.warmUpNs > 0) this.subscribeBars(this.instrument, '5ns', { warmUp: `${this.warmUpNs}ns` })
        this.subscribeBars(this.instrument, { trades: 2 }, this.warmUpNs > 20 ? { warmUp: '10ns' } : {})
      }
      override onBar(bar: Bar): void {
        this.average.next(bar.close)
        this.log(`${String(bar.close)} ${bar.startNs} ${this.average.value}`)
      }
    }
    ;(Parameter(Number) as Decorate)(Several.prototype, 'warmUpNs')
    await fc.assert(fc.asyncProperty(marketLines(true), fc.integer({ min: 1, max: 40 }), async (lines, everySteps) => {
      const set = (warmUpNs: number): object => ({ instrument: 'TEST1', warmUpNs })
      const all = optionsOf([marketFile(lines)], { strategy: Several, from: at(40), to: at(200) })
      const alone = async (warmUpNs: number): Promise<string> => (await runBacktest({ ...all, parameters: set(warmUpNs) } as never) as unknown as { fingerprint: string }).fingerprint
      const sets = [set(20), set(0), set(33), set(20)]
      const prints = (await runBacktest({ ...all, parameters: sets as never })).map(({ fingerprint }) => fingerprint)
      const first = await alone(20)
      expect(prints).toEqual([first, await alone(0), await alone(33), first])
      let taken = ''
      await runBacktest({ ...all, parameters: sets as never, checkpoints: { everySteps, take: (checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } })
      if (taken === '') return
      const resumed = await runBacktest({ ...all, parameters: sets as never, resume: JSON.parse(taken) as Checkpoint })
      expect(resumed.map(({ fingerprint }) => fingerprint)).toEqual(prints)
    }), { numRuns: 40 })
  }, 180_000)

  test('refuses orders, writes nothing of them down, and the orders after it are those of a run without', async () => {
    const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, ...[1, 2, 3, 4, 5].map((second): MarketLine => ({ kind: 'trades', timeNs: second * S, rows: [[0, 101, 1]] }))]
    const journals: string[][] = []
    for (const options of [{ warmUp: '2s' }, {}]) {
      const journal: string[] = []
      Object.assign(Warming, { ordersFrom: at(3 * S), wanted: [['1s', options]] })
      const { summary, orders } = await runBacktest(optionsOf([marketFile(lines)], { from: at(3 * S), journal: () => ({ write: (line) => void journal.push(line) }) }))
      journals.push(journal)
      expect(orders.rowCount).toBe(2)
      expect(summary.warnings.filter((sentence) => /never sent|discarded/.test(sentence))).toEqual([])
      expect(Warming.states.filter((state) => state === 'WARMING_UP').length).toBe(options.warmUp === undefined ? 0 : 1)
    }
    Object.assign(Warming, { ordersFrom: null })
    expect(journals[0]).toEqual(journals[1])
  })

  test('holds the last trades of before the run where the strategy has a callback for them', async () => {
    class Looking extends Warming {
      static seen: string[] = []
      override onStart(): void { this.subscribeBars(this.instrument, '1s', { warmUp: '3s' }) }
      override onBar(): void { Looking.seen.push(this.instrument.getLastTrades().map(({ quantity }) => String(quantity)).join()) }
    }
    const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, ...[1, 2, 3, 4].map((second): MarketLine => ({ kind: 'trades', timeNs: second * S + 1, rows: [[0, 101, second]] }))]
    await runBacktest(optionsOf([marketFile(lines)], { strategy: Looking, from: at(4 * S), to: at(6 * S) }))
    expect(Looking.seen).toEqual(['1', '2', '3', '4'])
  })
})

/** A day of TEST1 with a trade each second from `fromS` to `toS`. */
function dayFile(day: number, fromS: number, toS: number): string {
  const path = join(folder.path, `test-TEST1-2026-07-0${day}.txt.zst`)
  const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: fromS * S, rows: [[0, 99, 5], [1, 101, 5]] }]
  for (let second = fromS; second < toS; second++) lines.push({ kind: 'trades', timeNs: second * S + 1, rows: [[0, 101, day]] }, { kind: 'update', timeNs: second * S + 2, rows: [[0, 99, second]] })
  writeFileSync(path, marketDay([{ lines }], { epochDay: MADE_EPOCH_DAY - 1 + day }))
  return path
}

describe('a warm-up over days', () => {
  const days = (): void => {
    dayFile(1, 86_000, 86_400)
    dayFile(2, 0, 86_400 / 400)
    dayFile(4, 0, 300)
  }
  const run = (more: Partial<Options>): Promise<{ summary: { warnings: readonly string[]; warmUp?: readonly object[] }, configuration: Readonly<Record<string, unknown>> }> =>
    runBacktest({ strategy: Warming, parameters: { instrument: 'TEST1' }, account: { balances: { CASH: '1000' } }, data: [`${folder.path}/*.zst`], ...more } as Options)

  test('reads files of days before the run that a pattern has, and names them in the result', async () => {
    days()
    Warming.wanted = [['1min', { warmUp: '3m' }]]
    const { summary, configuration } = await run({ from: '2026-07-02T00:01', to: '2026-07-02T00:03' })
    expect(Warming.bars.map((bar) => (bar as bigint[])[1])).toEqual([-120, -60, 0, 60].map((second) => at(DAY + second * S)))
    expect(summary.warmUp).toEqual([{ instrument: 'test:TEST1', since: '2026-07-01T23:58:00.000000000Z', firstEvent: '2026-07-01T23:58:00.000000001Z', days: ['2026-07-01'], holes: [] }])
    expect(configuration['warmUp']).toEqual([{ instrumentId: 1, since: '2026-07-01T23:58:00.000000000Z', days: ['2026-07-01'], files: [expect.stringMatching(/^[0-9a-f]{64}$/)] }])
    expect(summary.warnings.filter((sentence) => sentence.includes('warm-up'))).toEqual([])
  })

  test('finds them for days of an instrument too, however its first day is stated', async () => {
    days()
    Warming.wanted = [['1min', { warmUp: '3m' }]]
    const { summary } = await run({ data: [{ instrument: 'TEST1', from: '2026-07-02', to: '2026-07-02', in: folder.path }], from: '2026-07-02T00:01', to: '2026-07-02T00:03' })
    expect(summary.warmUp).toEqual([expect.objectContaining({ days: ['2026-07-01'], holes: [] })])
  })

  test.each([
    ['more than the data have', '2026-07-02T00:01', '10m', 'its data begin at 2026-07-01T23:53:20.000000000Z, not at 2026-07-01T23:51:00.000000000Z'],
    ['days without a file', '2026-07-04T00:01', '2d', 'no file of 2026-07-03'],
    ['no data at all', '2026-07-01T23:53:20', '1h', 'there are no data between 2026-07-01T22:53:00.000000000Z and 2026-07-01T23:53:20.000000000Z'],
  ])('says what is missing, and under strict it is an error: %s', async (_name, from, warmUp, hole) => {
    days()
    Warming.wanted = [['1min', { warmUp }]]
    const { summary } = await run({ from })
    expect(summary.warnings).toContainEqual(expect.stringContaining(hole))
    await expect(run({ from, strict: true })).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('Cannot warm up with test:TEST1: ') as string })
  })
})

describe('a warm-up that cannot be', () => {
  const lines: MarketLine[] = [{ kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] }, { kind: 'trades', timeNs: 9 * S, rows: [[0, 101, 1]] }]
  const file = marketFile(lines)
  const tried = (warmUp: unknown, data: Options['data'] = [file]): Promise<unknown> => {
    Warming.wanted = [['1s', { warmUp } as BarOptions]]
    return runBacktest(optionsOf(data, { from: at(5 * S) }))
  }

  test.each([['15', 'warmUp must be a duration such as 10ms, 30s or 1h'], ['10 s', 'write 10s'], [15, 'warmUp must be a duration such as 15m, found 15'], ['0s', 'a duration from 1ns to 30d'], ['31d', 'a duration from 1ns to 30d']])('is refused: %s', async (warmUp, words) => {
    await expect(tried(warmUp)).rejects.toThrow(words)
  })

  test('is refused of data that can be read once', async () => {
    await expect(tried('1s', [Readable.from([file])])).rejects.toThrow('Cannot play a warm-up: data[0] is a stream, and a warm-up reads its data twice; name files')
  })

  test('is refused behind onStart', async () => {
    class Late extends Warming {
      override onInstrumentTrades(): void { this.subscribeBars(this.instrument, '1s', { warmUp: '1s' }) }
    }
    Warming.wanted = []
    await expect(runBacktest(optionsOf([file], { strategy: Late }))).rejects.toThrow('warmUp must be left out behind onStart: only bars of onStart have one, found 1s')
  })
})
