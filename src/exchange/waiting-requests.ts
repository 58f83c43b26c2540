import type { Id } from '../model/id.js'
import type { EntryError } from '../model/order.js'
import { exchangeError } from './market/resting-order.js'
import type { OrderAtExchange } from '../orders/order-at-exchange.js'
import type { TradedInstrument, TradedSource } from './matching/order-engine.js'
import type { ClientMessage, OrderRequest } from '../venue/order-messages.js'
import type { MessageOrigin } from '../orders/message-origin.js'
import { UNSENT } from './outbox.js'

const WITHDRAWN = exchangeError('MARKET_DATA_GAP', 'cancelled while it waited for the snapshot (gap policy freeze)')

/** A request that waits for a snapshot (gap policy `freeze`). */
export interface HeldRequest {
  readonly clientId: string
  readonly accountId: string
  readonly instrumentId: number
  readonly request: OrderRequest
  readonly origin: MessageOrigin
}

/** The parts of a request that were withdrawn while it waited for a snapshot. */
export interface Withdrawal {
  readonly held: HeldRequest
  /** Own ids of the orders that are not placed. */
  readonly ownOrderIds: readonly Id[]
  /** The origin of the answer, with their rows. */
  readonly origin: MessageOrigin
  /** Own ids of the orders that they were to replace: those are to be cancelled all the same. */
  readonly replaced: readonly Id[]
  /** Nothing of the request waits any more. */
  readonly isWhole: boolean
  /** The answer to it, not sent. */
  readonly answer: ClientMessage
}

type Placing = HeldRequest & {
  readonly request: Extract<HeldRequest['request'], { readonly kind: 'place' | 'replace' }>
}

/**
 * Takes those orders of an account back whose placing waits for a snapshot, alone or in the place of another one;
 * `kept` is what waits on.
 */
export function withdrawn(
  held: readonly HeldRequest[], accountId: string, isMeant: (ownOrderId: Id) => boolean, exchangeTimeNs: number,
  error: EntryError,
): { readonly kept: HeldRequest[]; readonly taken: Withdrawal[] } {
  const kept: HeldRequest[] = []
  const taken: Withdrawal[] = []
  for (const one of held) {
    const withdrawal =
      one.accountId === accountId && isPlacing(one) ? withdraw(one, isMeant, exchangeTimeNs, error) : null
    if (withdrawal === null) kept.push(one)
    else {
      taken.push(withdrawal)
      if (!withdrawal.isWhole) kept.push(without(one, withdrawal.ownOrderIds))
    }
  }
  return { kept, taken }
}

function isPlacing(held: HeldRequest): held is Placing {
  return held.request.kind === 'place' || held.request.kind === 'replace'
}

function withdraw(
  held: Placing, isMeant: (ownOrderId: Id) => boolean, exchangeTimeNs: number, error: EntryError,
): Withdrawal | null {
  const { request } = held
  if (request.kind === 'place') {
    const entries = request.entries.filter(({ ownOrderId }) => isMeant(ownOrderId))
    if (entries.length === 0) return null
    const results = entries.map(({ ownOrderId, clientOrderId }) => ({
      ownOrderId, clientOrderId, exchangeTimeNs, error,
    }))
    return {
      held, ownOrderIds: entries.map(({ ownOrderId }) => ownOrderId), origin: originWhere(held, isMeant), replaced: [],
      isWhole: entries.length === request.entries.length,
      answer: { kind: 'placeResponse', results, adapterTimeNs: UNSENT },
    }
  }
  const entries = request.entries.filter(({ newOwnOrderId }) => isMeant(newOwnOrderId))
  if (entries.length === 0) return null
  const results = entries.map(({ exchangeOrderId = '', newOwnOrderId, newClientOrderId }) => ({
    exchangeOrderId, ownOrderId: newOwnOrderId, clientOrderId: newClientOrderId, exchangeTimeNs, error,
  }))
  return {
    held, ownOrderIds: entries.map(({ newOwnOrderId }) => newOwnOrderId), origin: originWhere(held, isMeant),
    replaced: entries.map(({ currentOwnOrderId }) => currentOwnOrderId),
    isWhole: entries.length === request.entries.length,
    answer: { kind: 'replaceResponse', results, adapterTimeNs: UNSENT },
  }
}

/** The origin of a request with the orders that are meant alone. */
function originWhere({ request, origin }: Placing, isMeant: (ownOrderId: Id) => boolean): MessageOrigin {
  const ids = request.entries.map((entry) => ('newOwnOrderId' in entry ? entry.newOwnOrderId : entry.ownOrderId))
  return { ...origin, rows: origin.rows.filter((_, at) => isMeant(ids[at] as Id)) }
}

function without(held: HeldRequest, ownOrderIds: readonly Id[]): HeldRequest {
  const { request } = held
  const origin = isPlacing(held) ? originWhere(held, (ownOrderId) => !ownOrderIds.includes(ownOrderId)) : held.origin
  if (request.kind === 'place')
    return {
      ...held, origin,
      request: { ...request, entries: request.entries.filter(({ ownOrderId }) => !ownOrderIds.includes(ownOrderId)) },
    }
  if (request.kind === 'replace')
    return {
      ...held, origin,
      request: {
        ...request, entries: request.entries.filter(({ newOwnOrderId }) => !ownOrderIds.includes(newOwnOrderId)),
      },
    }
  return held
}

/** Requests that wait for a snapshot, in the order of their arrival (gap policy `freeze`). */
export class WaitingRequests {
  #held: HeldRequest[] = []

  add(
    from: Pick<HeldRequest, 'clientId' | 'accountId'>, instrumentId: number, request: OrderRequest,
    origin: MessageOrigin,
  ): void {
    this.#held.push({ clientId: from.clientId, accountId: from.accountId, instrumentId, request, origin })
  }

  /** Requests that waited for the snapshot of an instrument: they wait no more. */
  take(instrumentId: number): HeldRequest[] {
    const waited = this.#held.filter((held) => held.instrumentId === instrumentId)
    this.#held = this.#held.filter((held) => held.instrumentId !== instrumentId)
    return waited
  }

  /** Takes orders of an account back whose placing waits. Times are the exchange's, in nanoseconds. */
  withdraw(accountId: string, isMeant: (ownOrderId: Id) => boolean, timeNs: number): readonly Withdrawal[] {
    const { kept, taken } = withdrawn(this.#held, accountId, isMeant, timeNs, WITHDRAWN)
    this.#held = kept
    return taken
  }

  state(): HeldRequest[] {
    return this.#held.map((held) => ({ ...held }))
  }

  restore(held: readonly HeldRequest[]): void {
    this.#held = [...held]
  }
}

/** The first instrument of a request whose book is unknown; null where there is none, and for cancels. */
export function bookUnknownOf(
  request: OrderRequest, orderOf: (ownOrderId: Id) => OrderAtExchange | undefined,
  instruments: TradedSource,
): TradedInstrument | null {
  if (request.kind === 'cancel' || request.kind === 'cancelAll') return null
  for (const entry of request.entries) {
    // An order that is over waits for no book, though its sender names its instrument.
    const instrumentId =
      'clientOrderId' in entry
        ? entry.instrumentId
        : orderOf('ownOrderId' in entry ? entry.ownOrderId : entry.currentOwnOrderId)?.instrumentId
    const traded = instrumentId === undefined ? null : instruments.of(instrumentId)
    if (traded !== null && traded.market.bookUnknown !== null) return traded
  }
  return null
}
