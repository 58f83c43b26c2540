import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import type { Bar } from '../../src/measures/bars/bar.js'
import { Integer, Parameter } from '../../src/strategy/parameter.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { lavishSettings } from '../support/lavish-run.js'
import { newFolder } from '../support/new-folder.ts'
import { backtestJournal, paperJournal } from '../support/paper-parity.ts'
import { repeated } from '../support/repetitions.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const MINUTE = { from: '2026-07-01T23:58:00Z', to: '2026-07-01T23:59:00Z' }

async function exampleRun(name: string, span: object = MINUTE): Promise<BacktestOptions> {
  const { options } = await readRunFile(join(EXAMPLES, name, `${name}.run.json`))
  return { ...options, ...span }
}

type How = Parameters<typeof paperJournal>[1]

/** Journal lines of both before the last line of the feed, behind which nothing is known; the paper run's warnings. */
async function bothJournals(options: BacktestOptions, how: How): Promise<readonly [expected: string[], lines: string[], warnings: readonly string[]]> {
  const { lines: whole } = await backtestJournal(options)
  const { lines: own, result: { summary: { end, warnings } } } = await paperJournal(options, how)
  const endNs = BigInt(Date.parse(end.slice(0, 23))) * 1_000_000n
  const before = (lines: readonly string[]): string[] => lines.filter((line) => BigInt((JSON.parse(line) as { time: string }).time) < endNs)
  return [before(whole), before(own), warnings]
}

function firstDifference(expected: readonly string[], lines: readonly string[]): number {
  const at = expected.findIndex((line, index) => line !== lines[index])
  return at < 0 && lines.length > expected.length ? expected.length : at
}

describe('a paper run does what the backtest of the day does, each line of its journal', () => {
  test.each<readonly [name: string, how: How, span: object]>([
    ['avellaneda-maker', { encoding: 'sbe' }, MINUTE], ['grid-trader', { speed: 60 }, MINUTE], ['flow-taker', {}, { from: '00:01', to: '00:02' }],
  ])('%s over %j', { timeout: 60_000 }, async (name, how, span) => {
    const [expected, lines, warnings] = await bothJournals(await exampleRun(name, span), how)
    const at = firstDifference(expected, lines)
    expect([at, lines[at]]).toEqual([-1, undefined])
    expect(expected.length).toBeGreaterThan(50)
    expect(warnings.join()).not.toContain('late')
  })

  const programs = repeated(fc.sample(lavishSettings, { numRuns: 12, seed: 44 }).map((setting, at) => [at, setting] as const), (_, at) => at > 0 && at < 3)
  test.each(programs)('random program %i, unless lines come later than the lag, which it says', { timeout: 60_000 }, async (at, setting) => {
    // Its lines are minutes late: the exchange learns too late that one of them has ended a silence.
    const parameters = { instruments: ['TEST1', 'TEST2', 'TEST3', 'TEST4'], seed: at + 1 }
    const [expected, lines, warnings] = await bothJournals({ ...setting, parameters }, { lag: '1min' })
    const place = firstDifference(expected, lines)
    if (place >= 0) expect(warnings).toEqual(expect.arrayContaining([expect.stringContaining('came more than 1min late')]))
    expect(lines.length).toBeGreaterThan(20)
  })
})

/** A bid that is not taken, each second; stops behind so many. */
class Bidder extends Strategy {
  instrument!: TradingInstrument
  most = 0
  private sent = 0
  override onStart(): void { this.every(1_000, () => { this.bid() }) }
  private bid(): void {
    this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('10'), price: this.instrument.price('0.5') })
    if (++this.sent === this.most) this.stop('enough')
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(TradingInstrument) as Decorate)(Bidder.prototype, 'instrument')
;(Parameter(Integer) as Decorate)(Bidder.prototype, 'most')

const bids = (most: number): BacktestOptions => ({
  strategy: Bidder, parameters: { instrument: 'XRPUSDT', most }, data: [join(EXAMPLES, '../datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')],
  ...MINUTE, account: { balances: { USDT: '1000' } },
})

const states = ({ orders }: Awaited<ReturnType<typeof runBacktest>>): string[] => [...orders.rows].map(({ state }) => state)

