import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { recordStretch } from '../../src/backtest/stretch.js'
import type { Order } from '../../src/strategy/order.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { expectRun } from '../../src/testing.js'
import { MADE_MIDNIGHT_NS, marketDay, type MarketPart } from '../support/made-market-file.ts'
import type { MarketLine, MarketRow } from '../support/market-lines.ts'
import { RunFolder, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => { folder.remove() })

/** What every fill was, as the strategy received it. */
const received: string[] = []

type Plan = Readonly<Record<number, readonly (Omit<OrderParams, 'price' | 'quantity' | 'triggerPrice' | 'pegOffsetValue' | 'displayQuantity'> & Readonly<Record<string, unknown>>)[]>>

/** Places orders of every kind at instants of its own, the same before the digits grow and after it. */
const PLAN: Plan = {
  2: [{ side: 'BID', price: '90', quantity: '4' }, { side: 'BID', price: '101', quantity: '2', postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }],
  3: [{ side: 'BID', price: '99', quantity: '3' }, { side: 'ASK', price: '106', quantity: '6', displayQuantity: '2' }],
  4: [{ side: 'ASK', price: '95', triggerPrice: '96', quantity: '2', type: 'STOP_LIMIT', postOnly: false }],
  5: [{ side: 'BID', quantity: '1', type: 'PRIMARY_PEGGED', pegOffsetValue: '1' }],
  12: [{ side: 'BID', price: '104', quantity: '10', postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' }],
  13: [{ side: 'ASK', quantity: '5', type: 'MARKET', timeInForce: 'IMMEDIATE_OR_CANCEL', postOnly: false }],
  14: [{ side: 'BID', price: '97', quantity: '2' }, { side: 'ASK', price: '105', quantity: '4', displayQuantity: '1' }],
  15: [{ side: 'BID', quantity: '1', type: 'PRIMARY_PEGGED', pegOffsetValue: '1' }],
}

class Placing extends Strategy {
  declare instrument: TradingInstrument
  private acts = 0

  override onStart(): void {
    this.every(10 / 1e6, () => { this.act() }, { name: 'act' })
  }

  override saveState(): unknown { return { acts: this.acts } }
  override restoreState(state: unknown): void { this.acts = (state as { acts: number }).acts }

  override onOrderFill(order: Order): void {
    const fill = order.getLastFill()
    received.push(`${order.type} ${order.side} ${String(fill?.quantity)} at ${String(fill?.price)}`)
  }

  private act(): void {
    this.acts++
    const { instrument } = this
    const price = (text: unknown): object => (text === undefined ? {} : { price: instrument.price(text as string) })
    for (const { price: limit, quantity, triggerPrice, pegOffsetValue, displayQuantity, ...more } of PLAN[this.acts] ?? []) {
      instrument.placeOrder({
        ...more, ...price(limit), quantity: instrument.quantity(quantity as string),
        ...(triggerPrice === undefined ? {} : { triggerPrice: instrument.price(triggerPrice as string) }),
        ...(pegOffsetValue === undefined ? {} : { pegOffsetValue: instrument.price(pegOffsetValue as string) }),
        ...(displayQuantity === undefined ? {} : { displayQuantity: instrument.quantity(displayQuantity as string) }),
      })
    }
  }
}
Parameter(TradingInstrument)(Placing.prototype, 'instrument')

const coarse: MarketLine[] = [
  { kind: 'snapshot', timeNs: 0, rows: [[0, 98, 5], [0, 96, 9], [0, 1, 1], [1, 101, 9], [1, 107, 4]] },
  { kind: 'trades', timeNs: 45, rows: [[1, 99, 2]] },
  { kind: 'trades', timeNs: 66, rows: [[0, 106, 3]] },
]
/** Prices and quantities in hundredths. */
const fine: MarketLine[] = [
  { kind: 'update', timeNs: 80, rows: [[0, 9735, 550], [1, 10125, 325], [1, 10101, 150]] },
  { kind: 'trades', timeNs: 90, rows: [[1, 9575, 725], [0, 10610, 1000]] },
  { kind: 'update', timeNs: 100, rows: [[0, 9800, 0], [0, 9710, 120], [1, 10401, 800]] },
  { kind: 'trades', timeNs: 170, rows: [[1, 9650, 525], [0, 10575, 275]] },
  { kind: 'trades', timeNs: 180, rows: [[0, 10500, 2075]] },
]

function inHundredths(lines: readonly MarketLine[]): MarketLine[] {
  return lines.map((line) => ({ ...line, rows: (line.rows ?? []).map(([side, price, quantity]): MarketRow => [side, price * 100, quantity * 100]) }))
}

const hundredths = { priceScale: 2, quantityScale: 2 }
const [first, ...rest] = inHundredths(coarse)
const grown: readonly MarketPart[] = [{ lines: coarse }, { lines: fine, ...hundredths }]
/** The same day; a level that nobody reaches has fine digits from the first line on. */
const fromTheStart: readonly MarketPart[] = [{ lines: [{ ...first!, rows: [...first!.rows!.filter(([, price]) => price > 100), [0, 101, 101]] }, ...rest, ...fine], ...hundredths }]

function options(parts: readonly MarketPart[]): BacktestOptions & { parameters: { instrument: string }[] } {
  return {
    strategy: Placing, data: [marketDay(parts)], day: '2026-07-01', to: MADE_MIDNIGHT_NS + 250n, parameters: [{ instrument: 'TEST1' }],
    account: { balances: { CASH: '10000' }, fees: { maker: '0.0001', taker: '0.0005' } }, assumptions: { requestLatency: '3ns', responseLatency: '5ns' },
  }
}

test('fills and money are those of the same day whose first line had the digits: taker, maker, stop, peg, iceberg, before and after', async () => {
  received.length = 0
  const [own] = await runBacktest(options(grown))
  const kinds = received.splice(0)
  const [other] = await runBacktest(options(fromTheStart))
  expect([own!.fills.rows, own!.orders.rows, own!.equity.rows]).toEqual([other!.fills.rows, other!.orders.rows, other!.equity.rows])
  expect(kinds).toEqual(received)
  expect(kinds.filter((text) => /at \d+\.\d+$/.test(text)).length).toBeGreaterThan(2)
  for (const kind of ['LIMIT BID', 'LIMIT ASK', 'STOP_LIMIT ASK', 'PRIMARY_PEGGED BID', 'MARKET ASK']) expect(kinds.some((text) => text.startsWith(kind)), kind).toBe(true)
})

test('a run that goes on from any step, before the digits grow or after, ends as an undisturbed one', async () => {
  const [whole] = await runBacktest(options(grown))
  let taken = 0
  for (let everySteps = 1; everySteps < 200; everySteps += 3) {
    let text: string | null = null
    await runBacktest({ ...options(grown), checkpoints: { everySteps, take: (checkpoint) => {
      text = JSON.stringify(checkpoint)
      return false
    } } })
    if (text === null) break
    taken++
    const [resumed] = await runBacktest({ ...options(grown), resume: JSON.parse(text) as Checkpoint })
    expect([resumed!.fingerprint, resumed!.fills.rows, resumed!.equity.rows]).toEqual([whole!.fingerprint, whole!.fills.rows, whole!.equity.rows])
  }
  expect(taken).toBeGreaterThan(10)
})

test('a stretch that is recorded while the digits grow has the columns of one whose first line had them', async () => {
  const [own, other] = await Promise.all([grown, fromTheStart].map((parts) => recordStretch('r', options(parts), { from: '00:00:00', forNs: 240, levels: 2 })))
  expect(own!.columns.orderRows.event.length).toBeGreaterThan(20)
  expect(own!.columns).toEqual(other!.columns)
  expect(own!.columns.instruments[0]).toMatchObject({ priceScale: 2, quantityScale: 2 })
})

test('from a cache and against a golden the run is the same', async () => {
  const path = join(folder.path, '1_2026-07-01.txt.zst')
  writeFileSync(path, marketDay(grown))
  const { day: _day, ...run } = { ...options(grown), data: [path] }
  const [plain] = await runBacktest(run)
  for (let round = 0; round < 2; round++) {
    const [cached] = await runBacktest({ ...run, cache: join(folder.path, 'cache') })
    expect(cached!.fingerprint).toBe(plain!.fingerprint)
  }
  folder.write('subject.ts', strategyModule(`  override onStart(): void { this.after(1.3e-4, () => this.instrument.placeOrder({
    side: 'BID', quantity: Quantity.from('10'), price: Price.from('104'), postOnly: false, timeInForce: 'IMMEDIATE_OR_CANCEL' })) }`))
  const runFile = folder.write('digits.run.json', { strategy: './subject.ts#Subject', data: [path], to: '00:00:01', parameters: { instrument: 'TEST1' }, assumptions: { requestLatency: '0ns', responseLatency: '0ns' } })
  await expectRun(runFile, { update: true }).toMatchGolden()
  await expectRun(runFile).toMatchGolden()
  expect(gunzipSync(readFileSync(join(folder.path, 'digits.golden.jsonl.gz'))).toString()).toContain('"price":"101.01"')
})
