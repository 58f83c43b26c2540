import type { Id } from '../../src/model/id.js'
import { UNSENT } from '../../src/exchange/outbox.js'
import { describe, expect, test } from 'vitest'
import { withdrawn, type HeldRequest } from '../../src/exchange/waiting-requests.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import type { OrderEntry } from '../../src/venue/venue.js'
import { ExchangeBench, placeEntry, type BenchCommand } from '../support/exchange-bench.ts'
import { lineBatch, madeInstrument, type MarketLine } from '../support/market-lines.ts'
import { playedInTwo } from '../support/played-in-two.ts'
import type { ClientMessage } from '../../src/venue/order-messages.js'

/** Clients c and d have an account each, e shares c's. */
const clients = { c: 'A', d: 'B', e: 'A' }
const BOOK: MarketLine = { kind: 'snapshot', timeNs: 1, rows: [[0, 100, 5], [1, 101, 5]] }
const gap = (timeNs: number): MarketLine => ({ kind: 'update', timeNs, rows: [[0, 99, 1]], gap: true })
const at = (timeNs: number, clientId: string, send: (entry: OrderEntry) => void): BenchCommand => ({ timeNs, clientId, send })
const place = (timeNs: number, clientId: string, ownOrderIds: readonly string[], terms: Partial<PlaceEntry> = {}): BenchCommand => at(timeNs, clientId, (entry) => {
  entry.place(ownOrderIds.map((id) => placeEntry(id, { price: 50, totalQuantity: 1, ...terms })))
})
const cancel = (timeNs: number, clientId: string, ...ownOrderIds: string[]): BenchCommand => at(timeNs, clientId, (entry) => entry.cancel(ownOrderIds.map((ownOrderId) => ({ ownOrderId, clientOrderId: ownOrderId }))))

const entriesOf = (message: ClientMessage): readonly { readonly ownOrderId: Id, readonly error?: { readonly type: string } | undefined }[] | null => {
  if (message.kind === 'orderUpdate') return message.orders.map(({ ownOrderId, state }) => ({ ownOrderId: `${String(ownOrderId)} ${state}` }))
  return message.kind === 'placeResponse' || message.kind === 'amendResponse' || message.kind === 'replaceResponse' || message.kind === 'cancelResponse' ? message.results : null
}

/** Two instruments that freeze: the first is blind from 10 to 50, the second from 12 to 70, both again from 100 to 110, when nothing waits any more. What clients hear, a line a message. */
function made(received: string[]): ExchangeBench {
  const lines = (from: number, to: number): MarketLine[] => [BOOK, gap(from), { ...BOOK, timeNs: to }, { kind: 'trades', timeNs: 90, rows: [[0, 105, 1]] }, gap(100), { ...BOOK, timeNs: 110 }]
  return new ExchangeBench({
    instruments: [madeInstrument(), madeInstrument({ id: 2 })].map((instrument) => ({ instrument, batches: [lineBatch(instrument.id === 1 ? lines(10, 50) : lines(12, 70), { instrument })] })),
    clients, assumptions: { gaps: 'freeze' }, accounts: ['A', 'B'].map((accountId) => ({ accountId, exchangeCode: 'test', balances: new Map(), fees: { maker: '0', taker: '0' } })),
    delivered: (_world, clientId, timeNs, message) => {
      const entries = entriesOf(message)
      if (entries !== null) received.push(`${timeNs} ${clientId} ${message.kind} ${entries.map(({ ownOrderId, error }) => (error === undefined ? ownOrderId : `${String(ownOrderId)}:${error.type}`)).join(' ')}`)
      else if (message.kind === 'cancelAllResponse') received.push(`${timeNs} ${clientId} cancelAllResponse ${String(message.response.requestId)} at ${message.response.exchangeTimeNs}`)
    },
  })
}

function play(commands: readonly BenchCommand[]): { received: string[], bench: ExchangeBench } {
  const received: string[] = []
  const bench = made(received)
  bench.run(commands)
  return { received, bench }
}

