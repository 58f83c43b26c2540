import { EVENT_KINDS } from '../model/event-kind.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'
import { dayText, NS_PER_DAY } from '../model/time.js'
import { madeError } from './made-lines.js'

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
  return madeError(
    missingDayText(epochDay), { instrument, epochDay, priceScale, quantityScale }, 0, EVENT_FLAGS.SEAM,
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
