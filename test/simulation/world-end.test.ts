import { describe, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { List, Parameter, TwoSides } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import type { BacktestResult } from '../../src/results/backtest-result.js'

const S = 1_000_000_000
const BOOK = { kind: 'snapshot', rows: [[0, 99, 10], [1, 101, 10]] } as const
type Decorate = (target: object, key: string) => void

class Legs {
  far: DataInstrument | undefined
}
;(Parameter(DataInstrument, { optional: true }) as Decorate)(Legs.prototype, 'far')

/** Wakes each half a second and says so. */
class Waking extends Strategy {
  instrument: DataInstrument | undefined
  others: DataInstrument[] | undefined
  sides: { bid: DataInstrument; ask: DataInstrument } | undefined
  legs: Legs | undefined
  subscribes: string | undefined

  override onStart(): void {
    this.every(500, () => { this.log('wakes') }, { name: 'wake' })
    const { subscribes } = this
    if (subscribes !== undefined) this.after(1_000, () => { this.subscribeInstrument(subscribes) }, { name: 'subscribe' })
  }
}
for (const [key, type] of [['instrument', DataInstrument], ['others', List(DataInstrument)], ['sides', TwoSides(DataInstrument)], ['legs', Legs], ['subscribes', String]] as const) {
  (Parameter(type as typeof DataInstrument, { optional: true }) as Decorate)(Waking.prototype, key)
}

/** A book at 1 s and one at `endS`. */
const file = (id: number, endS: number, more: readonly MarketLine[] = []): Uint8Array => marketFile([{ ...BOOK, timeNs: S }, ...more, { ...BOOK, timeNs: endS * S }], { id })
const DATA = [file(1, 10), file(2, 20), file(3, 30)]
const OPTIONS: BacktestOptions = { strategy: Waking, data: DATA, day: '2026-07-01' }

interface Played {
  readonly result: BacktestResult
  readonly journal: readonly string[]
}

async function play(parameters: readonly object[], options: Partial<BacktestOptions> = {}): Promise<Played[]> {
  const journals: string[][] = parameters.map(() => [])
  const results = await runBacktest({
    ...OPTIONS, ...options, parameters: parameters as Record<string, unknown>[], journal: (number) => ({ write: (line) => void journals[number]?.push(line) }),
  })
  return results.map((result, number) => ({ result, journal: journals[number] ?? [] }))
}

const secondsOf = (text: string): number => (Date.parse(text) - Date.parse('2026-07-01T00:00:00Z')) / 1000
const lastWake = ({ journal }: Played): number => {
  const wakes = journal.map((line) => JSON.parse(line) as { time: string; text?: string }).filter(({ text }) => text === 'wakes')
  return Number(BigInt(wakes.at(-1)?.time ?? '0') - MADE_MIDNIGHT_NS) / S
}

describe('the end of a world (exchange rules 1.6)', () => {
  test.each<readonly [string, object, number]>([
    ['of one instrument', { instrument: 'TEST1' }, 10],
    ['of another one', { instrument: 'TEST2' }, 20],
    ['of a list: the last of them', { others: ['TEST1', 'TEST2'] }, 20],
    ['of two sides', { sides: { bid: 'TEST2', ask: 'TEST1' } }, 20],
    ['of a nested class', { instrument: 'TEST1', legs: { far: 'TEST3' } }, 30],
    ['of all files where no parameter names one', {}, 30],
    ['and an instrument that is subscribed later does not move it', { instrument: 'TEST1', subscribes: 'TEST3' }, 10],
  ])('is the last event of its instruments: %s', async (_what, parameters, endS) => {
    const [played] = await play([parameters])
    const { summary, isPartial } = played!.result
    expect([secondsOf(summary.end), isPartial]).toEqual([endS, false])
    // The timer of the last instant still fires, none behind it.
    expect(lastWake(played!)).toBe(endS)
    expect(summary.stop).toBeNull()
  })

  test('is the time of receiving, not the exchange\'s', async () => {
    const [played] = await play([{ instrument: 'TEST1' }], { assumptions: { feedLatency: 'recorded+500ms' } })
    expect([secondsOf(played!.result.summary.end), lastWake(played!)]).toEqual([10.5, 10.5])
  })

  test('is `to` where that is given, also behind the last event', async () => {
    for (const [to, endS, wakeS] of [['00:00:25', 25, 24.5], ['00:00:05', 5, 4.5], ['24:00', 86_400, 86_399.5]] as const) {
      const [played] = await play([{ instrument: 'TEST1' }], { to })
      expect([secondsOf(played!.result.summary.end), lastWake(played!)]).toEqual([endS, wakeS])
    }
  })

  test.each(['day', 'none'] as const)('is not moved by an idle file that ends an hour later: trim %s', async (trim) => {
    const idle = marketFile([{ ...BOOK, timeNs: S }, { kind: 'trades', timeNs: 3610 * S, rows: [[0, 99, 1]] }], { id: 9 })
    const [alone] = await play([{ instrument: 'TEST1' }], { data: [DATA[0]!], trim })
    for (const data of [[DATA[0]!, idle], [idle, DATA[0]!]]) {
      const [beside] = await play([{ instrument: 'TEST1' }], { data, trim })
      expect(beside!.journal).toEqual(alone!.journal)
      expect(beside!.result.fingerprint).toBe(alone!.result.fingerprint)
      expect(JSON.stringify(beside!.result.summary)).toBe(JSON.stringify(alone!.result.summary))
    }
  })

  test('is of each world its own: in one pass they equal runs alone', async () => {
    const sets = [{ instrument: 'TEST2' }, { instrument: 'TEST1' }, { instrument: 'TEST3' }, {}]
    const together = await play(sets)
    expect(together.map(({ result }) => secondsOf(result.summary.end))).toEqual([20, 10, 30, 30])
    for (const [number, set] of sets.entries()) {
      const [alone] = await play([set])
      expect(together[number]!.journal).toEqual(alone!.journal)
      expect([together[number]!.result.fingerprint, JSON.stringify(together[number]!.result.summary)]).toEqual([alone!.result.fingerprint, JSON.stringify(alone!.result.summary)])
    }
  })

  test.each([5, 10, 15])('is the same where a checkpoint resumes, before it and behind that of a sibling: after %i s', async (seconds) => {
    const sets = [{ instrument: 'TEST1' }, { instrument: 'TEST2' }]
    const whole = await play(sets)
    let text = ''
    await play(sets, { checkpoints: { every: `${seconds}s`, take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    const resumed = await play(sets, { resume: JSON.parse(text) as Checkpoint })
    expect(resumed.map(({ result }) => [result.fingerprint, result.isPartial, JSON.stringify(result.summary)]))
      .toEqual(whole.map(({ result }) => [result.fingerprint, result.isPartial, JSON.stringify(result.summary)]))
  })

  test('comes at once where the window begins behind it', async () => {
    const [played] = await play([{ instrument: 'TEST1' }], { from: '00:01:00' })
    expect([secondsOf(played!.result.summary.start), secondsOf(played!.result.summary.end), lastWake(played!) < 0]).toEqual([60, 60, true])
  })
})
