import type { Broker, OpenBroker, ReadFrom, ReadRecord, TopicReader, TopicSink, TopicWriter, WrittenRecord } from '../../src/broker/broker.js'

/** A broker in memory, of one partition a topic: it takes records at once, unless a test says otherwise. */
export class FakeBroker implements Broker {
  readonly log: Map<string, ReadRecord[]> = new Map()
  readonly #readers: Map<string, TopicSink[]> = new Map()
  /** Topics that it does not have. */
  lacking: readonly string[] = []
  /** Thrown by writes while it is there. */
  fault: Error | null = null
  /** While it is there, writes wait for it. */
  gate: Promise<void> | null = null
  readonly batches: number[] = []
  servers: readonly string[] = []
  readFrom: ReadFrom | null = null
  isClosed = false

  readonly open: OpenBroker = (servers) => {
    this.servers = servers
    return Promise.resolve(this)
  }

  writer(topic: string): TopicWriter {
    return {
      write: async (records) => {
        if (this.gate !== null) await this.gate
        if (this.fault !== null) throw this.fault
        this.batches.push(records.length)
        for (const record of records) this.put(topic, record)
      },
      close: () => Promise.resolve(),
    }
  }

  /** A record that a program writes; its offset is the number of those before it. */
  put(topic: string, record: WrittenRecord): void {
    const log = this.log.get(topic) ?? []
    const read = { ...record, partition: 0, offset: log.length, timestamp: 1_000 + log.length }
    this.log.set(topic, [...log, read])
    for (const sink of this.#readers.get(topic) ?? []) sink.record(read)
  }

  read(topic: string, from: ReadFrom, sink: TopicSink): Promise<TopicReader> {
    this.readFrom = from
    if (from === 'beginning') for (const record of this.log.get(topic) ?? []) sink.record(record)
    this.#readers.set(topic, [...this.#readers.get(topic) ?? [], sink])
    return Promise.resolve({ close: () => Promise.resolve() })
  }

  sinkOf(topic: string): TopicSink {
    return this.#readers.get(topic)![0]!
  }

  missing(topics: readonly string[]): Promise<readonly string[]> {
    return Promise.resolve(topics.filter((topic) => this.lacking.includes(topic)))
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}