test('a strategy that stops ends the run, and its open orders are cancelled, or left', { timeout: 60_000 }, async () => {
  const { result } = await paperJournal(bids(3), { speed: 60 })
  expect([result.reason, states(result)]).toEqual(['enough', ['CANCELED', 'CANCELED', 'CANCELED']])
  const left = await paperJournal(bids(3), { speed: 60, cancelsAtStop: false })
  expect(states(left.result)).not.toContain('CANCELED')
})

test('its signal ends it likewise, and before it begins with STOPPED', { timeout: 60_000 }, async () => {
  const ending = new AbortController()
  const journal = { write: (line: string): void => { if (line.includes('CONFIRMED')) ending.abort() } }
  const { result } = await paperJournal(bids(1_000), { speed: 20, signal: ending.signal, journal })
  expect([result.reason, result.isPartial, [...new Set(states(result))]]).toEqual(['stopped by its signal', true, ['CANCELED']])
  await expect(paperJournal(bids(1), { signal: ending.signal })).rejects.toMatchObject({ code: 'STOPPED' })
})

test('the day that it records has the fills that it had', { timeout: 60_000 }, async () => {
  const folder = newFolder()
  const options = await exampleRun('grid-trader')
  const { result } = await paperJournal(options, { record: folder, speed: 60 })
  expect(result.recorded).toMatchObject([{ error: null }])
  const again = await runBacktest({ ...options, parameters: options.parameters as ParameterConfig, data: [folder] })
  expect(result.fills.rowCount).toBeGreaterThan(5)
  expect([...again.fills.rows]).toEqual([...result.fills.rows])
})

/** Bars of ten seconds that begin warm. */
class Watcher extends Strategy {
  instrument!: TradingInstrument
  override onStart(): void { this.subscribeBars(this.instrument, '10s', { warmUp: '2m' }) }
  override onBar({ open, close, volume }: Bar): void { this.log(`${String(open)} ${String(close)} ${String(volume)}`) }
}
;(Parameter(TradingInstrument) as Decorate)(Watcher.prototype, 'instrument')

test('its bars begin warm from files of its data, up to the begin, and a hole is said', { timeout: 60_000 }, async () => {
  const options: BacktestOptions = { ...bids(1), strategy: Watcher, parameters: { instrument: 'XRPUSDT' } }
  const [expected, lines, warnings] = await bothJournals(options, { speed: 60 })
  expect(expected.filter((line) => line.includes('"log"')).length).toBeGreaterThan(15)
  expect(lines).toEqual(expected)
  expect(warnings.join()).not.toContain('there are no data')
  const other = join(EXAMPLES, '../datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst')
  const { result: { summary } } = await paperJournal(options, { speed: 60, run: { ...options, data: [other] } })
  expect(summary.warnings.join()).toContain('the warm-up of synthetic_swap:XRPUSDT is incomplete: there are no data between')
})

test('an account that the run does not state has money of its own', { timeout: 60_000 }, async () => {
  const { notes } = await paperJournal(bids(1), { speed: 60, accountId: ['paper'] })
  expect(notes).toContain('Account paper: synthetic_swap, profile generic, 100,000 USDT, maker 0.0002, taker 0.0005')
})

describe('refuses', () => {
  test.each<readonly [string, Partial<BacktestOptions>, How, string]>([
    ['a lag that is none', {}, { lag: 'soon' }, 'lag must be'], ['a lag of an hour', {}, { lag: '1h' }, 'a duration from 1ms to 1min'],
    ['parameters that name no instrument of the directory', { parameters: { instrument: 'NONE', most: 1 } }, {}, 'instrument'],
    ['a strategy without an instrument', { strategy: class extends Strategy {}, parameters: {} }, {}, 'at least one instrument'],
    ['no key', {}, { apiKey: '' }, 'the key of the feed'], ['a directory that is no URL', {}, { directory: 'here' }, 'directory'],
    ['an account of an exchange that nothing is of', {}, { accountId: ['paper:elsewhere'] }, 'an account of synthetic_swap, found paper of elsewhere'],
    ['a feed of the other kind', {}, { feed: 'http://127.0.0.1:9' }, 'feed'],
  ])('%s', { timeout: 20_000 }, async (_what, options, how, sentence) => {
    await expect(paperJournal({ ...bids(1), ...options }, how)).rejects.toThrow(sentence)
  })
})
