import type { AccountState, Position } from '../venue/account-messages.js'
import type { WholePosition } from './order-messages.js'

/** Last positions of an account, plain data. */
export interface LastPositionsState {
  readonly last: readonly WholePosition[]
  /** Of instruments with a position message since the last wallet message: the position before, null for none. */
  readonly before: readonly (readonly [instrumentId: number, position: WholePosition | null])[]
}

/** A position as received last, and the one to which the wallets belong; undefined where they belong to the last. */
interface Received {
  last: WholePosition
  before: WholePosition | null | undefined
}

/**
 * Net positions of one account in derivatives as they were received last, callbacks that wait included, and as they
 * were when the wallets came last: a fill's position comes before its wallets (decision 0075), and cash and positions
 * of two instants must not be added up.
 */
export class LastPositions {
  #positions: Map<number, Received> = new Map()
  /** Those with a position message since the last wallet message, in the order of the first. */
  readonly #ahead: Received[] = []

  /** The position that was received last; undefined before the first. */
  get(instrumentId: number): WholePosition | undefined {
    return this.#positions.get(instrumentId)?.last
  }

  /** All of them, in the order in which their instruments first had one. */
  all(): WholePosition[] {
    return [...this.#positions.values()].map(({ last }) => last)
  }

  /**
   * Positions that were open and are not in the whole state of an account: they are flat (spec 2, "Login result"). None
   * where its exchange cannot be reached.
   */
  closedIn({ status, positions, isolatedPositions = [] }: AccountState): Position[] {
    if (status !== 'OK') return []
    const stated = new Set([...positions, ...isolatedPositions].map(({ instrumentId }) => instrumentId))
    return this.all().flatMap(({ instrumentId, longPosition, shortPosition }) => (
      stated.has(instrumentId) || (longPosition === 0 && shortPosition === 0)
        ? [] : [{ instrumentId, longPosition: 0, shortPosition: 0 }]))
  }

  /** The position to which the wallets belong; null where there was none. */
  withWallets(instrumentId: number): WholePosition | null {
    const received = this.#positions.get(instrumentId)
    return received === undefined ? null : received.before === undefined ? received.last : received.before
  }

  take(position: WholePosition): void {
    const received = this.#positions.get(position.instrumentId)
    if (received === undefined) this.#add(position, null)
    else {
      if (received.before === undefined) {
        received.before = received.last
        this.#ahead.push(received)
      }
      received.last = position
    }
  }

  /** Wallets came: they belong to the positions that are there now. */
  takeWallets(): void {
    for (let received = this.#ahead.pop(); received !== undefined; received = this.#ahead.pop())
      received.before = undefined
  }

  state(): LastPositionsState {
    return {
      last: this.all(), before: this.#ahead.map(({ last, before = null }) => [last.instrumentId, before] as const),
    }
  }

  restore({ last, before }: LastPositionsState): void {
    this.#positions = new Map(last.map((position) => [position.instrumentId, { last: position, before: undefined }]))
    this.#ahead.length = 0
    for (const [instrumentId, position] of before) {
      const received = this.#positions.get(instrumentId)
      if (received === undefined) continue
      received.before = position
      this.#ahead.push(received)
    }
  }

  #add(position: WholePosition, before: WholePosition | null): void {
    const received: Received = { last: position, before }
    this.#positions.set(position.instrumentId, received)
    this.#ahead.push(received)
  }
}
