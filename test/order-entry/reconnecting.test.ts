import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { loginOrderEntry } from '../../src/order-entry/order-entry-client.js'
import { messagesTo } from '../../src/protocol/order-entry-messages.js'
import { placeEntry } from '../support/exchange-bench.ts'
import { EPOCH_DAY, loggedIn, madeBench, serveWorld, uuid, type ServedWorld } from '../support/served-world.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A world whose requests are played only when the test says so. */
async function held(): Promise<ServedWorld & { play(): void, waiting: (() => void)[] }> {
  const waiting: (() => void)[] = []
  const served = await serveWorld({ server: { post: (task) => { waiting.push(task) } } })
  const play = (): void => {
    for (const task of waiting.splice(0)) task()
    served.run(served.bench.nowNs)
  }
  const timer = setInterval(() => { if (isFree) play() }, 1)
  let isFree = true
  closing.push(() => served.close(), () => { clearInterval(timer) }, () => { isFree = true })
  return { ...served, waiting, play: () => { isFree = !isFree } }
}

const bid = placeEntry(uuid(1), { price: 1000, totalQuantity: 100 })

test.each(['websocket', 'domainSocket'] as const)('%s: what is in flight at a close is answered once, nothing is sent twice, the state comes again', async (transport) => {
  const served = await held()
  const { client, next, note, heard } = await loggedIn(served, { transport })
  served.play()
  client.place([bid])
  client.cancel([{ ownOrderId: uuid(9) }])
  while (served.waiting.length < 2) await new Promise((done) => { setImmediate(done) })
  const [connection] = served.server.connections
  connection!.close()
  await note('connection closed')
  served.play()
  const placed = await next('placeResponse')
  expect(placed.results[0]).toMatchObject({ ownOrderId: uuid(1), result: { state: 'CONFIRMED', price: 1000 } })
  expect((await next('cancelResponse')).results).toMatchObject([{ ownOrderId: uuid(9), error: { type: 'CONNECTION_LOST', source: 'INTERNAL' } }])
  await note('connection open')
  expect((await next('accountStatus')).state.orders).toMatchObject([{ ownOrderId: uuid(1) }])
  client.cancelAll({ requestId: uuid(2), createTimeNs: 0 })
  await next('cancelAllResponse')
  expect(heard.filter(({ kind }) => kind === 'placeResponse' || kind === 'cancelResponse')).toHaveLength(2)
  await client.logout()
})

test('a request without a connection is answered after the call, and is not sent', async () => {
  const served = await serveWorld()
  closing.push(() => served.close())
  const { client, heard, next, note } = await loggedIn(served, { reconnect: false })
  for (const connection of served.server.connections) connection.close()
  await note('error Cannot keep the connection')
  client.place([bid])
  client.cancelAll({ requestId: uuid(3), createTimeNs: 0 })
  expect(heard).toEqual([])
  expect((await next('placeResponse')).results).toMatchObject([{ ownOrderId: uuid(1), error: { type: 'DISCONNECTED' } }])
  expect((await next('cancelAllResponse')).response.error?.type).toBe('DISCONNECTED')
})

test('an invalidRequest answers the request that it shows', async () => {
  const served = await serveWorld()
  closing.push(() => served.close())
  const { client, next, note } = await loggedIn(served)
  client.cancel(Array.from({ length: 101 }, (_, number) => ({ ownOrderId: uuid(number) })))
  const { results } = await next('cancelResponse')
  expect(results).toHaveLength(101)
  expect(results[0]?.error).toMatchObject({ type: 'INVALID_REQUEST', source: 'INTERNAL' })
  expect(await note('invalidRequest')).toMatch(/1 to 100 entries/)
  await client.logout()
})

