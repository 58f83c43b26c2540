import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { Quantity } from '../../src/model/fixed-decimal.js'
import { DataInstrument } from '../../src/strategy/data-instrument.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { dayBytes, masterData, time, type Line } from '../support/hand-made-day.ts'
import { MADE_EPOCH_DAY, marketDay, type MarketPart } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'
import { Planned } from '../support/planned-run.ts'
import { RunFolder } from '../support/run-folder.ts'
import { firstMessage, servers } from '../support/served-days.ts'

const folder = new RunFolder()
const serve = servers()
afterAll(() => { folder.remove() })

const MASTER = masterData({ type: 'spot', lot_size: 1e-8, min_order: 1e-8, ticksize: 1e-8, base_underlying_id: 1 })
const PERPETUAL = masterData({ ticksize: 0.5, lot_size: 1, funding_interval: '28800' })
let id = 0
let depthId = 0
const at = (clock: string): [bigint, bigint] => [time(`00:00:${clock}`), time(`00:00:${clock}`)]
const snapshot = (clock: string, ...rows: Line[]): Line => [0, '0', String((depthId = ++id)), ...at(clock), rows, false]
const update = (clock: string, ...rows: Line[]): Line => {
  const before = depthId
  depthId = ++id
  return [1, String(before), String(id), ...at(clock), rows]
}
const value = (kind: 7 | 8 | 9, clock: string, content: unknown): Line => [kind, '0', String(++id), ...at(clock), content]
const trade = (clock: string, price: string, quantity: string): Line => [2, '0', String(++id), ...at(clock), [[1, price, quantity, 't', time(`00:00:${clock}`)]]]
const bid = (price: string, quantity: string): Line => [0, price, quantity, 1]
const ask = (price: string, quantity: string): Line => [1, price, quantity, 1]
const end = (): Line => update('55', bid('0.1', '1'))

function fileOf(lines: readonly Line[], name: string, master = MASTER): string {
  const path = folder.write(`${name}/made-HAND-2026-07-01.txt.zst`, '')
  writeFileSync(path, dayBytes(master, lines))
  return path
}
const play = (path: string, plan: readonly string[], more: Partial<BacktestOptions> = {}): Promise<BacktestResult> => runBacktest({
  strategy: Planned, data: [path], to: '00:00:56', parameters: { instrument: 'HAND', plan }, account: { balances: { USDT: '1000000' }, fees: { maker: '0', taker: '0' } }, ...more,
} as never) as Promise<never>

