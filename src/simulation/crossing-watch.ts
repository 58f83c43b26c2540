import { BookTracker, type FoundChanges } from '../book/book-tracker.js'
import { suspectAfter } from '../book/order-book.js'
import { TrackedBook } from '../book/tracked-book.js'
import { bookTrackOf, TRACK_MARKS, trackBlock, type BookTrack } from '../model/book-track.js'
import { CROSSED_TEXT } from '../model/crossing.js'
import { BacktapeError } from '../model/error.js'
import { copyBatch, sliceBatch } from '../model/event-batch-columns.js'
import { EVENT_FLAGS, type EventBatch } from '../model/event-batch.js'
import { EVENT_KINDS } from '../model/event-kind.js'
import { madeState, type Neighbour } from './made-lines.js'

const { update: UPDATE, state: STATE } = EVENT_KINDS
const { BID_CHANGED, ASK_CHANGED } = TRACK_MARKS
const CHANGED = BID_CHANGED | ASK_CHANGED
const { SEAM, CROSSED, CROSSED_GAP, CROSSED_END, CLOCK_STEPPED_BACK } = EVENT_FLAGS

/** A depth book as a line leaves it. */
type BookCondition = 'plain' | 'crossed' | 'suspect'

/** A line that leaves the book in another condition than the line before it did. */
interface ConditionChange {
  readonly index: number
  readonly condition: BookCondition
}

/** A crossing without a break: when it began, and when it is a gap if it goes on. */
interface Crossing {
  readonly sinceNs: number
  readonly dueNs: number
}

/** Where a batch is cut: before a line, for the state of a crossing. */
interface Cut {
  readonly index: number
  readonly crossing: Crossing
}

/**
 * Follows the depth book of one instrument in file order and says where it is crossed with itself: best bid above best
 * ask (exchange rules 6.5). Lines that leave it crossed get the flag CROSSED. Once it has been crossed for `afterNs`
 * without a break a state ERROR comes, alone in its batch (flag CROSSED_GAP); the line that uncrosses it then has the
 * flag CROSSED_END. A suspect book is not judged: it ends no such gap, and breaks a crossing that is none yet.
 *
 * A batch without a track of its book gets one, so that nobody behind has to apply its rows for best prices.
 */
export class CrossingWatch {
  readonly #book = new TrackedBook()
  readonly #chain = {}
  #tracker: BookTracker | null = null
  #number = 0
  readonly #best: BestPrices = { prices: Float64Array.of(NaN, NaN), change: 0 }
  /** True from the first line on that no book can hold: whoever plays it is told. */
  #isLost = false
  #isSuspect = true
  /** The running maximum of adapter time. */
  #clockNs = -Infinity
  #condition: BookCondition = 'suspect'
  /** The crossing in hand; null where there is none. */
  #crossing: Crossing | null = null
  #isGap = false
  /** The fields that a line behind the last batch takes from it. */
  #beside: Neighbour | null = null

  /**
   * `afterNs` Infinity: a crossing is never a gap. `marginNs` says since when the book of a snapshot that stitching put
   * in at a time had been crossed before it, NaN where it was not; both in adapter time since the run's midnight.
   */
  constructor(private readonly afterNs: number, private readonly marginNs: (timeNs: number) => number = () => NaN) {}

