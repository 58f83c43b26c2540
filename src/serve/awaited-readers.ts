import type { FeedServer } from '../feed/feed-source.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'

/** One connection, as far as its reading is concerned. */
export interface Reader {
  /** Bytes that it has not been able to take. */
  readonly unsentBytes: number
  /** Bytes that it has taken so far. */
  readonly takenBytes: number
  /** True: nothing is written to it. */
  readonly isStalled: boolean
}

/** The connections whose reading is watched. */
export interface ReaderParts {
  readonly feed: Pick<FeedServer, 'connections'>
  readonly orderEntry: Pick<OrderEntryServer, 'connections'>
  /** Monotonic time, milliseconds. */
  readonly nowMs: () => number
}

/** A reader behind takes so much in this time, or it is waited for no longer. */
const LEAST_BYTES = 65_536
const LEAST_MS = 1_000

/** The reading of one connection that is behind. */
interface Behind {
  /** Bytes that it had taken when its time began. */
  readonly takenBytes: number
  readonly sinceMs: number
  readonly isLeft: boolean
}

/**
 * The readers that set the pace at `max`. One that is behind and takes less than 64 KiB in a second is left: nobody
 * waits for it until it takes as much in a second, or has caught up. It will be closed at its limit.
 */
export class AwaitedReaders {
  readonly #behind: WeakMap<Reader, Behind> = new WeakMap()

  constructor(private readonly parts: ReaderParts) {}

  /** True where a reader that is waited for has more unsent bytes. */
  isBehind(mostBytes: number): boolean {
    let isBehind = false
    for (const one of this.parts.feed.connections) if (this.#isAwaited(one, mostBytes)) isBehind = true
    for (const one of this.parts.orderEntry.connections) if (this.#isAwaited(one, mostBytes)) isBehind = true
    return isBehind
  }

  #isAwaited(reader: Reader, mostBytes: number): boolean {
    const { unsentBytes, takenBytes, isStalled } = reader
    if (unsentBytes <= mostBytes) {
      this.#behind.delete(reader)
      return false
    }
    if (isStalled) return false
    const nowMs = this.parts.nowMs()
    const before = this.#behind.get(reader)
    const isReading = before !== undefined && takenBytes - before.takenBytes >= LEAST_BYTES
    if (before !== undefined && !isReading && nowMs - before.sinceMs <= LEAST_MS) return !before.isLeft
    const isLeft = before !== undefined && !isReading
    this.#behind.set(reader, { takenBytes, sinceMs: nowMs, isLeft })
    return !isLeft
  }
}
