import { afterEach, describe, expect, test } from 'vitest'
import { placeEntry } from '../support/exchange-bench.ts'
import { loggedIn, serveWorld, uuid, type ServedOptions, type ServedWorld, type TestClient } from '../support/served-world.ts'
import type { OrderEntryClientOptions } from '../../src/order-entry/order-entry-client-options.js'
import { DrawnId, type Id } from '../../src/model/id.js'
import { RandomNumbers } from '../../src/model/random.js'
import type { PlaceEntry } from '../../src/venue/messages.js'
import { messagesTo } from '../../src/protocol/order-entry-messages.js'
import type { ClientMessage } from '../../src/venue/order-messages.js'

const open: ServedWorld[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((served) => served.close()))
})

async function serve(options: ServedOptions = {}): Promise<ServedWorld> {
  const served = await serveWorld(options)
  open.push(served)
  return served
}

async function logIn(served: ServedWorld, more: Partial<OrderEntryClientOptions> = {}): Promise<TestClient> {
  return loggedIn(served, more)
}

const random = new RandomNumbers(1, 'ids', 0)
/** Another object each time: over a socket an id is its text. */
const drawn = (number: number): DrawnId => new DrawnId(random, number)

const orderOf = (id: (number: number) => Id) => (number: number, more: Partial<PlaceEntry> = {}): PlaceEntry => (
  { ...placeEntry('', { price: 1000, totalQuantity: 100, ...more }), ownOrderId: id(number), clientOrderId: id(number) }
)
const order = orderOf(uuid)

describe.each(['websocket', 'domainSocket'] as const)('over a %s', (transport) => {
  test.each<readonly [string, (number: number) => Id]>([['texts', uuid], ['drawn', drawn]])('login, all nine requests and their answers; ids are %s', async (_form, id) => {
    const order = orderOf(id)
    const served = await serve()
    const { client, next } = await logIn(served, { transport })
    expect(client.transport).toBe(transport)
    expect(client.initial).toEqual(served.world.connect('other', 'A', messagesTo(() => undefined), () => served.bench.nowNs).initial)
    client.place([order(1, { context: { note: 'ü' } }), order(2, { price: 1001 })])
    const refused = await next('placeResponse')
    expect(refused.results.map(({ ownOrderId, error }) => [ownOrderId, error?.type])).toEqual([[id(2), 'INVALID_REQUEST']])
    const placed = await next('placeResponse')
    expect(placed.results[0]?.result).toMatchObject({ ownOrderId: id(1), price: 1000, totalQuantity: 100, state: 'CONFIRMED', context: { note: 'ü' } })
    client.amend([{ ownOrderId: id(1), currentClientOrderId: id(1), newClientOrderId: id(11), price: 995 }])
    expect((await next('amendResponse')).results).toMatchObject([{ ownOrderId: id(1), clientOrderId: id(11), result: { price: 995 } }])
    client.replace([{ currentOwnOrderId: id(1), newOwnOrderId: id(3), currentClientOrderId: id(11), newClientOrderId: id(3), totalQuantity: 50 }])
    expect((await next('replaceResponse')).results).toMatchObject([{ ownOrderId: id(3), result: { price: 995, totalQuantity: 50 } }])
    client.orderContext([{ ownOrderId: id(3), clientOrderId: id(3), context: { a: 1 } }])
    expect((await next('orderContextResponse')).results).toEqual([{ ownOrderId: id(3), clientOrderId: id(3), result: { context: { a: 1 } } }])
    client.cancel([{ ownOrderId: id(3) }, { ownOrderId: id(99) }])
    const cancelled = await next('cancelResponse')
    expect(cancelled.results.map(({ ownOrderId, error }) => [ownOrderId, error?.type])).toEqual([[id(3), undefined], [id(99), 'ORDER_NOT_FOUND']])
    client.place([order(4, { side: 'BID', price: 1100, timeInForce: 'IMMEDIATE_OR_CANCEL' })])
    const fill = (await next('fill')).fills[0]!
    expect(fill).toMatchObject({ ownOrderId: id(4), price: 1100, quantity: 100, addedLiquidity: false, fees: '0.11' })
    client.fillContext([{ ownFillId: fill.ownFillId, context: { why: 'test' } }])
    expect((await next('fillContextResponse')).results).toEqual([{ ownFillId: fill.ownFillId, result: { context: { why: 'test' } } }])
    client.cancelAll({ requestId: id(50), createTimeNs: 5 })
    expect((await next('cancelAllResponse')).response.requestId).toBe(String(id(50)))
    await client.logout()
  })

  test('a client of the sockets receives what a client in the process does', async () => {
    const served = await serve()
    const inside: ClientMessage[] = []
    const entry = served.world.connect('in', 'A', messagesTo((message) => { inside.push(message) }), () => served.bench.nowNs)
    const { client, next, heard } = await logIn(served, { transport })
    client.place([order(1), order(2, { side: 'BID', price: 1100, totalQuantity: 33, timeInForce: 'IMMEDIATE_OR_CANCEL' })])
    client.cancelAll({ requestId: uuid(5), createTimeNs: 0 })
    await next('cancelAllResponse')
    entry.place([order(7)])
    served.run(served.bench.nowNs)
    await next('orderUpdate')
    client.cancelAll({ requestId: uuid(6), createTimeNs: 0 })
    await next('cancelAllResponse')
    await client.logout()
    const events = ({ kind }: ClientMessage): boolean => !kind.endsWith('Response')
    expect(heard.filter(events)).toEqual(inside.filter(events).map(withoutOwner))
  })
})

/** The server puts the process into the owner of an order; a session with our option does not see that. */
function withoutOwner(message: ClientMessage): ClientMessage {
  return JSON.parse(JSON.stringify(message, (name, value: unknown) => (name === 'owner' ? undefined : value))) as ClientMessage
}
