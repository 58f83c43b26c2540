import { isPaidInFull, isValueInverse, priceOfValue, type Contract } from '../model/contract.js'
import { Amount } from '../model/amount.js'
import { QUOTIENT_DECIMALS } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import {
  amountOfExact, differenceOf, isBeyond, ScaledAmount, sumOf, widened, type ExactInteger,
} from '../rows/exact-integer.js'
import type { LotQueueState } from './lot-queue.js'
import type { RowStore } from '../rows/row-store.js'
import type { RowTableState } from '../rows/row-table.js'
import { grossOf, TripLegs, valueInLots, type TripLeg, type TripPlace } from './trip-legs.js'
import { TripRows } from './trip-rows.js'

/** A price as an integer at a scale. */
export interface ScaledPrice {
  readonly integer: ExactInteger
  readonly scale: number
}

/** A part of a fill that counts in one leg, with its share of the fees. */
export interface TripFill {
  readonly timeNs: number
  /** 1 for a buy, -1 for a sell. */
  readonly sign: number
  /** An integer at a scale, as the price is. */
  readonly quantity: ExactInteger
  readonly quantityScale: number
  readonly price: ExactInteger
  readonly priceScale: number
  /** In the settlement underlying. */
  readonly value: Amount
  /** In the settlement underlying, and in another one. */
  readonly fee: Amount
  readonly otherFee: Amount
  /** The row of the fill; -1 where there is none. */
  readonly fillRow: number
  /** `fill`, `liquidation`, `settlement` or `split`: how it ends a round trip. */
  readonly cause: string
}

/** Sums over the closed round trips of one settlement underlying; profit is net of the fees paid in it. */
export interface TripSums {
  count: number
  winCount: number
  lossCount: number
  /** Those that were open at the end. */
  openCount: number
  /** Profits above 0, and losses as a number above 0. */
  readonly wins: ExactSum
  readonly losses: ExactSum
}

/** The sums of the trips so far. */
interface TripsContent {
  /** By settlement underlying. */
  readonly sums: Map<number, TripSums>
  openCount: number
}

/** The recorder as plain data. */
export interface RoundTripsState {
  readonly rows: RowTableState
  /** In the order of their numbers. */
  readonly legs: readonly (TripPlace & { readonly lots: LotQueueState })[]
  readonly own: TripsContent
}

/** The most lots that one leg may hold open. */
const LOT_LIMIT = 1_000_000
const ZERO: Amount = Amount.ZERO

const MONEY = ['value', 'fee', 'otherFee'] as const

const noTrips = (): TripSums => ({
  count: 0, winCount: 0, lossCount: 0, openCount: 0, wins: new ExactSum(), losses: new ExactSum(),
})

/** The end of a quantity beside its money; the price is at the scale of the lots. */
interface Exit {
  /** NaN where nothing ended it. */
  readonly timeNs: number
  readonly price: ExactInteger
  readonly fillRow: number
  readonly cause: string
}

/**
 * Round trips of a world by FIFO: a closing fill closes the oldest lots of its leg. The values of lots and fills are
 * shared out by quantity, the last share being the rest, so that all rows together are worth what the fills were.
 */
export class RoundTrips {
  readonly rows: TripRows
  readonly #legs: TripLegs = new TripLegs()
  #own: TripsContent = { sums: new Map(), openCount: 0 }
  readonly #value: ScaledAmount = new ScaledAmount()
  readonly #fee: ScaledAmount = new ScaledAmount()
  readonly #otherFee: ScaledAmount = new ScaledAmount()

  constructor(private readonly store: RowStore) {
    this.rows = new TripRows(store)
  }

  /** By settlement underlying. */
  get sums(): ReadonlyMap<number, TripSums> {
    return this.#own.sums
  }

  /** True while any leg holds something. */
  get isOpen(): boolean {
    return this.#own.openCount > 0
  }

  /** The places of the legs by their numbers, as rows have them. */
  get places(): readonly TripPlace[] {
    return this.#legs.all.map(({ place }) => place)
  }