const openIn = (bench: ExchangeBench): Id[] => [...bench.worlds[0]!.orders.openOrders()].map(({ ownOrderId }) => ownOrderId)

test('what waits is taken up by the snapshot of its own instrument, in the order of coming', () => {
  const { received } = play([place(20, 'c', ['one']), place(21, 'd', ['two'], { instrumentId: 2 }), place(22, 'd', ['three']), place(80, 'c', ['four'])])
  const responses = received.filter((line) => line.includes('placeResponse'))
  expect(responses).toEqual(['50 c placeResponse one', '50 d placeResponse three', '70 d placeResponse two', '80 c placeResponse four'])
})

test('a cancel takes back what it names, of its own account, and the rest of that request waits on', () => {
  const { received, bench } = play([place(20, 'c', ['one', 'two']), place(21, 'd', ['one']), place(22, 'c', ['three']), cancel(30, 'e', 'one')])
  expect(received.slice(0, 2).sort()).toEqual(['30 c placeResponse one:MARKET_DATA_GAP', '30 e cancelResponse one:ORDER_NOT_FOUND'])
  expect(received.filter((line) => line.includes('placeResponse'))).toEqual(['30 c placeResponse one:MARKET_DATA_GAP', '50 c placeResponse two', '50 d placeResponse one', '50 c placeResponse three'])
  expect(openIn(bench)).toEqual(['two', 'one', 'three'])
})

test('what is left of a request waits on, where nothing else keeps its instrument in sight', () => {
  expect(play([place(20, 'c', ['one', 'two']), cancel(30, 'c', 'one')]).received).toEqual(['30 c placeResponse one:MARKET_DATA_GAP', '30 c cancelResponse one:ORDER_NOT_FOUND', '50 c placeResponse two', '50 c orderUpdate two CONFIRMED', '50 e orderUpdate two CONFIRMED'])
})

test('what waits waits on where a checkpoint left it', () => {
  const replace = at(21, 'c', (entry) => entry.replace([{ currentOwnOrderId: 'open', newOwnOrderId: 'next', currentClientOrderId: 'open', newClientOrderId: 'next', price: 51 }]))
  const commands = [place(2, 'c', ['open']), place(20, 'd', ['two'], { instrumentId: 2 }), replace, place(22, 'e', ['one', 'three']), cancel(30, 'c', 'three')]
  const { received } = play(commands)
  expect(received.filter((line) => line.includes('Response'))).toEqual(['2 c placeResponse open', '30 c cancelResponse three:ORDER_NOT_FOUND', '30 e placeResponse three:MARKET_DATA_GAP', '50 c replaceResponse next', '50 e placeResponse one', '70 d placeResponse two'])
  for (const cutNs of [10, 20, 21, 22, 30, 50, 60]) expect(playedInTwo(made, commands, cutNs).received, `cut at ${cutNs}`).toEqual(received)
})

test('the order that a waiting one was to replace is cancelled with it, and not another account\'s of the same id', () => {
  const replace = at(20, 'c', (entry) => entry.replace([{ currentOwnOrderId: 'a', newOwnOrderId: 'b', currentClientOrderId: 'a', newClientOrderId: 'b', price: 51 }]))
  expect(openIn(play([place(2, 'c', ['a']), place(3, 'd', ['a']), replace, cancel(30, 'c', 'b')]).bench)).toEqual(['a'])
})

test('a request that nothing is left of is answered once', () => {
  const { received, bench } = play([place(20, 'c', ['one', 'two']), cancel(30, 'c', 'two'), cancel(31, 'c', 'one'), place(32, 'c', ['three'])])
  expect(received.filter((line) => line.includes('placeResponse'))).toEqual(['30 c placeResponse two:MARKET_DATA_GAP', '31 c placeResponse one:MARKET_DATA_GAP', '50 c placeResponse three'])
  expect(openIn(bench)).toEqual(['three'])
})

