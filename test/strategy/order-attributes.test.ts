import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../../src/backtest/checkpoint-state.js'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import type { BacktestOptions } from '../../src/backtest/backtest-options.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { GENERIC_PROFILE } from '../../src/exchange/profile/venue-profile.js'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { ORDER_ATTRIBUTES } from '../../src/venue/order-attributes.js'
import { marketFile } from '../support/made-market-file.ts'
import type { MarketLine } from '../support/market-lines.ts'

const S = 1_000_000_000
const MARKET: MarketLine[] = [
  ...[0, 40, 80].map((at): MarketLine => ({ kind: 'snapshot', timeNs: at * S, rows: [[0, 100, 50], [1, 104, 50]] })),
  { kind: 'trades', timeNs: 45 * S, rows: [[0, 104, 1]] },
]

type Attribute = keyof typeof ORDER_ATTRIBUTES
interface Row {
  /** What a strategy writes beside side, quantity and price. */
  readonly params: Partial<OrderParams>
  /** Its value in the messages, at the instrument's own scales, as journals state it. */
  readonly value: unknown
  /** Of a spot instrument. */
  readonly isSpot?: true
  /** True where no report states it, so that a replacement shows it nowhere. */
  readonly isUnreported?: true
}

const stop = { type: 'STOP_LIMIT', triggerPrice: Price.from('120'), price: Price.from('121'), postOnly: false } as const
const peg = { type: 'PRIMARY_PEGGED', price: null } as const

/** A value of each attribute that differs from its default; null for those that no strategy can write. */
const ROWS: { readonly [A in Attribute]: Row | null } = {
  type: { params: stop, value: 'STOP_LIMIT' },
  side: { params: { side: 'ASK', price: Price.from('110') }, value: 'ASK' },
  timeInForce: { params: {}, value: 'GOOD_TILL_CANCEL' },
  price: { params: { price: Price.from('91') }, value: '91' },
  totalQuantity: { params: { quantity: Quantity.from('7') }, value: '7' },
  postOnly: { params: { postOnly: false }, value: false },
  displayQuantity: { params: { displayQuantity: Quantity.from('2') }, value: '2' },
  triggerPrice: { params: stop, value: '120' },
  pegOffsetValue: { params: { ...peg, pegOffsetValue: Price.from('-3') }, value: '-3' },
  openClose: { params: { openClose: 'OPEN' }, value: 'OPEN' },
  walletType: null,
  closeOnly: { params: { side: 'ASK', price: Price.from('110'), closeOnly: true }, value: true },
  reduceOnly: { params: { side: 'ASK', price: Price.from('110'), reduceOnly: true }, value: true },
  autoBorrow: { params: { autoBorrow: true }, value: true, isSpot: true, isUnreported: true },
  autoRepay: { params: { autoRepay: true }, value: true, isSpot: true, isUnreported: true },
  useSpare: null,
  owner: null,
  context: { params: { context: { why: 'a test' } }, value: { why: 'a test' } },
}

const LENDER = { ...GENERIC_PROFILE, name: 'lender', borrowRates: { CASH: '0.1' } }

/** Buys 9 so that there is a position, places the order at 20 s, replaces it at 60 s, and writes down what it knows at 30 and 70 s. */
class Subject extends Strategy {
  instrument!: TradingInstrument
  name = ''

  override onStart(): void {
    this.after(5_000, () => void this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('9'), price: this.instrument.price('104'), timeInForce: 'IMMEDIATE_OR_CANCEL' }), { name: 'buy' })
    this.after(20_000, () => void this.instrument.placeOrder({ side: 'BID', quantity: this.instrument.quantity('5'), price: this.instrument.price('90'), ...ROWS[this.name as Attribute]!.params }), { name: 'place' })
    this.after(30_000, () => this.write(), { name: 'first' })
    this.after(60_000, () => void this.instrument.openOrders[0]!.replace({}), { name: 'replace' })
    this.after(70_000, () => this.write(), { name: 'second' })
  }
  write(): void {
    const [order] = this.instrument.openOrders
    const { type, side, timeInForce, price, totalQuantity, postOnly, conditions, context } = order!
    this.log(JSON.stringify({ type, side, timeInForce, price, totalQuantity, postOnly, conditions, context: context ?? null }))
  }
}
/** Places an order of half a lot, which is never sent. */
class Discarding extends Subject {
  override onStart(): void {
    this.after(20_000, () => {
      const order = this.instrument.placeOrder({ side: 'BID', price: this.instrument.price('90'), ...ROWS[this.name as Attribute]!.params, quantity: Quantity.from('2.5') })
      const { isDiscarded, conditions } = order
      this.log(JSON.stringify({ isDiscarded, conditions }))
    }, { name: 'place' })
  }
}
type Decorate = (target: object, key: string) => void
;(Parameter(TradingInstrument) as Decorate)(Subject.prototype, 'instrument')
;(Parameter(String) as Decorate)(Subject.prototype, 'name')

