import type { Id } from '../../model/id.js'
import type { Context, EntryError } from '../../model/order.js'
import { RecentKeys } from '../../model/recent-keys.js'
import { NO_ROWS, type OrderRowList, type OrderTable } from '../../orders/order-table.js'
import type { OwnOrders } from '../../orders/own-orders.js'
import type {
  AmendEntry, AmendResult, CancelEntry, CancelResult, FillContextEntry, FillContextResult, PlaceEntry, PlaceResult,
  ReplaceEntry, ReplaceResult,
} from '../../venue/messages.js'
import type { InstrumentDirectory } from '../../venue/venue.js'
import type { AccountConfig } from '../accounts/account-config.js'
import { AccountContexts, type ContextSizes } from './account-contexts.js'
import {
  adapterCapabilities, adapterError, changeRefusal, loanRefusal, placeRefusal, unknownInstrument, kindRefusal,
} from './adapter-checks.js'
import { GENERIC_PROFILE, type LimitedRequest, type VenueProfile } from '../profile/venue-profile.js'
import type { Capabilities, Fill } from '../../venue/account-messages.js'

/** Entries that go on to the exchange, and entries that the adapter refuses itself; of placings with their rows. */
export interface Sorted<Entry, Result> {
  readonly kept: readonly Entry[]
  readonly keptRows: OrderRowList
  readonly refused: readonly Result[]
  readonly refusedRows: OrderRowList
}

/** Contexts can be set of this many fills, the latest. */
export const KNOWN_FILLS = 4096

/** Lets a request that is right in itself go on, or says why not. */
export type Admission = (kind: LimitedRequest, useSpare: boolean) => EntryError | null

const admitAll: Admission = () => null

/** Sorts entries one after the other; `keep` notes one that goes on before the next is judged. */
function sorted<Entry, Result>(
  entries: readonly Entry[], rows: OrderRowList, refusalOf: (entry: Entry) => EntryError | null,
  resultOf: (entry: Entry, error: EntryError) => Result, keep: (entry: Entry, row: number) => void = () => undefined,
): Sorted<Entry, Result> {
  const kept: Entry[] = []
  const refused: Result[] = []
  const [keptRows, refusedRows]: [number[], number[]] = [[], []]
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] as Entry
    const row = rows[at]
    const error = refusalOf(entry)
    if (error === null) {
      if (row !== undefined) {
        keep(entry, row)
        keptRows.push(row)
      }
      kept.push(entry)
    } else {
      refused.push(resultOf(entry, error))
      if (row !== undefined) refusedRows.push(row)
    }
  }
  return { kept, keptRows, refused, refusedRows }
}

/** The memory of an adapter, as plain data. */
export interface AdapterState {
  /** The latest fills, the oldest first, and contexts of those that were given one. */
  readonly fills: readonly Id[]
  readonly contexts: Map<Id, Context | null>
  readonly contextSizes: ContextSizes
}

/**
 * The memory and the checks of the adapter of one account: it stands where the data were recorded (exchange rules 1.2).
 */
export class AdapterOrderIndex {
  readonly profile: VenueProfile
  readonly capabilities: Capabilities
  readonly #own: OwnOrders
  readonly #latestFills: RecentKeys<Id> = new RecentKeys(KNOWN_FILLS)
  /** Contexts of those of them that were given one. */
  #contexts: Map<Id, Context | null> = new Map()
  readonly #contextSizes: AccountContexts = new AccountContexts()

  constructor(
    private readonly account: AccountConfig, private readonly instruments: InstrumentDirectory,
    private readonly table: OrderTable,
  ) {
    this.#own = table.of(account.accountId)
    this.profile = account.profile ?? GENERIC_PROFILE
    this.capabilities = adapterCapabilities(this.profile)
  }

  /** Instrument of an order that was sent; 0 where none is known. */
  instrumentOf(ownOrderId: Id): number {
    return this.#own.instrumentOf(ownOrderId)
  }

  /** Puts an order among those that are over. */
  ended(ownOrderId: Id): void {
    this.#contextSizes.releaseOrder(ownOrderId)
    const row = this.#own.end(ownOrderId)
    if (row >= 0) this.table.over(row)
  }

