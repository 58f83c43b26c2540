import type { Decimal } from '../model/decimal.js'
import type { MarketView } from '../venue/venue.js'
import type { BucketTrack } from './bucket-track.js'
import { equityOf, type EquityTrack, type MoneySums } from './equity-recorder.js'
import type { TwiceMid } from './mark-outs.js'
import { LOOK_NS, RunTracks, type RunTracksState } from './run-tracks.js'
import { booksOf } from './worst-falls.js'

/** Looks in a bucket, as soon as it is longer than so many seconds. */
const LOOKS_A_BUCKET = 2

/** Where the tracks come from. */
export interface TrackSources {
  /** False: prices and falls are not recorded, and equity is short. */
  readonly isKeeping: boolean
  /** Time between two samples of equity. */
  readonly intervalNs: number
  readonly views: ReadonlyMap<number, MarketView>
  /** Instruments of the world. */
  readonly instrumentIds: () => readonly number[]
  readonly midOf: (view: MarketView | undefined) => TwiceMid
}

/** The recorder as plain data. */
export interface TrackRecorderState extends RunTracksState {
  readonly own: TrackContent
}

interface TrackContent {
  ids: readonly number[]
}

/**
 * The courses that a report draws beside the tables: prices, equity and its falls below the peak in time buckets, the
 * worst moments with their books. It reads and never acts; a world without rows keeps a short
 * course of equity alone.
 */
export class TrackRecorder {
  readonly tracks: RunTracks
  #own: TrackContent = { ids: [] }

  constructor(private readonly sources: TrackSources) {
    this.tracks = new RunTracks(sources.isKeeping, sources.intervalNs)
  }

  /** When prices are to be looked at again. */
  nextLookNs(timeNs: number): number {
    let everyNs = LOOK_NS
    for (const track of this.tracks.prices.values()) everyNs = Math.max(everyNs, track.widthNs / LOOKS_A_BUCKET)
    return (Math.floor(timeNs / everyNs) + 1) * everyNs
  }

  /** Looks at the prices of the world's instruments; where a side of a book is empty there is none. */
  look(timeNs: number): void {
    const { views, midOf, instrumentIds } = this.sources
    if (this.#own.ids.length === 0) this.#own.ids = instrumentIds()
    for (const id of this.#own.ids) {
      const { value, scale } = midOf(views.get(id))
      if (Number.isNaN(value)) continue
      this.tracks.priceOf(id).add(timeNs, value / (2 * Number(`1e${scale}`)))
    }
  }

  /**
   * A sample of equity, before the recorder of equity takes it: `known` is its last sample of each underlying.
   * `hasEvents`: the market moved since. The courses begin and end with the data, not with the run.
   */
  sample(
    timeNs: number, sinceNs: number, money: ReadonlyMap<number, MoneySums>, known: ReadonlyMap<number, EquityTrack>,
    hasEvents: boolean,
  ): void {
    if (this.sources.isKeeping) this.#own.ids = this.sources.instrumentIds()
    for (const [underlyingId, sums] of money) {
      const last = known.get(underlyingId)
      const isSame = last !== undefined && last.sums === sums
      const equity = isSame ? last.equity : equityOf(sums)
      const isIdle = !hasEvents && (last === undefined || isSame || equity.eq(last.equity))
      record(this.tracks.equityOf(underlyingId), timeNs, equity.toNumber(), isIdle)
      if (!this.sources.isKeeping) continue
      const peak = last === undefined ? sums.start : last.drawdown.peak
      const fall = equity.gte(peak) ? 0 : peak.minus(equity).toNumber()
      record(this.tracks.fallOf(underlyingId), timeNs, fall, isIdle)
      if (!isSame && last !== undefined) this.#fell(underlyingId, [sinceNs, timeNs], last.equity, equity)
    }
  }

  state(): TrackRecorderState {
    return { ...this.tracks.state(), own: this.#own }
  }

  restore({ own, ...tracks }: TrackRecorderState): void {
    this.tracks.restore(tracks)
    this.#own = own
  }

  #fell(
    underlyingId: number, [sinceNs, timeNs]: readonly [sinceNs: number, timeNs: number], before: Decimal,
    equity: Decimal,
  ): void {
    if (equity.gte(before)) return
    const { views } = this.sources
    this.tracks.worst.add(
      { underlyingId, sinceNs, timeNs, fall: before.minus(equity), equity },
      () => booksOf(this.#own.ids, views),
    )
  }
}

function record(track: BucketTrack, timeNs: number, value: number, isIdle: boolean): void {
  if (isIdle) track.keep(timeNs, value)
  else track.add(timeNs, value)
}
