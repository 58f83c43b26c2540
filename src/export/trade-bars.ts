import { BacktapeError } from '../model/error.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { EventBatch } from '../model/event-batch.js'
import { wideNumberOf } from '../model/event-rows.js'
import { lineNumberOf } from '../model/line-numbers.js'
import { checkNearDay } from '../model/near-day.js'
import { epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import type { MinuteSubject } from '../measures/minutes.js'
import { TradeMinute, type TradeCells } from '../measures/minutes-trades.js'
import { minuteUnits, type MinuteUnits, type MinuteUsdRate } from '../measures/minutes-units.js'
import { BarBuilder } from '../measures/bars/bar-builder.js'
import type { BarRule } from '../measures/bars/bar-span.js'

/** One bar that its trades ended, under the names of its columns. Decimals are exact texts. */
export interface TradeBarRow extends Omit<TradeCells, 'trades_liquidation'> {
  /** Earliest venue time of its fills, epoch nanoseconds. */
  readonly time: bigint
  /** Latest venue time of its fills, epoch nanoseconds. */
  readonly end_time: bigint
  /** Quantity of fills with a buying aggressor, in the instrument's own unit. */
  readonly qty_buy: string
  /** Quantity of fills with a selling aggressor, in the instrument's own unit. */
  readonly qty_sell: string
  /** Value of all fills in the quote currency. */
  readonly turnover: string
}

/** The bars of a file. */
export interface TradeBarStatistics {
  /** In file order. */
  readonly rows: readonly TradeBarRow[]
  /** Fills behind the last bar, which they did not fill. */
  readonly leftOverCount: number
  /** Fills of the neighbouring days, by their venue time: they are in no bar. */
  readonly leftOutTradeCount: number
  /** The rate behind the columns in USD; null where the file has none, and they are empty. */
  readonly usdRate: MinuteUsdRate | null
}

/**
 * Bars by trades, volume, turnover or imbalance from ticks, in one pass, in the order of the file. Fills have their own
 * venue time (without one: the event's, else the adapter's) and count on the day of that time, as in minutes. The fill
 * that fills a bar belongs to it whole. A bar has no columns of the book: those are means over adapter time.
 */
export class TradeBars {
  readonly #units: MinuteUnits
  readonly #rows: TradeBarRow[] = []
  #builder: BarBuilder | null = null
  #sums: TradeMinute | null = null
  #baseDay: number | null
  #clockNs = NaN
  #firstNs = Infinity
  #lastNs = -Infinity
  #leftOutTradeCount = 0

  constructor(private readonly subject: MinuteSubject, private readonly rule: BarRule) {
    this.#units = minuteUnits(subject.instrument, subject.underlyings)
    this.#baseDay = subject.epochDay
  }

  /** Adds the events of a batch; batches come in file order. Throws OPTION_INVALID for a file of another day. */
  add(batch: EventBatch): void {
    this.#baseDay ??= batch.epochDay
    const shiftNs = (batch.epochDay - this.#baseDay) * NS_PER_DAY
    const { kind, adapterTimeNs, count } = batch
    const { epochDay, name = `a file of ${this.subject.instrument.code}` } = this.subject
    for (let index = 0; index < count; index++) {
      const time = (adapterTimeNs[index] as number) + shiftNs
      if (!(time <= this.#clockNs)) this.#clockNs = time
      if (index === 0 && epochDay !== null) checkNearDay(name, epochDay, time)
      if (kind[index] === EVENT_KINDS.trades) this.#addTrades(batch, index, shiftNs)
    }
    if (epochDay !== null && count > 0) checkNearDay(name, epochDay, this.#clockNs)
  }

  /** The bars. Nothing may be added afterwards. */
  finish(): TradeBarStatistics {
    return {
      rows: this.#rows, leftOverCount: this.#sums?.tradeCount ?? 0, leftOutTradeCount: this.#leftOutTradeCount,
      usdRate: this.#units.usdRate,
    }
  }

  #addTrades(batch: EventBatch, index: number, shiftNs: number): void {
    const { side, price, quantity, rowStart, tradeRowStart, rowTimeNs, exchangeTimeNs } = batch
    const { priceScale, quantityScale } = batch
    this.#refuseWide(batch, index)
    const end = rowStart[index + 1] as number
    const eventNs = exchangeTimeNs[index] as number
    let tradeRow = tradeRowStart[index] as number
    for (let row = rowStart[index] as number; row < end; row++, tradeRow++) {
      const ownNs = rowTimeNs[tradeRow] as number
      const timeNs = !Number.isNaN(ownNs)
        ? ownNs + shiftNs
        : Number.isNaN(eventNs) ? this.#clockNs : eventNs + shiftNs
      if (this.subject.epochDay !== null && (timeNs < 0 || timeNs >= NS_PER_DAY)) {
        this.#leftOutTradeCount++
        continue
      }
      const [of, at, by] = [side[row] as number, price[row] as number, quantity[row] as number]
      this.#sums ??= new TradeMinute(this.#units, priceScale, quantityScale)
      this.#sums.alignTo(priceScale, quantityScale)
      // First and last are those of the file here, whatever their times.
      this.#sums.add(of, at, by, this.#sums.tradeCount)
      this.#firstNs = Math.min(this.#firstNs, timeNs)
      this.#lastNs = Math.max(this.#lastNs, timeNs)
      if (this.#builderAt(timeNs).addTrade(of, at, by, priceScale, quantityScale)) this.#close(this.#sums)
    }
  }

  /** Volumes of bars are safe integers: a trade that none holds is refused with its place. */
  #refuseWide(batch: EventBatch, index: number): void {
    const wide = wideNumberOf(batch, index)
    if (wide === null) return
    const { field, found } = wide
    const { name = `a file of ${this.subject.instrument.code}` } = this.subject
    const line = lineNumberOf(batch.lines, index)
    const at = line === null ? `event ${String(batch.firstEventIndex + index)}` : `line ${String(line)}`
    const expected = 'at most 2^53 - 1 without its point'
    throw new BacktapeError(
      'VALUE_INEXACT', `Cannot make bars of ${at} of ${name}: ${field} must be ${expected}, found ${found}`,
      { file: name, ...(line === null ? {} : { line }), field, expected, found },
    )
  }

  #builderAt(nowNs: number): BarBuilder {
    return (this.#builder ??= new BarBuilder({
      rule: this.rule, instrument: this.subject.instrument, epochDay: this.#baseDay ?? 0, nowNs, sendsEmpty: false,
    }))
  }

  #close(sums: TradeMinute): void {
    const bar = this.#builderAt(this.#lastNs).closeFull(this.#lastNs)
    const { trades_liquidation: _, ...cells } = sums.cells()
    const day = this.#baseDay ?? 0
    this.#rows.push({
      time: epochNsFromTime(this.#firstNs, day), end_time: epochNsFromTime(this.#lastNs, day), ...cells,
      qty_buy: bar.buyVolume.toString(), qty_sell: bar.sellVolume.toString(), turnover: bar.turnover.toFixed(),
    })
    this.#sums = null
    this.#firstNs = Infinity
    this.#lastNs = -Infinity
  }
}
