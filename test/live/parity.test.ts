import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { marketLines } from '../support/exchange-arbitraries.ts'
import { grownParts } from '../support/grown-parts.ts'
import { lavishSettings } from '../support/lavish-run.js'
import { backtestLines, liveLines, WIRES, type Wire } from '../support/live-parity.js'
import { MadeDaysFolder } from '../support/made-days-folder.ts'
import type { MarketPart } from '../support/made-market-file.ts'
import type { MarketLine, MarketRow } from '../support/market-lines.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { RestlessStrategy } from '../support/restless-strategy.ts'

async function expectParity(options: BacktestOptions, wire: Wire): Promise<void> {
  const expected = await backtestLines(options)
  const { lines } = await liveLines(options, wire)
  expect(lines.length).toBeGreaterThan(10)
  // The first difference alone: both are thousands of lines.
  const at = expected.findIndex((line, index) => line !== lines[index])
  expect([at, lines[at]]).toEqual([at, expected[at]])
  expect(lines.length).toBe(expected.length)
}

const EXAMPLES = join(import.meta.dirname, '../../examples')
const runs = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => join(EXAMPLES, name, `${name}.run.json`))

/** Two markets are half a million steps: six minutes of them say as much. */
const NIGHT_OF_TWO = { from: '2026-07-02T00:02:00Z', to: '2026-07-02T00:08:00Z' }
/** The stretch that a day plays: a minute over the end of a day, or as much as a strategy needs to trade. */
const MIDNIGHT = { from: '2026-07-01T23:59:30Z', to: '2026-07-02T00:00:30Z' }
const DAYTIME = [
  ['average-cross', { from: '23:58', to: '24:00' }], ['flow-taker', { to: '00:02' }], ['spread-trader', { from: '2026-07-02T00:02:00Z', to: '2026-07-02T00:03:00Z' }],
] as const

test.each(repeated(runs.map((path, at) => [path, WIRES[at % WIRES.length]!] as const), (_, at) => at % 3 === 1))('%s over sockets does what it does in a backtest', { timeout: 600_000 }, async (path, wire) => {
  const { options } = await readRunFile(path)
  if (isNight) await expectParity(path.includes('spread') ? { ...options, ...NIGHT_OF_TWO } : options, wire)
  else await expectParity({ ...options, ...DAYTIME.find(([name]) => path.includes(name))?.[1] ?? MIDNIGHT }, wire)
})

const random = repeated(fc.sample(lavishSettings, { numRuns: 12, seed: 20 }).map((setting, at) => [at, setting] as const), (_, at) => at < WIRES.length)

test.each(random)('random program %i, with faults, loans and margin, does over sockets what it does in a backtest', { timeout: 600_000 }, async (at, setting) => {
  const parameters = { instruments: ['TEST1', 'TEST2', 'TEST3', 'TEST4'], seed: at + 1 }
  await expectParity({ ...setting, parameters }, WIRES[at % WIRES.length]!)
})

test('a served day whose digits grow on the way is traded as one that had them from its begin', { timeout: 600_000 }, async () => {
  const folder = new MadeDaysFolder()
  try {
    const settings = fc.record({ lines: marketLines(false), cut: fc.nat(), digits: fc.integer({ min: 1, max: 6 }), parity: fc.constantFrom(0, 1, 2), seed: fc.integer({ min: 0, max: 999 }) })
    for (const [at, { lines, cut, digits, parity, seed }] of fc.sample(settings, { numRuns: isNight ? 9 : WIRES.length, seed: 35 }).entries()) {
      const later = lines.map((line) => ({ ...line, timeNs: line.timeNs * 1e9 }))
      const { grown, whole } = grownParts(later, 1 + (cut % (later.length - 1)), digits, (price) => parity === 2 || price % 2 === parity)
      const options = (parts: readonly MarketPart[]): BacktestOptions => ({
        strategy: RestlessStrategy, data: folder.writeParts(new Map([[0, parts]])), to: '00:01:10', parameters: { instrument: 'TEST1', seed, wakeNs: 2e9 }, account: { balances: { CASH: '10000' } }, assumptions: { staleAfter: 'off' },
      })
      const wire = WIRES[at % WIRES.length]!
      const [{ lines: own }, { lines: other }] = [await liveLines(options(grown), wire), await liveLines(options(whole), wire)]
      expect(own).toEqual(other)
      expect(own.length).toBeGreaterThan(3)
    }
  } finally {
    folder.remove()
  }
})

test.each(WIRES.slice(0, 1))('a crossed book is ERROR over sockets as in a backtest, and ends with the line that uncrosses it: %j', { timeout: 600_000 }, async (wire) => {
  const folder = new MadeDaysFolder()
  try {
    const S = 1e9
    const line = (second: number, ...rows: readonly MarketRow[]): MarketLine => ({ kind: 'update', timeNs: second * S, rows })
    const ticks = Array.from({ length: 140 }, (_, i) => line(2.5 + i / 2, [i % 2, i % 2 === 0 ? 90 : 110, 1 + (i % 5)]))
    const lines = [
      { kind: 'snapshot', timeNs: S, rows: [[0, 99, 10], [1, 101, 10]] } as MarketLine, ...ticks, line(10.1, [1, 98, 3]), line(31.2, [1, 98, 0]), line(40.3, [0, 102, 5]), line(49.4, [0, 102, 0]), line(55.5, [0, 102, 1]),
    ].sort((one, other) => one.timeNs - other.timeNs)
    const options: BacktestOptions = {
      strategy: RestlessStrategy, data: folder.writeParts(new Map([[0, [{ lines }]]])), to: '00:01:10', parameters: { instrument: 'TEST1', seed: 3, wakeNs: 1e9 }, account: { balances: { CASH: '10000' } },
    }
    await expectParity(options, wire)
    const states = (await backtestLines(options)).filter((one) => one.includes('crossed') || one.includes('"READY"'))
    // Two of them, each as the state and as the strategy's own line.
    expect(states.filter((one) => one.includes('the book is crossed since'))).toHaveLength(4)
  } finally {
    folder.remove()
  }
})

/** Follows no instrument, and so subscribes none. */
class Idle extends Strategy {
  ticks = 0
  override onStart(): void { this.every(500, () => { this.log(`tick ${String(++this.ticks)}`) }) }
}

test('a strategy without an instrument begins in lock-step too, and ends with the data', { timeout: 600_000 }, async () => {
  const data = [join(EXAMPLES, '../datasets/synthetic_spot-XRPUSDT-2026-07-01.txt.zst')]
  const account = { balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } }
  await expectParity({ strategy: Idle, data, account, from: '23:59:50', to: '2026-07-02T00:00:00Z' }, WIRES[0]!)
})
