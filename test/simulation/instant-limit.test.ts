import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Integer, Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketFile } from '../support/made-market-file.ts'
import { isNight, repeated } from '../support/repetitions.ts'

const BOOK = { kind: 'snapshot', rows: [[0, 100, 5], [1, 102, 5]] } as const
const data = [marketFile([{ ...BOOK, timeNs: 0 }, { ...BOOK, timeNs: 9_000_000 }])]

/** Timers set long before for one instant, and there a chain: each link made by the one before it. */
class Busy extends Strategy {
  instrument!: TradingInstrument
  timers: number = 0
  links: number = 0
  /** 0: the chain goes by timers; 1: by orders that end at once. */
  byOrders: number = 0
  left: number = 0

  override onStart(): void {
    this.left = this.links
    for (let i = 0; i < this.timers; i++) this.after(3, () => undefined)
    this.after(3, () => this.next(), { name: 'first' })
    for (let i = 0; this.resuming && i < 2; i++) this.after(0, () => this.next(), { name: `link ${i}` })
  }

  override onOrderUpdate(order: { readonly isOpen: boolean }): void {
    if (!order.isOpen) this.next()
  }

  override saveState(): number {
    return this.left
  }

  override restoreState(left: unknown): void {
    this.left = left as number
  }

  next(): void {
    if (this.left-- <= 0) return
    if (this.byOrders === 0) this.after(0, () => this.next(), { name: `link ${this.left % 2}` })
    else this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('1'), price: this.instrument.price('90'), timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false })
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(TradingInstrument) as Decorate)(Busy.prototype, 'instrument')
for (const key of ['timers', 'links', 'byOrders']) (Parameter(Integer, { optional: true }) as Decorate)(Busy.prototype, key)

const options: BacktestOptions = { strategy: Busy, data, day: '2026-07-01', to: '00:00:00.010', assumptions: { requestLatency: '0ns', responseLatency: '0ns' }, tables: 'none' }

async function endsOf(parameters: readonly object[], more: Partial<BacktestOptions> = {}): Promise<string[] | string> {
  const sets = parameters.map((set) => ({ instrument: 'TEST1', ...set }))
  return runBacktest({ ...options, ...more, parameters: sets }).then((results) => results.map(({ journalDigest }) => journalDigest), (error: unknown) => (error as Error).message)
}

const endless = (who: string): string =>
  `Cannot go on with ${who} at 2026-07-01T00:00:00.003000000Z: more than 100000 things happened at this one instant; does the strategy answer itself without end?`

describe('the most that a world may do at one instant', () => {
  test('is its own: a hundred parameter sets with 1,001 timers each at one instant run as one does', async () => {
    const alone = await endsOf([{ timers: 1001 }])
    expect(await endsOf(Array.from({ length: 100 }, () => ({ timers: 1001 })))).toEqual(Array.from({ length: 100 }, () => alone[0]))
  }, 180_000)

  test('is not that of timers that were set before', async () => {
    expect(await endsOf([{ timers: 120_000 }])).toHaveLength(1)
  }, 180_000)

  test('counts what a world sets for the very instant, and siblings take none of it', async () => {
    const most = await endsOf([{ links: 100_000 }])
    expect(most).toHaveLength(1)
    expect(await endsOf([{ links: 100_000 }, { links: 1 }, { links: 100_000 }])).toEqual([most[0], (await endsOf([{ links: 1 }]))[0], most[0]])
    expect(await endsOf([{ links: 100_001 }])).toBe(endless('Busy'))
    expect(await endsOf([{ links: 7 }, { links: 100_001 }, { links: 7 }])).toBe(endless('Busy of parameters[1]'))
  }, 180_000)

  test('counts requests and answers', async () => {
    expect(await endsOf([{ links: 10 }, { links: 1_000_000, byOrders: 1 }])).toBe(endless('Busy of parameters[1]'))
    if (isNight) expect(await endsOf([{ links: 9000, byOrders: 1 }, { links: 9000, byOrders: 1 }, { links: 9000, byOrders: 1 }])).toHaveLength(3)
  }, 180_000)

  test.each(repeated([100_000, 100_001]))('is the same of a run of %i links that goes on from a checkpoint in the middle of the instant', async (links) => {
    const taken: Checkpoint[] = []
    const straight = await endsOf([{ links }])
    const take = (checkpoint: Checkpoint): boolean => taken.push(checkpoint) === 0
    expect(await endsOf([{ links }], { checkpoints: { everySteps: 60_000, take } })).toHaveLength(1)
    expect(await endsOf([{ links }], { resume: taken[0]! })).toEqual(straight)
  }, 180_000)
})
