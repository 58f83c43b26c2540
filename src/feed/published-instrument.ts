import { copyRuns, createBatch } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, ID_FORMS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { Instrument } from '../model/instrument.js'
import { CROSSED_TEXT } from '../model/crossing.js'
import { SILENCE_TEXT } from '../model/silence.js'
import type { MarketDataState, MarketView, Topics } from '../venue/venue.js'
import type { PastLines } from './feed-source.js'
import { KeptLine } from './kept-line.js'

/** Kinds whose last line is part of the current state, in the order of sending, with the topic that asks for them. */
const CURRENT_KINDS: readonly (readonly [kind: number, topic: keyof Topics])[] = [
  [EVENT_KINDS.topOfBook, 'topOfBook'], [EVENT_KINDS.mark, 'markPrice'], [EVENT_KINDS.index, 'indexPrice'],
  [EVENT_KINDS.funding, 'fundingRate'],
]
const NO_ID = { high: 0x7fff_ffff, low: 0xffff_ffff }

/** A part of the current state: a line, or a state ERROR with its text. */
export type CurrentPart =
  | { readonly batch: EventBatch; readonly index: number }
  | { readonly error: string }

/**
 * One instrument as a feed publishes it: its last lines, and the current state that a new subscription begins with
 * (wire decisions, "after READY").
 */
export class PublishedInstrument {
  /** The next snapshot line is to be sent with forceReset: a replay began anew before it. */
  resetsNext = false
  #state: MarketDataState = 'PENDING'
  #text = ''
  readonly #depth = new KeptLine()
  readonly #kept: readonly (KeptLine | undefined)[]

  constructor(readonly instrument: Instrument, private readonly view: MarketView) {
    const kept: (KeptLine | undefined)[] = []
    kept[EVENT_KINDS.snapshot] = this.#depth
    kept[EVENT_KINDS.update] = this.#depth
    for (const [kind] of CURRENT_KINDS) kept[kind] = new KeptLine()
    this.#kept = kept
  }

  /** A line that is published now. */
  keep(batch: EventBatch, index: number): void {
    this.#kept[batch.kind[index] as number]?.set(batch, index)
  }

  /** The source begins, or begins anew: what came before is what it says. */
  begin({ lines, state, text }: PastLines): void {
    for (const line of this.#kept) line?.clear()
    for (const { batch, index } of lines) this.keep(batch, index)
    this.setState(state, text)
  }

  /** Batches are given back now. */
  release(): void {
    for (const line of this.#kept) line?.own()
  }

  /** The state of the market data, as its source reports it. */
  setState(state: MarketDataState, text: string): void {
    this.#state = state
    this.#text = text
  }

  /**
   * The lines and states that a subscription is sent after READY. A book that is not known has no snapshot, but the
   * reason.
   */
  currentParts(topics: Topics, isReset: boolean, nowNs: number, epochDay: number): CurrentPart[] {
    const { state } = this.view
    const isSilent = !Number.isNaN(SILENCE_TEXT.sinceNs(this.#text, epochDay))
    const isInGap = state === 'ERROR' && (isSilent || this.isCrossed(epochDay))
    const parts: CurrentPart[] = []
    if (topics.depth === true && (state === 'READY' || isInGap))
      parts.push({ batch: this.#snapshot(isReset, nowNs, epochDay), index: 0 })
    if (state !== 'READY' && state !== 'PENDING') parts.push({ error: this.#state === 'ERROR' ? this.#text : state })
    for (const [kind, topic] of CURRENT_KINDS) {
      const line = this.#kept[kind]
      if (topics[topic] === true && line !== undefined && line.batch !== null)
        parts.push({ batch: line.batch, index: line.index })
    }
    return parts
  }

  /** True in a gap of a crossed book (exchange rules 6.5). */
  isCrossed(epochDay: number): boolean {
    return this.#state === 'ERROR' && !Number.isNaN(CROSSED_TEXT.sinceNs(this.#text, epochDay))
  }

  /** True where a book is known, and a snapshot can be made of it. */
  get isReady(): boolean {
    return this.view.state === 'READY'
  }

  /** The depth book as a snapshot line: its id and exchange time are those of the last depth line. */
  #snapshot(isReset: boolean, nowNs: number, epochDay: number): EventBatch {
    const { book } = this.view
    const { bidLevelCount: bids, askLevelCount: asks } = book
    const capacity = {
      eventCount: 1, rowCount: bids + asks, tradeRowCount: 0, tradeIdBytes: 0, valueCount: 0, textCount: 0,
      textBytes: 0,
    }
    const batch = createBatch({ instrument: this.instrument, epochDay, capacity })
    batch.priceScale = book.priceScale
    batch.quantityScale = book.quantityScale
    batch.count = 1
    batch.kind[0] = EVENT_KINDS.snapshot
    batch.flags[0] = isReset ? EVENT_FLAGS.FORCE_RESET_GIVEN | EVENT_FLAGS.FORCE_RESET : 0
    batch.adapterTimeNs[0] = nowNs
    batch.previousEventId.form[0] = ID_FORMS.NUMBER
    this.#putId(batch)
    book.copyLevels('BID', bids, batch.price, batch.quantity)
    book.copyLevels('ASK', asks, batch.price.subarray(bids), batch.quantity.subarray(bids))
    batch.side.fill(1, bids)
    batch.rowStart[1] = bids + asks
    return batch
  }

  #putId(target: EventBatch): void {
    const { batch, index } = this.#depth
    const id = target.eventId
    target.exchangeTimeNs[0] = batch?.exchangeTimeNs[index] ?? NaN
    if (batch === null || batch.eventId.form[index] === ID_FORMS.NONE) {
      id.form[0] = ID_FORMS.NUMBER
      id.high[0] = NO_ID.high
      id.low[0] = NO_ID.low
      return
    }
    const { form, high, low, texts } = batch.eventId
    id.form[0] = form[index] as number
    id.high[0] = high[index] as number
    id.low[0] = low[index] as number
    if (form[index] !== ID_FORMS.TEXT) return
    id.low[0] = 0
    const own = id.texts as string[]
    own.push(texts[low[index] as number] ?? '')
  }
}

/** One line in memory of its own, a snapshot whose `forceReset` is true. */
export function resetLine(batch: EventBatch, index: number): EventBatch {
  const line = copyRuns(batch, { from: [index], to: [index + 1] })
  line.flags[0] = (line.flags[0] as number) | EVENT_FLAGS.FORCE_RESET_GIVEN | EVENT_FLAGS.FORCE_RESET
  return line
}