interface Line { readonly kind: string, readonly text?: string, readonly [field: string]: unknown }

async function played(name: string, row: Row, more: Partial<BacktestOptions> = {}): Promise<{ readonly result: BacktestResult, readonly lines: readonly Line[] }> {
  const lines: Line[] = []
  const spot = { type: 'spot', underlyingId: 1, settlementUnderlyingId: 2 }
  const { parameters: _none, ...options } = more
  const result = await runBacktest({
    strategy: Subject, data: [marketFile(MARKET, { id: 1, tickSize: '1', lotSize: '1', ...(row.isSpot === true ? spot : {}) })], day: '2026-07-01', to: '00:01:30',
    assumptions: { staleAfter: 'off' }, account: { balances: { CASH: '100000' }, fees: { maker: '0', taker: '0' }, ...(row.isSpot === true ? { profile: LENDER } : {}) },
    journal: () => ({ write: (line) => void lines.push(JSON.parse(line) as Line) }), ...options, parameters: { instrument: 'TEST1', name },
  })
  return { result, lines }
}

/** The values of a field in all objects of some lines, in their order. */
function valuesIn(lines: readonly unknown[], field: string): unknown[] {
  return lines.flatMap((one): unknown[] => (typeof one !== 'object' || one === null ? [] : [
    ...(Object.hasOwn(one, field) ? [(one as Line)[field]] : []),
    ...Object.entries(one).flatMap(([name, inner]) => (name === field ? [] : valuesIn([inner], field))),
  ]))
}

describe('an attribute of an order', () => {
  const written = Object.entries(ROWS).filter((entry): entry is [Attribute, Row] => entry[1] !== null)

  test.each(written)('%s goes from placeOrder to the report, a replacement and a checkpoint unchanged', async (name, row) => {
    let checkpoint: Checkpoint | null = null
    const whole = await played(name, row)
    // The heads of lines have a `side` of their own.
    const ofKind = (kind: string): unknown[][] => whole.lines.filter((line) => line.kind === kind).map((line) => Object.values(line))
    expect(valuesIn(ofKind('place').slice(1), name)).toEqual([row.value])
    const reported = valuesIn(ofKind('orderUpdate').slice(2), name)
    expect(new Set(reported.map((value) => JSON.stringify(value)))).toEqual(new Set(row.isUnreported === true ? [] : [JSON.stringify(row.value)]))
    const known = whole.lines.filter(({ kind, level }) => kind === 'log' && level === undefined).map(({ text }) => text)
    expect(known).toHaveLength(2)
    expect(known[1]).toBe(known[0])
    const states = whole.result.orders.rows.map(({ state }) => state)
    expect(states.slice(1)).toEqual(['CANCELED', 'CONFIRMED'])
    await played(name, row, { checkpoints: { every: '25s', take: (taken) => { checkpoint ??= JSON.parse(JSON.stringify(taken)) as Checkpoint } } })
    const resumed = await played(name, row, { resume: checkpoint! })
    expect(resumed.result.fingerprint).toBe(whole.result.fingerprint)
  })

  test.each(['displayQuantity', 'triggerPrice', 'pegOffsetValue', 'openClose', 'closeOnly', 'reduceOnly'] as const)('%s of an order that is discarded reads as it was asked for', async (name) => {
    const { params, value } = ROWS[name]!
    const { lines } = await played(name, ROWS[name]!, { strategy: Discarding })
    const [text] = lines.filter(({ kind, level }) => kind === 'log' && level === undefined).map((line) => line.text!)
    const { isDiscarded, conditions } = JSON.parse(text!) as { isDiscarded: boolean, conditions: Record<string, unknown> }
    expect([isDiscarded, conditions[name]]).toEqual([true, value])
    expect(Object.keys(conditions).filter((one) => one !== name && !Object.hasOwn(params, one) && ![null, false, 'AUTO'].includes(conditions[one] as null))).toEqual([])
  })
})