  /**
   * The next batch with its flags, in parts where a gap begins in it; `recycle` takes the batch back then. It belongs
   * to the caller, and is in hand until {@link released} is called for it.
   */
  parts(batch: EventBatch, recycle: (batch: EventBatch) => void): readonly EventBatch[] {
    const { instrument, epochDay, priceScale, quantityScale } = batch
    this.#beside = { instrument, epochDay, priceScale, quantityScale }
    const changes = this.#isLost ? [] : this.#changesIn(batch)
    const isCrossed =
      this.#isGap || this.#condition === 'crossed' || changes.some(({ condition }) => condition === 'crossed')
    if (!isCrossed) {
      this.#pass(batch, changes)
      return [batch]
    }
    const cuts = this.#mark(batch, changes)
    if (cuts.length === 0) return [batch]
    // The parts have no track: from here on the book has its levels.
    this.#book.levels()
    const parts = [...cutAt(batch, cuts, (crossing) => this.#gap(crossing, batch))]
    recycle(batch)
    return parts
  }

  /** The gap behind the last batch where it is detected before `endNs`; null where there is none. */
  end(endNs: number): EventBatch | null {
    const crossing = this.#crossing
    if (this.#beside === null || this.#isGap || crossing === null || !(crossing.dueNs < endNs)) return null
    this.#isGap = true
    return this.#gap(crossing, this.#beside)
  }

  /** To be called before a batch is given back. */
  released(batch: EventBatch): void {
    if (this.#book.marksOf(batch) !== null) this.#book.levels()
  }

  /** Applies the depth lines of a batch; where the book changes its condition. */
  #changesIn(batch: EventBatch): ConditionChange[] {
    const book = this.#book
    try {
      if (batch.priceScale !== book.priceScale || batch.quantityScale !== book.quantityScale) {
        book.rescale(batch)
        this.#tracker?.moved()
      }
      book.enter(batch)
      const track = book.marksOf(batch) === null ? null : bookTrackOf(batch)
      return track === null ? this.#byRows(batch) : this.#byTrack(batch, track)
    } catch (error) {
      if (!(error instanceof BacktapeError)) throw error
      this.#isLost = true
      return []
    }
  }

  #byTrack(batch: EventBatch, track: BookTrack): ConditionChange[] {
    this.#number++
    this.#tracker?.moved()
    const found = this.#conditions(batch, track)
    this.#book.passTo(batch.count - 1)
    return found
  }

  /** By its rows; the batch has a track from then on. */
  #byRows(batch: EventBatch): ConditionChange[] {
    this.#number++
    const tracker = (this.#tracker ??= new BookTracker(this.#book.levels()))
    const before = tracker.before()
    const { bestBidPrice, bestAskPrice } = this.#book
    const changes = tracker.changes(batch)
    this.#isLost = changes === null
    if (changes === null) return []
    const { chain, number } = { chain: this.#chain, number: this.#number }
    if (before !== null) {
      const { priceScale, quantityScale } = batch
      const [marks, prices, quantities] = [changes.marks.slice(), changes.prices.slice(), changes.quantities.slice()]
      trackBlock(batch.kind.buffer, batch.count, {
        chain, number, priceScale, quantityScale, marks, prices, quantities, before,
      })
    }
    return this.#conditions(batch, changes, bestBidPrice, bestAskPrice)
  }

  /** Where the lines of a batch change the book's condition; by default its best prices are those of the book. */
  #conditions(
    batch: EventBatch, { marks, prices }: FoundChanges, bidBefore = this.#book.bestBidPrice,
    askBefore = this.#book.bestAskPrice,
  ): ConditionChange[] {
    const { kind, flags, count } = batch
    const found: ConditionChange[] = []
    const best = this.#best
    best.prices[0] = bidBefore
    best.prices[1] = askBefore
    best.change = 0
    let condition = this.#condition
    for (let i = 0; i < count; i++) {
      const isCrossed = condition === 'suspect' ? null : condition === 'crossed'
      i = passPlain(kind, flags, marks, prices, i, count, best, isCrossed)
      if (i === count) break
      if (isSpecial(kind, flags, i)) {
        takeBest(best, marks[i] as number, prices)
        this.#isSuspect = suspectAfter(batch, i, this.#isSuspect)
      }
      const next = this.#isSuspect ? 'suspect' : isBestCrossed(best) ? 'crossed' : 'plain'
      if (next !== condition) found.push({ index: i, condition: next })
      condition = next
    }
    return found
  }

  /** Passes a batch in which nothing is crossed: its last line whose clock did not step back has the greatest time. */
  #pass({ flags, adapterTimeNs, count }: EventBatch, changes: readonly ConditionChange[]): void {
    let last = count - 1
    while (last >= 0 && ((flags[last] as number) & CLOCK_STEPPED_BACK) !== 0) last--
    if (last >= 0) this.#clockNs = Math.max(this.#clockNs, adapterTimeNs[last] as number)
    this.#condition = changes.at(-1)?.condition ?? this.#condition
  }

  /** Flags the lines of a batch; where it is to be cut. */
  #mark(batch: EventBatch, changes: readonly ConditionChange[]): Cut[] {
    const { kind, flags, adapterTimeNs, count } = batch
    const cuts: Cut[] = []
    let next = 0
    for (let i = 0; i < count; i++) {
      this.#clockNs = Math.max(this.#clockNs, adapterTimeNs[i] as number)
      const crossing = this.#crossing
      if (!this.#isGap && crossing !== null && this.#clockNs >= crossing.dueNs) {
        cuts.push({ index: i, crossing })
        this.#isGap = true
      }
      const change = changes[next]
      if (change?.index === i) {
        next++
        if (this.#changeTo(change.condition, batch, i)) flags[i] = (flags[i] as number) | CROSSED_END
      }
      const isCrossed = this.#condition === 'crossed' || (this.#condition === 'suspect' && this.#isGap)
      if ((kind[i] as number) <= UPDATE && isCrossed) flags[i] = (flags[i] as number) | CROSSED
    }
    return cuts
  }

  /** A line leaves the book in another condition; true where that ends a gap. */
  #changeTo(condition: BookCondition, batch: EventBatch, index: number): boolean {
    const wasGap = this.#isGap
    this.#condition = condition
    if (!wasGap) this.#crossing = condition === 'crossed' ? this.#begun(batch, index) : null
    if (condition !== 'plain') return false
    this.#isGap = false
    this.#crossing = null
    return wasGap
  }