  /** Prices that everything open has seen: `priceOf` is asked for that of an instrument, null where there is none. */
  sample(priceOf: (instrumentId: number) => ScaledPrice | null): void {
    for (const { place: { instrumentId }, lots } of this.#legs.all) {
      if (lots.length === 0) continue
      const price = priceOf(instrumentId)
      if (price !== null) lots.sampled(price.integer, price.scale)
    }
  }

  /** Signed quantity of a leg. */
  quantityOf(place: TripPlace): Amount {
    const lots = this.#legs.known(place)?.lots
    return lots === undefined ? ZERO : amountOfExact(lots.quantity, lots.quantityScale).signed(lots.sign)
  }

  /** Legs of an account that hold something, of the instruments that are meant. */
  openPlaces(accountId: string, isMeant: (contract: Contract) => boolean): TripPlace[] {
    return this.#legs.all
      .filter(({ place, contract, lots }) => lots.length > 0 && place.accountId === accountId && isMeant(contract))
      .map(({ place }) => place)
  }

  /** A part of a fill: it closes the oldest lots of the other side, and opens what is beyond them. */
  filled(accountId: string, leg: string, contract: Contract, fill: TripFill): void {
    const own = this.#legs.of(accountId, leg, contract)
    const { lots } = own
    const { timeNs, sign, fillRow, cause } = fill
    this.#refine(own, fill)
    const price = widened(fill.price, lots.priceScale - fill.priceScale)
    let quantity = widened(fill.quantity, lots.quantityScale - fill.quantityScale)
    const wasEmpty = lots.length === 0
    if (!wasEmpty && lots.sign !== sign) {
      const closed = lots.quantity < quantity ? lots.quantity : quantity
      quantity = this.#closeBy(own, closed, quantity, { timeNs, price, fillRow, cause })
    }
    if (quantity !== 0) {
      if (lots.length >= LOT_LIMIT) throw tooManyLots(accountId)
      lots.add(sign, timeNs, fillRow, price, quantity)
    }
    this.#count(wasEmpty, lots.length === 0)
  }

  /** Everything of a leg ends at a price that is no fill's, for a fee in the settlement underlying. */
  settled(place: TripPlace, timeNs: number, price: Amount, fee: Amount, cause: string): void {
    const leg = this.#legs.known(place)
    if (leg === undefined || leg.lots.length === 0) return
    this.#endAll(leg, timeNs, price, fee, cause)
    this.#count(false, true)
  }

  /**
   * A split: the lots of a leg come to another quantity, signed, and keep their values. A leg that is rounded to
   * nothing ends: what was paid for it is lost, and nothing else was owed.
   */
  split(place: TripPlace, timeNs: number, quantity: Amount): void {
    const leg = this.#legs.known(place)
    if (leg === undefined || leg.lots.length === 0) return
    const { lots, contract } = leg
    const priceOf = (own: Amount, value: Amount): Amount => priceOfValue(contract, own, value)
    if (!quantity.isZero()) {
      lots.rescale(quantity.abs(), priceOf)
      return
    }
    const value = isPaidInFull(contract) ? ZERO : amountOfExact(lots.value, lots.moneyScale)
    const held = amountOfExact(lots.quantity, lots.quantityScale)
    const price = value.isZero() ? ZERO : priceOf(held, value)
    this.#endAll(leg, timeNs, price, ZERO, 'split', value)
    this.#count(false, true)
  }

  /** The end of the run: what is open becomes rows, valued at the price of its instrument. */
  finish(priceOf: (instrumentId: number) => Amount | null): void {
    for (const leg of this.#legs.all) {
      const { place, contract, lots } = leg
      if (lots.length === 0) continue
      const price = priceOf(place.instrumentId)
      this.#sumsOf(contract).openCount += lots.length
      this.#endAll(leg, NaN, price ?? ZERO, ZERO, price === null ? 'unvalued' : 'open')
    }
    this.#own.openCount = 0
  }

