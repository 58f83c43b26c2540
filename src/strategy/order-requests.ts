import type { Decimal } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import { Quantity } from '../model/fixed-decimal.js'
import { isPegged, type EntryError } from '../model/order.js'
import type { AmendEntry } from '../venue/messages.js'
import type { OrderEntry, Venue } from '../venue/venue.js'
import type { Account, AccountActions } from './account.js'
import type { CallbackGuard } from './callback-guard.js'
import { OrderGrid } from './order-grid.js'
import { DISCARD_REASONS, type DiscardReason, type OrderParams } from './order-params.js'
import { checkOrderChange, checkOrderParams, kindOf, placeTerms, type OrderSources } from './order-request.js'
import { withPlainContext } from './order-context.js'
import { OrderTracker, termsOf, type TrackedOrder } from './order-tracker.js'
import {
  discard, NO_CONDITIONS, takeState, type Order, type OrderActions, type OrderChange, type OrderTerms,
} from './order.js'
import type { StrategyTactics } from './strategy-tactics.js'
import type { AskedOrder } from './tactic.js'
import type { Trading, TradingInstrument } from './trading-instrument.js'

/** The most requests in one callback before it is taken for endless: nothing else can end a loop that never returns. */
const CALLBACK_LIMIT = 10_000

/** The parts of its runtime that order requests need. */
export interface OrderRequestsHost {
  readonly venue: Venue
  readonly guard: CallbackGuard
  readonly isResuming: boolean
  /** True while market data of before the run are played. */
  readonly isWarmingUp: boolean
  entryOf(account: Account): OrderEntry
  /** Queues the error of a request that could not be sent: its callback comes within this instant. */
  refuseLater(order: Order, error: EntryError): void
  discarded(order: Order, accountId: string): void
  readonly tactics: StrategyTactics
  equityOf(account: Account): Decimal | null
}

/** The terms that an amend asks for, at the directory's scales. */
type ChangedTerms = Pick<AmendEntry, 'price' | 'totalQuantity' | 'triggerPrice' | 'pegOffsetValue'>

/** Turns what a strategy asks for into requests of the order entry protocol. Nothing calls back from here. */
export class OrderRequests implements OrderActions, Trading, AccountActions {
  readonly tracker: OrderTracker
  readonly #grids: Map<number, OrderGrid> = new Map()
  #callCount = -1
  #requestCount = 0

  constructor(private readonly host: OrderRequestsHost) {
    this.tracker = new OrderTracker(this)
  }

  get epochDay(): number {
    return this.host.venue.clock.epochDay
  }

