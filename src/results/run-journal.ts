import { createHash } from 'node:crypto'
import type { MessageRecord } from '../venue/channels.js'
import type { OrderReport } from '../model/order.js'
import type { PlaceResult, ReplaceResult } from '../venue/messages.js'
import type { MoneyEvent } from '../exchange/accounts/money-event.js'
import type { JournalSink } from '../report/journal-sink.js'
import type { InstrumentDirectory } from '../venue/venue.js'
import type { FieldsOf } from '../venue/field-units.js'
import { Journal } from './journal.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../venue/message-fields.js'
import type { ClientMessage, ClientRequest } from '../venue/order-messages.js'
import { KnownOrders, type KnownOrdersState } from '../protocol/known-orders.js'
import { JOURNAL_FORMAT } from '../protocol/record-layout.js'
import type { WorldObserver } from '../exchange/world-config.js'
import type { InstrumentTerms } from '../tickfile/lines/instrument-terms.js'
import type { TermChange } from '../tickfile/lines/term-changes.js'

/** The units of the fields of a money event. */
export const MONEY_EVENT_FIELDS: FieldsOf<MoneyEvent> = {
  kind: 'word', exchangeTimeNs: 'timeNs', accountId: 'text', underlyingId: 'number', amount: 'decimal',
  instrumentId: 'instrumentId', leg: 'word', size: 'decimal', atPrice: 'decimal', markedBy: 'word', rate: 'decimal',
  feeAmount: 'decimal',
}

/** Lines that no message of order entry and no money event has, by kind. */
interface OwnLines {
  readonly log: { readonly level?: 'warning'; readonly text: string }
  readonly stop: { readonly reason: string }
  readonly publish: {
    readonly channel: string; readonly message: string | null; readonly key?: string | null
    readonly headers?: readonly { readonly name: string; readonly value: string }[]
  }
  readonly state: { readonly instrumentId: number; readonly state: string; readonly text: string }
  readonly bookKnown: { readonly instrumentId: number }
  readonly gap: { readonly instrumentId: number; readonly reason: string; readonly lastGoodTimeNs: number | null }
  readonly terms: { readonly instrumentId: number; readonly day: string; readonly changes: readonly TermChange[] }
}

/** Their units. */
export const OWN_FIELDS: { readonly [K in keyof OwnLines]: FieldsOf<OwnLines[K]> } = {
  log: { level: 'word', text: 'text' },
  stop: { reason: 'text' },
  publish: { channel: 'text', message: 'text', key: 'text', headers: { name: 'text', value: 'text' } },
  state: { instrumentId: 'instrumentId', state: 'word', text: 'text' },
  bookKnown: { instrumentId: 'instrumentId' },
  gap: { instrumentId: 'instrumentId', reason: 'word', lastGoodTimeNs: 'timeNs' },
  terms: {
    instrumentId: 'instrumentId', day: 'text', changes: { field: 'word', kind: 'word', earlier: 'text', later: 'text' },
  },
}

/** The fingerprint of a run: the same configuration and the same records have the same one on every machine. */
export function fingerprintOf(configDigest: string, journalDigest: string): string {
  return `bt3:${createHash('sha256').update(`${configDigest}\n${JOURNAL_FORMAT}\n${journalDigest}`).digest('hex')}`
}

/** Writes what a world's clients sent and received into its journal, a line a message. */
export class RunJournal implements WorldObserver {
  readonly #orders: KnownOrders = new KnownOrders()
  readonly journal: Journal

  constructor(sink: JournalSink | null, directory: InstrumentDirectory, epochDay: number) {
    this.journal = new Journal(directory, this.#orders, epochDay, sink)
  }

  requested(clientId: string, timeNs: number, request: ClientRequest, accountId: string): void {
    if (request.kind === 'place') {
      const orders = this.#orders.of(accountId)
      for (const entry of request.entries) orders.set(entry.ownOrderId, entry.instrumentId)
    } else if (request.kind === 'replace') {
      const orders = this.#orders.of(accountId)
      for (const { currentOwnOrderId, newOwnOrderId, instrumentId = orders.get(currentOwnOrderId) } of request.entries)
        if (instrumentId !== undefined) orders.set(newOwnOrderId, instrumentId)
    }
    this.journal.message(clientId, accountId, timeNs, request, REQUEST_FIELDS)
  }

  delivered(clientId: string, timeNs: number, message: ClientMessage, accountId: string): void {
    this.journal.message(clientId, accountId, timeNs, message, MESSAGE_FIELDS)
    if (message.kind === 'orderUpdate') this.#ended(accountId, message.orders)
    else if (message.kind === 'placeResponse' || message.kind === 'replaceResponse')
      this.#refused(accountId, message.results)
  }

  #ended(accountId: string, orders: readonly OrderReport[]): void {
    for (let i = 0; i < orders.length; i++) {
      const { ownOrderId, state } = orders[i] as OrderReport
      if (state === 'FILLED' || state === 'CANCELED' || state === 'REJECTED') this.#orders.leave(accountId, ownOrderId)
    }
  }

