import { epochDayFromNs, epochDayFromText } from '../model/time.js'

/** Markets and instruments, and the days on which they are open (spec 1, "Authentication"). */
export interface FeedGrantTerms {
  /** Codes of markets of which it opens every instrument. */
  readonly markets?: readonly string[]
  /** Ids of instruments that it opens alone. */
  readonly instruments?: readonly number[]
  /** UTC days of the server's clock, `YYYY-MM-DD`. */
  readonly days: 'always' | readonly string[]
}

/** The server that a grant is of. */
export interface FeedGrantParts {
  /** The market of an instrument; undefined where it is not known. */
  readonly marketOf: (instrumentId: number) => string | undefined
  /** Epoch nanoseconds of the server's clock. */
  readonly now: () => bigint
  /** Epoch nanoseconds of its purchase, after which the rest of that day is open too. Default: it was always there. */
  readonly boughtNs?: bigint
}

/** Markets and instruments that are open on days. Days that are none are never reached. */
export class FeedGrant {
  readonly #markets: ReadonlySet<string>
  readonly #instruments: ReadonlySet<number>
  /** Days since 1970-01-01; null: always. */
  readonly #days: ReadonlySet<number | null> | null

  constructor({ markets = [], instruments = [], days }: FeedGrantTerms, private readonly parts: FeedGrantParts) {
    this.#markets = new Set(markets)
    this.#instruments = new Set(instruments)
    this.#days = days === 'always' ? null : new Set(days.map(epochDayFromText))
  }

  /** True where it was bought at a time; by default now. */
  isBought(atNs: bigint = this.parts.now()): boolean {
    const { boughtNs } = this.parts
    return boughtNs === undefined || boughtNs <= atNs
  }

  /** True where it opens something of a market now. */
  opens(market: string): boolean {
    if (!this.#isToday()) return false
    return this.#markets.has(market) || [...this.#instruments].some((id) => this.parts.marketOf(id) === market)
  }

  /** True where it opens an instrument now to a client that logged in at a time; by default now. */
  permits(market: string, instrumentId: number, loginNs?: bigint): boolean {
    if (!this.#isToday() || !this.isBought(loginNs)) return false
    if (this.#markets.has(market)) return true
    return this.#instruments.has(instrumentId) && this.parts.marketOf(instrumentId) === market
  }

  #isToday(): boolean {
    const { boughtNs, now } = this.parts
    const day = epochDayFromNs(now())
    const isDayOfPurchase = boughtNs !== undefined && epochDayFromNs(boughtNs) === day
    return this.isBought() && (this.#days === null || isDayOfPurchase || this.#days.has(day))
  }
}
