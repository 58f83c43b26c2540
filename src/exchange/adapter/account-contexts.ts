import type { Id } from '../../model/id.js'
import { IdMap } from '../../model/id-map.js'
import type { Context, EntryError } from '../../model/order.js'
import { adapterError } from './adapter-checks.js'

/** Most bytes of the contexts that an adapter keeps for an account, as JSON in UTF-8: our choice. */
export const CONTEXT_BYTES = 4_194_304

/** Sizes of contexts, plain data: of orders by own id, the largest that each was given, and of fills. */
export interface ContextSizes {
  readonly orders: IdMap<number>
  readonly fills: Map<Id, number>
  totalBytes: number
}

const encoder = new TextEncoder()

/** The bytes of the contexts of an account: of orders that are open or on their way, and of its latest fills. */
export class AccountContexts {
  #own: ContextSizes = { orders: new IdMap(), fills: new Map(), totalBytes: 0 }

  /**
   * Takes the context of an order, or says why not; `from` is the order whose context it has where it is given none.
   * An order counts with the largest context that it was given, as a change of it may still be refused.
   */
  takeOfOrder(ownOrderId: Id, context: Context | undefined, from?: Id): EntryError | null {
    const { orders } = this.#own
    if (context === undefined && (from === undefined || orders.size === 0)) return null
    const before = orders.get(ownOrderId) ?? 0
    const given = context === undefined ? (orders.get(from as Id) ?? 0) : bytesOf(context)
    if (given <= before) return null
    const error = this.#take(given - before)
    if (error === null) orders.set(ownOrderId, given)
    return error
  }

  /** Takes the context of a fill in the place of the one that it has, or says why not. */
  takeOfFill(ownFillId: Id, context: Context | null): EntryError | null {
    const { fills } = this.#own
    const given = context === null ? 0 : bytesOf(context)
    const error = this.#take(given - (fills.get(ownFillId) ?? 0))
    if (error === null) fills.set(ownFillId, given)
    return error
  }

  /** An order is over. */
  releaseOrder(ownOrderId: Id): void {
    const { orders } = this.#own
    if (orders.size === 0) return
    this.#own.totalBytes -= orders.get(ownOrderId) ?? 0
    orders.delete(ownOrderId)
  }

  /** A fill is not known any more. */
  releaseFill(ownFillId: Id): void {
    const { fills } = this.#own
    this.#own.totalBytes -= fills.get(ownFillId) ?? 0
    fills.delete(ownFillId)
  }

  state(): ContextSizes {
    return this.#own
  }

  restore(sizes: ContextSizes): void {
    this.#own = sizes
  }

  #take(bytes: number): EntryError | null {
    const total = this.#own.totalBytes + bytes
    if (bytes > 0 && total > CONTEXT_BYTES)
      return adapterError(
        'CONTEXT_LIMIT_EXCEEDED',
        `contexts of the account may have ${String(CONTEXT_BYTES)} bytes, ` +
          `with this one they would have ${String(total)}`,
      )
    this.#own.totalBytes = total
    return null
  }
}

function bytesOf(context: Context): number {
  return encoder.encode(JSON.stringify(context)).length
}
