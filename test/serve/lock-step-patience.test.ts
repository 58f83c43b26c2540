import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FrameReader, frameOf } from '../../src/protocol/domain-socket-frames.js'
import { refusalOf } from '../support/collected.ts'
import { FeedPeer } from '../support/feed-peer.ts'
import { firstMessage, marketOrder, ServedDays, servers } from '../support/served-days.ts'
import { newFolder } from '../support/new-folder.ts'

const serve = servers()
const LOCKSTEP = { speed: 'lockstep', start: 'first-subscription' } as const
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2))
const login = (processId: string, options: object): string =>
  JSON.stringify({ msgType: 'login', accountId: 'paper', requestId: 'r', processId, version: '1', options })
const STEPPED = '{"msgType":"stepped","number":0,"feedCommands":{},"nextTimer":null}'

/** The wall of a server: the test's own. */
class Wall {
  ms = 0
  readonly nowMs = (): number => this.ms

  /** Lets the server look until somebody is waited for. */
  async waits(served: ServedDays): Promise<string[]> {
    for (;;) {
      const waits = served.serving.pacer.lockStep.waits(0)
      if (waits.length > 0) return waits
      await turn()
    }
  }
}

/** A client of ours on a domain socket, which says that it is ready and then answers no step: a program at a breakpoint. */
async function ours(path: string): Promise<Socket> {
  const socket = connect(path)
  socket.on('error', () => undefined)
  const frames = new FrameReader(1 << 26)
  await new Promise<void>((resolve) => socket.on('data', (chunk: Uint8Array) => {
    frames.push(chunk)
    for (let frame = frames.next(); frame !== null; frame = frames.next()) if ('text' in frame && frame.text.includes('loginResponse')) resolve()
  }).once('connect', () => { socket.write(frameOf(login('stuck', { lockstep: true, backtape: true }))) }))
  socket.write(frameOf(STEPPED))
  return socket
}

test.each(['domain socket', 'WebSocket that answers its pings'])('a client of ours on a %s that answers no step is named, and ended by patience alone', { timeout: 30_000 }, async (kind) => {
  const wall = new Wall()
  const domainSocket = join(newFolder('serve-'), 's.sock')
  const served = await serve({ domainSocket, replay: LOCKSTEP, ping: { everySeconds: 0.01, pongSeconds: 0.01 } }, wall)
  if (kind === 'domain socket') await ours(domainSocket)
  else (await served.trader({ lockstep: true, backtape: true }, 'stuck')).send(STEPPED)
  expect(await wall.waits(served)).toEqual(['"stuck" of account paper (0 s)'])
  wall.ms = 299_999
  for (let look = 0; look < 20; look++) await turn()
  expect(served.serving.pacer.lockStep.waits(1_000)).toEqual(['"stuck" of account paper (299 s)'])
  wall.ms = 300_000
  expect(await served.ended).toBe('ended')
  expect(served.log.filter((text) => text.startsWith('Warning'))).toEqual(['Warning: order entry: process "stuck" of account "paper" was cut off: no answer in lock-step'])
})

test.each([['5m', 300_000], ['90s', 90_000]] as const)('a foreign program at a breakpoint, which answers no ping, has a patience of %s, then all of its connections end', { timeout: 30_000 }, async (patience, ms) => {
  const wall = new Wall()
  const served = await serve({ patience, replay: LOCKSTEP, ping: { everySeconds: 0.01, pongSeconds: 0.01 } }, wall)
  const trader = await served.trader({}, 'foreign')
  const feed = await FeedPeer.connect(`${served.serving.addresses.feeds[0]!.json}?apiKey=k`, { autoPong: false })
  feed.send('[13,"org","app","1","foreign"]', `[11,${served.instrumentId},{}]`)
  expect(await wall.waits(served)).toEqual([`"foreign" at the feed of synthetic_swap (0 s)`])
  wall.ms = ms - 1
  for (let look = 0; look < 20; look++) await turn()
  expect([feed.closeCode, trader.closeCode]).toEqual([null, null])
  wall.ms = ms
  expect(await served.ended).toBe('ended')
  expect((await feed.toEnd()).slice(-2)).toEqual(['protocol violation: no answer in lock-step', 1008])
  expect((await trader.toEnd()).at(-1)).toBe(1008)
})

test('without patience nobody is ended, and the one that answers goes on', { timeout: 30_000 }, async () => {
  const wall = new Wall()
  const served = await serve({ patience: 'off', replay: LOCKSTEP }, wall)
  const stuck = await served.trader({ lockstep: true, backtape: true }, 'stuck')
  stuck.send(STEPPED)
  await wall.waits(served)
  wall.ms = 1e9
  for (let look = 0; look < 20; look++) await turn()
  expect(stuck.closeCode).toBeNull()
  stuck.socket.terminate()
  expect(await served.ended).toBe('ended')
})

