import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { runRunFile, type RunFileExtras } from '../../src/backtest/run-file.js'
import { dividedNumbers } from '../../src/backtest/thread-run.js'
import { createJournalFile } from '../../src/results/journal-file-writer.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { expectRun } from '../../src/testing.js'
import { backtape } from '../support/command.ts'
import { expectSame } from '../support/expected-same.ts'
import { packWorkers } from '../support/packed-workers.ts'
import { Planned } from '../support/planned-run.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { packageFolder, runContent, RunFolder, strategyModule, XRP_DAY } from '../support/run-folder.ts'

type Parameters = Readonly<Record<string, unknown>>

packWorkers()
const folder = new RunFolder()
afterAll(() => folder.remove())

/** Quotes each second around the touch, as far off it as its parameter says, and says what happens to it. */
const QUOTER = strategyModule(`  @Parameter(Number) ticks!: number
  override onStart(): void {
    this.log(\`starts with \${this.ticks}\`)
    this.every(1000, () => this.quote())
  }
  quote(): void {
    const { bestBid, bestAsk } = this.instrument
    if (bestBid === null || bestAsk === null) return
    for (const order of this.instrument.openOrders) order.cancel()
    const tick = Price.from('0.0001')
    let [bid, ask] = [bestBid.price, bestAsk.price]
    for (let at = 0; at < this.ticks; at++) [bid, ask] = [bid.minus(tick), ask.plus(tick)]
    this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('100'), price: bid })
    this.instrument.placeOrder({ side: 'ASK', quantity: Quantity.from('100'), price: ask })
  }
  override onOrderFill(order: Order): void { this.log(\`filled \${order.side} \${order.getLastFill()?.price}\`) }`)

/** Buys at the market again and again, until its account has nothing left. */
const BUYER = strategyModule(`  @Parameter(Quantity) size!: Quantity
  override onStart(): void { this.every(5000, () => this.instrument.placeOrder({ side: 'BID', quantity: this.size, type: 'MARKET' })) }`)

folder.write('subject.ts', QUOTER)
folder.write('buyer.ts', BUYER)

const sets = (...parameters: readonly Parameters[]): { readonly parameters: readonly Parameters[] } => ({ parameters: parameters.map((one) => ({ instrument: 'XRPUSDT', ...one })) })
const ticks = (...values: readonly number[]): { readonly parameters: readonly Parameters[] } => sets(...values.map((value) => ({ ticks: value })))
const costly = { account: { balances: { USDT: '30' }, fees: { maker: '0.0002', taker: '0.005' } } }

/** Everything that a run says, by world. */
async function outcomeOf(path: string, extras: RunFileExtras = {}): Promise<{ readonly said: readonly { readonly summary: string }[], readonly notes: readonly string[], readonly threads: readonly number[] }> {
  const notes: string[] = []
  const lines = new Map<number, string[]>()
  const journal: NonNullable<RunFileExtras['journal']> = (number) => {
    const own: string[] = []
    expect(lines.has(number), 'one sink a world').toBe(false)
    lines.set(number, own)
    return { write: (line) => { own.push(line) } }
  }
  const results = await runRunFile(await readRunFile(path), { journal, onNote: (note) => notes.push(note), ...extras })
  const said = results.map((result, number) => {
    const { fills, orders, equity, roundTrips, hours, days, report: _, writeReport: __, curves, summary, threadCount: ___, ...plain } = result
    const tables = [fills, orders, equity, roundTrips, hours, days].map(({ rows, metadata }) => [rows, [...metadata]])
    return { plain, summary: JSON.stringify(summary), curves, tables, report: extras.tables === 'none' ? null : JSON.stringify(result.report()), lines: lines.get(number) }
  })
  return { said, notes, threads: results.map(({ threadCount }) => threadCount) }
}

/** Ten seconds with a silence, or all five minutes of the bundled day before midnight. */
const WITH_SILENCE = isNight ? { from: '00:00', to: '24:00' } : { from: '23:56:05', to: '23:56:15' }

