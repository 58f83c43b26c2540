import type { InstrumentEntry, MarketView } from '../venue/venue.js'
import { Quantity } from '../model/fixed-decimal.js'
import type { Account } from './account.js'
import { DataInstrument } from './data-instrument.js'
import type { Order } from './order.js'
import type { OrderParams } from './order-params.js'

/** What a trading instrument asks of its runtime. */
export interface Trading {
  place(instrument: TradingInstrument, params: OrderParams): Order
}

/** An instrument that a strategy trades on one account. */
export class TradingInstrument extends DataInstrument {
  readonly account: Account
  /** This strategy's orders that may still execute, oldest first. */
  readonly openOrders: Order[] = []
  readonly #trading: Trading
  #longPosition = 0
  #shortPosition = 0

  constructor(entry: InstrumentEntry, view: MarketView, account: Account, trading: Trading) {
    super(entry, view)
    this.account = account
    this.#trading = trading
  }

  /** Net position of the account, as fresh as the last position message: above 0 is long. */
  get position(): Quantity {
    return new Quantity(this.#longPosition - this.#shortPosition, this.entry.quantityScale)
  }

  /**
   * Places an order and returns it at once: PENDING_NEW, or DISCARDED with its reason. `onOrderUpdate` or `onOrderError` answers
   * later, never within this call. Throws where a risk ratio is out of range.
   */
  placeOrder(params: OrderParams): Order {
    return this.#trading.place(this, params)
  }

  /** For the runtime. */
  takePosition(longPosition: number, shortPosition: number): void {
    this.#longPosition = longPosition
    this.#shortPosition = shortPosition
  }
}