test('cancelAll takes the orders of its account, of all its clients, open or waiting, and of no other', () => {
  const { received, bench } = play([
    place(2, 'c', ['open']), place(3, 'e', ['shared']), place(4, 'd', ['theirs']), place(20, 'c', ['waiting']), place(21, 'd', ['their waiting']),
    at(30, 'e', (entry) => entry.cancelAll({ requestId: 'all', createTimeNs: 30 })),
  ])
  expect(received.filter((line) => line.startsWith('30'))).toEqual([
    '30 e cancelAllResponse all at 30', '30 c placeResponse waiting:MARKET_DATA_GAP', '30 c orderUpdate open CANCELED', '30 e orderUpdate open CANCELED', '30 c orderUpdate shared CANCELED', '30 e orderUpdate shared CANCELED',
  ])
  expect(openIn(bench)).toEqual(['theirs', 'their waiting'])
})

test('a change of an order that a cancel took meanwhile finds no order', () => {
  const amend = at(20, 'c', (entry) => entry.amend([{ ownOrderId: 'one', currentClientOrderId: 'one', newClientOrderId: 'one b', price: 60 }]))
  const { received } = play([place(2, 'c', ['one']), amend, cancel(30, 'c', 'one')])
  expect(received.filter((line) => line.includes('Response'))).toEqual(['2 c placeResponse one', '30 c cancelResponse one', '50 c amendResponse one:ORDER_NOT_FOUND'])
})

test('a change of an order that is over waits for no book, though it names the instrument', () => {
  const ids = { instrumentId: 1, currentClientOrderId: 'one', newClientOrderId: 'one b', price: 60 }
  const amend = at(20, 'c', (entry) => entry.amend([{ ownOrderId: 'one', ...ids }]))
  const replace = at(21, 'c', (entry) => entry.replace([{ currentOwnOrderId: 'one', newOwnOrderId: 'two', ...ids }]))
  const { received } = play([place(2, 'c', ['one']), cancel(5, 'c', 'one'), amend, replace])
  expect(received.filter((line) => line.includes('Response')).slice(2)).toEqual(['20 c amendResponse one:ORDER_NOT_FOUND', '21 c replaceResponse two:ORDER_NOT_FOUND'])
})

test('the placing half of a replace that waits is taken back; the order that it was for is cancelled', () => {
  const replace = (timeNs: number, ...ids: (readonly [string, string])[]): BenchCommand => at(timeNs, 'c', (entry) => {
    entry.replace(ids.map(([currentOwnOrderId, newOwnOrderId]) => ({ currentOwnOrderId, newOwnOrderId, currentClientOrderId: currentOwnOrderId, newClientOrderId: newOwnOrderId, price: 51 })))
  })
  const one = play([place(5, 'c', ['a']), replace(20, ['a', 'b']), cancel(30, 'c', 'b'), place(31, 'c', ['d'])])
  const heardBy = ({ received }: { received: readonly string[] }): string[] => received.filter((line) => line.includes(' c '))
  expect(heardBy(one)).toEqual(['5 c placeResponse a', '5 c orderUpdate a CONFIRMED', '30 c replaceResponse b:MARKET_DATA_GAP', '30 c cancelResponse b:ORDER_NOT_FOUND', '30 c orderUpdate a CANCELED', '50 c placeResponse d', '50 c orderUpdate d CONFIRMED'])
  expect(openIn(one.bench)).toEqual(['d'])
  const two = play([place(5, 'c', ['a', 'e']), replace(20, ['a', 'b'], ['e', 'f']), cancel(30, 'c', 'f')])
  expect(heardBy(two).slice(3)).toEqual(['30 c replaceResponse f:MARKET_DATA_GAP', '30 c cancelResponse f:ORDER_NOT_FOUND', '30 c orderUpdate e CANCELED', '50 c replaceResponse b', '50 c orderUpdate a CANCELED', '50 c orderUpdate b CONFIRMED'])
})

