import { bucketAfterCall, type CallBucket } from '../../protocol/rest/call-bucket.js'
import type { ShopBucket } from '../../protocol/shop/shop-limits.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'

/** A third of the calls of a minute may go at once; with what flows in, no minute has more than its limit. */
const BURST_PART = 3

/** The calls of a client, counted so that no minute has more of them than the shop's limits. */
export class CallLimits {
  readonly #buckets: Map<ShopBucket, CallBucket> = new Map()

  /** Counts a call at a time; the milliseconds to wait and ask again where it must not go yet, 0: it may. */
  waitMs(name: ShopBucket, nowMs: number): number {
    const limit = SHOP.limits[SHOP.buckets[name]].value
    const burst = Math.max(1, Math.floor(limit / BURST_PART))
    const { bucket, waitMs } = bucketAfterCall(this.#buckets.get(name) ?? null, limit - burst, nowMs, burst)
    this.#buckets.set(name, bucket)
    return waitMs
  }
}
