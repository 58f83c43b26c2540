// Messages of a writable channel on their way to a real Kafka broker (headers, keys, queue, batches of at most 1,000),
// against the client library alone with the same records in batches of 1,000 and the same acknowledgements, in turns in
// one process. usage: node bench/broker-writes.mjs [ROUNDS=5] [MESSAGES=50000]
import { stringSerializers, Producer } from '@platformatic/kafka'
import { BrokerChannels } from '../dist/broker/broker-channels.js'
import { openKafka } from '../dist/broker/kafka-client.js'
import { topicAccesses } from '../dist/broker/topic-access.js'
import { tableRow } from '../scripts/big-day.mjs'
import { openBroker } from '../test/support/kafka-broker.mjs'

const BATCH = 1_000
/** Records that wait at most: below the limit of the queue. */
const WINDOW = 8_000
const PROCESS_ID = 'bench'
const TEXT = 'x'.repeat(100)
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const turn = () => new Promise((resolve) => { setTimeout(resolve, 1) })

/** One way of writing: wall and processor time. */
async function timed(write) {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await write()
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 }
}

async function ours(channels, count) {
  const before = channels.counts[0].written
  for (let at = 0; at < count; at++) {
    channels.publish('ours', { origin: 'maker', message: TEXT })
    while (channels.counts[0].waiting >= WINDOW) await turn()
  }
  while (channels.counts[0].written < before + count) await turn()
  if (channels.counts[0].failed + channels.counts[0].refused > 0) throw new Error('records have failed')
}

async function library(producer, count) {
  for (let at = 0; at < count; at += BATCH)
    await producer.send({ messages: Array.from({ length: BATCH }, () => ({
      topic: 'alone', key: PROCESS_ID, value: TEXT, headers: { CS_ORIGIN: 'maker', CS_PROCESS_ID: PROCESS_ID },
    })) })
}

async function main(rounds, count) {
  const broker = await openBroker()
  try {
    broker.make('ours', 'alone')
    const nothing = () => undefined
    const channels = await BrokerChannels.open(openKafka, {
      servers: [broker.server], topics: topicAccesses(['ours:w']).topics, processId: PROCESS_ID, hasKeys: true,
      from: 'end',
    }, { received: nothing, failed: nothing, noted: nothing })
    const producer = new Producer({
      clientId: 'alone', bootstrapBrokers: [broker.server], serializers: stringSerializers, idempotent: true,
    })
    await ours(channels, BATCH)
    await library(producer, BATCH)
    const pairs = []
    for (let at = 0; at < rounds; at++)
      pairs.push([await timed(() => ours(channels, count)), await timed(() => library(producer, count))])
    await channels.close()
    await producer.close()
    const wall = median(pairs.map(([a, b]) => b.wallMs / a.wallMs))
    const cpu = median(pairs.map(([a, b]) => b.cpuMs / a.cpuMs))
    const perSecond = median(pairs.map(([{ wallMs }]) => count / wallMs))
    tableRow(
      'records of a channel to a Kafka broker against the client library alone',
      `${wall.toFixed(2)} x its speed (${perSecond.toFixed(0)} k/s), ${cpu.toFixed(2)} x by processor time`, '0.8 x',
    )
  } finally {
    await broker.close()
  }
}

const [rounds = '5', messages = '50000'] = process.argv.slice(2)
await main(Number(rounds), Number(messages))
