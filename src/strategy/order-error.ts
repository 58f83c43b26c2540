import { epochNsFromTime } from '../model/time.js'
import type { EntryError, ErrorSource } from '../model/order.js'

/** Why a request was refused, or an order ended (spec 3): by the adapter, or by the exchange behind it. */
export interface OrderError {
  /** Type of the error; docs/reference/order-errors.md lists those of the simulated exchange. */
  readonly type: string
  /** The reason in a sentence. */
  readonly message: string
  /** The adapter (`INTERNAL`) or the exchange (`EXCHANGE`). */
  readonly source: ErrorSource
  /** Earliest moment when a retry should find budget, epoch nanoseconds as `now()`; rate limits only. */
  readonly retryTimeNs?: bigint
}

/** An error as its strategy sees it. JSON holds its time as digits. */
class StatedError implements OrderError {
  readonly type: string
  readonly message: string
  readonly source: ErrorSource
  declare readonly retryTimeNs?: bigint

  constructor({ type, message, source, retryTimeNs }: EntryError, epochDay: number) {
    this.type = type
    this.message = message
    this.source = source
    if (retryTimeNs !== undefined) this.retryTimeNs = epochNsFromTime(retryTimeNs, epochDay)
  }

  toJSON(): object {
    const { type, message, source, retryTimeNs } = this
    return retryTimeNs === undefined
      ? { type, message, source }
      : { type, message, source, retryTimeNs: String(retryTimeNs) }
  }
}

/** An error as its strategy sees it; its time counts from the midnight of a day. */
export function statedError(error: EntryError, epochDay: number): OrderError {
  return new StatedError(error, epochDay)
}
