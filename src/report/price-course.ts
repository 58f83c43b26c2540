import { BucketTrack, type BucketTrackState } from './bucket-track.js'

/** Buckets of the price of an instrument. */
const PRICE_BUCKETS = 4096
/** The shortest time between two looks at prices. */
export const LOOK_NS = 1_000_000_000
/** Looks in a bucket, as soon as it is longer than so many seconds. */
const LOOKS_A_BUCKET = 2

/** The price of an instrument so far. */
interface Looked {
  readonly track: BucketTrack
  /** When it was looked at first. */
  readonly begunNs: number
  /** When it was looked at last. */
  timeNs: number
}

/** Prices by instrument id. */
export type PriceTracks = ReadonlyMap<number, BucketTrack>

/** A track for prices. */
export const newPriceTrack = (): BucketTrack => new BucketTrack(PRICE_BUCKETS, LOOK_NS)

/**
 * The course of the prices of some instruments, looked at once an instant however many worlds look: they have looked at
 * the same times, so it is the course of each.
 */
export class PriceCourse {
  readonly #looked: Map<number, Looked> = new Map()
  /** A copy of the tracks, as long as nobody has looked again. */
  #copy: PriceTracks | null = null

  constructor(readonly instrumentIds: readonly number[]) {}

  /** When prices are to be looked at again. */
  nextLookNs(timeNs: number): number {
    let everyNs = LOOK_NS
    for (const { track } of this.#looked.values()) everyNs = Math.max(everyNs, track.widthNs / LOOKS_A_BUCKET)
    return (Math.floor(timeNs / everyNs) + 1) * everyNs
  }

  /** Looks at the prices, unless somebody has at this instant; NaN: there is none. */
  look(timeNs: number, priceOf: (instrumentId: number) => number): void {
    for (const id of this.instrumentIds) {
      const known = this.#looked.get(id)
      if (known?.timeNs === timeNs) continue
      const price = priceOf(id)
      if (Number.isNaN(price)) continue
      this.#copy = null
      const { track } = known ?? this.#take(id, newPriceTrack(), timeNs)
      if (known !== undefined) known.timeNs = timeNs
      track.add(timeNs, price)
    }
  }

  /** Of these instruments, the same until now: what others have begun to see at this instant is still to be seen. */
  with(instrumentIds: readonly number[], nowNs: number): PriceCourse {
    const other = new PriceCourse(instrumentIds)
    for (const [id, { track, begunNs, timeNs }] of this.#looked)
      if (begunNs < nowNs) other.#looked.set(id, { track: copyOf(track), begunNs, timeNs })
    return other
  }

  /** The tracks as they are now: they change no more. */
  tracks(): PriceTracks {
    return (this.#copy ??= new Map([...this.#looked].map(([id, { track }]) => [id, copyOf(track)])))
  }

  /** The tracks as plain data. */
  state(): (readonly [id: number, track: BucketTrackState])[] {
    return [...this.#looked].map(([id, { track }]) => [id, track.state()] as const)
  }

  /** Goes on from these tracks, which become its own. */
  restore(tracks: PriceTracks): void {
    for (const [id, track] of tracks) this.#take(id, track, -Infinity)
  }

  #take(id: number, track: BucketTrack, timeNs: number): Looked {
    const looked = { track, begunNs: timeNs, timeNs }
    this.#looked.set(id, looked)
    return looked
  }
}

function copyOf(track: BucketTrack): BucketTrack {
  const copy = newPriceTrack()
  copy.restore(track.state())
  return copy
}

/** The courses that worlds of one pass have begun at the same instant. */
export class PriceCourses {
  #timeNs = -Infinity
  #begun: PriceCourse[] = []

  /** The course of some instruments that begins at this instant. */
  begin(instrumentIds: readonly number[], timeNs: number): PriceCourse {
    if (timeNs !== this.#timeNs) {
      this.#timeNs = timeNs
      this.#begun = []
    }
    const known = this.#begun.find((course) => isSame(course.instrumentIds, instrumentIds))
    if (known !== undefined) return known
    const course = new PriceCourse(instrumentIds)
    this.#begun.push(course)
    return course
  }
}

/** True for the same instruments in the same order. */
export function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((id, at) => id === b[at]))
}
