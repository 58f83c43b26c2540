import { expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'

const MS = 1_000_000

/** Lines that the exchange sent before midnight and the adapter received after it belong to the day; by a latency counted from exchange time they were heard before it. */
const LINES: MarketLine[] = [
  { kind: 'snapshot', timeNs: -50 * MS, adapterTimeNs: 1 * MS, rows: [[0, 99, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: -40 * MS, adapterTimeNs: 2 * MS, rows: [[1, 99, 1]] },
  { kind: 'update', timeNs: -30 * MS, adapterTimeNs: 3 * MS, rows: [[0, 98, 2]] },
  { kind: 'trades', timeNs: -1 * MS, adapterTimeNs: 4 * MS, rows: [[1, 99, 2]] },
  { kind: 'ERROR', timeNs: -1 * MS, adapterTimeNs: 5 * MS },
  { kind: 'snapshot', timeNs: 6 * MS, adapterTimeNs: 7 * MS, rows: [[0, 97, 5], [1, 101, 5]] },
  { kind: 'trades', timeNs: 9 * MS, adapterTimeNs: 10 * MS, rows: [[1, 97, 1]] },
]

class Loud extends Strategy {
  declare instrument: TradingInstrument
  override onInstrumentTrades(): void {
    this.log(`${this.instrument.getLastTrades().map(({ quantity }) => quantity.toString()).join(' ')} at ${String(this.now() % 86_400_000_000_000n)}, bid ${String(this.instrument.bestBid?.price)}`)
  }
}
class Quiet extends Strategy {
  declare instrument: TradingInstrument
  override onStart(): void {
    this.every(4, () => this.log(`bid ${String(this.instrument.bestBid?.price)} ${this.instrument.marketDataState}`))
  }
}
Parameter(TradingInstrument)(Loud.prototype, 'instrument')
Parameter(TradingInstrument)(Quiet.prototype, 'instrument')

async function logged(strategy: typeof Loud | typeof Quiet, feedLatency: string, idle: boolean, span: object = { to: '00:00:00.013' }): Promise<{ readonly texts: readonly string[], readonly fingerprint: string }> {
  const texts: string[] = []
  const files = [marketFile(LINES), ...(idle ? [marketFile(LINES, { id: 2 })] : [])]
  const { fingerprint } = await runBacktest({
    strategy, data: files, day: '2026-07-01', ...span, account: {}, parameters: { instrument: 'TEST1' }, assumptions: { feedLatency },
    journal: () => ({ write: (line) => { texts.push(line) } }),
  })
  return { texts: texts.map((line) => JSON.parse(line) as { readonly text?: string }).flatMap(({ text }) => (text?.includes('bid') === true ? [text] : [])), fingerprint }
}

test.each<[string, string[], string[]]>([
  ['recorded', ['1 at 2000000, bid 99', '2 at 4000000, bid 99', '1 at 10000000, bid 97'], ['bid 99 READY', 'bid 97 READY', 'bid 97 READY']],
  ['constant 0ns', ['1 at 9000000, bid 97'], ['bid 99 READY', 'bid 97 READY', 'bid 97 READY']],
  ['constant 3ms', ['2 at 2000000, bid 99', '1 at 12000000, bid 97'], ['bid 99 READY', 'bid undefined ERROR', 'bid 97 READY']],
])('lines heard before midnight: latency %s', async (latency, loud, quiet) => {
  for (const idle of [false, true]) {
    expect((await logged(Loud, latency, idle)).texts).toEqual(loud)
    expect((await logged(Quiet, latency, idle)).texts).toEqual(quiet)
  }
})

test('an idle instrument with such lines changes no journal', async () => {
  for (const latency of ['recorded', 'constant 0ns', 'uniform 1ms 60ms']) {
    for (const strategy of [Loud, Quiet]) expect((await logged(strategy, latency, true)).fingerprint).toBe((await logged(strategy, latency, false)).fingerprint)
  }
})

test.each([['quiet', Quiet], ['loud', Loud]] as const)('a %s strategy that begins after the last line is told none of those before, and its book is warm', async (_name, strategy) => {
  const { texts } = await logged(strategy, 'recorded', false, { from: '00:00:05', to: '00:00:05.005' })
  expect(texts).toEqual(strategy === Quiet ? ['bid 97 READY'] : [])
  const late = await logged(strategy, 'constant 5s', false, { from: '00:00:04.999', to: '00:00:05.020' })
  expect(late.texts).toHaveLength(strategy === Quiet ? 5 : 2)
})

test.each([['recorded', [1, 5, 7]], ['constant 0ns', [0, 5, 6]], ['constant 3ms', [0, 8, 9]]] as const)('what they say of the state is told when time begins: latency %s', async (feedLatency, timesMs) => {
  for (const strategy of [Loud, Quiet]) {
    const states: string[] = []
    await runBacktest({
      strategy, data: [marketFile(LINES)], day: '2026-07-01', to: '00:00:00.013', account: {}, parameters: { instrument: 'TEST1' }, assumptions: { feedLatency },
      journal: () => ({ write: (line) => {
        const { kind, side, state, time } = JSON.parse(line) as { kind: string, side: string, state: string, time: string }
        if (kind === 'state' && side === 'local') states.push(`${state} ${Number(BigInt(time) % 86_400_000_000_000n) / MS}`)
      } }),
    })
    expect(states).toEqual(['READY', 'ERROR', 'READY'].map((state, at) => `${state} ${timesMs[at]}`))
  }
})
