import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { List, Parameter, Integer } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'

/** Orders that a strategy places by the clock: instrument, side, price, quantity, when, whether it takes. */
type Step = readonly [instrument: number, isBid: number, price: number, quantity: number, atNs: number, isTaker: number]

class Scripted extends Strategy {
  instruments!: TradingInstrument[]
  steps: number[] = []

  override onStart(): void {
    for (let i = 0; i < this.steps.length; i += 6) {
      const [instrument, isBid, price, quantity, atNs, isTaker] = this.steps.slice(i, i + 6) as unknown as Step
      const on = this.instruments[instrument % this.instruments.length]!
      this.after(atNs / 1e6, () => {
        on.placeOrder({ side: isBid === 1 ? 'BID' : 'ASK', price: on.price(String(price)), quantity: on.quantity(String(quantity)), postOnly: false, timeInForce: isTaker === 1 ? 'IMMEDIATE_OR_CANCEL' : 'GOOD_TILL_CANCEL' })
      }, { name: `step ${i}` })
    }
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(List(TradingInstrument)) as Decorate)(Scripted.prototype, 'instruments')
;(Parameter(List(Integer)) as Decorate)(Scripted.prototype, 'steps')

async function journalsOf(files: readonly (readonly MarketLine[])[], worlds: readonly { readonly instruments: readonly number[], readonly steps: readonly Step[] }[], assumptions: object): Promise<string[]> {
  const lines: string[][] = worlds.map(() => [])
  await runBacktest({
    strategy: Scripted,
    data: files.map((file, at) => marketFile(file, { id: at + 1 })),
    day: '2026-07-01',
    parameters: worlds.map(({ instruments, steps }) => ({ instruments: instruments.map((id) => `TEST${id}`), steps: steps.flat() })),
    account: { balances: { CASH: '1000' }, fees: { maker: '0.0001', taker: '0.0002' } },
    assumptions,
    journal: (world) => ({ write: (line) => void lines[world]!.push(line) }),
  })
  return lines.map((world) => world.join('\n'))
}

const step = fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 1 }), fc.integer({ min: 97, max: 103 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 }), fc.constantFrom(0, 0, 0, 1)) as fc.Arbitrary<Step>
const steps = fc.array(step, { minLength: 1, maxLength: 8 })
const assumptions = fc.record({ requestLatency: fc.constantFrom('0ns', '3ns', '10ns'), responseLatency: fc.constantFrom('0ns', '5ns') })

/** Few instants, so that instruments meet at them, and heard later: the exchange then runs ahead of the client. */
function coarse(lines: readonly MarketLine[], laterNs = 1000): MarketLine[] {
  return lines.map((line) => ({ ...line, timeNs: Math.ceil(line.timeNs / 10) * 10, adapterTimeNs: Math.ceil(line.timeNs / 10) * 10 + laterNs }))
}

describe('worlds of one pass', () => {
  test('items of one instant go by instrument id, though another world looks at a third instrument in between (rule 1.3)', async () => {
    const book = { kind: 'snapshot', timeNs: 0, rows: [[0, 100, 1], [1, 110, 1]] } as const
    const sale = { kind: 'trades', timeNs: 40, rows: [[1, 99, 9]] } as const
    const first: MarketLine[] = [book, sale]
    const second: MarketLine[] = [book, { kind: 'update', timeNs: 20, rows: [[0, 98, 1]] }, sale]
    const third: MarketLine[] = [book, { kind: 'update', timeNs: 30, rows: [[0, 98, 1]] }]
    const mine = { instruments: [1, 2], steps: [[0, 1, 101, 1, 2, 0], [1, 1, 101, 1, 2, 0]] as Step[] }
    const delays = { requestLatency: '1ns', responseLatency: '1ns' }
    const [alone] = await journalsOf([coarse(first), coarse(second)], [mine], delays)
    const [together] = await journalsOf([coarse(first), coarse(second), coarse(third)], [mine, { instruments: [3], steps: [[0, 1, 101, 1, 2, 0]] }], delays)
    const filled = (journal: string): unknown[] => journal.split('\n').filter((line) => line.includes('"kind":"fill"')).map((line) => (JSON.parse(line) as { fills: { instrumentId: number }[] }).fills[0]!.instrumentId)
    expect(filled(alone!)).toEqual([1, 2])
    expect(together).toBe(alone)
  })

  test('each journal is that of a run alone, whoever else trades, and whatever other instruments are there', async () => {
    await fc.assert(fc.asyncProperty(marketLines(true), marketLines(true), marketLines(true), steps, steps, steps, assumptions, fc.constantFrom(0, 35, 1000), async (first, second, third, one, two, three, delays, laterNs) => {
      const mine = { instruments: [1, 2], steps: one }
      const [alone] = await journalsOf([coarse(first, laterNs), coarse(second, laterNs)], [mine], delays)
      const [together] = await journalsOf([coarse(first, laterNs), coarse(second, laterNs), third], [mine, { instruments: [2, 3], steps: two }, { instruments: [3, 1], steps: three }], delays)
      expect(together).toBe(alone)
    }), { numRuns: 40 })
  })
})
