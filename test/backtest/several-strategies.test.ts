import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { MADE_MIDNIGHT_NS, marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'
import { runContent, RunFolder, strategyModule } from '../support/run-folder.ts'

type Options = Parameters<typeof runBacktest>[0]

const S = 1_000_000_000
const folder = new RunFolder()
afterAll(() => folder.remove())

const LINES: readonly MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: 20 * S, rows: [[1, 98, 20]] },
  { kind: 'update', timeNs: 60 * S, rows: [[0, 99, 6]] },
  { kind: 'trades', timeNs: 90 * S, rows: [[0, 101, 1]] },
]

const base: Options = {
  data: [marketFile(LINES)], day: '2026-07-01', to: '00:03', account: { balances: { CASH: '1000' }, fees: { maker: '0.001', taker: '0.002' } },
  assumptions: { staleAfter: 'off' },
}

const planned = (name: string, ...plan: string[]): NonNullable<Options['strategies']>[number] => ({ name, strategy: Planned, parameters: { instrument: 'TEST1', plan } })

async function journalOf(options: Options): Promise<{ lines: readonly Readonly<Record<string, unknown>>[], result: Awaited<ReturnType<typeof runBacktest>> }> {
  const lines: Readonly<Record<string, unknown>>[] = []
  const result = await runBacktest({ ...options, journal: () => ({ write: (line) => void lines.push(JSON.parse(line) as never) }) } as Options & { parameters?: object })
  return { lines, result: result }
}

const result = async (options: Options): Promise<{ summary: { stop: unknown, strategies?: unknown, orders: { orderCount: number }, fillCount: number }, fingerprint: string, parameters: unknown, fills: { rowCount: number } }> =>
  (await runBacktest(options))

describe('several strategies of a run', () => {
  test('are clients of their own on one account: each has its own orders and fills, the position is of both', async () => {
    const { lines } = await journalOf({ ...base, strategies: [planned('maker', '5s BID 99 3'), planned('taker', '30s ASK 99 2 IOC')] })
    const clientsOf = (kind: string): unknown[] => lines.filter((line) => line['event'] === kind || line['kind'] === kind).map((line) => line['client'])
    expect(new Set(clientsOf('place'))).toEqual(new Set(['maker', 'taker']))
    expect(new Set(clientsOf('fill'))).toEqual(new Set(['maker', 'taker']))
    const positions = lines.filter((line) => JSON.stringify(line).includes('positionUpdate'))
    expect(new Set(positions.map((line) => line['client']))).toEqual(new Set(['maker', 'taker']))
  })

  test('say nothing else than each alone where they have nothing to do with each other', async () => {
    const two = { ...base, data: [marketFile(LINES, { id: 1 }), marketFile(LINES, { id: 2 })] }
    const on = (name: string, instrument: string): NonNullable<Options['strategies']>[number] => ({ name, strategy: Planned, parameters: { instrument, plan: ['5s BID 99 3', '70s ASK 101 3'] } })
    const both = await result({ ...two, strategies: [on('one', 'TEST1'), on('two', 'TEST2')] })
    const alone = await result({ ...two, strategy: Planned, parameters: { instrument: 'TEST1', plan: ['5s BID 99 3', '70s ASK 101 3'] } })
    expect(both.summary.fillCount).toBe(2 * alone.summary.fillCount)
    expect(both.parameters).toEqual({ one: { instrument: 'TEST1', plan: ['5s BID 99 3', '70s ASK 101 3'] }, two: { instrument: 'TEST2', plan: ['5s BID 99 3', '70s ASK 101 3'] } })
  })

  test('end one by one; the run has a stop when all of them have', async () => {
    const one = await result({ ...base, strategies: [planned('maker', '5s BID 99 3', '40s stop enough'), planned('other', '50s BID 98 1')] })
    expect(one.summary).toMatchObject({ stop: null, strategies: [{ name: 'maker', strategy: 'Planned', stop: { reason: 'enough' } }, { name: 'other', stop: null }] })
    expect(one.summary.orders.orderCount).toBe(2)
    const both = await result({ ...base, strategies: [planned('maker', '40s stop enough'), planned('other', '50s stop later')] })
    expect(both.summary.stop).toMatchObject({ reason: 'later' })
  })

  test('take lists of parameters by their names, each set as a run of its own', async () => {
    const strategies = [{ name: 'maker', strategy: Planned, parameters: { instrument: 'TEST1', plan: ['5s BID 99 3'] } }, { name: 'other', strategy: Planned, parameters: { instrument: 'TEST1' } }]
    const sets = [{ other: { plan: ['30s ASK 99 2 IOC'] } }, { other: { plan: [] }, maker: { plan: ['6s BID 99 1'] } }]
    const all = await runBacktest({ ...base, strategies, parameters: sets })
    for (const [at, parameters] of sets.entries()) expect((await result({ ...base, strategies, parameters })).fingerprint).toBe(all[at]?.fingerprint)
    expect(all[1]?.parameters).toEqual({ maker: { instrument: 'TEST1', plan: ['6s BID 99 1'] }, other: { instrument: 'TEST1', plan: [] } })
  })

  test('go on from a checkpoint at any step with the same fingerprint, and receive a line in the order of the list', async () => {
    const restless = (name: string, seed: number): NonNullable<Options['strategies']>[number] => ({ name, strategy: RestlessStrategy, parameters: { instrument: 'TEST1', seed, wakeNs: 7 } })
    await fc.assert(fc.asyncProperty(marketLines(true), fc.nat(99), fc.integer({ min: 1, max: 90 }), async (lines, seed, everySteps) => {
      const options = { ...base, data: [marketFile(lines)], to: MADE_MIDNIGHT_NS + 200n, strategies: [restless('a', seed), restless('b', seed + 1), restless('c', seed)] }
      const whole = await result(options)
      let taken = ''
      await result({ ...options, checkpoints: { everySteps, take: (checkpoint) => {
        taken = JSON.stringify(checkpoint)
        return false
      } } })
      if (taken === '') return
      const rest = await result({ ...options, resume: JSON.parse(taken) as Checkpoint })
      expect(rest.fingerprint).toBe(whole.fingerprint)
    }), { numRuns: 40 })
  }, 180_000)
})