/** Runs, and what the summaries of some of their sets have; by day those where threads have most to agree on. */
const CASES: readonly (readonly [words: string, content: object, extras?: RunFileExtras, wanted?: RegExp])[] = repeated<readonly [string, object, RunFileExtras?, RegExp?]>([
  ['five sets', ticks(0, 1, 2, 3, 9)],
  ['fewer sets than threads', ticks(0, 1)],
  ['several strategies', { strategy: undefined, strategies: [{ strategy: './subject.ts#Subject', name: 'near' }, { strategy: './subject.ts#Subject', name: 'far' }], parameters: [1, 2, 3].map((far) => ({ near: { instrument: 'XRPUSDT', ticks: 0 }, far: { instrument: 'XRPUSDT', ticks: far } })) }],
  ['accounts that come to nothing while others go on', { strategy: './buyer.ts#Subject', ...sets({ size: '10' }, { size: '400' }, { size: '2000' }), ...costly, to: '23:56' }, {}, /EQUITY_ZERO/],
  ['faults and a slow response', { ...ticks(0, 1, 2), faults: [{ at: '23:55:35', kind: 'status', status: 'DISCONNECTED', for: '3s' }], assumptions: { responseLatency: '700ms' } }],
  ['gaps that halt', { ...ticks(0, 1, 2), ...WITH_SILENCE, assumptions: { gaps: 'halt', staleAfter: '1s' } }, {}, /"halt":\{/],
  ['the ends of data without to', { ...ticks(0, 2, 4), to: undefined, from: '23:59:50' }],
  ['without rows', ticks(0, 1, 2), { tables: 'none' }],
], ([words]) => ['five sets', 'accounts that come to nothing while others go on'].includes(words))

/** The threads of each case. By day five sets are divided by 3, so that some threads have several; 2 sets too, and there is none for the third. */
const threadCounts = (words: string): readonly number[] => (isNight ? [2, 3] : words.includes('sets') ? [3] : [2])

describe('sets divided over threads', () => {
  for (const [words, content, extras = {}, wanted = /^/] of CASES) {
    test(`${words}: the same as on one thread, to the last line`, async () => {
      const path = folder.write(`${words.replaceAll(' ', '-')}.run.json`, JSON.stringify(runContent(content)))
      const alone = await outcomeOf(path, extras)
      expect(alone.threads.every((count) => count === 1)).toBe(true)
      expect(alone.said.some(({ summary }) => wanted.test(summary))).toBe(true)
      for (const jobs of threadCounts(words)) {
        const divided = await outcomeOf(path, { ...extras, jobs })
        expect(divided.threads).toEqual(alone.threads.map(() => Math.min(jobs, alone.threads.length)))
        for (const [number, said] of divided.said.entries()) expectSame(said, alone.said[number], `set ${number} of ${jobs} threads`)
        expect(divided.said.length).toBe(alone.said.length)
      }
    })
  }

  test('an example of several days, with a cache that both threads fill', async () => {
    const source = JSON.parse(readFileSync(join(packageFolder, 'examples/inventory-maker/inventory-maker.run.json'), 'utf8')) as { readonly data: readonly string[], readonly parameters: Parameters }
    const base = join(packageFolder, 'examples/inventory-maker')
    const path = folder.write('example.run.json', { ...source, $schema: undefined, strategy: `${join(base, 'inventory-maker.ts')}#InventoryMaker`, data: source.data.map((name) => resolve(base, name)), ...(isNight ? {} : { from: '2026-07-01T23:59:45Z', to: '2026-07-02T00:00:15Z' }), parameters: [1, 2, 3].map((skewTicks) => ({ ...source.parameters, skewTicks })) })
    const cache = join(folder.path, 'cache')
    const alone = await outcomeOf(path)
    for (const jobs of repeated([2, 2])) expectSame((await outcomeOf(path, { jobs, cache })).said, alone.said)
  })

  test('journals that are kept as records: the same bytes', async () => {
    const run = await readRunFile(folder.write('records.run.json', runContent({ ...ticks(0, 1, 2), ...WITH_SILENCE })))
    const bytesOf = async (name: string, jobs: number): Promise<Buffer[]> => {
      const paths = [0, 1, 2].map((number) => join(folder.path, `${name}.${number}.btj`))
      const files = await Promise.all(paths.map((path) => createJournalFile(path, {})))
      await runRunFile(run, { jobs, journal: (number) => files[number]!.sink })
      for (const file of files) await file.commit()
      return paths.map((path) => readFileSync(path))
    }
    const alone = await bytesOf('alone', 1)
    expect(Math.min(...alone.map(({ length }) => length))).toBeGreaterThan(1000)
    for (const jobs of repeated([2, 3])) expectSame(await bytesOf(`jobs-${jobs}`, jobs), alone)
  })

  test.each([[7, 2, [4, 3]], [3, 8, [1, 1, 1]], [1, 4, [1]], [4, 1, [4]], [100, 3, [34, 33, 33]]])('%i worlds for %i threads: each once, as many for each', (worldCount, jobs, sizes) => {
    const shares = dividedNumbers(worldCount, jobs)
    expect(shares.map(({ length }) => length).sort((a, b) => b - a)).toEqual(sizes)
    expect(shares.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: worldCount }, (_, number) => number))
  })

  test.each([2, 3, 4, 5, 6])('of a grid, no thread has most of the sets of which every %i. costs the most', (period) => {
    const counts = dividedNumbers(40, 2).map((share) => share.filter((number) => number % period === 0).length)
    expect(Math.max(...counts) / Math.ceil(40 / period)).toBeLessThanOrEqual(0.65)
  })
})

