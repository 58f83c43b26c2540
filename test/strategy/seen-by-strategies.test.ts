import { describe, expect, test } from 'vitest'
import { Price, Quantity } from '../../src/model/fixed-decimal.js'
import type { OrderReport } from '../../src/model/order.js'
import type { Order } from '../../src/strategy/order.js'
import type { OrderError } from '../../src/strategy/order-error.js'
import type { OrderParams } from '../../src/strategy/order-params.js'
import type { Strategy } from '../../src/strategy/strategy.js'
import type { AccountState, IsolatedPosition, Position } from '../../src/venue/account-messages.js'
import { fakeEntry } from '../support/fake-market.js'
import { fillOf, reportOf, type FakeVenue } from '../support/fake-venue.js'
import { recording, startFake, type RecordingStrategy } from '../support/recording-strategy.js'
import { throughJson } from '../support/through-json.ts'

const ORDERS: readonly (keyof Strategy)[] = ['onOrderUpdate', 'onOrderError', 'onOrderFill', 'onOrderFillUpdate', 'onInstrumentPosition', 'onAccountCancelAllOrdersResponse']
const BUY: OrderParams = { side: 'BID', quantity: Quantity.from('0.1'), price: Price.from('100') }

const running = (options: Parameters<typeof startFake>[1] = {}) => startFake(recording(ORDERS), options)

/** Three orders that were confirmed; what was received so far is forgotten. */
function open(venue: FakeVenue, strategy: RecordingStrategy): Order[] {
  const orders = [1, 2, 3].map(() => strategy.instrument.placeOrder({ ...BUY, context: { n: 1 } }))
  for (const entry of venue.entry.placed) venue.entry.confirm(entry)
  strategy.received.length = 0
  return orders
}

describe('an outage calls back for what has changed', () => {
  const stateOf = (venue: FakeVenue, status: string, changes: readonly Partial<OrderReport>[], more: Partial<AccountState> = {}): AccountState => ({
    ...venue.entry.initial, status, orders: venue.entry.placed.map((entry, at) => ({ ...reportOf(entry), context: { n: 1 }, ...changes[at] })), ...more,
  })

  test.each<readonly [what: string, changes: readonly Partial<OrderReport>[], received: readonly string[]]>([
    ['nothing', [], []],
    ['another exchange time is no change of an order', [{ exchangeTimeNs: 99 }], []],
    ['a fill that was missed', [{}, { executedQuantity: 4 }], ['onOrderUpdate(id-3 CONFIRMED 0.04)']],
    ['an order that has ended', [{ state: 'CANCELED' }], ['onOrderUpdate(id-1 CANCELED 0)']],
    ['another price, another quantity', [{ price: 1005 }, {}, { totalQuantity: 20 }], ['onOrderUpdate(id-1 CONFIRMED 0)', 'onOrderUpdate(id-5 CONFIRMED 0)']],
    ['another id of its terms', [{ clientOrderId: 'new' }], ['onOrderUpdate(id-1 CONFIRMED 0)']],
    ['another context', [{ context: { n: 2 } }], ['onOrderUpdate(id-1 CONFIRMED 0)']],
    ['a trigger', [{ triggerPrice: 1020, triggered: true }], ['onOrderUpdate(id-1 CONFIRMED 0)']],
    ['why it ended', [{ state: 'REJECTED', error: { type: 'EXPIRED', message: 'over', source: 'EXCHANGE' } }], ['onOrderUpdate(id-1 REJECTED 0)']],
  ])('%s', (_what, changes, received) => {
    const { venue, strategy } = running()
    open(venue, strategy)
    venue.entry.listener.onAccountStatus(stateOf(venue, 'DISCONNECTED', []))
    expect(strategy.received).toEqual([])
    venue.entry.listener.onAccountStatus(stateOf(venue, 'OK', changes))
    expect(strategy.received).toEqual(received)
  })

  test('an amend that waits for its answer stays one', () => {
    const { venue, strategy } = running()
    const [order] = open(venue, strategy)
    order!.amend({ quantity: Quantity.from('0.2') })
    venue.entry.listener.onAccountStatus(stateOf(venue, 'DISCONNECTED', []))
    expect([order!.state, strategy.received]).toEqual(['PENDING_AMEND', []])
  })

  test('positions too, which are what is held and its entry', () => {
    const { venue, strategy } = running()
    const position = (changes: Partial<Position>): Position => ({ instrumentId: 1, longPosition: 5, shortPosition: 0, averageEntryPrice: '100', unrealizedPnl: '1', ...changes })
    const isolated = (long: number): IsolatedPosition => ({ instrumentId: 1, long: { size: long, unrealizedPnl: '3' }, short: { size: 2 } })
    venue.entry.listener.onPositionUpdate([position({})], 0, [isolated(3)])
    const told = (changes: Partial<Position>, long: number): readonly string[] => {
      strategy.received.length = 0
      venue.entry.listener.onAccountStatus(stateOf(venue, 'OK', [], { positions: [position(changes)], isolatedPositions: [isolated(long)] }))
      return [...strategy.received]
    }
    expect([told({ unrealizedPnl: '7', exchangeTimeNs: 5 }, 3), told({ averageEntryPrice: '101' }, 3), told({ averageEntryPrice: '101' }, 4), told({ longPosition: 6, averageEntryPrice: '101' }, 4)])
      .toEqual([[], ['onInstrumentPosition(at 0.06)'], ['onInstrumentPosition(at 0.07)'], ['onInstrumentPosition(at 0.08)']])
  })
})

