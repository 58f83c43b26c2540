import { afterEach, describe, expect, test } from 'vitest'
import { createFeedServer } from '../../src/feed/feed-server.js'
import { EVENT_FLAGS } from '../../src/model/event-batch.js'
import { refusalOf } from '../support/collected.ts'
import { FeedPeer, LOGIN, closeServers, get, madeServer } from '../support/feed-peer.ts'
import { FEED_INSTRUMENTS, FEED_LINES, MadeFeed, MadeAccess } from '../support/made-feed.ts'

afterEach(closeServers)

const CAPABILITY = { eventIdType: 'opaque' }
const SEVEN = ['depthTopic', 'tradesTopic', 'topOfBookTopic', 'indexPriceTopic', 'markPriceTopic', 'fundingRateTopic', 'liquidationsTopic']
const READY = /^\[5,1210,\d+,"READY",""\]$/
/** The snapshot that is made of the book after the lines `snapshot` and `update`. */
const MADE_BOOK = (time: string, tail = ''): string => `[0,1210,"0","101",${time},1782345115843000000,[[0,"1.0715","730000",1],[0,"1.0698","1039100",1],[1,"1.072","5",1]]${tail}]`
const NOW = '1782345122476611105'

describe('the handshake', () => {
  test.each<[string, string, string, number, string]>([
    ['no key', '/api/v6', '', 401, 'api key rejected: unknown api key'],
    ['an empty key', '/api/v6', '?apiKey=', 401, 'api key rejected: unknown api key'],
    ['an unknown key', '/api/v6', '?apiKey=nobody', 401, 'api key rejected: unknown api key'],
    ['a key in another place', '/api/v6', '?key=k', 401, 'api key rejected: unknown api key'],
    ['a key without this market', '/api/v6', '?apiKey=spot-only', 401, 'api key rejected: no active realtime subscription for this market today (UTC)'],
    ['a query that does not parse', '/api/v6', '?apiKey=%zz', 401, 'api key rejected: invalid request'],
    ['two keys', '/api/v6', '?apiKey=k&apiKey=k', 401, 'api key rejected: invalid request'],
    ['another path', '/api/v5', '?apiKey=k', 404, 'not found'],
  ])('%s is refused', async (_name, path, query, status, body) => {
    const made = await madeServer()
    made.access.keys.set('spot-only', new Set(['test_spot']))
    const peer = await FeedPeer.connect(made.url('test_swap', path, query))
    expect(peer.refusal).toMatchObject({ status, body, type: 'text/plain' })
    expect(made.server.connections.size).toBe(0)
    expect(made.log.join()).not.toMatch(/nobody|spot-only/)
  })

  test('a market that is not configured comes before the key', async () => {
    const made = await madeServer()
    made.access.unknownMarkets.add('test_swap')
    for (const query of ['?apiKey=%zz', '?apiKey=k', ''])
      expect((await FeedPeer.connect(made.url('test_swap', '/api/v6', query))).refusal?.body).toBe('api key rejected: market not configured')
  })

  test('five connections of a key and market; the sixth is refused until one is gone', async () => {
    const made = await madeServer()
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => made.peer()))
    expect(five.map(({ refusal }) => refusal)).toEqual([null, null, null, null, null])
    expect((await made.peer()).refusal).toMatchObject({ status: 429, type: 'text/plain', body: 'too many connections for this api key' })
    expect((await made.peer('test_spot')).refusal).toBeNull()
    five[0]!.socket.close()
    await five[0]!.toEnd()
    await new Promise((resolve) => setImmediate(resolve))
    expect((await made.peer()).refusal).toBeNull()
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['a plain request to the feed', '/api/v6?apiKey=k', {}, 426],
    ['another path', '/', {}, 404],
    ['a handshake without its key', '/api/v6?apiKey=k', { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }, 400],
    ['a handshake of another version', '/api/v6?apiKey=k', { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '7', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }, 400],
  ])('%s', async (_name, path, headers, status) => {
    const made = await madeServer()
    expect((await get(made.url('test_swap', path, '').replace('ws:', 'http:'), headers)).status).toBe(status)
  })
})

