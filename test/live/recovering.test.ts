import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { LiveResult } from '../../src/live/live-options.js'
import { runLive } from '../../src/live/run-live.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'
import { repeated } from '../support/repetitions.ts'
import { SERVED_DAY } from '../support/served-days.ts'

let serving: Serving | null = null
const proxies: { readonly http: Server, readonly sockets: WebSocketServer }[] = []
afterEach(async () => {
  watched.onState = () => undefined
  watched.states = []
  for (const { http, sockets } of proxies.splice(0)) {
    for (const one of sockets.clients) one.terminate()
    sockets.close()
    http.close()
    http.closeAllConnections()
  }
  await serving?.close()
  serving = null
})

/** What the strategy below has seen, and what a test does with it. */
const watched: { states: string[], onState: (all: readonly string[], strategy: Strategy) => void } = { states: [], onState: () => undefined }

/** Notes every state of its market, and whether the book is known then. */
class Watcher extends Strategy {
  declare instrument: TradingInstrument
  override onMarketDataState(_instrument: unknown, state: string, text: string): void {
    watched.states.push(`${state} ${text}`.trim())
    watched.onState(watched.states, this)
  }
}
;(Parameter(TradingInstrument) as (target: object, key: string) => void)(Watcher.prototype, 'instrument')

async function opened(replay: object): Promise<Serving> {
  serving = await openServing({
    data: [SERVED_DAY], from: '23:58', httpPort: 0, replay,
    accounts: { paper: { exchange: 'synthetic_swap', balances: { USDT: '1000' }, fees: { maker: '0', taker: '0' } } },
  })
  return serving
}

const GAP = 'ERROR gap in the chain of depth events'
const count = (words: readonly string[], word: string): number => words.filter((one) => one === word).length

function live(server: Serving, feed = server.addresses.feeds[0]!.json, more: object = {}): Promise<LiveResult> {
  const { http, keys } = server.addresses
  return runLive({
    strategy: Watcher, parameters: { instrument: 'synthetic_swap:XRPUSDT' }, feed: { url: feed, market: 'synthetic_swap' }, apiKey: keys[0]!, backend: http, accountId: 'paper', seed: 1, ...more,
  })
}

