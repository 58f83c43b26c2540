import {
  contractValue, isPaidInFull, isValueInverse, priceOfValue, type Contract,
} from '../../src/model/contract.js'
import { Amount } from '../../src/model/amount.js'
import { BacktapeError } from '../../src/model/error.js'
import { keptValue } from '../../src/model/kept-value.js'
import { profitAt } from '../../src/model/position-sums.js'
import { LotQueue, shareOf, type Lot } from './decimal-lots.ts'
import type { TripPlace } from '../../src/report/trip-legs.js'

/** A part of a fill that counts in one leg, with its share of the fees. */
export interface DecimalFill {
  readonly timeNs: number
  /** 1 for a buy, -1 for a sell. */
  readonly sign: number
  readonly quantity: Amount
  readonly price: Amount
  /** In the settlement underlying. */
  readonly value: Amount
  /** In the settlement underlying, and in another one. */
  readonly fee: Amount
  readonly otherFee: Amount
  readonly fillId: string | null
  /** `fill`, `liquidation`, `settlement` or `split`: how it ends a round trip. */
  readonly cause: string
}

/** A quantity from its opening to its closing; amounts are texts in the settlement underlying. */
export interface TripRecord extends TripPlace {
  /** 1 for long, -1 for short. */
  readonly sign: number
  readonly entryNs: number
  /** Null where it was open when the run ended. */
  readonly exitNs: number | null
  readonly quantity: string
  readonly entryPrice: string
  /** Of what is open, the price that values it; null where nothing does. */
  readonly exitPrice: string | null
  /** Fees apart. */
  readonly grossProfit: string
  readonly fees: string
  readonly otherFees: string
  /** Highest and lowest of entry, exit and the sampled prices between them. */
  readonly highPrice: string
  readonly lowPrice: string
  readonly favorableExcursion: string
  readonly adverseExcursion: string
  /** The cause of its end; `open` where it did not end. */
  readonly exit: string
  readonly entryFillId: string | null
  readonly exitFillId: string | null
}

/** Sums over the closed round trips of one settlement underlying; profit is net of the fees paid in it. */
export interface TripSums {
  count: number
  winCount: number
  lossCount: number
  /** Those that were open at the end. */
  openCount: number
  /** Profits above 0, and losses as a number above 0. */
  wins: Amount
  losses: Amount
}

/** The sums of the trips so far. */
interface TripsContent {
  /** By settlement underlying. */
  readonly sums: Map<number, TripSums>
  openCount: number
}

/** The most lots that one leg may hold open. */
const LOT_LIMIT = 1_000_000
const ZERO: Amount = Amount.ZERO

const noTrips = (): TripSums => ({ count: 0, winCount: 0, lossCount: 0, openCount: 0, wins: ZERO, losses: ZERO })

interface Leg {
  readonly place: TripPlace
  readonly contract: Contract
  readonly queue: LotQueue
}

/** The end of a quantity: everything of a lot's closing but the lot. */
type Exit = Pick<DecimalFill, 'price' | 'value' | 'fee' | 'otherFee' | 'fillId' | 'cause'> & {
  /** Null where nothing ended it. */
  readonly timeNs: number | null
}

/**
 * Round trips of a world by FIFO: a closing fill closes the oldest lots of its leg. The values of lots and fills are
 * shared out by quantity, the last share being the rest, so that all rows together are worth what the fills were.
 */
export class DecimalTrips {
  readonly rows: TripRecord[] = []
  readonly #legs: Map<string, Leg> = new Map()
  #own: TripsContent = { sums: new Map(), openCount: 0 }

  /** By settlement underlying. */
  get sums(): ReadonlyMap<number, TripSums> {
    return this.#own.sums
  }

  /** True while any leg holds something. */
  get isOpen(): boolean {
    return this.#own.openCount > 0
  }