describe('info', () => {
  test('says who, what and where, without a key', async () => {
    const made = await madeServer({ extensions: { lockstep: true } })
    const answer = await get(made.server.addresses[1]!.info + '?all=true')
    expect([answer.status, answer.type]).toEqual([200, 'application/json'])
    expect(JSON.parse(answer.body)).toMatchObject({
      process_id: 'feed-1', protocol_version: '6', clock: 'simulated', lockstep: true,
      capabilities: { ...Object.fromEntries(SEVEN.map((name) => [name, CAPABILITY])), indexPriceTopic: null, markPriceTopic: null, fundingRateTopic: null, liquidationsTopic: null },
    })
    expect((JSON.parse(answer.body) as { endpoints: unknown[] }).endpoints).toContainEqual({ endpoint: '/api/v6', encoding: 'json' })
    expect((await get(made.server.addresses[1]!.info, {}, 'POST')).status).toBe(405)
  })
})

describe('a session', () => {
  test('nothing before the login; then the response, and nothing before a subscription', async () => {
    const made = await madeServer()
    const peer = await made.peer()
    made.feed.play(FEED_LINES.snapshot)
    peer.send(LOGIN)
    const [response] = await peer.received(1)
    expect(response).toMatch(/^\[14,"feed-1","6",1782345115505070405,\{/)
    expect((JSON.parse(response!) as unknown[])[4]).toEqual(Object.fromEntries(SEVEN.map((name) => [name, CAPABILITY])))
    made.feed.play(FEED_LINES.update)
    peer.send('junk')
    expect(await peer.toEnd()).toEqual([response, 'protocol violation: a message must be a JSON array, found no JSON', 1008])
  })

  test('READY, the current state, live lines', async () => {
    const made = await madeServer()
    for (const line of [FEED_LINES.snapshot, FEED_LINES.update, FEED_LINES.trades, FEED_LINES.top, FEED_LINES.mark, FEED_LINES.index, FEED_LINES.funding]) made.feed.play(line)
    made.feed.release(1210)
    const peer = await made.reader('[11,1210]')
    const current = [...await peer.received(6)]
    expect(current[0]).toMatch(READY)
    expect(current.slice(1)).toEqual([MADE_BOOK(NOW), FEED_LINES.top, FEED_LINES.mark, FEED_LINES.index, FEED_LINES.funding])
    const next = '[1,1210,"101","102",1782345123000000000,1782345123000000000,[[0,"1.0715","0",1]]]'
    for (const line of [next, FEED_LINES.trades, FEED_LINES.liquidations, FEED_LINES.mark]) made.feed.play(line)
    expect((await peer.received(9)).slice(6)).toEqual([next, FEED_LINES.trades, FEED_LINES.mark])
    const [connection] = made.server.connections
    expect([connection!.sentCount, connection!.commandCount, connection!.processId]).toEqual([9, 1, 'p-1'])
  })

  test('before the first depth line there is no snapshot until it comes', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    made.feed.play(FEED_LINES.snapshot)
    expect(await peer.received(2)).toEqual([expect.stringMatching(READY), FEED_LINES.snapshot])
  })

  test('only what was asked for', async () => {
    const made = await madeServer()
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.index)
    const peer = await made.reader('[11,1210,{"depthTopic":false,"tradesTopic":false,"topOfBookTopic":false,"indexPriceTopic":false,"fundingRateTopic":false,"liquidationsTopic":true}]')
    await peer.received(1)
    for (const line of Object.values(FEED_LINES)) made.feed.play(line)
    const state = '[5,1210,1782345123000000001,"READY","ready after failover"]'
    made.feed.play(state)
    expect((await peer.received(4)).slice(1)).toEqual([FEED_LINES.mark, FEED_LINES.liquidations, state])
  })

  test('subscribing again replaces the topics, and repeats no line', async () => {
    const made = await madeServer()
    made.feed.play(FEED_LINES.snapshot)
    const peer = await made.reader('[11,1210]', '[11,1210,{"depthTopic":false}]', '[11,1210,{"tradesTopic":false}]')
    await peer.received(5)
    made.feed.play(FEED_LINES.trades)
    made.feed.play(FEED_LINES.update)
    expect((await peer.received(6)).map((text) => text.slice(0, 2))).toEqual(['[5', '[0', '[5', '[5', '[0', '[1'])
  })

  test('unsubscribing is answered, and nothing comes behind it', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]', '[12,1210]', '[12,1210]')
    await peer.received(3)
    made.feed.play(FEED_LINES.snapshot)
    made.server.sendState(1210, 'ERROR', 'nobody reads this')
    peer.send('[11,4711]')
    expect(await peer.received(4)).toEqual([
      expect.stringMatching(READY), ...[1, 2].map(() => expect.stringMatching(/"ERROR","instrument unsubscribed"\]$/) as string),
      expect.stringMatching(/^\[5,4711,\d+,"ERROR","instrument not available on this endpoint"\]$/),
    ])
  })

  test('a closed instrument is not available; one in review is', async () => {
    const states = ['closed', 'review']
    const made = await madeServer({}, new MadeFeed(FEED_INSTRUMENTS.map((one, at) => ({ ...one, state: states[at] ?? null }))))
    const peer = await made.reader('[11,1210]', '[11,1211]')
    expect((await peer.received(2)).map((text) => JSON.parse(text) as unknown[]).map(([, id, , state, text]) => [id, state, text])).toEqual([
      [1210, 'ERROR', 'instrument not available on this endpoint'], [1211, 'READY', ''],
    ])
  })

  test('instruments of another market and forbidden ones are errors without a close', async () => {
    const made = await madeServer()
    made.access.forbidden.add(1211)
    const peer = await made.reader('[11,67824]', '[11,1211]', '[11,1210]')
    expect((await peer.received(3)).map((text) => JSON.parse(text) as unknown[]).map(([, id, , state, text]) => [id, state, text])).toEqual([
      [67824, 'ERROR', 'instrument not available on this endpoint'], [1211, 'ERROR', 'instrument not permitted for this api key'], [1210, 'READY', ''],
    ])
  })

  test('a message above 64 KiB is closed with 1009 and no notice', async () => {
    const made = await madeServer()
    const peer = await made.reader(`[11,1210,"${'x'.repeat(65_536)}"]`)
    expect(await peer.toEnd()).toEqual([1009])
  })

  test('commands are played where the options say', async () => {
    const tasks: (() => void)[] = []
    const made = await madeServer({ post: (task) => tasks.push(task) })
    const peer = await made.reader(...Array.from({ length: 600 }, () => '[12,1210]'))
    while (tasks.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const [connection] = made.server.connections
    expect(connection!.commandCount).toBe(0)
    const played = setInterval(() => { for (const task of tasks.splice(0)) task() }, 1)
    await peer.received(600)
    clearInterval(played)
    expect(connection!.commandCount).toBe(600)
  })
})