  state(): RoundTripsState {
    return {
      rows: this.rows.table.state(),
      legs: this.#legs.all.map(({ place, lots }) => ({ ...place, lots: lots.state() })),
      own: this.#own,
    }
  }

  restore({ rows, legs, own }: RoundTripsState, contractOf: (place: TripPlace) => Contract): void {
    this.rows.table.restore(rows)
    for (const { lots, ...place } of legs)
      this.#legs.of(place.accountId, place.leg, contractOf(place)).lots.restore(lots)
    this.#own = own
  }

  /** Takes the money of a fill in hand, at scales that hold it and whatever is made of it. */
  #refine({ contract, lots, sizeScale }: TripLeg, fill: TripFill): void {
    const { hand } = lots
    const [value, fee] = [this.#value.read(fill.value), this.#fee.read(fill.fee)]
    const otherFee = this.#otherFee.read(fill.otherFee)
    lots.refine(fill.priceScale, fill.quantityScale, Math.max(value.scale, fee.scale, otherFee.scale))
    const valueScale = isValueInverse(contract) ? QUOTIENT_DECIMALS : lots.priceScale + lots.quantityScale + sizeScale
    lots.refine(0, 0, valueScale)
    hand.value = value.at(lots.moneyScale)
    hand.fee = fee.at(lots.moneyScale)
    hand.otherFee = otherFee.at(lots.moneyScale)
  }

