import type { MoneyEvent } from '../accounts/money-event.js'

/** Receives what moves money. */
export interface MoneyObserver {
  /** Money moved without an order: at the exchange, in its time. */
  money?(event: MoneyEvent): void
}
