import { NS_PER_DAY } from '../model/time.js'
import type { SentMessage } from '../venue/channels.js'

/** A message of a channel on its way into a run. */
export interface InboxMessage {
  readonly channel: string
  readonly message: SentMessage
}

/** The same with the market time that it has, epoch nanoseconds. */
export interface TimedMessage extends InboxMessage {
  readonly timeNs: bigint
}

/** The place where messages from outside wait. */
export interface InboxSource {
  /** Messages of a run before that is resumed, with the times that they had, ascending. */
  readonly known: readonly TimedMessage[]
  /** Messages that have come since this was asked, in their order. */
  take(): readonly InboxMessage[]
  /** They have their times, which ascend; they are played once this has returned. */
  timed(messages: readonly TimedMessage[]): void
}

/** An inbox as a checkpoint holds it. */
export interface InboxState {
  readonly playedCount: number
  /** A message that comes now is played after this time, nanoseconds of the run; null before the first look. */
  readonly afterNs: number | null
}

interface DueMessage extends InboxMessage {
  readonly dueNs: number
}

/**
 * Messages that come into a run while it goes on. Each gets an instant of its own, the next one that the run has not
 * begun: so a signal with the same rows plays the same run again, whichever channels it is divided over.
 */
export class MessageInbox {
  /** When the next message is due, in the time of the run; Infinity where none waits. */
  nextNs: number = Infinity
  readonly #midnightNs: bigint
  #due: DueMessage[] = []
  #playedCount = 0
  /** Messages that came when no instant was left. */
  #lateCount = 0
  #afterNs = -Infinity

  /** `epochDay` is the first day of the run. */
  constructor(private readonly source: InboxSource, epochDay: number) {
    this.#midnightNs = BigInt(epochDay) * BigInt(NS_PER_DAY)
    this.#due = source.known.map(({ channel, message, timeNs }) => (
      { channel, message, dueNs: Number(timeNs - this.#midnightNs) }))
    this.#look()
  }

  /** Messages that came and were not played. */
  get unplayedCount(): number {
    return this.#due.length + this.#lateCount
  }

  /** Takes what has come: the run has begun no instant after `timeNs`. */
  poll(timeNs: number): void {
    if (timeNs > this.#afterNs) this.#afterNs = timeNs
    const come = this.source.take()
    if (come.length === 0) return
    const last = this.#due.at(-1)?.dueNs ?? -Infinity
    if (last > this.#afterNs) this.#afterNs = last
    if (this.#afterNs === Infinity) {
      this.#lateCount += come.length
      return
    }
    const due = come.map(({ channel, message }) => ({ channel, message, dueNs: ++this.#afterNs }))
    this.source.timed(due.map(({ channel, message, dueNs }) => (
      { channel, message, timeNs: this.#midnightNs + BigInt(dueNs) })))
    this.#due.push(...due)
    this.#look()
  }

  /** The next message; to be called where one waits. */
  play(): InboxMessage {
    const message = this.#due.shift() as DueMessage
    this.#playedCount++
    this.#look()
    return message
  }

  state(): InboxState {
    return { playedCount: this.#playedCount, afterNs: Number.isFinite(this.#afterNs) ? this.#afterNs : null }
  }

  /** Goes to the place of a run before: what it had played is among the known ones. */
  restore({ playedCount, afterNs }: InboxState): void {
    this.#due.splice(0, playedCount)
    this.#playedCount = playedCount
    this.#afterNs = afterNs ?? -Infinity
    this.#look()
  }

  #look(): void {
    this.nextNs = this.#due[0]?.dueNs ?? Infinity
  }
}