describe('latencies of venues', () => {
  test('are of an account where it states them, else those of the run', async () => {
    const data = [marketFile(LINES, { id: 1, exchangeCode: 'near' }), marketFile(LINES, { id: 2, exchangeCode: 'far' })]
    const { lines } = await journalOf({
      data, day: '2026-07-01', to: '00:03', accounts: { near: { exchange: 'near' }, far: { exchange: 'far', requestLatency: '70ms', responseLatency: '30ms' } }, assumptions: { staleAfter: 'off', requestLatency: '1ms', responseLatency: '2ms' },
      strategies: [{ name: 'a', strategy: Planned, parameters: { instrument: { instrument: 'near:TEST1', account: 'near' }, plan: ['5s BID 99 1'] } }, { name: 'b', strategy: Planned, parameters: { instrument: { instrument: 'far:TEST2', account: 'far' }, plan: ['5s BID 99 1'] } }],
    })
    const answered = lines.filter((line) => JSON.stringify(line).includes('placeResponse')).map((line) => [line['client'], BigInt(line['time'] as string) - MADE_MIDNIGHT_NS - 5n * BigInt(S)])
    expect(answered).toEqual([['a', 3_000_000n], ['b', 100_000_000n]])
  })

  test('of a feed are of an exchange where it states one, others come as recorded', async () => {
    const seen = async (feedLatency: Record<string, string>): Promise<bigint[]> => {
      const { lines } = await journalOf({
        data: [marketFile(LINES, { id: 1, exchangeCode: 'near' }), marketFile(LINES, { id: 2, exchangeCode: 'far' })], day: '2026-07-01', to: '00:03', accounts: { near: { exchange: 'near' }, far: { exchange: 'far' } }, assumptions: { staleAfter: 'off', feedLatency },
        strategies: [{ name: 'a', strategy: Planned, parameters: { instrument: { instrument: 'near:TEST1', account: 'near' }, plan: [] } }, { name: 'b', strategy: Planned, parameters: { instrument: { instrument: 'far:TEST2', account: 'far' }, plan: [] } }],
      })
      return lines.filter((line) => JSON.stringify(line).includes('"READY"')).map((line) => BigInt(line['time'] as string) - MADE_MIDNIGHT_NS)
    }
    expect(await seen({ far: 'constant 6ms' })).toEqual([0n, 6_000_000n])
    await expect(seen({ nowhere: 'recorded' })).rejects.toThrow("assumptions.feedLatency.nowhere: expected an exchange of the run's instruments (far, near)")
  })
})

describe('refused', () => {
  test.each<readonly [string, object, string]>([
    ['neither', {}, 'strategy: expected a class that extends Strategy, found nothing'],
    ['both', { strategy: Planned, strategies: [planned('a')] }, 'strategies: expected left out where strategy is stated'],
    ['none', { strategies: [] }, 'strategies: expected a list of at least one strategy'],
    ['one name twice', { strategies: [{ strategy: Planned }, { strategy: Planned }] }, 'strategies[1].name: expected a name that no other strategy of the run has, found "Planned"'],
    ['a name of its own making', { strategies: [planned('a b')] }, 'strategies[0].name: expected a word of letters, digits, _ and -'],
    ['parameters of nobody', { strategies: [planned('a')], parameters: { b: {} } }, 'parameters: expected parameters by the names of the strategies (a), found "b"'],
    ['a faulty parameter', { strategies: [planned('a'), { name: 'b', strategy: Planned, parameters: { instrument: 'TEST9' } }] }, 'parameters.b.instrument'],
    ['no class', { strategies: [{ strategy: 'a.ts#A' }] }, 'strategies[0].strategy: expected a class that extends Strategy'],
  ])('%s', async (_name, more, words) => {
    await expect(result({ ...base, ...more })).rejects.toThrow(words)
  })
})

describe('a run file of several strategies', () => {
  const module = strategyModule('  @Parameter(Quantity) size!: Quantity\n  override onStart(): void { this.after(1000, () => { this.instrument.placeOrder({ side: "BID", quantity: this.size, price: this.instrument.bestBid!.price }) }, { name: "once" }) }')
  test('names them by module, and overrides by their names', async () => {
    writeFileSync(`${folder.path}/subject.ts`, module)
    const { strategy: reference, parameters, ...content } = runContent({ account: { balances: { USDT: '1000' } } })
    const path = folder.write('two.run.json', { ...content, strategies: [{ strategy: reference, parameters: { ...parameters as object, size: '1' } }, { name: 'other', strategy: reference }], parameters: { other: parameters } })
    const run = await readRunFile(path, { set: ['other.size=7'], grid: ['Subject.size=2,3'] })
    const results = await runRunFile(run)
    expect(results.map((one) => one.parameters)).toEqual(['2', '3'].map((size) => ({ Subject: { instrument: 'XRPUSDT', size }, other: { instrument: 'XRPUSDT', size: '7' } })))
    expect(results[0]?.orders.rowCount).toBe(2)
    expect(run.inputs.filter((one) => one.endsWith('subject.ts'))).toHaveLength(2)
    await expect(readRunFile(path, { set: ['size=7'] })).rejects.toThrow('Cannot set a parameter: its name must be a name such as Subject.size, as the run has several strategies (Subject, other), found size')
  })
})
