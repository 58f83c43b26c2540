import { NS_PER_DAY } from '../model/time.js'
import { FeedKeys } from '../feed/feed-access.js'
import type { FeedAccess } from '../feed/feed-source.js'
import { FEED_REJECTIONS } from '../protocol/feed-messages.js'
import type { ShopAccounts } from '../shop/server/shop-accounts.js'
import { AccountKeys } from './account-keys.js'
import type { ServeKey } from './serve-options.js'

const DAY_NS = 86_400_000_000_000n

/** The facts that access is decided by. */
interface AccessFacts {
  readonly keys: readonly ServeKey[]
  readonly markets: readonly string[]
  readonly marketOf: (instrumentId: number) => string | undefined
  readonly now: () => bigint
  /** The accounts of the shop, whose keys open the feed too. */
  readonly accounts?: ShopAccounts | undefined
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
  readonly #accounts: AccountKeys | null

  /** Throws OPTION_INVALID for keys that mean nothing. */
  constructor({ keys, markets, accounts, marketOf, now: clockNow }: AccessFacts) {
    const parts = { marketOf, now: () => clockNow() + BigInt(this.daysAhead) * DAY_NS }
    this.keys = new FeedKeys({ keys, markets, ...parts })
    this.#accounts = accounts === undefined ? null : new AccountKeys(accounts, parts)
  }

  rejection(key: string, market: string): string | null {
    if (this.unconfigured.has(market)) return FEED_REJECTIONS.MARKET
    const rejection = this.keys.rejection(key, market)
    const isOfAccount = rejection === FEED_REJECTIONS.UNKNOWN_KEY && this.#accounts !== null
    return isOfAccount ? this.#accounts.rejection(key, market) : rejection
  }

  isPermitted(key: string, market: string, instrumentId: number, loginNs?: bigint): boolean {
    const isOpen = this.keys.isPermitted(key, market, instrumentId) ||
      this.#accounts?.isPermitted(key, market, instrumentId, loginNs) === true
    return isOpen && !this.expired.has(instrumentId)
  }
}

/** The next midnight of a clock, at which keys are decided again; nanoseconds. */
export function nextMidnightNs(timeNs: number): number {
  return (Math.floor(timeNs / NS_PER_DAY) + 1) * NS_PER_DAY
}
