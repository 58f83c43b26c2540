import { copyBatch, sliceBatch } from '../model/event-batch-columns.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { countsAgainstSilence, silenceText } from '../model/silence.js'
import { NS_PER_DAY } from '../model/time.js'
import { madeError, type Neighbour } from './made-lines.js'
import type { Staleness } from '../exchange/market/market-silence.js'

/** Lines of one batch: where silences begin before a line, and which lines end one. */
interface FoundSilences {
  readonly begins: { readonly index: number; readonly lastNs: number }[]
  readonly ends: number[]
}

/**
 * Follows the batches of one instrument in their order, and puts its silences in. Times count from the midnight of its
 * first day.
 */
export class SilenceWatch {
  #baseDay = NaN
  /** The running maximum of adapter time, and the same at the last counting line; Infinity where none counts. */
  #clockNs = -Infinity
  #lastNs = Infinity
  #isSilent = false

  constructor(private readonly staleness: Staleness) {}

  /** The next batch in parts, with the lines that begin its silences between them; as it is where it has none. */
  * parts(batch: EventBatch): Generator<EventBatch, void, undefined> {
    const found = this.#find(batch)
    if (found === null) {
      yield batch
      return
    }
    const copy = copyBatch(batch)
    for (const index of found.ends) copy.flags[index] = (copy.flags[index] as number) | EVENT_FLAGS.SILENCE_END
    let from = 0
    for (const { index, lastNs } of found.begins) {
      if (index > from) yield copyBatch(sliceBatch(copy, from, index))
      yield this.#begin(lastNs, copy)
      from = index
    }
    yield from === 0 ? copy : copyBatch(sliceBatch(copy, from, copy.count))
  }

  /** The silences of the next batch; null where it has none. */
  #find(batch: EventBatch): FoundSilences | null {
    if (Number.isNaN(this.#baseDay)) this.#baseDay = batch.epochDay
    const { kind, flags, adapterTimeNs, count } = batch
    const { afterNs, counts } = this.staleness
    const shiftNs = this.#shiftNs(batch)
    let found: FoundSilences | null = null
    let [clockNs, lastNs, isSilent] = [this.#clockNs, this.#lastNs, this.#isSilent]
    for (let i = 0; i < count; i++) {
      const timeNs = (adapterTimeNs[i] as number) + shiftNs
      if (timeNs > clockNs) clockNs = timeNs
      const k = kind[i] as number
      if (!isSilent && clockNs - lastNs > afterNs) {
        isSilent = true
        found ??= { begins: [], ends: [] }
        found.begins.push({ index: i, lastNs })
      }
      if (k === EVENT_KINDS.state && ((flags[i] as number) & EVENT_FLAGS.SEAM) !== 0) {
        // A day without a file is a gap of its own: nothing is awaited in it.
        if (!isSilent) lastNs = Infinity
      } else if (countsAgainstSilence(k, counts)) {
        if (isSilent) {
          isSilent = false
          found ??= { begins: [], ends: [] }
          found.ends.push(i)
        }
        lastNs = clockNs
      }
    }
    this.#clockNs = clockNs
    this.#lastNs = lastNs
    this.#isSilent = isSilent
    return found
  }

  /** The line that begins a silence after the line at `lastNs`, at the scales and in the day of a batch beside it. */
  #begin(lastNs: number, beside: Neighbour): EventBatch {
    const timeNs = lastNs + this.staleness.afterNs - this.#shiftNs(beside)
    return madeError(silenceText(lastNs, this.#baseDay), beside, timeNs, EVENT_FLAGS.SILENCE)
  }

  /**
   * The silence behind the last batch, where it is detected before 24:00 of a day (null: whenever); null where there is
   * none.
   */
  end(last: Neighbour, lastEpochDay: number | null): EventBatch | null {
    const endNs = lastEpochDay === null ? Infinity : (lastEpochDay + 1 - this.#baseDay) * NS_PER_DAY
    const isBefore = this.#lastNs + this.staleness.afterNs < endNs
    return this.#isSilent || this.#lastNs === Infinity || !isBefore ? null : this.#begin(this.#lastNs, last)
  }

  #shiftNs({ epochDay }: Neighbour): number {
    return (epochDay - this.#baseDay) * NS_PER_DAY
  }
}

/**
 * Batches of one instrument with a state ERROR (flag SILENCE) where its data are silent (exchange rules 6.4): that long
 * behind the last counting line, where the next one is later than that or the data end before 24:00 of their last day.
 * The first counting line behind it has the flag SILENCE_END. Counting begins with the first counting line; a snapshot
 * that stitching makes is one, as it stands for the book of the margin. A batch without a silence passes as it is; the
 * others are copied.
 */
export async function* withSilences(
  batches: AsyncIterable<EventBatch>, staleness: Staleness | null, lastEpochDay: number | null,
): AsyncGenerator<EventBatch, void, undefined> {
  if (staleness === null) {
    yield* batches
    return
  }
  const watch = new SilenceWatch(staleness)
  let last: Neighbour | null = null
  for await (const batch of batches) {
    const { instrument, epochDay, priceScale, quantityScale } = batch
    if (batch.count > 0) last = { instrument, epochDay, priceScale, quantityScale }
    yield* watch.parts(batch)
  }
  const end = last === null ? null : watch.end(last, lastEpochDay)
  if (end !== null) yield end
}
