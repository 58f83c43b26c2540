import { RandomNumbers } from '../model/random.js'
import type { RoundTrip } from './round-trips.js'

/** Where the round trips of one part lie. */
export interface TripSetting {
  /** The part, epoch nanoseconds. */
  readonly fromNs: bigint
  readonly toNs: bigint
  /** The number of the part among those of one baseline: other draws. */
  readonly number: number
  readonly seed: number
}

/** Draws of one part as times: the instants whose best prices are needed. */
export interface EntryDraws {
  /** Of each draw and each round trip the trip whose instrument, side, quantity and fees it has. */
  readonly tripOf: Uint32Array
  /** Its entry and, after the holding time of the round trip, its exit: nanoseconds since the begin of the part. */
  readonly entryNs: Float64Array
  readonly exitNs: Float64Array
}

/** The time that a round trip was held, nanoseconds: one that is open counts to the end of the part. */
function heldNs({ entry, exit }: RoundTrip, { toNs }: TripSetting): number {
  const end = exit === null || exit.timeNs > toNs ? toNs : exit.timeNs
  return Number(end - entry.timeNs)
}

/**
 * Random entries: in every draw the round trips keep their holding times, each begins at a uniform instant at which it
 * fits into the part, and instruments, sides, quantities and fees are permuted among them.
 */
export function drawnEntries(trips: readonly RoundTrip[], drawCount: number, setting: TripSetting): EntryDraws {
  const { fromNs, toNs, seed, number } = setting
  const random = new RandomNumbers(seed, 'random entries', number)
  const count = trips.length
  const lengthNs = Number(toNs - fromNs)
  const held = trips.map((trip) => Math.max(heldNs(trip, setting), 0))
  const tripOf = new Uint32Array(count * drawCount)
  const entryNs = new Float64Array(tripOf.length)
  const exitNs = new Float64Array(tripOf.length)
  for (let draw = 0; draw < drawCount; draw++) {
    const own = tripOf.subarray(draw * count, (draw + 1) * count)
    for (let at = 0; at < count; at++) {
      // Fisher and Yates, from the inside out.
      const other = random.below(at + 1, draw * count + at, 0)
      own[at] = own[other] as number
      own[other] = at
      const index = draw * count + at
      const spanNs = held[at] as number
      const beginNs = random.below(Math.max(lengthNs - spanNs, 0) + 1, index, 1)
      entryNs[index] = beginNs
      exitNs[index] = beginNs + spanNs
    }
  }
  return { tripOf, entryNs, exitNs }
}

/** The instants at which prices are needed, by instrument, ascending: those of the draws and the end of the part. */
export function timesOf(
  trips: readonly RoundTrip[], { tripOf, entryNs, exitNs }: EntryDraws, { fromNs, toNs }: TripSetting,
): ReadonlyMap<number, Float64Array> {
  const counts = new Map<number, number>()
  for (const trip of tripOf) {
    const id = (trips[trip] as RoundTrip).instrumentId
    counts.set(id, (counts.get(id) ?? 0) + 2)
  }
  const times = new Map([...counts].map(([id, count]) => [id, new Float64Array(count + 1)]))
  const filled = new Map<number, number>()
  for (const [index, trip] of tripOf.entries()) {
    const id = (trips[trip] as RoundTrip).instrumentId
    const at = filled.get(id) ?? 0
    times.get(id)?.set([entryNs[index] as number, exitNs[index] as number], at)
    filled.set(id, at + 2)
  }
  for (const own of times.values()) {
    own[own.length - 1] = Number(toNs - fromNs)
    own.sort()
  }
  return times
}
