import { Amount } from '../model/amount.js'
import { contractFromInstrument, type Contract } from '../model/contract.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import { emptyPosition, postFill, type PositionSums } from '../model/position-sums.js'
import { savedFill, shownFill, type OrderFill, type ReceivedFill } from './order-fill.js'

/** Fills that an instrument remembers. */
const FILL_LIMIT = 100

/** Own fills of one instrument, plain data. */
export interface OwnFillsState {
  readonly recent: readonly ReceivedFill[]
  /** Null where nothing adds up any more. */
  readonly sums: PositionSums | null
}

/** The last of a strategy's own fills of one instrument, and what all of them add up to. */
export class OwnFills {
  /** Once it is full the next place holds the oldest. */
  readonly #ring: ReceivedFill[] = []
  #next = 0
  /** The list that was read last; null where the fills have changed since. */
  #shown: readonly OrderFill[] | null = null
  #sums: PositionSums | null = emptyPosition()
  #contract: Contract | null | undefined = undefined

  /** `epochDay`: the day from whose midnight the times of fills count. */
  constructor(private readonly master: () => Instrument, private readonly epochDay: () => number) {}

  /** At most 100, oldest first; the array never changes. */
  get recent(): readonly OrderFill[] {
    return (this.#shown ??= this.#ordered().map((fill) => shownFill(fill, this.epochDay())))
  }

  /** Null where the fills cannot be added up: see {@link contract}, {@link lose}, {@link split}. */
  get sums(): Readonly<PositionSums> | null {
    return this.contract === null ? null : this.#sums
  }

  /** The terms that were in force when they were first asked for; null where the master data does not state them. */
  get contract(): Contract | null {
    if (this.#contract === undefined) this.#contract = contractOrNull(this.master())
    return this.#contract
  }

  /** Takes over a fill that is new. */
  add(fill: ReceivedFill): void {
    this.#ring[this.#next] = fill
    this.#next = (this.#next + 1) % FILL_LIMIT
    this.#shown = null
    const { contract } = this
    if (contract === null || this.#sums === null) return
    const { price, quantity, side, priceScale, quantityScale } = fill
    try {
      postFill(contract, this.#sums, side, Amount.scaled(quantity, quantityScale), Amount.scaled(price, priceScale))
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#sums = null
    }
  }

  /** Takes over late data of a fill; another price or quantity than was added cannot be taken out again. */
  correct(fill: ReceivedFill): void {
    const place = this.#ring.findIndex(({ ownFillId }) => ownFillId === fill.ownFillId)
    const known = this.#ring[place]
    if (known === undefined) return
    this.#ring[place] = fill
    this.#shown = null
    const epochDay = this.epochDay()
    const [before, now] = [shownFill(known, epochDay), shownFill(fill, epochDay)]
    if (!before.price.equals(now.price) || !before.quantity.equals(now.quantity)) this.lose()
  }

  /**
   * A split that left `quantity` of `exact`: the open value stays, unless a part of the position was paid out or
   * rounded.
   */
  split(quantity: Amount, exact: Amount): void {
    if (this.#sums === null || this.#sums.quantity.isZero()) return
    if (quantity.eq(exact)) this.#sums.quantity = quantity
    else this.lose()
  }

  /** From now on nothing is known of what the fills add up to. */
  lose(): void {
    this.#sums = null
  }

  state(): OwnFillsState {
    return { recent: this.#ordered().map(savedFill), sums: this.#sums }
  }

  restore({ recent, sums }: OwnFillsState): void {
    this.#ring.splice(0, Infinity, ...recent)
    this.#next = recent.length % FILL_LIMIT
    this.#shown = null
    this.#sums = sums
  }

  /** Oldest first. */
  #ordered(): readonly ReceivedFill[] {
    const next = this.#ring.length < FILL_LIMIT ? 0 : this.#next
    return [...this.#ring.slice(next), ...this.#ring.slice(0, next)]
  }
}

function contractOrNull(master: Instrument): Contract | null {
  try {
    return contractFromInstrument(master)
  } catch (error) {
    if (error instanceof BacktapeError) return null
    throw error
  }
}
