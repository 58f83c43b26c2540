import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { StrategyServerConfig } from '../../src/strategy-server/strategy-server-options.js'
import { FakeBroker } from '../support/fake-broker.ts'
import { openedStrategies, type OpenedStrategies } from '../support/opened-strategies.ts'

const open: OpenedStrategies[] = []
afterEach(async () => { for (const one of open.splice(0)) await one.server.close() })

const CONFIG = { broker_servers: ['127.0.0.1:9092'], broker_topics: ['out', 'in:r', 'both:rw'], processId: 'p1' } as const

async function withBroker(config: Partial<StrategyServerConfig> = {}, broker = new FakeBroker()): Promise<OpenedStrategies & { readonly broker: FakeBroker }> {
  const opened = await openedStrategies({ ...CONFIG, ...config }, undefined, broker.open)
  open.push(opened)
  return { ...opened, broker }
}
const turns = async (): Promise<void> => { for (let at = 0; at < 20; at++) await Promise.resolve() }

async function started({ made, ask, runs }: OpenedStrategies, name: string, ...channels: readonly string[]): Promise<string> {
  const id = await made(name)
  await ask('POST', `/api/v1/strategy/instance/${id}/start`, {})
  runs.last.sink.running()
  for (const channel of channels) runs.last.sink.opened(channel)
  return id
}

interface Talk {
  readonly taken: Record<string, unknown>[]
  say(frame: object): void
  has(count: number): Promise<void>
}

