import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { LiveLook } from '../../src/panels/live-look.js'
import type { StretchColumns } from '../../src/panels/stretch-columns.js'
import type { LiveFrame } from '../../src/strategy-server/pages/live-frames.js'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => { for (const close of closing.splice(0).reverse()) await close() })

async function opened(config: Partial<StrategyServerConfig> = {}): Promise<OpenedStrategies> {
  const strategies = await openedStrategies(config)
  closing.push(() => strategies.server.close())
  return strategies
}

/** A viewer that sends what a test says. */
class Viewer {
  readonly frames: LiveFrame[] = []
  #waiting: (() => void)[] = []

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString('utf8')) as LiveFrame)
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  static async open({ server: { url } }: OpenedStrategies, options: object = {}): Promise<Viewer> {
    const viewer = new Viewer(new WebSocket(`${url.replace('http', 'ws')}/ws/live`, options))
    await once(viewer.socket, 'open')
    closing.push(() => { viewer.socket.terminate() })
    return viewer
  }

  say(frame: unknown): void { this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)) }

  /** Its frames of some operations, once there are so many. */
  async has(count: number, ...ops: readonly string[]): Promise<readonly LiveFrame[]> {
    for (;;) {
      const own = this.frames.filter(({ op }) => ops.includes(op))
      if (own.length >= count) return own
      await new Promise<void>((wake) => this.#waiting.push(wake))
    }
  }
}

