import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { timeLimitMs } from '../support/time-limit.ts'

const S = 1_000_000_000
const BOOK = { kind: 'snapshot', rows: [[0, 99, 10], [1, 101, 10]] } as const
type Decorate = (target: object, key: string) => void

/** Buys at the ask after two seconds and bids far below; hears no line. */
class Quiet extends Strategy {
  instrument!: TradingInstrument
  /** Asked for, and left alone. */
  other: TradingInstrument | undefined
  wakes: boolean = false

  override onStart(): void {
    this.after(2_000, () => this.buy(), { name: 'buy' })
    if (this.wakes) this.every(1_000, () => undefined, { name: 'wake' })
  }

  buy(): void {
    const { instrument } = this
    instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('5'), price: instrument.price('101'), timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
    instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('5'), price: instrument.price('50') })
  }
}

class Hearing extends Quiet {
  override onInstrumentMarkPrice(): void {}
}

/** Places one order, its first, so many seconds after midnight. */
class Late extends Quiet {
  at: string | undefined
  price: string | undefined

  override onStart(): void {
    if (this.at !== undefined) this.after(Number(this.at) * 1_000, () => this.buy(), { name: 'buy' })
  }

  override buy(): void {
    const { instrument } = this
    instrument.placeOrder({ side: 'BID', quantity: instrument.quantity('5'), price: instrument.price(this.price ?? '50'), postOnly: false })
  }
}

for (const key of ['at', 'price']) (Parameter(String, { optional: true }) as Decorate)(Late.prototype, key)
for (const { prototype } of [Quiet, Hearing, Late]) {
  const [instrument, other, wakes] = [Parameter(TradingInstrument), Parameter(TradingInstrument, { optional: true }), Parameter(Boolean, { optional: true })] as Decorate[]
  instrument?.(prototype, 'instrument')
  other?.(prototype, 'other')
  wakes?.(prototype, 'wakes')
}

/** A mark each second up to 19 s, sight lost at 20 s; the file goes on: sight comes back, a trade through the bid that rests. */
const MARKED: MarketLine[] = [
  { ...BOOK, timeNs: S }, { kind: 'mark', timeNs: 1.5 * S, value: 100 }, ...Array.from({ length: 17 }, (_, at): MarketLine => ({ kind: 'mark', timeNs: (3 + at) * S, value: 103 + at })),
  { kind: 'ERROR', timeNs: 20 * S }, { kind: 'mark', timeNs: 21 * S, value: 300 }, { ...BOOK, timeNs: 22 * S }, { kind: 'trades', timeNs: 23 * S, rows: [[1, 40, 50]] }, { ...BOOK, timeNs: 28 * S },
]
const WHOLE: MarketLine[] = [{ ...BOOK, timeNs: S }, { ...BOOK, timeNs: 24 * S }]
const data = [marketFile(MARKED), marketFile(WHOLE, { id: 2 })]
const options: BacktestOptions = { strategy: Quiet, data, day: '2026-07-01', to: MADE_MIDNIGHT_NS + 30n * BigInt(S), account: { balances: { CASH: '1000' } }, assumptions: { gaps: 'halt' } }