  /** An order that was refused is over as well; an id that was used before is that of another one. */
  #refused(accountId: string, results: readonly (PlaceResult | ReplaceResult)[]): void {
    for (let i = 0; i < results.length; i++) {
      const { ownOrderId, error } = results[i] as PlaceResult | ReplaceResult
      if (error !== undefined && error.type !== 'ORDER_ID_DUPLICATE') this.#orders.leave(accountId, ownOrderId)
    }
  }

  /** Its knowledge of orders, for a checkpoint; the lines are those of {@link journal}. */
  state(): KnownOrdersState {
    return this.#orders.state()
  }

  restore(state: KnownOrdersState): void {
    this.#orders.restore(state)
  }

  /** Money that moved at the exchange of its own accord. */
  money({ kind, exchangeTimeNs, accountId, ...content }: MoneyEvent): void {
    this.journal.line('exchange', exchangeTimeNs, kind, null, accountId, content, MONEY_EVENT_FIELDS)
  }

  /** A line of the strategy's own log. */
  log(clientId: string, timeNs: number, text: string): void {
    this.#own('local', timeNs, 'log', { text }, clientId)
  }

  /** A sentence for the strategy's author: a line of its log of the level `warning`. */
  warned(clientId: string, timeNs: number, text: string): void {
    this.#own('local', timeNs, 'log', { level: 'warning', text }, clientId)
  }

  /** The strategy ended before its data did. */
  stopped(clientId: string, timeNs: number, reason: string): void {
    this.#own('local', timeNs, 'stop', { reason }, clientId)
  }

  /** A message that a strategy published on a channel: with key and headers, where it has a record. */
  published(clientId: string, timeNs: number, channel: string, message: string, record?: MessageRecord): void {
    const content = record === undefined ? { channel, message } : {
      channel, message: record.isEmpty ? null : message, key: record.key,
      headers: Object.entries(record.headers).map(([name, value]) => ({ name, value })),
    }
    this.#own('local', timeNs, 'publish', content, clientId)
  }

  /** A change of an instrument's market data state, as the client's side received it. */
  marketState(timeNs: number, detail: OwnLines['state']): void {
    this.#own('local', timeNs, 'state', detail)
  }

  /** The end of a time without a trustworthy book at the exchange. */
  bookRecovered(timeNs: number, instrumentId: number): void {
    this.#own('exchange', timeNs, 'bookKnown', { instrumentId })
  }

  /**
   * Terms of an instrument that hold from a midnight on, at the exchange and at its clients alike (exchange rules 1.7).
   */
  terms({ instrumentId, timeNs, day, changes }: InstrumentTerms): void {
    this.#own('exchange', timeNs, 'terms', { instrumentId, day, changes })
  }

  /**
   * The beginning of a time without a trustworthy book: named by the last good depth line before it (exchange rules
   * 6.1).
   */
  gap(
    side: 'local' | 'exchange', timeNs: number, instrumentId: number,
    { reason, lastGoodNs }: { readonly reason: string; readonly lastGoodNs: number },
  ): void {
    this.#own(side, timeNs, 'gap', {
      instrumentId, reason, lastGoodTimeNs: Number.isFinite(lastGoodNs) ? lastGoodNs : null,
    })
  }

  #own<K extends keyof OwnLines>(
    side: 'local' | 'exchange', timeNs: number, kind: K, content: OwnLines[K], client: string | null = null,
  ): void {
    this.journal.line(side, timeNs, kind, client, null, content, OWN_FIELDS[kind])
  }
}
