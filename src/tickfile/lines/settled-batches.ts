import { copyBatch, copyRuns, type WritableBatch } from '../../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../../model/event-batch.js'
import type { BacktapeError } from '../../model/error.js'
import { epochNsFromTime } from '../../model/time.js'
import { ChainMarks } from './chain-marks.js'
import { isAway, jumpLength, openingJumpLength, UNDECIDED, type StampedLines } from './clock-jump.js'
import { countDamage } from './line-damage.js'
import type { CountingSummary } from './reading.js'

/** Most memory of batches that wait for lines behind them; a jump is judged by what was read then. */
const HELD_BYTES_MAX = 67_108_864

/** A line whose adapter time is of another year, by its index in its batch: the error that it is, unless it jumped. */
export interface FarLine {
  readonly index: number
  readonly error: BacktapeError
}

interface HeldBatch {
  readonly batch: WritableBatch
  readonly farLines: readonly FarLine[]
  readonly sizeBytes: number
}

/**
 * The last step from decoded lines to the batches of a reading: lines of a clock jump take the time of the line before
 * them, lines of another year are refused, chains are marked, events are counted. A batch is delivered once the lines
 * in it are judged. That needs at most 6,000 lines behind it, and hardly ever one: batches are copied only meanwhile.
 */
export class SettledBatches {
  readonly #summary: CountingSummary
  readonly #isCounting: boolean
  readonly #marks: ChainMarks = new ChainMarks()
  #held: HeldBatch[] = []
  /** Lines of the batches held that are judged, and those of them that are left out. */
  #judgedCount = 0
  #leftOut: number[] = []
  /** Adapter time of the last line judged; NaN before the first. */
  #beforeNs = NaN
  #isRefusing = false
  /** Adapter time of the last event delivered, epoch nanoseconds. */
  #lastTimestampNs: bigint | null = null
  /** The first line that is refused, where such lines end the reading. */
  failure: BacktapeError | null = null

  constructor(summary: CountingSummary, isCounting: boolean) {
    this.#summary = summary
    this.#isCounting = isCounting
  }

