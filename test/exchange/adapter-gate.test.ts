import { describe, expect, test } from 'vitest'
import type { Id } from '../../src/model/id.js'
import { FaultPlan, type PlannedFault } from '../../src/exchange/adapter/fault-plan.js'
import {
  GENERIC_PROFILE, type MessageRules, type RateLimit, type VenueProfile,
} from '../../src/exchange/profile/venue-profile.js'
import { constantLatency } from '../../src/exchange/adapter/order-latency.js'
import { RateLimiter } from '../../src/exchange/adapter/adapter-gate.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'
import { throughJson } from '../support/through-json.ts'

const instrument = madeInstrument()
const book: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 50], [1, 110, 50]] }
const MS = 1_000_000

interface Setting { readonly profile?: Partial<VenueProfile>, readonly faults?: readonly PlannedFault[], readonly lines?: readonly MarketLine[], readonly untilNs?: number, readonly latencyNs?: number }

/** What the client hears, a line a message. */
function received({ profile, faults = [], lines = [], untilNs = 1e12, latencyNs = 5 }: Setting, commands: readonly BenchCommand[]): string[] {
  const log: string[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book, ...lines], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map([[2, '100000']]), fees: { maker: '0.001', taker: '0.001' }, profile: { ...GENERIC_PROFILE, ...profile } }],
    assumptions: { requestLatency: constantLatency(latencyNs), responseLatency: constantLatency(latencyNs) },
    faults,
    delivered: (_world, _client, timeNs, message) => { log.push(...words(message).map((text) => `${timeNs} ${text}`)) },
  })
  bench.run(commands, untilNs)
  return log
}

function words(message: ClientMessage): string[] {
  switch (message.kind) {
    case 'placeResponse': case 'amendResponse': case 'replaceResponse': case 'cancelResponse':
      return message.results.map(({ ownOrderId, error }) => `${message.kind} ${String(ownOrderId)} ${error === undefined ? 'ok' : `${error.type} (${error.source})${error.retryTimeNs === undefined ? '' : ` retry ${error.retryTimeNs}`}`}`)
    case 'cancelAllResponse': return [`cancelAllResponse ${message.response.error?.type ?? 'ok'}`]
    case 'orderUpdate': return message.orders.map((order) => `update ${String(order.ownOrderId)} ${String(order.clientOrderId)} ${order.state} ${order.executedQuantity}${order.context === undefined ? '' : ` ${JSON.stringify(order.context)}`}`)
    case 'fill': return message.fills.map((fill) => `fill ${fill.quantity} fees ${String(fill.fees)}${String(fill.exchangeTradeId).startsWith('preliminary') ? ' preliminary' : ''}${fill.update ? ' update' : ''}${fill.context === undefined ? '' : ` ${JSON.stringify(fill.context)}`}`)
    case 'positionUpdate': return message.positions.map(({ longPosition, shortPosition }) => `position ${longPosition - shortPosition}`)
    case 'walletUpdate': return []
    case 'rateLimitLoad': return message.loads.map(({ id, p, a, r, c }) => `load ${id} ${p} ${a} ${r} ${c}`)
    case 'accountStatus': return [`status ${message.state.status}${message.state.message === '' ? '' : ` "${message.state.message}"`}, ${message.state.orders.length} open, position ${message.state.positions.map((one) => one.longPosition - one.shortPosition).join()}`]
    case 'orderContextResponse': return message.results.map(({ ownOrderId, result, error }) => `orderContext ${String(ownOrderId)} ${error?.type ?? JSON.stringify(result)}`)
    case 'fillContextResponse': return message.results.map(({ result, error }) => `fillContext ${error?.type ?? JSON.stringify(result)}`)
    case 'corporateAction': return ['corporateAction']
  }
}

const place = (timeNs: number, id: string, more: Parameters<typeof placeEntry>[1] = {}): BenchCommand => ({ timeNs, send: (entry) => { entry.place([placeEntry(id, more)]) } })

