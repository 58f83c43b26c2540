import { NS_PER_DAY } from '../model/time.js'
import { FeedKeys } from '../feed/feed-access.js'
import type { FeedAccess } from '../feed/feed-source.js'
import { FEED_REJECTIONS } from '../protocol/feed-messages.js'
import type { ServeKey } from './serve-options.js'

const DAY_NS = 86_400_000_000_000n

/** The facts that access is decided by. */
interface AccessFacts {
  readonly keys: readonly ServeKey[]
  readonly markets: readonly string[]
  readonly marketOf: (instrumentId: number) => string | undefined
  readonly now: () => bigint
}

/** The keys of a server, and the faults on demand of their permissions. */
export class ServedAccess implements FeedAccess {
  /** Instruments that no key opens any more (fault `expire-instrument`). */
  readonly expired: Set<number> = new Set()
  /** Markets that are not configured any more (fault `unconfigure-market`). */
  readonly unconfigured: Set<string> = new Set()
  /** Days by which keys are ahead of the clock (fault `midnight`). */
  daysAhead = 0
  readonly keys: FeedKeys

  /** Throws OPTION_INVALID for keys that mean nothing. */
  constructor({ keys, markets, marketOf, now }: AccessFacts) {
    this.keys = new FeedKeys({ keys, markets, marketOf, now: () => now() + BigInt(this.daysAhead) * DAY_NS })
  }

  rejection(key: string, market: string): string | null {
    return this.unconfigured.has(market) ? FEED_REJECTIONS.MARKET : this.keys.rejection(key, market)
  }

  isPermitted(key: string, market: string, instrumentId: number): boolean {
    return !this.expired.has(instrumentId) && this.keys.isPermitted(key, market, instrumentId)
  }
}

/** The next midnight of a clock, at which keys are decided again; nanoseconds. */
export function nextMidnightNs(timeNs: number): number {
  return (Math.floor(timeNs / NS_PER_DAY) + 1) * NS_PER_DAY
}
