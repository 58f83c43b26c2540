import type { EntryError, OrderReport } from '../model/order.js'
import { isJsonObject } from '../model/json-object.js'
import type { AccountState } from '../venue/account-messages.js'
import type { AmendEntry, AmendedFields, OrderContextEntry, PlaceEntry, ReplaceEntry } from '../venue/messages.js'
import { attributesIn } from '../venue/order-attributes.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import { answeredKind } from '../protocol/order-entry-answers.js'
import { ENTRY_RULES, resultKey, type EntryKind, type EntryResult } from '../protocol/order-entry-requests.js'

/** The type of the error of a request whose outcome is unknown. */
const CONNECTION_LOST = 'CONNECTION_LOST'
/** Names of lost requests that are remembered: their late answers are not handed on. */
const LOST_LIMIT = 65_536

const LOST: EntryError = {
  type: CONNECTION_LOST, message: 'the connection closed before the answer came: the outcome is unknown',
  source: 'INTERNAL',
}

/** An entry that waits for its answer. */
interface InFlight {
  readonly kind: EntryKind
  readonly entry: EntryResult
  readonly ids: EntryResult
}

/**
 * The requests of a client that have no answer so far. Each entry is answered once: by the adapter, or after a
 * reconnection by what the state at login says.
 */
export class RequestsInFlight {
  readonly #waiting: Map<string, InFlight[]> = new Map()
  readonly #cancelAlls: Set<string> = new Set()
  readonly #lost: Set<string> = new Set()

  /** A request leaves. */
  add(request: ClientRequest): void {
    if (request.kind === 'cancelAll') {
      this.#cancelAlls.add(String(request.requestId))
      return
    }
    for (const one of entriesOf(request)) {
      const name = nameOf(one.kind, one.ids)
      const waiting = this.#waiting.get(name)
      if (waiting === undefined) this.#waiting.set(name, [one])
      else waiting.push(one)
    }
  }

  /**
   * Takes a message of the adapter: the message without answers that were given before; null where nothing is left.
   * `isInFull`: the echoes of placed orders are whole.
   */
  take(message: ClientMessage, isInFull: boolean): ClientMessage | null {
    if (message.kind === 'cancelAllResponse') {
      const requestId = String(message.response.requestId)
      this.#cancelAlls.delete(requestId)
      return this.#lost.delete(`cancelAll ${requestId}`) ? null : message
    }
    const kind = answeredKind(message.kind)
    if (kind === null || !('results' in message)) return message
    const results = (message.results as unknown as readonly EntryResult[]).flatMap((result) => {
      const name = nameOf(kind, result)
      const waiting = this.#waiting.get(name)
      const one = waiting?.shift()
      if (waiting?.length === 0) this.#waiting.delete(name)
      if (one === undefined && this.#lost.delete(name)) return []
      return [kind === 'place' ? withEntry(result, one?.entry as unknown as PlaceEntry | undefined, isInFull) : result]
    })
    return results.length === 0 ? null : ({ ...message, results } as unknown as ClientMessage)
  }

  /** Answers to a request that the adapter could not read or route, as `invalidRequest` has it. */
  refused(request: unknown, message: string, adapterTimeNs: number): readonly ClientMessage[] {
    if (!isJsonObject(request)) return []
    const { msgType, requestId, entries } = request
    const error: EntryError = { type: 'INVALID_REQUEST', message, source: 'INTERNAL' }
    if (msgType === 'cancelAll' && typeof requestId === 'string' && this.#cancelAlls.delete(requestId))
      return [{ kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, error }, adapterTimeNs }]
    if (typeof msgType !== 'string' || !Object.hasOwn(ENTRY_RULES, msgType) || !Array.isArray(entries)) return []
    const kind = msgType as EntryKind
    const results = (entries as unknown[]).filter(isJsonObject).map((entry) => ({ ...idsOf(kind, entry), error }))
    const answer = this.take(responseOf(kind, results, adapterTimeNs), true)
    return answer === null ? [] : [answer]
  }

  /** Answers to requests that are not sent, as there is no connection. */
  static unsent(request: ClientRequest, adapterTimeNs: number): ClientMessage {
    const error: EntryError = {
      type: 'DISCONNECTED', message: 'not sent: there is no connection to the adapter', source: 'INTERNAL',
    }
    if (request.kind === 'cancelAll') {
      const { requestId } = request
      return { kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, error }, adapterTimeNs }
    }
    return responseOf(request.kind, entriesOf(request).map(({ ids }) => ({ ...ids, error })), adapterTimeNs)
  }