describe('rate limits', () => {
  const limits: readonly RateLimit[] = [{ id: 'orders', windowMs: 10, tokens: { place: 2, cancel: 1 } }]

  test('a window of tokens: what exceeds it is refused with the time of a retry, loads are told as they change and when the window is over', () => {
    expect(received({ profile: { rateLimits: limits } }, [place(2, 'a'), place(3, 'b'), place(4, 'c'), { timeNs: 30, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }, place(11 * MS, 'd')])).toEqual([
      '2 load orders 0.5 0 0 0', '3 load orders 1 0 0 0', `4 placeResponse c RATE_LIMIT_EXCEEDED (INTERNAL) retry ${10 * MS}`,
      '12 placeResponse a ok', '12 update a a CONFIRMED 0', '13 placeResponse b ok', '13 update b b CONFIRMED 0',
      '30 load orders 1 0 0 1', '40 cancelResponse a ok', '40 update a a CANCELED 0',
      `${10 * MS} load orders 0 0 0 0`, `${11 * MS} load orders 0.5 0 0 0`, `${11 * MS + 10} placeResponse d ok`, `${11 * MS + 10} update d d CONFIRMED 0`, `${20 * MS} load orders 0 0 0 0`,
    ])
  })

  test('after a limit was exceeded the key blocks for a while, whatever the window says', () => {
    const log = received({ profile: { rateLimits: [{ id: 'all', windowMs: 1, tokens: { shared: 1 }, blockMs: 5 }] } }, [place(2, 'a'), place(3, 'b'), place(2 * MS, 'c'), place(5 * MS + 3, 'd')])
    expect(log.filter((line) => line.includes('placeResponse'))).toEqual([
      `3 placeResponse b RATE_LIMIT_EXCEEDED (INTERNAL) retry ${5 * MS + 3}`, '12 placeResponse a ok', `${2 * MS} placeResponse c RATE_LIMIT_BLOCKED_AFTER_EXCEEDED (INTERNAL) retry ${5 * MS + 3}`,
      `${5 * MS + 13} placeResponse d ok`,
    ])
    expect(log[0]).toBe('2 load all 1 1 1 1')
  })

  test('a retry is told for when every key has budget: not during a block, and not in a window that is full', () => {
    const limits: RateLimit[] = [{ id: 'long', windowMs: 100, tokens: { shared: 1 }, blockMs: 5 }]
    const log = received({ profile: { rateLimits: limits } }, [place(2, 'a'), place(3, 'b'), place(2 * MS, 'c')])
    expect(log.filter((line) => line.includes('retry'))).toEqual([
      `3 placeResponse b RATE_LIMIT_EXCEEDED (INTERNAL) retry ${100 * MS}`, `${2 * MS} placeResponse c RATE_LIMIT_BLOCKED_AFTER_EXCEEDED (INTERNAL) retry ${100 * MS}`,
    ])
    const both = received({ profile: { rateLimits: [{ id: 'short', windowMs: 1, tokens: { place: 1 } }, { id: 'long', windowMs: 100, tokens: { place: 1 } }] } }, [place(2, 'a'), place(3, 'b')])
    expect(both.filter((line) => line.includes('retry'))).toEqual([`3 placeResponse b RATE_LIMIT_EXCEEDED (INTERNAL) retry ${100 * MS}`])
  })

  test('what is kept is for useSpare alone; without the retryTime capability no time is told', () => {
    const profile = { capabilities: { ...GENERIC_PROFILE.capabilities, retryTime: false }, rateLimits: [{ id: 'o', windowMs: 10, tokens: { place: 2 }, spare: 1 }] }
    const log = received({ profile }, [place(2, 'a'), place(3, 'b'), place(4, 'c', { useSpare: true }), place(5, 'd', { useSpare: true })])
    expect(log.filter((line) => line.includes('placeResponse'))).toEqual(['3 placeResponse b RATE_LIMIT_EXCEEDED (INTERNAL)', '5 placeResponse d RATE_LIMIT_EXCEEDED (INTERNAL)', '12 placeResponse a ok', '14 placeResponse c ok'])
  })

  test('no change and no cancel draws on what is kept', () => {
    const log = received({ profile: { rateLimits: [{ id: 'o', windowMs: 10, tokens: { shared: 2 }, spare: 1 }] } }, [
      place(2, 'a'), { timeNs: 20, send: (entry) => { entry.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b', price: 99 }]) } },
      { timeNs: 30, send: (entry) => { entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'c', currentClientOrderId: 'a', newClientOrderId: 'c', price: 99 }]) } },
      { timeNs: 40, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }, { timeNs: 50, send: (entry) => { entry.cancelAll({ requestId: 'r', createTimeNs: 50 }) } }, place(60, 'd', { useSpare: true }),
    ])
    expect(log.filter((line) => line.includes('Response')).map((line) => line.replace(/ retry .*/, ''))).toEqual([
      '12 placeResponse a ok', '20 amendResponse a RATE_LIMIT_EXCEEDED (INTERNAL)', '30 replaceResponse c RATE_LIMIT_EXCEEDED (INTERNAL)', '40 cancelResponse a RATE_LIMIT_EXCEEDED (INTERNAL)',
      '50 cancelAllResponse RATE_LIMIT_EXCEEDED', '70 placeResponse d ok',
    ])
  })

  test('each entry counts, a cancelAll counts as a cancel, and a refused entry takes nothing of any key', () => {
    const two: readonly RateLimit[] = [{ id: 'x', windowMs: 10, tokens: { place: 1, cancel: 0 } }, { id: 'y', windowMs: 10, tokens: { place: 5 } }]
    const log = received({ profile: { rateLimits: two } }, [
      { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', {}), placeEntry('b', {})]) } }, { timeNs: 3, send: (entry) => { entry.cancelAll({ requestId: 'r', createTimeNs: 3 }) } },
    ])
    expect(log.slice(0, 4)).toEqual([`2 placeResponse b RATE_LIMIT_EXCEEDED (INTERNAL) retry ${10 * MS}`, '2 load x 1 0 0 1', '2 load y 0.2 0 0 0', '3 cancelAllResponse RATE_LIMIT_EXCEEDED'])
  })

  test('its state is plain data and goes on where it was', () => {
    const first = new RateLimiter(limits, true)
    first.take('place', false, 2)
    first.take('place', false, 3)
    const second = new RateLimiter(limits, true)
    second.restore(throughJson(first.state()))
    expect([second.take('place', false, 4)?.type, second.take('place', false, 10 * MS)]).toEqual(['RATE_LIMIT_EXCEEDED', null])
  })
})

