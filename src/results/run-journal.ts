import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import type { Writable } from '../model/writable.js'
import type { CanonicalValue } from '../report/canonical-json.js'
import type { Journal } from '../report/journal.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import { JournalText, type LineHead } from './journal-text.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import type { WorldObserver } from '../exchange/world-observer.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'

const FINAL_STATES: ReadonlySet<string> = new Set(['FILLED', 'CANCELED', 'REJECTED'])

/** How many orders that are over are still known: a late change of one finds its instrument. */
const OVER_LIMIT = 4096

/** Which instruments orders belong to, plain data. */
export interface RunJournalState {
  readonly orders: readonly (readonly [accountId: string, ownOrderId: string, instrumentId: number])[]
  /** The oldest first. */
  readonly over: readonly (readonly [accountId: string, ownOrderId: string])[]
}

/**
 * Writes what a world's clients sent and heard into its journal: one canonical line a message, prices and quantities as
 * decimal texts, times as epoch nanoseconds in text. `side` says whose time `time` is.
 */
export class RunJournal implements WorldObserver {
  readonly #journal: Journal
  /**
   * Instruments of orders seen by account and own id, since changes and cancels do not name theirs; orders that are
   * over leave after a while.
   */
  readonly #instrumentOf: Map<string, Map<string, number>> = new Map()
  /** Own ids, a ring once it is full, whose oldest lies at `#oldest`; and their accounts. */
  readonly #over: string[] = []
  readonly #overAccounts: string[] = []
  #oldest = 0
  readonly #text: JournalText
  /** The head of the line that is being written. */
  readonly #head: Writable<LineHead> = { seq: 0, side: 'local', timeNs: 0, kind: '', client: null, account: null }

  constructor(journal: Journal, directory: InstrumentDirectory, epochDay: number) {
    this.#journal = journal
    this.#text = new JournalText(directory, this.#instrumentOf, epochDay)
  }

  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string): void {
    if (request.kind === 'place')
      for (const entry of request.entries) this.#ordersOf(accountId).set(entry.ownOrderId, entry.instrumentId)
    if (request.kind === 'replace') {
      const orders = this.#ordersOf(accountId)
      for (const entry of request.entries) orders.set(entry.newOwnOrderId, orders.get(entry.currentOwnOrderId) ?? 0)
    }
    this.#add('local', timeNs, request.kind, clientId, request, accountId)
  }

  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void {
    this.#add('local', timeNs, message.kind, clientId, message, accountId)
    if (message.kind === 'orderUpdate')
      for (const { ownOrderId, state } of message.orders)
        if (FINAL_STATES.has(state)) this.#leave(accountId, ownOrderId)
  }

  /** What it knows of orders, for a checkpoint; the lines are the journal's. */
  state(): RunJournalState {
    const orders = [...this.#instrumentOf].flatMap(([accountId, own]) =>
      [...own].map(([ownOrderId, instrumentId]) => [accountId, ownOrderId, instrumentId] as const),
    )
    const over = this.#over.map((ownOrderId, place) => [this.#overAccounts[place] ?? '', ownOrderId] as const)
    return { orders, over: [...over.slice(this.#oldest), ...over.slice(0, this.#oldest)] }
  }

  restore({ orders, over }: RunJournalState): void {
    for (const [accountId, ownOrderId, instrumentId] of orders) this.#ordersOf(accountId).set(ownOrderId, instrumentId)
    for (const [accountId, ownOrderId] of over) this.#leave(accountId, ownOrderId)
  }

  /** Money that moved at the exchange of its own accord. */
  money({ kind, exchangeTimeNs, accountId, ...content }: MoneyEvent): void {
    this.#add('exchange', exchangeTimeNs, kind, null, content, accountId)
  }

  /** A line of the strategy's own log. */
  log(clientId: string, timeNs: number, text: string): void {
    this.#add('local', timeNs, 'log', clientId, { text })
  }

  /** A sentence for the strategy's author: a line of its log of the level `warning`. */
  warned(clientId: string, timeNs: number, text: string): void {
    this.#add('local', timeNs, 'log', clientId, { level: 'warning', text })
  }

  /** The strategy ended before its data did. */
  stopped(clientId: string, timeNs: number, reason: string): void {
    this.#add('local', timeNs, 'stop', clientId, { reason })
  }

  /**
   * A change of an instrument's market data state, or of its blindness, as the client's side or the exchange's heard
   * it.
   */
  market(
    side: 'local' | 'exchange', timeNs: number, kind: 'state' | 'gap' | 'sight',
    detail: { readonly [key: string]: CanonicalValue },
  ): void {
    this.#add(side, timeNs, kind, null, detail)
  }

  /**
   * Terms of an instrument that hold from a midnight on, at the exchange and at its clients alike (exchange rules 1.7).
   */
  terms(timeNs: number, { instrumentId, day, changes }: InstrumentTerms): void {
    this.#add('exchange', timeNs, 'terms', null, { instrumentId, day, changes })
  }

  /**
   * The beginning of a time without a trustworthy book: named by the last good depth line before it (exchange rules
   * 6.1).
   */
  gap(
    side: 'local' | 'exchange',
    timeNs: number,
    {
      instrumentId, reason, lastGoodNs,
    }: { readonly instrumentId: number; readonly reason: string; readonly lastGoodNs: number },
  ): void {
    this.market(side, timeNs, 'gap', {
      instrumentId, reason, lastGoodTimestampNs: Number.isFinite(lastGoodNs) ? this.#text.time(lastGoodNs) : null,
    })
  }

  #ordersOf(accountId: string): Map<string, number> {
    let orders = this.#instrumentOf.get(accountId)
    if (orders === undefined) {
      orders = new Map()
      this.#instrumentOf.set(accountId, orders)
    }
    return orders
  }

  #leave(accountId: string, ownOrderId: string): void {
    const place = this.#over.length < OVER_LIMIT ? this.#over.length : this.#oldest
    if (this.#over.length === OVER_LIMIT) {
      this.#instrumentOf.get(this.#overAccounts[place] as string)?.delete(this.#over[place] as string)
      this.#oldest = (place + 1) % OVER_LIMIT
    }
    this.#over[place] = ownOrderId
    this.#overAccounts[place] = accountId
  }

  #add(
    side: 'local' | 'exchange', timeNs: number, kind: string, client: string | null, content: object,
    account: string | null = null,
  ): void {
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