describe('a fill', () => {
  test('has the exchange\'s id, its fees in USD and its openClose; late data bring others', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder({ ...BUY, openClose: 'OPEN' })
    const [entry] = venue.entry.placed
    venue.entry.confirm(entry!)
    const fill = fillOf(entry!, 4, { exchangeTradeId: 'preliminary-7', usdFees: '0.25', openClose: 'OPEN' })
    venue.entry.listener.onFill([fill], 0)
    expect(order.getLastFill()).toMatchObject({ exchangeTradeId: 'preliminary-7', usdFees: '0.25', openClose: 'OPEN' })
    venue.entry.listener.onFill([{ ...fill, update: true, exchangeTradeId: 't7', usdFees: '0.5' }], 0)
    expect(order.getLastFill()).toMatchObject({ exchangeTradeId: 't7', usdFees: '0.5', openClose: 'OPEN' })
    expect(strategy.instrument.fills).toMatchObject([{ exchangeTradeId: 't7', usdFees: '0.5', openClose: 'OPEN' }])
  })

  test('without a rate it has no fees in USD, and elsewhere its openClose is AUTO', () => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder(BUY)
    const [entry] = venue.entry.placed
    venue.entry.listener.onFill([fillOf(entry!, 4)], 0)
    expect(order.getLastFill()).toMatchObject({ usdFees: null, openClose: 'AUTO', exchangeTradeId: expect.any(String) as string })
  })

  test('keeps them over a checkpoint', () => {
    const { venue, strategy, runtime } = running()
    strategy.instrument.placeOrder(BUY)
    venue.entry.listener.onFill([fillOf(venue.entry.placed[0]!, 4, { exchangeTradeId: 't1', usdFees: '0.25', openClose: 'CLOSE' })], 0)
    const resumed = running({ resume: throughJson(runtime.state()) })
    for (const fill of [resumed.strategy.instrument.fills[0], resumed.strategy.instrument.openOrders[0]!.getLastFill()]) expect(fill).toMatchObject({ exchangeTradeId: 't1', usdFees: '0.25', openClose: 'CLOSE' })
  })
})

describe('both sides of a position', () => {
  const sides = ({ instrument }: RecordingStrategy): string[] => [instrument.positions.long, instrument.positions.short, instrument.position].map(String)

  test.each<readonly [what: string, position: Partial<Position>, isolated: readonly [number, number] | null, seen: readonly string[]]>([
    ['nothing', {}, null, ['0', '0', '0']],
    ['long', { longPosition: 5 }, null, ['0.05', '0', '0.05']],
    ['short', { shortPosition: 5 }, null, ['0', '0.05', '-0.05']],
    ['a hedge alone', {}, [3, 5], ['0.03', '0.05', '-0.02']],
    ['that adds up to nothing', {}, [4, 4], ['0.04', '0.04', '0']],
    ['a net long beside a hedge', { longPosition: 2 }, [3, 5], ['0.05', '0.05', '0']],
    ['a net short beside a hedge', { shortPosition: 2 }, [3, 5], ['0.03', '0.07', '-0.04']],
  ])('%s', (_what, position, isolated, seen) => {
    const { venue, strategy, runtime } = running()
    venue.entry.listener.onPositionUpdate(
      [{ instrumentId: 1, longPosition: 0, shortPosition: 0, ...position }], 0, isolated === null ? [] : [{ instrumentId: 1, long: { size: isolated[0] }, short: { size: isolated[1] } }],
    )
    expect(sides(strategy)).toEqual(seen)
    expect(sides(running({ resume: throughJson(runtime.state()) }).strategy)).toEqual(seen)
  })

  test('of spot the wallet is the long one', () => {
    const { venue, strategy } = running({ entries: [fakeEntry({ type: 'spot', baseUnderlyingId: 10 })] })
    venue.entry.listener.onWalletUpdate([{ underlyingId: 10, availableAmount: '1', amountBlockedForMargin: '0', marginBalance: '1.5' }], 0)
    expect(sides(strategy)).toEqual(['1.5', '0', '1.5'])
  })
})

