import type { BacktapeError } from '../model/error.js'

/** A record as it goes to a broker: key, value and headers, all of them texts in UTF-8. */
export interface WrittenRecord {
  /** Null: no key. */
  readonly key: string | null
  /** Null: no value. */
  readonly value: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** A record as it comes from a broker. */
export interface ReadRecord extends WrittenRecord {
  readonly partition: number
  readonly offset: number
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** Writes records of one topic. */
export interface TopicWriter {
  /**
   * Resolves when all replicas have the records, in their order. Rejects with BROKER_FAILED when that is not known
   * within its time; nothing of them is written later. One call at a time.
   */
  write(records: readonly WrittenRecord[]): Promise<void>
  /** Ends it; what is being written fails. Harmless twice. */
  close(): Promise<void>
}

/** Receives the records of one topic. */
export interface TopicSink {
  /** In the order of each partition, none twice. */
  record(record: ReadRecord): void
  /** A record that no text holds: its key, value or a header is no UTF-8. */
  unreadable(place: { readonly partition: number, readonly offset: number }): void
  /** Reading has failed and begins anew where it was. */
  interrupted(fault: BacktapeError): void
}

/** Reads one topic. */
export interface TopicReader {
  close(): Promise<void>
}

/** Place at which reading begins: behind the last record that is there, or at the first. */
export type ReadFrom = 'end' | 'beginning'

/** A broker: topics that are written and read. */
export interface Broker {
  /** A writer of a topic. */
  writer(topic: string): TopicWriter
  /** Reads a topic; once it resolves, every record that is written will come. Rejects with BROKER_FAILED. */
  read(topic: string, from: ReadFrom, sink: TopicSink): Promise<TopicReader>
  /** The topics that the broker does not have; it may make them when it is asked. Rejects with BROKER_FAILED. */
  missing(topics: readonly string[]): Promise<readonly string[]>
  /** Ends everything that was opened by it; harmless twice. */
  close(): Promise<void>
}

/** Opens a broker by the addresses of its servers, `host:port`. Throws PACKAGE_MISSING and BROKER_FAILED. */
export type OpenBroker = (servers: readonly string[]) => Promise<Broker>
