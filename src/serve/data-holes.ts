import { dayText, NS_PER_DAY } from '../model/time.js'
import { shortDurationText } from '../model/duration.js'
import type { ReplaySpeed } from './serve-options.js'

/** Days without data, as a stretch of the replay: nanoseconds of its clock, from the first on, up to the end. */
export interface Hole {
  readonly fromNs: number
  readonly toNs: number
}

/**
 * The stretches from `fromNs` to `toNs` that are days without a file: `days` are those that have one, counted from the
 * clock's first midnight. Without an end, up to the last day of a file. Days that are unknown have no holes.
 */
export function holesOf(days: readonly number[], fromNs: number, toNs: number): Hole[] {
  const covered = new Set(days)
  if (covered.size === 0) return []
  const holes: Hole[] = []
  const endNs = toNs === Infinity ? (Math.max(...covered) + 1) * NS_PER_DAY : toNs
  let sinceNs: number | null = null
  for (let day = Math.floor(fromNs / NS_PER_DAY); day * NS_PER_DAY < endNs; day++) {
    if (!covered.has(day)) sinceNs ??= Math.max(fromNs, day * NS_PER_DAY)
    else if (sinceNs !== null) {
      holes.push({ fromNs: sinceNs, toNs: day * NS_PER_DAY })
      sinceNs = null
    }
  }
  if (sinceNs !== null) holes.push({ fromNs: sinceNs, toNs: endNs })
  return holes
}

/** A sentence about holes: the way of the replay there. Null where there are none. */
export function holesText(
  holes: readonly Hole[], { epochDay, speed, isSkipping }: {
    readonly epochDay: number; readonly speed: ReplaySpeed; readonly isSkipping: boolean
  },
): string | null {
  if (holes.length === 0) return null
  const named = holes.map(({ fromNs, toNs }) => {
    const first = dayText(epochDay + Math.floor(fromNs / NS_PER_DAY))
    const last = dayText(epochDay + Math.ceil(toNs / NS_PER_DAY) - 1)
    return first === last ? first : `${first} to ${last}`
  })
  const data = `The data have no file of ${named.join(', ')}`
  if (typeof speed !== 'number') return data
  if (isSkipping) return `${data}: the replay does not wait there`
  const wholeNs = holes.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0)
  const seconds = Math.ceil(wholeNs / speed / 1e9)
  return `${data}: the replay waits there for ${shortDurationText(seconds * 1e9)}; replay.holes "skip" passes over them`
}