  /** The crossing that a line begins: of a snapshot that stitching put in, with its time in the margin. */
  #begun({ flags }: EventBatch, index: number): Crossing {
    const clockNs = this.#clockNs
    const marginNs = ((flags[index] as number) & SEAM) === 0 ? NaN : this.marginNs(clockNs)
    const sinceNs = marginNs < clockNs ? marginNs : clockNs
    // The book is seen from its line on: it is not detected before it.
    return { sinceNs, dueNs: Math.max(sinceNs + this.afterNs, clockNs) }
  }

  #gap({ sinceNs, dueNs }: Crossing, beside: Neighbour): EventBatch {
    return madeState('ERROR', CROSSED_TEXT.textOf(sinceNs, beside.epochDay), beside, dueNs, CROSSED_GAP)
  }
}

/** Best bid and best ask, and how many changes of a track are in them. */
interface BestPrices {
  readonly prices: Float64Array
  change: number
}

function isBestCrossed({ prices }: BestPrices): boolean {
  return (prices[0] as number) > (prices[1] as number)
}

/** True for a line that may say more than its rows: a state, a snapshot, a line of depth with a flag. */
function isSpecial(kind: Uint8Array, flags: Uint16Array, index: number): boolean {
  const k = kind[index] as number
  return k === STATE || (k <= UPDATE && (k !== UPDATE || flags[index] !== 0))
}

/** Takes the best prices that a line of depth has changed. */
function takeBest(best: BestPrices, mark: number, changes: Float64Array): void {
  if ((mark & BID_CHANGED) !== 0) best.prices[0] = changes[best.change++] as number
  if ((mark & ASK_CHANGED) !== 0) best.prices[1] = changes[best.change++] as number
}

/**
 * Passes lines from one on up to the first that is special, which is not taken, or that makes the book crossed where
 * it was not, or the other way round; null: that does not matter. Every line of a day passes here: plain columns alone.
 */
function passPlain(
  kind: Uint8Array, flags: Uint16Array, marks: Uint8Array, changes: Float64Array, from: number, to: number,
  best: BestPrices, isCrossed: boolean | null,
): number {
  for (let i = from; i < to; i++) {
    const k = kind[i] as number
    if (k > UPDATE && k !== STATE) continue
    if (k !== UPDATE || flags[i] !== 0) return i
    const mark = marks[i] as number
    if ((mark & CHANGED) === 0) continue
    takeBest(best, mark, changes)
    if (isCrossed !== null && isBestCrossed(best) !== isCrossed) return i
  }
  return to
}

/** A batch in parts, with what is made for each cut between them. */
function* cutAt(
  batch: EventBatch, cuts: readonly Cut[], made: (crossing: Crossing) => EventBatch,
): Generator<EventBatch, void, undefined> {
  let from = 0
  for (const { index, crossing } of cuts) {
    if (index > from) yield copyBatch(sliceBatch(batch, from, index))
    yield made(crossing)
    from = index
  }
  yield copyBatch(sliceBatch(batch, from, batch.count))
}
