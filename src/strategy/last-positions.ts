import type { WholePosition } from './order-messages.js'

/** Last positions of an account, plain data. */
export interface LastPositionsState {
  readonly last: readonly WholePosition[]
  /** Of instruments with a position message since the last wallet message: the position before, null for none. */
  readonly before: readonly (readonly [instrumentId: number, position: WholePosition | null])[]
}

/**
 * Net positions of one account in derivatives as they were received last, callbacks that wait included, and as they
 * were when the wallets came last: a fill's position comes before its wallets (decision 0075), and cash and positions
 * of two instants must not be added up.
 */
export class LastPositions {
  #last: Map<number, WholePosition> = new Map()
  #before: Map<number, WholePosition | null> = new Map()

  /** The position that was received last; undefined before the first. */
  get(instrumentId: number): WholePosition | undefined {
    return this.#last.get(instrumentId)
  }

  /** All of them, in the order in which their instruments first had one. */
  all(): WholePosition[] {
    return [...this.#last.values()]
  }

  /** The position to which the wallets belong; null where there was none. */
  withWallets(instrumentId: number): WholePosition | null {
    const before = this.#before.get(instrumentId)
    return before === undefined ? (this.#last.get(instrumentId) ?? null) : before
  }

  take(position: WholePosition): void {
    const { instrumentId } = position
    if (!this.#before.has(instrumentId)) this.#before.set(instrumentId, this.#last.get(instrumentId) ?? null)
    this.#last.set(instrumentId, position)
  }

  /** Wallets came: they belong to the positions that are there now. */
  takeWallets(): void {
    if (this.#before.size > 0) this.#before.clear()
  }

  state(): LastPositionsState {
    return { last: this.all(), before: [...this.#before] }
  }

  restore({ last, before }: LastPositionsState): void {
    this.#last = new Map(last.map((position) => [position.instrumentId, position]))
    this.#before = new Map(before)
  }
}