describe('suspect books', () => {
  test('READY, the reason, and no snapshot until the next one comes', async () => {
    const made = await madeServer()
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play('[1,1210,"77","78",1782345115843612834,0,[[0,"1.07","1",1]]]')
    made.feed.play(FEED_LINES.top)
    const peer = await made.reader('[11,1210]')
    await peer.received(3)
    made.feed.play('[1,1210,"78","79",1782345115843612835,0,[]]')
    made.feed.play(FEED_LINES.snapshot)
    expect((await peer.received(5)).map((text) => text.replace(/^\[5,1210,\d+/, '[5'))).toEqual([
      '[5,"READY",""]', '[5,"ERROR","gap in the chain of depth events"]', FEED_LINES.top, '[1,1210,"78","79",1782345115843612835,0,[]]', FEED_LINES.snapshot,
    ])
  })

  test('a seam snapshot of a suspect book is followed by the reason', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    made.feed.play(FEED_LINES.snapshot, EVENT_FLAGS.SEAM)
    made.feed.play(FEED_LINES.snapshot, EVENT_FLAGS.SEAM | EVENT_FLAGS.CHAIN_GAP)
    expect((await peer.received(4)).slice(1)).toEqual([FEED_LINES.snapshot, FEED_LINES.snapshot, expect.stringMatching(/"ERROR","gap in the chain of depth events"\]$/)])
  })

  // A silence within a gap of a crossed book does not end it.
  test.each([
    ['silences', 'no data since', EVENT_FLAGS.SILENCE, EVENT_FLAGS.SILENCE_END, 0], ['gaps of a crossed book', 'the book is crossed since', EVENT_FLAGS.CROSSED_GAP, EVENT_FLAGS.CROSSED_END, EVENT_FLAGS.SILENCE_END],
  ])('%s begin with their line and end with READY', async (_what, words, begin, end, inside) => {
    const made = await madeServer()
    made.feed.play(FEED_LINES.snapshot)
    const gap = `[5,1210,1782345200000000000,"ERROR","${words} 2026-06-24T23:51:55.505070405Z"]`
    const peer = await made.reader('[11,1210]')
    await peer.received(2)
    made.feed.play(gap, begin)
    const late = await made.reader('[11,1210]')
    expect((await late.received(3)).map((text) => text.slice(0, 2))).toEqual(['[5', '[0', '[5'])
    made.feed.play(FEED_LINES.update, inside)
    made.feed.setState(1210, 'READY', '')
    made.feed.play(FEED_LINES.update, end)
    const behind = [FEED_LINES.update, expect.stringMatching(READY), FEED_LINES.update]
    expect((await peer.received(6)).slice(2)).toEqual([gap, ...behind])
    expect((await late.received(6)).slice(2)).toEqual([expect.stringMatching(words), ...behind])
  })

  test('the whole state again has forceReset, and so has the first snapshot where there was none', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    made.server.resendSnapshots()
    await peer.received(2)
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.update)
    made.server.resendSnapshots(1211)
    made.server.resendSnapshots(1210)
    expect((await peer.received(7)).slice(2)).toEqual([
      FEED_LINES.snapshot.replace('false]', 'true]'), FEED_LINES.snapshot, FEED_LINES.update, expect.stringMatching(READY), MADE_BOOK('1782345115843612834', ',true'),
    ])
  })
})

