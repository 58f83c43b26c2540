import { createBatch, copyBatch, sliceBatch } from '../../model/event-batch-columns.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import type { EventBatch } from '../../model/event-batch.js'
import { afterMs, wallTimeNs } from '../../model/wall-client.js'
import { underlyingsOf } from '../../feed/master-line.js'
import type { InstrumentInput, ReplayInput } from '../../simulation/replay-input.js'
import type { InstrumentEntry } from '../../venue/venue.js'
import { itemTimeNs, type FeedInbox, type FeedItem } from '../live-inboxes.js'
import type { FeedTaker, KnownMarkets } from '../live-session-client.js'
import { RecordedInstrument } from '../recorded-instrument.js'

/** Between two looks at the time of a feed that sends nothing. */
const LOOK_MS = 100
/** Lines that may wait for the strategy. */
const WAITING_MAX = 1_000_000

/** The parts of a live market. */
export interface PaperMarketParts {
  readonly venue: KnownMarkets
  /** Instruments that the run follows. */
  readonly followed: Iterable<number>
  readonly lagNs: number
  readonly onNote: (sentence: string) => void
  /** The run is to end, as a host stays away. */
  readonly onStop: (reason: string) => void
}

/** Lines of one batch of a feed, which go on in its order. */
interface Waiting {
  readonly batch: EventBatch
  readonly from: number
  to: number
}

/** An instrument with the lines that wait for the run. */
interface PaperInstrument {
  readonly entry: InstrumentEntry
  readonly lines: RecordedInstrument
  readonly waiting: Waiting[]
  /** The run knows that the feed has come so far. */
  reachedNs: number
}

/**
 * The lines of feeds as the market data of a run: each instrument as a recording of it would be, and how far its feed
 * has come. By the wall's time that is now; of a replay it is what the feed has sent, which is in order. A run stays
 * the lag behind, so exchange and strategy have one order of events: that of a backtest.
 */
export class PaperMarket implements FeedTaker {
  readonly feeds: FeedInbox[] = []
  isReplayOver = false
  /** The latest time that was received, nanoseconds since the midnight of the venue's day. */
  heardNs: number = -Infinity
  /** Messages that could not be read. */
  unreadableCount = 0
  /** Why nothing comes any more; null while something may. */
  endReason: string | null = null
  /** Resolves when each instrument has had its first state, or none will. */
  readonly ready: Promise<void>
  readonly #instruments: Map<number, PaperInstrument> = new Map()
  readonly #awaited: Set<number> = new Set()
  /** The latest times of each market. */
  readonly #marketNs: Map<string, number> = new Map()
  #fromNs = Infinity
  #waitingCount = 0
  #isClosing = false
  #error: unknown = null
  #onReady: () => void = () => {}
  #news: Promise<void> = Promise.resolve()
  #onNews: () => void = () => {}
  #disarm: () => void = () => {}

