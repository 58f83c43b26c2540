import { NS_PER_DAY, NS_PER_MINUTE, NS_PER_SECOND } from '../../model/time.js'

/** A line of a clock jump lies farther than this from the line before the jump. */
const AWAY_NS = NS_PER_MINUTE
/** The step by which the stamps return at the end of a jump is longer than this. */
const RETURN_NS = 30 * NS_PER_SECOND
/** Most lines of a clock jump. */
const JUMP_LINE_LIMIT = 1000
/** Most lines behind a return that are looked at. */
const SIGHT_LINE_LIMIT = 5 * JUMP_LINE_LIMIT

/** The answer where lines are needed that have not been read. */
export const UNDECIDED = -1

/** The times of lines in file order; an adapter time of another year is infinite. */
export interface StampedLines {
  readonly adapterTimeNs: Float64Array
  readonly exchangeTimeNs: Float64Array
  /** Number of lines. */
  readonly count: number
  /** True where the file has no line behind them. */
  readonly isEnd: boolean
}

/** True where a line is more than 60 s from the line before it; also for the first line, which has none before it. */
export function isAway(timeNs: number, beforeNs: number): boolean {
  return !(Math.abs(timeNs - beforeNs) <= AWAY_NS)
}

/**
 * The stamps return where they step by more than 30 s towards the line before the jump: a jump may last for longer than
 * 60 s, so that no line behind it is within 60 s of the line before it.
 */
function isReturn(lastNs: number, timeNs: number, beforeNs: number): boolean {
  if (timeNs < beforeNs - AWAY_NS) return false
  return lastNs > beforeNs ? timeNs < lastNs - RETURN_NS : timeNs > lastNs + RETURN_NS
}

/**
 * The number of lines from `from` on that are a clock jump, where `beforeNs` is the time of the line before them and
 * the first is away from it (spec 4, section 4); 0 where they are none, {@link UNDECIDED} where more lines decide.
 */
export function jumpLength(lines: StampedLines, from: number, beforeNs: number): number {
  const { adapterTimeNs: times, count, isEnd } = lines
  let earliestAhead = Infinity
  for (let i = from + 1; i <= from + JUMP_LINE_LIMIT; i++) {
    if (i >= count) return isEnd && isOfOtherDay(lines, from, count, beforeNs) ? count - from : isEnd ? 0 : UNDECIDED
    const [last, time] = [times[i - 1] as number, times[i] as number]
    if (last > beforeNs) earliestAhead = Math.min(earliestAhead, last)
    // Lines before the time at which the stamps return may be sound ones, behind a quiet minute.
    if (earliestAhead > time && isReturn(last, time, beforeNs)) {
      const witness = witnessOf(lines, from, i, beforeNs, time)
      if (witness !== 'none') return witness === 'jumped' ? i - from : 0
      return last < beforeNs ? i - from : lengthAhead(lines, from, i)
    }
    if (!isAway(time, beforeNs)) return 0
  }
  return 0
}

/**
 * The same for the first line of a file: no line stands before it, so the jump is judged by the line behind it, whose
 * time its lines take.
 */
export function openingJumpLength(lines: StampedLines, from: number): number {
  const { adapterTimeNs: times, count, isEnd } = lines
  for (let i = from + 1; i <= from + JUMP_LINE_LIMIT; i++) {
    if (i >= count) return isEnd ? 0 : UNDECIDED
    const [last, time] = [times[i - 1] as number, times[i] as number]
    if (!Number.isFinite(times[from])) {
      if (Number.isFinite(time)) return i - from
    } else if (time > last + AWAY_NS) {
      if (isOfOtherDay(lines, from, i, time)) return i - from
    } else if (time < last - AWAY_NS) {
      const isAhead = time !== -Infinity && times.subarray(from, i).every((one) => one > time + AWAY_NS)
      if (!isAhead) return 0
      const witness = witnessOf(lines, from, i, time, time)
      if (witness !== 'none') return witness === 'jumped' ? i - from : 0
      return lengthAhead(lines, from, i, 'opening')
    }
  }
  return 0
}

/**
 * Exchange times of a stretch as its witness: it jumped where they lie between the times of the lines around it and not
 * near to their own lines, and is sound where they lie near to these alone; `none` where they are missing, disagree, or
 * are adapter times in the place of exchange times.
 */
function witnessOf(
  { adapterTimeNs, exchangeTimeNs }: StampedLines, from: number, to: number, earliestNs: number, latestNs: number,
): 'jumped' | 'sound' | 'none' {
  let [hasJumped, isSound] = [false, false]
  for (let i = from; i < to; i++) {
    const [given, own] = [exchangeTimeNs[i] as number, adapterTimeNs[i] as number]
    if (Number.isNaN(given) || given === own) continue
    const isOwn = !isAway(given, own)
    const isBetween = given >= earliestNs - AWAY_NS && given <= latestNs + AWAY_NS
    if (isOwn !== isBetween) [hasJumped, isSound] = [hasJumped || isBetween, isSound || isOwn]
  }
  if (hasJumped === isSound) return 'none'
  return isSound ? 'sound' : 'jumped'
}

