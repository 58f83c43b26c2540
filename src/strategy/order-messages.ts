import type { Id } from '../model/id.js'
import type { EntryError, OrderReport } from '../model/order.js'
import { RandomNumbers } from '../model/random.js'
import type { Fill, IsolatedSide, Position } from '../venue/account-messages.js'

/** Isolated positions of an instrument, as they were stated. */
export interface IsolatedSides {
  /** The long position. */
  readonly long: IsolatedSide
  /** The short position. */
  readonly short: IsolatedSide
}

/**
 * A position as a strategy sees it: what is isolated counts on both sides, and stands by itself where there ever was
 * any.
 */
export interface WholePosition extends Position {
  readonly isolated?: IsolatedSides
  /** Of a spot instrument: the balance that is its position, as it was received. */
  readonly spotBalance?: string
}

/** A message that waits for its callback, plain data. */
export type OrderMessage =
  | { readonly kind: 'error'; readonly accountId: string; readonly ownOrderId: Id; readonly error: EntryError }
  | { readonly kind: 'position'; readonly accountId: string; readonly position: WholePosition }
  | { readonly kind: 'fill'; readonly accountId: string; readonly fill: Fill }
  | { readonly kind: 'update'; readonly accountId: string; readonly report: OrderReport }

/** The queue as a checkpoint holds it. */
export interface OrderMessagesState {
  readonly waiting: readonly OrderMessage[]
  readonly drawCount: number
}

/**
 * Messages of one instant that wait for their callbacks. With a seed they leave in a shuffled order that keeps every
 * guarantee: a derivative's position before anything that came after it, updates of one order in order, fills of one
 * order in order.
 */
export class OrderMessages {
  readonly #random: RandomNumbers | null
  #waiting: OrderMessage[] = []
  #drawCount = 0

  /** `hasNews` of `news` is set with every message that comes. */
  constructor(shuffleSeed: number | null, private readonly news: { hasNews: boolean } = { hasNews: false }) {
    this.#random = shuffleSeed === null ? null : new RandomNumbers(shuffleSeed, 'callback order', 0)
  }

  get isShuffled(): boolean {
    return this.#random !== null
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  add(message: OrderMessage): void {
    this.#waiting.push(message)
    this.news.hasNews = true
  }

  /** The position of an instrument that was received last and still waits. */
  lastPosition(accountId: string, instrumentId: number): WholePosition | undefined {
    const found = this.#waiting.findLast(
      (message) =>
        message.kind === 'position' &&
        message.accountId === accountId &&
        message.position.instrumentId === instrumentId,
    )
    return found?.kind === 'position' ? found.position : undefined
  }

  /**
   * The next message to call back for, undefined where none waits. `isSpot` says of an instrument that its position is
   * a wallet.
   */
  take(isSpot: (instrumentId: number) => boolean): OrderMessage | undefined {
    const waiting = this.#waiting
    if (this.#random === null || waiting.length < 2) return waiting.shift()
    let index = this.#random.below(waiting.length, this.#drawCount++)
    for (let earlier = 0; earlier < index; earlier++) {
      const before = waiting[earlier]
      const after = waiting[index]
      if (before !== undefined && after !== undefined && mustPrecede(before, after, isSpot)) {
        index = earlier
        earlier = -1
      }
    }
    return waiting.splice(index, 1)[0]
  }

  state(): OrderMessagesState {
    return { waiting: [...this.#waiting], drawCount: this.#drawCount }
  }

  restore(state: OrderMessagesState): void {
    this.#waiting = [...state.waiting]
    this.news.hasNews = true
    this.#drawCount = state.drawCount
  }
}

/** The instrument and the order of a message, as far as it names them. */
function subjectOf(message: OrderMessage): { readonly instrumentId?: number; readonly ownOrderId?: Id } {
  switch (message.kind) {
    case 'position': return message.position
    case 'fill': return message.fill
    case 'update': return message.report
    case 'error': return { ownOrderId: message.ownOrderId }
  }
}

function mustPrecede(before: OrderMessage, after: OrderMessage, isSpot: (instrumentId: number) => boolean): boolean {
  if (before.kind !== 'position')
    return before.kind === after.kind && subjectOf(before).ownOrderId === subjectOf(after).ownOrderId
  const { instrumentId } = before.position
  return instrumentId === subjectOf(after).instrumentId && (after.kind === 'position' || !isSpot(instrumentId))
}
