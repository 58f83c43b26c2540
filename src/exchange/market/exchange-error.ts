import type { OrderError } from '../../model/order.js'

/** An error of the exchange. */
export function exchangeError(type: string, message: string): OrderError {
  return { type, message, source: 'EXCHANGE' }
}
