import type { FeedState } from '../protocol/feed-messages.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { CROSSED_TEXT } from '../model/crossing.js'
import { SILENCE_TEXT } from '../model/silence.js'
import { timeFromEpochNs } from '../model/time.js'
import { madeState } from '../simulation/made-lines.js'
import { MarketSubscribers } from '../simulation/market-subscribers.js'
import type { InstrumentEntry } from '../venue/venue.js'
import { LiveMarket } from './live-market.js'
import { ReceivedFacts } from './received-facts.js'

/** Text of the state ERROR while there is no connection to the feed. */
const LOST_TEXT = 'the connection to the feed is lost'
/** The same behind a message that could not be read. */
const UNREADABLE_TEXT = 'a message of the feed could not be read'

/** One instrument over a feed: its market as received, and who receives its lines. */
export class LiveInstrument {
  readonly market: LiveMarket = new LiveMarket('fused')
  readonly subscribers: MarketSubscribers
  /** For the summary. */
  readonly facts: ReceivedFacts = new ReceivedFacts()
  /** True until the READY after a subscription has come. */
  isAwaited = true
  /** Flags of the next line: the feed has said that a silence or a crossing is over, and what ended it comes then. */
  #endFlags = 0
  #beside: Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'>

  constructor(
    readonly entry: InstrumentEntry, private readonly epochDay: number, private readonly nowNs: () => number,
  ) {
    this.subscribers = new MarketSubscribers(entry.instrument.id, this.market)
    this.#beside = entry
  }

  /**
   * A line of the feed. `isCurrent`: it is part of the current state behind a subscription that was made before
   * anybody could receive lines, and no callback is made.
   */
  line(batch: EventBatch, index: number, isCurrent: boolean): void {
    if (this.#endFlags !== 0) {
      batch.flags[index] = (batch.flags[index] as number) | this.#endFlags
      this.#endFlags = 0
    }
    this.#beside = batch
    this.#take(batch, index, isCurrent)
  }

  /** A state event of the feed. */
  state({ state, text, time }: FeedState, isCurrent: boolean): void {
    if (state === 'READY' && text === '') {
      if (this.isAwaited) {
        this.isAwaited = false
        this.#endFlags = this.#gapEnds()
        return
      }
      this.#endFlags = this.#gapEnds()
      if (this.#endFlags !== 0) return
    }
    const { epochDay } = this
    const isCrossed = !Number.isNaN(CROSSED_TEXT.sinceNs(text, epochDay))
    const isSilence = !Number.isNaN(SILENCE_TEXT.sinceNs(text, epochDay))
    const flag = isCrossed ? EVENT_FLAGS.CROSSED_GAP : isSilence ? EVENT_FLAGS.SILENCE : 0
    const beside = { ...pickScales(this.#beside), epochDay }
    this.#take(madeState(state, text, beside, timeFromEpochNs(time, epochDay), flag), 0, isCurrent)
  }

  /** The connection is gone: as a silence, which ends with the current state behind the next subscription. */
  lost(timeNs: number): void {
    this.#end(LOST_TEXT, timeNs)
  }

  /** A message is missing, and nothing says which: the same, until it has been subscribed again. */
  unreadable(timeNs: number): void {
    this.#end(UNREADABLE_TEXT, timeNs)
  }

  /** It is subscribed again: the next READY is the answer. */
  resubscribed(): void {
    this.isAwaited = true
    this.#endFlags = 0
  }

  /** The ends of the gaps that are on. */
  #gapEnds(): number {
    const { isSilent, isCrossed } = this.market
    return (isSilent ? EVENT_FLAGS.SILENCE_END : 0) | (isCrossed ? EVENT_FLAGS.CROSSED_END : 0)
  }

  #end(text: string, timeNs: number): void {
    this.resubscribed()
    if (this.market.isSilent) return
    const beside = { ...pickScales(this.#beside), epochDay: this.epochDay }
    this.#take(madeState('ERROR', text, beside, timeNs, EVENT_FLAGS.SILENCE), 0, false)
  }

  /** A line for the summary; those that the feed, or the client itself, has made are none of the market. */
  #note(batch: EventBatch, index: number, isCurrent: boolean): void {
    const isMade = ((batch.flags[index] as number) & (EVENT_FLAGS.SILENCE | EVENT_FLAGS.CROSSED_GAP)) !== 0
    if (isCurrent || isMade) this.facts.state(this.nowNs(), this.market)
    else this.facts.line(batch, index, this.nowNs(), this.market)
  }

  #take(batch: EventBatch, index: number, isCurrent: boolean): void {
    this.market.receive(batch, index)
    this.#note(batch, index, isCurrent)
    if (isCurrent) this.subscribers.replay(batch, index)
    else this.subscribers.hear(batch, index)
  }
}

function pickScales(
  { instrument, priceScale, quantityScale }: Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'>,
): Pick<EventBatch, 'instrument' | 'priceScale' | 'quantityScale'> {
  return { instrument, priceScale, quantityScale }
}
