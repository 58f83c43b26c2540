import { quotient } from '../model/contract.js'
import { Decimal } from '../model/decimal.js'

/** The part of a fill that is open: nothing has closed it yet. */
export interface Lot {
  readonly timeNs: number
  /** Null where no fill opened it: the fraction of a split. */
  readonly fillId: string | null
  /** Counts up from lot to lot of a queue. */
  readonly sequence: number
  price: Decimal
  /** Above 0. */
  quantity: Decimal
  /** Value of that quantity at its price, in the settlement underlying. */
  value: Decimal
  /** Fees of that quantity: in the settlement underlying, and in another one. */
  fee: Decimal
  otherFee: Decimal
}

/** A price that was the greatest (or least) since a lot was opened. */
interface Extreme {
  readonly sequence: number
  readonly price: Decimal
}

/** {@link LotQueue} as plain data. */
export interface LotQueueState {
  readonly sign: number
  readonly nextSequence: number
  readonly lots: readonly {
    readonly [Name in keyof Lot]: Lot[Name] extends Decimal ? string : Lot[Name]
  }[]
  readonly highs: readonly (readonly [sequence: number, price: string])[]
  readonly lows: readonly (readonly [sequence: number, price: string])[]
}

/**
 * Extremes of sampled prices since the opening of each lot: only those that no later sample has overtaken, so never
 * more than there are lots.
 */
class ExtremeSince {
  #extremes: Extreme[] = []

  constructor(private readonly direction: 1 | -1) {}

  /** A price that every lot up to `sequence` has seen. */
  add(price: Decimal, sequence: number): void {
    const extremes = this.#extremes
    for (let last = extremes.at(-1); last !== undefined; last = extremes.at(-1)) {
      const order = last.price.cmp(price) * this.direction
      if (order > 0) {
        if (last.sequence === sequence) return
        break
      }
      extremes.pop()
    }
    extremes.push({ sequence, price })
  }

  /** The extreme since a lot was opened; null before the first sample. Lots before it are not asked for any more. */
  since(sequence: number): Decimal | null {
    const first = this.#extremes.findIndex((one) => one.sequence >= sequence)
    if (first > 0) this.#extremes.splice(0, first)
    return first < 0 ? null : (this.#extremes[0]?.price ?? null)
  }

  clear(): void {
    this.#extremes = []
  }

  state(): (readonly [sequence: number, price: string])[] {
    return this.#extremes.map(({ sequence, price }) => [sequence, price.toFixed()])
  }

  restore(state: LotQueueState['highs']): void {
    this.#extremes = state.map(([sequence, price]) => ({ sequence, price: new Decimal(price) }))
  }
}

/** A part of an amount; half-even to 18 decimals. */
export function shareOf(amount: Decimal, part: Decimal, whole: Decimal): Decimal {
  return amount.isZero() ? amount : quotient(amount.times(part), whole)
}

/** Places in front that are given back at once, where most of a queue is closed. */
const CLOSED_PLACES = 64

/** The open lots of one leg of a position, the oldest first, and the prices that they have seen. */
export class LotQueue {
  /** 1 for long, -1 for short; 0 before the first lot. */
  sign = 0
  /** Sum of all quantities. */
  quantity: Decimal = new Decimal(0)
  readonly #lots: Lot[] = []
  #first = 0
  #nextSequence = 0
  readonly #highs: ExtremeSince = new ExtremeSince(1)
  readonly #lows: ExtremeSince = new ExtremeSince(-1)

  get length(): number {
    return this.#lots.length - this.#first
  }

  /** The oldest lot; undefined where nothing is open. */
  get oldest(): Lot | undefined {
    return this.#lots[this.#first]
  }

  /** All lots, the oldest first. */
  open(): readonly Lot[] {
    return this.#lots.slice(this.#first)
  }

  add(sign: number, lot: Omit<Lot, 'sequence'>): void {
    this.sign = sign
    this.quantity = this.quantity.plus(lot.quantity)
    this.#lots.push({ ...lot, sequence: this.#nextSequence++ })
  }

  /** Takes a quantity out of the oldest lot with its share of value and fees; all of the lot takes all of them. */
  take(lot: Lot, quantity: Decimal): Pick<Lot, 'value' | 'fee' | 'otherFee'> {
    const { value, fee, otherFee } = lot
    const isAll = quantity.eq(lot.quantity)
    const share = (amount: Decimal): Decimal => (isAll ? amount : shareOf(amount, quantity, lot.quantity))
    const taken = { value: share(value), fee: share(fee), otherFee: share(otherFee) }
    lot.quantity = lot.quantity.minus(quantity)
    lot.value = value.minus(taken.value)
    lot.fee = fee.minus(taken.fee)
    lot.otherFee = otherFee.minus(taken.otherFee)
    this.quantity = this.quantity.minus(quantity)
    if (isAll) this.#shift()
    return taken
  }

  /**
   * All lots together come to another quantity above 0, each to its share of it; `priceOf` is asked for the price of
   * each then. Prices before that are no prices after it.
   */
  rescale(quantity: Decimal, priceOf: (quantity: Decimal, value: Decimal) => Decimal): void {
    let [before, after] = [this.quantity, quantity]
    for (const lot of this.open()) {
      const own = lot.quantity.eq(before) ? after : shareOf(after, lot.quantity, before)
      before = before.minus(lot.quantity)
      after = after.minus(own)
      lot.quantity = own
      if (!own.isZero() && !lot.value.isZero()) lot.price = priceOf(own, lot.value)
    }
    this.quantity = quantity
    this.#forgetPrices()
  }

  #shift(): void {
    this.#first++
    if (this.length === 0) this.#forgetPrices()
    if (this.#first < CLOSED_PLACES || 2 * this.#first < this.#lots.length) return
    this.#lots.splice(0, this.#first)
    this.#first = 0
  }

  /** A price that all open lots have seen. */
  sampled(price: Decimal): void {
    this.#highs.add(price, this.#nextSequence - 1)
    this.#lows.add(price, this.#nextSequence - 1)
  }

  /** Extremes since a lot was opened, to be asked for in the order of lots. */
  extremesOf({ sequence }: Lot): { readonly high: Decimal | null; readonly low: Decimal | null } {
    return { high: this.#highs.since(sequence), low: this.#lows.since(sequence) }
  }

  #forgetPrices(): void {
    this.#highs.clear()
    this.#lows.clear()
  }

  state(): LotQueueState {
    const lots = this.open().map((lot) => ({
      ...lot, price: lot.price.toFixed(), quantity: lot.quantity.toFixed(), value: lot.value.toFixed(),
      fee: lot.fee.toFixed(), otherFee: lot.otherFee.toFixed(),
    }))
    return {
      sign: this.sign, nextSequence: this.#nextSequence, lots, highs: this.#highs.state(), lows: this.#lows.state(),
    }
  }

  restore({ sign, nextSequence, lots, highs, lows }: LotQueueState): void {
    this.sign = sign
    for (const lot of lots)
      this.#lots.push({
        ...lot, price: new Decimal(lot.price), quantity: new Decimal(lot.quantity), value: new Decimal(lot.value),
        fee: new Decimal(lot.fee), otherFee: new Decimal(lot.otherFee),
      })
    this.quantity = this.open().reduce((sum, lot) => sum.plus(lot.quantity), new Decimal(0))
    this.#nextSequence = nextSequence
    this.#highs.restore(highs)
    this.#lows.restore(lows)
  }
}