  place(instrument: TradingInstrument, asked: OrderParams): Order {
    this.count()
    checkOrderParams(asked, instrument.isSpot)
    const params = withPlainContext('place', asked)
    const { side, quantity, reduceOnly, closeOnly } = params
    const entry =
      this.#stopped() ??
      this.#spare(instrument, params) ??
      this.tactics.refusal(instrument, () => ({
        side, quantity, isNew: true, isReducing: reduceOnly === true || closeOnly === true,
      })) ??
      placeTerms(instrument, this.#gridOf(instrument), params, this.#sources)
    if (typeof entry === 'string')
      return this.#discard(instrument, { ...this.#sources.newIds(), ...termsOfParams(instrument, params) }, entry)
    const order = this.tracker.create(termsOf(entry, instrument.entry, params), instrument)
    this.host.entryOf(instrument.account).place([entry])
    return order
  }

  get tactics(): StrategyTactics {
    return this.host.tactics
  }

  cancel(order: Order): void {
    this.count()
    this.#refuseResuming('cancel')
    const tracked = this.tracker.find(order)
    const { ownOrderId, exchangeOrderId } = tracked
    this.#entryOf(tracked).cancel([
      { ownOrderId, ...(exchangeOrderId === null ? {} : { exchangeOrderId }) },
    ])
  }

  amend(order: Order, asked: OrderChange): void {
    this.count()
    checkOrderChange('amend', asked)
    const change = withPlainContext('amend', asked)
    this.#refuseResuming('amend')
    const tracked = this.tracker.find(order)
    const terms =
      this.tactics.refusal(tracked.instrument, () => askedByChange(order, change.quantity, order.totalQuantity)) ??
      this.#changedTerms(tracked, change)
    if (typeof terms === 'string') {
      this.host.refuseLater(order, {
        type: terms === 'PRICE_OFF_TICK' ? 'INVALID_PRICE' : 'INVALID_QUANTITY',
        message: `cannot amend: ${DISCARD_REASONS[terms]}`, source: 'INTERNAL',
      })
      return
    }
    const { ownOrderId, clientOrderId: currentClientOrderId, exchangeOrderId } = tracked
    if (order.state === 'CONFIRMED') takeState(order, 'PENDING_AMEND')
    tracked.pendingAmends++
    tracked.asked = Math.max(tracked.asked, terms.totalQuantity ?? 0)
    this.#entryOf(tracked).amend([
      {
        ownOrderId, instrumentId: tracked.instrument.id, currentClientOrderId,
        newClientOrderId: this.host.venue.newId(),
        ...(exchangeOrderId === null ? {} : { exchangeOrderId }), ...terms,
        ...(change.context === undefined ? {} : { context: change.context }),
      },
    ])
  }

  replace(order: Order, asked: OrderChange): Order {
    this.count()
    checkOrderChange('replace', asked)
    const change = withPlainContext('replace', asked)
    if (change.pegOffsetValue !== undefined) {
      throw new BacktapeError(
        'OPTION_INVALID',
        'Cannot replace an order with another pegOffsetValue: a replacement keeps it, amend changes it',
        { field: 'pegOffsetValue' },
      )
    }
    const tracked = this.tracker.find(order)
    const { instrument } = tracked
    const terms =
      this.#stopped() ??
      // The order may still fill before it is replaced.
      this.tactics.refusal(
        instrument, () => ({ ...askedByChange(order, change.quantity, Quantity.ZERO), isNew: true }),
      ) ??
      this.#changedTerms(tracked, change)
    const { exchangeOrderId } = tracked
    const fresh: OrderTerms = { ...this.#sources.newIds(), ...replacementTerms(order, change) }
    if (typeof terms === 'string') return this.#discard(instrument, fresh, terms)
    const replacement = this.tracker.create(fresh, instrument)
    this.#entryOf(tracked).replace([
      {
        currentOwnOrderId: tracked.ownOrderId, instrumentId: instrument.id, newOwnOrderId: fresh.ownOrderId,
        currentClientOrderId: tracked.clientOrderId,
        newClientOrderId: fresh.clientOrderId, ...(exchangeOrderId === null ? {} : { exchangeOrderId }), ...terms,
        ...(change.context === undefined ? {} : { context: change.context }),
      },
    ])
    return replacement
  }

  cancelAllOrders(account: Account): void {
    this.count()
    this.#refuseResuming('cancel all orders')
    const { venue } = this.host
    this.host.entryOf(account).cancelAll({ requestId: venue.newId(), createTimeNs: venue.clock.nowNs() })
  }

  underlyingId(code: string): number {
    const { entries } = this.host.venue.underlyings
    const [only, other] = entries.filter((one) => one.code === code)
    if (only !== undefined && other === undefined) return only.id
    const codes = [...new Set(entries.map((one) => one.code))]
    const expected = only === undefined ? `one of ${codes.join(', ')}` : 'its id, as several have this code'
    throw new BacktapeError('OPTION_INVALID', `Cannot tell the underlying ${foundText(code)}: expected ${expected}`, {
      field: 'underlying', expected, found: code,
    })
  }

  equityOf(account: Account): Decimal | null {
    return this.host.equityOf(account)
  }

  /** Counts a request: more than a callback can mean is an endless loop. */
  count(): void {
    const { callCount } = this.host.guard
    if (callCount !== this.#callCount) [this.#callCount, this.#requestCount] = [callCount, 0]
    if (++this.#requestCount <= CALLBACK_LIMIT) return
    const limit = String(CALLBACK_LIMIT)
    throw new BacktapeError(
      'LIMIT_EXCEEDED', `Cannot ask for more than ${limit} things in one callback: does it loop without end?`,
      { expected: `at most ${limit}`, found: 'more' },
    )
  }

  readonly #sources: OrderSources = {
    // None are taken for orders that can only be refused: every id after them would depend on their number.
    newIds: () => {
      const { isResuming, isWarmingUp, venue } = this.host
      return isResuming || isWarmingUp
        ? { ownOrderId: '', clientOrderId: '' }
        : { ownOrderId: venue.newId(), clientOrderId: venue.newId() }
    },
    openingTerms: ({ account, id }) => this.host.entryOf(account).openingTerms?.(id),
  }

  #stopped(): DiscardReason | null {
    if (!this.host.guard.isOpen) return 'STOPPED'
    if (this.host.isWarmingUp) return 'WARMING_UP'
    return this.host.isResuming ? 'RESUMING' : null
  }

  /** Spare requests asked of an adapter without any stop the strategy (spec 3, "Errors"). */
  #spare(instrument: TradingInstrument, params: OrderParams): DiscardReason | null {
    if (params.useSpare !== true || this.host.entryOf(instrument.account).capabilities.spare) return null
    this.host.guard.stop(
      `placed an order with useSpare on ${instrument.code}, but the adapter of account ${instrument.account.id} has ` +
        'no spare requests',
    )
    return 'SPARE_UNSUPPORTED'
  }

  #discard(instrument: TradingInstrument, terms: OrderTerms, reason: DiscardReason): Order {
    const order = this.tracker.create(terms, instrument)
    discard(order, reason)
    if (reason === 'RESUMING' || reason === 'WARMING_UP') this.tracker.forget(order)
    else this.tracker.settle(this.tracker.find(order))
    this.host.discarded(order, instrument.account.id)
    return order
  }

  #changedTerms(
    { instrument }: TrackedOrder, { price, quantity, triggerPrice, pegOffsetValue }: OrderChange,
  ): ChangedTerms | DiscardReason {
    const grid = this.#gridOf(instrument)
    const newPrice = price === undefined ? undefined : grid.price(price)
    const newTrigger = triggerPrice === undefined ? undefined : grid.price(triggerPrice)
    const newOffset = pegOffsetValue === undefined ? undefined : grid.offset(pegOffsetValue)
    const newQuantity = quantity === undefined ? undefined : grid.quantity(quantity)
    if (newPrice === null || newTrigger === null || newOffset === null) return 'PRICE_OFF_TICK'
    if (newQuantity === null) return 'QUANTITY_OFF_LOT'
    return {
      ...(newPrice === undefined ? {} : { price: newPrice }),
      ...(newQuantity === undefined ? {} : { totalQuantity: newQuantity }),
      ...(newTrigger === undefined ? {} : { triggerPrice: newTrigger }),
      ...(newOffset === undefined ? {} : { pegOffsetValue: newOffset }),
    }
  }

  /** A request would be sent twice: by the run before the checkpoint and by this one. */
  #refuseResuming(verb: string): void {
    if (this.host.isResuming)
      throw new BacktapeError('OPTION_INVALID', `Cannot ${verb} while a run resumes: check this.resuming in onStart`, {
        field: 'resuming',
      })
  }

  #entryOf(tracked: TrackedOrder): OrderEntry {
    return this.host.entryOf(tracked.instrument.account)
  }

  #gridOf({ id, entry }: TradingInstrument): OrderGrid {
    let grid = this.#grids.get(id)
    // A later day may have other terms.
    if (grid?.instrument !== entry.instrument) {
      grid = new OrderGrid(entry)
      this.#grids.set(id, grid)
    }
    return grid
  }
}

