import { BacktapeError } from '../model/error.js'
import { BATCH_EVENT_LIMIT, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS, EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import type { TickEvent } from '../model/events.js'
import { eventFromBatch } from './event-view.js'
import { copyBatch } from '../model/event-batch-columns.js'
import { filterBatch } from '../model/event-batch-filter.js'

/** Which events are wanted. */
export interface EventFilter {
  readonly kinds: readonly EventKind[]
  /** First clock time, in nanoseconds since midnight of the batches' `epochDay`; inclusive. */
  readonly fromNs: number
  /** End of the clock time, exclusive. */
  readonly toNs: number
}

/** The kinds asked for, all where none are named. Throws OPTION_INVALID for a word that is no kind. */
export function kindsOf(kinds: readonly EventKind[] | undefined): readonly EventKind[] {
  for (const name of kinds ?? []) {
    if (!Object.hasOwn(EVENT_KINDS, name)) {
      const expected = EVENT_KIND_NAMES.join(', ')
      throw new BacktapeError('OPTION_INVALID', `Cannot select events: kind must be one of ${expected}, found ${JSON.stringify(name)}`, {
        field: 'kinds',
        expected,
        found: name.slice(0, 80),
      })
    }
  }
  return kinds ?? EVENT_KIND_NAMES
}

/** One bit for each msgType. */
function kindMask(kinds: readonly EventKind[]): number {
  return kinds.reduce((mask, name) => mask | (1 << EVENT_KINDS[name]), 0)
}

/**
 * Iterates the events of batches as objects. Written by hand: a generator would cost twice as much per event.
 * The filter works on columns before any object exists; the clock is adapter time, never stepping back.
 */
export class EventIterator implements AsyncIterableIterator<TickEvent> {
  private readonly batches: AsyncIterator<EventBatch>
  private readonly filterOf: (batch: EventBatch) => EventFilter
  private batch: EventBatch | null = null
  private filter: EventFilter | null = null
  /** Positions of the wanted events in `batch`, and their ordinals in the file. */
  private readonly wanted: Uint32Array = new Uint32Array(BATCH_EVENT_LIMIT)
  private readonly ordinals: Float64Array = new Float64Array(BATCH_EVENT_LIMIT)
  private wantedCount = 0
  private position = 0
  private clockNs = -Infinity
  private ended = false
  private pending: Promise<unknown> = Promise.resolve()

  constructor(batches: AsyncIterator<EventBatch>, filterOf: (batch: EventBatch) => EventFilter) {
    this.batches = batches
    this.filterOf = filterOf
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<TickEvent, undefined>> {
    if (this.position < this.wantedCount) return Promise.resolve({ done: false, value: this.take() })
    const step = this.pending.then(() => this.advance())
    this.pending = step.catch(() => undefined)
    return step
  }

  async return(): Promise<IteratorResult<TickEvent, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }

  private take(): TickEvent {
    const at = this.position++
    return eventFromBatch(this.batch as EventBatch, this.wanted[at] as number, this.ordinals[at] as number)
  }

  private async advance(): Promise<IteratorResult<TickEvent, undefined>> {
    while (this.position >= this.wantedCount) {
      if (this.ended) return { done: true, value: undefined }
      const step = await this.batches.next()
      if (step.done === true) this.ended = true
      else this.select(step.value)
    }
    if (this.ended) await this.close(true)
    return { done: false, value: this.take() }
  }

  /** Marks the wanted events of a batch and takes a copy of it where there are any. */
  private select(batch: EventBatch): void {
    this.filter ??= this.filterOf(batch)
    const { kinds, fromNs, toNs } = this.filter
    const { kind, adapterTimeNs, count, firstEventIndex } = batch
    const mask = kindMask(kinds)
    // A copy that holds only a few wanted events lets a caller keep them without keeping the day.
    const isSparse = isRare(kind, count, mask)
    let clock = this.clockNs
    let found = 0
    let position = 0
    for (let index = 0; index < count; index++) {
      const time = adapterTimeNs[index] as number
      if (time > clock) clock = time
      if (clock >= toNs) {
        this.ended = true
        break
      }
      const matches = ((mask >>> (kind[index] as number)) & 1) === 1
      if (matches && clock >= fromNs) {
        this.wanted[found] = isSparse ? position : index
        this.ordinals[found++] = firstEventIndex + index
      }
      if (matches) position++
    }
    this.clockNs = clock
    this.position = 0
    this.wantedCount = found
    this.batch = found === 0 ? null : isSparse ? filterBatch(batch, kinds) : copyBatch(batch)
  }

  private async close(keepRest = false): Promise<void> {
    this.ended = true
    if (!keepRest) this.wantedCount = this.position = 0
    await this.batches.return?.()
  }
}

/** Whether fewer than half of the events are of the kinds. */
function isRare(kind: Uint8Array, count: number, mask: number): boolean {
  let matches = 0
  for (let index = 0; index < count; index++) matches += (mask >>> (kind[index] as number)) & 1
  return matches * 2 < count
}
