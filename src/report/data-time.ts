/** Whole intervals without an event that are a hole, an hour of minutes: prices are not known there. */
export const HOLE_INTERVALS = 60

/** The lines of a world between two samples. */
export interface SampledLines {
  /** Time of the sample before, and of this one. */
  readonly sinceNs: number
  readonly timeNs: number
  /** True where both lie a whole interval apart. */
  readonly isInterval: boolean
  /** True where a line was received since the sample before. */
  readonly hasEvents: boolean
  /** When the first and the last line of the run were received. */
  readonly firstNs: number
  readonly lastNs: number
}

/** A stretch of time that the data cover. */
interface Span {
  readonly fromNs: number
  toNs: number
}

interface DataTimeContent {
  readonly spans: Span[]
  /** Time of the spans with a position. */
  openNs: number
  /** Whole intervals from the first with an event to the last, those of holes left out, and those. */
  intervalCount: number
  leftOutCount: number
  /** Whole intervals since the last one with an event, and time with a position since the last line. */
  idleCount: number
  idleOpenNs: number
  /** True where a position is open before the first of `changes`, times at which that changed since the last sample. */
  isOpen: boolean
  changes: number[]
}

/** The recorder as plain data. */
export type DataTimeState = DataTimeContent

/**
 * The time that the data of a run cover: from the first line of its instruments to the last one. A hole, a stretch of
 * {@link HOLE_INTERVALS} intervals or more without a line, is left out, from its last line to the interval of the next.
 */
export class DataTime {
  #own: DataTimeContent = {
    spans: [], openNs: 0, intervalCount: 0, leftOutCount: 0, idleCount: 0, idleOpenNs: 0, isOpen: false, changes: [],
  }

  /** The stretches that the data cover, in order. */
  get spans(): readonly Readonly<Span>[] {
    return this.#own.spans
  }

  /** Whole intervals from the one with the first event to the one with the last so far. */
  get intervalCount(): number {
    return this.#own.intervalCount
  }

  /** Whole intervals in holes, the one at the end too. */
  get holeCount(): number {
    const { leftOutCount, idleCount } = this.#own
    return leftOutCount + (idleCount >= HOLE_INTERVALS ? idleCount : 0)
  }

  /** Part of the time that the data cover with a position; null where they cover none. */
  get openShare(): number | null {
    const coveredNs = this.coveredBetween(-Infinity, Infinity)
    return coveredNs > 0 ? this.#own.openNs / coveredNs : null
  }

  /** The time that the data cover between two times. */
  coveredBetween(fromNs: number, toNs: number): number {
    return this.#own.spans.reduce((sum, span) => (
      sum + Math.max(0, Math.min(span.toNs, toNs) - Math.max(span.fromNs, fromNs))), 0)
  }

  /** A world without a position has one now, or the reverse. Times never go back. */
  changed(timeNs: number): void {
    this.#own.changes.push(timeNs)
  }

  /** The lines up to a sample have been received. */
  sample({ sinceNs, timeNs, isInterval, hasEvents, firstNs, lastNs }: SampledLines): void {
    const own = this.#own
    const last = own.spans.at(-1)
    if (hasEvents) {
      const isHole = own.idleCount >= HOLE_INTERVALS
      const fromNs = last === undefined ? Math.max(sinceNs, firstNs) : sinceNs
      const toNs = Math.max(fromNs, lastNs)
      if (last === undefined || isHole) own.spans.push({ fromNs, toNs })
      else last.toNs = toNs
      own.openNs += this.#openBetween(fromNs, toNs) + (isHole ? 0 : own.idleOpenNs)
      own.idleOpenNs = this.#openBetween(toNs, timeNs)
      if (isHole) own.leftOutCount += own.idleCount
      else own.intervalCount += own.idleCount
      own.idleCount = 0
      if (isInterval) own.intervalCount++
    } else if (last !== undefined) {
      own.idleOpenNs += this.#openBetween(sinceNs, timeNs)
      if (isInterval) own.idleCount++
    }
    own.isOpen = own.isOpen === (own.changes.length % 2 === 0)
    own.changes = []
  }

  state(): DataTimeState {
    return this.#own
  }

  restore(state: DataTimeState): void {
    this.#own = state
  }

  /** Time with a position between two times since the last sample. */
  #openBetween(fromNs: number, toNs: number): number {
    const { changes } = this.#own
    let isOpen = this.#own.isOpen
    let [openNs, atNs] = [0, fromNs]
    for (const changeNs of changes) {
      const nextNs = Math.min(Math.max(changeNs, atNs), toNs)
      if (isOpen) openNs += nextNs - atNs
      atNs = nextNs
      isOpen = !isOpen
    }
    return isOpen ? openNs + toNs - atNs : openNs
  }
}