describe('account status', () => {
  const outage = (status: string, from: number, to: number): PlannedFault => ({ accountId: null, effect: { kind: 'status', status, message: 'maintenance' }, startNs: from, everyNs: null, forNs: to - from })

  test('disconnected: requests fail, the exchange goes on, and the event of the return carries the whole state before what was missed', () => {
    const trade: MarketLine = { kind: 'trades', timeNs: 40, rows: [[1, 95, 3]] }
    expect(received({ faults: [outage('DISCONNECTED', 30, 100)], lines: [trade] }, [
      place(2, 'a', { price: 96, totalQuantity: 5 }), place(50, 'b'), { timeNs: 60, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }, { timeNs: 61, send: (entry) => { entry.cancelAll({ requestId: 'r', createTimeNs: 61 }) } }, place(101, 'c'),
    ])).toEqual([
      '12 placeResponse a ok', '12 update a a CONFIRMED 0', '35 status DISCONNECTED "maintenance", 1 open, position ',
      '50 placeResponse b DISCONNECTED (INTERNAL)', '60 cancelResponse a DISCONNECTED (INTERNAL)', '61 cancelAllResponse DISCONNECTED',
      '105 status OK, 1 open, position 3', '105 fill 3 fees 0.288', '105 update a a CONFIRMED 3', '111 placeResponse c ok', '111 update c c CONFIRMED 0',
    ])
  })

  test.each([
    // The trade at 28 is told at 33, while the connection is there again, and while it is not.
    [31, ['33 position 3', '33 fill 3 fees 0.288', '33 update a a CONFIRMED 3', '35 status DISCONNECTED "maintenance", 1 open, position 3', '36 status OK, 1 open, position 3']],
    [50, ['35 status DISCONNECTED "maintenance", 1 open, position 3', '55 status OK, 1 open, position 3', '55 fill 3 fees 0.288', '55 update a a CONFIRMED 3']],
  ])('a status until %i says nothing before its time, and nothing older comes after it', (to, expected) => {
    const trade: MarketLine = { kind: 'trades', timeNs: 28, rows: [[1, 95, 3]] }
    expect(received({ faults: [outage('DISCONNECTED', 30, to)], lines: [trade] }, [place(2, 'a', { price: 96, totalQuantity: 5 })]).slice(2)).toEqual(expected)
  })

  test.each(['EXCHANGE_BUSY', 'BLOCKED', 'BANNED', 'SOMETHING_NEW'])('%s: cancelling may be tried, nothing else is allowed', (status) => {
    expect(received({ faults: [outage(status, 30, 100)] }, [place(2, 'a'), place(50, 'b'), { timeNs: 60, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }]).slice(2)).toEqual([
      `35 status ${status} "maintenance", 1 open, position `, `50 placeResponse b ${status} (INTERNAL)`, '70 cancelResponse a ok', '70 update a a CANCELED 0', '105 status OK, 0 open, position ',
    ])
  })

  test.each(['UNASSIGNED', 'MANUAL_SHUTDOWN', 'EMERGENCY_SHUTDOWN'])('%s: the adapter is gone, nothing is possible', (status) => {
    expect(received({ faults: [outage(status, 30, 100)] }, [place(2, 'a'), { timeNs: 60, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }]).slice(3, 4)).toEqual([`60 cancelResponse a ${status} (INTERNAL)`])
  })

  test('a seeded plan: once in every interval, inside it, the same for every asking, another for another seed', () => {
    const fault: PlannedFault = { accountId: 'A', effect: { kind: 'status', status: 'BANNED', message: '' }, startNs: 1000, everyNs: 500, forNs: 20 }
    const times = (seed: number): number[] => {
      const plan = new FaultPlan([fault], seed)
      const changes: number[] = []
      for (let at = plan.nextStatusNs('A', -Infinity); changes.length < 40; at = plan.nextStatusNs('A', at)) changes.push(at)
      for (const [number, at] of changes.entries()) {
        expect(plan.active('status', 'A', at) !== null).toBe(number % 2 === 0)
        expect(plan.active('status', 'A', at - 1) !== null).toBe(number % 2 === 1)
        expect(Math.floor((at - (number % 2) * 20 - 1000) / 500)).toBe(Math.floor(number / 2))
      }
      expect([plan.nextStatusNs('B', 0), plan.active('status', 'B', changes[0]!)]).toEqual([Infinity, null])
      return changes
    }
    expect(times(1)).toEqual(times(1))
    expect(times(1)).not.toEqual(times(2))
  })
})

