import { createBatch, type WritableBatch } from './event-batch-columns.js'
import type { EventBatch, IdColumn, TextColumn } from './event-batch.js'
import { EVENT_KINDS, type EventKind } from './event-kind.js'

type ColumnArray = Float64Array | Uint32Array | Uint8Array

/** Runs of neighbours: events `from[k] .. to[k]`. */
interface Runs {
  readonly from: number[]
  readonly to: number[]
}

function runsOfKinds(batch: EventBatch, kinds: readonly EventKind[]): Runs {
  const wanted = new Uint8Array(256)
  for (const kind of kinds) wanted[EVENT_KINDS[kind]] = 1
  const runs: Runs = { from: [], to: [] }
  let inside = 0
  for (let i = 0; i <= batch.count; i++) {
    const now = i < batch.count ? wanted[batch.kind[i] ?? 0] ?? 0 : 0
    if (now === inside) continue
    if (now === 1) runs.from.push(i)
    else runs.to.push(i)
    inside = now
  }
  return runs
}

function innerRuns(runs: Runs, start: Uint32Array): Runs {
  return { from: runs.from.map((i) => start[i] ?? 0), to: runs.to.map((i) => start[i] ?? 0) }
}

function totalOf(runs: Runs): number {
  let total = 0
  for (let k = 0; k < runs.from.length; k++) total += (runs.to[k] ?? 0) - (runs.from[k] ?? 0)
  return total
}

function gather(target: ColumnArray, source: ColumnArray, runs: Runs): void {
  let at = 0
  for (let k = 0; k < runs.from.length; k++) {
    const part = source.subarray(runs.from[k], runs.to[k])
    target.set(part, at)
    at += part.length
  }
}

function gatherStarts(target: Uint32Array, source: Uint32Array, runs: Runs): void {
  let at = 0
  let end = 0
  for (let k = 0; k < runs.from.length; k++) {
    const from = runs.from[k] ?? 0
    const to = runs.to[k] ?? 0
    const shift = end - (source[from] ?? 0)
    for (let i = from; i < to; i++) target[++at] = (source[i + 1] ?? 0) + shift
    end = target[at] ?? 0
  }
}

function gatherIds(target: IdColumn, source: IdColumn, runs: Runs): void {
  gather(target.form, source.form, runs)
  gather(target.high, source.high, runs)
  gather(target.low, source.low, runs)
}

function gatherTexts(target: TextColumn, source: TextColumn, runs: Runs): void {
  gather(target.isNull, source.isNull, runs)
  gatherStarts(target.start, source.start, runs)
  gather(target.bytes, source.bytes, innerRuns(runs, source.start))
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
  const events = runsOfKinds(batch, kinds)
  const rows = innerRuns(events, batch.rowStart)
  const trades = innerRuns(events, batch.tradeRowStart)
  const values = innerRuns(events, batch.valueStart)
  const texts = innerRuns(events, batch.textStart)
  const capacity = {
    eventCount: totalOf(events),
    rowCount: totalOf(rows),
    tradeRowCount: totalOf(trades),
    tradeIdBytes: totalOf(innerRuns(trades, batch.tradeId.start)),
    valueCount: totalOf(values),
    textCount: totalOf(texts),
    textBytes: totalOf(innerRuns(texts, batch.text.start)),
  }
  const made: WritableBatch = createBatch({ instrument: batch.instrument, epochDay: batch.epochDay, capacity })
  const idTexts = [...batch.eventId.texts]
  made.previousEventId = { ...made.previousEventId, texts: idTexts }
  made.eventId = { ...made.eventId, texts: idTexts }
  made.priceScale = batch.priceScale
  made.quantityScale = batch.quantityScale
  made.firstEventIndex = batch.firstEventIndex
  made.count = capacity.eventCount
  for (const name of ['kind', 'flags', 'adapterTimeNs', 'exchangeTimeNs'] as const)
    gather(made[name], batch[name], events)
  gatherIds(made.previousEventId, batch.previousEventId, events)
  gatherIds(made.eventId, batch.eventId, events)
  for (const name of ['rowStart', 'tradeRowStart', 'valueStart', 'textStart'] as const)
    gatherStarts(made[name], batch[name], events)
  for (const name of ['side', 'price', 'quantity'] as const) gather(made[name], batch[name], rows)
  gather(made.rowTimeNs, batch.rowTimeNs, trades)
  gatherTexts(made.tradeId, batch.tradeId, trades)
  gather(made.values, batch.values, values)
  gather(made.valueScale, batch.valueScale, values)
  gatherTexts(made.text, batch.text, texts)
  return made
}
