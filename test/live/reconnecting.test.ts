import { afterEach, expect, test } from 'vitest'
import type { ServeOptions } from '../../src/serve/serve-options.js'
import { runLive } from '../../src/live/run-live.js'
import { RandomNumbers } from '../../src/model/random.js'
import { loginOrderEntry } from '../../src/order-entry/order-entry-client.js'
import type { OrderEntryClient } from '../../src/order-entry/order-entry-client-options.js'
import { messagesTo } from '../../src/protocol/order-entry-messages.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { repeated } from '../support/repetitions.ts'
import { hands, RestlessTrader } from '../support/restless-trader.ts'

const OPTIONS: ServeOptions = {
  data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst', 'datasets/synthetic_swap-XRPUSDT-2026-07-02.txt.zst'],
  from: '2026-07-01T23:55:00Z', to: '2026-07-02T00:05:00Z', httpPort: 0,
  account: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } },
  assumptions: { requestLatency: '10ms', responseLatency: '10ms' },
}

let serving: Serving | null = null
afterEach(async () => {
  hands.onRound = () => undefined
  hands.isQuiet = false
  await serving?.close()
  serving = null
})

/** A client that listens to the whole account, and the last state of every order. */
async function observed(server: Serving): Promise<{ readonly client: OrderEntryClient, readonly states: Map<string, string> }> {
  const states = new Map<string, string>()
  const client = await loginOrderEntry({
    backend: server.addresses.http, accountId: server.addresses.accounts[0]!, processId: 'observer', version: '1', instruments: server.replay.feed.instruments,
    epochDay: server.replay.clock.epochDay, listener: {
      ...messagesTo((message) => {
        if (message.kind === 'orderUpdate') for (const { ownOrderId, state } of message.orders) states.set(String(ownOrderId), state)
      }),
      onError: (error) => { throw error },
    },
  })
  return { client, states }
}

const run = (server: Serving, more: object = {}) => runLive({
  strategy: RestlessTrader, parameters: { instrument: 'synthetic_swap:XRPUSDT' }, feed: server.addresses.feeds.map(({ json, market }) => ({ url: json, market })),
  apiKey: server.addresses.keys[0], backend: server.addresses.http, accountId: server.addresses.accounts, ...more,
})

const CUTS = ['feed', 'adapter', 'both'] as const

test.each(repeated([1, 2, 3]))('connections cut at random moments, seed %i: no order is lost or sent twice, and the state is that of the adapter', { timeout: 120_000 }, async (seed) => {
  const server = serving = await openServing({ ...OPTIONS, replay: { speed: 60 } })
  const random = new RandomNumbers(seed, 'cuts', 0)
  let [draws, cuts, next] = [0, 0, 10]
  const notes: string[] = []
  const stop = new AbortController()
  void server.run()
  const { client, states } = await observed(server)
  let pause: () => void = () => undefined
  const paused = new Promise<void>((resolve) => { pause = resolve })
  hands.onRound = (round) => {
    if (round < next) return
    if (cuts === 12) {
      // What was asked has been answered by the round in which everything stops.
      if (hands.isQuiet) {
        server.pacer.pause()
        return pause()
      }
      hands.isQuiet = true
      next = round + 20
      return
    }
    const cut = CUTS[Math.floor(random.uniform(draws++) * CUTS.length)]
    if (cut !== 'adapter') for (const one of server.feed.connections) one.close(null)
    if (cut !== 'feed') for (const one of server.orderEntry.connections) if (one.processId === 'strategy') one.close()
    cuts++
    next = round + 30 + Math.floor(random.uniform(draws++) * 60)
  }
  const ended = run(server, { signal: stop.signal, onNote: (note: string) => notes.push(note) })
  await Promise.race([paused, ended])
  const trader = hands.trader!
  const adapter = await observed(server)
  const { orders, positions } = adapter.client.initial
  expect(orders.length + positions.length).toBeGreaterThan(0)
  // A busy machine is still delivering after a second, the usual limit.
  await expect.poll(() => trader.instrument.openOrders.map((one) => [one.ownOrderId, one.executedQuantity.integer]).sort(), { timeout: 60_000 })
    .toEqual(orders.map((one) => [one.ownOrderId, one.executedQuantity]).sort())
  const position = positions.find(({ instrumentId }) => instrumentId === trader.instrument.id)
  expect(trader.instrument.position.toNumber() * 10 ** trader.instrument.entry.quantityScale).toBeCloseTo((position?.longPosition ?? 0) - (position?.shortPosition ?? 0), 6)
  const placed = new Set(trader.placed)
  expect(placed.size).toBe(trader.placed.length)
  expect([...states.keys()].filter((id) => !placed.has(id))).toEqual([])
  // What the trader has heard last of an order is what the adapter said last, unless it ended unseen.
  const apart = trader.placed.filter((id) => {
    const own = trader.seen.get(id)?.state
    return own !== undefined && own !== 'UNKNOWN' && own !== states.get(id)
  })
  expect(apart).toEqual([])
  expect(notes.filter((note) => /open$/.test(note)).length).toBeGreaterThanOrEqual(3)
  stop.abort()
  await ended
  await Promise.all([client.logout(), adapter.client.logout()])
})

test.each([
  ['giveUpAfter: a host that stays away ends the run', '50ms', /has been away for 50ms$/],
] as const)('%s', { timeout: 60_000 }, async (_name, giveUpAfter, reason) => {
  const server = serving = await openServing({ ...OPTIONS, replay: { speed: 60 } })
  hands.onRound = (round) => {
    if (round !== 5) return
    void server.orderEntry.close()
  }
  void server.run()
  await expect(run(server, { giveUpAfter })).resolves.toMatchObject({ reason: expect.stringMatching(reason) as string })
})

test('the end of a replay ends the run', { timeout: 60_000 }, async () => {
  const server = serving = await openServing({ ...OPTIONS, to: '2026-07-01T23:55:30Z', replay: { speed: 'max' } })
  const played = server.run().then(() => server.close())
  const { reason } = await run(server)
  await played
  expect(reason).toBe('the feed said service shutdown')
})

test.each(['', '60', '0s', 'soon', '-1s', '40d'])('giveUpAfter %j is no time', { timeout: 60_000 }, async (giveUpAfter) => {
  const server = serving = await openServing({ ...OPTIONS, replay: { speed: 60 } })
  await expect(run(server, { giveUpAfter })).rejects.toMatchObject({ code: 'OPTION_INVALID', place: { field: 'giveUpAfter' } })
})
