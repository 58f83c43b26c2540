import type { SignalRow } from '../model/signal-row.js'
import type { InboxMessage, InboxState, MessageInbox } from './message-inbox.js'
import type { SignalFeed, SignalPlace } from './signal-feed.js'

/** Receives the rows of all signals of a pass, and the messages that come while it goes on. */
export interface SignalTarget {
  /** `index` is that of the signal. */
  row(index: number, row: SignalRow): void
  message(message: InboxMessage): void
}

const NO_TARGET: SignalTarget = { row: () => undefined, message: () => undefined }

/**
 * The signals of a pass in the order of time; rows of one instant by the order of their signals, then of their files,
 * and behind them what comes while the pass goes on. Silent until it begins.
 */
export class SignalPlayer {
  /** When the next row is due; Infinity where none is in hand. */
  nextNs: number = Infinity
  /** Takes the rows, once the worlds are there. */
  target: SignalTarget = NO_TARGET
  /** Messages from outside; null: none can come. */
  inbox: MessageInbox | null = null
  #hasBegun = false

  constructor(readonly feeds: readonly SignalFeed[]) {}

  /** Takes messages that have come from outside: nothing after `timeNs` has been begun. */
  poll(timeNs: number): void {
    if (this.inbox === null || !this.#hasBegun) return
    this.inbox.poll(timeNs)
    this.#look()
  }

  /** Nothing at or after this time may be played before more is loaded. */
  horizonNs(): number {
    if (!this.#hasBegun) return Infinity
    let horizon = Infinity
    for (const feed of this.feeds) horizon = Math.min(horizon, feed.horizonNs)
    return horizon
  }

  /** True where no row will ever be due any more. */
  get isOver(): boolean {
    return this.nextNs === Infinity && this.horizonNs() === Infinity
  }

  /** Reads ahead beyond a time; true where rows came. */
  async load(untilNs: number): Promise<boolean> {
    if (!this.#hasBegun) return false
    let isLoaded = false
    for (const feed of this.feeds)
      while (feed.horizonNs <= untilNs) isLoaded = (await feed.load()) || isLoaded
    this.#look()
    return isLoaded
  }

  /** Passes on the first row that is due. */
  play(): void {
    const index = this.feeds.findIndex((feed) => feed.nextNs === this.nextNs)
    const feed = this.feeds[index]
    if (feed === undefined) return this.#playMessage()
    const row = feed.take()
    this.#look()
    this.target.row(index, row)
  }

  /** Passes what lies before the begin of the run; from now on rows are due. */
  async begin(fromNs: number): Promise<void> {
    for (const feed of this.feeds) await feed.begin(fromNs)
    this.#hasBegun = true
    this.#look()
  }

  /** Goes on where a run before was. */
  async resume(places: readonly SignalPlace[], inbox: InboxState | null): Promise<void> {
    for (const [at, feed] of this.feeds.entries())
      await feed.resume(places[at] ?? { skippedCount: 0, passedCount: 0 })
    if (inbox !== null) this.inbox?.restore(inbox)
    this.#hasBegun = true
    this.#look()
  }

  places(): SignalPlace[] {
    return this.feeds.map((feed) => feed.place())
  }

  /** Throws where a file is another one than when it was opened. */
  async verify(): Promise<void> {
    for (const { file } of this.feeds) await file.verify()
  }

  async close(): Promise<void> {
    for (const { file } of this.feeds) await file.close()
  }

  #playMessage(): void {
    const message = this.inbox?.play()
    this.#look()
    if (message !== undefined) this.target.message(message)
  }

  #look(): void {
    let next = this.inbox?.nextNs ?? Infinity
    for (const { nextNs } of this.feeds) next = Math.min(next, nextNs)
    this.nextNs = next
  }
}
