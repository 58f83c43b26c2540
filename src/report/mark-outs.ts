import { Decimal } from '../model/decimal.js'

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
  weighted: Decimal
  quantity: Decimal
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

/** Signed distance of the mid from a fill's price, per unit: above 0 the market went the fill's way. */
export function markOutOf(fill: MarkedFill, mid: TwiceMid): Decimal {
  const twice = new Decimal(mid.value).div(new Decimal(10).pow(mid.scale))
  const price = new Decimal(fill.price).div(new Decimal(10).pow(fill.priceScale))
  return twice.div(2).minus(price).times(fill.sign)
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
      this.sums.set(id, horizons.map(({ measuredCount, weighted, quantity }) => ({ measuredCount, weighted: new Decimal(weighted), quantity: new Decimal(quantity) })))
    }
  }

  #add(horizon: number, fill: MarkedFill, mid: TwiceMid): void {
    if (Number.isNaN(mid.value)) return
    const markOut = markOutOf(fill, mid)
    fill.markOuts[horizon] = markOut.toFixed()
    const sums = this.#sumsOf(fill.instrumentId)[horizon]
    if (sums === undefined) return
    const quantity = new Decimal(fill.quantity).div(new Decimal(10).pow(fill.quantityScale))
    sums.measuredCount++
    sums.weighted = sums.weighted.plus(markOut.times(quantity))
    sums.quantity = sums.quantity.plus(quantity)
  }

  #sumsOf(instrumentId: number): MarkOutSums[] {
    let sums = this.sums.get(instrumentId)
    if (sums === undefined) {
      sums = MARK_OUT_HORIZONS_NS.map(() => ({ measuredCount: 0, weighted: new Decimal(0), quantity: new Decimal(0) }))
      this.sums.set(instrumentId, sums)
    }
    return sums
  }
}