  /** Instruments of which something is open. */
  openInstruments(): Set<number> {
    const open = new Set<number>()
    for (const { place, queue } of this.#legs.values()) if (queue.length > 0) open.add(place.instrumentId)
    return open
  }

  /** A price that everything open of an instrument has seen. */
  sampled(instrumentId: number, price: Amount): void {
    for (const { place, queue } of this.#legs.values())
      if (place.instrumentId === instrumentId && queue.length > 0) queue.sampled(price)
  }

  /** Signed quantity of a leg. */
  quantityOf(place: TripPlace): Amount {
    const queue = this.#legs.get(keyOf(place))?.queue
    return queue === undefined ? ZERO : queue.quantity.signed(queue.sign)
  }

  /** Legs of an account that hold something, of the instruments that are meant. */
  openPlaces(accountId: string, isMeant: (contract: Contract) => boolean): TripPlace[] {
    return [...this.#legs.values()]
      .filter(({ place, contract, queue }) => queue.length > 0 && place.accountId === accountId && isMeant(contract))
      .map(({ place }) => place)
  }

  /** A part of a fill: it closes the oldest lots of the other side, and opens what is beyond them. */
  filled(place: TripPlace, contract: Contract, fill: DecimalFill): void {
    const leg = this.#legOf(place, contract)
    const { queue } = leg
    const wasEmpty = queue.length === 0
    let { quantity, value, fee, otherFee } = fill
    if (!wasEmpty && queue.sign !== fill.sign) {
      const held = queue.quantity
      const closed = Amount.min(held, quantity)
      const isFlip = quantity.gt(closed)
      const own = isFlip
        ? {
            value: contractValue(contract, closed, fill.price), fee: shareOf(fee, closed, quantity),
            otherFee: shareOf(otherFee, closed, quantity),
          }
        : { value, fee, otherFee }
      this.#close(leg, closed, { ...fill, ...own })
      quantity = quantity.minus(closed)
      value = value.minus(own.value)
      fee = fee.minus(own.fee)
      otherFee = otherFee.minus(own.otherFee)
    }
    if (!quantity.isZero()) this.#open(leg, { ...fill, quantity, value, fee, otherFee })
    this.#count(wasEmpty, queue.length === 0)
  }

  /** Everything of a leg ends at a price that is no fill's, for a fee in the settlement underlying. */
  settled(place: TripPlace, timeNs: number, price: Amount, fee: Amount, cause: string): void {
    const leg = this.#legs.get(keyOf(place))
    if (leg === undefined || leg.queue.length === 0) return
    const quantity = leg.queue.quantity
    const value = price.isZero() ? ZERO : contractValue(leg.contract, quantity, price)
    this.#close(leg, quantity, { timeNs, price, value, fee, otherFee: ZERO, fillId: null, cause })
    this.#count(false, true)
  }

  /**
   * A split: the lots of a leg come to another quantity, signed, and keep their values. A leg that is rounded to
   * nothing ends: what was paid for it is lost, and nothing else was owed.
   */
  split(place: TripPlace, timeNs: number, quantity: Amount): void {
    const leg = this.#legs.get(keyOf(place))
    if (leg === undefined || leg.queue.length === 0) return
    const { queue, contract } = leg
    if (quantity.isZero()) {
      const held = queue.quantity
      const open = queue.open().reduce((sum, lot) => sum.plus(lot.value), ZERO)
      const value = isPaidInFull(contract) ? ZERO : open
      this.#close(leg, held, {
        timeNs, price: value.isZero() ? ZERO : priceOfValue(contract, held, value), value, fee: ZERO, otherFee: ZERO,
        fillId: null, cause: 'split',
      })
      this.#count(false, true)
      return
    }
    queue.rescale(quantity.abs(), (own, value) => priceOfValue(contract, own, value))
  }

  /** The end of the run: what is open becomes rows, valued at the price of its instrument. */
  finish(priceOf: (instrumentId: number) => Amount | null): void {
    for (const leg of this.#legs.values()) {
      const { place, contract, queue } = leg
      if (queue.length === 0) continue
      const price = priceOf(place.instrumentId)
      const quantity = queue.quantity
      const value = price === null || price.isZero() ? ZERO : contractValue(contract, quantity, price)
      this.#sumsOf(contract).openCount += queue.length
      this.#close(leg, quantity, {
        timeNs: null, price: price ?? ZERO, value, fee: ZERO, otherFee: ZERO, fillId: null,
        cause: price === null ? 'unvalued' : 'open',
      })
    }
    this.#own.openCount = 0
  }

  #open({ place, queue }: Leg, { sign, timeNs, fillId, price, quantity, value, fee, otherFee }: DecimalFill): void {
    if (queue.length >= LOT_LIMIT) {
      const expected = `at most ${LOT_LIMIT} open lots`
      const sentence = `Cannot match the fills of a position: it may hold ${expected} of one leg`
      throw new BacktapeError('LIMIT_EXCEEDED', sentence, {
        field: 'trades', expected, found: `more on account ${place.accountId}`,
      })
    }
    queue.add(sign, { timeNs, fillId, price, quantity, value, fee, otherFee })
  }

  /** Closes a quantity, the oldest lots first; the last part takes the rest of value and fees. */
  #close(leg: Leg, quantity: Amount, exit: Exit): void {
    const { contract, queue } = leg
    let { value, fee, otherFee } = exit
    for (let left = quantity; !left.isZero();) {
      const lot = queue.oldest
      if (lot === undefined) return
      const part = Amount.min(lot.quantity, left)
      const isLast = part.eq(left)
      const own = {
        value: isLast ? value : isValueInverse(contract) ? shareOf(value, part, left) : valueAt(contract, part, exit),
        fee: isLast ? fee : shareOf(fee, part, left),
        otherFee: isLast ? otherFee : shareOf(otherFee, part, left),
      }
      this.#end(leg, lot, part, { ...exit, ...own })
      value = value.minus(own.value)
      fee = fee.minus(own.fee)
      otherFee = otherFee.minus(own.otherFee)
      left = left.minus(part)
    }
  }

  /** Ends a part of a lot: a row, and sums where it was closed. */
  #end({ place, contract, queue }: Leg, lot: Lot, quantity: Amount, exit: Exit): void {
    const { high, low } = queue.extremesOf(lot)
    const entry = queue.take(lot, quantity)
    const side = Amount.from(queue.sign)
    const isValued = exit.cause !== 'unvalued'
    const gross = isValued ? profitAt(contract, { quantity: side, openValue: entry.value.signed(side.sign) }, exit.value) : ZERO
    const fees = entry.fee.plus(exit.fee)
    if (exit.timeNs !== null) this.#add(contract, gross.minus(fees))
    const ends = isValued ? [lot.price, exit.price] : [lot.price]
    const highest = Amount.max(high ?? lot.price, ...ends)
    const lowest = Amount.min(low ?? lot.price, ...ends)
    const at = (price: Amount): Amount =>
      profitAt(contract, { quantity: side, openValue: entry.value.signed(side.sign) }, valueAt(contract, quantity, { price }))
    const [best, worst] = queue.sign > 0 ? [highest, lowest] : [lowest, highest]
    this.rows.push({
      ...place, sign: queue.sign, entryNs: lot.timeNs, exitNs: exit.timeNs,
      quantity: quantity.toFixed(), entryPrice: lot.price.toFixed(), exitPrice: isValued ? exit.price.toFixed() : null,
      grossProfit: gross.toFixed(), fees: fees.toFixed(), otherFees: entry.otherFee.plus(exit.otherFee).toFixed(),
      highPrice: highest.toFixed(), lowPrice: lowest.toFixed(),
      favorableExcursion: Amount.max(ZERO, gross, at(best)).toFixed(),
      adverseExcursion: Amount.max(ZERO, gross.negated(), at(worst).negated()).toFixed(),
      exit: exit.timeNs === null ? 'open' : exit.cause, entryFillId: lot.fillId, exitFillId: exit.fillId,
    })
  }

  #add(contract: Contract, profit: Amount): void {
    const sums = this.#sumsOf(contract)
    sums.count++
    if (profit.isZero()) return
    if (profit.sign >= 0) {
      sums.winCount++
      sums.wins = sums.wins.plus(profit)
    } else {
      sums.lossCount++
      sums.losses = sums.losses.plus(profit.negated())
    }
  }

  #sumsOf({ settlementUnderlyingId }: Contract): TripSums {
    return keptValue(this.#own.sums, settlementUnderlyingId, noTrips)
  }

  #legOf(place: TripPlace, contract: Contract): Leg {
    return keptValue(this.#legs, keyOf(place), () => ({ place, contract, queue: new LotQueue() }))
  }

  #count(wasEmpty: boolean, isEmpty: boolean): void {
    if (wasEmpty !== isEmpty) this.#own.openCount += isEmpty ? -1 : 1
  }
}

function keyOf({ accountId, instrumentId, leg }: TripPlace): string {
  return `${instrumentId} ${leg} ${accountId}`
}

/** A value of which nothing is posted: exact where 40 digits hold it. */
function valueAt({ kind, size }: Contract, quantity: Amount, { price }: { readonly price: Amount }): Amount {
  if (price.isZero()) return ZERO
  const amount = quantity.times(size)
  return kind === 'inverse' ? amount.quotient(price) : amount.times(price)
}
