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

/** The requests of a trading instrument to its runtime. */
export interface Trading {
  place(instrument: TradingInstrument, params: OrderParams): Order
}

// What the runtime alone does with a trading instrument: nothing of it is seen on the class.
/** The isolated part of the position, undefined where there never was one. */
export let isolatedOf: (instrument: TradingInstrument) => IsolatedSides | undefined
/** Takes over a position as it was stated. */
export let takePosition: (instrument: TradingInstrument, position: Quantity, isolated?: IsolatedSides) => void
/** Takes over the sum of fills: after one of them, after a split, of a checkpoint. */
export let takeNetTraded: (instrument: TradingInstrument, netTraded: Quantity) => void
/** An order that may execute. */
export let addOpenOrder: (instrument: TradingInstrument, order: Order) => void
/** An order that is over. */
export let removeOpenOrder: (instrument: TradingInstrument, order: Order) => void

/** An instrument that a strategy trades on one account. */
export class TradingInstrument extends DataInstrument {
  /** The account on which orders are placed. */
  readonly account: Account
  readonly #trading: Trading
  #openOrders: readonly Order[] = []
  #position: Quantity = Quantity.ZERO
  #netTraded: Quantity = Quantity.ZERO
  #isolated: IsolatedSides | undefined

  static {
    isolatedOf = (instrument): IsolatedSides | undefined => instrument.#isolated
    takePosition = (instrument, position, isolated): void => {
      instrument.#position = position
      instrument.#isolated = isolated
    }
    takeNetTraded = (instrument, netTraded): void => { instrument.#netTraded = netTraded }
    addOpenOrder = (instrument, order): void => { instrument.#openOrders = [...instrument.#openOrders, order] }
    removeOpenOrder = (instrument, order): void => {
      const open = instrument.#openOrders
      if (open.includes(order)) instrument.#openOrders = open.filter((one) => one !== order)
    }
  }

  constructor(entry: InstrumentEntry, view: MarketView, account: Account, trading: Trading) {
    super(entry, view)
    this.account = account
    this.#trading = trading
  }

  /**
   * This strategy's orders that may still execute, oldest first. The array never changes; read it again for the next
   * state.
   */
  get openOrders(): readonly Order[] {
    return this.#openOrders
  }

  /**
   * Net position of the account, as fresh as the last position message: above 0 is long. For spot it is the balance of
   * the wallet of the base underlying (spec 3), which holds what was there before and lacks fees: {@link netTraded} is
   * what the strategy itself has traded.
   */
  get position(): Quantity {
    return this.#position
  }

  /**
   * Sum of this strategy's own fills as they were received, bought above 0, sold below; exact, fees not deducted, on
   * every kind of instrument. In `onOrderFill` it holds that fill. A split adjusts it like a position, in whole lots,
   * also for fills from before it that come later; liquidations and settlements are no fills.
   */
  get netTraded(): Quantity {
    return this.#netTraded
  }

  /** True for spot: its position is the wallet of the base underlying. */
  get isSpot(): boolean {
    return this.master.type === 'spot'
  }

  /**
   * Places an order and returns it at once: PENDING_NEW, or DISCARDED with its reason. `onOrderUpdate` or
   * `onOrderError` answers later, never within this call. The compiler refuses a type or a time in force that takes at
   * once beside `postOnly: true`. Throws where a value is not what its field takes, and where a risk ratio is out of
   * range.
   */
  placeOrder<T extends OrderType = OrderType, F extends TimeInForce = TimeInForce, P extends boolean = boolean>(
    params: OrderParams & WrittenTerms<T, F, P>,
  ): Order {
    return this.#trading.place(this, params)
  }
}

brand(TradingInstrument, 'TradingInstrument')
