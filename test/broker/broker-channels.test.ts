import { expect, test } from 'vitest'
import { BrokerChannels, type BrokerTerms } from '../../src/broker/broker-channels.js'
import { QUEUE_COUNT_MAX } from '../../src/broker/topic-queue.js'
import type { MessageRecord } from '../../src/venue/channels.js'
import { FakeBroker } from '../support/fake-broker.ts'

const RECORD: MessageRecord = { key: 'k', headers: { a: '1' }, partition: null, offset: null, timestamp: null, isEmpty: false }

async function opened(terms: Partial<BrokerTerms> = {}, broker: FakeBroker = new FakeBroker()): Promise<{ broker: FakeBroker, channels: BrokerChannels, said: unknown[] }> {
  const said: unknown[] = []
  const channels = await BrokerChannels.open(broker.open, { servers: ['a:1'], topics: { out: 'w', in: 'r', both: 'rw' }, processId: 'me', hasKeys: true, from: 'end', ...terms }, {
    received: (channel, message) => { said.push([channel, message]) }, failed: (channel, sentence) => { said.push(`${channel} failed: ${sentence}`) }, noted: (sentence) => { said.push(sentence) },
  })
  return { broker, channels, said }
}
const turns = async (): Promise<void> => { for (let at = 0; at < 20; at++) await Promise.resolve() }

test('texts have the process id as key, messages their own; each record has both headers of the server', async () => {
  const { broker, channels } = await opened()
  channels.publish('out', { origin: 'maker', message: 'text' })
  channels.publish('out', { origin: 'desk', message: 'value', record: RECORD })
  channels.publish('out', { origin: 'desk', message: '', record: { ...RECORD, key: null, headers: {}, isEmpty: true } })
  channels.publish('both', { origin: 'maker', message: '' })
  await turns()
  const headers = (origin: string, more = {}): object => ({ ...more, CS_ORIGIN: origin, CS_PROCESS_ID: 'me' })
  expect(broker.log.get('out')).toMatchObject([
    { key: 'me', value: 'text', headers: headers('maker') }, { key: 'k', value: 'value', headers: headers('desk', { a: '1' }) }, { key: null, value: null, headers: headers('desk') },
  ])
  expect(broker.log.get('both')).toMatchObject([{ key: 'me', value: '', headers: headers('maker') }])
  expect(channels.counts.map(({ topic, waiting, written, failed, refused, read }) => [topic, waiting, written, failed, refused, read])).toEqual([['out', 0, 3, 0, 0, 0], ['in', 0, 0, 0, 0, 0], ['both', 0, 1, 0, 0, 0]])
})

test('texts have no key where that is asked for', async () => {
  const { broker, channels } = await opened({ hasKeys: false })
  channels.publish('out', { origin: 'maker', message: 'text' })
  channels.publish('out', { origin: 'maker', message: 'value', record: RECORD })
  await turns()
  expect(broker.log.get('out')!.map(({ key }) => key)).toEqual([null, 'k'])
})

test('a channel that is read alone, or no topic, is not written', async () => {
  const { broker, channels } = await opened()
  for (const channel of ['in', 'other', 'constructor']) channels.publish(channel, { origin: 'a', message: 'x' })
  await turns()
  expect(broker.log.size).toBe(0)
})

test('records of others come with their parts and without the headers of the server, own ones do not', async () => {
  const { broker, channels, said } = await opened()
  broker.put('in', { key: 'k', value: 'v', headers: { CS_ORIGIN: 'maker', CS_PROCESS_ID: 'other', b: '2' } })
  broker.put('both', { key: null, value: 'mine', headers: { CS_ORIGIN: 'maker', CS_PROCESS_ID: 'me' } })
  broker.put('both', { key: null, value: null, headers: {} })
  channels.publish('both', { origin: 'maker', message: 'mine too' })
  await turns()
  expect(said).toEqual([
    ['in', { origin: 'maker', message: 'v', record: { key: 'k', headers: { b: '2' }, partition: 0, offset: 0, timestamp: 1_000, isEmpty: false } }],
    ['both', { origin: 'broker', message: '', record: { key: null, headers: {}, partition: 0, offset: 1, timestamp: 1_001, isEmpty: true } }],
  ])
  broker.sinkOf('in').unreadable({ partition: 0, offset: 7 })
  broker.sinkOf('in').unreadable({ partition: 0, offset: 8 })
  expect(said.slice(2)).toEqual(['Topic in: record 7 of partition 0 is no text, it is dropped'])
  expect(channels.counts.map(({ read, unreadable }) => [read, unreadable])).toEqual([[0, 0], [1, 2], [1, 0]])
})

