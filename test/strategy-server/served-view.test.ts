import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { GrowingStretch } from '../../src/panels/growing-stretch.js'
import { StretchReplay } from '../../src/panels/stretch-replay.js'
import { openServing, type Serving } from '../../src/serve/serving-server.js'
import type { LiveFrame, LiveReplay } from '../../src/strategy-server/pages/live-frames.js'
import { openServerBeside } from '../../src/strategy-server/strategy-server.js'
import { newFolder } from '../support/new-folder.ts'
import { SWAP_DAY } from '../support/venue-instances.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => { for (const end of ends.splice(0).reverse()) await end() })

const ACCOUNT = { balances: { USDT: '10000' }, fees: { maker: '0.0002', taker: '0.0005' } }
const secondOf = (epochNs: string): number => Number((BigInt(epochNs) - BigInt(Date.UTC(2026, 6, 1)) * 1_000_000n) / 1_000_000n) / 1_000

/** A browser that draws at once. */
class Viewer {
  readonly stretches: GrowingStretch[] = []
  readonly refusals: (string | null)[] = []
  replay: LiveReplay | null = null

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => { this.#take(JSON.parse(data.toString('utf8')) as LiveFrame) })
  }

  say(frame: object): void { this.socket.send(JSON.stringify(frame)) }

  /** Waits for something, 20 s at most. */
  async until(isSo: () => boolean): Promise<void> {
    for (let at = 0; !isSo(); at++) {
      if (at === 2_000) throw new Error(JSON.stringify([this.replay, this.refusals]))
      await new Promise((later) => { setTimeout(later, 10) })
    }
  }

  /** The refusal of an action, null where it is done. */
  async control(action: unknown, fields: unknown = {}): Promise<string | null> {
    const count = this.refusals.length
    this.say({ op: 'control', action, fields })
    await this.until(() => this.refusals.length > count)
    return this.refusals.at(-1)!
  }

  get shown(): StretchReplay { return new StretchReplay(this.stretches.at(-1)!.columns) }

  /** The second of the day of the newest event. */
  get second(): number {
    const { columns: { fromEpochNs, events } } = this.stretches.at(-1)!
    return secondOf(String(BigInt(fromEpochNs) + BigInt(events.timeNs.at(-1)!)))
  }

  #take(frame: LiveFrame): void {
    if (frame.op === 'replay') this.replay = frame.replay
    if (frame.op === 'controlled') this.refusals.push(frame.refusal)
    if (frame.op === 'stretch') this.stretches.push(new GrowingStretch(frame.columns))
    if (frame.op === 'part') this.stretches.at(-1)!.add(frame.part)
    if (frame.op === 'stretch' || frame.op === 'part') this.say({ op: 'shown' })
  }
}

async function opened(speed: 'max' | 'lockstep' | number, from = '23:59'): Promise<{ readonly serving: Serving, readonly viewer: Viewer }> {
  const serving = await openServing({ data: [SWAP_DAY], from, httpPort: 0, replay: { speed, start: 'paused' }, accounts: { paper: ACCOUNT } })
  ends.push(() => serving.close())
  const server = await openServerBeside({
    strategies: newFolder(), store: join(newFolder(), 'store'), port: 0, venues: { days: { type: 'replay', files: [SWAP_DAY], account: ACCOUNT } },
  }, { serving })
  ends.push(() => server.close())
  void serving.run()
  const viewer = new Viewer(new WebSocket(`${server.url.replace('http', 'ws')}/ws/live`))
  await once(viewer.socket, 'open')
  ends.push(() => { viewer.socket.terminate() })
  await viewer.until(() => viewer.replay !== null)
  return { serving, viewer }
}

/** The best levels of the market as the replay has them now. */
function bestOf({ replay }: Serving): readonly number[] {
  const { id } = replay.feed.instruments.entries[0]!.instrument
  const { bestBidPrice, bestAskPrice } = replay.feed.market(id)
  return [bestBidPrice, bestAskPrice]
}