  /**
   * Answers everything that waits: by the state at login where that shows the outcome, else with CONNECTION_LOST.
   * Without a state everything is lost.
   */
  settle(state: AccountState | null, adapterTimeNs: number): readonly ClientMessage[] {
    const reports = new Map((state?.orders ?? []).map((order) => [String(order.ownOrderId), order]))
    const byKind = new Map<EntryKind, EntryResult[]>()
    for (const [name, waiting] of this.#waiting) {
      for (const one of waiting) {
        const outcome = outcomeOf(one, reports)
        this.#forget(name)
        const results = byKind.get(one.kind) ?? []
        results.push(outcome === null ? { ...one.ids, error: LOST } : { ...one.ids, ...outcome })
        byKind.set(one.kind, results)
      }
    }
    this.#waiting.clear()
    const answers = [...byKind].map(([kind, results]) => responseOf(kind, results, adapterTimeNs))
    for (const requestId of this.#cancelAlls) {
      this.#forget(`cancelAll ${requestId}`)
      answers.push({
        kind: 'cancelAllResponse', response: { requestId, adapterTimeNs, error: LOST }, adapterTimeNs,
      })
    }
    this.#cancelAlls.clear()
    return answers
  }

  #forget(name: string): void {
    if (this.#lost.size >= LOST_LIMIT) this.#lost.clear()
    this.#lost.add(name)
  }
}

function entriesOf(request: Exclude<ClientRequest, { readonly kind: 'cancelAll' }>): readonly InFlight[] {
  const { kind, entries } = request
  return (entries as unknown as readonly EntryResult[]).map((entry) => ({ kind, entry, ids: idsOf(kind, entry) }))
}

function idsOf(kind: EntryKind, entry: Readonly<Record<string, unknown>>): EntryResult {
  return Object.fromEntries(Object.entries(ENTRY_RULES[kind].ids).map(([id, field]) => [id, entry[field] ?? '']))
}

function nameOf(kind: EntryKind, ids: EntryResult): string {
  return `${kind} ${resultKey(kind, ids)}`
}

function responseOf(kind: EntryKind, results: readonly EntryResult[], adapterTimeNs: number): ClientMessage {
  const response = ENTRY_RULES[kind].response
  const isContext = kind === 'orderContext' || kind === 'fillContext'
  return { kind: response, results, ...(isContext ? {} : { adapterTimeNs }) } as unknown as ClientMessage
}

/** The result that an order's state shows; null where the outcome is not known. */
function outcomeOf({ kind, entry }: InFlight, orders: ReadonlyMap<string, OrderReport>): object | null {
  switch (kind) {
    case 'place': {
      const order = orders.get(String((entry as unknown as PlaceEntry).ownOrderId))
      return order === undefined ? null : { ...timeOf(order), result: order }
    }
    case 'amend': {
      const amend = entry as unknown as AmendEntry
      const order = orders.get(String(amend.ownOrderId))
      return order?.clientOrderId === String(amend.newClientOrderId)
        ? { ...timeOf(order), result: changedFields(amend, order) }
        : null
    }
    case 'replace': {
      const order = orders.get(String((entry as unknown as ReplaceEntry).newOwnOrderId))
      if (order === undefined) return null
      const { exchangeOrderId, price, totalQuantity } = order
      return { exchangeOrderId, ...timeOf(order), result: { price, totalQuantity } }
    }
    case 'orderContext': {
      const { ownOrderId, context } = entry as unknown as OrderContextEntry
      const known = orders.get(String(ownOrderId))?.context
      return JSON.stringify(known) === JSON.stringify(context) ? { result: { context } } : null
    }
    default: return null
  }
}

function timeOf({ exchangeTimeNs }: OrderReport): object {
  return exchangeTimeNs === undefined ? {} : { exchangeTimeNs }
}

const AMENDABLE = ['price', 'totalQuantity', 'triggerPrice', 'pegOffsetValue'] as const

function changedFields(amend: AmendEntry, order: OrderReport): AmendedFields {
  return Object.fromEntries(AMENDABLE.flatMap((name) => {
    const value = order[name]
    return amend[name] === undefined || value === undefined || value === null ? [] : [[name, value]]
  }))
}

/** An adapter echoes some fields of a placed order: the others are as they were asked for. */
function withEntry(result: EntryResult, entry: PlaceEntry | undefined, isInFull: boolean): EntryResult {
  const report = result['result']
  if (typeof report !== 'object' || report === null) return result
  const asked = isInFull || entry === undefined ? {} : Object.fromEntries(
    (['instrumentId', ...attributesIn('report')] as const)
      .flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  )
  return { ...result, result: { price: null, postOnly: false, ...asked, ...report } }
}
