import { describe, expect, test } from 'vitest'
import { LiveRecord } from '../../src/live/live-record.js'
import type { LiveInstrument } from '../../src/live/live-instrument.js'
import { LiveWorld, type LiveWorldParts } from '../../src/live/live-world.js'
import { ReceivedFacts } from '../../src/live/received-facts.js'
import type { Instrument, Underlying } from '../../src/model/instrument.js'
import type { OrderReport } from '../../src/model/order.js'
import { SimulatedClock } from '../../src/replay/simulated-clock.js'
import type { WorldProgress } from '../../src/results/world-progress.js'
import type { BacktestResult } from '../../src/results/backtest-result.js'
import { Journal } from '../../src/results/journal.js'
import { KnownOrders } from '../../src/protocol/known-orders.js'
import { Strategy } from '../../src/strategy/strategy.js'
import type { AccountState, Fill, Wallet } from '../../src/venue/account-messages.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { fakeEntry, FakeMarket } from '../support/fake-market.ts'

const S = 1e9
const EPOCH_DAY = 20_000

class Idle extends Strategy {}

type Stated = Partial<Wallet<string, number>>
const wallet = (cashBalance: string, more: Stated = {}): Wallet<string, number> => ({ underlyingId: 20, availableAmount: cashBalance, amountBlockedForMargin: '0', marginBalance: cashBalance, cashBalance, ...more })
const state = (more: Partial<AccountState> = {}): AccountState => ({ status: 'OK', message: '', orders: [], positions: [], wallets: [wallet('1000')], capabilities: {} as AccountState['capabilities'], ...more })
const entry = (id: string, more: Partial<PlaceEntry> = {}): PlaceEntry => ({ instrumentId: 1, ownOrderId: id, clientOrderId: id, side: 'BID', type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL', postOnly: false, price: 1000, totalQuantity: 100, ...more })
const report = (id: string, more: Partial<OrderReport> = {}): OrderReport => ({ ownOrderId: id, exchangeOrderId: `x${id}`, clientOrderId: id, instrumentId: 1, type: 'LIMIT', side: 'BID', state: 'CONFIRMED', timeInForce: 'GOOD_TILL_CANCEL', price: 1000, totalQuantity: 100, executedQuantity: 0, postOnly: false, exchangeTimeNs: S, ...more })
const fill = (id: string, order: string, more: Partial<Fill> = {}): Fill => ({ ownFillId: id, exchangeTradeId: `t${id}`, exchangeTimeNs: 2 * S, ownOrderId: order, exchangeOrderId: `x${order}`, clientOrderId: order, instrumentId: 1, side: 'BID', price: 1000, quantity: 100, fees: '0.1', feeUnderlyingId: 20, addedLiquidity: true, update: false, ...more })

const fills = (...list: Fill[]): ClientMessage => ({ kind: 'fill', fills: list, adapterTimeNs: 2 * S })
const updates = (...orders: OrderReport[]): ClientMessage => ({ kind: 'orderUpdate', orders, adapterTimeNs: 2 * S })
const wallets = (cash: string, more: Stated = {}): ClientMessage => ({ kind: 'walletUpdate', wallets: [wallet(cash, more)], adapterTimeNs: 3 * S })
const positions = (quantity: number): ClientMessage => ({ kind: 'positionUpdate', positions: [{ instrumentId: 1, longPosition: Math.max(quantity, 0), shortPosition: Math.max(-quantity, 0) }], adapterTimeNs: 3 * S })

/** A record of one account `paper` on an instrument whose price is 100 (1000 at scale 1), by what is sent and received. */
class Bench {
  readonly market = new FakeMarket()
  readonly record: LiveRecord
  readonly #world: Omit<LiveWorldParts, 'clock' | 'record' | 'journal'>
  #nowNs = 0

  constructor(opened: AccountState = state(), changes: Partial<Instrument> = {}) {
    const one = fakeEntry(changes)
    this.price(1000)
    const followed = new Map([[1, { entry: one, market: this.market, facts: new ReceivedFacts() } as unknown as LiveInstrument]])
    const listed: Underlying[] = [{ id: 20, code: 'USDT', name: null, type: null, fxRate: null, fxTime: null }]
    const underlyings = { entries: listed, get: (id: number) => listed.find((u) => u.id === id) }
    this.#world = { followed: { all: followed, markets: new Map([[1, this.market]]) } as never, underlyings }
    this.record = new LiveRecord({
      options: { strategy: Idle } as never, clientId: 'strategy', epochDay: EPOCH_DAY, ...this.#world,
      instruments: { entries: [one], get: (id) => (id === 1 ? one : undefined) },
    })
    this.record.start([{ accountId: 'paper', exchangeCode: 'swap', state: opened }], 0)
    this.record.begin([1])
  }

  price(price: number): void {
    this.market.bestBidPrice = price - 5
    this.market.bestAskPrice = price + 5
  }

  place(second: number, ...entries: PlaceEntry[]): this {
    this.#advance(second)
    this.record.ledger.requested('paper', this.#nowNs, { kind: 'place', entries })
    return this
  }

  receive(second: number, ...messages: ClientMessage[]): this {
    this.#advance(second)
    for (const message of messages) this.record.ledger.delivered('paper', this.#nowNs, message)
    return this
  }

  progress(): WorldProgress {
    return new LiveWorld({ ...this.#world, record: this.record, clock: new SimulatedClock(EPOCH_DAY, this.#nowNs), journal: null as never }).progress()
  }

  end(second: number): BacktestResult {
    this.#advance(second)
    const journal = new Journal({ get: () => undefined }, new KnownOrders(), EPOCH_DAY, null)
    return this.record.result({ nowNs: this.#nowNs, journal, pace: 'wall', isPartial: false, warnings: [] })
  }

  #advance(second: number): void {
    this.#nowNs = second * S
    this.record.advance(this.#nowNs)
  }
}

const placed = (bench: Bench): Bench => bench.place(1, entry('a')).receive(1.1, { kind: 'placeResponse', results: [{ ownOrderId: 'a', clientOrderId: 'a', exchangeTimeNs: S, result: report('a') }], adapterTimeNs: S })
const money = ({ summary: { money: [only], moneyEvents } }: BacktestResult): object => ({ profit: only?.profit, fees: only?.fees, flows: only?.flows, events: moneyEvents.map(({ kind, count, amount }) => [kind, count, amount]) })

test('progress counts the orders and fills of the run once, and those of others not; the position is the account\'s', () => {
  const bench = placed(new Bench())
  const counts = (): unknown[] => {
    const { orderCount, openOrderCount, fillCount, lastFillNs, positions } = bench.progress()
    return [orderCount, openOrderCount, fillCount, lastFillNs === null ? null : Number(lastFillNs % BigInt(86_400 * S)) / S, positions.map(({ size }) => size)]
  }
  expect(counts()).toEqual([1, 1, 0, null, []])
  bench.receive(2, fills(fill('1', 'foreign', { exchangeTimeNs: 2.5 * S })))
  expect(counts()).toEqual([1, 1, 0, null, ['1']])
  bench.receive(3, fills(fill('2', 'a', { quantity: 40 })), fills(fill('3', 'foreign', { exchangeTimeNs: 3 * S })))
  expect(counts()).toEqual([1, 1, 1, 2, ['2.4']])
  bench.receive(4, updates(report('a', { state: 'CANCELED', executedQuantity: 40 }))).end(60)
  expect(counts()).toEqual([1, 0, 1, 2, ['2.4']])
})

describe('an order and its fill', () => {
  test('are rows with what the messages say, and nothing that they do not', () => {
    const result = placed(new Bench()).receive(2, fills(fill('1', 'a')), updates(report('a', { state: 'FILLED', executedQuantity: 100, exchangeTimeNs: 2 * S })), wallets('999.9')).end(60)
    expect(result.orders.rows).toMatchObject([{ own_order_id: 'a', state: 'FILLED', executed_qty: '1', exchange_order_id: 'xa', quantity_ahead: null, touched_by_gap: null, error_type: null }])
    expect(result.fills.rows).toMatchObject([{ own_order_id: 'a', price: '100', qty: '1', fee: '0.1', cause: null, position: '1', value: '100' }])
    expect(money(result)).toEqual({ profit: '-0.1', fees: '0.1', flows: '0', events: [] })
  })

  test.each([
    ['twice', [fills(fill('1', 'a')), fills(fill('1', 'a'))], 1], ['in two messages', [fills(fill('1', 'a', { quantity: 40 })), fills(fill('2', 'a', { quantity: 60 }))], 2],
    ['behind the end of its order', [updates(report('a', { state: 'FILLED', executedQuantity: 100 })), fills(fill('1', 'a'))], 1],
    ['as late data alone, of one that never came', [fills(fill('1', 'a', { update: true }))], 0],
  ])('a fill that comes %s', (_what, messages, count) => {
    const result = placed(new Bench()).receive(2, ...messages).end(60)
    expect(result.fills.rowCount).toBe(count)
    expect(result.fills.rows.every(({ own_order_id }) => own_order_id === 'a')).toBe(true)
    expect(result.summary.fillCount).toBe(count)
  })

  test('a late fee takes the place of the first in fills and sums, and a sentence says what it does not reach', () => {
    const result = placed(new Bench()).receive(2, fills(fill('1', 'a')), fills(fill('1', 'a', { update: true, fees: '0.25' }))).end(60)
    expect(result.fills.rows.map(({ fee }) => fee)).toEqual(['0.25'])
    expect(money(result)).toMatchObject({ fees: '0.25', profit: '-0.25' })
    expect(result.summary.warnings.join()).toContain('fees came later than their fills')
  })

  test('a late fee in another underlying is taken back in the one and paid in the other', () => {
    const result = placed(new Bench()).receive(2, fills(fill('1', 'a')), fills(fill('1', 'a', { update: true, fees: '0.002', feeUnderlyingId: 30 }))).end(60)
    expect(result.fills.rows).toMatchObject([{ fee: '0.002', fee_underlying: '30' }])
    expect(result.summary.money.map(({ underlyingId, fees, profit }) => [underlyingId, fees, profit])).toEqual([[20, '0', '0'], [30, '0.002', '-0.002']])
  })

  test.each([
    ['of an instrument that no directory has', fill('1', 'a', { instrumentId: 77 }), 'fills of instrument 77, which no directory has, are in no table'],
    ['of which only late data came', fill('1', 'a', { update: true }), 'BTCUSDT: late data came of fills that had not come'],
  ])('a fill %s is named', (_what, one, sentence) => {
    const result = placed(new Bench()).receive(2, fills(one)).end(60)
    expect([result.fills.rowCount, result.summary.warnings.join()]).toEqual([0, expect.stringContaining(sentence)])
  })

  test('a price that no figure can hold ends no run: the result says that it is not whole', () => {
    const bench = placed(new Bench()).receive(2, fills(fill('1', 'a', { price: 1_000_000_000_000_000, priceScale: 18 })))
    const result = bench.receive(9, fills(fill('2', 'a'))).end(300)
    expect([result.isPartial, result.summary.warnings.join()]).toEqual([true, expect.stringContaining('the record of the run is not whole')])
    expect(result.fills.rowCount).toBe(2)
  })

  test('a refused order is a row with its error, and counts as rejected', () => {
    const error = { type: 'INSUFFICIENT_BALANCE', message: 'no', source: 'EXCHANGE' as const }
    const result = new Bench().place(1, entry('a')).receive(1.1, { kind: 'placeResponse', results: [{ ownOrderId: 'a', clientOrderId: 'a', exchangeTimeNs: S, error }], adapterTimeNs: S }).end(60)
    expect(result.orders.rows).toMatchObject([{ state: 'REJECTED', error_type: 'INSUFFICIENT_BALANCE', error_source: 'EXCHANGE' }])
    expect(result.summary.rejections).toMatchObject([{ request: 'place', type: 'INSUFFICIENT_BALANCE', count: 1 }])
  })

  test('updates, answers and fills of orders of others change no row of the run, and their fills change the account', () => {
    const result = new Bench().receive(1, updates(report('other')), { kind: 'placeResponse', results: [{ ownOrderId: 'other', clientOrderId: 'other', result: report('other') }], adapterTimeNs: S }, fills(fill('9', 'other'))).end(60)
    expect(result.orders.rowCount).toBe(0)
    expect(result.summary.instruments).toMatchObject([{ position: '1', averageEntryPrice: '100' }])
    expect(result.fills.rows).toMatchObject([{ own_order_id: 'other', position: '1' }])
  })
})

describe('cash', () => {
  test.each<[string, (bench: Bench) => Bench, object]>([
    ['a wallet behind its fill', (bench) => bench.receive(2, fills(fill('1', 'a')), wallets('999.9')), { flows: '0', events: [] }],
    ['a wallet before its fill', (bench) => bench.receive(2, wallets('999.9')).receive(2.5, fills(fill('1', 'a'))), { flows: '0', events: [] }],
    ['a wallet long before its fill: both ways are booked, and come to nothing', (bench) => bench.receive(2, wallets('999.9')).receive(9, fills(fill('1', 'a'))), { flows: '0', events: [['walletChange', 2, '0']] }],
    ['a funding', (bench) => bench.receive(2, wallets('1001.5')), { flows: '1.5', profit: '1.5', events: [['walletChange', 1, '1.5']] }],
    ['a funding beside a fill', (bench) => bench.receive(2, fills(fill('1', 'a')), wallets('1001.4')), { flows: '1.5', fees: '0.1', events: [['walletChange', 1, '1.5']] }],
    ['a loan is no income', (bench) => bench.receive(2, wallets('1050', { borrowed: '50' })), { flows: undefined, events: [] }],
    ['interest on it is a cost', (bench) => bench.receive(2, wallets('1050', { borrowed: '50' })).receive(5, wallets('1050', { borrowed: '50.5' })), { flows: '-0.5', events: [['walletChange', 1, '-0.5']] }],
  ])('%s', (_what, play, expected) => {
    const { flows, ...rest } = expected as { flows?: string }
    const found = money(play(placed(new Bench())).end(60)) as { flows?: string }
    expect(found).toMatchObject(rest)
    expect(found.flows ?? '0').toBe(flows ?? '0')
  })

  test('of an adapter that states none, nothing but fills is counted, and a sentence says so', () => {
    const bare = (marginBalance: string): Wallet<string, number> => ({ underlyingId: 20, availableAmount: '0', amountBlockedForMargin: '0', marginBalance })
    const result = placed(new Bench(state({ wallets: [bare('1000')] }))).receive(2, { kind: 'walletUpdate', wallets: [bare('1200')], adapterTimeNs: 2 * S }).end(60)
    expect(money(result)).toMatchObject({ events: [] })
    expect(result.summary.warnings.join()).toContain('its adapter states no cash')
  })
})

describe('positions', () => {
  test('of before the run begin at the price of the market: only what they gain from then on is profit', () => {
    const bench = new Bench(state({ positions: [{ instrumentId: 1, longPosition: 300, shortPosition: 0, averageEntryPrice: '50' }] }))
    bench.receive(10)
    bench.price(1100)
    const result = bench.end(60)
    expect(result.summary.instruments).toMatchObject([{ position: '3', unrealizedPnl: '30', averageEntryPrice: '100' }])
    expect(money(result)).toMatchObject({ profit: '30' })
  })

  test.each([['with an average price', '90', '99', 'is valued at its average entry price'], ['with none', undefined, undefined, 'has no price']])('of before the run in a market without a price, %s', (_what, averageEntryPrice, unrealized, sentence) => {
    const opened = state({ positions: [{ instrumentId: 1, longPosition: 990, shortPosition: 0, ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }) }] })
    const empty = new EmptyBench(opened)
    empty.price(1000)
    const result = empty.end(60)
    expect(result.summary.warnings.join()).toContain(sentence)
    expect(result.summary.instruments[0]?.unrealizedPnl).toBe(unrealized)
  })

  test('that differ behind a time without a connection are named, and come to rest as the fills made them', () => {
    const result = placed(new Bench()).receive(2, fills(fill('1', 'a')), wallets('999.9')).receive(9, { kind: 'accountStatus', state: state({ positions: [{ instrumentId: 1, longPosition: 300, shortPosition: 0 }], wallets: [wallet('999.9')] }) }).end(60)
    expect(result.summary.warnings.join()).toContain('its position in BTCUSDT is 3 by its adapter and 1 by the fills that came')
    expect(result.summary.instruments).toMatchObject([{ position: '1' }])
  })

  test('that a whole state does not name are flat by the adapter', () => {
    const result = placed(new Bench()).receive(2, fills(fill('1', 'a')), positions(100), wallets('999.9')).receive(9, { kind: 'accountStatus', state: state({ wallets: [wallet('999.9')] }) }).end(60)
    expect(result.summary.warnings.join()).toContain('its position in BTCUSDT is 0 by its adapter and 1 by the fills that came')
  })

  test.each([
    ['a contract that has expired brings its cash', '1970-01-01T00:00:00Z', [['settlement', 1, '7']], '0'],
    ['of one that has not, a position that is stated as closed is not believed, as its fill is on its way', null, [['walletChange', 1, '7']], '1'],
  ])('%s', (_what, expiry, events, position) => {
    const result = placed(new Bench(state(), { expiry })).receive(2, fills(fill('1', 'a')), wallets('999.9')).receive(9, positions(0), wallets('1006.9')).end(60)
    expect(money(result)).toMatchObject({ events })
    expect(result.summary.instruments).toMatchObject([{ position, profit: position === '0' ? '6.9' : '-0.1' }])
  })
})

/** The same, its market empty at the begin. */
class EmptyBench extends Bench {
  static #isMade = false
  override price(price: number): void {
    if (EmptyBench.#isMade) super.price(price)
    EmptyBench.#isMade = !EmptyBench.#isMade
  }
}
