import { textFromScaled } from '../model/decimal.js'
import { BacktapeError } from '../model/error.js'
import { ExactSum } from '../model/exact-sum.js'
import { keptValue } from '../model/kept-value.js'
import { MARK_OUT_HORIZONS_NS, type FillRows } from './fill-rows.js'

const LAST_HORIZON = MARK_OUT_HORIZONS_NS.length - 1

/** The middle of the market as a client sees it: twice the mid, an integer at a scale; NaN where a side is empty. */
export interface TwiceMid {
  readonly value: number
  readonly scale: number
}

/** Mark-outs of one instrument after one horizon. */
export interface MarkOutSums {
  measuredCount: number
  /** Sum of mark-out times quantity. */
  readonly weighted: ExactSum
  readonly quantity: ExactSum
}

/** Fills that wait, and the sums of those that were measured. */
interface MarkOutContent {
  /** Fills in the order in which they were received, by row, from the first that waits for a horizon on. */
  rows: number[]
  receivedNs: number[]
  /** The first place that waits, for each horizon. */
  readonly first: number[]
  /** By instrument id, one for each horizon. */
  readonly sums: Map<number, MarkOutSums[]>
}

/** Mark-outs as plain data. */
export type MarkOutsState = MarkOutContent

const NO_MID: TwiceMid = { value: NaN, scale: 0 }

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
function markOutOf(price: number, priceScale: number, sign: number, mid: number, midScale: number): number {
  const scale = Math.max(midScale, priceScale)
  const twice = mid * powerOfTen(scale - midScale) - 2 * price * powerOfTen(scale - priceScale)
  const value = twice * 5 * sign
  if (Number.isSafeInteger(value) && Number.isSafeInteger(twice)) return value
  throw new BacktapeError('VALUE_INEXACT', 'Cannot measure a mark-out: its price has more digits than are exact', {
    field: 'price', found: textFromScaled(price, priceScale),
  })
}

/** Places in front that are given back at once, where most of the queue is over. */
const CLOSED_PLACES = 64

/**
 * Where the market went after fills. Every fill waits for all horizons in the order of receipt, so there is one queue,
 * and a place in it for each horizon.
 */
export class MarkOuts {
  #own: MarkOutContent = { rows: [], receivedNs: [], first: MARK_OUT_HORIZONS_NS.map(() => 0), sums: new Map() }

  /** `wake` is called with the index of a horizon and the time at which {@link measure} is to be called for it. */
  constructor(
    private readonly rows: FillRows,
    private readonly wake: (horizon: number, dueNs: number) => void,
  ) {}

  /** By instrument id, one for each horizon. */
  get sums(): ReadonlyMap<number, readonly MarkOutSums[]> {
    return this.#own.sums
  }

  /** The fill of a row was received. Times never go back. */
  await(row: number, timeNs: number): void {
    const { rows, receivedNs, first } = this.#own
    rows.push(row)
    receivedNs.push(timeNs)
    for (let horizon = 0; horizon <= LAST_HORIZON; horizon++) {
      if (first[horizon] === rows.length - 1) this.wake(horizon, timeNs + (MARK_OUT_HORIZONS_NS[horizon] as number))
    }
  }

  /** Measures what is due at a horizon. */
  measure(horizon: number, nowNs: number, midOf: (instrumentId: number) => TwiceMid): void {
    const { rows, receivedNs, first } = this.#own
    const horizonNs = MARK_OUT_HORIZONS_NS[horizon]
    if (horizonNs === undefined) return
    let place = first[horizon] as number
    let knownId = NaN
    let mid = NO_MID
    for (; place < rows.length; place++) {
      const dueNs = (receivedNs[place] as number) + horizonNs
      if (dueNs > nowNs) {
        this.wake(horizon, dueNs)
        break
      }
      const row = rows[place] as number
      const instrumentId = this.rows.fills.instrumentId.at(row)
      // Fills of one trade come together.
      if (instrumentId !== knownId) mid = midOf(instrumentId)
      knownId = instrumentId
      if (!Number.isNaN(mid.value)) this.#add(horizon, row, instrumentId, mid.value, mid.scale)
      if (horizon === LAST_HORIZON) this.rows.fills.rows.release(row)
    }
    first[horizon] = place
    if (horizon === LAST_HORIZON && place >= CLOSED_PLACES && 2 * place >= rows.length) this.#close(place)
  }

  state(): MarkOutsState {
    this.#close(this.#own.first[LAST_HORIZON] as number)
    return this.#own
  }

  /** Takes a state back; whoever calls puts the timers back too. */
  restore(state: MarkOutsState): void {
    this.#own = state
  }

  /** Forgets what lies before a place. */
  #close(place: number): void {
    const own = this.#own
    own.rows.splice(0, place)
    own.receivedNs.splice(0, place)
    for (const [horizon, first] of own.first.entries()) own.first[horizon] = first - place
  }

  #add(horizon: number, row: number, instrumentId: number, mid: number, midScale: number): void {
    const { markOuts, markOutScales, fills } = this.rows
    const priceScale = fills.priceScale.at(row)
    const value = markOutOf(fills.price.at(row), priceScale, fills.isBuy.at(row) === 1 ? 1 : -1, mid, midScale)
    const scale = Math.max(midScale, priceScale) + 1
    markOuts[horizon]?.set(row, value)
    markOutScales[horizon]?.set(row, scale)
    const sums = keptValue(this.#own.sums, instrumentId, noMarkOuts)[horizon]
    if (sums === undefined) return
    const [quantity, quantityScale] = [fills.quantity.at(row), fills.quantityScale.at(row)]
    sums.measuredCount++
    sums.weighted.addProduct(value, quantity, scale + quantityScale)
    sums.quantity.add(quantity, quantityScale)
  }
}
