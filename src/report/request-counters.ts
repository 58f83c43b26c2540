import type { Id } from '../model/id.js'
import { IdMap } from '../model/id-map.js'
import type { ErrorSource, EntryError } from '../model/order.js'
import { LatencySketch, type LatencySketchState } from '../model/latency-sketch.js'

/** The requests of order entry. */
export type RequestKind = 'place' | 'amend' | 'replace' | 'cancel' | 'cancelAll'

/** The count of refusals of a kind of request, by reason. */
export interface RejectionCount {
  /** Kind of the request. */
  readonly request: RequestKind
  /** `EXCHANGE`, `INTERNAL` (the adapter), or `STRATEGY` for what was discarded before it was sent. */
  readonly source: ErrorSource | 'STRATEGY'
  /** Type of the error. */
  readonly type: string
  /**
   * Number of rejections. Formula: answers of the journal with such an error; discarded ones: rows of `orders` in the
   * state DISCARDED.
   */
  readonly count: number
}

/** Times of sending of unanswered requests by id, in order; a list only where an id was sent twice. */
type SentTimes = IdMap<number | number[]>

/** Counts beside the latencies. */
interface Counted {
  readonly refusals: Map<string, number>
  readonly sent: Readonly<Record<RequestKind, SentTimes>>
}

const KINDS: readonly RequestKind[] = ['place', 'amend', 'replace', 'cancel', 'cancelAll']

/** Something for each kind of request. */
function byKind<Value>(valueOf: (kind: RequestKind) => Value): Record<RequestKind, Value> {
  return Object.fromEntries(KINDS.map((kind) => [kind, valueOf(kind)])) as Record<RequestKind, Value>
}

/** The counters as plain data. */
export interface RequestCountersState {
  readonly requestNs: LatencySketchState
  readonly responseNs: LatencySketchState
  readonly counted: Counted
}

/** The counts of requests by outcome: refusals by type, and how long requests and answers travelled. */
export class RequestCounters {
  /** From sending to the exchange's stamp on the answer, requests that it answered. */
  readonly requestNs: LatencySketch = new LatencySketch()
  /** From the exchange's stamp to the client. */
  readonly responseNs: LatencySketch = new LatencySketch()
  #refusals: Map<string, number> = new Map()
  #sent: Readonly<Record<RequestKind, SentTimes>> = byKind(() => new IdMap())

  /** A request left its client. */
  sent(kind: RequestKind, id: Id, timeNs: number): void {
    const sent = this.#sent[kind]
    const times = sent.get(id)
    if (times === undefined) sent.set(id, timeNs)
    else if (typeof times === 'number') sent.set(id, [times, timeNs])
    else times.push(timeNs)
  }

  /** Its answer reached the client; `exchangeTimeNs` is absent where the adapter answered itself. */
  answered(
    kind: RequestKind, id: Id, timeNs: number,
    { exchangeTimeNs, error }: { readonly exchangeTimeNs?: number; readonly error?: EntryError },
  ): void {
    const sent = this.#sent[kind]
    const times = sent.get(id)
    const sentNs = typeof times === 'object' ? times.shift() : times
    if (typeof times !== 'object' || times.length === 0) sent.delete(id)
    if (error !== undefined) this.refused(kind, error.source, error.type)
    if (exchangeTimeNs === undefined) return
    if (sentNs !== undefined) this.requestNs.add(exchangeTimeNs - sentNs)
    this.responseNs.add(timeNs - exchangeTimeNs)
  }

  refused(kind: RequestKind, source: ErrorSource | 'STRATEGY', type: string): void {
    const key = `${kind} ${source} ${type}`
    this.#refusals.set(key, (this.#refusals.get(key) ?? 0) + 1)
  }

  /** Refusals in the order of their names. */
  rejections(): RejectionCount[] {
    return [...this.#refusals]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, count]) => {
        const [request = '', source = '', ...type] = key.split(' ')
        return {
          request: request as RequestKind, source: source as RejectionCount['source'], type: type.join(' '), count,
        }
      })
  }

  state(): RequestCountersState {
    return {
      requestNs: this.requestNs.state(), responseNs: this.responseNs.state(),
      counted: { refusals: this.#refusals, sent: this.#sent },
    }
  }

  restore({ requestNs, responseNs, counted }: RequestCountersState): void {
    this.requestNs.restore(requestNs)
    this.responseNs.restore(responseNs)
    this.#refusals = counted.refusals
    this.#sent = counted.sent
  }
}
