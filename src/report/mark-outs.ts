import { textFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { ExactSum } from '../model/exact-sum.js'

/** How long after a fill was heard of the market is looked at again: 0.1, 1, 10 and 60 s. */
export const MARK_OUT_HORIZONS_NS: readonly number[] = [100_000_000, 1_000_000_000, 10_000_000_000, 60_000_000_000]

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
  /** Signed mark-out per unit after each horizon, decimal text; null until it is measured. */
  readonly markOuts: (string | null)[]
}

/** Mark-outs of one instrument after one horizon. */
export interface MarkOutSums {
  measuredCount: number
  /** Sum of mark-out times quantity. */
  readonly weighted: ExactSum
  readonly quantity: ExactSum
}

interface Awaited<Record> {
  readonly dueNs: number
  readonly fill: Record
}

/** Mark-outs as plain data; fills are meant by their index in a list of records. */
export interface MarkOutsState {
  readonly queues: readonly (readonly (readonly [dueNs: number, fill: number])[])[]
  readonly sums: readonly (readonly [instrumentId: number, horizons: readonly { readonly measuredCount: number; readonly weighted: string; readonly quantity: string }[]])[]
}

/** An integer at a scale. */
interface Scaled {
  readonly value: number
  readonly scale: number
}

/** Signed distance of the mid from a fill's price, per unit: above 0 the market went the fill's way. */
function markOutOf({ price, priceScale, sign }: MarkedFill, mid: TwiceMid): Scaled {
  const scale = Math.max(mid.scale, priceScale)
  const twice = mid.value * powerOfTen(scale - mid.scale) - 2 * price * powerOfTen(scale - priceScale)
  // Half of an integer at a scale is five times it at the next.
  const value = twice * 5 * sign
  if (Number.isSafeInteger(value) && Number.isSafeInteger(twice)) return { value, scale: scale + 1 }
  throw new BacktapeError('VALUE_INEXACT', 'Cannot measure a mark-out: its price has more digits than are exact', { field: 'price', found: textFromScaled(price, priceScale) })
}

function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`)
}

/** Where the market went after fills: a queue for each horizon, in the order in which fills were heard of. */
export class MarkOuts<Record extends MarkedFill> {
  /** By instrument id, one for each horizon. */
  readonly sums: Map<number, MarkOutSums[]> = new Map()
  readonly #queues: Awaited<Record>[][] = MARK_OUT_HORIZONS_NS.map(() => [])
  readonly #wake: (horizon: number, dueNs: number) => void

  /** `wake` is called with the index of a horizon and the time at which {@link measure} is to be called for it. */
  constructor(wake: (horizon: number, dueNs: number) => void) {
    this.#wake = wake
  }

  /** A fill was heard of. Times never go back. */
  await(fill: Record, timeNs: number): void {
    MARK_OUT_HORIZONS_NS.forEach((horizonNs, horizon) => {
      const queue = this.#queues[horizon]
      queue?.push({ dueNs: timeNs + horizonNs, fill })
      if (queue?.length === 1) this.#wake(horizon, timeNs + horizonNs)
    })
  }

  /** Measures what is due at a horizon. */
  measure(horizon: number, nowNs: number, midOf: (instrumentId: number) => TwiceMid): void {
    const queue = this.#queues[horizon] ?? []
    let done = 0
    for (; done < queue.length; done++) {
      const { dueNs, fill } = queue[done] as Awaited<Record>
      if (dueNs > nowNs) {
        this.#wake(horizon, dueNs)
        break
      }
      this.#add(horizon, fill, midOf(fill.instrumentId))
    }
    queue.splice(0, done)
  }

  /** Fills that wait for a horizon. */
  awaited(): Record[] {
    return this.#queues.flatMap((queue) => queue.map(({ fill }) => fill))
  }

  /** `records` holds every fill that is awaited. */
  state(records: readonly Record[]): MarkOutsState {
    const place = new Map(records.map((record, index) => [record, index]))
    return {
      queues: this.#queues.map((queue) => queue.map(({ dueNs, fill }) => [dueNs, place.get(fill) ?? 0] as const)),
      sums: [...this.sums].map(([id, horizons]) => [id, horizons.map(({ measuredCount, weighted, quantity }) => ({ measuredCount, weighted: weighted.toFixed(), quantity: quantity.toFixed() }))]),
    }
  }

  /** Takes a state back; whoever calls puts the timers back too. */
  restore({ queues, sums }: MarkOutsState, records: readonly Record[]): void {
    queues.forEach((queue, horizon) => {
      for (const [dueNs, index] of queue) {
        const fill = records[index]
        if (fill !== undefined) this.#queues[horizon]?.push({ dueNs, fill })
      }
    })
    for (const [id, horizons] of sums) {
      this.sums.set(id, horizons.map(({ measuredCount, weighted, quantity }) => ({ measuredCount, weighted: ExactSum.from(weighted), quantity: ExactSum.from(quantity) })))
    }
  }

  #add(horizon: number, fill: MarkedFill, mid: TwiceMid): void {
    if (Number.isNaN(mid.value)) return
    const { value, scale } = markOutOf(fill, mid)
    fill.markOuts[horizon] = textFromScaled(value, scale)
    const sums = this.#sumsOf(fill.instrumentId)[horizon]
    if (sums === undefined) return
    sums.measuredCount++
    sums.weighted.addProduct(value, fill.quantity, scale + fill.quantityScale)
    sums.quantity.add(fill.quantity, fill.quantityScale)
  }

  #sumsOf(instrumentId: number): MarkOutSums[] {
    let sums = this.sums.get(instrumentId)
    if (sums === undefined) {
      sums = MARK_OUT_HORIZONS_NS.map(() => ({ measuredCount: 0, weighted: new ExactSum(), quantity: new ExactSum() }))
      this.sums.set(instrumentId, sums)
    }
    return sums
  }
}
