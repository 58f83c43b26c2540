import { orderKey } from '../exchange/resting-order.js'
import type { MoneyEvent } from '../exchange/money-event.js'
import type { ClientMessage, ClientRequest, WorldObserver } from '../exchange/world-config.js'
import type { Writable } from '../model/writable.js'
import type { CanonicalValue } from '../report/canonical-json.js'
import type { Journal } from '../report/journal.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import { JournalText, type LineHead } from './journal-text.js'

const FINAL_STATES: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED'])

/** How many orders that are over are still known: a late change of one finds its instrument. */
const OVER_LIMIT = 4096

/** Which instruments orders belong to, plain data. */
export interface WorldJournalState {
  readonly orders: readonly (readonly [orderKey: string, instrumentId: number])[]
  readonly over: readonly string[]
}

/**
 * Writes what a world's clients sent and heard into its journal: one canonical line a message, prices and quantities as decimal
 * texts, times as epoch nanoseconds in text. `side` says whose time `time` is.
 */
export class WorldJournal implements WorldObserver {
  readonly #journal: Journal
  /** Instruments of orders seen, since changes and cancels do not name theirs; orders that are over leave after a while. */
  readonly #instrumentOf: Map<string, number> = new Map()
  /** A ring once it is full; the oldest lies at `#oldest`. */
  readonly #over: string[] = []
  #oldest = 0
  readonly #text: JournalText
  /** The head of the line that is being written. */
  readonly #head: Writable<LineHead> = { seq: 0, side: 'local', timeNs: 0, kind: '', client: null, account: null }

  constructor(journal: Journal, directory: InstrumentDirectory, epochDay: number) {
    this.#journal = journal
    this.#text = new JournalText(directory, this.#instrumentOf, epochDay)
  }

  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string): void {
    if (request.kind === 'place') for (const entry of request.entries) this.#instrumentOf.set(orderKey(accountId, entry.ownOrderId), entry.instrumentId)
    if (request.kind === 'replace') {
      for (const entry of request.entries) this.#instrumentOf.set(orderKey(accountId, entry.newOwnOrderId), this.#instrumentOf.get(orderKey(accountId, entry.currentOwnOrderId)) ?? 0)
    }
    this.#add('local', timeNs, request.kind, clientId, request, accountId)
  }

  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void {
    this.#add('local', timeNs, message.kind, clientId, message, accountId)
    if (message.kind === 'orderUpdate') for (const { ownOrderId, state } of message.orders) if (FINAL_STATES.has(state)) this.#leave(orderKey(accountId, ownOrderId))
  }

  /** What it knows of orders, for a checkpoint; the lines are the journal's. */
  state(): WorldJournalState {
    return { orders: [...this.#instrumentOf], over: [...this.#over.slice(this.#oldest), ...this.#over.slice(0, this.#oldest)] }
  }

  restore({ orders, over }: WorldJournalState): void {
    for (const [key, instrumentId] of orders) this.#instrumentOf.set(key, instrumentId)
    this.#over.push(...over)
  }

  /** Money that moved at the exchange of its own accord. */
  money({ kind, exchangeTimeNs, accountId, ...content }: MoneyEvent): void {
    this.#add('exchange', exchangeTimeNs, kind, null, content, accountId)
  }

  /** A line of the strategy's own log. */
  log(clientId: string, timeNs: number, text: string): void {
    this.#add('local', timeNs, 'log', clientId, { text })
  }

  /** The strategy ended before its data did. */
  stopped(clientId: string, timeNs: number, reason: string): void {
    this.#add('local', timeNs, 'stop', clientId, { reason })
  }

  /** A change of an instrument's market data state, or of its blindness, as the client's side or the exchange's heard it. */
  market(side: 'local' | 'exchange', timeNs: number, kind: 'state' | 'gap' | 'sight', detail: { readonly [key: string]: CanonicalValue }): void {
    this.#add(side, timeNs, kind, null, detail)
  }

  /** The beginning of a time without a trustworthy book: named by the last good depth line before it (exchange rules 6.1). */
  gap(side: 'local' | 'exchange', timeNs: number, { instrumentId, reason, lastGoodNs }: { readonly instrumentId: number; readonly reason: string; readonly lastGoodNs: number }): void {
    this.market(side, timeNs, 'gap', { instrumentId, reason, lastGoodTimestampNs: Number.isFinite(lastGoodNs) ? this.#text.time(lastGoodNs) : null })
  }

  #leave(key: string): void {
    if (this.#over.length < OVER_LIMIT) {
      this.#over.push(key)
      return
    }
    this.#instrumentOf.delete(this.#over[this.#oldest] as string)
    this.#over[this.#oldest] = key
    this.#oldest = (this.#oldest + 1) % OVER_LIMIT
  }

  #add(side: 'local' | 'exchange', timeNs: number, kind: string, client: string | null, content: object, account: string | null = null): void {
    const head = this.#head
    head.seq = this.#journal.lineCount
    head.side = side
    head.timeNs = timeNs
    head.kind = kind
    head.client = client
    head.account = account
    this.#text.write(this.#journal.beginLine(), head, content)
    this.#journal.endLine()
  }
}