/** Resolves when something holds, which `between` may bring about. */
async function until(holds: () => boolean, between: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
  while (!holds()) {
    await between()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('a gap is over with the next subscription', () => {
  test.each([[1000, ''], [60, '/sbe']] as const)('at %s, in the very first batch', { timeout: 60_000 }, async (speed, path) => {
    const server = await opened({ speed })
    const id = server.replay.feed.instruments.entries[0]!.instrument.id
    server.feed.omit(id, { depthLineCount: 1 })
    watched.onState = (all, strategy) => { if (count(all, 'READY') === 2) strategy.stop() }
    void server.run()
    await live(server, server.addresses.feeds[0]!.json + path)
    expect(watched.states).toEqual(['READY', GAP, 'READY'])
  })

  test.each(repeated([1, 0.001, 'max'] as const))('at %s, each time', { timeout: 60_000 }, async (speed) => {
    const server = await opened({ speed, start: 'paused' })
    const id = server.replay.feed.instruments.entries[0]!.instrument.id
    void server.run()
    const stop = new AbortController()
    const ended = live(server, undefined, { signal: stop.signal })
    await until(() => [...server.feed.connections].some(({ commandCount }) => commandCount > 0))
    for (let round = 1; round <= 2; round++) {
      server.feed.omit(id, { depthLineCount: 2 })
      await until(() => count(watched.states, GAP) === round, () => server.pacer.step())
      // The answer to a subscription needs no step.
      await until(() => watched.states.at(-1) === 'READY')
    }
    stop.abort()
    await ended
    expect(watched.states).toEqual(['READY', GAP, 'READY', GAP, 'READY'])
  })

  test('in lock-step it stays as in a backtest: until the next snapshot of the recording', { timeout: 60_000 }, async () => {
    const server = await opened({ speed: 'lockstep', step: 'ping' })
    const id = server.replay.feed.instruments.entries[0]!.instrument.id
    server.feed.omit(id, { depthLineCount: 1 })
    const commands = new Set<number>()
    watched.onState = (all, strategy) => {
      for (const { commandCount } of server.feed.connections) commands.add(commandCount)
      if (count(all, GAP) > 0) strategy.stop()
    }
    void server.run()
    await live(server)
    expect([watched.states, [...commands]]).toEqual([['READY', GAP], [1]])
  })
})

/** A feed between a client and a server that may put messages in: `meddle` gets each message of the server. */
async function proxied(url: string, meddle: (message: string, number: number, send: (text: string) => void) => void): Promise<string> {
  const target = new URL(url)
  const http = createServer((request, response) => {
    void fetch(`http://${target.host}${request.url!}`).then(async (answer) => { response.end(await answer.text()) })
  })
  const sockets = new WebSocketServer({ server: http })
  let number = 0
  sockets.on('connection', (socket, request) => {
    const behind = new WebSocket(`ws://${target.host}${request.url!}`)
    const waiting: string[] = []
    socket.on('message', (data: Buffer) => {
      if (behind.readyState === WebSocket.OPEN) behind.send(data.toString())
      else waiting.push(data.toString())
    })
    behind.on('open', () => { for (const text of waiting) behind.send(text) })
    behind.on('message', (data: Buffer) => { meddle(data.toString(), number++, (text) => { socket.send(text) }) })
    behind.on('close', (code) => { socket.close(code) })
    behind.on('error', () => undefined)
    socket.on('close', () => { behind.terminate() })
  })
  await new Promise<void>((resolve) => { http.listen(0, '127.0.0.1', resolve) })
  proxies.push({ http, sockets })
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/api/v6`
}

const MAD = '4102444800000000000'
const UNREADABLE = 'ERROR a message of the feed could not be read'

describe('a message that cannot be read', () => {
  test.each<[string, (id: number) => string]>([
    ['a trade of the year 2100', (id) => `[2,${id},"0","1",${MAD},0,[[1,"1","1","7",${MAD},0]]]`],
    ['an update of 1970', (id) => `[1,${id},"0","1",1,0,[[0,"1","1",1]]]`],
    ['a state of the year 2100', (id) => `[5,${id},${MAD},"READY",""]`],
    ['a price that is none', (id) => `[7,${id},"0","1",1782945300000000000,1782945300000000000,"abc"]`],
    ['a line that is cut', (id) => `[1,${id},"0","1",1782945300000000000,`],
  ])('%s: the instrument is in ERROR until it has been subscribed again, and the run goes on', { timeout: 60_000 }, async (_name, bad) => {
    const server = await opened({ speed: 60 })
    const id = server.replay.feed.instruments.entries[0]!.instrument.id
    const notes: string[] = []
    let isSent = false
    const feed = await proxied(server.addresses.feeds[0]!.json, (message, _number, send) => {
      send(message)
      // Behind the first READY as the strategy sees it: a busy machine reads many messages before.
      if (isSent || !watched.states.includes('READY')) return
      isSent = true
      send(bad(id))
    })
    watched.onState = (all, strategy) => { if (count(all, 'READY') === 2) strategy.stop() }
    void server.run()
    const result = await live(server, feed, { onNote: (note: string) => notes.push(note) })
    expect(watched.states).toEqual(['READY', UNREADABLE, 'READY'])
    expect(result.unreadableMessageCount).toBe(1)
    expect(notes.filter((note) => note.endsWith(`; instrument ${id} is subscribed again`))).toHaveLength(1)
  })

  test('many of them: each is counted, and one subscription answers all', { timeout: 60_000 }, async () => {
    const server = await opened({ speed: 60 })
    const id = server.replay.feed.instruments.entries[0]!.instrument.id
    let isSent = false
    const feed = await proxied(server.addresses.feeds[0]!.json, (message, _number, send) => {
      send(message)
      if (isSent || !watched.states.includes('READY')) return
      isSent = true
      for (let i = 0; i < 10; i++) send(`[5,${id},${MAD},"READY",""]`)
    })
    watched.onState = (all, strategy) => { if (count(all, 'READY') === 2) strategy.stop() }
    void server.run()
    const result = await live(server, feed)
    expect(watched.states).toEqual(['READY', UNREADABLE, 'READY'])
    expect(result.unreadableMessageCount).toBe(10)
  })

  test('the first state of an instrument, and a login response of another year', { timeout: 60_000 }, async () => {
    const server = await opened({ speed: 60 })
    const feed = await proxied(server.addresses.feeds[0]!.json, (message, number, send) => {
      if (number === 0) send(message.replace(/\d{19}/, MAD))
      else if (number === 1) send(message.replace(/\d{19}/, MAD))
      else send(message)
    })
    watched.onState = (_all, strategy) => { strategy.stop() }
    void server.run()
    expect((await live(server, feed)).unreadableMessageCount).toBe(1)
    expect(watched.states).toEqual(['READY'])
  })

  test('of no instrument: the run ends with its place', { timeout: 60_000 }, async () => {
    const server = await opened({ speed: 60 })
    const feed = await proxied(server.addresses.feeds[0]!.json, (message, number, send) => { send(number === 20 ? '[x' : message) })
    void server.run()
    await expect(live(server, feed)).rejects.toMatchObject({ code: 'LINE_MALFORMED' })
  })
})

test.each(['feed', 'adapter', 'both'] as const)('nothing of a run stays on a timer when its server says service shutdown (%s)', { timeout: 30_000 }, async (part) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
  const server = await opened({ speed: 60 })
  const before = timers()
  const notes: string[] = []
  const stop = new AbortController()
  let closing: Promise<void> = Promise.resolve()
  const run = server.run()
  const ended = live(server, undefined, {
    signal: stop.signal,
    onNote: (note: string) => {
      notes.push(note)
      // The adapter alone: it is tried again, and the run is stopped meanwhile.
      if (part === 'adapter' && /^Account paper: closed/.test(note)) stop.abort()
    },
  })
  await until(() => watched.states.length > 0)
  if (part === 'feed') closing = server.feed.close()
  else if (part === 'adapter') for (const one of server.orderEntry.connections) one.close()
  else closing = server.close()
  await ended
  await closing
  await server.close()
  await run
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(timers()).toBeLessThanOrEqual(before)
  expect(notes.length).toBeGreaterThan(0)
})