  constructor(private readonly parts: PaperMarketParts) {
    const { venue: { instruments }, followed } = parts
    this.ready = new Promise((resolve) => { this.#onReady = resolve })
    this.#await()
    for (const id of followed) {
      const entry = instruments.get(id)
      if (entry !== undefined) this.#instruments.set(id, this.#begun(entry))
    }
    for (const id of this.#instruments.keys()) this.#awaited.add(id)
  }

  /** A time of the servers. */
  hear(timeNs: number): void {
    if (timeNs > this.heardNs) this.heardNs = timeNs
  }

  /** An item of a feed. */
  receiveFeed(inbox: FeedInbox, item: FeedItem): void {
    const { venue: { epochDay, instruments } } = this.parts
    const timeNs = itemTimeNs(item, epochDay)
    this.hear(timeNs)
    if (timeNs > (this.#marketNs.get(inbox.market) ?? -Infinity)) this.#marketNs.set(inbox.market, timeNs)
    if ('isLost' in item) {
      for (const { entry: { instrument: { exchangeCode } }, lines } of this.#instruments.values())
        if (exchangeCode === inbox.market) lines.gap('the connection to the feed was lost')
    } else if ('unreadableId' in item) {
      this.unreadableCount++
      this.#lines(item.unreadableId)?.gap('a message of the feed could not be read')
    } else if ('resubscribedId' in item) this.#lines(item.resubscribedId)?.resubscribed()
    else if ('batch' in item) this.#lines(item.batch.instrument.id)?.line(item.batch, item.index)
    else {
      this.#lines(item.instrumentId)?.state(item)
      if (item.text !== '' && this.#awaited.has(item.instrumentId))
        this.parts.onNote(`Instrument ${instruments.get(item.instrumentId)?.instrument.code ?? ''}: ${item.text}`)
      this.#awaited.delete(item.instrumentId)
      if (this.#awaited.size === 0) this.#onReady()
    }
    this.#onNews()
  }

  /** Nothing comes any more: a replay has ended, or a host stays away. */
  stop(reason: string): void {
    this.endReason ??= reason
    if (this.parts.venue.pace === 'lockstep') this.isReplayOver = true
    this.#onReady()
    this.#onNews()
    if (!this.isReplayOver) this.parts.onStop(reason)
  }

  /** The end of a client for good: behind a replay that has ended it is that. */
  fail(error: unknown): void {
    if (!this.isReplayOver) this.#error ??= error
    this.#onReady()
    this.#onNews()
  }

  /** The run is over: what waits for lines, waits no more. */
  leave(): void {
    this.#disarm()
    this.isReplayOver = true
    this.#onNews()
  }

  /** The run plays what is on its way, and nothing more: no line comes any more. */
  close(): void {
    this.#isClosing = true
    this.#onNews()
  }

  /** The market from now on, as the input of a run. Throws what has failed until now. */
  begin(): ReplayInput {
    if (this.#error !== null) throw this.#error
    const { lagNs, venue: { pace, epochDay } } = this.parts
    const isOnWall = pace === 'wall'
    this.#fromNs = isOnWall ? wallTimeNs(epochDay) : this.heardNs
    this.#look(this.heardNs)
    const all = [...this.#instruments.values()].sort((a, b) => a.entry.instrument.id - b.entry.instrument.id)
    return {
      inputs: all.map((one) => this.#input(one)), trim: 'none', selection: [], isRepeatable: false,
      live: { epochDay, fromNs: this.#fromNs, lagNs, isOnWall },
      finish: () => Promise.resolve(), verify: () => Promise.resolve(), close: () => Promise.resolve(),
    }
  }

  #begun(entry: InstrumentEntry): PaperInstrument {
    const { venue: { epochDay } } = this.parts
    const waiting: Waiting[] = []
    const take = (batch: EventBatch, index: number): void => {
      this.#waitingCount++
      const last = waiting.at(-1)
      if (last?.batch === batch && last.to === index) last.to++
      else waiting.push({ batch, from: index, to: index + 1 })
    }
    const lines = new RecordedInstrument({
      // One file without end: a day that begins is none of the market's.
      entry, epochDay, floorNs: () => -Infinity, latestDay: () => Infinity,
      nextFile: () => ({ epochDay: Infinity, take }),
      isFull: () => this.#waitingCount > WAITING_MAX, fullText: 'the strategy was too slow',
      leastGapNs: () => this.#reachedNs(entry.instrument.exchangeCode) - this.parts.lagNs,
    })
    return { entry, lines, waiting, reachedNs: -Infinity }
  }

  #lines(id: number): RecordedInstrument | undefined {
    return this.#instruments.get(id)?.lines
  }

  #input(one: PaperInstrument): InstrumentInput {
    const { instrument } = one.entry
    const { lagNs, venue: { underlyings: known, epochDay } } = this.parts
    const underlyings = underlyingsOf(instrument, (id) => known.get(id))
    return {
      instrument, underlyings, days: [], names: [], digests: [], stitched: null,
      terms: [{ day: epochDay, name: 'the directory', instrument, underlyings }],
      live: { lagNs, reachedNs: () => one.reachedNs },
      batches: () => this.#batches(one), close: () => Promise.resolve(),
    }
  }

  async* #batches(one: PaperInstrument): AsyncGenerator<EventBatch, void, undefined> {
    const { entry: { instrument }, waiting } = one
    const { venue: { epochDay } } = this.parts
    const nothing = createBatch({
      instrument, epochDay,
      capacity: {
        eventCount: 0, rowCount: 0, tradeRowCount: 0, valueCount: 0, textCount: 0, textBytes: 0, tradeIdBytes: 0,
      },
    })
    for (;;) {
      const next = this.#isClosing ? undefined : waiting.shift()
      const reachedNs = this.#reachedNs(instrument.exchangeCode)
      if (next !== undefined) {
        this.#waitingCount -= next.to - next.from
        yield this.#lasting(next)
      } else if (reachedNs > one.reachedNs) {
        one.reachedNs = reachedNs
        yield nothing
      } else if (this.#error !== null) throw this.#error
      else if (this.isReplayOver) return
      else await this.#news
    }
  }

  /** The feed has come to this time: no line of before is on its way, but those within the lag. */
  #reachedNs(market: string): number {
    const { venue: { pace, epochDay } } = this.parts
    if (this.#isClosing) return Infinity
    return pace === 'wall' ? wallTimeNs(epochDay) : this.#marketNs.get(market) ?? -Infinity
  }

  /** Looks again and again, while the run goes on, whether time has passed without lines. */
  #look(heardNs: number): void {
    this.#disarm = afterMs(LOOK_MS, () => {
      // Another market of the replay has come so far: what this one had until then was sent before.
      for (const { market } of this.feeds)
        if (heardNs > (this.#marketNs.get(market) ?? -Infinity)) this.#marketNs.set(market, heardNs)
      this.#onNews()
      this.#look(this.heardNs)
    })
  }

  #await(): void {
    this.#news = new Promise((resolve) => {
      this.#onNews = () => {
        this.#await()
        resolve()
      }
    })
  }

  /** Lines that the run may keep, those of the current state as lines of before its begin. */
  #lasting({ batch, from, to }: Waiting): EventBatch {
    const own = copyBatch(sliceBatch(batch, from, to))
    for (let i = 0; i < own.count; i++) if ((own.adapterTimeNs[i] ?? NaN) <= this.#fromNs) this.#bringBefore(own, i)
    return own
  }

  /** A line of the current state: it stands when the run begins, and is none that comes late. */
  #bringBefore(batch: EventBatch, index: number): void {
    const { adapterTimeNs, exchangeTimeNs, rowTimeNs, tradeRowStart, kind } = batch
    const leastNs = this.#fromNs - this.parts.lagNs
    adapterTimeNs[index] = Math.min(adapterTimeNs[index] as number, this.#fromNs - 1)
    // The book keeps the time of its last line: changes that are on their way are later.
    if ((kind[index] as number) <= EVENT_KINDS.update) return
    adapterTimeNs[index] = Math.max(adapterTimeNs[index], leastNs)
    if ((exchangeTimeNs[index] as number) < leastNs) exchangeTimeNs[index] = leastNs
    for (let row = tradeRowStart[index] as number; row < (tradeRowStart[index + 1] as number); row++)
      if ((rowTimeNs[row] as number) < leastNs) rowTimeNs[row] = leastNs
  }
}