/** Terms of an order that is never sent: as they were asked for. */
function termsOfParams(
  instrument: TradingInstrument, params: OrderParams,
): Omit<OrderTerms, 'ownOrderId' | 'clientOrderId'> {
  const { triggerPrice, pegOffsetValue, displayQuantity, closeOnly, reduceOnly, openClose } = params
  return {
    instrumentId: instrument.id, side: params.side, price: params.price ?? null, quantity: params.quantity,
    ...kindOf(params), ...(params.context === undefined || params.context === null ? {} : { context: params.context }),
    conditions: {
      triggerPrice: triggerPrice ?? null, triggered: false, pegOffsetValue: pegOffsetValue ?? null,
      displayQuantity: displayQuantity ?? null, closeOnly: closeOnly ?? false, reduceOnly: reduceOnly ?? false,
      openClose: openClose ?? 'AUTO',
    },
  }
}

/** A change asks for what it adds to the quantity that is there. */
function askedByChange(order: Order, asked: Quantity | undefined, there: Quantity): AskedOrder {
  const { side, conditions } = order
  return {
    side, quantity: asked === undefined ? Quantity.ZERO : asked.minus(there), isNew: false,
    isReducing: conditions.reduceOnly || conditions.closeOnly,
  }
}

/** As far as the strategy knows; what the exchange knows comes with the answer. */
function quantityLeft({ totalQuantity, executedQuantity }: Order): Quantity {
  if (executedQuantity.equals(Quantity.ZERO)) return totalQuantity
  return Quantity.from(totalQuantity.toDecimal().minus(executedQuantity.toDecimal()).toFixed())
}

/** The first terms of a replacement: the order's terms with the new ones. */
function replacementTerms(order: Order, change: OrderChange): Omit<OrderTerms, 'ownOrderId' | 'clientOrderId'> {
  const { instrumentId, type, side, timeInForce, postOnly, conditions } = order
  const context = change.context ?? order.context
  return {
    instrumentId,
    type,
    side,
    timeInForce,
    postOnly,
    price: isPegged(type) ? null : (change.price ?? order.price),
    quantity: change.quantity ?? quantityLeft(order),
    ...(conditions === NO_CONDITIONS
      ? {}
      : {
          conditions: { ...conditions, triggered: false, triggerPrice: change.triggerPrice ?? conditions.triggerPrice },
        }),
    ...(context === undefined ? {} : { context }),
  }
}
