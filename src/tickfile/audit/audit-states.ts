import type { EventBatch } from '../../model/event-batch.js'
import { EVENT_KINDS } from '../../model/event-kind.js'
import { timeSpan, type TimeSpan } from './audit-clock.js'
import { ListCollector, type BoundedList } from '../lines/bounded-list.js'

/** An outage: from a state ERROR to the next READY, or to the last event of the file. */
export interface Outage extends TimeSpan {
  /** Text of the state event that began it. */
  readonly text: string
  /** True where a READY ended it. */
  readonly isOver: boolean
}

/** The state events of a file. */
export interface StateReport {
  /** State events by their word. */
  readonly states: Record<string, number>
  /** Stretches in the state ERROR. */
  readonly outages: BoundedList<Outage>
  /** Their length together, nanoseconds. */
  readonly outageNs: number
}

/** Distinct state words kept; the rest counts as `other`. */
const WORD_LIMIT = 20

/** Follows state events. Times are clamped to the running maximum. */
export class StateAudit {
  private readonly states = new Map<string, number>()
  private readonly outages = new ListCollector<Outage>()
  private readonly decoder = new TextDecoder()
  private outageNs = 0
  private open: { readonly sinceNs: number; readonly text: string } | null = null
  private timeNs: number = -Infinity
  private epochDay = 0

  check(batch: EventBatch): void {
    const { kind, count, adapterTimeNs } = batch
    this.epochDay = batch.epochDay
    for (let i = 0; i < count; i++) {
      if ((adapterTimeNs[i] as number) > this.timeNs) this.timeNs = adapterTimeNs[i] as number
      if (kind[i] === EVENT_KINDS.state) this.note(batch, batch.textStart[i] as number)
    }
  }

  report(): StateReport {
    this.close(false)
    return { states: Object.fromEntries(this.states), outages: this.outages, outageNs: this.outageNs }
  }

  private note(batch: EventBatch, at: number): void {
    const said = this.text(batch, at)
    const word = this.states.has(said) || this.states.size < WORD_LIMIT ? said : 'other'
    this.states.set(word, (this.states.get(word) ?? 0) + 1)
    if (said === 'ERROR' && this.open === null) this.open = { sinceNs: this.timeNs, text: this.text(batch, at + 1) }
    else if (said === 'READY') this.close(true)
  }

  private close(isOver: boolean): void {
    if (this.open === null) return
    const span = timeSpan(this.open.sinceNs, this.timeNs, this.epochDay)
    this.outages.add({ ...span, text: this.open.text, isOver })
    this.outageNs += span.durationNs
    this.open = null
  }

  private text(batch: EventBatch, at: number): string {
    const { start, bytes } = batch.text
    return this.decoder.decode(bytes.slice(start[at], Math.min(start[at + 1] as number, (start[at] as number) + 200)))
  }
}
