import { brand } from '../model/brand.js'
import type { Decimal } from '../model/decimal.js'
import { Quantity, type Price } from '../model/fixed-decimal.js'
import type { OrderType, TimeInForce } from '../model/order.js'
import type { Side } from '../model/side.js'
import type { InstrumentEntry, MarketView } from '../venue/venue.js'
import type { Account } from './account.js'
import { DataInstrument } from './data-instrument.js'
import { heldAverage, heldProfit, type Holding, type StatedTerms } from './held-position.js'
import type { OrderFill } from './order-fill.js'
import type { Order } from './order.js'
import type { OrderParams, WrittenTerms } from './order-params.js'
import { OwnFills } from './own-fills.js'

/** A trading instrument as configs and `subscribeTradingInstrument` name it: an account is needed where several fit. */
export type TradingReference = number | string | { readonly instrument: number | string; readonly account?: string }

/** The way to a target, and how long it may take. */
export interface TargetOptions {
  /**
   * `take` (default) takes what is missing at once: a MARKET order, or an immediate-or-cancel limit order with `price`
   * or `offsetTicks`. `join` rests post-only at the best price of its own side and follows it. `limit` rests at
   * `price`.
   */
  readonly style?: 'take' | 'join' | 'limit'
  /** The price of `limit`; of `take` the worst price, in place of a MARKET order. */
  readonly price?: Price
  /** After so many milliseconds `join` takes what is still missing; without it, it waits for ever. */
  readonly timeoutMs?: number
  /**
   * Of `join`: ticks behind the best price of its own side, 0 by default. Of `take` without a price: a limit order so
   * many ticks through the best price of the other side, in place of a MARKET order.
   */
  readonly offsetTicks?: number
  /**
   * A target between two lots is refused, unless this is stated: `down` takes the lot nearer to 0, `up` the one beyond.
   */
  readonly round?: 'down' | 'up'
  /**
   * Milliseconds before the next order where one was rejected, discarded or not filled in full, doubled each time up to
   * a minute; default 100.
   */
  readonly retryMs?: number
}

/** The long and the short position of an account in one instrument, each 0 or above. */
export interface SidePositions {
  /** Long quantity. */
  readonly long: Quantity
  /** Short quantity. */
  readonly short: Quantity
}


/** The requests of a trading instrument to its runtime. */
export interface Trading {
  /** The runtime of tactics: its type is `TacticHost` too, which names this file. */
  readonly tactics: {
    target(instrument: TradingInstrument, position: Quantity | string, options: TargetOptions): void
    cancelAll(instrument: TradingInstrument, side: Side | undefined): void
  }
  place(instrument: TradingInstrument, params: OrderParams): Order
  /** The day from whose midnight received times count. */
  readonly epochDay: number
}

/** Actions of the runtime alone on a trading instrument: nothing of it is seen on the class. */
interface TradingRuntime {
  /** The runtime of tactics that an instrument belongs to. */
  tacticsOf(instrument: TradingInstrument): object
  /** The strategy's own fills. */
  ownFillsOf(instrument: TradingInstrument): OwnFills
  /** Takes over a position as it was stated. */
  takePosition(instrument: TradingInstrument, position: Quantity, stated?: StatedTerms): void
  /** Takes over the sum of fills: after one of them, after a split, of a checkpoint. */
  takeNetTraded(instrument: TradingInstrument, netTraded: Quantity): void
  /** An order that may execute. */
  addOpenOrder(instrument: TradingInstrument, order: Order): void
  /** An order that is over. */
  removeOpenOrder(instrument: TradingInstrument, order: Order): void
}

/** For the runtime. */
export let tradingRuntime: TradingRuntime
/** Everything that is known of the position; for the runtime. */
export let holdingOf: (instrument: TradingInstrument) => Holding

/** An instrument that a strategy trades on one account. */
export class TradingInstrument extends DataInstrument {
  readonly #trading: Trading
  #openOrders: Order[] = []
  /** True where the strategy may hold the array of its open orders, which then never changes. */
  #isShown = false
  #position: Quantity = Quantity.ZERO
  #netTraded: Quantity = Quantity.ZERO
  #stated: StatedTerms = {}
  readonly #own: OwnFills = new OwnFills(() => this.master, () => this.#trading.epochDay)