describe('what is not divided says so', () => {
  const options = { data: [XRP_DAY], from: '23:55:30', to: '23:55:32', account: { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } }

  test('a class', async () => {
    const notes: string[] = []
    const results = await runBacktest({ ...options, strategy: Planned, parameters: [1, 2].map(() => ({ instrument: 'XRPUSDT', plan: [] })), jobs: 2, onNote: (note) => notes.push(note) })
    expect(results.map(({ threadCount }) => threadCount)).toEqual([1, 1])
    expect(notes).toEqual(['The run uses one thread: the class Planned, of which no module is named, cannot be divided.'])
  })

  test.each([
    ['one set', runContent({ parameters: { instrument: 'XRPUSDT', ticks: 1 } }), {}, 'a run of one parameter set'],
    ['checkpoints', runContent(ticks(0, 1)), { checkpoints: { take: () => true } }, 'a run with checkpoints'],
  ] as const)('%s', async (words, content, extras, why) => {
    const { notes, threads } = await outcomeOf(folder.write(`${words}.run.json`, content), { ...extras, jobs: 2 })
    expect(notes).toEqual([`The run uses one thread: ${why} cannot be divided.`])
    expect(threads.every((count) => count === 1)).toBe(true)
  })

  test.each([0, 65, 1.5, '2'])('%s jobs are refused', async (jobs) => {
    await expect(runBacktest({ ...options, strategy: Planned, parameters: [], jobs: jobs as number })).rejects.toThrow(/jobs: expected a whole number from 1 to 64/)
  })

  test.each([['0', /from 1 upwards/], ['65', /from 1 to 64/], ['two', /a whole number/]])('--jobs %s is refused', async (jobs, words) => {
    const { code, err } = await backtape(['verify', folder.path, '--jobs', jobs])
    expect(code).toBe(2)
    expect(err).toMatch(words)
  })
})

