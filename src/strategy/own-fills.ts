import { Amount } from '../model/amount.js'
import { contractFromInstrument, type Contract } from '../model/contract.js'
import { BacktapeError } from '../model/error.js'
import type { Instrument } from '../model/instrument.js'
import {
  emptyPosition, postFill, roundingsState, type PositionSums, type RoundingsState,
} from '../model/position-sums.js'
import { amountOf } from './held-position.js'
import type { OrderFill } from './order.js'
import { savedPrice, savedQuantity, savedText } from './saved-decimal.js'

/** Fills that an instrument remembers. */
const FILL_LIMIT = 100

/** A fill of ours, plain data. */
export type SavedFill = { readonly [K in keyof OrderFill]: K extends 'price' | 'quantity' ? string : OrderFill[K] }

/** Own fills of one instrument, plain data. */
export interface OwnFillsState {
  readonly recent: readonly SavedFill[]
  /** Null where nothing adds up any more. */
  readonly sums: { readonly [K in Exclude<keyof PositionSums, 'roundings'>]: string } & RoundingsState | null
}

export function savedFill(fill: OrderFill): SavedFill {
  return { ...fill, price: savedText(fill.price), quantity: savedText(fill.quantity) }
}

export function fillOfSaved(saved: SavedFill): OrderFill {
  return { ...saved, price: savedPrice(saved.price), quantity: savedQuantity(saved.quantity) }
}

/** The last of a strategy's own fills of one instrument, and what all of them add up to. */
export class OwnFills {
  #recent: readonly OrderFill[] = []
  #sums: PositionSums | null = emptyPosition()
  #contract: Contract | null | undefined = undefined

  constructor(private readonly master: () => Instrument) {}

  /** At most 100, oldest first; the array never changes. */
  get recent(): readonly OrderFill[] {
    return this.#recent
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
  add(fill: OrderFill): void {
    this.#recent = [...this.#recent.slice(1 - FILL_LIMIT), fill]
    const { contract } = this
    if (contract === null || this.#sums === null) return
    try {
      postFill(contract, this.#sums, fill.side, amountOf(fill.quantity), amountOf(fill.price))
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#sums = null
    }
  }

  /** Takes over late data of a fill; another price or quantity than was added cannot be taken out again. */
  correct(fill: OrderFill): void {
    const known = this.#recent.find(({ ownFillId }) => ownFillId === fill.ownFillId)
    if (known === undefined) return
    this.#recent = this.#recent.map((one) => (one === known ? fill : one))
    if (!known.price.equals(fill.price) || !known.quantity.equals(fill.quantity)) this.lose()
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
    const sums = this.#sums
    return {
      recent: this.#recent.map(savedFill),
      sums:
        sums === null
          ? null
          : {
              quantity: sums.quantity.toFixed(), openValue: sums.openValue.toFixed(),
              realizedPnl: sums.realizedPnl.toFixed(), turnover: sums.turnover.toFixed(), ...roundingsState(sums),
            },
    }
  }

  restore({ recent, sums }: OwnFillsState): void {
    this.#recent = recent.map(fillOfSaved)
    this.#sums =
      sums === null
        ? null
        : {
            quantity: Amount.from(sums.quantity), openValue: Amount.from(sums.openValue),
            realizedPnl: Amount.from(sums.realizedPnl), turnover: Amount.from(sums.turnover),
            roundings: sums.roundings ?? 0,
          }
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