/** Everything of a result but what is told of when it ended. */
const told = ({ fingerprint, summary, equity, fills, orders }: BacktestResult): string => JSON.stringify([fingerprint, summary, equity.rows, fills.rows, orders.rows], (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

async function firstOf(strategy: typeof Quiet, parameters: readonly object[]): Promise<BacktestResult> {
  return (await runBacktest({ ...options, strategy, parameters: parameters as { instrument: string }[] }))[0]!
}

describe('a world that a gap halts', () => {
  const one = { instrument: 'TEST1' }

  test.each([
    ['alone', Quiet, [one]], ['which wakes each second', Quiet, [{ ...one, wakes: true }]], ['beside one that wakes each second', Quiet, [one, { ...one, wakes: true }]],
    ['which hears marks', Hearing, [one]], ['which hears marks, beside one that plays on', Hearing, [one, { instrument: 'TEST2' }]], ['beside one that plays on', Quiet, [one, { instrument: 'TEST2', wakes: true }]],
  ] as const)('is valued by what was heard until then: %s', async (_name, strategy, parameters) => {
    const { summary, equity } = await firstOf(strategy, parameters)
    // 5 from 101 to 119.
    expect([equity.rows.at(-1)?.equity, summary.instruments[0]?.markPrice, summary.instruments[0]?.unrealizedPnl]).toEqual(['1090', '119', '90'])
    expect(summary.markets).toMatchObject([{ instrumentId: 1, firstEvent: '2026-07-01T00:00:01.000000000Z', lastEvent: '2026-07-01T00:00:19.000000000Z', bookUnknownCount: 1, bookUnknownNs: 19 * S }])
  })

  test('is told of as if it were alone, whatever its siblings do', async () => {
    const alone = told(await firstOf(Quiet, [one]))
    for (const sibling of [one, { ...one, wakes: true }, { instrument: 'TEST2' }, { instrument: 'TEST2', wakes: true }]) expect(told(await firstOf(Quiet, [one, sibling]))).toBe(alone)
  })

  test('is told of as if it were alone where all its markets are lost at one instant, watched by others or not', async () => {
    const both = { ...options, data: [data[0]!, marketFile(MARKED, { id: 2 })] }
    for (const halted of [{ instrument: 'TEST1', other: 'TEST2' }, { instrument: 'TEST2', other: 'TEST1' }]) {
      const results = await Promise.all([[], [one], [{ instrument: 'TEST2' }], [{ instrument: 'TEST2', wakes: true }, one]].map((siblings) => runBacktest({ ...both, parameters: [halted, ...siblings] })))
      const [alone, ...others] = results.map(([first]) => told(first!))
      expect(results[0]![0]!.summary.markets.map(({ bookUnknownCount }) => bookUnknownCount)).toEqual(halted.other === 'TEST2' ? [1, 0] : [0, 1])
      for (const other of others) expect(other).toBe(alone)
    }
  })

  test('knows what happened in its other markets at the instant of the order that halts it, as that comes before requests (exchange rules 1.3)', async () => {
    const blindAt = (timeNs: number): Uint8Array => marketFile([{ ...BOOK, timeNs: S }, { kind: 'ERROR', timeNs }, { ...BOOK, timeNs: 29 * S }], { id: 2 })
    // Sent at 20.99 s, ten milliseconds on its way.
    const halted = { instrument: 'TEST1', other: 'TEST2', at: '20.99' }
    const countsOf = async (timeNs: number, siblings: readonly object[] = []): Promise<unknown> => {
      const [first] = await runBacktest({ ...options, strategy: Late, data: [data[0]!, blindAt(timeNs)], parameters: [halted, ...siblings] as { instrument: string }[] })
      return [first!.summary.halt?.time, first!.summary.markets.map(({ bookUnknownCount }) => bookUnknownCount)]
    }
    for (const [timeNs, count] of [[21 * S - 1, 1], [21 * S, 1], [21 * S + 1, 0]] as const) {
      expect(await countsOf(timeNs)).toEqual(['2026-07-01T00:00:21.000000000Z', [1, count]])
      expect(await countsOf(timeNs, [{ instrument: 'TEST2', at: '2' }])).toEqual(['2026-07-01T00:00:21.000000000Z', [1, count]])
    }
  })

  test.each([10, 21, 25])('stays halted where a checkpoint takes it up again: after %i s', async (seconds) => {
    const both = { ...options, parameters: [one, { instrument: 'TEST2', wakes: true }] }
    const whole = await runBacktest(both)
    expect([whole[0]!.summary.fillCount, whole[0]!.orders.rows.map(({ state }) => state)]).toEqual([1, ['FILLED', 'CONFIRMED']])
    let text = ''
    await runBacktest({ ...both, checkpoints: { every: `${seconds}s`, take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    const resumed = await runBacktest({ ...both, resume: JSON.parse(text) as Checkpoint })
    expect(resumed.map(told)).toEqual(whole.map(told))
  })

  test.each([
    ['a bid that would rest', '50'], ['an order that would take', '101'],
  ])('ends where its first order comes into a gap that is already there: %s', async (_what, price) => {
    const late = (at: string): object => ({ instrument: 'TEST1', at, price })
    const [late1, inTime, before, other] = await Promise.all([[late('21.5')], [late('25')], [late('0.5')], [late('21.5'), { instrument: 'TEST1' }]].map((parameters) => firstOf(Late, parameters)))
    expect([late1!.summary.halt, late1!.isPartial, late1!.summary.fillCount]).toEqual([{ instrument: 'test:TEST1', time: '2026-07-01T00:00:21.510000000Z', reason: 'error' }, true, 0])
    expect(late1!.summary.markets).toMatchObject([{ lastEvent: '2026-07-01T00:00:21.000000000Z', bookUnknownCount: 1, bookUnknownNs: 20.51 * S }])
    // Sight has come back, or there has been none yet: no gap ends those.
    for (const whole of [inTime!, before!]) expect([whole.summary.halt === null || whole.summary.halt.time, whole.isPartial]).toEqual(whole === inTime ? [true, false] : ['2026-07-01T00:00:20.000000000Z', true])
    expect(told(other!)).toBe(told(late1!))
  })

  test('of any market and with any sibling is told of as if it were alone, and as if no checkpoint had been taken', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), marketLines(true), fc.nat(999), fc.nat(999), fc.integer({ min: 1, max: 90 }), async (first, second, seed, other, everySteps) => {
      const random: BacktestOptions = {
        ...options, strategy: RestlessStrategy, data: [marketFile(first), marketFile(second, { id: 2 })], to: MADE_MIDNIGHT_NS + 200n, assumptions: { gaps: 'halt', requestLatency: '3ns', responseLatency: '5ns' },
      }
      const [mine, theirs] = [{ instrument: 'TEST1', seed, wakeNs: 7 }, { instrument: 'TEST2', seed: other, wakeNs: 5 }]
      const [alone] = await runBacktest({ ...random, parameters: [mine] })
      const both = await runBacktest({ ...random, parameters: [mine, theirs] })
      expect(told(both[0]!)).toBe(told(alone!))
      let text: string | null = null
      await runBacktest({ ...random, parameters: [mine, theirs], checkpoints: { everySteps, take: (checkpoint) => {
        text = JSON.stringify(checkpoint)
        return false
      } } })
      if (text === null) return
      const resumed = await runBacktest({ ...random, parameters: [mine, theirs], resume: JSON.parse(text) as Checkpoint })
      expect(resumed.map(told)).toEqual(both.map(told))
    }), { numRuns: 60 })
  }, timeLimitMs(120_000))
})
