import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { epochNsFromTime } from '../../model/time.js'
import { ListCollector, type BoundedList } from '../lines/bounded-list.js'

/** A stream whose events form a chain of ids (spec 4, section 4): snapshots and updates share one. */
export type ChainName = 'book' | 'trades' | 'topOfBook' | 'mark' | 'index' | 'funding' | 'liquidations'

/** A break of a chain. */
export interface ChainGap {
  /** The stream with the gap. */
  readonly stream: ChainName
  /** Ordinal of the event behind the gap among the events of the file, 0 is the first. */
  readonly eventIndex: number
  /** Adapter time of the event behind the gap, epoch nanoseconds in digits. */
  readonly timestampNs: string
  /**
   * From the stream's last event before the gap to the one behind it, by adapter time. How many events are missing, ids
   * do not say.
   */
  readonly lengthNs: number
}

const STREAMS: readonly (readonly [kind: number, name: ChainName])[] = [
  [EVENT_KINDS.snapshot, 'book'], [EVENT_KINDS.update, 'book'], [EVENT_KINDS.trades, 'trades'],
  [EVENT_KINDS.topOfBook, 'topOfBook'], [EVENT_KINDS.mark, 'mark'], [EVENT_KINDS.index, 'index'],
  [EVENT_KINDS.funding, 'funding'], [EVENT_KINDS.liquidations, 'liquidations'],
]

/** Collects the chain gaps of one file. */
export class ChainAudit {
  readonly gaps: BoundedList<ChainGap>
  private readonly collector = new ListCollector<ChainGap>()
  private readonly counts = new Map<ChainName, number>()
  private readonly streamOfKind: (ChainName | undefined)[] = []
  private readonly lastNs = new Float64Array(256).fill(NaN)

  constructor() {
    this.gaps = this.collector
    for (const [kind, name] of STREAMS) this.streamOfKind[kind] = name
  }

  gapCount(stream: ChainName): number {
    return this.counts.get(stream) ?? 0
  }

  check(batch: EventBatch): void {
    const { kind, flags, count, adapterTimeNs } = batch
    for (let i = 0; i < count; i++) {
      if (((flags[i] as number) & EVENT_FLAGS.CHAIN_GAP) !== 0) this.note(batch, i)
      this.lastNs[kind[i] as number] = adapterTimeNs[i] as number
    }
  }

  private note(batch: EventBatch, index: number): void {
    const kind = batch.kind[index] as number
    const stream = this.streamOfKind[kind]
    if (stream === undefined) return
    const time = batch.adapterTimeNs[index] as number
    const last =
      stream === 'book'
        ? latest(this.lastNs[EVENT_KINDS.snapshot] as number, this.lastNs[EVENT_KINDS.update] as number)
        : (this.lastNs[kind] as number)
    this.counts.set(stream, this.gapCount(stream) + 1)
    this.collector.add({
      stream,
      eventIndex: batch.firstEventIndex + index,
      timestampNs: String(epochNsFromTime(time, batch.epochDay)),
      lengthNs: Number.isNaN(last) ? 0 : time - last,
    })
  }
}

function latest(a: number, b: number): number {
  return a > b || Number.isNaN(b) ? a : b
}
