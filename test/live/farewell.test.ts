import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { demandFault } from '../../src/exchange/demands.js'
import { REQUEST_KINDS } from '../../src/exchange/profile/venue-profile.js'
import { runLive } from '../../src/live/run-live.js'
import type { ServeOptions } from '../../src/serve/serve-options.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import { Parameter } from '../../src/strategy/parameter.js'
import { Strategy } from '../../src/strategy/strategy.js'
import type { TradingInstrument as Instrument } from '../../src/strategy/trading-instrument.js'
import { TradingInstrument } from '../../src/strategy/trading-instrument.js'

const hands: { end: (strategy: Strategy) => void } = { end: () => undefined }

/** Places orders far from the touch, and ends when they are there. */
class Placer extends Strategy {
  instrument!: Instrument

  override onStart(): void {
    this.every(200, () => {
      const { bestBid, openOrders } = this.instrument
      if (bestBid === null) return
      if (openOrders.filter((one) => one.state === 'CONFIRMED').length === 3) {
        // One that nobody has answered when it ends.
        this.place()
        hands.end(this)
      } else if (openOrders.length === 0) for (let at = 0; at < 3; at++) this.place()
    })
  }

  place(): void {
    this.instrument.placeOrder({ side: 'BID', price: this.instrument.price('1'), quantity: this.instrument.quantity('100') })
  }
}
;(Parameter(TradingInstrument) as (target: object, key: string) => void)(Placer.prototype, 'instrument')

const generic = JSON.parse(readFileSync('profiles/generic.json', 'utf8')) as { readonly capabilities: object }
const BY_ALL = { ...generic, name: 'all' }
const ONE_BY_ONE = { ...generic, name: 'one', capabilities: { ...generic.capabilities, cancelAll: false } }

type Replay = NonNullable<ServeOptions['replay']>

let serving: Serving | null = null
afterEach(async () => {
  await serving?.close()
  serving = null
})

const opened = async (replay: Replay, profile: object = BY_ALL): Promise<Serving> => {
  serving = await openServing({
    data: ['datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst'], from: '23:55', httpPort: 0, replay,
    accounts: { paper: { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' }, profile } } as never,
  })
  void serving.run()
  return serving
}
const run = ({ addresses }: Serving, notes: string[] = [], more: object = {}) => runLive({
  strategy: Placer, parameters: { instrument: 'synthetic_swap:XRPUSDT' }, feed: addresses.feeds[0]!.json, apiKey: addresses.keys[0], backend: addresses.http,
  accountId: 'paper', cancelAllAtStop: true, onNote: (text) => notes.push(text), ...more,
})
const openCount = ({ replay }: Serving): number => [...replay.world.orders.openOrders()].length

test.each<[string, Replay, object]>([
  ['by cancelAll', { speed: 20 }, BY_ALL], ['one by one, without the capability', { speed: 20 }, ONE_BY_ONE],
  ['by cancelAll in lock-step', { speed: 'lockstep' }, BY_ALL], ['one by one in lock-step', { speed: 'lockstep' }, ONE_BY_ONE],
])('cancelAllAtStop leaves no order: %s', { timeout: 60_000 }, async (_name, replay, profile) => {
  const server = await opened(replay, profile)
  let left = -1
  hands.end = (strategy) => {
    left = openCount(server)
    strategy.stop('enough')
  }
  expect(await run(server)).toMatchObject({ reason: 'enough', warnings: [] })
  expect([left, openCount(server)]).toEqual([3, 0])
})

test.each([['by cancelAll', BY_ALL], ['one by one', ONE_BY_ONE]])('cancelAllAtStop leaves no order of a strategy that throws: %s', { timeout: 60_000 }, async (_name, profile) => {
  const server = await opened({ speed: 20 }, profile)
  hands.end = () => { throw new Error('boom') }
  await expect(run(server)).rejects.toMatchObject({ message: expect.stringContaining('boom') as string })
  expect(openCount(server)).toBe(0)
})

test.each([['cancelAll', BY_ALL], ['cancel', ONE_BY_ONE]])('a %s that is refused is said: in the result and as a note', { timeout: 60_000 }, async (what, profile) => {
  const server = await opened({ speed: 20 }, profile)
  hands.end = (strategy) => {
    const { world, clock } = server.replay
    const effect = { kind: 'requests', requests: REQUEST_KINDS, type: 'RATE_LIMIT_EXCEEDED', source: 'INTERNAL' } as const
    demandFault(world, { accountId: null, effect, startNs: clock.nowNs(), everyNs: null, forNs: 1e12 }, clock.nowNs())
    strategy.stop('enough')
  }
  const notes: string[] = []
  const { warnings } = await run(server, notes)
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^Account paper: 3 orders may still be open: .*${what} failed with RATE_LIMIT_EXCEEDED`))])
  expect(notes).toContain(warnings[0])
  expect(openCount(server)).toBe(3)
})

test.each([['by cancelAll', 20, BY_ALL], ['one by one', 20, ONE_BY_ONE], ['by cancelAll, as it goes', 0, BY_ALL], ['one by one, as it goes', 0, ONE_BY_ONE]])('orders are cancelled by an adapter that is away when the run ends, and comes back: %s', { timeout: 60_000 }, async (_name, ms, profile) => {
  const server = await opened({ speed: 20 }, profile)
  hands.end = (strategy) => {
    for (const one of server.orderEntry.connections) one.close()
    if (ms === 0) strategy.stop('enough')
    else setTimeout(() => { strategy.stop('enough') }, ms)
  }
  expect(await run(server)).toMatchObject({ reason: 'enough', warnings: [] })
  expect(openCount(server)).toBe(0)
})

/** Says its last word. */
class Sayer extends Placer {
  override onStop(): void {
    this.openChannel('desk').publish('flat')
  }
}

test.each([['the strategy ends', false], ['it is ended', true]])('what onStop publishes is a line of the journal: %s', { timeout: 60_000 }, async (_how, isOutside) => {
  const server = await opened({ speed: 20 })
  const [lines, ending]: [string[], AbortController] = [[], new AbortController()]
  hands.end = (strategy) => {
    if (isOutside) ending.abort()
    else strategy.stop('enough')
  }
  await run(server, [], { strategy: Sayer, journal: { write: (line: string) => { lines.push(line) } }, signal: ending.signal })
  expect(lines.map((line) => JSON.parse(line) as object).filter((line) => 'channel' in line)).toMatchObject([{ kind: 'publish', channel: 'desk', message: 'flat' }])
})

test('an answer that does not come within 5 s is said', { timeout: 60_000 }, async () => {
  const server = await opened({ speed: 20 })
  hands.end = (strategy) => {
    server.pacer.pause()
    strategy.stop('enough')
  }
  const { warnings } = await run(server)
  expect(warnings).toEqual([expect.stringMatching(/^Account paper: 4 orders may still be open: no answer within 5 s$/)])
})