describe('a replay that is served beside', () => {
  test('is shown and moved by its five actions', async () => {
    const { serving, viewer } = await opened(10)
    expect(viewer.replay).toMatchObject({ state: 'PAUSED', speed: 10, isStepped: true })
    expect([secondOf(viewer.replay!.from), secondOf(viewer.replay!.time)]).toEqual([86_340, 86_340])
    viewer.say({ op: 'watch', instanceId: null })
    await viewer.until(() => viewer.stretches.length === 1)
    const { columns } = viewer.stretches[0]!
    expect([columns.name, columns.instruments.map(({ name }) => name)]).toEqual(['Served replay', ['synthetic_swap:XRPUSDT']])
    // A step takes it on: nothing is sent, so that a second passes.
    expect(await viewer.control('step')).toBe(null)
    await viewer.until(() => viewer.second === 86_341)
    const ladder = viewer.shown.ladders[0]!.at(viewer.shown.count - 1)
    expect([ladder.bids.prices[0], ladder.asks.prices[0]]).toEqual(bestOf(serving))
    expect([ladder.bids.prices.length, ladder.asks.prices.length]).toEqual([20, 20])
    expect(await viewer.control('speed', { speed: 30 })).toBe(null)
    expect(await viewer.control('step')).toBe(null)
    expect(await viewer.control('resume')).toBe(null)
    await viewer.until(() => viewer.replay!.state === 'PLAYING' && viewer.second > 86_345)
    expect(viewer.replay).toMatchObject({ speed: 30, isStepped: false })
    expect(await viewer.control('step')).toContain('a replay that is paused')
    expect(await viewer.control('pause')).toBe(null)
    expect(viewer.shown.trades(0, Infinity, 1_000).length).toBeGreaterThan(3)
    // Forward it goes on; backward it is another world, and another stretch begins.
    expect(await viewer.control('go-to', { time: '23:59:40' })).toBe(null)
    await viewer.until(() => viewer.second === 86_380)
    expect(viewer.stretches).toHaveLength(1)
    expect(await viewer.control('go-to', { time: '23:59:10' })).toBe(null)
    await viewer.until(() => viewer.stretches.length === 2 && viewer.second === 86_350)
    const last = viewer.shown.ladders[0]!.at(viewer.shown.count - 1)
    expect([last.bids.prices[0], last.asks.prices[0]]).toEqual(bestOf(serving))
    expect(serving.replay.served.watcher).not.toBe(null)
    viewer.say({ op: 'leave' })
    await viewer.until(() => serving.replay.served.watcher === null)
  })

  test.each([
    ['drop-connections', {}, /^action must be one of pause, resume, step, speed, go-to/], [7, {}, /^action must be/], [undefined, {}, /^action must be/], ['pause', [], /^fields must be an object/],
    ['pause', { for: '1s' }, /no field/], ['speed', {}, /speed: expected/], ['speed', { speed: 0 }, /a factor above 0/], ['speed', { speed: '60' }, /a factor above 0/], ['speed', { speed: 'lockstep' }, /a speed of a replay/],
    ['go-to', {}, /time/], ['go-to', { time: 'soon' }, /time/], ['go-to', { time: '23:58' }, /a time of the replay/],
  ])('refuses %j %j', async (action, fields, why) => {
    const { viewer } = await opened(1)
    expect(await viewer.control(action, fields)).toMatch(why)
    expect(viewer.replay!.state).toBe('PAUSED')
  })

  test('ends with its data, and says so', async () => {
    const { viewer } = await opened('max', '23:59:50')
    viewer.say({ op: 'watch', instanceId: null })
    expect(await viewer.control('resume')).toBe(null)
    await viewer.until(() => viewer.replay!.state === 'ENDED' && viewer.second > 86_399)
    expect(await viewer.control('go-to', { time: '23:59:55' })).toBe('The data have ended: serve them again')
  })

  test('in lock-step no look is a request that came late', async () => {
    const { serving, viewer } = await opened('lockstep')
    viewer.say({ op: 'watch', instanceId: null })
    await viewer.until(() => viewer.stretches.length === 1)
    expect(await viewer.control('step')).toBe(null)
    expect(await viewer.control('go-to', { time: '23:59:55' })).toContain('another speed than lockstep')
    expect(serving.pacer.lockStep.lateCount).toBe(0)
  })
})
