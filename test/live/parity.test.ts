import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { lavishSettings } from '../support/lavish-run.js'
import { backtestLines, liveLines, WIRES, type Wire } from '../support/live-parity.js'

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

test.each(runs.map((path, at) => [path, WIRES[at % WIRES.length]!] as const))('%s over sockets does what it does in a backtest', { timeout: 600_000 }, async (path, wire) => {
  const { options } = await readRunFile(path)
  // Two markets are half a million steps: six minutes of them say as much. Of ten minutes around midnight four are enough by day.
  if (path.includes('spread')) await expectParity({ ...options, from: '2026-07-02T00:02:00Z', to: '2026-07-02T00:08:00Z' }, wire)
  else if (options.from === undefined || process.env['BACKTAPE_NIGHTLY']) await expectParity(options, wire)
  else await expectParity({ ...options, from: '2026-07-01T23:58:00Z', to: '2026-07-02T00:02:00Z' }, wire)
})

const random = fc.sample(lavishSettings, { numRuns: 12, seed: 20 }).map((setting, at) => [at, setting] as const)

test.each(random)('random program %i, with faults, loans and margin, does over sockets what it does in a backtest', { timeout: 600_000 }, async (at, setting) => {
  const parameters = { instruments: ['TEST1', 'TEST2', 'TEST3', 'TEST4'], seed: at + 1 }
  await expectParity({ ...setting, parameters }, WIRES[at % WIRES.length]!)
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