test('reading begins at the end unless told', async () => {
  const broker = new FakeBroker()
  broker.put('in', { key: null, value: 'old', headers: {} })
  expect((await opened({}, broker)).said).toEqual([])
  expect((await opened({ from: 'beginning' }, broker)).said).toHaveLength(1)
})

test('a topic that the broker lacks is refused by name', async () => {
  const broker = new FakeBroker()
  broker.lacking = ['in', 'both']
  await expect(opened({}, broker)).rejects.toMatchObject({ code: 'BROKER_FAILED', message: 'Cannot use the broker a:1: it has no topic in, both' })
  expect(broker.isClosed).toBe(true)
})

test('records wait in order while the broker is away, and go in batches that it takes', async () => {
  const { broker, channels } = await opened()
  let goOn: () => void = () => undefined
  broker.gate = new Promise((resolve) => { goOn = resolve })
  for (let at = 0; at < 2_500; at++) channels.publish('out', { origin: 'm', message: `${at}` })
  await turns()
  expect(channels.counts[0]).toMatchObject({ waiting: 2_500, written: 0 })
  broker.gate = null
  goOn()
  for (const size of [500_000, 500_000, 1_000_000, 10]) channels.publish('out', { origin: 'm', message: 'x'.repeat(size) })
  await channels.close()
  expect(broker.log.get('out')!.slice(0, 2_500).map(({ value }) => value)).toEqual(Array.from({ length: 2_500 }, (_, at) => `${at}`))
  // No batch is larger than what a broker takes by default; a record that is goes alone.
  expect(broker.batches).toEqual([1_000, 1_000, 501, 1, 1, 1])
  expect(channels.counts[0]).toMatchObject({ waiting: 0, waitingBytes: 0, written: 2_504, failed: 0 })
  expect(broker.isClosed).toBe(true)
})

test('a write that fails, a full queue and the end of the server are counted and said', async () => {
  const { broker, channels, said } = await opened()
  broker.fault = new Error('it is gone')
  channels.publish('out', { origin: 'm', message: '1' })
  channels.publish('out', { origin: 'm', message: '2' })
  await turns()
  expect(said).toEqual(['out failed: it is gone'])
  broker.fault = null
  channels.publish('out', { origin: 'm', message: '3' })
  await turns()
  expect(channels.counts[0]).toMatchObject({ waiting: 0, written: 1, failed: 2, refused: 0 })
  expect(broker.log.get('out')!.map(({ value }) => value)).toEqual(['3'])

  let goOn: () => void = () => undefined
  broker.gate = new Promise((resolve) => { goOn = resolve })
  for (let at = 0; at <= QUEUE_COUNT_MAX; at++) channels.publish('out', { origin: 'm', message: '' })
  expect(said.slice(1)).toEqual([`out failed: its queue is full, ${QUEUE_COUNT_MAX} records wait`])
  const closing = channels.close()
  channels.publish('out', { origin: 'm', message: 'late' })
  expect(said.slice(2)).toEqual(['out failed: the server ends'])
  goOn()
  await closing
  expect(channels.counts[0]).toMatchObject({ waiting: 0, written: 1 + QUEUE_COUNT_MAX, failed: 2, refused: 2 })
})

test('32 MiB wait at most', async () => {
  const { broker, channels, said } = await opened()
  broker.gate = new Promise(() => undefined)
  for (let at = 0; at < 40; at++) channels.publish('out', { origin: 'm', message: 'x'.repeat(1_000_000) })
  expect(channels.counts[0]).toMatchObject({ waiting: 33, refused: 7 })
  expect(said).toHaveLength(7)
})
