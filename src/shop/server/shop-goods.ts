import type { Sent } from '../../protocol/shop/shop-schemas.js'
import type { Segments } from './segments.js'

/** A day that lies there, sold or not yet. */
export interface GoodsDay {
  /** `2024-08-08`, UTC. */
  readonly date: string
  /** The compressed tick file. */
  readonly sizeBytes: number
}

/** An instrument with days. */
export interface GoodsInstrument {
  readonly id: number
  readonly code: string
  /** A class of `SHOP.classes` (`perpetual`), or the type of the master data where it is none of them. */
  readonly type: string
  /** Base and quote asset; null where the master data state none. */
  readonly base: string | null
  readonly counter: string | null
  readonly exchangeCode: string
  /** The code where the master data state no name. */
  readonly exchangeName: string
  /** The state of the market by the newest day: `open`, or the word of the file. */
  readonly state: string
  /** Ascending. */
  readonly days: readonly GoodsDay[]
}

/** A file of a bundle day. */
export interface GoodsMember {
  readonly instrumentId: number
  readonly code: string
  readonly sizeBytes: number
}

/** A series: instruments that are sold together, day by day. */
export interface GoodsSeries {
  readonly bundleId: number
  readonly seriesKey: string
  readonly kind: Sent<'Bundle'>['kind']
  /** The price of a day. */
  readonly priceCents: number
  readonly exchangeCode: string
  /** Ascending by date, members ascending by instrument. */
  readonly days: readonly { readonly date: string, readonly members: readonly GoodsMember[] }[]
}

/** Everything that lies there, at one time. */
export interface GoodsList {
  /** Rises whenever something has changed. */
  readonly version: number
  /** By id. */
  readonly instruments: ReadonlyMap<number, GoodsInstrument>
  /** By `series_key`. */
  readonly series: ReadonlyMap<string, GoodsSeries>
}

/** An export of a day: `ready` has bytes. */
export interface GoodsExport {
  readonly state: 'none' | 'converting' | 'ready' | 'empty' | 'failed'
  /** Null where it is not ready. */
  readonly segments: Segments | null
  /** The reason why it has failed, without a path: `LIMIT_EXCEEDED`. */
  readonly reason?: string
}

/**
 * The goods of a shop. The shop knows neither tick files nor exports: whoever composes it brings this. Ids and dates
 * are looked up, never joined to a path.
 */
export interface ShopGoods {
  /** The goods now. A look at the folders is at most a second old; one that takes long is made more rarely. */
  look(): Promise<GoodsList>
  /** The bytes of a day of an instrument as they lie there; null where there are none. */
  dayFile(instrumentId: number, date: string): Promise<Segments | null>
  /**
   * An export; `starts`: one that is not there is made, one at a time. One that has failed stays so for a minute; then
   * `request` tries anew.
   */
  dayExport(
    instrumentId: number, date: string, format: Sent<'ExportFormat'>, starts: 'nothing' | 'probe' | 'request',
  ): Promise<GoodsExport>
  /**
   * The minutes of the newest 24 hours with data before `endMs` (epoch milliseconds), as CSV with its `#` line; null
   * where the instrument has none.
   */
  minutes(instrumentId: number, endMs: number): Promise<Uint8Array | null>
  /** Ends what is being made. */
  close(): Promise<void>
}
