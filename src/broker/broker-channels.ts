import { BacktapeError } from '../model/error.js'
import { afterMs } from '../model/wall-client.js'
import { frozenMessage, ORIGIN_HEADER, PROCESS_HEADER, type SentMessage } from '../venue/channels.js'
import type { Broker, OpenBroker, ReadFrom, ReadRecord } from './broker.js'
import { accessTo, isWritten, type TopicAccesses } from './topic-access.js'
import { TopicQueue, type QueueCounts } from './topic-queue.js'

/** Origin of a record that another program has written without that header. */
const FOREIGN_ORIGIN = 'broker'
/** Records that wait when the server ends have so long. */
const CLOSE_MS = 5_000

/** The terms by which channels are topics of a broker. */
export interface BrokerTerms {
  /** `host:port` of each. */
  readonly servers: readonly string[]
  readonly topics: TopicAccesses
  /** The id of this process in headers. */
  readonly processId: string
  /** True: the process id is the key of texts; false: they have none. */
  readonly hasKeys: boolean
  readonly from: ReadFrom
}

/** Receives what comes from a broker and what goes wrong. */
export interface BrokerSink {
  /** A record of another process. */
  received(channel: string, message: SentMessage): void
  /** A record of this server is not written, or not known to be: a sentence. */
  failed(channel: string, sentence: string): void
  /** A sentence for an operator. */
  noted(sentence: string): void
}

/** Counts of one topic. */
export interface TopicCounts extends QueueCounts {
  readonly topic: string
  /** Records that were read, own ones and those that no text holds left out. */
  readonly read: number
  /** Records that no text holds. */
  readonly unreadable: number
}

const NO_QUEUE: QueueCounts = { waiting: 0, waitingBytes: 0, written: 0, failed: 0, refused: 0 }

/** Channels that are topics of a broker. */
export class BrokerChannels {
  readonly #queues: Map<string, TopicQueue> = new Map()
  readonly #reads: Map<string, { read: number, unreadable: number }> = new Map()
  #isClosed = false

  private constructor(
    private readonly broker: Broker, private readonly terms: BrokerTerms, private readonly sink: BrokerSink,
  ) {}

  /**
   * Opens a broker with its topics: when it resolves, every record that is written from then on to a topic that is read
   * comes. Throws BROKER_FAILED where a server cannot be reached or has not the topics, PACKAGE_MISSING.
   */
  static async open(open: OpenBroker, terms: BrokerTerms, sink: BrokerSink): Promise<BrokerChannels> {
    const { servers, topics } = terms
    const broker = await open(servers)
    try {
      const missing = await broker.missing(Object.keys(topics))
      if (missing.length > 0) throw missingTopics(servers, missing)
      const channels = new BrokerChannels(broker, terms, sink)
      await channels.#openTopics()
      return channels
    } catch (error) {
      await broker.close()
      throw error
    }
  }

  /** The counts of every topic, in the order of the configuration. */
  get counts(): readonly TopicCounts[] {
    return Object.keys(this.terms.topics).map((topic) => ({
      topic, ...this.#queues.get(topic)?.counts ?? NO_QUEUE, ...this.#reads.get(topic) ?? { read: 0, unreadable: 0 },
    }))
  }

  /** Writes a message of a channel, where that is a topic which is written. It returns at once. */
  publish(channel: string, { origin, message, record }: SentMessage): void {
    const queue = this.#queues.get(channel)
    if (queue === undefined) return
    const { processId, hasKeys } = this.terms
    queue.push({
      key: record === undefined ? hasKeys ? processId : null : record.key,
      value: record?.isEmpty === true ? null : message,
      headers: { ...record?.headers, [ORIGIN_HEADER]: origin, [PROCESS_HEADER]: processId },
    })
  }

  /** Ends it; records that wait have some seconds. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    let stop: () => void = () => undefined
    const patience = new Promise<void>((resolve) => { stop = afterMs(CLOSE_MS, resolve) })
    await Promise.all([...this.#queues.values()].map((queue) => queue.close(patience)))
    stop()
    await this.broker.close()
  }

  async #openTopics(): Promise<void> {
    const { topics, from } = this.terms
    for (const topic of Object.keys(topics)) {
      if (isWritten(topics, topic))
        this.#queues.set(topic, new TopicQueue(
          this.broker.writer(topic), (sentence) => { this.sink.failed(topic, sentence) }))
      if (accessTo(topics, topic) === 'w') continue
      const counts = { read: 0, unreadable: 0 }
      this.#reads.set(topic, counts)
      await this.broker.read(topic, from, {
        record: (record) => {
          if (this.#isClosed || record.headers[PROCESS_HEADER] === this.terms.processId) return
          counts.read++
          this.sink.received(topic, messageOf(record))
        },
        unreadable: ({ partition, offset }) => {
          if (counts.unreadable++ === 0)
            this.sink.noted(`Topic ${topic}: record ${offset} of partition ${partition} is no text, it is dropped`)
        },
        interrupted: ({ message }) => { this.sink.noted(message) },
      })
    }
  }
}

/** The message that a record is: without the headers of the server that has written it. */
function messageOf({ key, value, headers, partition, offset, timestamp }: ReadRecord): SentMessage {
  const { [ORIGIN_HEADER]: origin = FOREIGN_ORIGIN, [PROCESS_HEADER]: _, ...own } = headers
  return frozenMessage({
    origin: origin === '' ? FOREIGN_ORIGIN : origin.slice(0, 249), message: value ?? '',
    record: { key, headers: own, partition, offset, timestamp, isEmpty: value === null },
  })
}

function missingTopics(servers: readonly string[], missing: readonly string[]): BacktapeError {
  const names = missing.join(', ')
  return new BacktapeError(
    'BROKER_FAILED', `Cannot use the broker ${servers.join(', ')}: it has no topic ${names}`,
    { field: 'broker_topics', expected: 'topics that the broker has', found: names.slice(0, 80) },
  )
}
