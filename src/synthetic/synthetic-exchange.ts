import { decimalDigits, plainDecimal, textFromScaled } from '../model/decimal.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { RandomNumbers } from '../model/random.js'
import { SIDE_CODES, type Side } from '../model/side.js'
import { NS_PER_DAY, NS_PER_MS } from '../model/time.js'
import type { FairValue } from './fair-value.js'
import { type InstrumentProfile, priceText, quantityText, tickSize } from './instrument-profile.js'
import { epochText, type MarketMessage } from './market-message.js'
import { impliedVolatility, callValue } from './option-pricing.js'
import type { OrderLevelBook } from './order-level-book.js'

/** Which year's layout a file has: 2025 files lack `forceReset`, mark tails, predicted rates and liquidations. */
export const SYNTHETIC_ERAS = ['2025', '2026'] as const
/** Which header a made-up day has: one of {@link SYNTHETIC_ERAS}. */
export type SyntheticEra = (typeof SYNTHETIC_ERAS)[number]

const NO_ID = '9223372036854775807'
const FUNDING_INTERVAL_NS = NS_PER_DAY / 3

function plainNumber(value: number): string {
  const text = String(value)
  return plainDecimal(text) ?? text
}

/** Rounded to `scale` decimals, as exact decimal text. */
function roundedText(value: number, scale: number): string {
  return textFromScaled(Math.round(value * Number(`1e${String(scale)}`)), scale)
}

/** The venue: turns what happens in its book into the messages of its feed. Messages leave in time order. */
export class SyntheticExchange {
  private readonly random: RandomNumbers
  private readonly tickSize: number
  /** Levels as last published, and those that changed since: keys are ticks, negative for bids. */
  private readonly published: Map<number, number> = new Map()
  private readonly changed: Set<number> = new Set()
  private readonly lastIds: Map<number, string> = new Map()
  private trades: string[] = []
  private liquidations: string[] = []
  private top = ''
  private messages = 0
  private sequence = 7_000_000_000_000
  private tradeNumber = 0
  private liquidating = false
  private premium = 0

  constructor(
    private readonly profile: InstrumentProfile,
    seed: number,
    private readonly era: SyntheticEra,
    private readonly epochDay: number,
    private readonly book: OrderLevelBook,
    private readonly publish: (message: MarketMessage) => void,
  ) {
    this.random = new RandomNumbers(seed, 'venue', profile.id)
    this.tickSize = tickSize(profile)
  }

  levelChanged(side: Side, tick: number): void {
    this.changed.add(side === 'BID' ? -tick : tick)
  }

  /** Marks the trades until the next `flushTrades` as a liquidation's. */
  liquidationBegins(): void {
    this.liquidating = this.era === '2026' && this.profile.fundingMs > 0
  }

  /** A trade; returns its id as the file has it. */
  traded(restingSide: Side, tick: number, lots: number, timeNs: number): string {
    const aggressor = restingSide === 'BID' ? SIDE_CODES.ASK : SIDE_CODES.BID
    this.tradeNumber += 1
    const id = this.tradeId()
    const price = priceText(this.profile, tick)
    const quantity = quantityText(this.profile, lots)
    const time = epochText(this.stamp(timeNs), this.epochDay)
    this.trades.push(`[${String(aggressor)},"${price}","${quantity}",${id},${time}]`)
    if (this.liquidating) {
      const distance = Math.ceil(tick * 0.005)
      const bankruptcy = priceText(this.profile, aggressor === SIDE_CODES.BID ? tick + distance : tick - distance)
      this.liquidations.push(`[${String(aggressor)},"${bankruptcy}","${quantity}",${time}]`)
    }
    return id
  }

  /** Publishes the trades of one aggressive order, and its liquidation. */
  flushTrades(timeNs: number): void {
    if (this.trades.length > 0) {
      const body = `[${this.trades.join(',')}]`
      this.trades = []
      const id =
        this.profile.ids === 'hash' || this.profile.tradeIds === 'none'
          ? this.eventId()
          : String(880_000_000 + this.tradeNumber)
      this.send(EVENT_KINDS.trades, timeNs, body, id, this.profile.tradesChained)
    }
    if (this.liquidations.length > 0)
      this.send(EVENT_KINDS.liquidations, timeNs, `[${this.liquidations.join(',')}]`, this.eventId(), true)
    this.liquidations = []
    this.liquidating = false
  }

  /** Publishes the top of the book where it has changed. */
  flushTop(timeNs: number): void {
    if (!this.profile.topOfBook) return
    const rows: string[] = []
    for (const side of ['BID', 'ASK'] as const) {
      const tick = this.book.bestTick(side)
      if (!Number.isNaN(tick)) rows.push(this.row(side, tick, this.book.lotsAt(side, tick)))
    }
    const body = `[${rows.join(',')}]`
    if (body === this.top) return
    this.top = body
    this.send(EVENT_KINDS.topOfBook, timeNs, body, this.eventId(), false)
  }