describe('a set that fails on another thread', () => {
  const failing = (body: string): string => QUOTER.replace('this.log(`starts with ${this.ticks}`)', body)

  test.each([
    ['throws', 'if (this.ticks === 1) throw new Error("no one")', 'STRATEGY_FAILED', /no one[\s\S]*throws\.ts:\d+/],
    ['leaves', 'if (this.ticks === 1) process.exit(3)', 'STRATEGY_FAILED', /ended its thread/],
  ])('%s', async (name, body, code, words) => {
    folder.write(`${name}.ts`, failing(body))
    const path = folder.write(`${name}.run.json`, runContent({ ...ticks(0, 1), strategy: `./${name}.ts#Subject` }))
    await expect(outcomeOf(path, { jobs: 2 })).rejects.toMatchObject({ code, message: expect.stringMatching(words) as string })
  })

  test.each(repeated([[0, 'jsonl'], [1, 'btj'], [2, 'jsonl'], [3, 'btj'], [0, 'btj'], [1, 'jsonl'], [2, 'btj'], [3, 'jsonl']] as const, (_, at) => at === 3))('leaves the journal of set %i up to there (.%s), the others leave one each', async (failed, ending) => {
    const name = `late-${failed}-${ending}`
    folder.write(`${name}.ts`, QUOTER.replace('const tick =', `if (this.ticks === ${failed} && ++this.count === 6) throw new Error('late')\n    const tick =`).replace('  quote(): void {', '  count = 0\n  quote(): void {'))
    const run = await readRunFile(folder.write(`${name}.run.json`, runContent({ ...ticks(0, 1, 2, 3), strategy: `./${name}.ts#Subject` })))
    const bytesOf = async (jobs: number): Promise<(Buffer | null)[]> => {
      const files = await Promise.all([0, 1, 2, 3].map((number) => createJournalFile(join(folder.path, `${name}.${jobs}.${number}.${ending}`), {})))
      await expect(runRunFile(run, { jobs, journal: (number) => files[number]!.sink })).rejects.toMatchObject({ code: 'STRATEGY_FAILED' })
      return files.map((file) => {
        const kept = file.keepFailed('late')
        return kept === null ? null : readFileSync(kept)
      })
    }
    const [alone, divided] = [await bytesOf(1), await bytesOf(2)]
    expect(alone[failed]!.length).toBeGreaterThan(500)
    expectSame(divided[failed], alone[failed])
    expect(divided).not.toContain(null)
  })

  test('has a parameter that no strategy takes: the faults of all sets, as on one thread', async () => {
    const path = folder.write('faulty.run.json', runContent(sets({ ticks: 0 }, { ticks: 'many' }, { tocks: 1 })))
    const alone = await outcomeOf(path).catch((error: unknown) => (error as Error).message)
    expect(alone).toMatch(/parameters\[1\]\.ticks/)
    expect(await outcomeOf(path, { jobs: 2 }).catch((error: unknown) => (error as Error).message)).toBe(alone)
  })

  test('runs sources that changed since the run began', async () => {
    folder.write('changing.ts', QUOTER)
    const run = await readRunFile(folder.write('changing.run.json', runContent({ ...ticks(0, 1), strategy: './changing.ts#Subject' })))
    folder.write('changing.ts', QUOTER.replace('every(1000', 'every(2000'))
    await expect(runRunFile(run, { jobs: 2 })).rejects.toThrow(/its sources changed since the run began/)
  })

  test('is stopped with the others: what all have so far', async () => {
    const controller = new AbortController()
    const path = folder.write('stopped.run.json', runContent({ ...ticks(0, 1, 2, 3), from: '00:00', to: '24:00' }))
    const results = await runRunFile(await readRunFile(path), { jobs: 2, signal: controller.signal, onProgress: () => { controller.abort() } })
    expect(results.map(({ isPartial }) => isPartial)).toEqual([true, true, true, true])
  })
})

test('a module that keeps something to itself between sets is found by verify', async () => {
  folder.write('keeping.ts', QUOTER.replace('export class', 'let made = 0\nexport class').replace('starts with ${this.ticks}', 'starts as ${made++}'))
  const path = folder.write('keeping.run.json', runContent({ ...ticks(0, 1, 2), strategy: './keeping.ts#Subject' }))
  await expectRun(path, { update: true }).toMatchGolden()
  const alone = await backtape(['verify', path])
  expect([alone.code, alone.out]).toEqual([0, expect.stringContaining('as its golden says')])
  const divided = await backtape(['verify', path, '--jobs', '2'])
  expect([divided.code, divided.out]).toEqual([1, expect.stringMatching(/starts as/)])
})
