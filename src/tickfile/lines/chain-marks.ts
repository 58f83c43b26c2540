import { EVENT_FLAGS, ID_FORMS, type EventBatch } from '../../model/event-batch.js'
import { CHAIN_COUNT, CHAIN_OF_KIND } from './tick-line.js'

const NO_ID = 255
const UNSEEN_TEXT = 0xffff_ffff

/**
 * Marks chain gaps and steps back of the adapter clock in a pass over the columns of one batch after the other. A gap
 * is a `prevEventId` that is neither "0" nor the chain's last `eventId` (spec 4, section 4); a snapshot, which resets,
 * is none, and neither is the first event of a chain: what came before the file is unknown.
 */
export class ChainMarks {
  readonly #form: Uint8Array = new Uint8Array(CHAIN_COUNT).fill(NO_ID)
  readonly #high: Uint32Array = new Uint32Array(CHAIN_COUNT)
  readonly #low: Uint32Array = new Uint32Array(CHAIN_COUNT)
  readonly #texts: string[] = new Array<string>(CHAIN_COUNT).fill('')
  #latestNs = -Infinity

  mark(batch: EventBatch): void {
    this.begin(batch)
    this.markEvents(batch, 0, batch.count)
    this.end(batch)
  }

  /** A batch begins that is marked in parts by {@link markEvents}. */
  begin(batch: EventBatch): void {
    this.#enterTexts(batch.eventId.texts)
  }

  /** Marks the events `from` (inclusive) to `to` (exclusive) of the batch that has begun. */
  markEvents(batch: EventBatch, from: number, to: number): void {
    this.#markClock(batch, from, to)
    this.#markChains(batch, from, to)
  }

  /** No event of the batch follows. */
  end(batch: EventBatch): void {
    for (let chain = 0; chain < CHAIN_COUNT; chain++) {
      if (this.#form[chain] === ID_FORMS.TEXT)
        this.#texts[chain] = batch.eventId.texts[this.#low[chain] ?? 0] ?? this.#texts[chain] ?? ''
    }
  }

  /** Texts are numbered anew in every batch. */
  #enterTexts(texts: readonly string[]): void {
    for (let chain = 0; chain < CHAIN_COUNT; chain++) {
      if (this.#form[chain] !== ID_FORMS.TEXT) continue
      const index = texts.indexOf(this.#texts[chain] ?? '')
      this.#low[chain] = index < 0 ? UNSEEN_TEXT : index
    }
  }

  #markClock(batch: EventBatch, from: number, to: number): void {
    const { adapterTimeNs, flags } = batch
    let latest = this.#latestNs
    for (let i = from; i < to; i++) {
      const time = adapterTimeNs[i] ?? 0
      if (time < latest) flags[i] = (flags[i] ?? 0) | EVENT_FLAGS.CLOCK_STEPPED_BACK
      else latest = time
    }
    this.#latestNs = latest
  }

  #markChains(batch: EventBatch, from: number, to: number): void {
    const { kind, flags } = batch
    const { form: previousForm, high: previousHigh, low: previousLow } = batch.previousEventId
    const { form, high, low } = batch.eventId
    for (let i = from; i < to; i++) {
      const kindOfEvent = kind[i] ?? 0
      const chain = CHAIN_OF_KIND[kindOfEvent] ?? -1
      if (chain < 0) continue
      const isKnown = kindOfEvent === 0 || this.#form[chain] === NO_ID
      const isStart = previousForm[i] === ID_FORMS.NUMBER && previousLow[i] === 0 && previousHigh[i] === 0
      if (
        !isKnown &&
        !isStart &&
        (previousLow[i] !== this.#low[chain] ||
          previousHigh[i] !== this.#high[chain] ||
          previousForm[i] !== this.#form[chain])
      ) {
        flags[i] = (flags[i] ?? 0) | EVENT_FLAGS.CHAIN_GAP
      }
      this.#form[chain] = form[i] ?? 0
      this.#high[chain] = high[i] ?? 0
      this.#low[chain] = low[i] ?? 0
    }
  }
}
