import { NS_PER_MS } from '../../model/time.js'
import { MicroPrice } from '../indicators/flows.js'
import {
  checkRowCount, clockNs, doublesColumn, lastAtOrBefore, lastBefore, measureRefusal, measureTable, midnightOf,
  timesColumn,
  type MarketTable,
} from './market-columns.js'
import type { Table } from '../../tables/table.js'

/** The time that a quote holds. */
export interface QuoteOptions {
  /**
   * Milliseconds after which a quote that did not change counts as none: a gap. Default: a quote holds until the next.
   */
  readonly staleAfterMs?: number
}

function staleAfterNs(measure: string, { staleAfterMs = Infinity }: QuoteOptions): number {
  if (staleAfterMs > 0) return staleAfterMs * NS_PER_MS
  throw measureRefusal(measure, 'staleAfterMs', 'above 0', String(staleAfterMs))
}

/** One in 10,000. */
const BASIS_POINTS = 10_000

/**
 * The best prices over time. A row without one of its sides, and one whose bid lies above its ask, is no market: its
 * mid is NaN until the next row.
 */
export class Quotes {
  readonly clock: Float64Array
  readonly bid: Float64Array
  readonly ask: Float64Array
  readonly mid: Float64Array
  readonly crossedCount: number
  private readonly staleAfterNs: number

  constructor(
    readonly table: MarketTable, readonly midnight: bigint, measure: string, options: QuoteOptions = {},
  ) {
    checkRowCount(measure, 'bbo', table)
    this.clock = clockNs(table, midnight)
    this.bid = table.numbers('bid_price')
    this.ask = table.numbers('ask_price')
    this.staleAfterNs = staleAfterNs(measure, options)
    let crossed = 0
    this.mid = this.bid.map((bid, row) => {
      const ask = this.ask[row] as number
      if (bid > ask) crossed++
      return bid > ask ? NaN : (bid + ask) / 2
    })
    this.crossedCount = crossed
  }

  /** The row that stands just before a time: of rows of that very time, none counts. -1 where there is none. */
  before(timeNs: number): number {
    return this.fresh(lastBefore(this.clock, timeNs), timeNs)
  }

  /** The row that stands at a time, those of that very time included. -1 where there is none. */
  at(timeNs: number): number {
    return this.fresh(lastAtOrBefore(this.clock, timeNs), timeNs)
  }

  /** The mid just before a time; NaN where there is none. */
  midBefore(timeNs: number): number {
    return this.mid[this.before(timeNs)] ?? NaN
  }

  /** The mid at a time; NaN where there is none, and behind the last row, where nobody knows. */
  midAt(timeNs: number): number {
    return timeNs > (this.clock.at(-1) as number) ? NaN : (this.mid[this.at(timeNs)] ?? NaN)
  }

  private fresh(row: number, timeNs: number): number {
    return row >= 0 && timeNs - (this.clock[row] as number) <= this.staleAfterNs ? row : -1
  }
}

/**
 * Every quote with its measures: `mid` = (bid + ask) / 2, `micro_price` = (bid ask_qty + ask bid_qty) / (bid_qty +
 * ask_qty) (Gatheral, Oomen 2010), `spread` = ask - bid in price, `spread_bps` = 10,000 spread / mid, `imbalance` =
 * (bid_qty - ask_qty) / (bid_qty + ask_qty). Doubles. Null where a side is missing or the quote is crossed.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { quoteMeasures } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const quotes = quoteMeasures(await day.table('bbo', { numbers: 'float64' }))
 * console.log(quotes.rows[0]?.mid, quotes.rows[0]?.micro_price, quotes.rows[0]?.spread_bps)
 * ```
 */
export function quoteMeasures(bbo: MarketTable): Table {
  const midnight = midnightOf(bbo)
  const { clock, bid, ask, mid } = new Quotes(bbo, midnight, 'quotes')
  const [bidQuantity, askQuantity] = [bbo.numbers('bid_qty'), bbo.numbers('ask_qty')]
  const micro = new MicroPrice()
  const spread = mid.map((middle, row) => (Number.isNaN(middle) ? NaN : (ask[row] as number) - (bid[row] as number)))
  return measureTable('quote_measures', [
    timesColumn('ts', clock, midnight),
    doublesColumn('mid', mid),
    doublesColumn('micro_price', mid.map((middle, row) => (Number.isNaN(middle) ? NaN : micro.next({
      bidPrice: bid[row] as number, bidQuantity: bidQuantity[row] as number,
      askPrice: ask[row] as number, askQuantity: askQuantity[row] as number,
    })))),
    doublesColumn('spread', spread),
    doublesColumn('spread_bps', spread.map((one, row) => (BASIS_POINTS * one) / (mid[row] as number))),
    doublesColumn('imbalance', mid.map((middle, row) => {
      const [bids, asks] = [bidQuantity[row] as number, askQuantity[row] as number]
      return Number.isNaN(middle) ? NaN : (bids - asks) / (bids + asks)
    })),
  ], bbo)
}

/** The quoted spread of a span. */
export interface QuotedSpread {
  /** Mean of ask - bid, weighted by the time each quote stood; in price. NaN where no quote stood. */
  readonly spread: number
  /** The same of 10,000 (ask - bid) / mid. */
  readonly basisPoints: number
  /** Nanoseconds in which a quote of two sides stood. */
  readonly quotedNs: number
  /** Nanoseconds between the first and the last row in which none did: a side missing, crossed, or stale. */
  readonly unquotedNs: number
  /** Rows. */
  readonly quoteCount: number
  /** Rows whose bid lies above their ask. */
  readonly crossedCount: number
}

/**
 * The quoted spread, averaged over time: sum((ask - bid) dt) / sum(dt), each quote from its own time to that of the
 * next row; of rows of one time only the last counts. The last row ends the span and has no weight. Doubles.
 *
 * @example
 * ```ts
 * import { openTickFile } from 'backtape'
 * import { quotedSpread } from 'backtape/measures'
 * const day = await openTickFile('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * console.log(quotedSpread(await day.table('bbo')).basisPoints)
 * ```
 */
export function quotedSpread(bbo: MarketTable, options: QuoteOptions = {}): QuotedSpread {
  const measure = 'the quoted spread'
  const { clock, bid, ask, mid, crossedCount } = new Quotes(bbo, midnightOf(bbo), measure, options)
  const longestNs = staleAfterNs(measure, options)
  let [spread, relative, quotedNs, unquotedNs] = [0, 0, 0, 0]
  for (let row = 0; row + 1 < clock.length; row++) {
    const lengthNs = (clock[row + 1] as number) - (clock[row] as number)
    const middle = mid[row] as number
    const heldNs = Number.isNaN(middle) ? 0 : Math.min(lengthNs, longestNs)
    unquotedNs += lengthNs - heldNs
    if (heldNs === 0) continue
    const distance = (ask[row] as number) - (bid[row] as number)
    spread += distance * heldNs
    relative += ((BASIS_POINTS * distance) / middle) * heldNs
    quotedNs += heldNs
  }
  return {
    spread: spread / quotedNs, basisPoints: relative / quotedNs, quotedNs, unquotedNs, quoteCount: clock.length,
    crossedCount,
  }
}