describe('access', () => {
  test('a key that is gone ends the connection at the next look, an instrument its subscription', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]', '[11,1211]')
    await peer.received(2)
    made.access.forbidden.add(1211)
    made.server.recheckAccess()
    await peer.received(3)
    made.feed.play(FEED_LINES.snapshot)
    await peer.received(4)
    made.access.keys.clear()
    made.server.recheckAccess()
    expect((await peer.toEnd()).slice(2)).toEqual([expect.stringMatching(/^\[5,1211,\d+,"ERROR","instrument permission expired or revoked"\]$/), FEED_LINES.snapshot, 'api key expired or revoked', 1008])
    expect(made.server.connections.size).toBe(0)
  })

  test('an instrument that expires ends its subscriptions, another state does not', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    made.server.sendState(1210, 'ERROR', 'fault on demand')
    made.feed.play(FEED_LINES.snapshot)
    made.server.sendState(1210, 'ERROR', 'instrument permission expired or revoked')
    made.feed.play(FEED_LINES.update)
    peer.send('junk')
    expect((await peer.toEnd()).slice(1, 4)).toEqual([expect.stringMatching(/"fault on demand"/), FEED_LINES.snapshot, expect.stringMatching(/"instrument permission expired or revoked"/)])
  })
})

describe('pings', () => {
  test('a connection that never answers is closed', async () => {
    const made = await madeServer({ ping: { everySeconds: 0.01, pongSeconds: 0.03 } })
    const silent = await FeedPeer.connect(made.url(), { autoPong: false })
    expect(await silent.toEnd()).toEqual(['pong check failed', 1008])
  })

  test('a ping resolves when its pong has come, and with false where the connection ends', async () => {
    const made = await madeServer()
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    const [connection] = made.server.connections
    made.feed.play(FEED_LINES.snapshot)
    expect(await connection!.ping()).toBe(true)
    // What was buffered went before the ping.
    expect(peer.texts).toHaveLength(2)
    connection!.isStalled = true
    const waiting = connection!.ping()
    connection!.close(null)
    expect(await waiting).toBe(false)
    expect((await peer.toEnd()).at(-1)).toBe(1006)
    expect(await connection!.ping()).toBe(false)
  })

  test('pings of a client are answered', async () => {
    const made = await madeServer()
    const peer = await made.peer()
    const answered = new Promise((resolve) => peer.socket.once('pong', (data: Buffer) => resolve(data.toString())))
    peer.socket.ping('hello')
    expect(await answered).toBe('hello')
  })
})

