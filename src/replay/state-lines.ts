import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'

/** Flags of lines that no file holds. */
export const MADE_FLAGS: number = EVENT_FLAGS.SEAM | EVENT_FLAGS.SILENCE | EVENT_FLAGS.CROSSED_GAP

/** The last line of a batch that a file holds; -1 where it has none. */
export function lastRecordedIndex({ flags, count }: EventBatch): number {
  let index = count - 1
  while (index >= 0 && ((flags[index] as number) & MADE_FLAGS) !== 0) index--
  return index
}

/**
 * True for a line that stands in no file: the state ERROR of a day without one, of a silence or of a crossed book,
 * which comes alone in its batch.
 */
export function isMadeUp({ kind, flags }: EventBatch, index: number): boolean {
  return kind[index] === EVENT_KINDS.state && ((flags[index] as number) & MADE_FLAGS) !== 0
}

/** Adapter time of the last snapshot or update before event `end` of a batch; NaN where it has none. */
export function lastDepthTimeNs(batch: EventBatch, end: number): number {
  for (let i = end - 1; i >= 0; i--)
    if ((batch.kind[i] as number) <= EVENT_KINDS.update) return batch.adapterTimeNs[i] as number
  return NaN
}

/**
 * True for a line that concerns the state of an instrument's market data: a state, a snapshot, a gap in the chain of
 * depth events, the end of a silence or of a crossed book.
 */
export function changesState({ kind, flags }: EventBatch, index: number): boolean {
  const k = kind[index] as number
  return (
    k === EVENT_KINDS.state ||
    k === EVENT_KINDS.snapshot ||
    ((flags[index] as number) & (k === EVENT_KINDS.update ? UPDATE_FLAGS : END_FLAGS)) !== 0
  )
}

/** Flags of any line that concern the state, and those of an update. */
const END_FLAGS = EVENT_FLAGS.SILENCE_END | EVENT_FLAGS.CROSSED_END
const UPDATE_FLAGS = EVENT_FLAGS.CHAIN_GAP | END_FLAGS

/** Lines of a batch for which {@link changesState} holds, ascending. */
export function stateLinesOf(batch: EventBatch): number[] {
  const lines: number[] = []
  const { kind, flags, count } = batch
  for (let i = 0; i < count; i++) {
    const k = kind[i]
    if (flags[i] === 0 && k !== EVENT_KINDS.state && k !== EVENT_KINDS.snapshot) continue
    if (changesState(batch, i)) lines.push(i)
  }
  return lines
}
