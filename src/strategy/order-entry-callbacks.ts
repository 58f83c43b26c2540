import type { Id } from '../model/id.js'
import type { StatedAmount } from '../model/amount.js'
import { Quantity, wideQuantity } from '../model/fixed-decimal.js'
import { decimalsOf } from '../model/wide-numbers.js'
import type { EntryError, OrderReport } from '../model/order.js'
import type { AmendResult, CancelAllResponse, CancelResult, PlaceResult, ReplaceResult } from '../venue/messages.js'
import type { Clock, OrderEntryListener } from '../venue/venue.js'
import { takeWallets, walletOf, type Account } from './account.js'
import type { CallbackGuard } from './callback-guard.js'
import { EntryStateWatch, type EntryStateRules } from './entry-state-watch.js'
import { LastPositions } from './last-positions.js'
import type { OrderMessage, OrderMessages, WholePosition } from './order-messages.js'
import { savedQuantity } from './saved-decimal.js'
import { afterSplit, splitOwnFills, withFill, withLateFill, type OpenSplit } from './net-traded.js'
import type { OrderTracker, TrackedOrder } from './order-tracker.js'
import { statedError } from './order-error.js'
import { takeError, takeState } from './order.js'
import type { StrategyTactics } from './strategy-tactics.js'
import type { Strategy } from './strategy.js'
import { tradingRuntime, type TradingInstrument } from './trading-instrument.js'
import { isSamePosition, netPositions } from './whole-positions.js'
import type {
  AccountState, CorporateAction, Fill, IsolatedPosition, Position, Wallet,
} from '../venue/account-messages.js'

/** Splits of one instrument, plain data. */
export type SavedSplits = readonly [instrumentId: number, splits: readonly OpenSplit[]]

/** The parts that the callbacks of one account need. */
export interface OrderEntryContext {
  readonly strategy: Strategy
  readonly guard: CallbackGuard
  readonly tracker: OrderTracker
  readonly messages: OrderMessages
  /** Receive everything before the strategy. */
  readonly tactics: StrategyTactics
  /** Instruments that the strategy trades on this account; {@link OrderEntryCallbacks.adopt} adds to them. */
  readonly instruments: TradingInstrument[]
  /** Calls back for everything that waits. */
  readonly flush: () => void
  /** Calls back for messages that wait, as those that a callback just now has made. */
  readonly sendMessages: () => void
  readonly clientId: string
  readonly clock: Clock
  readonly rules: EntryStateRules
  /** Makes sure that what waits is called back for within this instant. */
  readonly wake: () => void
}

/** Receives one account's order entry and calls the strategy. */
export class OrderEntryCallbacks implements OrderEntryListener {
  readonly watch: EntryStateWatch
  /** Last received net positions, also of instruments that the strategy does not trade, in case it comes to. */
  readonly positions: LastPositions = new LastPositions()
  /** Splits by instrument id behind which fills from before them may still come, in the order in which they came. */
  readonly #splits: Map<number, OpenSplit[]> = new Map()

  constructor(readonly account: Account, private readonly context: OrderEntryContext) {
    const { clientId, clock, guard, rules, tracker, strategy, flush } = context
    this.watch = new EntryStateWatch(account, {
      clientId, clock, guard, rules,
      isKnown: (ownOrderId) => tracker.get(ownOrderId) !== undefined,
      tell: () => {
        flush()
        guard.run('onOrderEntryState', () => strategy.onOrderEntryState(account, account.state))
      },
    })
  }

  /** Takes over the state at login without a callback; of a strategy that resumes, what is watched is restored. */
  begin(state: AccountState, isResuming: boolean): void {
    if (!isResuming) this.watch.begin(state.status)
    takeWallets(this.account, state.wallets)
    for (const position of netPositions(state.positions, state.isolatedPositions ?? [])) {
      this.positions.take(position)
      this.#takePosition(position)
    }
    this.positions.takeWallets()
    for (const instrument of this.context.instruments) if (instrument.isSpot) this.#takeSpotBalance(instrument)
  }

  /** From now on the strategy trades this instrument too: it starts with the position that was last received. */
  adopt(instrument: TradingInstrument): void {
    this.context.instruments.push(instrument)
    const position = this.positions.get(instrument.id)
    if (instrument.isSpot) this.#takeSpotBalance(instrument)
    else if (position !== undefined) this.#takePosition(position)
  }

