import type { OrderEntryClient } from '../order-entry/order-entry-client-options.js'
import type { AccountState, Capabilities } from '../venue/account-messages.js'
import type {
  AmendEntry, CancelAllRequest, CancelEntry, FillContextEntry, OrderContextEntry, PlaceEntry, ReplaceEntry,
} from '../venue/messages.js'
import type { ClientRequest } from '../venue/order-messages.js'
import type { OpeningTerms, OrderEntry } from '../venue/venue.js'

/** Order entry over a client, each request shown before it is sent: to the journal. */
export class WatchedOrderEntry implements OrderEntry {
  readonly accountId: string

  constructor(private readonly client: OrderEntryClient, private readonly onRequest: (request: ClientRequest) => void) {
    this.accountId = client.accountId
  }

  get capabilities(): Capabilities {
    return this.client.capabilities
  }
  get initial(): AccountState {
    return this.client.initial
  }

  openingTerms(instrumentId: number): OpeningTerms | undefined {
    return this.client.openingTerms?.(instrumentId)
  }

  place(entries: readonly PlaceEntry[]): void {
    this.onRequest({ kind: 'place', entries })
    this.client.place(entries)
  }

  amend(entries: readonly AmendEntry[]): void {
    this.onRequest({ kind: 'amend', entries })
    this.client.amend(entries)
  }

  replace(entries: readonly ReplaceEntry[]): void {
    this.onRequest({ kind: 'replace', entries })
    this.client.replace(entries)
  }

  cancel(entries: readonly CancelEntry[]): void {
    this.onRequest({ kind: 'cancel', entries })
    this.client.cancel(entries)
  }

  cancelAll(request: CancelAllRequest): void {
    this.onRequest({ kind: 'cancelAll', ...request })
    this.client.cancelAll(request)
  }

  orderContext(entries: readonly OrderContextEntry[]): void {
    this.onRequest({ kind: 'orderContext', entries })
    this.client.orderContext(entries)
  }

  fillContext(entries: readonly FillContextEntry[]): void {
    this.onRequest({ kind: 'fillContext', entries })
    this.client.fillContext(entries)
  }
}