/** An adapter of one answer to a login, by hand. */
async function adapter(welcome: object, ...answers: readonly string[]): Promise<number> {
  const http = createServer((request, response) => {
    const { port } = http.address() as { port: number }
    response.end(JSON.stringify(request.url === '/api/info' ? { endpoints: [] } : { data: [{ host: '127.0.0.1', port }] }))
  })
  const web = new WebSocketServer({ server: http })
  web.on('connection', (socket) => {
    socket.send(JSON.stringify(welcome))
    socket.on('message', () => { for (const answer of answers) socket.send(answer) })
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', () => { done() }))
  closing.push(() => {
    for (const client of web.clients) client.terminate()
    http.close()
  })
  return (http.address() as { port: number }).port
}

const WELCOME = { msgType: 'welcome', processId: 'x', version: '1', protocolVersion: '2.0' }
const RESULT = { status: 'OK', orders: [], instrumentPositions: [], walletPositions: [] }
const loginResponse = (result: object): string => JSON.stringify({ msgType: 'loginResponse', accountId: 'A', requestId: 'r', result })

const instruments = madeBench().worlds[0]!.config.instruments

function logIn(port: number, errors: Error[] = []): ReturnType<typeof loginOrderEntry> {
  return loginOrderEntry({
    backend: `http://127.0.0.1:${port}`, accountId: 'A', processId: 'p', version: '1', instruments, epochDay: EPOCH_DAY, reconnect: false,
    listener: { ...messagesTo(() => undefined), onError: (error) => { errors.push(error) } },
  })
}

describe('logging in to an adapter of another make', () => {
  test.each([
    ['another protocol version', { ...WELCOME, protocolVersion: '3.0' }, '', 'CONNECTION_FAILED', /expected protocol version 2, found "3.0"/],
    ['a refusal', WELCOME, JSON.stringify({ msgType: 'loginResponse', error: { type: 'NOPE', message: 'no' } }), 'LOGIN_REFUSED', /no \(NOPE\)/],
    ['no result', WELCOME, JSON.stringify({ msgType: 'loginResponse' }), 'MESSAGE_MALFORMED', /result must be an object, found nothing/],
    ['no JSON', WELCOME, '{', 'MESSAGE_MALFORMED', /expected/],
    ['a number for a quantity', WELCOME, loginResponse({ ...RESULT, instrumentPositions: [{ instrumentId: 1, longPosition: 1, shortPosition: '0' }] }), 'MESSAGE_MALFORMED', /result.instrumentPositions\[0\].longPosition must be a decimal text, found the number 1/],
    ['a price finer than the scale', WELCOME, loginResponse({ ...RESULT, orders: [{ ownOrderId: 'a', exchangeOrderId: 'b', clientOrderId: 'c', instrumentId: 1, type: 'LIMIT', side: 'BID', state: 'CONFIRMED', timeInForce: 'GOOD_TILL_CANCEL', price: '100.123', totalQuantity: '1', executedQuantity: '0', postOnly: false }] }), 'MESSAGE_MALFORMED', /orders\[0\].price must be a price of at most 1 decimal place.*found 100.123/],
    ['an invalidRequest', WELCOME, JSON.stringify({ msgType: 'invalidRequest', message: 'what?', request: '' }), 'CONNECTION_FAILED', /what\?/],
  ] as const)('%s', async (_name, welcome, answer, code, words) => {
    const port = await adapter(welcome, answer)
    await expect(logIn(port)).rejects.toMatchObject({ code, message: expect.stringMatching(words) as string })
  })

  test('a short result is enough; positions of unknown instruments are passed over', async () => {
    const port = await adapter(WELCOME, loginResponse({ ...RESULT, instrumentPositions: [{ instrumentId: 77, longPosition: '1', shortPosition: '0' }] }))
    const client = await logIn(port)
    expect(client.initial).toMatchObject({ status: 'OK', positions: [], capabilities: { amend: false, orderTypes: [] } })
    expect(client.openingTerms?.(1)).toBeUndefined()
    await client.logout()
  })

  test('nobody listens: CONNECTION_FAILED; no such account: the words of the backend', async () => {
    await expect(logIn(1)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' })
    const served = await serveWorld()
    closing.push(() => served.close())
    await expect(loggedIn(served, { accountId: 'X' })).rejects.toMatchObject({ code: 'CONNECTION_FAILED', message: expect.stringContaining('404 (unknown account)') as string })
  })

  test('a domain socket that is not shown is an error where it is asked for', async () => {
    const served = await serveWorld({ hasDomainSocket: false })
    closing.push(() => served.close())
    await expect(loggedIn(served, { transport: 'domainSocket' })).rejects.toMatchObject({ code: 'CONNECTION_FAILED', message: expect.stringContaining('a domain socket in its /api/info') as string })
  })
})