  /** Splits behind which fills from before them may still come: for a checkpoint. */
  openSplits(): SavedSplits[] {
    return [...this.#splits].map(([instrumentId, splits]) => [instrumentId, splits.map((one) => ({ ...one }))] as const)
  }

  restoreSplits(saved: readonly SavedSplits[]): void {
    for (const [instrumentId, splits] of saved) this.#splits.set(instrumentId, splits.map((one) => ({ ...one })))
  }

  onPlaceResponse(results: readonly PlaceResult[]): void {
    for (const { ownOrderId, result, error } of results) this.#answerPlace(ownOrderId, result, error)
  }

  onReplaceResponse(results: readonly ReplaceResult[]): void {
    for (const { ownOrderId, exchangeOrderId, result, error } of results) {
      this.#answerPlace(ownOrderId, undefined, error)
      const tracked = this.context.tracker.get(ownOrderId)
      if (tracked !== undefined && result !== undefined) tracked.exchangeOrderId = exchangeOrderId
    }
  }

  onAmendResponse(results: readonly AmendResult[]): void {
    const { tracker } = this.context
    for (const { ownOrderId, error } of results) {
      const tracked = tracker.get(ownOrderId)
      if (tracked === undefined) continue
      tracked.pendingAmends = Math.max(0, tracked.pendingAmends - 1)
      if (tracked.order.state === 'PENDING_AMEND' && tracked.pendingAmends === 0) takeState(tracked.order, 'CONFIRMED')
      if (error !== undefined && tracked.pendingAmends === 0) tracked.asked = 0
      if (error !== undefined) this.#error(tracked, error)
    }
  }

  onCancelResponse(results: readonly CancelResult[]): void {
    for (const { ownOrderId, error } of results) {
      const tracked = this.context.tracker.get(ownOrderId)
      if (tracked !== undefined && error !== undefined) this.#error(tracked, error)
    }
  }

  onCancelAllResponse(response: CancelAllResponse): void {
    const { strategy, guard, flush, clock } = this.context
    flush()
    const error = response.error === undefined ? null : statedError(response.error, clock.epochDay)
    guard.run('onAccountCancelAllOrdersResponse', () => strategy.onAccountCancelAllOrdersResponse(this.account, error))
  }

  onOrderUpdate(orders: readonly OrderReport[]): void {
    const { tracker, sendMessages } = this.context
    for (const report of orders) {
      const tracked = tracker.get(report.ownOrderId)
      if (tracked === undefined) continue
      if (this.#isDirect) {
        this.#sendUpdate(tracked, report)
        sendMessages()
      } else this.#receive({ kind: 'update', accountId: this.account.id, report })
    }
  }

  onFill(fills: readonly Fill[]): void {
    const { tracker, sendMessages } = this.context
    for (const fill of fills) {
      const tracked = tracker.get(fill.ownOrderId)
      if (tracked === undefined) continue
      if (this.#isDirect) {
        this.#sendFill(tracked, fill)
        sendMessages()
      } else this.#receive({ kind: 'fill', accountId: this.account.id, fill })
    }
  }

  onPositionUpdate(
    positions: readonly Position[], _adapterTimeNs?: number, isolatedPositions: readonly IsolatedPosition[] = [],
  ): void {
    this.#takePositions(netPositions(positions, isolatedPositions))
  }

  #takePositions(positions: readonly WholePosition[]): void {
    const { instruments, sendMessages } = this.context
    for (const position of positions) {
      const instrument = instruments.find(({ id }) => id === position.instrumentId)
      this.positions.take(position)
      if (instrument === undefined || instrument.isSpot) continue
      if (this.#isDirect) {
        this.#sendPosition(position)
        sendMessages()
      } else this.#receive({ kind: 'position', accountId: this.account.id, position })
    }
  }

