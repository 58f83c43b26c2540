import type { TopicWriter, WrittenRecord } from './broker.js'

/** Records, and bytes of them, that wait for the broker at most: one more fails. */
export const QUEUE_COUNT_MAX = 10_000
const QUEUE_BYTES_MAX = 33_554_432
/** A broker takes 1 MiB at once where nothing else was configured; a larger record goes alone. */
const BATCH_BYTES_MAX = 900_000
const BATCH_COUNT_MAX = 1_000
/** Bytes of a record beside its texts, at most. */
const RECORD_BYTES = 64

/** Counts of a queue; those of the past rise. */
export interface QueueCounts {
  /** Records that wait, those being written among them. */
  readonly waiting: number
  readonly waitingBytes: number
  /** Records that the broker has acknowledged. */
  readonly written: number
  /** Records that it has not acknowledged in time; it may have them or not. */
  readonly failed: number
  /** Records that found the queue full. */
  readonly refused: number
}

interface Waiting {
  readonly record: WrittenRecord
  readonly sizeBytes: number
}

function bytesOf({ key, value, headers }: WrittenRecord): number {
  let bytes = Buffer.byteLength(key ?? '') + Buffer.byteLength(value ?? '') + 2 * RECORD_BYTES
  for (const name of Object.keys(headers))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? '') + 2 * RECORD_BYTES
  return bytes
}

/** The records of one topic on their way to the broker: in their order, a batch at a time. */
export class TopicQueue {
  #waiting: Waiting[] = []
  #waitingCount = 0
  #waitingBytes = 0
  #written = 0
  #failed = 0
  #refused = 0
  #isWriting = false
  #isClosed = false
  #onEmpty: (() => void) | null = null

  /** `onFailure` receives a sentence about records that are not known to be written. */
  constructor(private readonly writer: TopicWriter, private readonly onFailure: (sentence: string) => void) {}

  get counts(): QueueCounts {
    return {
      waiting: this.#waitingCount, waitingBytes: this.#waitingBytes, written: this.#written, failed: this.#failed,
      refused: this.#refused,
    }
  }

  /** Puts a record behind the others; where there is no room it fails. */
  push(record: WrittenRecord): void {
    const sizeBytes = bytesOf(record)
    if (this.#isClosed || this.#waitingCount >= QUEUE_COUNT_MAX || this.#waitingBytes + sizeBytes > QUEUE_BYTES_MAX) {
      this.#refused++
      this.onFailure(this.#isClosed ? 'the server ends' : `its queue is full, ${this.#waitingCount} records wait`)
      return
    }
    this.#waiting.push({ record, sizeBytes })
    this.#waitingCount++
    this.#waitingBytes += sizeBytes
    if (!this.#isWriting) void this.#writeAll()
  }

  /** Takes no more records, and ends when none wait; those that wait after `patienceMs` fail. */
  async close(patience: Promise<void>): Promise<void> {
    this.#isClosed = true
    if (this.#isWriting) await Promise.race([patience, new Promise<void>((resolve) => { this.#onEmpty = resolve })])
    await this.writer.close()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    // Those that are published within this turn go together.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#writeBatch()
    this.#isWriting = false
    this.#onEmpty?.()
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#takeBatch()
    try {
      await this.writer.write(batch.map(({ record }) => record))
      this.#written += batch.length
    } catch (error) {
      this.#failed += batch.length
      this.onFailure(error instanceof Error ? error.message : String(error))
    }
    this.#waitingCount -= batch.length
    this.#waitingBytes -= sumOf(batch)
  }

  #takeBatch(): readonly Waiting[] {
    let [count, sizeBytes] = [0, 0]
    for (const one of this.#waiting) {
      if (count > 0 && (count >= BATCH_COUNT_MAX || sizeBytes + one.sizeBytes > BATCH_BYTES_MAX)) break
      count++
      sizeBytes += one.sizeBytes
    }
    return this.#waiting.splice(0, count)
  }
}

function sumOf(batch: readonly Waiting[]): number {
  return batch.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