describe('slow consumers', () => {
  test('are closed with a notice at their limit, and nobody else waits', async () => {
    const made = await madeServer({ unsentLimitBytes: 300_000 })
    const slow = await made.reader('[11,1210]')
    const fast = await made.reader('[11,1210]')
    await slow.received(1)
    await fast.received(1)
    const [first] = made.server.connections
    slow.socket.pause()
    let sent = 0
    const large = FEED_LINES.trades.replace('[[', `[${'[0,"1.0719","19200","id",1782345122476000000],'.repeat(2000)}[`)
    while (made.server.connections.has(first!)) {
      made.feed.play(large)
      made.server.flush()
      await fast.received(++sent + 1)
    }
    expect(made.log.join('\n')).toMatch(/protocol violation: slow consumer/)
    made.feed.play(FEED_LINES.top)
    expect((await fast.received(sent + 2)).at(-1)).toBe(FEED_LINES.top)
    slow.socket.resume()
    const end = await slow.toEnd()
    expect(end.slice(-2)).toEqual(['protocol violation: slow consumer', 1008])
  })

  test('a stalled connection is sent nothing until it goes on, everything after, and no more than its limit', async () => {
    const made = await madeServer({ unsentLimitBytes: 100_000 })
    const peer = await made.reader('[11,1210]')
    await peer.received(1)
    const [connection] = made.server.connections
    connection!.isStalled = true
    made.feed.play(FEED_LINES.snapshot)
    made.feed.play(FEED_LINES.update)
    made.server.flush()
    expect(connection!.unsentBytes).toBeGreaterThan(200)
    expect(peer.texts).toHaveLength(1)
    connection!.isStalled = false
    expect((await peer.received(3)).slice(1)).toEqual([FEED_LINES.snapshot, FEED_LINES.update])
    connection!.isStalled = true
    for (let i = 0; i < 2000; i++) made.feed.play(FEED_LINES.trades)
    made.server.flush()
    expect(await peer.toEnd()).toEqual([...peer.texts.slice(0, 3), 'protocol violation: slow consumer', 1008])
  })
})

test('a server that closes says so, and takes nobody any more', async () => {
  const made = await madeServer()
  const peer = await made.reader('[11,1210]')
  await peer.received(1)
  await made.server.close()
  expect((await peer.toEnd()).slice(1)).toEqual(['service shutdown', 1001])
  expect(made.feed.listenerCount).toBe(0)
  expect((await made.peer()).closeCode).toBe(1006)
})

test('a port that is taken is an error', async () => {
  const made = await madeServer()
  const { port } = made.server.addresses[0]!
  const refusal = await refusalOf(() => createFeedServer({
    source: new MadeFeed(), access: new MadeAccess(), processId: 'p', clock: 'wall', markets: [{ code: 'test_spot', exchangeId: 1, name: '', port: 0 }, { code: 'test_swap', exchangeId: 1, name: '', port }],
  }))
  expect(refusal).toMatchObject({ code: 'ADDRESS_TAKEN', message: `Cannot listen at 127.0.0.1:${port} for test_swap: another program does` })
})

test('what a login says is logged without control characters, and no key ever is', async () => {
  const made = await madeServer()
  const peer = await made.peer()
  peer.send('[13,"\\u001b[31mred","a\\nb","1","p"]')
  await peer.received(1)
  expect(made.log.join('|')).not.toMatch(/[\u001b\n]/)
  expect(made.log.join('|')).not.toMatch(/apiKey|\bk\b/)
})

test('clients that are gone without a word free the places of their key when their pong fails', async () => {
  const made = await madeServer({ ping: { everySeconds: 0.02, pongSeconds: 0.05 } })
  const gone = await Promise.all(Array.from({ length: 5 }, () => FeedPeer.connect(made.url(), { autoPong: false })))
  // Nothing is read from here on: no ping, no notice, no close frame is answered.
  for (const one of gone) one.socket.pause()
  const failed = (): number => made.log.filter((text) => text.includes('pong check failed')).length
  while (failed() < 5) await new Promise((resolve) => setTimeout(resolve, 5))
  const next = await made.peer()
  expect([next.refusal, next.socket.readyState]).toEqual([null, 1])
  expect(made.log.filter((text) => text.startsWith('Warning'))).toEqual(
    gone.map(() => 'Warning: test_swap: json connection of nobody who has logged in was cut off: pong check failed'))
  for (const one of gone) one.socket.terminate()
})
