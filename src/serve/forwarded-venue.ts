import type { BookView } from '../model/book-view.js'
import type { OpenOrderEntry } from '../order-entry/order-entry-source.js'
import type { AccountState, Capabilities } from '../venue/account-messages.js'
import type {
  AmendEntry, CancelAllRequest, CancelEntry, FillContextEntry, OrderContextEntry, PlaceEntry, ReplaceEntry,
} from '../venue/messages.js'
import type { MarketDataState, MarketView, OpeningTerms, OrderEntryListener } from '../venue/venue.js'

/** The market of an instrument in whichever replay is at hand. */
export class ForwardedMarket implements MarketView {
  constructor(private readonly own: () => MarketView) {}

  get book(): BookView { return this.own().book }
  get bestBidPrice(): number { return this.own().bestBidPrice }
  get bestBidQuantity(): number { return this.own().bestBidQuantity }
  get bestAskPrice(): number { return this.own().bestAskPrice }
  get bestAskQuantity(): number { return this.own().bestAskQuantity }
  get markPrice(): number { return this.own().markPrice }
  get markScale(): number { return this.own().markScale }
  get markDigits(): string | null { return this.own().markDigits }
  get indexPrice(): number { return this.own().indexPrice }
  get indexScale(): number { return this.own().indexScale }
  get indexDigits(): string | null { return this.own().indexDigits }
  get state(): MarketDataState { return this.own().state }
  copyTop(top: Float64Array): boolean { return this.own().copyTop(top) }
}

/** A login, and the order entry that it has in the replay at hand. */
interface Login {
  readonly clientId: string
  readonly accountId: string
  readonly listener: OrderEntryListener
  readonly own: OpenOrderEntry
}

/** The order entry of a login in whichever replay is at hand. */
export class ForwardedOrderEntry implements OpenOrderEntry {
  readonly clientId: string
  readonly accountId: string
  readonly listener: OrderEntryListener
  own: OpenOrderEntry

  constructor({ clientId, accountId, listener, own }: Login, private readonly onDisconnect: () => void) {
    this.clientId = clientId
    this.accountId = accountId
    this.listener = listener
    this.own = own
  }

  get capabilities(): Capabilities { return this.own.capabilities }
  get initial(): AccountState { return this.own.initial }
  openingTerms(instrumentId: number): OpeningTerms | undefined { return this.own.openingTerms?.(instrumentId) }
  place(entries: readonly PlaceEntry[]): void { this.own.place(entries) }
  amend(entries: readonly AmendEntry[]): void { this.own.amend(entries) }
  replace(entries: readonly ReplaceEntry[]): void { this.own.replace(entries) }
  cancel(entries: readonly CancelEntry[]): void { this.own.cancel(entries) }
  cancelAll(request: CancelAllRequest): void { this.own.cancelAll(request) }
  orderContext(entries: readonly OrderContextEntry[]): void { this.own.orderContext(entries) }
  fillContext(entries: readonly FillContextEntry[]): void { this.own.fillContext(entries) }

  disconnect(): void {
    this.onDisconnect()
    this.own.disconnect()
  }
}
