import { copyRuns } from './event-batch-columns.js'
import type { EventBatch } from './event-batch.js'
import { EVENT_KINDS, type EventKind } from './event-kind.js'
import type { Runs } from './runs.js'

function runsOfKinds(batch: EventBatch, kinds: readonly EventKind[]): Runs {
  const wanted = new Uint8Array(256)
  for (const kind of kinds) wanted[EVENT_KINDS[kind]] = 1
  const from: number[] = []
  const to: number[] = []
  let inside = 0
  for (let i = 0; i <= batch.count; i++) {
    const now = i < batch.count ? wanted[batch.kind[i] ?? 0] ?? 0 : 0
    if (now === inside) continue
    if (now === 1) from.push(i)
    else to.push(i)
    inside = now
  }
  return { from, to }
}

/**
 * The events of the given kinds, column by column, in own memory. `firstEventIndex` is that of the batch filtered: the
 * events kept are no longer neighbours in the file, so their ordinals do not follow from it.
 *
 * @example
 * ```ts
 * import { BATCH_CAPACITY, createBatch, filterBatch } from 'backtape/columns'
 * const empty = createBatch({ instrument: { id: 1 } as never, epochDay: 0, capacity: BATCH_CAPACITY })
 * if (filterBatch(empty, ['trades']).count !== 0) throw new Error('nothing to keep')
 * ```
 */
export function filterBatch(batch: EventBatch, kinds: readonly EventKind[]): EventBatch {
  return copyRuns(batch, runsOfKinds(batch, kinds))
}
