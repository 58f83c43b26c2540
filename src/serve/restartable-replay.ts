import type { World } from '../exchange/world.js'
import type { FeedSource } from '../feed/feed-source.js'
import type { OpenOrderEntry, OrderEntrySource } from '../order-entry/order-entry-source.js'
import type { LoopEnd } from '../simulation/run-loop.js'
import type { Clock, MarketDataListener, MarketView, OrderEntryListener, Subscription, Topics } from '../venue/venue.js'
import type { Hole } from './data-holes.js'
import { ForwardedMarket, ForwardedOrderEntry } from './forwarded-venue.js'
import type { ServedReplay } from './served-replay.js'

/** A subscription as its reader made it, and as the replay at hand has it. */
interface KeptSubscription {
  readonly instrumentId: number
  readonly topics: Topics
  readonly listener: MarketDataListener
  own: Subscription
}

/**
 * A served replay that can begin again, unnoticed by the servers in front of it: what they subscribed is subscribed
 * again, and whoever is logged in is logged in again, to accounts as they were at the begin.
 */
export class RestartableReplay {
  readonly feed: FeedSource
  readonly orderEntry: OrderEntrySource
  readonly #subscriptions: Set<KeptSubscription> = new Set()
  readonly #entries: Set<ForwardedOrderEntry> = new Set()
  /** Called when it has begun again, with a clock of its own: timers of the last one are gone. */
  onRestart: () => void = () => {}
  #interrupt: () => boolean = () => false
  #isStanding = false

  /** `open` opens it anew, played up to its begin. */
  constructor(private current: ServedReplay, private readonly open: () => Promise<ServedReplay>) {
    const clock: Clock = {
      epochDay: current.clock.epochDay,
      nowNs: () => this.clock.nowNs(),
      now: () => this.clock.now(),
      timers: (clientId, onTimer) => this.clock.timers(clientId, onTimer),
    }
    const instruments = {
      get entries(): FeedSource['instruments']['entries'] { return self().feed.instruments.entries },
      get: (id: number) => this.current.feed.instruments.get(id),
    }
    const self = (): ServedReplay => this.current
    this.feed = {
      clock, instruments, underlyings: current.feed.underlyings,
      market: (id) => this.#market(id),
      subscribe: (id, topics, listener) => this.#subscribe(id, topics, listener),
      pastLines: (id) => this.current.feed.pastLines?.(id),
    }
    this.orderEntry = {
      clock, instruments, accounts: current.orderEntry.accounts,
      connect: (clientId, accountId, listener) => this.#connect(clientId, accountId, listener),
    }
  }

  /** The replay at hand: another one behind each {@link restart}. */
  get served(): ServedReplay {
    return this.current
  }

  get clock(): ServedReplay['clock'] {
    return this.current.clock
  }

  get world(): World {
    return this.current.world
  }

  get warnings(): string[] {
    return this.current.warnings
  }

  get fromNs(): number {
    return this.current.fromNs
  }

  get hasEnded(): boolean {
    return this.current.hasEnded
  }

  /** Asked before every step: true makes {@link play} return `stopped`. */
  set interrupt(interrupt: () => boolean) {
    this.#interrupt = interrupt
    this.current.interrupt = interrupt
  }

  /** True: requests and answers take no time, as time stands still; {@link playDue} plays them. */
  get isStanding(): boolean {
    return this.#isStanding
  }

  set isStanding(isStanding: boolean) {
    this.#isStanding = isStanding
    this.current.isStanding = isStanding
  }

  /** Answers what clients have asked while time stands still. */
  playDue(): void {
    this.current.playDue()
  }

  /** The days without data, as stretches of time. */
  get holes(): readonly Hole[] {
    return this.current.holes
  }

  play(untilNs?: number): Promise<LoopEnd> {
    return this.current.play(untilNs)
  }

  /** Begins again. Errors of the files leave the replay that was there. */
  async restart(): Promise<void> {
    const next = await this.open()
    const before = this.current
    this.current = next
    next.interrupt = this.#interrupt
    next.isStanding = this.#isStanding
    for (const kept of this.#subscriptions) {
      kept.own.unsubscribe()
      kept.own = next.feed.subscribe(kept.instrumentId, kept.topics, kept.listener)
    }
    for (const entry of this.#entries) {
      entry.own.disconnect()
      entry.own = next.orderEntry.connect(entry.clientId, entry.accountId, entry.listener)
    }
    this.onRestart()
    await before.close()
  }

  close(): Promise<void> {
    return this.current.close()
  }

  #market(instrumentId: number): MarketView {
    // Refused here and now where the replay has no data of it.
    this.current.feed.market(instrumentId)
    return new ForwardedMarket(() => this.current.feed.market(instrumentId))
  }

  #subscribe(instrumentId: number, topics: Topics, listener: MarketDataListener): Subscription {
    const own = this.current.feed.subscribe(instrumentId, topics, listener)
    const kept: KeptSubscription = { instrumentId, topics, listener, own }
    this.#subscriptions.add(kept)
    return {
      unsubscribe: () => {
        this.#subscriptions.delete(kept)
        kept.own.unsubscribe()
      },
    }
  }

  #connect(clientId: string, accountId: string, listener: OrderEntryListener): OpenOrderEntry {
    const own = this.current.orderEntry.connect(clientId, accountId, listener)
    const entry = new ForwardedOrderEntry({ clientId, accountId, listener, own }, () => { this.#entries.delete(entry) })
    this.#entries.add(entry)
    return entry
  }
}
