import type { ClientRequest, ClientMessage } from '../venue/order-messages.js'
import type { UnknownBookPeriod } from './market/market-participant.js'
import type { ExchangeOrderRecord, ExecutionCause } from './market/resting-order.js'
import type { PostedFill } from './accounts/account.js'
import type { OrderReport } from '../model/order.js'
import type { MoneyEvent } from './accounts/money-event.js'
import type { Fill } from '../venue/account-messages.js'

/** Receives everything that a world's adapter sends and gets, in order; times are local. */
export interface WorldObserver {
  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string): void
  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void
  /**
   * An instrument in which the world has open interest has an unknown book, or a known one again; exchange-side
   * times (exchange rules 6.1). `isMet`: its book was unknown before, and an order has come there now.
   */
  bookLost?(instrumentId: number, period: UnknownBookPeriod, isMet: boolean): void
  bookRecovered?(instrumentId: number, timeNs: number): void
  /** An execution at the exchange, with its order as it stands then. */
  executed?(order: ExchangeOrderRecord, price: number, quantity: number, timeNs: number, cause: ExecutionCause): void
  /** The same execution, posted: as the client will receive it. After {@link executed}, before {@link changed}. */
  filled?(order: ExchangeOrderRecord, fill: Fill, posted: PostedFill, cause: ExecutionCause): void
  /**
   * An order as the exchange now has it: accepted, amended, executed or over. The record is the exchange's own and will
   * change; its quantities are `quantityFactor` times those of the report.
   */
  changed?(order: ExchangeOrderRecord, report: OrderReport, quantityFactor: number): void
  /** Money moved without an order: at the exchange, in its time. */
  money?(event: MoneyEvent): void
  /**
   * An account of a client has come to 0, which ends it (exchange rules 8.6): between callbacks, at the instant at
   * which it did.
   */
  stopped?(clientId: string, timeNs: number, reason: string): void
}
