import type { Consumer, Message, MessagesStream, Producer } from '@platformatic/kafka'
import { loadPackage } from '../files/package-reader.js'
import { BacktapeError } from '../model/error.js'
import { afterMs } from '../model/wall-client.js'
import type { Broker, OpenBroker, ReadFrom, TopicReader, TopicSink, TopicWriter, WrittenRecord } from './broker.js'

type Kafka = typeof import('@platformatic/kafka')
type BinaryMessage = Message
type BinaryStream = MessagesStream<Buffer, Buffer, Buffer, Buffer>
type BinaryConsumer = Consumer

/** A request has so long, and a connection. The defaults of the client wait for half a minute and more. */
const [REQUEST_MS, CONNECT_MS] = [5_000, 3_000]
/** Records are tried for so long; then they have failed. A broker that was killed is there again after 5 to 15 s. */
const DELIVERY_MS = 30_000
/** Between two tries. */
const RETRY_MS = 250
/** Tries of anything else. */
const RETRIES = 4
/** A topic that is made when it is asked for is there after so many tries. */
const TOPIC_TRIES = 20
/** A broker holds back an empty answer for so long. */
const FETCH_MS = 500

const COMMON = {
  clientId: 'backtape', requestTimeout: REQUEST_MS, connectTimeout: CONNECT_MS, timeout: REQUEST_MS,
  retryDelay: RETRY_MS, retries: RETRIES,
}

/** Opens a Kafka broker by the package of the part `kafka`. */
export const openKafka: OpenBroker = async (servers) => {
  const kafka = await loadPackage('@platformatic/kafka', () => import('@platformatic/kafka'))
  return new KafkaBroker(kafka, servers)
}

/** A broker of Kafka's protocol. */
class KafkaBroker implements Broker {
  readonly #closing: Set<{ close(): Promise<void> }> = new Set()

  constructor(private readonly kafka: Kafka, private readonly servers: readonly string[]) {}

  writer(topic: string): TopicWriter {
    return this.#kept(new KafkaWriter(this.kafka, this.servers, topic))
  }

  async read(topic: string, from: ReadFrom, sink: TopicSink): Promise<TopicReader> {
    const reader = this.#kept(new KafkaReader(this.kafka, { servers: this.servers, topic, from }, sink))
    await reader.begin()
    return reader
  }

  async missing(topics: readonly string[]): Promise<readonly string[]> {
    const { servers } = this
    const asking = new this.kafka.Producer({ ...COMMON, bootstrapBrokers: [...servers], autocreateTopics: true })
    quiet(asking)
    try {
      const missing: string[] = []
      for (const topic of topics) if (!await isThere(asking, topic)) missing.push(topic)
      return missing
    } catch (error) {
      throw brokerFault(servers, 'reach', error)
    } finally {
      await closed(asking)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing].map((one) => one.close()))
  }

  #kept<One extends { close(): Promise<void> }>(one: One): One {
    this.#closing.add(one)
    return one
  }
}

async function isThere(asking: Producer, topic: string): Promise<boolean> {
  for (let tries = 0; tries < TOPIC_TRIES; tries++) {
    try {
      await asking.metadata({ topics: [topic], forceUpdate: true })
      return true
    } catch (error) {
      // A topic that is being made has no leader yet.
      if (!isOfTopic(error)) throw error
    }
    await new Promise<void>((resolve) => { afterMs(RETRY_MS, resolve) })
  }
  return false
}

function isOfTopic(error: unknown): boolean {
  const { message = '', findBy } = error as { message?: string, findBy?: (property: string, value: unknown) => unknown }
  return message.startsWith('Unknown topic') ||
    [3, 5].some((apiCode) => Boolean(findBy?.call(error, 'apiCode', apiCode)))
}

/**
 * Writes one topic. A producer of its own numbers its records, so that the broker takes none twice that is tried again.
 * After a failure nobody knows what the broker has: another producer goes on, as the numbers of this one are not known.
 */
class KafkaWriter implements TopicWriter {
  #producer: Producer<string, string, string, string> | null = null
  #isClosed = false

  constructor(
    private readonly kafka: Kafka, private readonly servers: readonly string[], private readonly topic: string,
  ) {}

  async write(records: readonly WrittenRecord[]): Promise<void> {
    const { servers, topic } = this
    if (this.#isClosed) throw brokerFault(servers, `write topic ${topic} of`, new Error('the server ends'))
    const producer = this.#producer ??= new this.kafka.Producer({
      ...COMMON, bootstrapBrokers: [...servers], serializers: this.kafka.stringSerializers, idempotent: true,
      // A request that gets no answer is not tried again: it waits until the records have failed.
      retries: Math.ceil(DELIVERY_MS / RETRY_MS), requestTimeout: DELIVERY_MS,
    })
    quiet(producer)
    const sent = producer.send({ messages: records.map(({ key, value, headers }) => ({
      topic, headers, ...(key === null ? {} : { key }), ...(value === null ? {} : { value }),
    })) })
    try {
      await within(DELIVERY_MS, sent)
    } catch (error) {
      this.#producer = null
      void closed(producer)
      throw brokerFault(servers, `write ${records.length} records to topic ${topic} of`, error)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const producer = this.#producer
    this.#producer = null
    if (producer !== null) await closed(producer)
  }
}

