import type { BacktapeError } from '../model/error.js'
import { isAtWork, stateAfter, type InstanceEvent, type InstanceState } from '../protocol/strategies/instance-states.js'
import type { MessageRecord } from '../venue/channels.js'
import type { Wire } from '../protocol/strategies/strategy-schemas.js'
import type { LiveLook } from '../panels/live-look.js'
import type { ChannelClient, ChannelHub, PublishedMessage } from './channel-hub.js'
import {
  failedEnd, type InstanceEnd, type InstanceOrder, type InstanceProgress, type InstanceRun, type InstanceSink,
  type StartInstance, type StrategyVenue,
} from './instance-run.js'
import type { InstanceStanding, InstanceStore, InstanceTerms, StoredInstance } from './instance-store-writer.js'

/** The parts of a server that its instances share. */
export interface InstanceParts {
  readonly store: InstanceStore
  readonly hub: ChannelHub
  readonly start: StartInstance<StrategyVenue>
  /** Epoch milliseconds. */
  readonly nowMs: () => number
  readonly onNote: (sentence: string) => void
}

/** Somebody who watches the runs of an instance. */
export interface InstanceWatcher {
  /** A run begins: it may be asked for looks. */
  begun(): void
  looked(look: LiveLook): void
  /** The run is over: nothing more comes of it. */
  ended(): void
}

/** An instance of a strategy: its terms, its state, its run, and its place on the channels. */
export class Instance implements ChannelClient {
  #terms: InstanceTerms
  #standing: InstanceStanding
  #run: InstanceRun | null = null
  #progress: Wire<'Progress'> | null = null
  readonly #channels: Set<string> = new Set()
  /** The reason for which the server stops its run; null where none was stated. */
  #stopReason: string | null = null
  #watcher: InstanceWatcher | null = null
  /** Own ids of orders that runs of before have left open, and what is known of them; null: not asked. */
  #left: { readonly openOrders: readonly string[], readonly words: string } | null = null

  constructor({ terms, standing }: StoredInstance, private readonly parts: InstanceParts) {
    this.#terms = terms
    this.#standing = standing
  }

  get terms(): InstanceTerms {
    return this.#terms
  }

  get state(): InstanceState {
    return this.#standing.state
  }

  /** True while its run is under way. */
  get isAtWork(): boolean {
    return isAtWork(this.state)
  }

  /** Its terms as they stand on the wire. */
  wire(): Wire<'Instance'> {
    const { createdMs, ...terms } = this.#terms
    return { ...terms, created: new Date(createdMs).toISOString() }
  }

  /** Its status as it stands on the wire. */
  status(): Wire<'InstanceStatus'> {
    const { terms: { instanceId, instanceName } } = this
    const { state, sinceMs, reason, outcome } = this.#standing
    const progress = this.#progress ?? outcome?.progress
    const left = this.#left
    const words = left === null || left.words === '' ? [] : [left.words]
    return {
      instanceId, instanceName, state, since: new Date(sinceMs).toISOString(),
      reason: reason === null && words.length === 0 ? null : [...reason === null ? [] : [reason], ...words].join('; '),
      ...progress === null || progress === undefined ? {} : { progress },
      ...outcome === null ? {} : { end: outcome.end },
      ...left === null ? {} : { openOrders: left.openOrders },
    }
  }

  /** Other parameters and venue, of an instance at rest; they are kept by the caller's work. */
  reconfigure(terms: InstanceTerms): void {
    this.parts.store.changeTerms(terms)
    this.#terms = terms
    this.move('reconfigure', null)
  }

  /** A change of its state, which is kept; false: its state does not have it. */
  move(event: InstanceEvent, reason: string | null): boolean {
    const standing = this.#after(event, reason, null)
    if (standing === null) return false
    this.parts.store.change(this.#terms.instanceId, standing)
    this.#standing = standing
    return true
  }

  #after(event: InstanceEvent, reason: string | null, outcome: InstanceStanding['outcome']): InstanceStanding | null {
    const state = stateAfter(this.state, event)
    return state === undefined || state === null ? null : { state, sinceMs: this.parts.nowMs(), reason, outcome }
  }

  /** An event of its run: it has happened also where the disk refuses to keep it. */
  #happened(event: InstanceEvent, reason: string | null, outcome: InstanceStanding['outcome'] = null): void {
    const standing = this.#after(event, reason, outcome)
    if (standing === null) return
    this.#standing = standing
    try {
      this.parts.store.change(this.#terms.instanceId, standing)
    } catch (error) {
      this.parts.onNote(`${this.#terms.instanceName}: ${standing.state} is not kept: ${wordsOf(error)}`)
    }
  }

  /** The orders that runs of before have left at the venue of one at rest, and what there is to say of them. */
  left(openOrders: readonly string[], words: string): void {
    this.#left = { openOrders, words }
    this.parts.onNote(`${this.#terms.instanceName}: ${this.status().reason ?? 'no order is open'}`)
  }

  /** Goes back to a state whose change was not kept. */
  restore(standing: InstanceStanding): void {
    this.#standing = standing
  }

  get standing(): InstanceStanding {
    return this.#standing
  }