/**
 * A step back has two readings: the lines before it were ahead, or those behind it are back, and in an illiquid
 * instrument sound lines may begin with a step ahead. Exchange times of the lines behind it decide; without them half
 * as many lines must be back as are ahead, or stay back. An opening stretch has no line before it that speaks for it.
 */
function lengthAhead(lines: StampedLines, from: number, to: number, place: 'opening' | 'inside' = 'inside'): number {
  const { adapterTimeNs: times, count, isEnd } = lines
  const [length, lastNs] = [to - from, times[to - 1] as number]
  const sides = sidesBehind(lines, from, to, place)
  if (sides === null) return UNDECIDED
  const { back, ahead, turnAt, leastNs, hasHalf, isAhead, isLasting } = sides
  const witness = witnessOf(lines, to, turnAt, leastNs, lastNs)
  if (witness !== 'none') return witness === 'sound' ? length : 0
  if (place === 'inside') return hasHalf || (isLasting ? !isAhead : back >= ahead) ? length : 0
  const isShort = isEnd && to + back + ahead === count
  const isBack = isLasting ? !isAhead : !isShort ? back >= ahead :
    back > Math.max(length, ahead) && !areNearer(lines, to, turnAt, lastNs)
  return isBack ? length : 0
}

/** Lines behind a step back, by the side of that step on which they are. */
interface Sides {
  readonly back: number
  readonly ahead: number
  /** The end of the first lines that are on one side, exclusive. */
  readonly turnAt: number
  /** The earliest time of the stretch that is ahead of the line that stepped back, from which on a line is ahead. */
  readonly leastNs: number
  /** True where at some line half as many were back as were ahead, with those of the stretch; of no opening. */
  readonly hasHalf: boolean
  /** The side of the last lines. */
  readonly isAhead: boolean
  /** True where more of them in a row are on it than a jump has. */
  readonly isLasting: boolean
}

/**
 * Follows the stamps behind a return at `to` until they stay on one side, or half as many lines are back as are ahead,
 * with those of the stretch (this decides no opening). A line is judged by its level, as jumps are of different sizes:
 * it is back where it is earlier than the stretch, or nearer to the clock that the line at `to` shows, which goes on by
 * every step of at most 60 s. Null: more lines are needed.
 */
function sidesBehind(
  { adapterTimeNs: times, count, isEnd }: StampedLines, from: number, to: number, place: 'opening' | 'inside',
): Sides | null {
  let clockNs = times[to] as number
  let leastNs = Infinity
  for (let i = from; i < to; i++) if ((times[i] as number) > clockNs) leastNs = Math.min(leastNs, times[i] as number)
  // The last lines of an opening may have jumped themselves, so that its level is that of its earliest.
  const levelNs = place === 'opening' ? leastNs : times[to - 1] as number
  const nearNs = Math.max(RETURN_NS, (levelNs - clockNs) / 2)
  const end = to + SIGHT_LINE_LIMIT
  let [back, ahead, turnAt, runFrom, isAhead, hasHalf] = [0, 0, 0, to, false, false]
  for (let i = to; i < end; i++) {
    hasHalf ||= place === 'inside' && 2 * back >= to - from + ahead
    if (i - runFrom > JUMP_LINE_LIMIT || (hasHalf && turnAt > 0)) break
    if (i >= count && !isEnd) return null
    if (i >= count) break
    const time = times[i] as number
    const stepNs = i === to ? 0 : time - (times[i - 1] as number)
    if (Math.abs(stepNs) <= AWAY_NS) clockNs += stepNs
    const isBack = time < leastNs || time <= clockNs + nearNs
    if (isBack === isAhead) [isAhead, turnAt, runFrom] = [!isAhead, turnAt || i, i]
    if (isAhead) ahead++
    else back++
  }
  const over = to + back + ahead
  return { back, ahead, turnAt: turnAt || over, leastNs, hasHalf, isAhead, isLasting: over - runFrom > JUMP_LINE_LIMIT }
}

/**
 * At an end of a file no line stands on the other side of a stretch. There its lines are a jump where they lie in
 * another UTC day than their neighbour and were sent near to it: a late line of an illiquid instrument is none.
 */
function isOfOtherDay(lines: StampedLines, from: number, to: number, neighbourNs: number): boolean {
  const day = Math.floor(neighbourNs / NS_PER_DAY)
  for (let i = from; i < to; i++)
    if (Math.floor((lines.adapterTimeNs[i] as number) / NS_PER_DAY) === day) return false
  return areNearer(lines, from, to, neighbourNs)
}

/** True where every exchange time among some lines, at least one, is nearer to another time than to its own line's. */
function areNearer(
  { adapterTimeNs, exchangeTimeNs }: StampedLines, from: number, to: number, neighbourNs: number,
): boolean {
  let givenCount = 0
  for (let i = from; i < to; i++) {
    const given = exchangeTimeNs[i] as number
    if (Number.isNaN(given)) continue
    if (!(Math.abs(given - neighbourNs) < Math.abs(given - (adapterTimeNs[i] as number)))) return false
    givenCount++
  }
  return givenCount > 0
}