describe('faults of requests', () => {
  const fault = (effect: PlannedFault['effect']): PlannedFault => ({ accountId: null, effect, startNs: 30, everyNs: null, forNs: 70 })

  test.each(['HTTP_REQUEST_TIMEOUT', 'HTTP_REQUEST_FAILED', 'UNEXPECTED_RESPONSE', 'ACCESS_DENIED'])('%s for a while, of some requests only', (type) => {
    expect(received({ faults: [fault({ kind: 'requests', requests: ['place'], type, source: 'EXCHANGE' })] }, [place(2, 'a'), place(50, 'b'), { timeNs: 60, send: (entry) => { entry.cancel([{ ownOrderId: 'a' }]) } }]).slice(2, 4)).toEqual([
      `50 placeResponse b ${type} (EXCHANGE)`, '70 cancelResponse a ok',
    ])
  })

  test('a half-done replace: cancelled, and nothing in its place', () => {
    expect(received({ faults: [fault({ kind: 'replaces', type: 'EXCHANGE_OVERLOADED' })] }, [place(2, 'a'), { timeNs: 50, send: (entry) => { entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b' }]) } }]).slice(2)).toEqual([
      '60 replaceResponse b EXCHANGE_OVERLOADED (EXCHANGE)', '60 update a a CANCELED 0',
    ])
  })
})

describe('fills', () => {
  const take = [place(2, 'a', { price: 110, totalQuantity: 2 })]
  const messages = (rules: MessageRules, faults: readonly PlannedFault[] = []): string[] => received({ profile: { messages: rules }, faults }, take).slice(2)

  test('fill before update, update before fill, or as the seed draws it; the position always before the fill', () => {
    expect(messages({})).toEqual(['12 position 2', '12 fill 2 fees 0.22', '12 update a a FILLED 2'])
    expect(messages({ fillOrder: 'updateFirst' })).toEqual(['12 position 2', '12 update a a FILLED 2', '12 fill 2 fees 0.22'])
    const commands = Array.from({ length: 24 }, (_, at) => place(2 + at, `o${at}`, { price: 110 }))
    const log = received({ profile: { messages: { fillOrder: 'seeded' } } }, commands).filter((line) => /fill|FILLED/.test(line)).map((line) => (line.includes('FILLED') ? 'U' : 'F')).join('')
    expect([...new Set(log.match(/../g))].sort()).toEqual(['FU', 'UF'])
  })

  test('fees and the trade id that come later: the same fill again with update = true', () => {
    expect(messages({ lateFees: '50ns', lateTradeId: true })).toEqual(['12 position 2', '12 fill 2 fees 0 preliminary', '12 update a a FILLED 2', '62 fill 2 fees 0.22 update'])
  })

  test('a late fill: the update that states it comes before', () => {
    const late: PlannedFault = { accountId: null, effect: { kind: 'fills', delayNs: 30 }, startNs: 0, everyNs: null, forNs: 70 }
    expect(messages({ lateFees: '50ns' }, [late])).toEqual(['12 position 2', '12 update a a FILLED 2', '42 fill 2 fees 0', '92 fill 2 fees 0.22 update'])
  })
})

describe('contexts', () => {
  test('of an order: it travels with every later update; an order that is not open is not found', () => {
    expect(received({}, [
      place(2, 'a', { context: { n: 1 } }), { timeNs: 20, send: (entry) => { entry.orderContext([{ ownOrderId: 'a', clientOrderId: 'a', context: { n: 2 } }, { ownOrderId: 'x', clientOrderId: 'x', context: {} }]) } },
      { timeNs: 30, send: (entry) => { entry.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'a2', price: 99 }]) } },
    ])).toEqual([
      '12 placeResponse a ok', '12 update a a CONFIRMED 0 {"n":1}', '20 orderContext a {"context":{"n":2}}', '20 orderContext x ORDER_NOT_FOUND',
      '40 amendResponse a ok', '40 update a a2 CONFIRMED 0 {"n":2}',
    ])
  })

  test('of a fill: its correction carries it; a fill that is not known is not found', () => {
    const ids: string[] = []
    const bench = new ExchangeBench({
      instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
      accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, messages: { lateFees: '50ns' } } }],
      delivered: (_world, _client, _timeNs, message) => {
        if (message.kind === 'fill') ids.push(...message.fills.map((fill) => `${String(fill.ownFillId)} ${JSON.stringify(fill.context)}`))
        else if (message.kind === 'fillContextResponse') ids.push(...message.results.map(({ error, result }) => `- ${error?.type ?? JSON.stringify(result)}`))
      },
    })
    bench.run([place(2, 'a', { price: 110 }), { timeNs: 10, send: (entry) => { entry.fillContext([{ ownFillId: ids[0]!.split(' ')[0]!, context: { why: 'test' } }, { ownFillId: 'x', context: {} }]) } }])
    expect(ids.map((id) => id.split(' ')[1])).toEqual(['undefined', '{"context":{"why":"test"}}', 'FILL_NOT_FOUND', '{"why":"test"}'])
  })
})

