import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Integer, Parameter } from '../../src/strategy/parameter.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import type { MarketDataState } from '../../src/venue/venue.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { isNight } from '../support/repetitions.ts'

type Decorate = (target: object, key: string) => void

/** Every so many nanoseconds it subscribes, trades and lets go of another instrument. */
class Wanderer extends Strategy {
  own!: DataInstrument
  stepNs = 10
  next = 0
  current: TradingInstrument | null = null

  override onStart(): void {
    this.every(this.stepNs / 1e6, () => { this.step() })
  }

  step(): void {
    if (this.current !== null) this.unsubscribeInstrument(this.current)
    const number = this.next++ % 4
    if (number === 3) this.current = null
    else this.current = this.subscribeTradingInstrument(number === 2 ? 'TEST9' : `TEST${number + 2}`)
  }

  override onMarketDataState(instrument: DataInstrument, state: MarketDataState, text: string): void {
    this.log(`${this.nowNs()} ${instrument.code} ${state} ${text}`.trim())
  }

  override onInstrumentTopOfBook(instrument: DataInstrument): void {
    this.log(`${this.nowNs()} ${instrument.code} ${instrument.bestBid?.price.toString() ?? '-'}`)
    if (instrument !== this.current || instrument.bestBid === null) return
    this.current.placeOrder({ side: 'BID', quantity: instrument.quantity('1'), price: instrument.bestBid.price })
  }

  override saveState(): unknown {
    return { next: this.next, current: this.current?.code ?? null }
  }

  override restoreState(state: unknown): void {
    const { next, current } = state as { next: number, current: string | null }
    this.next = next
    this.current = current === null ? null : this.subscribeTradingInstrument(current)
  }
}
;(Parameter(DataInstrument) as Decorate)(Wanderer.prototype, 'own')
;(Parameter(Integer, { optional: true }) as Decorate)(Wanderer.prototype, 'stepNs')
class Owner extends Wanderer {
  account!: TradingInstrument
}
;(Parameter(TradingInstrument) as Decorate)(Owner.prototype, 'account')

const book = (timeNs: number, bid: number): MarketLine => ({ kind: 'snapshot', timeNs, rows: [[0, bid, 5], [1, bid + 2, 5]] })
const bid = (timeNs: number, price: number, quantity: number): MarketLine => ({ kind: 'update', timeNs, rows: [[0, price, quantity]] })
const ONE = [book(0, 99), bid(30, 99, 3)]
const TWO = [book(2, 50), bid(12, 51, 1), { kind: 'trades', timeNs: 14, rows: [[1, 50, 9]] } as const, bid(31, 51, 2), bid(52, 50, 7)]
const THREE = [book(24, 70), bid(27, 71, 1), bid(66, 71, 4)]

function optionsOf(steps: readonly number[], more: Partial<BacktestOptions> = {}): BacktestOptions & { parameters: ParameterConfig[] } {
  return {
    strategy: Owner, data: [marketFile(ONE, { id: 1 }), marketFile(TWO, { id: 2 }), marketFile(THREE, { id: 3 })], day: '2026-07-01', to: 1_782_864_000_000_000_120n,
    parameters: steps.map((stepNs) => ({ own: 'TEST1', account: 'TEST1', stepNs })), account: { balances: { CASH: '1000' } }, assumptions: { requestLatency: '3ns', responseLatency: '5ns' }, ...more,
  } as BacktestOptions & { parameters: ParameterConfig[] }
}

async function played(options: BacktestOptions & { parameters: ParameterConfig[] }): Promise<{ readonly fingerprints: string[], readonly journals: string[][], readonly logs: string[][] }> {
  const journals: string[][] = options.parameters.map(() => [])
  const results = await runBacktest({ ...options, journal: (world) => ({ write: (line) => void journals[world]!.push(line) }) })
  const logs = journals.map((lines) => lines.join('\n').split('\n').filter((line) => line.includes('"kind":"log"')).map((line) => (JSON.parse(line) as { text: string }).text))
  return { fingerprints: results.map(({ fingerprint }) => fingerprint), journals, logs }
}