describe('what is taken back of requests that wait', () => {
  const error = { type: 'CANCELLED', message: 'taken back', source: 'EXCHANGE' } as const
  /** The rows of its orders are 10, 11 and so on. */
  const held = (request: { readonly kind: string, readonly entries?: readonly unknown[] }, accountId = 'A'): HeldRequest => (
    { clientId: 'c', accountId, instrumentId: 1, request, origin: { rows: request.kind === 'amend' ? [] : (request.entries ?? []).map((_, at) => 10 + at), sentNs: 5 } } as HeldRequest
  )
  const placing = (...ids: string[]) => ({ kind: 'place', entries: ids.map((id) => placeEntry(id, { clientOrderId: `${id} of mine` })) })
  const replacing = (...pairs: (readonly [string, string])[]) => ({ kind: 'replace', entries: pairs.map(([currentOwnOrderId, newOwnOrderId]) => ({ currentOwnOrderId, newOwnOrderId, currentClientOrderId: 'x', newClientOrderId: `${newOwnOrderId} of mine` })) })
  const amending = { kind: 'amend', entries: [{ ownOrderId: 'a', currentClientOrderId: 'a', newClientOrderId: 'b' }] }
  const idsOf = ({ request }: HeldRequest): Id[] => (request.kind === 'place' ? request.entries.map(({ ownOrderId }) => ownOrderId) : request.kind === 'replace' ? request.entries.map(({ newOwnOrderId }) => newOwnOrderId) : [request.kind])
  /** Requests that wait on with their rows; of those that are taken ids, rows, ids to be replaced, whether all is taken, and the answer. */
  const of = (requests: readonly HeldRequest[], isMeant: (id: Id) => boolean) => {
    const { kept, taken } = withdrawn(requests, 'A', isMeant, 7, error)
    const answers = taken.map(({ answer }) => answer).map((message) => (message.kind === 'placeResponse' || message.kind === 'replaceResponse' ? [message.kind, message.adapterTimeNs, ...message.results] : []))
    return { kept: kept.map((one) => [...idsOf(one), ...one.origin.rows]), taken: taken.map(({ ownOrderIds, origin, replaced, isWhole }) => [ownOrderIds, origin.rows, replaced, isWhole]), answers }
  }

  test('nothing of nothing', () => expect(of([], () => true)).toEqual({ kept: [], taken: [], answers: [] }))

  test('placing: what is meant is answered, the rest waits on', () => {
    const result = { ownOrderId: 'a', clientOrderId: 'a of mine', exchangeTimeNs: 7, error }
    expect(of([held(placing('a', 'b'))], (id) => id === 'a')).toEqual({ kept: [['b', 11]], taken: [[['a'], [10], [], false]], answers: [['placeResponse', UNSENT, result]] })
    expect(of([held(placing('a'))], (id) => id === 'a')).toEqual({ kept: [], taken: [[['a'], [10], [], true]], answers: [['placeResponse', UNSENT, result]] })
  })

  test('replacing: what was to go is named, so that it goes all the same', () => {
    const result = { exchangeOrderId: '', ownOrderId: 'n', clientOrderId: 'n of mine', exchangeTimeNs: 7, error }
    expect(of([held(replacing(['a', 'n'], ['b', 'm']))], (id) => id === 'n')).toEqual({ kept: [['m', 11]], taken: [[['n'], [10], ['a'], false]], answers: [['replaceResponse', UNSENT, result]] })
    expect(of([held(replacing(['a', 'n']))], (id) => id === 'n')).toEqual({ kept: [], taken: [[['n'], [10], ['a'], true]], answers: [['replaceResponse', UNSENT, result]] })
  })

  test('requests of others, without anything that is meant, and amends wait on untouched', () => {
    expect(of([held(placing('a'), 'B'), held(placing('b')), held(replacing(['a', 'm'])), held(amending)], (id) => id === 'a')).toEqual({ kept: [['a', 10], ['b', 10], ['m', 10], ['amend']], taken: [], answers: [] })
    expect(of([held(amending)], () => true)).toEqual({ kept: [['amend']], taken: [], answers: [] })
  })
})