test('a venue without cancelAll refuses it, and orders stay', () => {
  const profile = { capabilities: { ...GENERIC_PROFILE.capabilities, cancelAll: false } }
  expect(received({ profile }, [place(2, 'a'), { timeNs: 20, send: (entry) => { entry.cancelAll({ requestId: 'r', createTimeNs: 20 }) } }])).toEqual(['12 placeResponse a ok', '12 update a a CONFIRMED 0', '20 cancelAllResponse NOT_SUPPORTED'])
})

test('an adapter that is read back knows its orders, its fills and their contexts, and its limits', () => {
  const limits: readonly RateLimit[] = [{ id: 'orders', windowMs: 10, tokens: { place: 3, cancel: 9 } }]
  let fillId: Id = ''
  const made = (log: string[]): ExchangeBench => new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book, { kind: 'trades', timeNs: 12 * MS, rows: [[1, 90, 1]] }], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, rateLimits: limits, messages: { lateFees: '1ms' } } }],
    delivered: (_world, _client, timeNs, message) => {
      if (message.kind === 'fill') fillId = message.fills[0]!.ownFillId
      log.push(...words(message).map((text) => `${timeNs} ${text}`))
    },
  })
  const commands: BenchCommand[] = [
    place(2, 'open', { price: 95 }), place(3, 'filled', { price: 110 }), place(4, 'third'), { timeNs: 5, send: (entry) => { entry.fillContext([{ ownFillId: fillId, context: { n: 1 } }]) } }, place(6, 'too many'),
    { timeNs: 7, send: (entry) => { entry.cancel([{ ownOrderId: 'third' }]) } }, ...['open', 'filled', 'third', 'fresh'].map((id, at) => place(11 * MS + at, id)), { timeNs: 11 * MS + 9, send: (entry) => { entry.fillContext([{ ownFillId: fillId, context: { n: 2 } }]) } },
  ]
  const whole: string[] = []
  made(whole).run(commands)
  expect(whole.filter((line) => /DUPLICATE|EXCEEDED|fillContext|update \{|load orders 0 /.test(line))).toEqual([
    '5 fillContext {"context":{"n":1}}', `6 placeResponse too many RATE_LIMIT_EXCEEDED (INTERNAL) retry ${10 * MS}`, `${MS + 3} fill 1 fees 0 update {"n":1}`, `${10 * MS} load orders 0 0 0 0`,
    ...['open', 'filled', 'third'].map((id, at) => `${11 * MS + at} placeResponse ${id} ORDER_ID_DUPLICATE (INTERNAL)`), `${11 * MS + 9} fillContext {"context":{"n":2}}`, `${20 * MS} load orders 0 0 0 0`,
  ])
  for (const cutNs of [2, 4, 5, 6, 7, MS, 10 * MS, 11 * MS + 1]) expect(playedInTwo(made, commands, cutNs).received, `cut at ${cutNs}`).toEqual(whole)
})