async function client(url: string, origin: string, ...channels: readonly string[]): Promise<Talk> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1`)
  await once(socket, 'open')
  const taken: Record<string, unknown>[] = []
  socket.on('message', (data: Buffer) => { taken.push(JSON.parse(data.toString()) as Record<string, unknown>) })
  const say = (frame: object): void => { socket.send(JSON.stringify(frame)) }
  const has = async (count: number): Promise<void> => { while (taken.length < count) await once(socket, 'message') }
  say({ op: 'login', origin })
  for (const channel of channels) say({ op: 'subscribe', channel })
  await has(1 + channels.length)
  taken.splice(0)
  return { taken, say, has }
}

test('a strategy and a WebSocket client write, with their origins; REST does not', async () => {
  const opened = await withBroker()
  const { broker, runs, server, ask } = opened
  await started(opened, 'maker', 'out', 'both')
  const desk = await client(server.url, 'desk', 'both')
  runs.last.sink.published('out', 'from the strategy', undefined)
  desk.say({ op: 'publish', channel: 'out', message: 'from the desk' })
  desk.say({ op: 'publish', channel: 'in', message: 'read alone' })
  desk.say({ op: 'publish', channel: 'memory', message: 'no topic' })
  expect((await ask('POST', '/api/v1/channel/out/send?origin=curl', 'from rest')).status).toBe(204)
  runs.last.sink.published('both', 'to the desk too', undefined)
  await desk.has(1)
  expect(desk.taken).toEqual([{ op: 'event', channel: 'both', origin: 'maker', message: 'to the desk too' }])
  const headers = (origin: string): object => ({ CS_ORIGIN: origin, CS_PROCESS_ID: 'p1' })
  expect(broker.log.get('out')).toMatchObject([{ key: 'p1', value: 'from the strategy', headers: headers('maker') }, { key: 'p1', value: 'from the desk', headers: headers('desk') }])
  expect([...broker.log.keys()]).toEqual(['out', 'both'])
})

test('what a strategy publishes as its server ends reaches subscribers and the broker', async () => {
  const opened = await withBroker()
  const { broker, runs, server } = opened
  await started(opened, 'maker', 'out')
  const desk = await client(server.url, 'desk', 'out')
  runs.last.onKill = () => { runs.last.sink.published('out', 'flat', undefined) }
  await Promise.all([server.close(), desk.has(1)])
  expect(desk.taken).toEqual([{ op: 'event', channel: 'out', origin: 'maker', message: 'flat' }])
  expect([broker.log.get('out'), broker.isClosed]).toMatchObject([[{ value: 'flat', headers: { CS_ORIGIN: 'maker' } }], true])
})

test('a record of another process comes once to each: whole to strategies, its value to WebSocket clients', async () => {
  const opened = await withBroker()
  const { broker, runs, server } = opened
  await started(opened, 'maker', 'in')
  const desk = await client(server.url, 'desk', 'in')
  broker.put('in', { key: 'k', value: 'v', headers: { a: '1', CS_ORIGIN: 'far', CS_PROCESS_ID: 'p2' } })
  await desk.has(1)
  expect(desk.taken).toEqual([{ op: 'event', channel: 'in', origin: 'far', message: 'v' }])
  expect(runs.last.asked).toEqual([['receive', 'in', 'far', 'v', { key: 'k', headers: { a: '1' }, partition: 0, offset: 0, timestamp: 1_000, isEmpty: false }]])
  // Nothing of it goes out again.
  expect(broker.log.get('in')).toHaveLength(1)
})

test('what one instance publishes reaches another of the server once, through memory', async () => {
  const opened = await withBroker()
  const { runs, broker } = opened
  await started(opened, 'a', 'both')
  const a = runs.last
  await started(opened, 'b', 'both')
  const record = { key: 'k', headers: {}, partition: null, offset: null, timestamp: null, isEmpty: false }
  a.sink.published('both', 'v', record)
  await turns()
  expect(broker.log.get('both')).toHaveLength(1)
  expect([a.asked, runs.last.asked]).toEqual([[], [['receive', 'both', 'a', 'v', record]]])
})

test('runs know the topics, so that a channel of the wrong type is refused at its start', async () => {
  const opened = await withBroker()
  await started(opened, 'maker')
  expect(opened.runs.last.order.topics).toEqual({ out: 'w', in: 'r', both: 'rw' })
})

test('without a broker channels are in memory', async () => {
  const broker = new FakeBroker()
  const opened = await openedStrategies({}, undefined, broker.open)
  open.push(opened)
  await started(opened, 'maker', 'out')
  opened.runs.last.sink.published('out', 'x', undefined)
  expect([broker.servers, broker.log.size, opened.runs.last.order.topics]).toEqual([[], 0, undefined])
})

describe('a write that fails', () => {
  test('stops what has a written topic open, with the reason, where that is configured', async () => {
    const opened = await withBroker({ broker_stop_on_error: true })
    const { broker, runs, ask, notes } = opened
    const ids = [await started(opened, 'writer', 'out'), await started(opened, 'reader', 'in'), await started(opened, 'both', 'x', 'both')]
    broker.fault = new Error('it is gone')
    runs.all[0]!.sink.published('out', 'x', undefined)
    await turns()
    const states = async (): Promise<unknown> => ((await ask('GET', '/api/v1/strategy/instance/status')).body as { state: string, reason: string | null }[]).map(({ state, reason }) => [state, reason])
    const reason = 'Records for topic out are not written: it is gone'
    expect(await states()).toEqual([['STOPPING', reason], ['RUNNING', null], ['STOPPING', reason]])
    expect(runs.all.map(({ asked }) => asked)).toEqual([[['stop', true]], [], [['stop', true]]])
    runs.all[0]!.end()
    runs.all[2]!.end({ end: 'failed', reason: 'its own fault', code: 'STRATEGY_FAILED' })
    expect(await states()).toEqual([['STOPPED', reason], ['RUNNING', null], ['FAILED', 'its own fault']])
    expect(notes.filter((note) => note.includes('not written'))).toEqual([reason, `writer: STOPPED, ${reason}`])
    // Started again it has no reason of before.
    broker.fault = null
    await ask('POST', `/api/v1/strategy/instance/${ids[0]}/start`, {})
    runs.last.end()
    expect((await states() as unknown[])[0]).toEqual(['STOPPED', 'it was stopped'])
  })

  test('is counted and noted once otherwise', async () => {
    const opened = await withBroker()
    const { broker, runs, notes, ask } = opened
    await started(opened, 'writer', 'out')
    broker.fault = new Error('it is gone')
    for (let at = 0; at < 3; at++) {
      runs.last.sink.published('out', 'x', undefined)
      await turns()
    }
    expect(notes.filter((note) => note.includes('not written'))).toHaveLength(1)
    broker.fault = null
    runs.last.sink.published('out', 'x', undefined)
    await turns()
    broker.fault = new Error('gone again')
    runs.last.sink.published('out', 'x', undefined)
    await turns()
    expect(notes.filter((note) => note.includes('not written'))).toHaveLength(2)
    expect((await ask('GET', '/api/v1/strategy/instance/status')).body).toMatchObject([{ state: 'RUNNING' }])
    expect((await ask('GET', '/api/v1/metrics')).body).toMatchObject({ runtime: { broker: [{ topic: 'out', waiting: 0, written: 1, failed: 4, refused: 0 }, { topic: 'in' }, { topic: 'both' }] } })
  })
})

describe('a configuration is refused', () => {
  test.each([
    [{ broker_servers: undefined }, 'broker_servers: expected addresses of a broker, as it has topics, found nothing'],
    [{ broker_topics: undefined }, 'broker_topics: expected topics, as there is a broker, found nothing'],
    [{ broker_servers: [] }, 'broker_servers: expected addresses, host:port'],
    [{ broker_servers: ['localhost'] }, 'broker_servers[0]: expected host:port'],
    [{ broker_servers: ['http://a:1'] }, 'broker_servers[0]: expected host:port'],
    [{ broker_topics: ['a', 'b:x'] }, 'broker_topics[1]: expected a name of 1 to 249'],
    [{ broker_topics: ['a', 'a:r'] }, 'broker_topics[1]: expected a name that is there once'],
    [{ broker_topics: 'a' }, 'broker_topics: expected names of topics'],
    [{ broker_stop_on_error: 'yes' }, 'broker_stop_on_error: expected true or false'],
    [{ broker_key: 'k' }, 'broker_key: expected null, or left out'],
    [{ broker_from: 'start' }, 'broker_from: expected end or beginning'],
    [{ processId: '' }, 'processId: expected a text of 1 to 249 characters'],
  ] as const)('%j', async (config, words) => {
    await expect(withBroker(config as never)).rejects.toThrow(words)
  })

  test('a broker that is not there, and one without a topic', async () => {
    const broker = new FakeBroker()
    broker.lacking = ['in']
    await expect(withBroker({}, broker)).rejects.toThrow('Cannot use the broker 127.0.0.1:9092: it has no topic in')
    await expect(openedStrategies(CONFIG)).rejects.toThrow('no broker')
  })
})