  /** Closes a part of what is in hand; what is left of the quantity, its money in hand. */
  #closeBy(leg: TripLeg, closed: ExactInteger, quantity: ExactInteger, exit: Exit): ExactInteger {
    const { lots, lots: { hand, rest } } = leg
    if (closed === quantity) {
      this.#close(leg, closed, exit)
      return 0
    }
    rest.fee = lots.share(hand.fee, closed, quantity)
    rest.otherFee = lots.share(hand.otherFee, closed, quantity)
    rest.value = valueInLots(leg, closed, exit.price)
    for (const name of MONEY) {
      const own = rest[name]
      rest[name] = differenceOf(hand[name], own)
      hand[name] = own
    }
    this.#close(leg, closed, exit)
    for (const name of MONEY) hand[name] = rest[name]
    return differenceOf(quantity, closed)
  }

  /** Closes all lots at a price that is no fill's; `value` is what they are worth there. */
  #endAll(
    leg: TripLeg, timeNs: number, price: Amount, fee: Amount, cause: string, value: Amount | null = null,
  ): void {
    const { lots } = leg
    const { integer: priceInteger, scale: priceScale } = this.#value.read(price)
    this.#refine(leg, {
      timeNs, sign: 0, quantity: 0, quantityScale: 0, price: 0, priceScale, value: value ?? ZERO, fee, otherFee: ZERO,
      fillRow: -1, cause,
    })
    const exit = { timeNs, price: widened(priceInteger, lots.priceScale - priceScale), fillRow: -1, cause }
    if (value === null && exit.price !== 0) lots.hand.value = valueInLots(leg, lots.quantity, exit.price)
    this.#close(leg, lots.quantity, exit)
  }

  /** Closes a quantity, the oldest lots first; the last part takes the rest of the money in hand. */
  #close(leg: TripLeg, quantity: ExactInteger, exit: Exit): void {
    const { contract, lots, lots: { hand, exit: own } } = leg
    const isInverse = isValueInverse(contract)
    for (let left = quantity; left !== 0 && lots.length > 0;) {
      const held = lots.oldestQuantity
      const part = held < left ? held : left
      if (part === left) {
        own.value = hand.value
        own.fee = hand.fee
        own.otherFee = hand.otherFee
      } else {
        own.fee = lots.share(hand.fee, part, left)
        own.otherFee = lots.share(hand.otherFee, part, left)
        if (isInverse) own.value = lots.share(hand.value, part, left)
        else own.value = exit.price === 0 ? 0 : valueInLots(leg, part, exit.price)
      }
      this.#end(leg, part, exit)
      hand.value = differenceOf(hand.value, own.value)
      hand.fee = differenceOf(hand.fee, own.fee)
      hand.otherFee = differenceOf(hand.otherFee, own.otherFee)
      left = differenceOf(left, part)
    }
  }

  /** Ends a part of the oldest lot: a row, and sums where it was closed. */
  #end(leg: TripLeg, quantity: ExactInteger, { timeNs, price, fillRow, cause }: Exit): void {
    const { contract, lots, lots: { entry, exit, sign, priceScale, quantityScale } } = leg
    const { oldestNs, oldestFillRow, oldestPrice } = lots
    const isValued = cause !== 'unvalued'
    if (!this.store.isKeeping) lots.take(quantity)
    else {
      const { rows } = this
      const row = rows.table.add()
      rows.leg.set(row, leg.number)
      rows.isLong.set(row, sign > 0 ? 1 : 0)
      rows.entryNs.set(row, oldestNs)
      rows.exitNs.set(row, timeNs)
      rows.quantity.set(row, quantity, quantityScale)
      rows.entryPrice.set(row, oldestPrice, priceScale)
      rows.exitPrice.set(row, isValued ? price : NaN, priceScale)
      rows.exit.set(row, Number.isNaN(timeNs) ? 'open' : cause)
      rows.entryFill.set(row, oldestFillRow)
      rows.exitFill.set(row, fillRow)
      this.#setExtreme(leg, row, isValued ? price : oldestPrice, 1)
      this.#setExtreme(leg, row, isValued ? price : oldestPrice, -1)
      lots.take(quantity)
      rows.entryValue.set(row, entry.value, lots.moneyScale)
      rows.fees.set(row, sumOf(entry.fee, exit.fee), lots.moneyScale)
      rows.otherFees.set(row, sumOf(entry.otherFee, exit.otherFee), lots.moneyScale)
      rows.grossProfit.set(row, grossOf(leg, isValued, sign), lots.moneyScale)
    }
    if (Number.isNaN(timeNs)) return
    const profit = differenceOf(grossOf(leg, isValued, sign), sumOf(entry.fee, exit.fee))
    this.#add(contract, profit, lots.moneyScale)
  }

  /** The highest price, for -1 the lowest, of entry, exit and the samples between them. */
  #setExtreme({ lots }: TripLeg, row: number, exitPrice: ExactInteger, direction: 1 | -1): void {
    const { oldestPrice, priceScale, sampleScale } = lots
    const end = (direction > 0 ? oldestPrice > exitPrice : oldestPrice < exitPrice) ? oldestPrice : exitPrice
    const sample = lots.extremeOfOldest(direction)
    const column = direction > 0 ? this.rows.highPrice : this.rows.lowPrice
    if (sample !== null && isBeyond(sample, sampleScale, end, priceScale, direction))
      column.set(row, sample, sampleScale)
    else column.set(row, end, priceScale)
  }

  #add(contract: Contract, profit: ExactInteger, scale: number): void {
    const sums = this.#sumsOf(contract)
    sums.count++
    if (profit > 0) {
      sums.winCount++
      sums.wins.add(profit, scale)
    } else if (profit < 0) {
      sums.lossCount++
      sums.losses.add(-profit, scale)
    }
  }

  #sumsOf({ settlementUnderlyingId }: Contract): TripSums {
    return keptValue(this.#own.sums, settlementUnderlyingId, noTrips)
  }

  #count(wasEmpty: boolean, isEmpty: boolean): void {
    if (wasEmpty !== isEmpty) this.#own.openCount += isEmpty ? -1 : 1
  }
}

function tooManyLots(accountId: string): BacktapeError {
  const expected = `at most ${LOT_LIMIT} open lots`
  const sentence = `Cannot match the fills of a position: it may hold ${expected} of one leg`
  return new BacktapeError('LIMIT_EXCEEDED', sentence, {
    field: 'roundTrips', expected, found: `more on account ${accountId}`,
  })
}