describe('the time of a retry counts from the epoch, as now() does', () => {
  const LIMIT = { type: 'RATE_LIMIT_EXCEEDED', message: 'no budget', source: 'INTERNAL' as const, retryTimeNs: 5_000_000_000 }
  const DAY = 20_635

  function limited(): ReturnType<typeof running> & { readonly order: Order } {
    const run = running()
    Object.assign(run.venue.clock, { epochDay: DAY })
    const order = run.strategy.instrument.placeOrder(BUY)
    return { ...run, order }
  }

  test('in the callback, on the order, in the answer of a cancel of all', () => {
    const { venue, strategy, order } = limited()
    const errors: OrderError[] = []
    strategy.reactions.set('onOrderError', (_order, error) => void errors.push(error as OrderError))
    strategy.reactions.set('onAccountCancelAllOrdersResponse', (_account, error) => void errors.push(error as OrderError))
    const { ownOrderId, clientOrderId } = venue.entry.placed[0]!
    venue.entry.listener.onPlaceResponse([{ ownOrderId, clientOrderId, error: LIMIT }], 0)
    venue.entry.listener.onCancelAllResponse({ requestId: 'r', error: LIMIT } as never)
    const epoch = BigInt(DAY) * 86_400_000_000_000n + 5_000_000_000n
    expect(errors.map(({ retryTimeNs }) => retryTimeNs)).toEqual([epoch, epoch])
    expect([order.lastError, order.lastError?.type]).toEqual([errors[0], LIMIT.type])
    expect(order.lastError).toBe(order.lastError)
    // JSON holds it as digits, in an order too.
    expect(JSON.parse(JSON.stringify([errors[0], order]))).toMatchObject([{ ...LIMIT, retryTimeNs: String(epoch) }, { lastError: { retryTimeNs: String(epoch) } }])
  })

  test('an error without one has none, and a checkpoint keeps it', () => {
    const { venue, order, runtime } = limited()
    venue.entry.reject(venue.entry.placed[0]!)
    expect([order.lastError, 'retryTimeNs' in order.lastError!]).toEqual([{ type: 'INVALID_PRICE', message: 'no', source: 'EXCHANGE' }, false])
    const { ownOrderId } = venue.entry.placed[0]!
    venue.entry.listener.onCancelResponse([{ ownOrderId, error: LIMIT }], 0)
    expect(JSON.stringify(throughJson(runtime.state()))).toContain('"retryTimeNs":5000000000')
  })
})

describe('a context is plain JSON', () => {
  const circle: Record<string, unknown> = {}
  circle['of'] = [circle]

  test.each<readonly [given: unknown, sent: unknown]>([
    [{ a: undefined }, {}],
    [{ a: { b: undefined, c: 1 }, d: [1, undefined, null] }, { a: { c: 1 }, d: [1, null, null] }],
    [{ at: new Date(0), price: Price.from('1.50') }, { at: '1970-01-01T00:00:00.000Z', price: '1.5' }],
    [JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('{"__proto__":{"x":1}}')],
    [{ n: -0.5, s: '', t: true, z: null }, { n: -0.5, s: '', t: true, z: null }],
  ])('%j', (given, sent) => {
    const { venue, strategy } = running()
    const order = strategy.instrument.placeOrder({ ...BUY, context: given as never })
    expect([JSON.stringify(venue.entry.placed[0]!.context), JSON.stringify(order.context)]).toEqual([JSON.stringify(sent), JSON.stringify(sent)])
  })

  test('a later change of what was given changes no order', () => {
    const { venue, strategy } = running()
    const given = { tag: { n: 1 } }
    const order = strategy.instrument.placeOrder({ ...BUY, context: given })
    given.tag.n = 2
    expect([order.context, venue.entry.placed[0]!.context]).toEqual([{ tag: { n: 1 } }, { tag: { n: 1 } }])
  })

  test.each<readonly [what: string, context: unknown, field: string, found: string]>([
    ['a bigint', { a: 5n }, 'context.a', '5n'],
    ['no number', { a: [1, NaN] }, 'context.a[1]', 'NaN'],
    ['infinity', { a: { b: -Infinity } }, 'context.a.b', '-Infinity'],
    ['a function', { a: () => 1 }, 'context.a', 'Function'],
    ['a symbol', { a: Symbol('s') }, 'context.a', 'Symbol(s)'],
    ['a map', { m: new Map([[1, 2]]) }, 'context.m', 'Map'],
    ['a typed array', { m: new Uint8Array(2) }, 'context.m', 'Uint8Array'],
    ['a circle', circle, `context${'.of[0]'.repeat(32)}`, 'a value that is no JSON'],
  ])('%s is refused, with its place', (_what, context, field, found) => {
    const { venue, strategy } = running()
    const place = { field, expected: 'JSON of at most 64 levels', found }
    expect(() => strategy.instrument.placeOrder({ ...BUY, context: context as never })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place }))
    const [order] = open(venue, strategy)
    for (const verb of ['amend', 'replace'] as const)
      expect(() => order![verb]({ context: context as never })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', place, message: expect.stringContaining(`Cannot ${verb} an order: ${field}`) as string }))
    expect(venue.entry.requests.every(({ kind }) => kind === 'place')).toBe(true)
  })
})
