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

/** The counters as plain data. */
export interface RequestCountersState {
  readonly requestNs: LatencySketchState
  readonly responseNs: LatencySketchState
  readonly refusals: Map<string, number>
}

/** The counts of requests by outcome: refusals by type, and how long requests and answers travelled. */
export class RequestCounters {
  /** From sending to the exchange's stamp on the answer, requests that it answered. */
  readonly requestNs: LatencySketch = new LatencySketch()
  /** From the exchange's stamp to the client. */
  readonly responseNs: LatencySketch = new LatencySketch()
  #refusals: Map<string, number> = new Map()

  /**
   * The answer to a request that was sent at a time has reached its client; `exchangeTimeNs` is absent where the
   * adapter answered itself.
   */
  answered(
    kind: RequestKind, sentNs: number, timeNs: number,
    { exchangeTimeNs, error }: { readonly exchangeTimeNs?: number; readonly error?: EntryError },
  ): void {
    if (error !== undefined) this.refused(kind, error.source, error.type)
    if (exchangeTimeNs === undefined) return
    if (!Number.isNaN(sentNs)) this.requestNs.add(exchangeTimeNs - sentNs)
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
    return { requestNs: this.requestNs.state(), responseNs: this.responseNs.state(), refusals: this.#refusals }
  }

  restore({ requestNs, responseNs, refusals }: RequestCountersState): void {
    this.requestNs.restore(requestNs)
    this.responseNs.restore(responseNs)
    this.#refusals = refusals
  }
}
