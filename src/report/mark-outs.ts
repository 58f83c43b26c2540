import { textFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'

/** The times after the receipt of a fill at which the market is looked at again: 0.1, 1, 10 and 60 s. */
export const MARK_OUT_HORIZONS_NS: readonly number[] = [100_000_000, 1_000_000_000, 10_000_000_000, 60_000_000_000]

const LAST_HORIZON = MARK_OUT_HORIZONS_NS.length - 1

/** The middle of the market as a client sees it: twice the mid, an integer at a scale; NaN where a side is empty. */
export interface TwiceMid {
  readonly value: number
  readonly scale: number
}

/** A fill whose mark-outs are awaited. */
export interface MarkedFill {
  readonly instrumentId: number
  /** 1 for a buy, -1 for a sell. */
  readonly sign: number
  readonly price: number
  readonly priceScale: number
  readonly quantity: number
  readonly quantityScale: number
  /** Signed mark-out per unit after each horizon, an integer at a scale; null until it is measured. */
  readonly markOuts: (number | null)[]
  readonly markOutScales: (number | null)[]
}

/** Mark-outs of one instrument after one horizon. */
export interface MarkOutSums {
  measuredCount: number
  /** Sum of mark-out times quantity. */
  readonly weighted: ExactSum
  readonly quantity: ExactSum
}

/** Mark-outs as plain data; fills are meant by their index in a list of records. */
export interface MarkOutsState {
  readonly queues: readonly (readonly (readonly [dueNs: number, fill: number])[])[]
  readonly sums: Saved<Map<number, MarkOutSums[]>>
}

const noMarkOuts = (): MarkOutSums[] => MARK_OUT_HORIZONS_NS.map(() => ({
  measuredCount: 0, weighted: new ExactSum(), quantity: new ExactSum(),
}))

/** Powers of ten that are exact as numbers. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

function powerOfTen(exponent: number): number {
  return POWERS[exponent] ?? Number(`1e${exponent}`)
}

/**
 * Signed distance of the mid from a fill's price, per unit: above 0 the market went the fill's way. An integer whose
 * scale is one more than the larger of both: half of an integer at a scale is five times it at the next.
 */
function markOutOf({ price, priceScale, sign }: MarkedFill, mid: number, midScale: number): number {
  const scale = Math.max(midScale, priceScale)
  const twice = mid * powerOfTen(scale - midScale) - 2 * price * powerOfTen(scale - priceScale)
  const value = twice * 5 * sign
  if (Number.isSafeInteger(value) && Number.isSafeInteger(twice)) return value
  throw new BacktapeError('VALUE_INEXACT', 'Cannot measure a mark-out: its price has more digits than are exact', {
    field: 'price', found: textFromScaled(price, priceScale),
  })
}

/** Places in front that are given back at once, where most of a queue is empty. */
const CLOSED_PLACES = 16

/** Fills that wait for one horizon, in the order in which they are due; what lies before `first` is over. */
class MarkOutQueue<Record> {
  readonly dueNs: number[] = []
  readonly fills: Record[] = []
  first = 0

  add(dueNs: number, fill: Record): void {
    this.dueNs.push(dueNs)
    this.fills.push(fill)
  }

  get waitingCount(): number {
    return this.fills.length - this.first
  }

  /** Forgets what lies before a place. */
  close(place: number): void {
    this.first = place
    if (place < CLOSED_PLACES || 2 * place < this.fills.length) return
    this.dueNs.splice(0, place)
    this.fills.splice(0, place)
    this.first = 0
  }
}

/** Where the market went after fills: a queue for each horizon, in the order in which fills were received. */
export class MarkOuts<Record extends MarkedFill> {
  /** By instrument id, one for each horizon. */
  sums: Map<number, MarkOutSums[]> = new Map()
  readonly #queues: readonly MarkOutQueue<Record>[] = MARK_OUT_HORIZONS_NS.map(() => new MarkOutQueue())

  /**
   * `wake` is called with the index of a horizon and the time at which {@link measure} is to be called for it, `done`
   * with a fill of which nothing more is awaited.
   */
  constructor(
    private readonly wake: (horizon: number, dueNs: number) => void,
    private readonly done: (fill: Record) => void = () => undefined,
  ) {}

  /** A fill was received. Times never go back. */
  await(fill: Record, timeNs: number): void {
    for (let horizon = 0; horizon < this.#queues.length; horizon++) {
      const queue = this.#queues[horizon] as MarkOutQueue<Record>
      const dueNs = timeNs + (MARK_OUT_HORIZONS_NS[horizon] as number)
      queue.add(dueNs, fill)
      if (queue.waitingCount === 1) this.wake(horizon, dueNs)
    }
  }

  /** Measures what is due at a horizon. */
  measure(horizon: number, nowNs: number, midOf: (instrumentId: number) => TwiceMid): void {
    const queue = this.#queues[horizon]
    if (queue === undefined) return
    let place = queue.first
    for (; place < queue.fills.length; place++) {
      const dueNs = queue.dueNs[place] as number
      if (dueNs > nowNs) {
        this.wake(horizon, dueNs)
        break
      }
      const fill = queue.fills[place] as Record
      this.#add(horizon, fill, midOf(fill.instrumentId))
      if (horizon === LAST_HORIZON) this.done(fill)
    }
    queue.close(place)
  }

  /** Fills that wait for a horizon. */
  awaited(): Record[] {
    return this.#queues.flatMap(({ fills, first }) => fills.slice(first))
  }

  /** `records` holds every fill that is awaited. */
  state(records: readonly Record[]): MarkOutsState {
    const place = new Map(records.map((record, index) => [record, index]))
    return {
      queues: this.#queues.map(({ dueNs, fills, first }) =>
        fills.slice(first).map((fill, index) => [dueNs[first + index] ?? 0, place.get(fill) ?? 0] as const),
      ),
      sums: savedState(this.sums),
    }
  }

  /** Takes a state back; whoever calls puts the timers back too. */
  restore({ queues, sums }: MarkOutsState, records: readonly Record[]): void {
    queues.forEach((queue, horizon) => {
      for (const [dueNs, index] of queue) {
        const fill = records[index]
        if (fill !== undefined) this.#queues[horizon]?.add(dueNs, fill)
      }
    })
    this.sums = restoredState(sums)
  }

  #add(horizon: number, fill: MarkedFill, mid: TwiceMid): void {
    if (Number.isNaN(mid.value)) return
    const value = markOutOf(fill, mid.value, mid.scale)
    const scale = Math.max(mid.scale, fill.priceScale) + 1
    fill.markOuts[horizon] = value
    fill.markOutScales[horizon] = scale
    const sums = this.#sumsOf(fill.instrumentId)[horizon]
    if (sums === undefined) return
    sums.measuredCount++
    sums.weighted.addProduct(value, fill.quantity, scale + fill.quantityScale)
    sums.quantity.add(fill.quantity, fill.quantityScale)
  }

  #sumsOf(instrumentId: number): MarkOutSums[] {
    return keptValue(this.sums, instrumentId, noMarkOuts)
  }
}
