import { createBatch, copyBatch, sliceBatch } from '../model/event-batch-columns.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'
import { dayText, NS_PER_DAY } from '../model/time.js'
import { countsAgainstSilence, SILENCE_TEXT } from '../model/silence.js'
import type { LiveTimes } from '../replay/feed-input.js'
import type { Staleness } from '../exchange/market/market-silence.js'

/** The fields that a line that no file holds takes from the batch beside it: its day and its scales. */
export type Neighbour = Pick<EventBatch, 'instrument' | 'epochDay' | 'priceScale' | 'quantityScale'>

/**
 * A state that no file holds, alone in its batch; `timeNs` is its adapter time since 00:00 of that day, `flag` one of
 * `EVENT_FLAGS`, or 0.
 */
export function madeState(
  state: 'READY' | 'ERROR', text: string, { instrument, epochDay, priceScale, quantityScale }: Neighbour,
  timeNs: number, flag: number,
): EventBatch {
  const words = [state, text].map((word) => new TextEncoder().encode(word))
  const batch = createBatch({
    instrument, epochDay,
    capacity: {
      eventCount: 1, rowCount: 0, tradeRowCount: 0, valueCount: 0, textCount: words.length,
      textBytes: words.reduce((sum, { length }) => sum + length, 0), tradeIdBytes: 0,
    },
  })
  Object.assign(batch, { priceScale, quantityScale, count: 1 })
  batch.kind[0] = EVENT_KINDS.state
  batch.flags[0] = flag
  batch.adapterTimeNs[0] = timeNs
  batch.exchangeTimeNs[0] = NaN
  batch.textStart[1] = words.length
  let end = 0
  for (const [index, word] of words.entries()) {
    batch.text.bytes.set(word, end)
    end += word.length
    batch.text.start[index + 1] = end
  }
  return batch
}

/** Scales of the batches around an event that no file holds. */
type Scales = Pick<EventBatch, 'priceScale' | 'quantityScale'>

const NO_FILE = 'no file of '

/** `no file of 2024-07-18`. */
export function missingDayText(epochDay: number): string {
  return `${NO_FILE}${dayText(epochDay)}`
}

/** True for a text of {@link missingDayText}. */
export function isMissingDay(text: string): boolean {
  return text.startsWith(NO_FILE)
}

/**
 * A state ERROR at 00:00 of a day that no file of the instrument covers: from there its books are not to be trusted
 * (exchange rules 6.1).
 */
function missingDay(instrument: Instrument, epochDay: number, { priceScale, quantityScale }: Scales): EventBatch {
  return madeState(
    'ERROR', missingDayText(epochDay), { instrument, epochDay, priceScale, quantityScale }, 0, EVENT_FLAGS.SEAM,
  )
}

/**
 * Batches of one instrument over the days of a run, with a state ERROR at the first midnight of every stretch of days
 * that none of its files covers: before, between and after them. The book that the next file begins with was there
 * before its day, but nobody who has its days alone knew of it: it happens no sooner than what comes behind it.
 */
export async function* withMissingDays(
  batches: AsyncIterable<EventBatch>, instrument: Instrument, days: readonly number[],
  span: { readonly first: number; readonly last: number },
): AsyncGenerator<EventBatch, void, undefined> {
  const covered = new Set(days)
  const missing: number[] = []
  for (let day = span.first; day <= span.last; day++)
    if (!covered.has(day) && (day === span.first || covered.has(day - 1))) missing.push(day)
  let scales: Scales = { priceScale: 0, quantityScale: 0 }
  let begin: EventBatch | null = null
  for await (const batch of batches) {
    scales = batch
    if (begin !== null) yield beginning(begin, batch)
    begin = null
    const isAfterMissing = batch.count > 0 && missing.length > 0 && (missing[0] as number) <= batch.epochDay
    while (batch.count > 0 && missing.length > 0 && (missing[0] as number) <= batch.epochDay)
      yield missingDay(instrument, missing.shift() as number, scales)
    if (isAfterMissing && isSeamSnapshot(batch)) begin = batch
    else yield batch
  }
  if (begin !== null) yield beginning(begin, null)
  for (const day of missing) yield missingDay(instrument, day, scales)
}

/** Snapshots that stitching makes come alone, in memory of their own. */
function isSeamSnapshot({ kind, flags, count }: EventBatch): boolean {
  return count === 1 && kind[0] === EVENT_KINDS.snapshot && ((flags[0] as number) & EVENT_FLAGS.SEAM) !== 0
}

/**
 * The snapshot after a missing day, at its midnight at the exchange too, or with the first line behind it where that
 * happened before.
 */
function beginning(snapshot: EventBatch, behind: EventBatch | null): EventBatch {
  let sooner = 0
  const shiftNs = behind === null ? 0 : (behind.epochDay - snapshot.epochDay) * NS_PER_DAY
  for (let i = 0; i < (behind?.count ?? 0); i++) {
    const { kind, exchangeTimeNs } = behind as EventBatch
    const timeNs = (exchangeTimeNs[i] as number) + shiftNs
    // Of a line without an exchange time nothing is known: that is no number, and below none.
    if ((kind[i] as number) <= EVENT_KINDS.update && timeNs < sooner) sooner = timeNs
  }
  if ((snapshot.exchangeTimeNs[0] as number) < sooner) snapshot.exchangeTimeNs[0] = sooner
  return snapshot
}

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
    return madeState(
      'ERROR', SILENCE_TEXT.textOf(lastNs, this.#baseDay), beside,
      lastNs + this.staleness.afterNs - this.#shiftNs(beside), EVENT_FLAGS.SILENCE,
    )
  }

  /**
   * The silence behind the last batch, where it is detected before 24:00 of a day (null: whenever); null where there is
   * none.
   */
  end(last: Neighbour, lastEpochDay: number | null): EventBatch | null {
    return this.until(last, lastEpochDay === null ? Infinity : (lastEpochDay + 1 - this.#baseDay) * NS_PER_DAY)
  }

  /** The silence that is detected before a time to which no line has come; null where there is none. */
  until(last: Neighbour, endNs: number): EventBatch | null {
    const isBefore = this.#lastNs + this.staleness.afterNs < endNs
    if (this.#isSilent || this.#lastNs === Infinity || !isBefore) return null
    this.#isSilent = true
    return this.#begin(this.#lastNs, last)
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
 * others are copied. An empty batch of `live` lines says that they have come further: a silence may have begun.
 */
export async function* withSilences(
  batches: AsyncIterable<EventBatch>, staleness: Staleness | null, lastEpochDay: number | null,
  live?: LiveTimes,
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
    const beforeNs = live === undefined || batch.count > 0 ? -Infinity : live.reachedNs() - live.lagNs
    const begun = last === null || beforeNs === Infinity ? null : watch.until(last, beforeNs)
    if (begun !== null) yield begun
    yield* watch.parts(batch)
  }
  const end = last === null ? null : watch.end(last, lastEpochDay)
  if (end !== null) yield end
}