/** Reads one topic by a group of its own, from where it was: nothing is kept at the broker. */
class KafkaReader implements TopicReader {
  #consumer: BinaryConsumer | null = null
  #isClosed = false
  /** The next offset of each partition, once they are known. */
  readonly #next: Map<number, bigint> = new Map()

  constructor(
    private readonly kafka: Kafka,
    private readonly of: { readonly servers: readonly string[], readonly topic: string, readonly from: ReadFrom },
    private readonly sink: TopicSink,
  ) {}

  /** Begins; rejects with BROKER_FAILED. */
  async begin(): Promise<void> {
    const { servers, topic } = this.of
    try {
      const stream = await within(DELIVERY_MS, this.#open())
      void this.#goOn(stream)
    } catch (error) {
      await this.#drop()
      throw brokerFault(servers, `read topic ${topic} of`, error)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#drop()
  }

  async #open(): Promise<BinaryStream> {
    const { servers, topic, from } = this.of
    const consumer = this.#consumer = new this.kafka.Consumer({
      ...COMMON, bootstrapBrokers: [...servers], groupId: `backtape-${crypto.randomUUID()}`, autocommit: false,
      maxWaitTime: FETCH_MS, minBytes: 1, highWaterMark: 1_024,
    })
    quiet(consumer)
    const offsets = [...this.#next].map(([partition, offset]) => ({ topic, partition, offset }))
    const stream = await consumer.consume({
      topics: [topic], autocommit: false,
      ...offsets.length > 0 ? { mode: 'manual', offsets } : { mode: from === 'end' ? 'latest' : 'earliest' },
    })
    quiet(stream)
    // Its first look at the topic is over: what is written from now on comes.
    if (stream.offsetsToFetch.size === 0) await new Promise<void>((resolve, reject) => {
      stream.once('offsets', resolve)
      stream.once('error', reject)
    })
    for (const [place, offset] of stream.offsetsToFetch) {
      const partition = Number(place.slice(place.lastIndexOf(':') + 1))
      if (!this.#next.has(partition)) this.#next.set(partition, offset)
    }
    return stream
  }

  /** Takes records until it is closed; after a failure it begins anew where it was. */
  async #goOn(first: BinaryStream): Promise<void> {
    let stream: BinaryStream | null = first
    while (!this.#isClosed) {
      try {
        stream ??= await within(DELIVERY_MS, this.#open())
        for await (const message of stream) this.#take(message)
      } catch (error) {
        if (!this.#isClosed)
          this.sink.interrupted(brokerFault(this.of.servers, `read topic ${this.of.topic} of`, error))
      }
      stream = null
      await this.#drop()
      if (!this.#isClosed) await new Promise<void>((resolve) => { afterMs(RETRY_MS, resolve) })
    }
  }

  #take(message: BinaryMessage): void {
    const { partition, offset, timestamp } = message
    // One that was taken before the reading began anew.
    if (this.#isClosed || offset < (this.#next.get(partition) ?? 0n)) return
    this.#next.set(partition, offset + 1n)
    const place = { partition, offset: Number(offset) }
    let texts: WrittenRecord
    try {
      texts = textsOf(message)
    } catch {
      this.sink.unreadable(place)
      return
    }
    this.sink.record({ ...texts, ...place, timestamp: Number(timestamp) })
  }

  async #drop(): Promise<void> {
    const consumer = this.#consumer
    this.#consumer = null
    if (consumer !== null) await closed(consumer)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The texts of a record. Throws where one is no UTF-8. */
function textsOf({ key, value, headers }: BinaryMessage): WrittenRecord {
  const text = (bytes: Buffer | null | undefined): string | null => (
    bytes === null || bytes === undefined ? null : decoder.decode(bytes))
  return {
    key: text(key), value: text(value),
    headers: Object.fromEntries([...headers].map(([name, content]) => [text(name) ?? '', text(content) ?? ''])),
  }
}

interface Emitter {
  on(name: string, listener: (payload: { readonly connection?: Emitter } | undefined) => void): unknown
}

/** Errors of a client and of its connections end no process: calls reject with them, and the client connects anew. */
function quiet(client: unknown): void {
  const emitter = client as Emitter
  emitter.on('error', () => undefined)
  emitter.on('client:broker:connect', (payload) => { payload?.connection?.on('error', () => undefined) })
}

/** The same promise, which rejects when it has not settled in time. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let stop: () => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    stop = afterMs(ms, () => { reject(new Error(`no answer within ${ms / 1_000} s`)) })
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    stop()
    promise.catch(() => undefined)
  }
}

/** Ends a client of the package, which may fail where the broker is not there: it is waited for, but not for long. */
async function closed(client: { close(force: boolean, callback: () => void): void }): Promise<void> {
  const end = new Promise<void>((resolve) => { client.close(true, resolve) })
  await within(CONNECT_MS, end).catch(() => undefined)
}

function brokerFault(servers: readonly string[], action: string, error: unknown): BacktapeError {
  const why = wordsOf(error)
  return new BacktapeError(
    'BROKER_FAILED', `Cannot ${action} the broker ${servers.join(', ')}: ${why}`, { found: why.slice(0, 80) }, error,
  )
}

/** The last of the errors that a client has collected over its tries. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors.at(-1))
  return error instanceof Error ? error.message : String(error)
}
