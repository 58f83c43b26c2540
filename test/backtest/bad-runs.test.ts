import { afterAll, describe, expect, test } from 'vitest'
import { readRunFile } from '../../src/backtest/run-file-reader.js'
import { runRunFile } from '../../src/backtest/run-file.js'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
const path = folder.write('subject.run.json', '{}')
afterAll(() => folder.remove())

/** What a run file is refused or ended with; `RUN` stands for its path. */
async function endOf(body: string, more: object = {}): Promise<string> {
  folder.write('subject.ts', strategyModule(body))
  folder.write('subject.run.json', runContent(more))
  const error = await readRunFile(path).then((run) => runRunFile(run)).then(() => new Error('it ran'), (thrown: unknown) => thrown as Error)
  return error.message.replaceAll(path, 'RUN').replaceAll(folder.path, 'FOLDER')
}

const SPLIT = { lastPrice: '1', buyVolume: '2', sellVolume: '1', liquidateFractionalShares: false }
const TRADED = 'synthetic_swap:XRPUSDT (9100001)'

describe('what a run file means is judged when its data are open', () => {
  test.each<[name: string, more: object, sentence: string]>([
    ['an unknown instrument', { parameters: { instrument: 'BTCUSDT' } }, `Cannot run RUN: cannot read the parameters of Subject: instrument: expected an instrument of this run (${TRADED}), found "BTCUSDT"`],
    ['an unknown exchange', { parameters: { instrument: 'binance_swap:XRPUSDT' } }, `Cannot run RUN: cannot read the parameters of Subject: instrument: expected an instrument of this run (${TRADED}), found "binance_swap:XRPUSDT"`],
    ['a missing parameter', { parameters: {} }, 'Cannot run RUN: cannot read the parameters of Subject: instrument: expected an instrument, or { "instrument": ..., "account": ... }, found nothing'],
    ['an unknown parameter', { parameters: { instrument: 'XRPUSDT', size: '1' } }, 'Cannot run RUN: cannot read the parameters of Subject: size: expected one of instrument, found the unknown parameter "size"'],
    ['two faults', { parameters: { instrument: 5, size: '1' } }, `Cannot run RUN: cannot read the parameters of Subject: 2 faults:\n  instrument: expected an instrument of this run (${TRADED}), found 5\n  size: expected one of instrument, found the unknown parameter "size"`],
    ['an unknown underlying', { account: { balances: { BTC: '1' } } }, 'Cannot run RUN: cannot open account account: balances names BTC, which no instrument of the run uses; they use XRP, USDT'],
    ['an exchange without instruments', { account: { exchange: 'binance' } }, 'Cannot run RUN: cannot open account account: the run has no instrument of exchange binance; it has synthetic_swap'],
    ['data of the wrong day, from', { from: '2026-07-02T00:00:00Z', to: undefined }, 'Cannot run RUN: cannot begin at 2026-07-02T00:00:00.000000000Z: the data cover the time from 2026-07-01T00:00:00.000000000Z to before 2026-07-02T00:00:00.000000000Z'],
    ['data of the wrong day, to', { from: undefined, to: '2026-07-03' }, 'Cannot run RUN: cannot end at 2026-07-03T00:00:00.000000000Z: it must be after 2026-07-01T00:00:00.000000000Z and at most 2026-07-02T00:00:00.000000000Z'],
    ['a time that is none', { from: 'noon' }, 'Cannot run RUN: cannot read from: it must be 12:00, 12:00:00.5, an ISO-8601 time such as 2024-08-08T12:00:00Z, or epoch nanoseconds, found "noon"'],
    ['a day that the files\' names contradict', { day: '2026-07-02', from: undefined, to: undefined }, 'Cannot run RUN: cannot take synthetic_swap-XRPUSDT-2026-07-01.txt.zst for a file of 2026-07-02: its name says 2026-07-01; day is for files whose names do not say theirs'],
    ['a fault with a status that is none', { faults: [{ kind: 'status', at: '12:00', for: '1s', status: 'OK' }] }, 'Cannot run RUN: cannot plan faults: faults[0].status must be one of DISCONNECTED, EXCHANGE_BUSY, BLOCKED, BANNED, UNASSIGNED, MANUAL_SHUTDOWN, EMERGENCY_SHUTDOWN, found "OK"'],
    ['a corporate action of an unknown instrument', { corporateActions: [{ at: '12:00', instrument: 'BTCUSDT', split: SPLIT }] }, `Cannot run RUN: cannot plan corporate actions: corporateActions[0].instrument must be an instrument of this run (${TRADED}), found "BTCUSDT"`],
    ...['XRPUSDT', 'synthetic_swap:XRPUSDT', '9100001'].map((instrument): [string, object, string] => [`a corporate action that names ${instrument} runs`, { corporateActions: [{ at: '12:00', instrument, split: SPLIT }] }, 'it ran']),
    ['a recorded latency that is not there', { assumptions: { requestLatency: 'recorded away/none.csv' } }, 'Cannot read the latency recording FOLDER/away/none.csv: it does not exist'],
  ])('%s', async (_name, more, sentence) => {
    expect(await endOf('', more)).toBe(sentence)
  })
})

