import { type EventBatch, ID_FORMS, type IdColumn } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { LineEncoder } from '../lines/line-encoder.js'

/**
 * The distance from midnight up to which the events of two files are matched: the margin that a file has behind its day
 * (spec 4, section 1).
 */
export const SEAM_WINDOW_NS = 60_000_000_000

/**
 * Text that two ids share exactly when they are equal; null where the id says nothing (none, 0, the "no id" number of
 * spec 4).
 */
export function idKey(ids: IdColumn, index: number): string | null {
  const high = ids.high[index] as number
  const low = ids.low[index] as number
  if (ids.form[index] === ID_FORMS.TEXT) {
    const text = ids.texts[low] as string
    return text === '' ? null : text
  }
  if (ids.form[index] === ID_FORMS.NONE || (high === 0 && low === 0) || (high === 0x7fffffff && low === 0xffffffff))
    return null
  return `${String(high)}:${String(low)}`
}

interface Entry {
  readonly isAfter: boolean
  readonly timeNs: number
  readonly hasId: boolean
}

/**
 * The events of the earlier file around midnight, for the later file to find. By kind and id where there is one; else
 * by the whole line, which matches only where both files hold the same recording. What occurs twice identifies nothing.
 */
export class SeamKeys {
  private readonly entries = new Map<string, Entry>()
  private readonly ambiguous = new Map<string, Entry[]>()
  private readonly encoder = new LineEncoder()
  private readonly decoder = new TextDecoder('latin1')

  /** Notes an event of the earlier file; `timeNs` counts from the seam. */
  note(batch: EventBatch, index: number, timeNs: number): void {
    const { key, hasId } = this.keyOf(batch, index)
    const entry: Entry = { isAfter: timeNs >= 0, timeNs, hasId }
    const doubled = this.ambiguous.get(key)
    const known = this.entries.get(key)
    if (doubled !== undefined) doubled.push(entry)
    else if (known === undefined) this.entries.set(key, entry)
    else {
      this.entries.delete(key)
      this.ambiguous.set(key, [known, entry])
    }
  }

  /**
   * Where the earlier file has an event of the later one: `before` midnight, `after` it, or null: not found. An event
   * is found once.
   */
  match(batch: EventBatch, index: number): 'before' | 'after' | null {
    const { key } = this.keyOf(batch, index)
    const entry = this.entries.get(key)
    if (entry === undefined) return null
    this.entries.delete(key)
    return entry.isAfter ? 'after' : 'before'
  }

  /** True where a book event with this id was noted before midnight and not found yet. */
  awaitsBookEvent(id: string): boolean {
    return [EVENT_KINDS.snapshot, EVENT_KINDS.update].some(
      (kind) => this.entries.get(`${String(kind)} ${id}`)?.isAfter === false,
    )
  }

  /** True where an event of the later file can be known from others: its id, if it has one, names one event only. */
  isCertain(batch: EventBatch, index: number): boolean {
    const { key, hasId } = this.keyOf(batch, index)
    return hasId && !this.ambiguous.has(key)
  }

  /** Delivered events of the earlier file from `sinceNs` on that nothing identifies and no line matched. */
  uncertainCount(sinceNs: number): number {
    let count = 0
    for (const { isAfter, timeNs, hasId } of this.entries.values()) if (!isAfter && !hasId && timeNs >= sinceNs) count++
    for (const doubled of this.ambiguous.values())
      for (const { isAfter, timeNs } of doubled) if (!isAfter && timeNs >= sinceNs) count++
    return count
  }

  private keyOf(batch: EventBatch, index: number): { key: string; hasId: boolean } {
    const id = idKey(batch.eventId, index)
    if (id !== null) return { key: `${String(batch.kind[index])} ${id}`, hasId: true }
    this.encoder.encode(batch, index, index + 1)
    const key = this.decoder.decode(this.encoder.sink.slice())
    this.encoder.sink.drop(this.encoder.sink.count)
    return { key, hasId: false }
  }
}
