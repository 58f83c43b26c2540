import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { readFeedInfo } from '../../src/feed/feed-info-client.js'
import { refusalOf } from '../support/collected.ts'
import { closeServers, madeServer } from '../support/feed-peer.ts'
import { closeClients, liveClient } from '../support/live-feed-client.ts'
import { FEED_LINES } from '../support/made-feed.ts'

/** Servers that a test has written. */
const written: Server[] = []

afterEach(async () => {
  await closeClients()
  await closeServers()
  for (const server of written.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that does with each connection what a test says; its n-th connection is `n`. */
async function writtenServer(onConnection: (socket: WebSocket, n: number) => void): Promise<string> {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  let count = 0
  sockets.on('connection', (socket) => onConnection(socket, count++))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  written.push(http)
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/api/v6`
}

const LOGIN_RESPONSE = '[14,"p","6",1782345115505070405,{"depthTopic":{"eventIdType":"x"}}]'

describe('a client', () => {
  test('logs in, subscribes, receives; topics as they were asked for', async () => {
    const made = await madeServer()
    const { client, words, heard } = liveClient(made.url())
    client.subscribe(1210, { trades: false })
    expect(await client.connect()).toMatchObject({ processId: 'feed-1', protocolVersion: '6' })
    await heard(3)
    for (const line of [FEED_LINES.snapshot, FEED_LINES.trades, FEED_LINES.update, FEED_LINES.mark]) made.feed.play(line)
    await heard(6)
    expect(words).toEqual(['open', 'login feed-1', '1210 READY', '0 1.0715 flags 2', '1 1.0698', '7'])
    client.unsubscribe(1210)
    client.unsubscribe(1210)
    await heard(7)
    expect(words.at(-1)).toBe('1210 ERROR instrument unsubscribed')
    expect([client.receivedCount, client.commandCount]).toEqual([5, 2])
    const [connection] = made.server.connections
    expect([connection!.sentCount, connection!.commandCount]).toEqual([5, 2])
  })

  test('a pong says that everything before the ping was dealt with', async () => {
    const made = await madeServer()
    const { client, words } = liveClient(made.url())
    client.subscribe(1210, {})
    await client.connect()
    const [connection] = made.server.connections
    while (connection!.commandCount === 0) await new Promise((resolve) => setImmediate(resolve))
    made.feed.play(FEED_LINES.snapshot)
    for (let i = 0; i < 1000; i++) made.feed.play(FEED_LINES.top)
    expect(await connection!.ping()).toBe(true)
    expect(words).toHaveLength(1004)
    expect(client.receivedCount).toBe(connection!.sentCount)
  })

  test('comes back after a connection is lost, and subscribes again', async () => {
    const made = await madeServer()
    const { client, words, until } = liveClient(made.url())
    client.subscribe(1210, {})
    await client.connect()
    await until(() => words.includes('1210 READY'))
    made.feed.play(FEED_LINES.snapshot)
    for (const connection of made.server.connections) connection.close(null)
    await until(() => words.length === 8)
    expect(words.map((word) => word.replace(/closed .*/, 'closed'))).toEqual(['open', 'login feed-1', '1210 READY', 'closed', 'open', 'login feed-1', '1210 READY', '0 1.0715'])
    expect([client.receivedCount, client.commandCount]).toEqual([2, 1])
  })

  test('a key that is rejected later ends it', async () => {
    const made = await madeServer()
    const { client, words, errors, until } = liveClient(made.url())
    await client.connect()
    made.access.keys.clear()
    made.server.recheckAccess()
    await until(() => errors.length > 0)
    expect(words.slice(2, 4)).toEqual(['notice api key expired or revoked', 'closed api key expired or revoked, code 1008'])
    expect(errors[0]).toMatchObject({ code: 'FEED_REJECTED' })
    expect(errors[0]!.message).toMatch(/HTTP 401, api key rejected: unknown api key$/)
  })

  test.each<[string, string, RegExp]>([
    ['an unknown key', 'nobody', /HTTP 401, api key rejected: unknown api key/],
    ['a key of another market', 'spot-only', /HTTP 401, api key rejected: no active realtime subscription/],
  ])('%s is a typed error that does not name the key', async (_name, apiKey, words) => {
    const made = await madeServer()
    made.access.keys.set('spot-only', new Set(['test_spot']))
    const { client, errors } = liveClient(made.url('test_swap', '/api/v6', ''), { apiKey })
    const refusal = await refusalOf(() => client.connect())
    expect(refusal).toMatchObject({ code: 'FEED_REJECTED', message: expect.stringMatching(words) as string })
    expect(JSON.stringify(refusal)).not.toContain(apiKey)
    expect(errors).toEqual([])
  })

  test('a host where nobody listens is a typed error', async () => {
    const url = await writtenServer(() => {})
    written.splice(0).forEach((server) => server.close())
    expect((await refusalOf(() => liveClient(url).client.connect())).code).toBe('FEED_UNREACHABLE')
  })

  test.each(['http://127.0.0.1:1/api/v6', 'ws://127.0.0.1:1/api/v5', 'nonsense', 'ws://127.0.0.1:1/api/v6/other?apiKey=secret'])('%s is no feed', async (url) => {
    const refusal = await refusalOf(() => liveClient(url))
    expect(refusal.code).toBe('OPTION_INVALID')
    expect(refusal.message).not.toContain('secret')
  })

  test('a message that cannot be read ends it', async () => {
    const url = await writtenServer((socket) => socket.on('message', () => {
      socket.send(LOGIN_RESPONSE)
      socket.send('[1,1210,"0","1",1782345115505070405,0,[[7,"1","1",1]]]')
    }))
    const { client, errors, until } = liveClient(url)
    await client.connect()
    await until(() => errors.length > 0)
    expect(errors[0]).toMatchObject({ code: 'LINE_MALFORMED' })
  })

  test('what a listener throws ends it, and nothing else', async () => {
    const made = await madeServer()
    const failure = new Error('a strategy failed')
    const errors: Error[] = []
    const { client } = liveClient(made.url(), { listener: { onLine: () => { throw failure }, onState: () => {}, onError: (error) => { errors.push(error) } } })
    client.subscribe(1210, {})
    await client.connect()
    const [connection] = made.server.connections
    while (connection!.commandCount === 0) await new Promise((resolve) => setImmediate(resolve))
    made.feed.play(FEED_LINES.snapshot)
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([failure])
  })

  test('goes on trying with a back-off while the server refuses after the login', async () => {
    let count = 0
    const url = await writtenServer((socket, n) => {
      count++
      if (n > 0 && n < 5) return socket.terminate()
      socket.on('message', () => {
        socket.send(LOGIN_RESPONSE)
        if (n === 0) socket.close(1011)
      })
    })
    const { client, words, until } = liveClient(url)
    await client.connect()
    await until(() => words.filter((word) => word === 'login p').length === 2)
    expect(count).toBe(6)
  })

  test('without reconnecting the end of the connection is its end', async () => {
    const made = await madeServer()
    const { client, errors, until } = liveClient(made.url(), { reconnect: false })
    await client.connect()
    for (const connection of made.server.connections) connection.close('service shutdown')
    await until(() => errors.length > 0)
    expect(errors[0]).toMatchObject({ code: 'FEED_UNREACHABLE', message: expect.stringContaining('service shutdown') as string })
  })

  test('closing is quiet, before and after the connection', async () => {
    const made = await madeServer()
    const { client, errors, words } = liveClient(made.url())
    await client.connect()
    await client.close()
    await client.close()
    expect(errors).toEqual([])
    expect(words.at(-1)).toMatch(/^closed/)
    expect((await refusalOf(() => client.connect())).code).toBe('OPTION_INVALID')
    const early = liveClient(made.url())
    const refused = refusalOf(() => early.client.connect())
    await early.client.close()
    expect((await refused).code).toBe('STOPPED')
  })
})

describe('gaps', () => {
  const update = (previous: string, id: string): string => `[1,1210,"${previous}","${id}",1782345115843612834,0,[[0,"1.07","1",1]]]`
  const words = (all: readonly string[]): string[] => all.filter((word) => !/^(open|login)/.test(word))

  test('are marked; the instrument is subscribed again where that is asked for', async () => {
    const made = await madeServer()
    const { client, words: all, until } = liveClient(made.url(), { resubscribes: true })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.includes('1210 READY'))
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.update)
    made.feed.play(update('999', '1000'))
    await until(() => all.at(-1) === '1210 ERROR gap in the chain of depth events')
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.update)
    await until(() => all.at(-1) === '1 1.0698')
    expect(words(all)).toEqual(['1210 READY', '0 1.0715 flags 2', '1 1.0698', '1 1.07 flags 4', '1210 again', '1210 READY', '1210 ERROR gap in the chain of depth events', '0 1.0715 flags 10', '1 1.0698'])
  })

  test('a snapshot with forceReset is a reason too, unless it was awaited', async () => {
    const made = await madeServer()
    const { client, words: all, until } = liveClient(made.url(), { resubscribes: true })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.includes('1210 READY'))
    made.feed.play(FEED_LINES.snapshot.replace('false]', 'true]'))
    made.feed.play(FEED_LINES.snapshot.replace('false]', 'true]'))
    await until(() => all.filter((word) => word === '0 1.0715').length === 1)
    expect(words(all)).toEqual(['1210 READY', '0 1.0715 flags 3', '0 1.0715 flags 3', '1210 again', '1210 READY', '0 1.0715'])
  })

  test('a server of nothing but gaps is not asked in a tight loop', async () => {
    let subscribed = 0
    let id = 0
    const url = await writtenServer((socket) => socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('[13')) socket.send(LOGIN_RESPONSE)
      if (!text.startsWith('[11')) return
      subscribed++
      socket.send('[5,1210,1782345115505070405,"READY",""]')
      socket.send(FEED_LINES.snapshot)
      for (let i = 0; i < 100; i++) socket.send(update(`x${id}`, `y${id++}`))
    }))
    const { client, words: all, until } = liveClient(url, { resubscribes: true, resubscribeMs: 60_000 })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.filter((word) => word === '1 1.07 flags 4').length === 200)
    expect(subscribed).toBe(2)
  })

  test('what was broken once more while it waited is subscribed once', async () => {
    let subscribed = 0
    const url = await writtenServer((socket) => socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('[13')) socket.send(LOGIN_RESPONSE)
      if (!text.startsWith('[11')) return
      socket.send('[5,1210,1782345115505070405,"READY",""]')
      // A snapshot of the recording between two gaps: the book was whole again.
      subscribed++
      for (let i = 0; i < (subscribed < 3 ? 3 : 1); i++) {
        socket.send(FEED_LINES.snapshot)
        if (subscribed < 3) socket.send(update(`x${i}`, `y${i}`))
      }
      if (subscribed === 3) socket.send('[5,1210,1782345115505070405,"ERROR","the end"]')
    }))
    const { client, words: all, until } = liveClient(url, { resubscribes: true, resubscribeMs: 20 })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.includes('1210 ERROR the end'))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
    expect([subscribed, all.filter((word) => word === '1210 again').length]).toEqual([3, 2])
  })

  test('the answer to an unsubscribing that nobody of us asked for is handed over, before and behind our own', async () => {
    const url = await writtenServer((socket) => {
      let subscribed = 0
      socket.on('message', (data: Buffer) => {
        const text = data.toString()
        if (text.startsWith('[13')) socket.send(LOGIN_RESPONSE)
        if (!text.startsWith('[11')) return
        socket.send('[5,1210,1782345115505070405,"ERROR","instrument unsubscribed"]')
        socket.send('[5,1210,1782345115505070405,"READY",""]')
        if (subscribed++ > 0) return
        socket.send(FEED_LINES.snapshot)
        socket.send(update('x', 'y'))
      })
    })
    const { client, words: all, until } = liveClient(url, { resubscribes: true })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.filter((word) => word === '1210 READY').length === 2)
    expect(words(all)).toEqual(['1210 ERROR instrument unsubscribed', '1210 READY', '0 1.0715 flags 2', '1 1.07 flags 4', '1210 again', '1210 READY'])
  })
})

describe('messages that cannot be read', () => {
  test.each<[string, string]>([
    ['a time of another year', '[7,1210,"0","1",4102444800000000000,0,"1.07"]'], ['a state of another year', '[5,1210,1,"READY",""]'],
    ['a state that is none', '[5,1210,"soon","READY",""]'], ['a side that is none', '[1,1210,"0","1",1782345115505070405,0,[[7,"1","1",1]]]'],
  ])('%s: handed over, and the instrument is subscribed again', async (_name, bad) => {
    let subscribed = 0
    const url = await writtenServer((socket) => socket.on('message', (data: Buffer) => {
      const text = data.toString()
      if (text.startsWith('[13')) socket.send(LOGIN_RESPONSE)
      if (!text.startsWith('[11')) return
      socket.send('[5,1210,1782345115505070405,"READY",""]')
      socket.send(FEED_LINES.snapshot)
      if (subscribed++ > 0) return
      socket.send(bad)
      socket.send(FEED_LINES.update)
    }))
    const { client, words: all, errors, until } = liveClient(url, { resubscribes: true })
    client.subscribe(1210, {})
    await client.connect()
    await until(() => all.filter((word) => word.startsWith('0 ')).length === 2)
    expect(all.slice(2)).toEqual(['1210 READY', '0 1.0715 flags 2', '1210 unreadable', '1210 again', '1 1.0698', '1210 READY', '0 1.0715 flags 10'])
    expect(errors).toEqual([])
  })

  test.each(['[]', '[x', '[14,"p"]', '[5,"a",1,"READY",""]'])('%j names no instrument: it ends the client', async (bad) => {
    const url = await writtenServer((socket) => socket.on('message', () => {
      socket.send(LOGIN_RESPONSE)
      socket.send(bad)
    }))
    const { client, errors, until } = liveClient(url, { resubscribes: true })
    await client.connect()
    await until(() => errors.length > 0)
    expect(errors[0]).toMatchObject({ code: 'LINE_MALFORMED' })
  })
})

describe('info', () => {
  test.each(['/api/v6', '/api/info'])('is read from any address of the port: %s', async (path) => {
    const made = await madeServer({ extensions: { lockstep: true, epochDay: 5 } })
    const url = made.url('test_spot', path, '?apiKey=k')
    const info = await readFeedInfo(path === '/api/info' ? url.replace('ws:', 'http:') : url)
    expect(info).toMatchObject({ processId: 'feed-1', protocolVersion: '6', clock: 'simulated', extensions: { lockstep: true, epochDay: 5 }, capabilities: { depthTopic: { eventIdType: 'opaque' }, markPriceTopic: null } })
    expect(info.endpoints).toContainEqual({ endpoint: '/api/v6', encoding: 'json' })
  })

  test.each(['WS:', 'Ws:', ' ws:', 'HTTP:', '\thttp:'])('is read whatever letters the scheme has: %j', async (scheme) => {
    const url = (await madeServer({})).url('test_spot', '/api/v6/sbe', '?apiKey=k')
    expect((await readFeedInfo(url.replace('ws:', scheme))).processId).toBe('feed-1')
  })

  test('a host without info is a typed error', async () => {
    const url = await writtenServer(() => {})
    written.splice(0).forEach((server) => server.close())
    expect((await refusalOf(() => readFeedInfo(url))).code).toBe('FEED_UNREACHABLE')
  })
})