  /** Begins its run; it is STARTING. A run that cannot begin has failed. */
  begin(order: () => InstanceOrder<StrategyVenue>): void {
    this.#progress = null
    this.#stopReason = null
    this.#left = null
    try {
      const run: { now: InstanceRun | null } = { now: null }
      const isMine = (): boolean => this.#run === run.now
      run.now = this.parts.start(order(), this.#sink(isMine))
      this.#run = run.now
      this.#watcher?.begun()
    } catch (error) {
      const { code = null } = error as Partial<BacktapeError>
      this.#end(failedEnd(wordsOf(error), code))
    }
  }

  /** A message of a channel that its strategy has opened. */
  receive({ channel, sent }: PublishedMessage): void {
    this.#run?.receive(channel, sent)
  }

  /** Who watches its runs from here on; null: nobody. */
  watchBy(watcher: InstanceWatcher | null): void {
    this.#watcher = watcher
    if (watcher === null) this.#run?.unlook?.()
    else if (this.#run !== null) watcher.begun()
  }

  /** Asks its run for a look. */
  look(): void {
    this.#run?.look?.()
  }

  /** Asks its run to stop; it is STOPPING. A reason stands in its state then and when it has stopped. */
  stop(cancelOrders: boolean, reason: string | null = null): void {
    this.#stopReason = reason
    this.#run?.stop(cancelOrders)
  }

  /** The channels that its strategy has open. */
  get openChannels(): ReadonlySet<string> {
    return this.#channels
  }

  /** Ends its run with the server: it is INTERRUPTED then. */
  async interrupt(reason: string): Promise<void> {
    await this.#run?.kill()
    // Until here its last messages are passed on.
    this.#run = null
    this.#watcher?.ended()
    this.#leaveChannels()
    this.#happened('interrupted', reason)
  }

  /** Takes its name on the channels; false where a client has it. */
  takeName(): boolean {
    return this.parts.hub.take(this.#terms.instanceName, this)
  }

  /** Leaves the channels, and its name free. */
  leave(): void {
    this.parts.hub.leave(this, this.#channels)
    this.#channels.clear()
  }

  #leaveChannels(): void {
    for (const channel of this.#channels) this.parts.hub.unsubscribe(channel, this)
    this.#channels.clear()
  }

  /** Its run's words; those of a run that is over, or before it has begun to be, are passed over. */
  #sink(isMine: () => boolean): InstanceSink {
    const { hub, onNote } = this.parts
    const { instanceName } = this.#terms
    const mine = <Args extends readonly unknown[]>(take: (...args: Args) => void) => (...args: Args): void => {
      if (isMine()) take(...args)
    }
    return {
      running: mine(() => { this.#happened('running', null) }),
      opened: mine((channel: string) => {
        this.#channels.add(channel)
        hub.subscribe(channel, this)
      }),
      published: mine((channel: string, message: string, record: MessageRecord | undefined) => {
        hub.publish(channel, { origin: instanceName, message, ...record === undefined ? {} : { record } }, this)
      }),
      progressed: mine((progress: InstanceProgress) => { this.#progress = wireProgress(progress) }),
      logged: mine((_timeNs: bigint, level: 'log' | 'warning', text: string) => {
        if (level === 'warning') onNote(`${instanceName}: ${text}`)
      }),
      looked: mine((look: LiveLook) => { this.#watcher?.looked(look) }),
      ended: mine((end: InstanceEnd) => { this.#end(end) }),
    }
  }

  #end(end: InstanceEnd): void {
    this.#run = null
    this.#watcher?.ended()
    this.#leaveChannels()
    const outcome = { progress: this.#progress, end: wireEnd(end) }
    const reason = end.end === 'stopped' ? this.#stopReason ?? end.reason : end.reason
    this.#happened(end.end === 'failed' ? 'failed' : 'ended', reason, outcome)
    this.#progress = null
    this.parts.onNote(`${this.#terms.instanceName}: ${this.state}, ${reason}`)
  }
}

/** The words of an error. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function wireProgress(progress: InstanceProgress): Wire<'Progress'> {
  return {
    time: String(progress.timeNs), events: progress.eventCount, gaps: progress.gapCount,
    suspectBooks: progress.suspectBookCount, orders: progress.orderCount,
    fills: progress.fillCount, openOrders: progress.openOrderCount,
    positions: progress.positions.map(({ accountId, instrumentId, size }) => (
      { account: accountId, instrumentId, size })),
    ...progress.lastFillNs === null ? {} : { lastFill: String(progress.lastFillNs) },
    ...progress.profit === null ? {} : { profit: progress.profit },
    callbacks: progress.callbackCount, longestCallbackMs: progress.longestCallbackMs, heapBytes: progress.heapBytes,
    bufferBytes: progress.bufferBytes,
  }
}

function wireEnd(end: InstanceEnd): Wire<'RunEnd'> {
  return {
    end: end.end, code: end.code, stack: end.stack, fingerprint: end.fingerprint, journalLines: end.journalLineCount,
    faults: end.faults.map(({ path, expected, found }) => ({ path, expected, found })), openOrders: end.openOrders,
    droppedMessages: end.droppedCount,
  }
}
