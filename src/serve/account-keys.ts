import { FeedGrant, type FeedGrantParts } from '../feed/feed-grant.js'
import type { FeedAccess } from '../feed/feed-source.js'
import { epochNsFromText } from '../model/time.js'
import { FEED_REJECTIONS } from '../protocol/feed-messages.js'
import type { ShopAccounts } from '../shop/server/shop-accounts.js'

/** The realtime keys of the accounts of a shop. A key that was rotated there is another one here, at once. */
export class AccountKeys implements FeedAccess {
  readonly #accounts: ShopAccounts
  /** The purchases of each account, by its name. */
  readonly #grants: ReadonlyMap<string, readonly FeedGrant[]>

  /** Throws TIME_INVALID for a purchase at no time. */
  constructor(accounts: ShopAccounts, parts: FeedGrantParts) {
    this.#accounts = accounts
    this.#grants = new Map(accounts.all.map(({ name, realtimeDays = [] }) => [
      name, realtimeDays.map(({ bought, ...terms }) => (
        new FeedGrant(terms, { ...parts, boughtNs: epochNsFromText(bought, null) }))),
    ]))
  }

  rejection(key: string, market: string): string | null {
    const grants = this.#grantsOf(key)
    if (grants === null) return FEED_REJECTIONS.UNKNOWN_KEY
    return grants.some((grant) => grant.opens(market)) ? null : FEED_REJECTIONS.NOT_ACTIVE
  }

  isPermitted(key: string, market: string, instrumentId: number, loginNs?: bigint): boolean {
    return this.#grantsOf(key)?.some((grant) => grant.permits(market, instrumentId, loginNs)) === true
  }

  /** The purchases of a key; null: there is no such key yet (spec 1: its account's first purchase makes it). */
  #grantsOf(key: string): readonly FeedGrant[] | null {
    const account = this.#accounts.accountOfKey(key)
    if (account === null) return null
    const grants = this.#grants.get(account.name) ?? []
    return account.realtimeKey !== undefined || grants.some((grant) => grant.isBought()) ? grants : null
  }
}