  /** Takes a batch, which may be used again afterwards; gives those that are judged, each valid until the next. */
  *settle(batch: WritableBatch, farLines: readonly FarLine[]): Generator<EventBatch, void, undefined> {
    if (this.#held.length === 0 && farLines.length === 0 && isCalm(batch, this.#beforeNs)) {
      this.#beforeNs = batch.adapterTimeNs[batch.count - 1] as number
      yield this.#delivered(batch)
      return
    }
    this.#held.push({ batch, farLines: [...farLines], sizeBytes: 0 })
    yield* this.#judge(false)
    if (this.#held.at(-1)?.batch !== batch) return
    const copy = copyBatch(batch) as WritableBatch
    this.#held[this.#held.length - 1] = {
      batch: copy, farLines: [...farLines], sizeBytes: copy.adapterTimeNs.buffer.byteLength,
    }
    if (this.#held.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > HELD_BYTES_MAX) yield* this.end()
  }

  /** The file has no line behind those that it gave; gives what is held. */
  *end(): Generator<EventBatch, void, undefined> {
    if (this.#held.length > 0) yield* this.#judge(true)
  }

  /** The file ends inside a frame: what it lacks is counted as damage. */
  skipRest(error: BacktapeError): void {
    const summary = this.#summary
    const last = this.#lastTimestampNs
    summary.cut = { eventCount: summary.eventCount, lastAdapterTimestampNs: last === null ? null : String(last) }
    countDamage(summary, error)
  }

  *#judge(isEnd: boolean): Generator<EventBatch, void, undefined> {
    const lines = linesOf(this.#held, isEnd)
    while (this.#judgedCount < lines.count && this.failure === null) {
      const count = this.#judgeLine(lines, this.#judgedCount)
      if (count === UNDECIDED) break
      this.#judgedCount += count
    }
    const isOver = isEnd || this.failure !== null
    for (let [first] = this.#held; first !== undefined; [first] = this.#held) {
      const { count } = first.batch
      const to = Math.min(count, this.#judgedCount)
      if (to < count && !isOver) return
      this.#held.shift()
      const kept = this.#keptOf(first.batch, to)
      this.#judgedCount -= to
      this.#leftOut = this.#leftOut.filter((line) => line >= count).map((line) => line - count)
      if (kept !== null) yield this.#delivered(kept)
    }
  }

  /** The number of lines judged: one, or those of a jump. */
  #judgeLine(lines: StampedLines, at: number): number {
    const time = lines.adapterTimeNs[at] as number
    const before = this.#beforeNs
    const isFar = !Number.isFinite(time)
    if (isAway(time, before) && !(isFar && this.#isRefusing)) {
      const count = Number.isNaN(before) ? openingJumpLength(lines, at) : jumpLength(lines, at, before)
      if (count > 0) this.#take(lines, at, count)
      if (count !== 0) return count
    }
    this.#isRefusing = isFar
    if (isFar) return this.#refuse(at)
    this.#beforeNs = time
    return 1
  }

  /** Lines of a clock jump take the time of the line before them, at the begin of a file of the line behind them. */
  #take(lines: StampedLines, at: number, count: number): void {
    const { clockJumps, eventCount } = this.#summary
    if (Number.isNaN(this.#beforeNs)) this.#beforeNs = lines.adapterTimeNs[at + count] as number
    const [{ batch: { epochDay } }] = this.#held as [HeldBatch, ...HeldBatch[]]
    const digits = (timeNs: number): string => String(epochNsFromTime(timeNs, epochDay))
    const recorded = lines.adapterTimeNs[at] as number
    clockJumps.add({
      eventIndex: eventCount + at - this.#leftOut.length, lineCount: count,
      recordedTimestampNs: Number.isFinite(recorded) ? digits(recorded) : this.#farError(at).place.found ?? '',
      takenTimestampNs: digits(this.#beforeNs),
    })
    this.#summary.jumpedLineCount += count
    let begin = 0
    for (const { batch } of this.#held) {
      const [from, to] = [Math.max(0, at - begin), Math.min(batch.count, at + count - begin)]
      for (let i = from; i < to; i++) {
        batch.adapterTimeNs[i] = this.#beforeNs
        batch.flags[i] = (batch.flags[i] as number) | EVENT_FLAGS.CLOCK_JUMPED
      }
      begin += batch.count
    }
  }

  /** A line of another year that is of no jump: no batch can hold its time. */
  #refuse(at: number): number {
    const error = this.#farError(at)
    if (!this.#isCounting) {
      this.failure = error
      return 0
    }
    this.#leftOut.push(at)
    countDamage(this.#summary, error)
    return 1
  }

  #farError(at: number): BacktapeError {
    let begin = 0
    for (const { batch, farLines } of this.#held) {
      const found = farLines.find(({ index }) => begin + index === at)
      if (found !== undefined) return found.error
      begin += batch.count
    }
    throw new RangeError(`line ${String(at)} is of no other year`)
  }

  /** The lines of a batch up to `to` (exclusive) that are not left out; null where there are none. */
  #keptOf(batch: WritableBatch, to: number): WritableBatch | null {
    const gaps = [...this.#leftOut.filter((line) => line < to), to]
    const from = [0, ...gaps.slice(0, -1).map((line) => line + 1)]
    if (to === batch.count && gaps.length === 1) return batch
    const kept = copyRuns(batch, { from, to: gaps }) as WritableBatch
    return kept.count === 0 ? null : kept
  }

  #delivered(batch: WritableBatch): EventBatch {
    const summary = this.#summary
    batch.firstEventIndex = summary.eventCount
    this.#marks.mark(batch)
    summary.eventCount += batch.count
    this.#lastTimestampNs = epochNsFromTime(batch.adapterTimeNs[batch.count - 1] as number, batch.epochDay)
    return batch
  }
}

/** True where every line of a batch is within 60 s of the line before it. */
function isCalm({ adapterTimeNs, count }: EventBatch, beforeNs: number): boolean {
  let before = beforeNs
  for (let i = 0; i < count; i++) {
    const time = adapterTimeNs[i] as number
    if (isAway(time, before)) return false
    before = time
  }
  return true
}

/** The times of the batches held, one behind the other. */
function linesOf(held: readonly HeldBatch[], isEnd: boolean): StampedLines {
  const [first, second] = held
  if (first !== undefined && second === undefined) {
    const { adapterTimeNs, exchangeTimeNs, count } = first.batch
    return { adapterTimeNs, exchangeTimeNs, count, isEnd }
  }
  const count = held.reduce((sum, { batch }) => sum + batch.count, 0)
  const [adapterTimeNs, exchangeTimeNs] = [new Float64Array(count), new Float64Array(count)]
  let at = 0
  for (const { batch } of held) {
    adapterTimeNs.set(batch.adapterTimeNs.subarray(0, batch.count), at)
    exchangeTimeNs.set(batch.exchangeTimeNs.subarray(0, batch.count), at)
    at += batch.count
  }
  return { adapterTimeNs, exchangeTimeNs, count, isEnd }
}
