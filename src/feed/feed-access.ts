import { createHash, timingSafeEqual } from 'node:crypto'
import { BacktapeError } from '../model/error.js'
import { epochDayFromText } from '../model/time.js'
import { FEED_REJECTIONS } from '../protocol/feed-messages.js'
import { FeedGrant, type FeedGrantParts, type FeedGrantTerms } from './feed-grant.js'
import type { FeedAccess } from './feed-source.js'

/** A key as a configuration states it (spec 1, "Authentication"). */
export interface FeedKey extends FeedGrantTerms {
  readonly key: string
}

/** The facts that keys are decided by. */
export interface FeedKeysOptions extends Omit<FeedGrantParts, 'boughtNs'> {
  readonly keys: readonly FeedKey[]
  /** Codes of the markets that are configured. */
  readonly markets: readonly string[]
}

interface HeldKey {
  digest: Buffer
  readonly grant: FeedGrant
}

/**
 * The keys of a feed. A key is compared with all keys in constant time, by digests: neither its length nor how much of
 * it is right can be measured. Keys themselves are not kept.
 */
export class FeedKeys implements FeedAccess {
  #keys: HeldKey[]

  /** Throws OPTION_INVALID for a key that is empty or there twice, or opens nothing, and for a day that is none. */
  constructor(private readonly options: FeedKeysOptions) {
    this.#keys = options.keys.map((key, index) => heldKey(key, index, options))
    for (const [index, { digest }] of this.#keys.entries()) {
      if (this.#keys.slice(0, index).some((other) => other.digest.equals(digest)))
        throw invalid(index, 'must be of its own, found one that is there before')
    }
  }

  rejection(key: string, market: string): string | null {
    if (!this.options.markets.includes(market)) return FEED_REJECTIONS.MARKET
    const held = this.#find(key)
    if (held === null) return FEED_REJECTIONS.UNKNOWN_KEY
    return held.grant.opens(market) ? null : FEED_REJECTIONS.NOT_ACTIVE
  }

  isPermitted(key: string, market: string, instrumentId: number): boolean {
    return this.#find(key)?.grant.permits(market, instrumentId) === true
  }

  /** The key is another one from now on, its days stay (spec 1: rotation); false where there is no such key. */
  rotate(key: string, newKey: string): boolean {
    const held = this.#find(key)
    if (held === null || newKey === '' || this.#find(newKey) !== null) return false
    held.digest = digestOf(newKey)
    return true
  }

  /** The key opens nothing any more; false where there is no such key. */
  revoke(key: string): boolean {
    const held = this.#find(key)
    this.#keys = this.#keys.filter((other) => other !== held)
    return held !== null
  }

  /** Every key is looked at, whichever it is. */
  #find(key: string): HeldKey | null {
    const digest = digestOf(key)
    let found: HeldKey | null = null
    for (const held of this.#keys) if (timingSafeEqual(held.digest, digest)) found = held
    return found
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

function heldKey({ key, ...terms }: FeedKey, index: number, parts: FeedGrantParts): HeldKey {
  const { markets = [], instruments = [], days } = terms
  if (key === '') throw invalid(index, 'must be a text, found an empty one')
  if (markets.length === 0 && instruments.length === 0)
    throw invalid(index, 'must open markets or instruments, found neither')
  const wrong = days === 'always' ? undefined : days.find((day) => epochDayFromText(day) === null)
  if (wrong !== undefined) throw invalid(index, `must have days as YYYY-MM-DD, found ${JSON.stringify(wrong)}`)
  return { digest: digestOf(key), grant: new FeedGrant(terms, parts) }
}

/** Keys are named by their place: they are secrets. */
function invalid(index: number, words: string): BacktapeError {
  return new BacktapeError('OPTION_INVALID', `Cannot use keys[${String(index)}]: it ${words}`, {
    field: `keys[${String(index)}]`,
  })
}