describe('dynamic instruments in a backtest', () => {
  test('states and prices of one that wanders', async () => {
    const { logs: [log] } = await played(optionsOf([10]))
    expect(log!.filter((words) => !words.includes('TEST1'))).toEqual([
      '10 TEST2 PENDING', '10 TEST2 READY', '10 TEST2 50', '12 TEST2 51', '20 TEST2 GONE instrument unsubscribed',
      '20 TEST3 PENDING', '24 TEST3 READY', '24 TEST3 70', '27 TEST3 71', '30 TEST3 GONE instrument unsubscribed',
      '30 TEST9 PENDING', '30 TEST9 FAILED instrument not available on this endpoint',
      '50 TEST2 PENDING', '50 TEST2 READY', '50 TEST2 51', '60 TEST2 GONE instrument unsubscribed',
      '60 TEST3 PENDING', '60 TEST3 READY', '60 TEST3 71', '66 TEST3 71', '70 TEST3 GONE instrument unsubscribed',
      '70 TEST9 PENDING', '70 TEST9 FAILED instrument not available on this endpoint',
      '90 TEST2 PENDING', '90 TEST2 READY', '90 TEST2 51', '100 TEST2 GONE instrument unsubscribed',
      '100 TEST3 PENDING', '100 TEST3 READY', '100 TEST3 71', '110 TEST3 GONE instrument unsubscribed',
      '110 TEST9 PENDING', '110 TEST9 FAILED instrument not available on this endpoint',
    ])
  })

  test('a world is the same alone and beside others that subscribe the same instruments', async () => {
    const steps = [10, 7, 10, 13, 5]
    const together = await played(optionsOf(steps))
    for (const [at, stepNs] of steps.entries()) {
      const alone = await played(optionsOf([stepNs]))
      expect([alone.journals[0], alone.fingerprints[0]]).toEqual([together.journals[at], together.fingerprints[at]])
    }
  })

  test('from a checkpoint at any step it ends the same', async () => {
    const options = optionsOf([10, 7])
    const { fingerprints } = await played(options)
    for (let everySteps = 1; everySteps < 80; everySteps += isNight ? 1 : 9) {
      let text = ''
      await runBacktest({ ...options, checkpoints: { everySteps, take: (checkpoint) => {
        text = JSON.stringify(checkpoint)
        return false
      } } })
      if (text === '') break
      const rest = await runBacktest({ ...options, resume: JSON.parse(text) as Checkpoint })
      expect([everySteps, rest.map(({ fingerprint }) => fingerprint)]).toEqual([everySteps, fingerprints])
    }
  })

  test('a contract that ends is GONE', async () => {
    const data = [marketFile(ONE, { id: 1 }), marketFile(TWO, { id: 2, type: 'future', expiry: '2026-07-01T00:00:00.000000015Z' }), marketFile(THREE, { id: 3 })]
    const { logs: [log], journals: [journal] } = await played(optionsOf([10], { data }))
    const two = log!.filter((words) => words.includes('TEST2'))
    expect(two).toEqual(['10 TEST2 PENDING', '10 TEST2 READY', '10 TEST2 50', '12 TEST2 51', '15 TEST2 GONE the contract has ended', '50 TEST2 PENDING', '50 TEST2 FAILED the contract has ended', '90 TEST2 PENDING', '90 TEST2 FAILED the contract has ended'])
    const states = journal!.join('\n').split('\n').filter((line) => line.includes('"kind":"state"') && line.includes('"instrumentId":2')).map((line) => (JSON.parse(line) as { state: string }).state)
    expect(states.slice(0, 4)).toEqual(['PENDING', 'READY', 'GONE', 'PENDING'])
  })
})
