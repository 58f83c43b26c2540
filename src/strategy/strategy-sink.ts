import type { MarketDataState } from '../venue/venue.js'
import type { Order } from './order.js'

/** The receiver of what a strategy's runtime reports. */
export interface StrategySink {
  /**
   * A line of `strategy.log`, at the venue's time. Nothing is logged while a run resumes: the run before has logged it.
   */
  log(text: string): void
  /**
   * A sentence for the strategy's author, at the venue's time: a reason for which an order was discarded for the first
   * time, a method that is no callback.
   */
  warned?(text: string): void
  /** An order that was never sent, with its reason, and the id of the account that it was meant for. */
  discarded?(order: Order, accountId: string): void
  /** The strategy, or what watches over it, ended it: not called for an end from outside. Before `onStop`. */
  stopped?(reason: string): void
  /**
   * A state of an instrument that was subscribed while the strategy ran, where it is the runtime's own word: PENDING,
   * FAILED, GONE.
   */
  marketState?(instrumentId: number, state: MarketDataState, text: string): void
}
