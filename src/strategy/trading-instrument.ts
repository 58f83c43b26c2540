import { brand } from '../model/brand.js'
import { Quantity } from '../model/fixed-decimal.js'
import type { OrderType, TimeInForce } from '../model/order.js'
import type { InstrumentEntry, MarketView } from '../venue/venue.js'
import type { Account } from './account.js'
import { DataInstrument } from './data-instrument.js'
import type { Order } from './order.js'
import type { IsolatedSides } from './order-messages.js'
import type { OrderParams, WrittenTerms } from './order-params.js'

/** A trading instrument as configs and `subscribeTradingInstrument` name it: an account is needed where several fit. */
export type TradingReference = number | string | { readonly instrument: number | string; readonly account?: string }

/** What a trading instrument asks of its runtime. */
export interface Trading {
  place(instrument: TradingInstrument, params: OrderParams): Order
}

/** An instrument that a strategy trades on one account. */
export class TradingInstrument extends DataInstrument {
  readonly account: Account
  readonly #trading: Trading
  #openOrders: readonly Order[] = []
  #position: Quantity = Quantity.ZERO
  #isolated: IsolatedSides | undefined

  constructor(entry: InstrumentEntry, view: MarketView, account: Account, trading: Trading) {
    super(entry, view)
    this.account = account
    this.#trading = trading
  }

  /** This strategy's orders that may still execute, oldest first. The array never changes; read it again for the next state. */
  get openOrders(): readonly Order[] {
    return this.#openOrders
  }

  /**
   * Net position of the account, as fresh as the last position message: above 0 is long. For spot it is the balance of the wallet of
   * the base underlying (spec 3).
   */
  get position(): Quantity {
    return this.#position
  }

  get isSpot(): boolean {
    return this.master.type === 'spot'
  }

  /**
   * Places an order and returns it at once: PENDING_NEW, or DISCARDED with its reason. `onOrderUpdate` or `onOrderError` answers
   * later, never within this call. The compiler refuses a type or a time in force that takes at once beside `postOnly: true`.
   * Throws where a value is not what its field takes, and where a risk ratio is out of range.
   */
  placeOrder<T extends OrderType = OrderType, F extends TimeInForce = TimeInForce, P extends boolean = boolean>(
    params: OrderParams & WrittenTerms<T, F, P>,
  ): Order {
    return this.#trading.place(this, params)
  }

  /** What of the position is isolated, undefined where nothing ever was. For the runtime. */
  get isolated(): IsolatedSides | undefined {
    return this.#isolated
  }

  /** For the runtime. */
  takePosition(position: Quantity, isolated?: IsolatedSides): void {
    this.#position = position
    this.#isolated = isolated
  }

  /** For the runtime. */
  addOpenOrder(order: Order): void {
    this.#openOrders = [...this.#openOrders, order]
  }

  /** For the runtime. */
  removeOpenOrder(order: Order): void {
    if (this.#openOrders.includes(order)) this.#openOrders = this.#openOrders.filter((open) => open !== order)
  }
}

brand(TradingInstrument, 'TradingInstrument')
