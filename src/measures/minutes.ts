import { OrderBook } from '../book/order-book.js'
import { Amount } from '../model/amount.js'
import type { EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { Instrument, Underlying } from '../model/instrument.js'
import { durationOf } from '../model/duration.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { epochNsFromTime, NS_PER_DAY, NS_PER_SECOND } from '../model/time.js'
import { BookMinute, type BookCells } from './minutes-book.js'
import { TradeMinute, type TradeCells } from './minutes-trades.js'
import { minuteUnits, type MinuteUnits, type MinuteUsdRate } from './minutes-units.js'
import { checkNearDay } from '../model/near-day.js'
import type { WideNumbers } from '../model/wide-numbers.js'

/**
 * One minute of spec 4, section 6, under the names of its columns. Decimals are exact texts; averages and vwap are
 * rounded half-even to 18 decimals, once.
 */
export interface MinuteRow extends TradeCells, BookCells {
  /** Start of the minute or of its other span, epoch nanoseconds. */
  readonly time: bigint
}

/** The length of the rows. */
export interface MinuteOptions {
  /**
   * Whole seconds, up to `1d`, of which a whole number makes a day, such as `10s`; rows begin at its multiples. `1m`
   * where nothing is said.
   */
  readonly every?: string
}

/** Nanoseconds of {@link MinuteOptions.every}, or the words of what was expected. */
export function minuteSpanNs(every: string): number | string {
  const spanNs = durationOf(every, { leastNs: NS_PER_SECOND, mostNs: NS_PER_DAY })
  if (typeof spanNs === 'string') return spanNs
  const isPart = NS_PER_DAY % spanNs === 0 && spanNs % NS_PER_SECOND === 0
  return isPart ? spanNs : 'whole seconds of which a whole number makes a day, such as 10s or 15m'
}

/** The minutes of a file, and how much time was left out of their averages. */
export interface MinuteStatistics {
  /** Ascending; a minute with neither a trade nor a known book is missing. */
  readonly rows: readonly MinuteRow[]
  /** Length of each, nanoseconds: a minute, unless {@link MinuteOptions} say another. */
  readonly spanNs: number
  /**
   * Nanoseconds between first and last event in which the book was suspect (before the first snapshot, after a gap or
   * outage).
   */
  readonly suspectNs: number
  /** Nanoseconds in which the depth book was crossed with itself, its best bid above its best ask. */
  readonly crossedNs: number
  /** Rows of trade lines that came meanwhile. */
  readonly crossedTradeCount: number
  /** Trades of the neighbouring days, by their venue time: they are in no row. */
  readonly leftOutTradeCount: number
  /** The rate behind the columns in USD; null where the file has none, and they are empty. */
  readonly usdRate: MinuteUsdRate | null
  /** Data that the reading left out, each in words: damaged lines, and what was behind a cut; absent where none was. */
  readonly damage?: readonly string[]
}

/** Where the minutes of a file come from. */
export interface MinuteSubject {
  /** The name of the file in errors. */
  readonly name?: string
  /** Master data of the instrument. */
  readonly instrument: Instrument
  /** The assets that the instrument refers to. */
  readonly underlyings: readonly Underlying[]
  /**
   * Days since 1970-01-01: minutes outside this UTC day are left out (the margin warms the book). Null: every minute of
   * the file.
   */
  readonly epochDay: number | null
}

const NO_BOOK: BookCells = {
  spread_avg: null,
  spread_bps: null,
  spread_ticks: null,
  top1_bid_usd: null,
  top1_ask_usd: null,
  top20_bid_usd: null,
  top20_ask_usd: null,
  top1_bid_qty: null,
  top1_ask_qty: null,
}

/**
 * Minute statistics from ticks, in one pass and memory bounded by the number of minutes. Fills fall into the minute of
 * their own venue time (without one: the event's, else the adapter's). Book columns come from the depth book alone,
 * never from the top-of-book stream: all of them have one source, one clock (adapter time, never stepping back) and one
 * rule for doubt (a suspect book does not count).
 */
export class MinuteBuilder {
  private readonly units: MinuteUnits
  private readonly book = new OrderBook()
  private readonly bookMinute: BookMinute
  private readonly trades = new Map<number, TradeMinute>()
  private readonly books = new Map<number, BookCells>()
  private readonly isTrimmed: boolean
  private readonly name: string
  private readonly spanNs: number
  private baseDay: number | null
  private clockNs = NaN
  /** The book has been counted up to here. */
  private countedNs = NaN
  private suspectNs = 0
  /** The trusted depth book stands crossed. */
  private isCrossed = false
  private crossedNs = 0
  private crossedTradeCount = 0
  private leftOutTradeCount = 0

  /** Throws OPTION_INVALID for a span that is none. */
  constructor(subject: MinuteSubject, { every = '1m' }: MinuteOptions = {}) {
    const spanNs = minuteSpanNs(every)
    if (typeof spanNs === 'string') {
      throw new BacktapeError('OPTION_INVALID', `Cannot sum up spans: expected ${spanNs}, found ${foundText(every)}`, {
        field: 'every', expected: spanNs, found: every,
      })
    }
    this.spanNs = spanNs
    this.units = minuteUnits(subject.instrument, subject.underlyings)
    this.bookMinute = new BookMinute(subject.instrument, this.units, this.book)
    this.baseDay = subject.epochDay
    this.isTrimmed = subject.epochDay !== null
    this.name = subject.name ?? `a file of ${subject.instrument.code}`
  }

  /**
   * Adds the events of a batch; batches come in file order. Throws OPTION_INVALID for a file of another day, whose
   * minutes would all be left out.
   */
  add(batch: EventBatch): void {
    this.baseDay ??= batch.epochDay
    const shiftNs = (batch.epochDay - this.baseDay) * NS_PER_DAY
    const { kind, adapterTimeNs, count } = batch
    if (this.isTrimmed && count > 0) checkNearDay(this.name, this.baseDay, (adapterTimeNs[0] as number) + shiftNs)
    for (let index = 0; index < count; index++) {
      const time = (adapterTimeNs[index] as number) + shiftNs
      if (!(time <= this.clockNs)) this.clockNs = time
      switch (kind[index]) {
        case EVENT_KINDS.snapshot:
        case EVENT_KINDS.update:
        case EVENT_KINDS.state:
          this.countBook()
          this.book.apply(batch, index)
          this.isCrossed = !this.book.suspect && this.book.bestBidPrice > this.book.bestAskPrice
          this.bookMinute.bookChanged()
          break
        case EVENT_KINDS.trades:
          this.addTrades(batch, index, shiftNs)
          break
        case EVENT_KINDS.liquidations:
          this.addLiquidations(batch, index, shiftNs)
          break
        default:
      }
    }
    if (this.isTrimmed) checkNearDay(this.name, this.baseDay, this.clockNs)
  }

  /** The minutes. Nothing may be added afterwards. */
  finish(): MinuteStatistics {
    this.countBook()
    if (!Number.isNaN(this.countedNs)) this.closeMinute(Math.floor(this.countedNs / this.spanNs))
    const minutes = [...new Set([...this.trades.keys(), ...this.books.keys()])].sort((left, right) => left - right)
    const rows: MinuteRow[] = []
    for (const minute of minutes) {
      const trades = this.trades.get(minute)
      const book = this.books.get(minute)
      if (book === undefined && (trades === undefined || trades.tradeCount === 0)) continue
      const cells = (trades ?? new TradeMinute(this.units, 0, 0)).cells()
      rows.push({ time: epochNsFromTime(minute * this.spanNs, this.baseDay ?? 0), ...cells, ...(book ?? NO_BOOK) })
    }
    const { spanNs, suspectNs, crossedNs, crossedTradeCount, leftOutTradeCount, units: { usdRate } } = this
    return { rows, spanNs, suspectNs, crossedNs, crossedTradeCount, leftOutTradeCount, usdRate }
  }

  /** Counts the book as it stands from where it was counted last up to the clock. */
  private countBook(): void {
    const to = this.isTrimmed ? Math.min(this.clockNs, NS_PER_DAY) : this.clockNs
    let from = this.countedNs
    if (this.isTrimmed && from < 0) from = Math.min(0, to)
    const isSuspect = this.book.suspect
    while (from < to) {
      const minute = Math.floor(from / this.spanNs)
      const end = (minute + 1) * this.spanNs
      const until = Math.min(to, end)
      if (isSuspect) this.suspectNs += until - from
      else this.bookMinute.add(until - from)
      if (this.isCrossed) this.crossedNs += until - from
      if (until === end) this.closeMinute(minute)
      from = until
    }
    this.countedNs = to
  }

  private closeMinute(minute: number): void {
    const cells = this.bookMinute.finish()
    if (cells !== null) this.books.set(minute, cells)
  }

  private addTrades(batch: EventBatch, index: number, shiftNs: number): void {
    const { side, price, quantity, rowStart, tradeRowStart, rowTimeNs } = batch
    const end = rowStart[index + 1] as number
    let tradeRow = tradeRowStart[index] as number
    for (let row = rowStart[index] as number; row < end; row++, tradeRow++) {
      const time = this.venueTime(batch, index, rowTimeNs[tradeRow] as number, shiftNs)
      const minute = this.minuteAt(time, batch)
      if (minute === null) this.leftOutTradeCount++
      else if (batch.wide !== null && isWideRow(batch.wide, row))
        minute.addWide(side[row] as number, amountOf(batch, 'price', row), amountOf(batch, 'quantity', row), time)
      else minute.add(side[row] as number, price[row] as number, quantity[row] as number, time)
      if (minute !== null && this.isCrossed) this.crossedTradeCount++
    }
  }

  private addLiquidations(batch: EventBatch, index: number, shiftNs: number): void {
    const end = batch.tradeRowStart[index + 1] as number
    for (let row = batch.tradeRowStart[index] as number; row < end; row++) {
      this.minuteAt(this.venueTime(batch, index, batch.rowTimeNs[row] as number, shiftNs), batch)?.addLiquidation()
    }
  }

  private venueTime(batch: EventBatch, index: number, rowTimeNs: number, shiftNs: number): number {
    if (!Number.isNaN(rowTimeNs)) return rowTimeNs + shiftNs
    const exchangeTimeNs = batch.exchangeTimeNs[index] as number
    return Number.isNaN(exchangeTimeNs) ? this.clockNs : exchangeTimeNs + shiftNs
  }

  /** The minute of a time, at the batch's scales; null outside the day. */
  private minuteAt(timeNs: number, batch: EventBatch): TradeMinute | null {
    if (this.isTrimmed && (timeNs < 0 || timeNs >= NS_PER_DAY)) return null
    const key = Math.floor(timeNs / this.spanNs)
    let minute = this.trades.get(key)
    if (minute === undefined) {
      minute = new TradeMinute(this.units, batch.priceScale, batch.quantityScale)
      this.trades.set(key, minute)
    }
    minute.alignTo(batch.priceScale, batch.quantityScale)
    return minute
  }
}

function isWideRow({ price, quantity }: WideNumbers, row: number): boolean {
  return price.has(row) || quantity.has(row)
}

function amountOf(batch: EventBatch, column: 'price' | 'quantity', row: number): Amount {
  const digits = batch.wide?.[column].get(row)
  const scale = column === 'price' ? batch.priceScale : batch.quantityScale
  return digits === undefined ? Amount.scaled(batch[column][row] as number, scale) : Amount.from(digits)
}