test('the owner travels with updates and fills', () => {
  const owners: unknown[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    delivered: (_world, _client, _timeNs, message) => {
      if (message.kind === 'orderUpdate') owners.push(...message.orders.map((order) => order.owner))
      if (message.kind === 'fill') owners.push(...message.fills.map((fill) => fill.owner))
    },
  })
  const owner = { instanceId: '1', instanceName: 'maker', processId: 'p', org: 'o', version: '2' }
  bench.run([place(2, 'a', { price: 110, owner })])
  expect(owners).toEqual([owner, owner, owner])
})

test('a replacement is as its order was, but for what it says; a context of its own takes the place of the other', () => {
  const reports = new Map<string, object>()
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    delivered: (_world, _client, _timeNs, message) => {
      if (message.kind === 'orderUpdate') for (const { ownOrderId, openClose, closeOnly, reduceOnly, displayQuantity, walletType, owner, context } of message.orders) reports.set(String(ownOrderId), { openClose, closeOnly, reduceOnly, displayQuantity, walletType, owner, context })
    },
  })
  const owner = { instanceId: '1', instanceName: 'maker', processId: 'p', org: 'o', version: '2' }
  const replace = (timeNs: number, id: string, more: object = {}): BenchCommand => ({ timeNs, send: (entry) => { entry.replace([{ currentOwnOrderId: id, newOwnOrderId: `${id} again`, currentClientOrderId: id, newClientOrderId: `${id} again`, ...more }]) } })
  const [open, closing, reducing] = [{ openClose: 'OPEN', walletType: 'ACCOUNT', owner, context: { n: 1 } }, { side: 'ASK', price: 120, closeOnly: true, displayQuantity: 1 }, { side: 'ASK', price: 130, reduceOnly: true }] as const
  bench.run([
    place(2, 'held', { price: 110, totalQuantity: 2 }), place(3, 'open', open), replace(4, 'open', { price: 99 }), place(5, 'noted', open), replace(6, 'noted', { context: { n: 2 } }),
    place(7, 'reduce', reducing), replace(8, 'reduce', { price: 131 }), place(9, 'close', closing), replace(10, 'close', { price: 121 }),
  ])
  const nothing = Object.fromEntries(['openClose', 'closeOnly', 'reduceOnly', 'displayQuantity', 'walletType', 'owner', 'context'].map((field) => [field, undefined]))
  expect(Object.fromEntries(['open', 'noted', 'reduce', 'close'].map((id) => [id, reports.get(`${id} again`)]))).toEqual({
    open: { ...nothing, ...open }, noted: { ...nothing, ...open, context: { n: 2 } }, reduce: { ...nothing, reduceOnly: true }, close: { ...nothing, closeOnly: true, displayQuantity: 1 },
  })
})

