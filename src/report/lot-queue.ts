import { Amount } from '../model/amount.js'
import { QUOTIENT_DECIMALS } from '../model/decimal.js'
import {
  amountOfExact, differenceOf, ScaledAmount, shareAt, sumOf, widened, type ExactInteger,
} from '../rows/exact-integer.js'

/** The value and the fees of a quantity: integers at the money scale of their queue. */
export interface LotMoney {
  /** Value at its price, in the settlement underlying. */
  value: ExactInteger
  /** Fees: in the settlement underlying, and in another one. */
  fee: ExactInteger
  otherFee: ExactInteger
}

const noMoney = (): LotMoney => ({ value: 0, fee: 0, otherFee: 0 })

/** Columns of lots that are open, the oldest first: those before `first` are closed. */
interface LotColumns {
  timeNs: number[]
  /** Rows of the fills that opened them; -1 where none did: the fraction of a split. */
  fillRow: number[]
  /** Integers at the queue's scales of prices, quantities and money. */
  price: ExactInteger[]
  /** Above 0. */
  quantity: ExactInteger[]
  value: ExactInteger[]
  fee: ExactInteger[]
  otherFee: ExactInteger[]
}

/**
 * Extremes of sampled prices since the opening of each lot: only those that no later sample has overtaken, so never
 * more than there are lots. Prices are at the queue's scale of samples.
 */
interface Extremes {
  /** The last lot that has seen the price: lots count up from 0 in a queue. */
  sequence: number[]
  price: ExactInteger[]
}

/** The content of a queue. */
interface LotQueueContent {
  /** 1 for long, -1 for short; 0 before the first lot. */
  sign: number
  /** Sum of all quantities. */
  quantity: ExactInteger
  priceScale: number
  quantityScale: number
  moneyScale: number
  sampleScale: number
  /** Place of the oldest open lot in the columns, and the number of lots before the columns. */
  first: number
  before: number
  readonly lots: LotColumns
  readonly highs: Extremes
  readonly lows: Extremes
}

/** {@link LotQueue} as plain data. */
export type LotQueueState = LotQueueContent

/** Places in front that are given back at once, where most of a queue is closed. */
const CLOSED_PLACES = 64

/** A price that every lot up to `sequence` has seen. */
function addExtreme(extremes: Extremes, direction: 1 | -1, price: ExactInteger, sequence: number): void {
  const { sequence: sequences, price: prices } = extremes
  for (let last = prices.length - 1; last >= 0; last--) {
    const known = prices[last] as ExactInteger
    if (direction > 0 ? known > price : known < price) {
      if (sequences[last] === sequence) return
      break
    }
    prices.pop()
    sequences.pop()
  }
  prices.push(price)
  sequences.push(sequence)
}

/** Widens a column by so many digits. */
function widen(column: ExactInteger[], digits: number): void {
  for (let at = 0; at < column.length; at++) column[at] = widened(column[at] as ExactInteger, digits)
}

function widenMoney(money: LotMoney, digits: number): void {
  money.value = widened(money.value, digits)
  money.fee = widened(money.fee, digits)
  money.otherFee = widened(money.otherFee, digits)
}

/**
 * The open lots of one leg of a position, the oldest first, and the prices that they have seen: columns of integers at
 * scales that grow where a finer number comes.
 */
