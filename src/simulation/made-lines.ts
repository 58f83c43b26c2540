import { createBatch } from '../model/event-batch-columns.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import type { EventBatch } from '../model/event-batch.js'

/** The fields that a line that no file holds takes from the batch beside it: its day and its scales. */
export type Neighbour = Pick<EventBatch, 'instrument' | 'epochDay' | 'priceScale' | 'quantityScale'>

const ERROR_STATE = 'ERROR'

/**
 * A state ERROR that no file holds, alone in its batch; `timeNs` is its adapter time since 00:00 of that day, `flag`
 * one of `EVENT_FLAGS`.
 */
export function madeError(
  text: string, { instrument, epochDay, priceScale, quantityScale }: Neighbour, timeNs: number, flag: number,
): EventBatch {
  const words = [ERROR_STATE, text].map((word) => new TextEncoder().encode(word))
  const textBytes = words.reduce((sum, { length }) => sum + length, 0)
  const capacity = {
    eventCount: 1, rowCount: 0, tradeRowCount: 0, valueCount: 0, textCount: words.length, textBytes, tradeIdBytes: 0,
  }
  const batch = createBatch({ instrument, epochDay, capacity })
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