  static {
    holdingOf = (instrument): Holding => instrument.#holding()
    tradingRuntime = {
      tacticsOf: (instrument) => instrument.#trading.tactics,
      ownFillsOf: (instrument) => instrument.#own,
      takePosition: (instrument, position, stated = {}) => {
        instrument.#position = position
        instrument.#stated = stated
      },
      takeNetTraded: (instrument, netTraded) => { instrument.#netTraded = netTraded },
      addOpenOrder: (instrument, order) => { instrument.#changeable().push(order) },
      removeOpenOrder: (instrument, order) => {
        const place = instrument.#openOrders.indexOf(order)
        if (place >= 0) instrument.#changeable().splice(place, 1)
      },
    }
  }

  constructor(
    entry: InstrumentEntry,
    view: MarketView,
    /** The account on which orders are placed. */
    readonly account: Account,
    trading: Trading,
  ) {
    super(entry, view)
    this.#trading = trading
  }

  /**
   * This strategy's orders that may still execute, oldest first. The array never changes; read it again for the next
   * state.
   */
  get openOrders(): readonly Order[] {
    this.#isShown = true
    return this.#openOrders
  }

  /**
   * Net position of the account, as fresh as the last position message: above 0 is long. For spot it is the balance of
   * the wallet of the base underlying (spec 3), which holds what was there before and lacks fees: {@link netTraded} is
   * what the strategy itself has traded. Lots are exact; of interest, decimals that are finer than a lot and do not fit
   * 2^53 are cut off, and the wallet has all of them.
   */
  get position(): Quantity {
    return this.#position
  }

  /**
   * Both sides of the {@link position}, each 0 or above: long and short stand side by side where orders with
   * `openClose` OPEN made isolated positions; elsewhere one of them is 0.
   */
  get positions(): SidePositions {
    const { integer, scale, sign } = this.#position
    const { isolated } = this.#stated
    if (isolated === undefined) {
      const none = new Quantity(0, scale)
      return sign < 0 ? { long: none, short: this.#position.negated() } : { long: this.#position, short: none }
    }
    const { long, short } = isolated
    const net = integer - long.size + short.size
    return {
      long: new Quantity(long.size + Math.max(0, net), scale),
      short: new Quantity(short.size + Math.max(0, -net), scale),
    }
  }

  /**
   * Sum of this strategy's own fills as they were received, bought above 0, sold below; exact, fees not deducted, on
   * every kind of instrument. In `onOrderFill` it holds that fill. A split adjusts it like a position, in whole lots,
   * also for fills from before it that come later; liquidations and settlements are no fills.
   */
  get netTraded(): Quantity {
    return this.#netTraded
  }

  /**
   * The last 100 of this strategy's own fills, oldest first, with the fees that late data brought. The array never
   * changes; read it again for the next state.
   */
  get fills(): readonly OrderFill[] {
    return this.#own.recent
  }

  /**
   * Average entry price of the {@link position}, rounded to 18 decimals: as the last position message stated it, else
   * that of own fills, if they add up to the position. Spot: of {@link netTraded}. Null where nothing is open, where
   * long and short stand side by side, and where neither says it.
   */
  get averageEntryPrice(): Decimal | null {
    return heldAverage(this.#holding())?.toDecimal() ?? null
  }

  /**
   * Unrealised profit of the {@link position} (spot: of {@link netTraded}) at the last mark price, else in the middle
   * of the best prices, both as they were received. It is in the underlying that settles: the counter of linear and
   * spot instruments, the base of inverse ones, the valuation underlying of quantos. Exact where own fills add up to
   * what was stated, else by the stated average. 0 where nothing is open, null where no price or no entry is known.
   */
  get unrealisedPnl(): Decimal | null {
    return heldProfit(this.#holding())?.toDecimal() ?? null
  }

  /**
   * Realised profit of this strategy's own fills since its start, in the same underlying; fees and funding are not in
   * it, nor liquidations and settlements, which are no fills. A fill that closes takes its share of the value at which
   * the position was opened. Null where the master data lack the contract's terms, after a fill with `openClose` OPEN
   * or CLOSE (long and short side by side do not add up), after late data with another price or quantity, and after a
   * split that left a part of a lot of an open position, or behind which older fills came.
   */
  get realisedPnl(): Decimal | null {
    return this.#own.sums?.realizedPnl.toDecimal() ?? null
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

  /**
   * Brings the position to a target, above 0 long, with ordinary orders of this strategy: the short form of one kept
   * `TargetPosition` of the instrument, which a checkpoint holds. A new target replaces the one before, its options
   * too. Throws OPTION_INVALID for a target or an option that cannot be.
   */
  target(position: Quantity | string, options: TargetOptions = {}): void {
    this.#trading.tactics.target(this, position, options)
  }

  /**
   * Cancels this strategy's open orders of the instrument, of one side or both. An order that is not confirmed yet is
   * cancelled again once it is, and one whose cancel failed until it is over. Orders placed later are not meant.
   */
  cancelAll(side?: Side): void {
    this.#trading.tactics.cancelAll(this, side)
  }

  #changeable(): Order[] {
    if (this.#isShown) this.#openOrders = [...this.#openOrders]
    this.#isShown = false
    return this.#openOrders
  }

  #holding(): Holding {
    const { contract, sums: own } = this.#own
    return { instrument: this, position: this.#position, stated: this.#stated, contract, own }
  }
}

brand(TradingInstrument, 'TradingInstrument')
