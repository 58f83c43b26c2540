import { BacktapeError } from '../model/error.js'
import { BATCH_EVENT_LIMIT, EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS, EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import type { TickEvent } from '../model/events.js'
import { copyBatch } from '../model/event-batch-columns.js'
import { unlessStopped, type StopSignal } from '../model/stop-signal.js'
import { filterBatch } from '../model/event-batch-filter.js'
import { epochNsFromTime, NS_PER_DAY } from '../model/time.js'
import { eventFromBatch } from './event-view.js'
import type { DataSpan } from './window-words.js'

/** The events that an iteration saw of one stream. */
export interface SeenEvents extends DataSpan {
  /** Wanted events, made snapshots not counted. */
  readonly foundCount: number
}

/** Batches that follow each other in time, of one instrument, and which clock times of them are wanted. */
export interface EventStream {
  readonly batches: AsyncIterator<EventBatch>
  /** From the midnight of `epochDay`: first clock time, inclusive, and end, exclusive. */
  spanOf(epochDay: number): { readonly fromNs: number; readonly toNs: number }
  /** The first batch has come. */
  begin(): void
  /** The stream, or the part of it that was wanted, is over. */
  end(seen: SeenEvents): void
}

/** The kinds asked for, all where none are named. Throws OPTION_INVALID for a word that is no kind. */
export function kindsOf(kinds: readonly EventKind[] | undefined): readonly EventKind[] {
  for (const name of kinds ?? []) {
    if (!Object.hasOwn(EVENT_KINDS, name)) {
      const expected = EVENT_KIND_NAMES.join(', ')
      throw new BacktapeError(
        'OPTION_INVALID',
        `Cannot select events: kind must be one of ${expected}, found ${JSON.stringify(name)}`,
        {
          field: 'kinds',
          expected,
          found: name.slice(0, 80),
        },
      )
    }
  }
  return kinds ?? EVENT_KIND_NAMES
}

/** The position of the reading in one stream. */
class StreamState {
  foundCount = 0
  clockNs = -Infinity
  fromNs = -Infinity
  toNs = Infinity
  epochDay = NaN
  firstEpochNs: bigint | null = null

  constructor(readonly stream: EventStream) {}

  /** Times count from the midnight of each file's day. */
  enterDay(epochDay: number): void {
    if (epochDay === this.epochDay) return
    if (Number.isNaN(this.epochDay)) this.stream.begin()
    else this.clockNs -= (epochDay - this.epochDay) * NS_PER_DAY
    this.epochDay = epochDay
    const { fromNs, toNs } = this.stream.spanOf(epochDay)
    this.fromNs = fromNs
    this.toNs = toNs
  }

  end(isWhole: boolean): void {
    const { firstEpochNs: first, foundCount } = this
    const last = first === null ? null : epochNsFromTime(this.clockNs, this.epochDay)
    this.stream.end({ first, last, isWhole, foundCount })
  }
}

/**
 * Iterates the events of streams, one stream after the other, as objects. Written by hand: a generator would cost twice
 * as much per event. The filter works on columns before any object exists; the clock is adapter time, never stepping
 * back.
 */
export class EventIterator implements AsyncIterableIterator<TickEvent> {
  private readonly mask: number
  private state: StreamState | null = null
  private batch: EventBatch | null = null
  /** Positions of the wanted events in `batch`, and their ordinals in the file. */
  private readonly wanted: Uint32Array = new Uint32Array(BATCH_EVENT_LIMIT)
  private readonly ordinals: Float64Array = new Float64Array(BATCH_EVENT_LIMIT)
  private wantedCount = 0
  private position = 0
  private ended = false
  private pending: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly streams: AsyncIterator<EventStream>, private readonly kinds: readonly EventKind[],
    private readonly signal?: StopSignal | undefined,
  ) {
    this.mask = kinds.reduce((mask, name) => mask | (1 << EVENT_KINDS[name]), 0)
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
    this.ended = true
    this.wantedCount = this.position = 0
    await this.state?.stream.batches.return?.()
    await this.streams.return?.()
    return { done: true, value: undefined }
  }

  private take(): TickEvent {
    const at = this.position++
    return eventFromBatch(this.batch as EventBatch, this.wanted[at] as number, this.ordinals[at] as number)
  }

  private async advance(): Promise<IteratorResult<TickEvent, undefined>> {
    while (this.position >= this.wantedCount) {
      if (this.ended) return { done: true, value: undefined }
      await this.unlessStopped(this.readOn())
    }
    return { done: false, value: this.take() }
  }

  /** A day that was opened without the signal goes on by itself: its readings are closed. */
  private async unlessStopped(work: Promise<void>): Promise<void> {
    try {
      await unlessStopped(work, this.signal, 'the events')
    } catch (error) {
      if (this.signal?.aborted === true) void this.return().catch(() => undefined)
      throw error
    }
  }

  /** Reads the next batch, or opens the next stream. */
  private async readOn(): Promise<void> {
    const { state } = this
    if (state === null) {
      const opened = await this.streams.next()
      if (opened.done === true) this.ended = true
      else this.state = new StreamState(opened.value)
      return
    }
    const step = await state.stream.batches.next()
    if (step.done !== true && !this.select(step.value, state)) return
    this.state = null
    if (step.done !== true) await state.stream.batches.return?.()
    state.end(step.done === true)
  }

  /**
   * Marks the wanted events of a batch and takes a copy of it where there are any; true where the clock has reached the
   * end of the span.
   */
  private select(batch: EventBatch, state: StreamState): boolean {
    state.enterDay(batch.epochDay)
    const { mask } = this
    const { kind, adapterTimeNs, count, firstEventIndex } = batch
    const { fromNs, toNs } = state
    // A copy that holds only a few wanted events lets a caller keep them without keeping the day.
    const isSparse = isRare(kind, count, mask)
    let clock = state.clockNs
    let found = 0
    let position = 0
    const isMadeAlone = isMade(batch)
    let isOver = false
    for (let index = 0; index < count; index++) {
      const time = adapterTimeNs[index] as number
      if (time > clock) clock = time
      if (clock >= toNs) {
        isOver = !isMadeAlone
        break
      }
      const matches = ((mask >>> (kind[index] as number)) & 1) === 1
      if (matches && clock >= fromNs) {
        this.wanted[found] = isSparse ? position : index
        this.ordinals[found++] = firstEventIndex + index
      }
      if (matches) position++
    }
    state.clockNs = clock
    if (!isMadeAlone) {
      state.foundCount += found
      if (count > 0) state.firstEpochNs ??= epochNsFromTime(adapterTimeNs[0] as number, batch.epochDay)
    }
    this.position = 0
    this.wantedCount = found
    this.batch = found === 0 ? null : isSparse ? filterBatch(batch, this.kinds) : copyBatch(batch)
    return isOver
  }
}

/** True where a batch is a snapshot that stitching put in: it comes alone. */
function isMade({ count, flags }: EventBatch): boolean {
  return count === 1 && ((flags[0] as number) & EVENT_FLAGS.SEAM) !== 0
}

/** True where fewer than half of the events are of the kinds. */
function isRare(kind: Uint8Array, count: number, mask: number): boolean {
  let matches = 0
  for (let index = 0; index < count; index++) matches += (mask >>> (kind[index] as number)) & 1
  return matches * 2 < count
}
