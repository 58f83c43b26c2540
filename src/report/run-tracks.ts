import { keptValue } from '../model/kept-value.js'
import { BucketTrack, type BucketTrackState } from './bucket-track.js'
import { newPriceTrack } from './price-course.js'
import { WorstFalls, type WorstFallsState } from './worst-falls.js'

type Tracks = Map<number, BucketTrack>
type TrackStates = readonly (readonly [id: number, track: BucketTrackState])[]

/** The courses as plain data. */
export interface RunTracksState {
  readonly prices: TrackStates
  readonly equity: TrackStates
  readonly falls: TrackStates
  readonly worst: WorstFallsState
  readonly held: ReadonlyMap<number, HeldFall>
}

/** The greatest fall of a mid at the samples of equity: what a holder of one unit has lost; doubles. */
export interface HeldFall {
  peak: number
  /** Part of the peak before it. */
  deepest: number
}

/** Buckets of equity where the rows of tables are kept, and where they are not. */
const [EQUITY_BUCKETS, SHORT_EQUITY_BUCKETS] = [1024, 128]

const noFall = (): HeldFall => ({ peak: -Infinity, deepest: 0 })

function statesOf(tracks: Tracks): TrackStates {
  return [...tracks].map(([id, track]) => [id, track.state()] as const)
}

/** The courses of a run that its report draws beside the tables. */
export class RunTracks {
  /** Mids by instrument id. */
  readonly prices: Tracks = new Map()
  /** Sampled equity by underlying id. */
  readonly equity: Tracks = new Map()
  /** The distance of the same samples below the highest so far. */
  readonly falls: Tracks = new Map()
  readonly worst: WorstFalls = new WorstFalls()
  /** By instrument id. */
  readonly held: Map<number, HeldFall> = new Map()
  readonly #newEquityTrack: () => BucketTrack

  /** `isKeeping` false: equity is short. */
  constructor(isKeeping: boolean, intervalNs: number) {
    this.#newEquityTrack = () => new BucketTrack(isKeeping ? EQUITY_BUCKETS : SHORT_EQUITY_BUCKETS, intervalNs)
  }

  equityOf(underlyingId: number): BucketTrack {
    return keptValue(this.equity, underlyingId, this.#newEquityTrack)
  }

  fallOf(underlyingId: number): BucketTrack {
    return keptValue(this.falls, underlyingId, this.#newEquityTrack)
  }

  /** A price of an instrument at a sample of equity; NaN for none. */
  hold(instrumentId: number, price: number): void {
    if (Number.isNaN(price)) return
    const fall = keptValue(this.held, instrumentId, noFall)
    fall.peak = Math.max(fall.peak, price)
    if (fall.peak > 0) fall.deepest = Math.max(fall.deepest, (fall.peak - price) / fall.peak)
  }

  state(): RunTracksState {
    return {
      prices: statesOf(this.prices), equity: statesOf(this.equity), falls: statesOf(this.falls),
      worst: this.worst.state(), held: this.held,
    }
  }

  restore({ prices, equity, falls, worst, held }: RunTracksState): void {
    for (const [id, state] of prices) keptValue(this.prices, id, newPriceTrack).restore(state)
    for (const [id, state] of equity) this.equityOf(id).restore(state)
    for (const [id, state] of falls) this.fallOf(id).restore(state)
    this.worst.restore(worst)
    for (const [id, fall] of held) this.held.set(id, fall)
  }
}
