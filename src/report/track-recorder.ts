import type { Decimal } from '../model/decimal.js'
import type { MarketView } from '../venue/venue.js'
import type { BucketTrack } from './bucket-track.js'
import { equityOf, type EquityTrack, type MoneySums } from './equity-recorder.js'
import type { TwiceMid } from './mark-outs.js'
import { isSame, PriceCourse, type PriceCourses } from './price-course.js'
import { RunTracks, type RunTracksState } from './run-tracks.js'
import { booksOf } from './worst-falls.js'

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
  /** Courses of prices that the worlds of a pass share. */
  readonly courses: PriceCourses
}

const NOTHING_LOOKED_AT = new PriceCourse([])

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
  /** Prices among them once {@link end} was called. */
  readonly tracks: RunTracks
  #own: TrackContent = { ids: [] }
  /** Null before the first look. */
  #course: PriceCourse | null = null
  readonly #priceOf = (instrumentId: number): number => {
    const { views, midOf } = this.sources
    const { value, scale } = midOf(views.get(instrumentId))
    return value / (2 * Number(`1e${scale}`))
  }

  constructor(private readonly sources: TrackSources) {
    this.tracks = new RunTracks(sources.isKeeping, sources.intervalNs)
  }

  /** When prices are to be looked at again. */
  nextLookNs(timeNs: number): number {
    return (this.#course ?? NOTHING_LOOKED_AT).nextLookNs(timeNs)
  }

  /** Looks at the prices of the world's instruments; where a side of a book is empty there is none. */
  look(timeNs: number): void {
    const { instrumentIds, courses } = this.sources
    if (this.#own.ids.length === 0) this.#own.ids = instrumentIds()
    const { ids } = this.#own
    if (this.#course === null) this.#course = courses.begin(ids, timeNs)
    else if (!isSame(this.#course.instrumentIds, ids)) this.#course = this.#course.with(ids, timeNs)
    this.#course.look(timeNs, this.#priceOf)
  }

  /** The world has ended, its siblings may go on. */
  end(): void {
    for (const [id, track] of this.#course?.tracks() ?? []) this.tracks.prices.set(id, track)
    this.#course = null
  }

  /**
   * A sample of equity, before the recorder of equity takes it: `known` is its last sample of each underlying.
   * `hasEvents`: the market moved since. The courses begin and end with the data, not with the run.
   */
  sample(
    timeNs: number, sinceNs: number, money: ReadonlyMap<number, MoneySums>, known: ReadonlyMap<number, EquityTrack>,
    hasEvents: boolean,
  ): void {
    if (this.sources.isKeeping) {
      this.#own.ids = this.sources.instrumentIds()
      for (const id of this.#own.ids) this.tracks.hold(id, this.#priceOf(id))
    }
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
    const tracks = this.tracks.state()
    return { ...tracks, prices: this.#course?.state() ?? tracks.prices, own: this.#own }
  }

  restore({ own, ...tracks }: TrackRecorderState): void {
    this.tracks.restore(tracks)
    this.#own = own
    if (own.ids.length === 0) return
    this.#course = new PriceCourse(own.ids)
    this.#course.restore(this.tracks.prices)
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