test('the state at login and the events of status carry the loads', () => {
  const loads: unknown[] = []
  const bench = new ExchangeBench({
    instruments: [{ instrument, batches: [lineBatch([book], { instrument })] }],
    accounts: [{ accountId: 'A', exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' }, profile: { ...GENERIC_PROFILE, rateLimits: [{ id: 'o', windowMs: 10, tokens: { shared: 4 } }] } }],
    faults: [{ accountId: null, effect: { kind: 'status', status: 'EXCHANGE_BUSY', message: '' }, startNs: 30, everyNs: null, forNs: 70 }],
    delivered: (_world, _client, _timeNs, message) => { if (message.kind === 'accountStatus') loads.push(message.state.rateLimitLoads) },
  })
  expect(bench.entryOf().initial.rateLimitLoads).toEqual([{ id: 'o', p: 0, a: 0, r: 0, c: 0 }])
  bench.run([place(2, 'a', {})])
  expect(loads).toEqual([[{ id: 'o', p: 0.25, a: 0.25, r: 0.25, c: 0.25 }], [{ id: 'o', p: 0.25, a: 0.25, r: 0.25, c: 0.25 }]])
})

test('several entries of one request, one instrument: each is judged by itself; clientOrderIds follow the modifications', () => {
  expect(received({}, [
    { timeNs: 2, send: (entry) => { entry.place([placeEntry('a', {}), placeEntry('b', { price: -1.5 }), placeEntry('c', { instrumentId: 7 })]) } },
    { timeNs: 20, send: (entry) => { entry.amend([{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'a2', totalQuantity: 3 }, { ownOrderId: 'z', currentClientOrderId: 'z', newClientOrderId: 'z2' }]) } },
    { timeNs: 40, send: (entry) => { entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'd', currentClientOrderId: 'a2', newClientOrderId: 'd1' }]) } },
  ])).toEqual([
    '2 placeResponse b INVALID_PRICE (INTERNAL)', '2 placeResponse c INVALID_REQUEST (INTERNAL)', '12 placeResponse a ok', '12 update a a CONFIRMED 0',
    '30 amendResponse a ok', '30 amendResponse z ORDER_NOT_FOUND (EXCHANGE)', '30 update a a2 CONFIRMED 0',
    '50 replaceResponse d ok', '50 update a a2 CANCELED 0', '50 update d d1 CONFIRMED 0',
  ])
})