describe('an instrument whose numbers do not fit (exchange rules 1.8)', () => {
  test.each<readonly [what: string, lines: () => readonly Line[], line: number, field: string, found: string]>([
    ['8 decimals and 100 million', () => [snapshot('01', bid('0.1', '250.12345678')), update('02', bid('0.2', '3')), update('03', ask('0.3', '100000000.00000000')), end()], 4, 'qty', '100000000'],
    ['both in the first line', () => [snapshot('01', bid('0.1', '250.12345678'), ask('0.2', '100000000')), end()], 2, 'qty', '100000000'],
    ['a trade alone', () => [snapshot('01', bid('0.1', '0.12345678')), trade('02', '0.1', '100000000.00000001'), end()], 3, 'qty', '100000000.00000001'],
    ['a top of book alone', () => [snapshot('01', bid('0.1', '0.12345678')), [6, '0', '99', ...at('02'), [ask('0.3', '1e25')]], end()], 3, 'qty', '10000000000000000000000000'],
    ['digits that come behind 100 million', () => [snapshot('01', bid('0.1', '100000000')), update('02', bid('0.2', '3')), update('03', ask('0.3', '0.12345678')), end()], 4, 'qty', '0.12345678'],
    ['a sum of doubles', () => [snapshot('01', bid('0.1', '1')), update('02', bid('0.1', '0.30000000000000004')), end()], 3, 'qty', '0.30000000000000004'],
    ['a whole one that is too large', () => [snapshot('01', bid('0.1', '5')), update('02', bid('0.1', '90071992547409.92')), end()], 3, 'qty', '90071992547409.92'],
    ['a price', () => [snapshot('01', bid('0.1', '5')), update('02', bid('90071993.12345678', '1')), end()], 3, 'price', '90071993.12345678'],
    ['a line behind others that are none', () => [snapshot('01', bid('0.1', '5')), [99, 'unknown'], [98], update('02', bid('0.1', '1e16')), end()], 5, 'qty', '10000000000000000'],
  ])('ends a run with file, line and field: %s', async (what, lines, line, field, found) => {
    const path = fileOf(lines(), what)
    const cache = `${folder.path}/cache`
    for (const options of [{}, { trim: 'none' as const }, { cache }, { cache }])
      await expect(play(path, ['10s BID 0.1 1'], options)).rejects.toMatchObject({ code: 'VALUE_INEXACT', place: { file: path, line, field, found } })
  })

  test.each<readonly [what: string, quantities: readonly string[], quantity: string, executed: string]>([
    ['whole quantities of 100 million', ['100000000', '99999999'], '5', '5'],
    ['halves of them', ['100000000', '99999999.5'], '0.5', '0.5'],
    ['trillions', ['1000000000000000', '5'], '3', '3'],
    ['just what fits', ['90071992.54740991', '5'], '0.00000001', '0.00000001'],
    ['an order that leaves no room for them is not sent', ['100000000', '5'], '0.00000001', '0'],
  ])('is traded where digits without trailing zeros fit: %s', async (what, [first = '', second = ''], quantity, executed) => {
    const path = fileOf([snapshot('01', bid('0.1', first), ask('0.3', first)), update('02', bid('0.2', second)), end()], what)
    const { orders } = await play(path, [`10s BID 0.3 ${quantity} IOC`])
    expect(orders.rows[0]?.executed_qty).toBe(executed)
  })

  /** Lines of a batch and more: what stands behind them is not read before 00:00:20. */
  const far = (): Line[] => Array.from({ length: 16_500 }, () => value(7, '30', '1'))
  const behind = (): Line[] => [...far(), update('50', ask('0.4', '100000000')), end()]
  test.each<readonly [what: string, lines: () => readonly Line[], plan: string, executed: string | null]>([
    ['small first, then 100 million', () => [snapshot('01', bid('0.1', '250.5'), ask('0.3', '5')), ...behind()], '52s BID 0.4 6 IOC', '6'],
    ['trades of billions', () => [snapshot('01', bid('0.1', '2'), ask('0.3', '5')), ...far(), trade('50', '0.1', '9007199254740991'), end()], '52s BID 0.3 3 IOC', '3'],
    ['fine orders, 80 million behind them', () => [snapshot('01', bid('0.1', '250'), ask('0.3', '5')), ...far(), update('50', ask('0.4', '80000000')), end()], '10s BID 0.4 6.00000001 IOC', '5'],
    ['orders of two decimals, 100 million behind them', () => [snapshot('01', bid('0.1', '250'), ask('0.3', '5.25')), ...behind()], '10s BID 0.4 6.75 IOC', '5.25'],
    ['orders of seven decimals behind 100 million', () => [snapshot('01', bid('0.1', '250'), ask('0.3', '5')), ...behind()], '52s BID 0.4 6.2500001 IOC', '6.2500001'],
    ['an order that leaves no room for what has come', () => [snapshot('01', bid('0.1', '250'), ask('0.3', '5')), ...behind()], '52s BID 0.4 6.00000001 IOC', '0'],
  ])('is traded where data and orders fit together, whatever comes first: %s', async (what, lines, plan, executed) => {
    const { orders, fills } = await play(fileOf(lines(), what), [plan])
    expect(orders.rows[0]?.executed_qty).toBe(executed)
    expect(fills.rows.length > 0).toBe(executed !== '0')
    if (executed === '0') expect(orders.rows[0]).toMatchObject({ state: 'REJECTED', error_type: 'INVALID_QUANTITY' })
  })

  test.each<readonly [what: string, plan: string, queue: string]>([
    ['an order of 8 decimals before it', '10s BID 0.4 6.00000001', 'riskAverse'],
    ['an amended one', '10s BID 0.1 1|11s amend - 1.00000001', 'riskAverse'],
    ['a queue model whose fills have any digits', '10s BID 0.1 1', 'power'],
  ])('100 million end a run that needs 8 decimals: %s', async (what, plan, queue) => {
    const path = fileOf([snapshot('01', bid('0.1', '250'), ask('0.3', '5')), ...behind()], what)
    await expect(play(path, plan.split('|'), { assumptions: { queue: queue } })).rejects.toMatchObject({
      code: 'VALUE_INEXACT', place: { file: path, line: 16_503, field: 'qty', found: '100000000', expected: 'at most 90071992.54740991, as quantities have come to 8 decimals' },
    })
  })

  /** A level of 100 million beside one of 8 decimals stands from 00:00:20 to 00:00:30. */
  const passing = (): readonly Line[] => [snapshot('01', bid('0.1', '250.12345678'), ask('0.3', '5')), update('20', ask('0.4', '100000000')), update('30', ask('0.4', '7')), end()]
  test.each<readonly [what: string, lines: () => readonly Line[], times: Partial<BacktestOptions>, plan: string, executed: string]>([
    ['to at its line', passing, { to: '00:00:20' }, '10s BID 0.3 2 IOC', '2'],
    ['to before its line', passing, { to: '00:00:15' }, '10s BID 0.3 2 IOC', '2'],
    ['from behind a level that is gone', passing, { from: '00:00:40' }, '1s BID 0.4 6 IOC', '6'],
    ['from behind a trade', () => [snapshot('01', bid('0.1', '0.12345678'), ask('0.3', '5')), trade('20', '0.1', '100000000.00000001'), end()], { from: '00:00:40' }, '1s BID 0.3 6 IOC', '5'],
    ['from behind a top of book with another behind it', () => [snapshot('01', bid('0.1', '0.12345678'), ask('0.3', '5')), [6, '0', '98', ...at('20'), [ask('0.3', '1e25')]], [6, '0', '99', ...at('25'), [ask('0.3', '4')]], end()], { from: '00:00:40' }, '1s BID 0.3 6 IOC', '4'],
    ['from behind a price with a snapshot behind it', () => [snapshot('01', bid('0.1', '5')), update('20', bid('90071993.12345678', '1')), snapshot('30', bid('0.1', '5'), ask('0.3', '5')), end()], { from: '00:00:40' }, '1s BID 0.3 2 IOC', '2'],
    ['from behind many of them', () => [snapshot('01', bid('0.1', '250.12345678'), ask('0.3', '5')), ...['11', '12', '13'].flatMap((clock) => [update(clock, ask('0.4', '100000000'), ask('0.5', '1e17')), update(`${clock}.5`, ask('0.4', '0'), ask('0.5', '0'))]), end()], { from: '00:00:40' }, '1s BID 0.5 6 IOC', '5'],
  ])('a line outside the times of a run ends nothing: %s', async (what, lines, times, plan, executed) => {
    const { orders, summary } = await play(fileOf(lines(), `times ${what}`), [plan], times)
    expect([orders.rows[0]?.executed_qty, JSON.stringify(summary.warnings).includes('qty must be')]).toEqual([executed, false])
  })

  test.each<readonly [what: string, lines: () => readonly Line[], times: Partial<BacktestOptions>, line: number]>([
    ['a level that stands where it begins', passing, { from: '00:00:25' }, 3],
    ['one that is gone in the line at its begin', passing, { from: '00:00:30' }, 3],
    ['one that is gone for a client only behind its begin', passing, { from: '00:00:31', assumptions: { feedLatency: 'recorded+2s' } }, 3],
    ['a top of book', () => [snapshot('01', bid('0.1', '0.12345678'), ask('0.3', '5')), [6, '0', '98', ...at('20'), [ask('0.3', '1e25')]], update('30', ask('0.3', '4')), end()], { from: '00:00:40' }, 3],
    ['a price', () => [snapshot('01', bid('0.1', '5')), update('20', bid('90071993.12345678', '1')), update('30', bid('0.1', '4')), end()], { from: '00:00:40' }, 3],
    ['to just behind its line', passing, { to: '00:00:20.000000001' }, 3],
    ['to behind its exchange time, before it is received', passing, { to: '00:00:21', assumptions: { feedLatency: 'recorded+5s' } }, 3],
  ])('a line within the times of a run ends it: %s', async (what, lines, times, line) => {
    const path = fileOf(lines(), `within ${what}`)
    await expect(play(path, ['0s BID 0.1 1'], times)).rejects.toMatchObject({ code: 'VALUE_INEXACT', place: { file: path, line } })
  })

  test('a position that lots cannot state ends a run', async () => {
    const path = fileOf([snapshot('01', bid('0.1', '250'), ask('0.3', '5')), ...far(), update('50', ask('0.4', '80000000'), ask('0.5', '80000000')), end()], 'position')
    const account = { balances: { USDT: '1000000000' }, fees: { maker: '0', taker: '0' } }
    const { orders } = await play(path, ['52s BID 0.5 60000000.00000001 IOC', '53s BID 0.5 30000000 IOC'], { account })
    expect(orders.rows.map(({ executed_qty }) => executed_qty)).toEqual(['60000000.00000001', '30000000'])
    await expect(play(path, ['52s BID 0.5 60000000.00000001 IOC', '53s BID 0.5 60000000 IOC'], { account })).rejects.toMatchObject({
      code: 'VALUE_INEXACT', place: { field: 'position', expected: 'at most 90071992.54740991', found: '120000000.00000001' },
    })
  })

  test.each<readonly [what: string, times: Partial<BacktestOptions>, ends: string | null]>([
    ['whole', {}, '2026-07-02'], ['up to the second day', { to: '2026-07-02T00:00:00Z' }, null], ['up to its row', { to: '2026-07-02T00:00:20Z' }, null],
    ['from behind its row', { from: '2026-07-02T00:00:40Z' }, null], ['from before its row', { from: '2026-07-02T00:00:10Z' }, '2026-07-02'],
  ])('of two files: %s', async (_what, times, ends) => {
    const part = (lines: readonly MarketLine[]): readonly MarketPart[] => [{ quantityScale: 8, lines }]
    const first = folder.write('two/made-TEST1-2026-07-01.txt.zst', ''), second = folder.write('two/made-TEST1-2026-07-02.txt.zst', '')
    writeFileSync(first, marketDay(part([{ kind: 'snapshot', timeNs: 1e9, rows: [[0, 90, 25012345678], [1, 110, 5e8]] }, { kind: 'trades', timeNs: 50e9, rows: [[0, 110, 1]] }]), { master: { lotSize: '0.00000001' } }))
    writeFileSync(second, marketDay([
      { quantityScale: 8, lines: [{ kind: 'snapshot', timeNs: 1e9, rows: [[0, 90, 25012345678], [1, 110, 5e8]] }] },
      { quantityScale: 0, lines: [{ kind: 'update', timeNs: 20e9, rows: [[1, 120, 100_000_000]] }, { kind: 'update', timeNs: 30e9, rows: [[1, 120, 7]] }, { kind: 'trades', timeNs: 50e9, rows: [[0, 110, 1]] }] },
    ], { master: { lotSize: '0.00000001' }, epochDay: MADE_EPOCH_DAY + 1 }))
    const run = play(first, ['2s BID 110 2 IOC'], { data: [first, second], to: '2026-07-02T00:00:56Z', assumptions: { staleAfter: 'off' }, parameters: { instrument: 'TEST1', plan: ['2s BID 110 2 IOC'] } as never, account: { balances: { CASH: '1000000' } }, ...times })
    if (ends === null) expect((await run).orders.rows[0]?.executed_qty).toBe('2')
    else await expect(run).rejects.toMatchObject({ code: 'VALUE_INEXACT', place: { file: second, line: 3, field: 'qty' } })
  })

  test('the message says what is wanted, what is there and what can be done', async () => {
    const path = fileOf([snapshot('01', bid('0.1', '5')), update('02', bid('0.1', '123456789.12345678')), end()], 'words')
    await expect(play(path, ['10s BID 0.1 1'])).rejects.toThrow(
      `Cannot trade made:HAND on line 3 of ${path}: qty must be a number of at most 15 digits, found 123456789.12345678; end the run before that line (to), begin it when the number is gone (from), ` +
      'read the instrument without trading it, or correct the number in the file',
    )
  })

  test('an instrument that is only read ends nothing: its books are unknown from its line on, which is said and counted', async () => {
    const bad = fileOf([snapshot('01', bid('0.1', '250.12345678'), ask('0.3', '5')), update('20', ask('0.4', '100000000')), value(7, '40', '1.5'), snapshot('45', bid('0.2', '5')), end()], 'read', { ...MASTER, instrument: { ...(MASTER as { instrument: object }).instrument, id: 7 } })
    const log: string[] = []
    class Reader extends Strategy {
      declare instrument: DataInstrument
      override onStart(): void { this.every(10_000, () => { log.push(`${String(this.instrument.bestBid?.quantity)} ${this.instrument.marketDataState}`) }) }
      override onInstrumentMarkPrice(): void { log.push(`mark ${String(this.instrument.markPrice)}`) }
    }
    ;(Parameter(DataInstrument) as (target: object, key: string) => void)(Reader.prototype, 'instrument')
    const result = (await runBacktest({ strategy: Reader, data: [bad], to: '00:00:56', parameters: { instrument: 'HAND' } } as never)) as unknown as BacktestResult
    expect(log).toEqual(['250.12345678 READY', 'undefined ERROR', 'undefined ERROR', 'mark 1.5', 'undefined ERROR', 'undefined ERROR'])
    expect(result.summary.warnings.filter((sentence) => sentence.includes(bad))).toEqual([expect.stringMatching(/^made:HAND has no books and trades from 2026-07-01T00:00:20.* on, and its state is ERROR: .* on line 3 of /)])
    // Since the last line before it (6.1).
    expect(result.summary.markets[0]).toMatchObject({ bookUnknownCount: 1, bookUnknownNs: 55e9, lastEvent: '2026-07-01T00:00:55.000000000Z' })
  })

  test.each([[9, '99'], [19, '100000000']])('an instrument that is only read ends when its file does: the run is no longer for it, and has the same fills (line at %i s: %s)', async (second, quantity) => {
    const lines = (others: readonly Line[]): Line[] => [snapshot('01', bid('0.1', '250.12345678'), ask('0.3', '500')), ...others, end()]
    const named = (id: number, code: string): object => ({ ...MASTER, instrument: { ...(MASTER as { instrument: object }).instrument, id, code } })
    const traded = folder.write(`traded-${quantity}/made-TRADED-2026-07-01.txt.zst`, '')
    const read = folder.write(`traded-${quantity}/made-READ-2026-07-01.txt.zst`, '')
    writeFileSync(traded, dayBytes(named(8, 'TRADED'), lines([]), 8))
    writeFileSync(read, dayBytes(named(9, 'READ'), lines([update(String(second).padStart(2, '0'), ask('0.4', quantity))]), 9))
    class Taker extends Strategy {
      declare traded: TradingInstrument
      declare read: DataInstrument
      override onStart(): void { this.every(7_000, () => { this.traded.placeOrder({ side: 'BID', type: 'MARKET', quantity: Quantity.from('1') }) }) }
    }
    ;(Parameter(TradingInstrument) as (target: object, key: string) => void)(Taker.prototype, 'traded')
    ;(Parameter(DataInstrument) as (target: object, key: string) => void)(Taker.prototype, 'read')
    const result = (await runBacktest({ strategy: Taker, data: [traded, read], parameters: { traded: 'TRADED', read: 'READ' }, account: { balances: { USDT: '1000000' }, fees: { maker: '0', taker: '0' } } } as never)) as unknown as BacktestResult
    expect([result.summary.end, result.summary.fillCount]).toEqual(['2026-07-01T00:00:55.000000000Z', 7])
  })

  test('marks, indexes and rates of any digits are no misfit, and money is exact', async () => {
    const digits = '50000.12345678901234'
    const path = fileOf([
      snapshot('01', bid('50000', '10'), ask('50000.5', '10')), value(7, '02', digits), value(8, '03', '50000.12345678901234567'), value(9, '04', ['0.00010000001', time('00:00:50')]),
      value(7, '30', '50001.987654321098765'), update('55', bid('50000', '9')),
    ], 'marks', PERPETUAL)
    const result = await play(path, ['10s BID 50000.5 2 IOC'])
    const [position] = result.summary.instruments
    expect(position).toMatchObject({ markPrice: '50001.987654321098765' })
    // Twice the last mark, of 20 digits, times the rate.
    expect(JSON.stringify(result.summary.money)).toContain('"flows":"-10.0003985309039728394219753"')
  })

  test('a served day lives on: its instrument is closed, and orders are rejected with a reason that stays', async () => {
    const lines = [snapshot('01', bid('0.1', '250.12345678'), ask('0.3', '5')), update('20', ask('0.3', '100000000')), value(7, '40', '1.0123456789012345'), update('50', bid('0.1', '3')), end()]
    const served = await serve({ data: [fileOf(lines, 'served')], from: '00:00', accounts: { paper: { exchange: 'made', balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } }, keys: [{ key: 'k', markets: ['made'], days: 'always' }] } as never)
    const reader = await served.reader('k', '{"depthTopic":true,"markPriceTopic":true}')
    const trader = await served.trader()
    expect(served.serving.replay.warnings).toEqual([])
    expect((await served.post('go-to', { time: '00:00:45' })).status).toBe(200)
    await reader.until(() => reader.texts.some((text) => text.includes('1.0123456789012345')))
    expect(reader.texts.find((text) => text.includes('ERROR'))).toMatch(/on line 3 of .*made-HAND-2026-07-01.txt.zst: qty must be at most 90071992\.54740991, as quantities have come to 8 decimals, found 100000000/)
    for (const [number, type] of [[1, 'MARKET'], [2, 'LIMIT']] as const) {
      const own = `00000000-0000-4000-8000-00000000000${String(number)}`
      trader.send(JSON.stringify({
        msgType: 'place', accountId: 'paper',
        entries: [{ ownOrderId: own, clientOrderId: own, instrumentId: served.instrumentId, type, side: 'BID', totalQuantity: '1', ...(type === 'LIMIT' ? { price: '0.1', timeInForce: 'GOOD_TILL_CANCEL' } : { timeInForce: 'IMMEDIATE_OR_CANCEL' }) }],
      }))
      expect((await served.post('go-to', { time: `00:00:4${String(5 + number)}` })).status).toBe(200)
      await trader.until(() => trader.texts.filter((text) => text.includes('INSTRUMENT_NOT_OPEN')).length >= number)
    }
    expect(await firstMessage(trader, 'placeResponse', 'INSTRUMENT_NOT_OPEN')).toBeDefined()
    expect((await served.post('go-to', { time: '00:01:00' })).body).toMatchObject({ ok: true })
    expect(served.serving.replay.warnings).toEqual([expect.stringMatching(/^made:HAND has no books and trades from 2026-07-01T00:00:\S+ on, and its state is ERROR: .* on line 3 of /)])
  })
})
