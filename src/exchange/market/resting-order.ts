import type { EntryError } from '../../model/order.js'
import type { OrderAtExchange } from '../../orders/order-at-exchange.js'

/**
 * Why an execution happened: a public trade, an opposite level shown, our own aggression, the end of a gap; `forced` by
 * the exchange (liquidation).
 */
export type ExecutionCause = 'trade' | 'shown' | 'aggression' | 'gap' | 'forced'

/** Receives every execution, in order. The order's executed quantity includes it already. */
export interface ExecutionSink {
  execute(order: OrderAtExchange, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
}

/** An error of the exchange. */
export function exchangeError(type: string, message: string): EntryError {
  return { type, message, source: 'EXCHANGE' }
}
