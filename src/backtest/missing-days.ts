import { createBatch } from '../model/event-batch-columns.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import type { Instrument } from '../model/instrument.js'
import { dayText } from '../model/time.js'

/** Scales of the batches around an event that no file holds. */
type Scales = Pick<EventBatch, 'priceScale' | 'quantityScale'>

const ERROR_STATE = 'ERROR'

/** A state ERROR at 00:00 of a day that no file of the instrument covers: from there its books are not to be trusted (exchange rules 6.1). */
function missingDay(instrument: Instrument, epochDay: number, scales: Scales): EventBatch {
  const words = [ERROR_STATE, `no file of ${dayText(epochDay)}`].map((word) => new TextEncoder().encode(word))
  const textBytes = words.reduce((sum, { length }) => sum + length, 0)
  const capacity = { eventCount: 1, rowCount: 0, tradeRowCount: 0, valueCount: 0, textCount: words.length, textBytes, tradeIdBytes: 0 }
  const batch = createBatch({ instrument, epochDay, capacity })
  Object.assign(batch, { priceScale: scales.priceScale, quantityScale: scales.quantityScale, count: 1 })
  batch.kind[0] = EVENT_KINDS.state
  // As of the snapshots that stitching makes: what no file holds.
  batch.flags[0] = EVENT_FLAGS.SEAM
  batch.adapterTimeNs[0] = 0
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

/**
 * Batches of one instrument over the days of a run, with a state ERROR at the first midnight of every stretch of days that none
 * of its files covers: before, between and after them.
 */
export async function* withMissingDays(
  batches: AsyncIterable<EventBatch>, instrument: Instrument, days: readonly number[], span: { readonly first: number; readonly last: number },
): AsyncGenerator<EventBatch, void, undefined> {
  const covered = new Set(days)
  const missing: number[] = []
  for (let day = span.first; day <= span.last; day++) if (!covered.has(day) && (day === span.first || covered.has(day - 1))) missing.push(day)
  let scales: Scales = { priceScale: 0, quantityScale: 0 }
  for await (const batch of batches) {
    scales = batch
    while (missing.length > 0 && batch.count > 0 && (missing[0] as number) <= batch.epochDay) yield missingDay(instrument, missing.shift() as number, scales)
    yield batch
  }
  for (const day of missing) yield missingDay(instrument, day, scales)
}