export class LotQueue {
  #own: LotQueueContent = {
    sign: 0, quantity: 0, priceScale: 0, quantityScale: 0, moneyScale: 0, sampleScale: 0, first: 0, before: 0,
    lots: { timeNs: [], fillRow: [], price: [], quantity: [], value: [], fee: [], otherFee: [] },
    highs: { sequence: [], price: [] }, lows: { sequence: [], price: [] },
  }
  /**
   * The money of the fill at hand, of what waits behind it, of the part of it that ends, and of the lot that ends with
   * it.
   */
  readonly hand: LotMoney = noMoney()
  readonly rest: LotMoney = noMoney()
  readonly exit: LotMoney = noMoney()
  readonly entry: LotMoney = noMoney()

  get sign(): number {
    return this.#own.sign
  }

  /** Sum of all quantities. */
  get quantity(): ExactInteger {
    return this.#own.quantity
  }

  get priceScale(): number {
    return this.#own.priceScale
  }

  get quantityScale(): number {
    return this.#own.quantityScale
  }

  get moneyScale(): number {
    return this.#own.moneyScale
  }

  get sampleScale(): number {
    return this.#own.sampleScale
  }

  get length(): number {
    return this.#own.lots.timeNs.length - this.#own.first
  }

  /** Of the oldest lot, which there must be. */
  get oldestQuantity(): ExactInteger {
    return this.#own.lots.quantity[this.#own.first] as ExactInteger
  }

  get oldestPrice(): ExactInteger {
    return this.#own.lots.price[this.#own.first] as ExactInteger
  }

  get oldestNs(): number {
    return this.#own.lots.timeNs[this.#own.first] as number
  }

  get oldestFillRow(): number {
    return this.#own.lots.fillRow[this.#own.first] as number
  }

  /** Sum of the values of all lots. */
  get value(): ExactInteger {
    const { lots, first } = this.#own
    let sum: ExactInteger = 0
    for (let at = first; at < lots.value.length; at++) sum = sumOf(sum, lots.value[at] as ExactInteger)
    return sum
  }

  /** Prices, quantities and money are to be as fine as this at least. */
  refine(priceScale: number, quantityScale: number, moneyScale: number): void {
    const own = this.#own
    if (priceScale > own.priceScale) {
      widen(own.lots.price, priceScale - own.priceScale)
      own.priceScale = priceScale
    }
    if (quantityScale > own.quantityScale) {
      widen(own.lots.quantity, quantityScale - own.quantityScale)
      own.quantity = widened(own.quantity, quantityScale - own.quantityScale)
      own.quantityScale = quantityScale
    }
    if (moneyScale > own.moneyScale) this.#refineMoney(moneyScale)
  }

  #refineMoney(scale: number): void {
    const { lots, moneyScale } = this.#own
    const digits = scale - moneyScale
    for (const column of [lots.value, lots.fee, lots.otherFee]) widen(column, digits)
    for (const money of [this.hand, this.rest, this.exit, this.entry]) widenMoney(money, digits)
    this.#own.moneyScale = scale
  }

  /**
   * A part of an amount at the money scale; half-even to 18 decimals. The scale may grow, then the money in
   * {@link hand}, {@link rest}, {@link exit} and {@link entry} is at the new one too.
   */
  share(amount: ExactInteger, part: ExactInteger, whole: ExactInteger): ExactInteger {
    const scale = this.#own.moneyScale
    const share = shareAt(amount, part, whole, scale)
    if (share !== null) return share
    this.#refineMoney(QUOTIENT_DECIMALS)
    return shareAt(widened(amount, QUOTIENT_DECIMALS - scale), part, whole, QUOTIENT_DECIMALS) as ExactInteger
  }

  /** Opens a lot with the money at hand; price and quantity are at the queue's scales. */
  add(sign: number, timeNs: number, fillRow: number, price: ExactInteger, quantity: ExactInteger): void {
    const own = this.#own
    own.sign = sign
    own.quantity = sumOf(own.quantity, quantity)
    own.lots.timeNs.push(timeNs)
    own.lots.fillRow.push(fillRow)
    own.lots.price.push(price)
    own.lots.quantity.push(quantity)
    own.lots.value.push(this.hand.value)
    own.lots.fee.push(this.hand.fee)
    own.lots.otherFee.push(this.hand.otherFee)
  }

  /**
   * Takes a quantity out of the oldest lot: its share of value and fees comes to {@link entry}; all of the lot takes
   * all of them, and the lot is closed.
   */
  take(quantity: ExactInteger): void {
    const own = this.#own
    const { lots, first } = own
    const { entry } = this
    const held = lots.quantity[first] as ExactInteger
    if (quantity === held) {
      entry.value = lots.value[first] as ExactInteger
      entry.fee = lots.fee[first] as ExactInteger
      entry.otherFee = lots.otherFee[first] as ExactInteger
    } else {
      entry.value = this.share(lots.value[first] as ExactInteger, quantity, held)
      entry.fee = this.share(lots.fee[first] as ExactInteger, quantity, held)
      entry.otherFee = this.share(lots.otherFee[first] as ExactInteger, quantity, held)
      lots.value[first] = differenceOf(lots.value[first] as ExactInteger, entry.value)
      lots.fee[first] = differenceOf(lots.fee[first] as ExactInteger, entry.fee)
      lots.otherFee[first] = differenceOf(lots.otherFee[first] as ExactInteger, entry.otherFee)
      lots.quantity[first] = differenceOf(held, quantity)
    }
    own.quantity = differenceOf(own.quantity, quantity)
    if (quantity === held) this.#shift()
  }

  /**
   * All lots together come to another quantity above 0, each to its share of it; `priceOf` is asked for the price of
   * each then. Prices before that are no prices after it.
   */
  rescale(quantity: Amount, priceOf: (quantity: Amount, value: Amount) => Amount): void {
    const own = this.#own
    const scaled = new ScaledAmount()
    let [before, after] = [amountOfExact(own.quantity, own.quantityScale), quantity]
    for (let at = own.first; at < own.lots.quantity.length; at++) {
      const held = amountOfExact(own.lots.quantity[at] as ExactInteger, own.quantityScale)
      const value = amountOfExact(own.lots.value[at] as ExactInteger, own.moneyScale)
      const share = held.eq(before) ? after : after.times(held).quotient(before)
      before = before.minus(held)
      after = after.minus(share)
      this.refine(0, scaled.read(share).scale, 0)
      own.lots.quantity[at] = scaled.at(own.quantityScale)
      if (share.isZero() || value.isZero()) continue
      this.refine(scaled.read(priceOf(share, value)).scale, 0, 0)
      own.lots.price[at] = scaled.at(own.priceScale)
    }
    this.refine(0, scaled.read(quantity).scale, 0)
    own.quantity = scaled.at(own.quantityScale)
    this.#forgetPrices()
  }

  #shift(): void {
    const own = this.#own
    own.first++
    if (this.length === 0) this.#forgetPrices()
    if (own.first < CLOSED_PLACES || 2 * own.first < own.lots.timeNs.length) return
    for (const column of Object.values(own.lots) as ExactInteger[][]) column.splice(0, own.first)
    own.before += own.first
    own.first = 0
  }

  /** A price that all open lots have seen. */
  sampled(price: ExactInteger, scale: number): void {
    const own = this.#own
    if (scale > own.sampleScale) {
      widen(own.highs.price, scale - own.sampleScale)
      widen(own.lows.price, scale - own.sampleScale)
      own.sampleScale = scale
    }
    const sample = widened(price, own.sampleScale - scale)
    const newest = own.before + own.lots.timeNs.length - 1
    addExtreme(own.highs, 1, sample, newest)
    addExtreme(own.lows, -1, sample, newest)
  }

  /**
   * The highest price (the lowest for -1) that the oldest lot has seen at the scale of samples; null before the first
   * sample. Extremes that only closed lots have seen are forgotten.
   */
  extremeOfOldest(direction: 1 | -1): ExactInteger | null {
    const { highs, lows, before, first } = this.#own
    const { sequence, price } = direction > 0 ? highs : lows
    const oldest = before + first
    let gone = 0
    while (gone < sequence.length && (sequence[gone] as number) < oldest) gone++
    if (gone > 0) {
      sequence.splice(0, gone)
      price.splice(0, gone)
    }
    return price[0] ?? null
  }

  #forgetPrices(): void {
    const { highs, lows } = this.#own
    for (const { sequence, price } of [highs, lows]) {
      while (price.pop() !== undefined) sequence.pop()
    }
  }

  state(): LotQueueState {
    return this.#own
  }

  restore(state: LotQueueState): void {
    this.#own = state
  }
}