/** The status of a handshake that is refused. */
async function refusalOf({ server: { url } }: OpenedStrategies, options: object): Promise<number | undefined> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/live`, options)
  socket.on('error', () => undefined)
  const [, { statusCode }] = await once(socket, 'unexpected-response') as [unknown, { readonly statusCode?: number }]
  return statusCode
}

const point = (timeMs: number): LiveLook['point'] => ({ timeMs, prices: [[1, 3, 2]], profit: timeMs, positions: [0] })
const NO_ROWS = { event: [], side: [], price: [], quantity: [] }
const HEAD = { name: 'x:XRPUSDT', priceScale: 1, quantityScale: 0, levels: NO_ROWS, trades: NO_ROWS, states: { event: [], state: [] } }
const rowsOf = (event: number, time: number): Omit<StretchColumns, 'format' | 'name' | 'facts' | 'fromEpochNs' | 'levelCount' | 'positions'> => ({
  unseenCount: 0, events: { kind: [8], timeNs: [time], instrument: [0] }, instruments: [HEAD],
  orders: [{ account: 'a', client: 'c', ownOrderId: String(time), instrument: 0, side: 'BID', type: 'LIMIT', timeInForce: 'GOOD_TILL_CANCEL' }],
  orderRows: { event: [event], order: [event], state: ['FILLED'], price: [1], total: [1], executed: [1], ahead: [null] },
  fills: { order: [event], event: [event], receipt: [event], price: [1], quantity: [1], cause: ['trade'], ahead: [null], isMaker: [true], fee: ['0 USDT'], position: ['1'] },
  lines: { event: [], text: [] },
})

/** A look with one fill: the first of a stretch, or the next one. */
function lookOf(event: number, time: number, priceScale = 1): LiveLook {
  const rows = rowsOf(event, time)
  const instruments = [{ ...HEAD, priceScale }]
  if (event > 0) return { columns: null, part: { ...rows, instruments, receipts: { event: [], fill: [] } }, point: point(time) }
  return { columns: { ...rows, instruments, format: 'backtape-stretch/1', name: '', facts: [], fromEpochNs: '0', levelCount: 20, positions: [] }, part: null, point: point(time) }
}

/** The fills that frames bring, by the times of their orders. */
const fillsOf = (frames: readonly LiveFrame[]): string[] => frames.flatMap((frame) => {
  const rows = frame.op === 'stretch' ? frame.columns : frame.op === 'part' ? frame.part : null
  return (rows?.orders ?? []).map(({ ownOrderId }) => ownOrderId)
})

describe('the live view over WebSocket', () => {
  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /a frame must be an object of JSON/], ['a list', '[1]', /object of JSON/], ['a name twice', '{"op":"leave","op":"shown"}', /object of JSON/],
    ['bytes', Buffer.from('x'), /must be a text/], ['another op', { op: 'draw' }, /op must be one of watch, leave, shown, control/], ['no op', {}, /op must be one of/],
    ['no instance', { op: 'watch', instanceId: 'nobody' }, /must be that of an instance/], ['a number', { op: 'watch', instanceId: 7 }, /must be that of an instance/], ['a replay that is not served', { op: 'watch', instanceId: null }, /or null of a served replay/],
  ])('refuses %s, and goes on', async (_, frame, why) => {
    const viewer = await Viewer.open(await opened())
    viewer.say(frame)
    viewer.say({ op: 'shown' })
    const [refused] = await viewer.has(1, 'error')
    expect(refused).toEqual({ op: 'error', message: expect.stringMatching(why) as string })
    viewer.say({ op: 'leave' })
    viewer.say('{')
    await viewer.has(2, 'error')
  })

  test('closes who sends too many such frames, or one that is too long', async () => {
    const strategies = await opened()
    const [many, long] = [await Viewer.open(strategies), await Viewer.open(strategies)]
    for (let at = 0; at < 20; at++) many.say('{')
    expect(await once(many.socket, 'close')).toEqual([1008, Buffer.from('too many errors')])
    long.say(' '.repeat(4_097))
    expect((await once(long.socket, 'close'))[0]).toBe(1009)
  })

  test('refuses pages of others, and more than 64 viewers', async () => {
    const strategies = await opened()
    expect(await refusalOf(strategies, { headers: { origin: 'http://evil.example' } })).toBe(403)
    expect(await refusalOf(strategies, { headers: { host: 'evil.example' } })).toBe(403)
    await Promise.all(Array.from({ length: 64 }, () => Viewer.open(strategies)))
    expect(await refusalOf(strategies, {})).toBe(429)
  })

  test('says first which venues there are; an instance whose venue is no more says so', async () => {
    const before = await opened()
    await before.made('one')
    await before.server.close()
    const venue = { type: 'replay', files: ['none.txt.zst'], account: { balances: { USDT: '1' } } } as const
    const viewer = await Viewer.open(await opened({ store: before.store, venues: { other: venue, there: { type: 'simulated', feeds: ['ws://127.0.0.1:9/api/v6'], backend: 'http://127.0.0.1:9', accounts: ['a'] } } }))
    const [listed] = await viewer.has(1, 'instances')
    expect(viewer.frames[0]).toEqual({ op: 'venues', venues: [{ venue: 'other', kind: 'replay' }, { venue: 'there', kind: 'simulated' }] })
    expect(listed).toMatchObject({ instances: [{ place: { venue: 'paper', kind: 'missing' } }] })
  })

  test('lists instances: all at first, then those that change, and those that are no more', async () => {
    const strategies = await opened()
    const id = await strategies.made('one')
    const viewer = await Viewer.open(strategies)
    const [first] = await viewer.has(1, 'instances')
    expect(first).toMatchObject({ instances: [{ instance: { instanceName: 'one' }, status: { state: 'CREATED' }, place: { venue: 'paper', kind: 'replay' } }], deleted: [] })
    await strategies.ask('POST', `/api/v1/strategy/instance/${id}/start`)
    const isStarting = (): boolean => viewer.frames.some((frame) => frame.op === 'instances' && frame.instances[0]?.status.state === 'STARTING')
    for (let at = 0; at < 500 && !isStarting(); at++) await new Promise((later) => { setTimeout(later, 10) })
    expect(isStarting()).toBe(true)
    strategies.runs.last.end()
    await strategies.ask('POST', `/api/v1/strategy/instance/${id}/delete`)
    const isGone = (): boolean => viewer.frames.some((frame) => frame.op === 'instances' && frame.deleted.includes(id))
    for (let at = 0; at < 500 && !isGone(); at++) await new Promise((later) => { setTimeout(later, 10) })
    expect(isGone()).toBe(true)
  })

  test('asks a run for looks while a viewer has drawn everything, and sends each its own rows, over the ends of stretches', async () => {
    const strategies = await opened()
    const id = await strategies.made('one')
    const [quick, slow] = [await Viewer.open(strategies), await Viewer.open(strategies)]
    for (const viewer of [quick, slow]) viewer.say({ op: 'watch', instanceId: id })
    await strategies.ask('POST', `/api/v1/strategy/instance/${id}/start`)
    const { last: run } = strategies.runs
    const looks = (): number => run.asked.filter(([what]) => what === 'look').length
    expect(looks()).toBe(1)
    const take = async (event: number, time: number, priceScale?: number): Promise<void> => {
      run.sink.looked(lookOf(event, time, priceScale))
      const before = looks()
      await quick.has(time, 'stretch', 'part')
      quick.say({ op: 'shown' })
      while (looks() === before) await new Promise((later) => { setTimeout(later, 2) })
    }
    for (const [time, event] of [0, 1, 2, 0, 1, 0].entries()) await take(event, time + 1, time >= 3 ? 2 : 1)
    expect(fillsOf(quick.frames)).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(fillsOf(slow.frames)).toEqual(['1'])
    for (let count = 2; count <= 4; count++) {
      slow.say({ op: 'shown' })
      await slow.has(count, 'stretch', 'part')
    }
    expect(fillsOf(slow.frames)).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(slow.frames.filter(({ op }) => op !== 'instances' && op !== 'venues').map(({ op }) => op)).toEqual(['stretch', 'part', 'stretch', 'stretch'])
    // Prices before a scale became finer are at the finer one too.
    const { series } = (await slow.has(3, 'stretch'))[2] as LiveFrame & { op: 'stretch' }
    expect(series.prices[0]!.last).toEqual([20, 20, 20, 2, 2, 2])
    slow.say({ op: 'leave' })
    quick.socket.close()
    for (let at = 0; at < 500 && run.asked.at(-1)?.[0] !== 'unlook'; at++) await new Promise((later) => { setTimeout(later, 10) })
    expect(run.asked.at(-1)).toEqual(['unlook'])
  })

  test('closes who is too many stretches behind', async () => {
    const strategies = await opened()
    const id = await strategies.made('one')
    const viewer = await Viewer.open(strategies)
    viewer.say({ op: 'watch', instanceId: id })
    await strategies.ask('POST', `/api/v1/strategy/instance/${id}/start`)
    for (let time = 1; time <= 6; time++) strategies.runs.last.sink.looked(lookOf(0, time))
    expect(await once(viewer.socket, 'close')).toEqual([1008, Buffer.from('too far behind')])
  })
})
