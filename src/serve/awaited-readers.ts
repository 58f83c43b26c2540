import type { FeedServer } from '../feed/feed-source.js'
import type { OrderEntryServer } from '../order-entry/order-entry-source.js'

/** One connection, as far as its reading is concerned. */
export interface Reader {
  /** Bytes that it has not been able to take. */
  readonly unsentBytes: number
  /** Bytes that it has taken so far. */
  readonly takenBytes: number
  /** Bytes that it has not read, those on their way with them. */
  readonly unreadBytes: number
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
/** No more than this counts of the time between two looks: a server that was away has not read the pongs either. */
const LOOK_MS = 100

/** The reading of one connection that is behind. */
interface Behind {
  /** Bytes that it had taken when its time began. */
  takenBytes: number
  waitedMs: number
  lookedMs: number
  isLeft: boolean
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
    return this.#isAnyAwaited(({ unsentBytes }) => unsentBytes > mostBytes)
  }

  /** True where a reader that is waited for has not read everything. */
  isReading(): boolean {
    return this.#isAnyAwaited(({ unreadBytes }) => unreadBytes > 0)
  }

  /** Pings everybody who reads: behind the last bytes, {@link isReading} is of them too. */
  ping(): void {
    for (const one of this.parts.feed.connections) if (!one.isStalled) void one.ping()
    for (const one of this.parts.orderEntry.connections) if (!one.isStalled) void one.ping()
  }

  #isAnyAwaited(isBehind: (reader: Reader) => boolean): boolean {
    let isAny = false
    for (const one of this.parts.feed.connections) if (this.#isAwaited(one, isBehind(one))) isAny = true
    for (const one of this.parts.orderEntry.connections) if (this.#isAwaited(one, isBehind(one))) isAny = true
    return isAny
  }

  #isAwaited(reader: Reader, isBehind: boolean): boolean {
    const { takenBytes, isStalled } = reader
    if (!isBehind) {
      this.#behind.delete(reader)
      return false
    }
    if (isStalled) return false
    const nowMs = this.parts.nowMs()
    const behind = this.#behind.get(reader)
    if (behind === undefined) {
      this.#behind.set(reader, { takenBytes, waitedMs: 0, lookedMs: nowMs, isLeft: false })
      return true
    }
    behind.waitedMs += Math.min(nowMs - behind.lookedMs, LOOK_MS)
    behind.lookedMs = nowMs
    const isReading = takenBytes - behind.takenBytes >= LEAST_BYTES
    if (isReading || behind.waitedMs > LEAST_MS) {
      behind.isLeft = !isReading
      behind.takenBytes = takenBytes
      behind.waitedMs = 0
    }
    return !behind.isLeft
  }
}
