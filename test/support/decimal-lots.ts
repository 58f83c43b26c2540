import { Amount } from '../../src/model/amount.js'

/** The part of a fill that is open: nothing has closed it yet. */
export interface Lot {
  readonly timeNs: number
  /** Null where no fill opened it: the fraction of a split. */
  readonly fillId: string | null
  /** Counts up from lot to lot of a queue. */
  readonly sequence: number
  price: Amount
  /** Above 0. */
  quantity: Amount
  /** Value of that quantity at its price, in the settlement underlying. */
  value: Amount
  /** Fees of that quantity: in the settlement underlying, and in another one. */
  fee: Amount
  otherFee: Amount
}

/** A price that was the greatest (or least) since a lot was opened. */
interface Extreme {
  readonly sequence: number
  readonly price: Amount
}

/** The content of a queue. */
interface LotQueueContent {
  /** 1 for long, -1 for short; 0 before the first lot. */
  sign: number
  /** Sum of all quantities. */
  quantity: Amount
  nextSequence: number
  readonly lots: Lot[]
  /**
   * Extremes of sampled prices since the opening of each lot: only those that no later sample has overtaken, so never
   * more than there are lots.
   */
  readonly highs: Extreme[]
  readonly lows: Extreme[]
}

/** A price that every lot up to `sequence` has seen. */
function addExtreme(extremes: Extreme[], direction: 1 | -1, price: Amount, sequence: number): void {
  for (let last = extremes.at(-1); last !== undefined; last = extremes.at(-1)) {
    const order = last.price.comparedTo(price) * direction
    if (order > 0) {
      if (last.sequence === sequence) return
      break
    }
    extremes.pop()
  }
  extremes.push({ sequence, price })
}

/** The extreme since a lot was opened; null before the first sample. Lots before it are not asked for any more. */
function extremeSince(extremes: Extreme[], sequence: number): Amount | null {
  const first = extremes.findIndex((one) => one.sequence >= sequence)
  if (first > 0) extremes.splice(0, first)
  return first < 0 ? null : (extremes[0]?.price ?? null)
}

/** A part of an amount; half-even to 18 decimals. */
export function shareOf(amount: Amount, part: Amount, whole: Amount): Amount {
  return amount.isZero() ? amount : amount.times(part).quotient(whole)
}

/** Places in front that are given back at once, where most of a queue is closed. */
const CLOSED_PLACES = 64

/** The open lots of one leg of a position, the oldest first, and the prices that they have seen. */
export class LotQueue {
  #own: LotQueueContent = {
    sign: 0, quantity: Amount.ZERO, nextSequence: 0, lots: [], highs: [], lows: [],
  }
  #first = 0

  /** 1 for long, -1 for short; 0 before the first lot. */
  get sign(): number {
    return this.#own.sign
  }

  /** Sum of all quantities. */
  get quantity(): Amount {
    return this.#own.quantity
  }

  get length(): number {
    return this.#own.lots.length - this.#first
  }

  /** The oldest lot; undefined where nothing is open. */
  get oldest(): Lot | undefined {
    return this.#own.lots[this.#first]
  }

  /** All lots, the oldest first. */
  open(): Lot[] {
    return this.#own.lots.slice(this.#first)
  }

  add(sign: number, lot: Omit<Lot, 'sequence'>): void {
    const own = this.#own
    own.sign = sign
    own.quantity = own.quantity.plus(lot.quantity)
    own.lots.push({ ...lot, sequence: own.nextSequence++ })
  }

  /** Takes a quantity out of the oldest lot with its share of value and fees; all of the lot takes all of them. */
  take(lot: Lot, quantity: Amount): Pick<Lot, 'value' | 'fee' | 'otherFee'> {
    const { value, fee, otherFee } = lot
    const isAll = quantity.eq(lot.quantity)
    const share = (amount: Amount): Amount => (isAll ? amount : shareOf(amount, quantity, lot.quantity))
    const taken = { value: share(value), fee: share(fee), otherFee: share(otherFee) }
    lot.quantity = lot.quantity.minus(quantity)
    lot.value = value.minus(taken.value)
    lot.fee = fee.minus(taken.fee)
    lot.otherFee = otherFee.minus(taken.otherFee)
    this.#own.quantity = this.quantity.minus(quantity)
    if (isAll) this.#shift()
    return taken
  }

  /**
   * All lots together come to another quantity above 0, each to its share of it; `priceOf` is asked for the price of
   * each then. Prices before that are no prices after it.
   */
  rescale(quantity: Amount, priceOf: (quantity: Amount, value: Amount) => Amount): void {
    let [before, after] = [this.quantity, quantity]
    for (const lot of this.open()) {
      const own = lot.quantity.eq(before) ? after : shareOf(after, lot.quantity, before)
      before = before.minus(lot.quantity)
      after = after.minus(own)
      lot.quantity = own
      if (!own.isZero() && !lot.value.isZero()) lot.price = priceOf(own, lot.value)
    }
    this.#own.quantity = quantity
    this.#forgetPrices()
  }

  #shift(): void {
    this.#first++
    if (this.length === 0) this.#forgetPrices()
    if (this.#first < CLOSED_PLACES || 2 * this.#first < this.#own.lots.length) return
    this.#own.lots.splice(0, this.#first)
    this.#first = 0
  }

  /** A price that all open lots have seen. */
  sampled(price: Amount): void {
    const { highs, lows, nextSequence } = this.#own
    addExtreme(highs, 1, price, nextSequence - 1)
    addExtreme(lows, -1, price, nextSequence - 1)
  }

  /** Extremes since a lot was opened, to be asked for in the order of lots. */
  extremesOf({ sequence }: Lot): { readonly high: Amount | null; readonly low: Amount | null } {
    return { high: extremeSince(this.#own.highs, sequence), low: extremeSince(this.#own.lows, sequence) }
  }

  #forgetPrices(): void {
    this.#own.highs.length = this.#own.lows.length = 0
  }
}
