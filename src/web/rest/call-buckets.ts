import { bucketAfterCall, type CallBucket } from '../../protocol/rest/call-bucket.js'

/** Buckets that are remembered at most. */
const BUCKETS_MAX = 50_000

/** The count of a call as `@fastify/rate-limit` reads it: over its limit where it is refused, and until when. */
interface CountedCall {
  readonly current: number
  /** Milliseconds to wait. */
  readonly ttl: number
}

/**
 * The buckets of addresses, as a store of `@fastify/rate-limit`. It remembers at most `most`: beyond them the one that
 * was used longest ago is forgotten, which fills it. A bucket that is full is as one that is not remembered.
 */
export class CallBuckets {
  /** By bucket and address, the one used longest ago first. */
  readonly #buckets: Map<string, CallBucket> = new Map()

  /** `steadyMs` is a clock that never steps back, milliseconds. */
  constructor(private readonly steadyMs: () => number, private readonly most: number = BUCKETS_MAX) {}

  /** The buckets that are remembered. */
  get size(): number {
    return this.#buckets.size
  }

  /** Counts a call of a bucket and an address (`key`), of which so many a minute are allowed (`max`). */
  incr(
    key: string, callback: (error: Error | null, result?: { current: number, ttl: number }) => void, _window: number,
    max: number,
  ): void {
    callback(null, { ...this.#count(key, max) })
  }

  /** Routes share their buckets. */
  child(): this {
    return this
  }

  #count(key: string, max: number): CountedCall {
    const nowMs = Math.floor(this.steadyMs())
    const { bucket, waitMs } = bucketAfterCall(this.#buckets.get(key) ?? null, max, nowMs)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.most) break
      this.#buckets.delete(oldest)
    }
    return waitMs > 0 ? { current: max + 1, ttl: waitMs } : { current: 1, ttl: 0 }
  }
}
