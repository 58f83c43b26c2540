import { NS_PER_DAY, NS_PER_MINUTE, NS_PER_SECOND } from '../../model/time.js'

/** A line of a clock jump lies farther than this from the line before the jump. */
const AWAY_NS = NS_PER_MINUTE
/** The step by which the stamps return at the end of a jump is longer than this. */
const RETURN_NS = 30 * NS_PER_SECOND
/** Most lines of a clock jump. */
const JUMP_LINE_LIMIT = 1000

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
    if (earliestAhead > time && isReturn(last, time, beforeNs))
      return last < beforeNs ? i - from : lengthAhead(lines, from, i, 'line before')
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
      return isAhead ? lengthAhead(lines, from, i, 'no line before') : 0
    }
  }
  return 0
}

/**
 * A step back has two readings: the lines before it were ahead, or those behind it are back, and in an illiquid
 * instrument sound lines may begin with a step ahead. So at least half of as many lines behind it as the stretch before
 * it has must stay back. Where no line before the stretch bears witness, more must than a jump has lines.
 */
function lengthAhead(lines: StampedLines, from: number, to: number, witness: 'line before' | 'no line before'): number {
  const { adapterTimeNs: times, count, isEnd } = lines
  const length = to - from
  const isOpening = witness === 'no line before'
  const [backMin, aheadMax] = isOpening ? [JUMP_LINE_LIMIT + 1, JUMP_LINE_LIMIT] : [length / 2, length / 2]
  const backNs = times[to] as number
  const stretch = times.subarray(from, to)
  // Half-way between where the stamps are back and the stretch: behind a step beyond it they are ahead again.
  const levelNs = (backNs + stretch.reduce((least, one) => (one > backNs ? Math.min(least, one) : least), Infinity)) / 2
  let [back, ahead] = [0, 0]
  let isAhead = false
  for (let i = to; back < backMin && ahead <= aheadMax; i++) {
    if (i >= count) {
      if (!isEnd) return UNDECIDED
      const isBack = isOpening
        ? back > Math.max(length, ahead) && !areNearer(lines, to, count, times[to - 1] as number)
        : back >= ahead
      return isBack ? length : 0
    }
    const time = times[i] as number
    isAhead = time >= levelNs && (isAhead || time > (times[i - 1] as number) + RETURN_NS)
    if (isAhead) ahead++
    else back++
  }
  return back >= backMin ? length : 0
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