  /** Sorts a place request; what is kept is remembered. */
  place(
    entries: readonly PlaceEntry[], rows: OrderRowList, admit: Admission = admitAll,
  ): Sorted<PlaceEntry, PlaceResult> {
    const first = entries[0]?.instrumentId
    const refusalOf = (entry: PlaceEntry): EntryError | null =>
      entry.instrumentId === first
        ? this.#placeRefusal(entry)
        : adapterError('INVALID_REQUEST', 'every entry of a place request must name the same instrument')
    return sorted(
      entries, rows,
      (entry) => {
        const { ownOrderId, context, useSpare } = entry
        return refusalOf(entry) ?? (context === undefined
          ? admit('place', useSpare === true)
          : this.#orderContext(ownOrderId, context, () => admit('place', useSpare === true)))
      },
      ({ ownOrderId, clientOrderId }, error) => ({ ownOrderId, clientOrderId, error }),
      ({ ownOrderId }, row) => { this.#own.add(ownOrderId, row) },
    )
  }

  /** Sorts an amend request. An id that was never sent goes on: the exchange says that it knows no such order. */
  amend(entries: readonly AmendEntry[], admit: Admission = admitAll): Sorted<AmendEntry, AmendResult> {
    return sorted(
      entries, NO_ROWS,
      (entry) => this.#changeRefusal(entry, entry.ownOrderId) ??
        this.takeContext(entry.ownOrderId, entry.context) ?? admit('amend', false),
      ({ ownOrderId, newClientOrderId }, error) => ({ ownOrderId, clientOrderId: newClientOrderId, error }),
    )
  }

  /** Sorts a replace request; new ids that are kept are remembered. */
  replace(
    entries: readonly ReplaceEntry[], rows: OrderRowList, admit: Admission = admitAll,
  ): Sorted<ReplaceEntry, ReplaceResult> {
    return sorted(
      entries, rows,
      (entry) =>
        this.#duplicate(entry.newOwnOrderId) ??
        this.#changeRefusal(entry, entry.currentOwnOrderId) ??
        this.#orderContext(
          entry.newOwnOrderId, entry.context, () => admit('replace', false), entry.currentOwnOrderId,
        ),
      ({ exchangeOrderId = '', newOwnOrderId, newClientOrderId }, error) => ({
        exchangeOrderId, ownOrderId: newOwnOrderId, clientOrderId: newClientOrderId, error,
      }),
      ({ currentOwnOrderId, newOwnOrderId }, row) => {
        this.#own.addInPlace(newOwnOrderId, row, currentOwnOrderId)
      },
    )
  }

  /** Sorts a cancel request: its entries are right in themselves. */
  cancel(entries: readonly CancelEntry[], admit: Admission): Sorted<CancelEntry, CancelResult> {
    return sorted(entries, NO_ROWS, () => admit('cancel', false), ({ ownOrderId }, error) => ({ ownOrderId, error }))
  }

  /** Why a request of a kind is never taken, or null. */
  unable(capability: 'cancelAll'): EntryError | null {
    return this.capabilities[capability]
      ? null
      : adapterError('NOT_SUPPORTED', `this venue does not support ${capability}`)
  }

  /** A fill has been published: its context may be set. */
  filled(ownFillId: Id): void {
    const oldest = this.#latestFills.add(ownFillId)
    if (oldest === null || this.#contexts.size === 0) return
    this.#contexts.delete(oldest)
    this.#contextSizes.releaseFill(oldest)
  }

  /** Takes another context of an order that was sent and is not over, or says why not. */
  takeContext(ownOrderId: Id, context: Context | undefined): EntryError | null {
    return context !== undefined && this.#own.rowOf(ownOrderId) >= 0
      ? this.#contextSizes.takeOfOrder(ownOrderId, context)
      : null
  }

  /** Sets contexts of fills; one that is not known any more is refused. */
  fillContext(entries: readonly FillContextEntry[]): FillContextResult[] {
    return entries.map(({ ownFillId, context }) => {
      const known = this.#knownFill(ownFillId)
      if (known === undefined)
        return { ownFillId, error: adapterError('FILL_NOT_FOUND', `no fill of the last ${KNOWN_FILLS} has this id`) }
      const error = this.#contextSizes.takeOfFill(known, context)
      if (error !== null) return { ownFillId, error }
      this.#contexts.set(known, context)
      return { ownFillId, result: { context } }
    })
  }

  /** A fill with the context that it has now. */
  withContext(fill: Fill): Fill {
    const context = this.#contexts.get(fill.ownFillId) ?? null
    return context === null ? fill : { ...fill, context }
  }

  state(): AdapterState {
    return {
      fills: this.#latestFills.keys(), contexts: this.#contexts, contextSizes: this.#contextSizes.state(),
    }
  }

  restore({ fills, contexts, contextSizes }: AdapterState): void {
    this.#contextSizes.restore(contextSizes)
    this.#latestFills.clear()
    for (const ownFillId of fills) this.#latestFills.add(ownFillId)
    this.#contexts = contexts
  }

  /** The id of a fill by itself or by its text, from the newest on; undefined where none of the last fills has it. */
  #knownFill(ownFillId: Id): Id | undefined {
    if (this.#latestFills.has(ownFillId)) return ownFillId
    const text = String(ownFillId)
    return this.#latestFills.keys().findLast((one) => String(one) === text)
  }

  #duplicate(ownOrderId: Id): EntryError | null {
    return this.#own.has(ownOrderId)
      ? adapterError('ORDER_ID_DUPLICATE', `ownOrderId ${String(ownOrderId)} was used before`)
      : null
  }

  /** Takes the context of a new order before the last check, which may refuse the order: then it is released. */
  #orderContext(
    ownOrderId: Id, context: Context | undefined, lastCheck: () => EntryError | null, from?: Id,
  ): EntryError | null {
    const error = this.#contextSizes.takeOfOrder(ownOrderId, context, from)
    if (error !== null) return error
    const refusal = lastCheck()
    if (refusal !== null) this.#contextSizes.releaseOrder(ownOrderId)
    return refusal
  }

  #changeRefusal(entry: AmendEntry | ReplaceEntry, ownOrderId: Id): EntryError | null {
    return changeRefusal(entry, this.instruments.get(this.instrumentOf(ownOrderId)), this.capabilities)
  }

  #placeRefusal(entry: PlaceEntry): EntryError | null {
    const { accountId, exchangeCode } = this.account
    const instrument = this.instruments.get(entry.instrumentId)
    if (instrument === undefined) return unknownInstrument(entry.instrumentId)
    if (exchangeCode !== instrument.instrument.exchangeCode)
      return adapterError(
        'ACCESS_DENIED', `account ${accountId} does not trade on ${instrument.instrument.exchangeCode}`,
      )
    return (
      this.#duplicate(entry.ownOrderId) ??
      placeRefusal(entry, instrument, this.capabilities) ??
      kindRefusal(entry, instrument, this.profile.orders ?? {}) ??
      loanRefusal(entry, instrument, this.profile)
    )
  }
}
