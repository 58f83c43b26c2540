const MS_PER_MINUTE = 60_000

/** Calls that are left, in parts of which a call is 60,000, at a time in epoch milliseconds. */
export interface CallBucket {
  readonly parts: number
  readonly atMs: number
}

/**
 * The bucket after a call, and the milliseconds to wait where the call is refused; 0: it is allowed. A bucket holds
 * `burst` calls and fills by `callsPerMinute`. Where the clock steps back nothing is filled, and filling goes on from
 * there. Null: a bucket without calls so far.
 *
 * @example `bucketAfterCall({ parts: 0, atMs: 0 }, 30, 0).waitMs` is 2000
 */
export function bucketAfterCall(
  bucket: CallBucket | null, callsPerMinute: number, nowMs: number, burst: number = callsPerMinute,
): { readonly bucket: CallBucket, readonly waitMs: number } {
  const full = burst * MS_PER_MINUTE
  const before = bucket ?? { parts: full, atMs: nowMs }
  // A full bucket gains nothing more: the product stays far below 2^53 whatever the clock does.
  const passedMs = Math.min(Math.max(0, nowMs - before.atMs), Math.ceil(full / callsPerMinute))
  const parts = Math.min(full, before.parts + passedMs * callsPerMinute)
  if (parts >= MS_PER_MINUTE) return { bucket: { parts: parts - MS_PER_MINUTE, atMs: nowMs }, waitMs: 0 }
  return { bucket: { parts, atMs: nowMs }, waitMs: Math.ceil((MS_PER_MINUTE - parts) / callsPerMinute) }
}