describe('a strategy that fails ends the run with its place in market time', () => {
  const THROWS = '  override onStart(): void { this.after(1500, () => this.fall()) }\n  fall(): void {\n    throw new RangeError("too deep")\n  }'

  test('one that throws, with its stack in its own source', async () => {
    const [first, second, third] = (await endOf(THROWS)).split('\n')
    expect(first).toBe('Cannot go on with Subject at 2026-07-01T23:55:31.500000000Z: timer "0" threw RangeError: too deep')
    expect(second).toBe('RangeError: too deep')
    expect(third).toMatch(/^ {4}at _?Subject\.fall \(FOLDER\/subject\.ts:8:11\)$/)
  })

  test('one that throws in its constructor', async () => {
    const words = await endOf('  broken = (() => { throw new Error("no luck") })()')
    expect(words.split('\n').slice(0, 2)).toEqual([expect.stringMatching(/^Cannot make Subject at 2026-07-01T23:\d\d:\d\d\.\d{9}Z: its constructor threw$/), 'Error: no luck'])
  })

  test('one that returns a promise', async () => {
    expect(await endOf('  override async onStart(): Promise<void> { await Promise.resolve() }')).toBe(
      'Cannot go on with Subject at 2026-07-01T23:55:30.000000000Z: onStart returned a promise: callbacks run in market time and must return at once; do what has to wait before the run, or use timers (every, after)')
  })

  test('one that never stops placing, or cancelling, in one callback', async () => {
    const END = 'onStart threw BacktapeError: Cannot ask for more than 10000 things in one callback: does it loop without end?'
    const order = "this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: Price.from('0.5') })"
    for (const body of [`for (;;) ${order}`, `const order = ${order}; for (;;) order.cancel()`]) {
      expect((await endOf(`  override onStart(): void { ${body} }`)).split('\n')[0]).toBe(`Cannot go on with Subject at 2026-07-01T23:55:30.000000000Z: ${END}`)
    }
  }, 60_000)

  test('one that answers itself without end at one instant', async () => {
    const LOOP = `  override onStart(): void { this.after(1000, () => this.again()) }
  again(): void { this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: Price.from('0.5'), timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }) }
  override onOrderUpdate(order: Order): void { if (!order.isOpen) this.again() }`
    const words = await endOf(LOOP, { assumptions: { requestLatency: '0ns', responseLatency: '0ns' } })
    expect(words).toMatch(/^Cannot go on at 2026-07-01T23:55:31\.000000000Z: more than 100000 things happened at this one instant; does the strategy answer itself without end\?$/)
  }, 60_000)
})