  /**
   * Publishes what changed in the book since the last time as one atomic batch, bids first, each in the order of its
   * change. Returns its id, or null.
   */
  flushDepth(timeNs: number): string | null {
    const bids: string[] = []
    const asks: string[] = []
    for (const key of this.changed) {
      const side = key < 0 ? 'BID' : 'ASK'
      const lots = this.book.lotsAt(side, Math.abs(key))
      if (lots === (this.published.get(key) ?? 0)) continue
      if (lots === 0) this.published.delete(key)
      else this.published.set(key, lots)
      const rows = key < 0 ? bids : asks
      rows.push(this.row(side, Math.abs(key), lots))
    }
    this.changed.clear()
    if (bids.length + asks.length === 0) return null
    const id = this.eventId()
    this.send(EVENT_KINDS.update, timeNs, `[${[...bids, ...asks].join(',')}]`, id, true)
    return id
  }

  /** The whole book as it stands, for a snapshot right after `flushDepth`. */
  snapshotBody(): string {
    const rows: string[] = []
    for (const side of ['BID', 'ASK'] as const) {
      for (const [tick, lots] of this.book.levels(side)) rows.push(this.row(side, tick, lots))
    }
    return `[${rows.join(',')}]`
  }

  publishIndex(timeNs: number, fair: FairValue): void {
    this.send(
      EVENT_KINDS.index, timeNs, `"${roundedText(fair.index, this.profile.markScale)}"`, this.tickerId(), false,
    )
  }

  publishMark(timeNs: number, fair: FairValue): void {
    const body = this.profile.kind === 'option' ? this.optionMark(timeNs, fair) : this.linearMark(fair)
    this.send(EVENT_KINDS.mark, timeNs, body, this.tickerId(), false)
  }

  publishFunding(timeNs: number): void {
    const next = (Math.floor(timeNs / FUNDING_INTERVAL_NS) + 1) * FUNDING_INTERVAL_NS
    const rate = roundedText(0.0001 + this.premium / 8, 8)
    const predicted = this.era === '2026' ? `,"${roundedText(0.0001 + this.premium / 4, 8)}"` : ''
    this.send(
      EVENT_KINDS.funding, timeNs, `["${rate}",${epochText(next, this.epochDay)}${predicted}]`, this.tickerId(),
      false,
    )
  }

  private linearMark(fair: FairValue): string {
    const middle = this.middle()
    if (!Number.isNaN(middle)) this.premium += 0.05 * ((middle * this.tickSize) / fair.index - 1 - this.premium)
    const price = `"${roundedText(fair.index * (1 + this.premium), this.profile.markScale)}"`
    return this.era === '2026' ? `${price},null,null,null,null,null,null,null` : price
  }

  private optionMark(timeNs: number, fair: FairValue): string {
    const years = fair.years(timeNs)
    const call = callValue(fair.index, this.profile.strike, years, fair.volatility)
    const price = `"${roundedText(call.value, 16)}"`
    const digits = decimalDigits(plainNumber(call.value))
    if (this.era === '2025' || digits === null) return price
    const sides = (['BID', 'ASK'] as const).map((side) => {
      const tick = this.book.bestTick(side)
      return Number.isNaN(tick)
        ? 'null'
        : `"${plainNumber(impliedVolatility(tick * this.tickSize, fair.index, this.profile.strike, years))}"`
    })
    const greeks = [call.delta, call.gamma, call.vega, call.theta, fair.volatility].map(
      (value) => `"${plainNumber(value)}"`,
    )
    return [price, ...greeks, ...sides].join(',')
  }

  private middle(): number {
    return (this.book.bestTick('BID') + this.book.bestTick('ASK')) / 2
  }

  private row(side: Side, tick: number, lots: number): string {
    return `[${String(SIDE_CODES[side])},"${priceText(this.profile, tick)}","${quantityText(this.profile, lots)}",1]`
  }

  private stamp(timeNs: number): number {
    return this.profile.venueTime === 'nanoseconds'
      ? timeNs
      : timeNs - (((timeNs % NS_PER_MS) + NS_PER_MS) % NS_PER_MS)
  }

  private send(kind: number, timeNs: number, body: string, id: string, chained: boolean): void {
    const previousId = chained ? (this.lastIds.get(kind) ?? '0') : '0'
    if (chained) this.lastIds.set(kind, id)
    this.messages += 1
    const silent = kind === EVENT_KINDS.topOfBook && this.profile.venueTime === 'milliseconds, none for top of book'
    // A venue stamps its messages up to two milliseconds after what they tell.
    const exchangeTimeNs = silent ? NaN : this.stamp(timeNs) + this.random.below(3, this.messages) * NS_PER_MS
    this.publish({ kind, previousId, id, timeNs, exchangeTimeNs, body })
  }

  private eventId(): string {
    const number = this.messages + 1
    if (this.profile.ids === 'hash') {
      return String((BigInt(this.random.bits(number, 1) & 0x7fffffff) << 32n) | BigInt(this.random.bits(number, 2)))
    }
    this.sequence += 1 + this.random.below(40, number, 3)
    return String(this.sequence)
  }

  private tickerId(): string {
    return this.profile.ids === 'hash' ? NO_ID : this.eventId()
  }

  private tradeId(): string {
    if (this.profile.tradeIds === 'none') return this.tradeNumber % 2 === 0 ? 'null' : '""'
    const number = 880_000_000 + this.tradeNumber
    if (this.profile.tradeIds === 'sequence') return `"${String(number)}"`
    return `"00000000-006d-1000-0000-${number.toString(16).padStart(12, '0')}"`
  }
}