test.each(['never', '5 m', '0s', '', '31d'])('a patience of %j is refused', async (patience) => {
  expect(await refusalOf(() => ServedDays.open({ patience }))).toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('patience') as string })
})

test.each(['lockstep', 'max', 1_000] as const)('at %s, requests before the first subscription are answered at once, at the time where the replay stands', { timeout: 30_000 }, async (speed) => {
  const served = await serve({ from: '23:56', assumptions: { requestLatency: '10ms', responseLatency: '1.5 x feed + 20ms' }, replay: { speed, start: 'first-subscription' } })
  const { clock } = served.serving.replay
  const beginNs = String(clock.now())
  const trader = await served.trader()
  for (let number = 1; number <= 3; number++) {
    trader.send(marketOrder(served.instrumentId, number))
    await trader.until(() => trader.texts.filter((text) => text.includes('"msgType":"fill"')).length === number)
  }
  expect(String(clock.now())).toBe(beginNs)
  const times = trader.texts.join('\n').match(/"(?:adapter|exchange)TimestampNs":\d+/g)!
  expect(times.filter((text) => !text.endsWith(`:${beginNs}`) && text.startsWith('"adapter'))).toEqual([])
  // A request that the adapter refuses, and one that cancels what rests.
  trader.send(marketOrder(served.instrumentId, 1))
  await firstMessage(trader, 'placeResponse', 'ORDER_ID_DUPLICATE')
  expect(served.serving.pacer.hasStarted).toBe(false)
  const reader = await served.reader()
  await reader.until(() => reader.texts.length > 20)
  expect(served.serving.pacer.hasStarted).toBe(true)
  // The replay began with the subscription: behind the current state come its first lines, whatever was traded before.
  trader.texts.length = 0
  trader.send(marketOrder(served.instrumentId, 9))
  await trader.until(() => trader.texts.some((text) => text.includes('placeResponse')))
  expect(trader.texts.find((text) => text.includes('placeResponse'))).not.toContain(`"adapterTimestampNs":${beginNs}`)
})

test('the lines of a replay are the same, whether somebody has traded before it began', { timeout: 30_000 }, async () => {
  const lines = async (isTraded: boolean): Promise<readonly string[]> => {
    const served = await serve({ from: '23:56', to: '23:56:20', replay: LOCKSTEP })
    if (isTraded) {
      const trader = await served.trader()
      trader.send(marketOrder(served.instrumentId, 1))
      await firstMessage(trader, 'fill')
    }
    const reader = await served.reader()
    await served.ended
    await served.close()
    return reader.texts
  }
  expect(await lines(true)).toEqual(await lines(false))
})

test('a paused replay does not answer before it goes on', async () => {
  const served = await serve({ replay: { start: 'paused' } })
  const trader = await served.trader()
  trader.send(marketOrder(served.instrumentId, 1), '{"msgType":"fence"}')
  await firstMessage(trader, 'invalidRequest')
  expect(trader.texts.filter((text) => text.includes('placeResponse'))).toEqual([])
})

test('a step says how much each connection was sent', { timeout: 30_000 }, async () => {
  const served = await serve({ from: '23:56', to: '23:56:10', replay: { ...LOCKSTEP, step: 'post' } })
  const trader = await served.trader()
  trader.send(marketOrder(served.instrumentId, 1))
  await firstMessage(trader, 'walletUpdate')
  const reader = await served.reader()
  await served.connected(`${served.serving.addresses.feeds[0]!.json}?apiKey=k`)
  let [fed, traded] = [reader.texts.length - 1, trader.texts.filter((text) => !/welcome|loginResponse/.test(text)).length]
  for (let step = 0; step < 30; step++) {
    const { body } = await served.post('step')
    const sent = body['sent'] as readonly { readonly messages: number }[]
    expect(sent).toEqual([
      { socket: 'feed', market: 'synthetic_swap', processId: 'reader', messages: expect.any(Number) as number },
      { socket: 'orderEntry', account: 'paper', processId: 'trader', messages: expect.any(Number) as number },
    ])
    fed += sent[0]!.messages
    traded += sent[1]!.messages
  }
  await reader.until(() => reader.texts.length >= fed + 1)
  expect(reader.texts).toHaveLength(fed + 1)
  expect(trader.texts.filter((text) => !/welcome|loginResponse/.test(text))).toHaveLength(traded)
})