  onWalletUpdate(wallets: readonly Wallet<StatedAmount, number>[]): void {
    takeWallets(this.account, wallets)
    this.positions.takeWallets()
    for (const instrument of this.context.instruments) {
      if (!instrument.isSpot) continue
      const balance = balanceOf(instrument)
      const waiting = this.context.messages.lastPosition(this.account.id, instrument.id)?.spotBalance
      const received = waiting === undefined ? instrument.position : savedQuantity(waiting)
      if (balance === null || balance.equals(received)) continue
      this.#receive({
        kind: 'position', accountId: this.account.id,
        position: { instrumentId: instrument.id, longPosition: 0, shortPosition: 0, spotBalance: balance.toString() },
      })
    }
  }

  /**
   * A split is of everything that was traded before it: what waits is called back for first, fills that come later are
   * known by what updates stated.
   */
  onCorporateAction({ instrumentId, split }: CorporateAction): void {
    if (split === undefined) return
    const { flush, instruments, tracker } = this.context
    flush()
    for (const instrument of instruments) {
      if (instrument.id !== instrumentId) continue
      const splits = this.#splits.get(instrumentId) ?? []
      if (tracker.noteSplit(instrument, splits.length))
        this.#splits.set(instrumentId, [...splits, { split, before: instrument.netTraded.toString() }])
      else this.#splits.delete(instrumentId)
      splitOwnFills(tradingRuntime.ownFillsOf(instrument), instrument, split)
      tradingRuntime.takeNetTraded(instrument, afterSplit(instrument, split))
    }
  }

  /** The whole state of the account: it calls back for what is another than the strategy knows. */
  onAccountStatus(state: AccountState): void {
    const { flush, tactics } = this.context
    flush()
    tactics.hold()
    this.onOrderUpdate(state.orders.filter((report) => this.#changes(report)))
    const positions = [...state.positions, ...this.positions.closedIn(state)]
    this.#takePositions(netPositions(positions, state.isolatedPositions ?? []).filter((one) => this.#isOther(one)))
    this.onWalletUpdate(state.wallets)
    flush()
    tactics.release()
    this.watch.takeStatus(state.status)
  }

  /** Calls back for one message that waited. */
  tell(message: OrderMessage): void {
    if (message.kind === 'position') return this.#sendPosition(message.position)
    if (message.kind === 'error') return this.#sendError(message.ownOrderId, message.error)
    const { tracker } = this.context
    const tracked = tracker.get(message.kind === 'update' ? message.report.ownOrderId : message.fill.ownOrderId)
    if (tracked === undefined) return
    if (message.kind === 'update') this.#sendUpdate(tracked, message.report)
    else this.#sendFill(tracked, message.fill)
  }

  /** True where a message needs no place in the queue: nothing is shuffled and nothing waits. */
  get #isDirect(): boolean {
    const { messages, guard } = this.context
    return !messages.isShuffled && !guard.hasNews
  }

  #isOther(position: WholePosition): boolean {
    const last = this.positions.get(position.instrumentId)
    return last === undefined || !isSamePosition(last, position)
  }

  /** Takes over what a report states of an order; true where the strategy sees another order then. */
  #changes(report: OrderReport): boolean {
    const { tracker } = this.context
    const tracked = tracker.get(report.ownOrderId)
    if (tracked === undefined) return false
    const before = JSON.stringify(tracked.order)
    tracker.takeReport(tracked, report)
    return JSON.stringify(tracked.order) !== before
  }

  #sendUpdate(tracked: TrackedOrder, report: OrderReport): void {
    const { guard, tracker, tactics } = this.context
    tracker.takeReport(tracked, report)
    this.watch.compare(tracked)
    tactics.onOrder(tracked.instrument, tracked.order)
    guard.tell('onOrderUpdate', tracked.order)
  }

  #sendFill(tracked: TrackedOrder, fill: Fill): void {
    const { guard, tracker, tactics } = this.context
    const { order, instrument } = tracked
    const own = tradingRuntime.ownFillsOf(instrument)
    const taken = tracker.takeFill(tracked, fill)
    if (fill.update) {
      own.correct(taken)
      guard.tell('onOrderFillUpdate', order)
    } else {
      if (fill.openClose === 'OPEN' || fill.openClose === 'CLOSE') own.lose()
      own.add(taken)
      this.#addToNetTraded(tracked, fill)
      this.watch.compare(tracked)
      tactics.onFill(instrument, order)
      guard.tell('onOrderFill', order)
    }
  }

  #addToNetTraded(tracked: TrackedOrder, { quantity }: Fill): void {
    const { instrument, order: { side } } = tracked
    const place = this.context.tracker.takeLate(tracked, quantity)
    const splits = place === null ? undefined : this.#splits.get(instrument.id)
    const isLate = place !== null && splits !== undefined
    if (isLate) tradingRuntime.ownFillsOf(instrument).lose()
    tradingRuntime.takeNetTraded(
      instrument,
      isLate ? withLateFill(instrument, side, quantity, { splits, place }) : withFill(instrument, side, quantity),
    )
  }

  #receive(message: OrderMessage): void {
    const { messages, wake, flush } = this.context
    messages.add(message)
    if (messages.isShuffled) wake()
    else flush()
  }

  #sendPosition(position: WholePosition): void {
    const { guard, instruments, tactics } = this.context
    for (const instrument of instruments) {
      if (instrument.id !== position.instrumentId) continue
      if (position.spotBalance === undefined) this.#takePosition(position)
      else tradingRuntime.takePosition(instrument, savedQuantity(position.spotBalance))
      tactics.onPosition(instrument)
      guard.tell('onInstrumentPosition', instrument)
    }
  }

  #takePosition(position: WholePosition): void {
    const { instrumentId, longPosition, shortPosition } = position
    for (const instrument of this.context.instruments) {
      if (instrument.id !== instrumentId || instrument.isSpot) continue
      const net = new Quantity(longPosition - shortPosition, instrument.entry.quantityScale)
      tradingRuntime.takePosition(instrument, net, position)
    }
  }

  #takeSpotBalance(instrument: TradingInstrument): void {
    tradingRuntime.takePosition(instrument, balanceOf(instrument) ?? Quantity.ZERO)
  }

  #answerPlace(ownOrderId: Id, result: OrderReport | undefined, error: EntryError | undefined): void {
    const tracked = this.context.tracker.get(ownOrderId)
    if (tracked === undefined) return
    if (error !== undefined) {
      if (tracked.order.state === 'PENDING_NEW') takeState(tracked.order, 'REJECTED')
      this.context.tracker.settle(tracked)
      this.#error(tracked, error)
    } else if (result !== undefined && tracked.order.state === 'PENDING_NEW')
      this.context.tracker.takeReport(tracked, result)
  }

  /** An error comes after everything that was received before it. */
  #error({ ownOrderId }: TrackedOrder, error: EntryError): void {
    this.context.flush()
    this.#sendError(ownOrderId, error)
  }

  #sendError(ownOrderId: Id, error: EntryError): void {
    const { strategy, guard, tracker, tactics, clock } = this.context
    const tracked = tracker.get(ownOrderId)
    if (tracked === undefined) return
    const { instrument, order } = tracked
    takeError(order, error)
    const stated = statedError(error, clock.epochDay)
    tracked.shownError = stated
    tactics.onError(instrument, order, stated)
    guard.run('onOrderError', () => strategy.onOrderError(order, stated))
  }
}

/**
 * A balance as a quantity: exact where one number holds it. Of interest, which has more decimals, those are cut off
 * that do not fit and are finer than a lot; lots are exact whatever they come to. Its wallet says all of them.
 */
function heldQuantity(balance: string, lotDecimals: number): Quantity {
  const decimals = decimalsOf(balance)
  const least = Math.min(decimals, lotDecimals)
  const point = balance.length - decimals - (decimals > 0 ? 1 : 0)
  const cut = (kept: number): string => balance.slice(0, kept === 0 ? point : point + 1 + kept)
  for (let kept = decimals; kept >= least; kept--)
    if (Number.isSafeInteger(Number(cut(kept).replace('.', '')))) return Quantity.from(cut(kept))
  return wideQuantity(cut(least).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''))
}

/**
 * The balance of the base underlying, which is a spot instrument's position (spec 3); null where there is no such
 * wallet.
 */
function balanceOf(instrument: TradingInstrument): Quantity | null {
  const { baseUnderlyingId, lotSize } = instrument.master
  const wallet = baseUnderlyingId === null ? undefined : walletOf(instrument.account, baseUnderlyingId)
  return wallet === undefined ? null : heldQuantity(String(wallet.marginBalance), decimalsOf(lotSize ?? ''))
}
