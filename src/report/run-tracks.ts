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
}

/** Buckets of equity where the rows of tables are kept, and where they are not. */
const [EQUITY_BUCKETS, SHORT_EQUITY_BUCKETS] = [1024, 128]

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

  state(): RunTracksState {
    return {
      prices: statesOf(this.prices), equity: statesOf(this.equity), falls: statesOf(this.falls),
      worst: this.worst.state(),
    }
  }

  restore({ prices, equity, falls, worst }: RunTracksState): void {
    for (const [id, state] of prices) keptValue(this.prices, id, newPriceTrack).restore(state)
    for (const [id, state] of equity) this.equityOf(id).restore(state)
    for (const [id, state] of falls) this.fallOf(id).restore(state)
    this.worst.restore(worst)
  }
}
