const SECOND = 1e9
const DAY = 86_400 * SECOND

/** Lines of a file by their adapter and exchange times; infinite: of another year, NaN: none. */
export type Stamp = readonly [adapterNs: number, exchangeNs: number]

/** The adapter times that lines take by the rule of clock jumps, one file at once; null for a line that is refused. */
export function naiveClock(lines: readonly Stamp[]): (number | null)[] {
  const taken: (number | null)[] = []
  let before: number | null = null
  for (let at = 0; at < lines.length;) {
    const rest = lines.slice(at)
    const [[time]] = rest as [Stamp, ...Stamp[]]
    const length: number = before === null ? openingLength(rest) : Math.abs(time - before) > 60 * SECOND ? jumpedLength(rest, before) : 0
    if (length > 0) {
      before ??= (lines[at + length] as Stamp)[0]
      for (let i = 0; i < length; i++) taken.push(before)
      at += length
    } else if (Number.isFinite(time)) {
      taken.push(time)
      before = time
      at++
    } else
      for (; at < lines.length && !Number.isFinite((lines[at] as Stamp)[0]); at++) taken.push(null)
  }
  return taken
}

/** Lines that jumped, at the begin of `rest`, which is what is left of the file behind a line of `before`. */
function jumpedLength(rest: readonly Stamp[], before: number): number {
  const areReturned = (end: number): boolean => {
    const [time] = rest[end] as Stamp
    return returns(rest[end - 1] as Stamp, time, before) && rest.slice(0, end).every(([one]) => one < before || one > time)
  }
  const end = rest.findIndex(([time], i) => i > 0 && (Math.abs(time - before) <= 60 * SECOND || areReturned(i)))
  if (end < 0) return rest.length <= 1000 && isOtherDay(rest, before) ? rest.length : 0
  if (end > 1000) return 0
  const [last] = rest[end - 1] as Stamp
  if (!areReturned(end)) return 0
  const witness = witnessOf(rest.slice(0, end), before, rest[end]![0])
  if (witness !== null) return witness ? end : 0
  return last < before || areBack(rest, end) ? end : 0
}

function returns([last]: Stamp, time: number, before: number): boolean {
  if (time < before - 60 * SECOND || !Number.isFinite(time)) return false
  return last > before ? time < last - 30 * SECOND : time > last + 30 * SECOND
}

function openingLength(rest: readonly Stamp[]): number {
  const some = rest.slice(0, 1001)
  const [[first]] = some as [Stamp, ...Stamp[]]
  if (!Number.isFinite(first)) return Math.max(0, some.findIndex(([time]) => Number.isFinite(time)))
  for (const [i, [time]] of some.entries()) {
    const earlier = some.slice(0, i)
    const [last] = earlier.at(-1) ?? [time]
    if (time > last + 60 * SECOND && isOtherDay(earlier, time)) return i
    if (time < last - 60 * SECOND)
      return Number.isFinite(time) && earlier.every(([one]) => one > time + 60 * SECOND) && (witnessOf(earlier, time, time) ?? stayBack(rest, i)) ? i : 0
  }
  return 0
}

/** True where exchange times lie between those of the lines around a stretch, false where they lie near to its own lines; null: they say neither, or both. */
function witnessOf(stretch: readonly Stamp[], earliest: number, latest: number): boolean | null {
  const says = stretch.flatMap(([time, given]) => {
    const [isOwn, isBetween] = [Math.abs(given - time) <= 60 * SECOND, given >= earliest - 60 * SECOND && given <= latest + 60 * SECOND]
    return isOwn === isBetween || given === time ? [] : [isBetween]
  })
  return new Set(says).size === 1 ? says[0]! : null
}

/** Exchange times of the first lines that are back decide. Without them half as many lines are back from `end` on as are ahead, with those before `end`; or they stay back, or at least as many are back as are ahead. */
function areBack(rest: readonly Stamp[], end: number): boolean {
  const sides = sidesFrom(rest, end, rest[end - 1]![0])
  const says = witnessBehind(rest, end, sides)
  if (says !== null) return !says
  const early = sides.findIndex((_, i) => 2 * sides.slice(0, i + 1).filter((one) => !one).length >= end + sides.slice(0, i + 1).filter((one) => one).length)
  const runs = runsOf(sides)
  const lasting = runs.find(({ count }) => count > 1000)
  if (early >= 0 && (lasting === undefined || early < lasting.at + 1001)) return true
  if (lasting !== undefined) return !lasting.isAhead
  const aheadCount = sides.filter((one) => one).length
  return sides.length - aheadCount >= aheadCount
}

/** The first side on which lines stay is back; where they stay on none, that of most of them. At the end of the file more than stand before `end`, too, and the exchange times of the first of them do not say that they belong there. */
function stayBack(rest: readonly Stamp[], end: number): boolean {
  const sides = sidesFrom(rest, end, leastAhead(rest, end))
  const says = witnessBehind(rest, end, sides)
  if (says !== null) return !says
  const runs = runsOf(sides)
  const lasting = runs.find(({ count }) => count > 1000)
  if (lasting !== undefined) return !lasting.isAhead
  const aheadCount = sides.filter((one) => one).length
  const backCount = sides.length - aheadCount
  if (end + sides.length < rest.length) return backCount >= aheadCount
  return backCount > Math.max(end, aheadCount) && !areNearer(rest.slice(end, end + runs[0]!.count), rest[end - 1]![0])
}

/** True where the first lines that are back were sent when the stretch says, false where when they say. */
function witnessBehind(rest: readonly Stamp[], end: number, sides: readonly boolean[]): boolean | null {
  const first = rest.slice(end, end + Math.min(1001, runsOf(sides)[0]!.count))
  return witnessOf(first, leastAhead(rest, end), rest[end - 1]![0])
}

/** The earliest time before `end` that is later than the line there. */
function leastAhead(rest: readonly Stamp[], end: number): number {
  return Math.min(...rest.slice(0, end).map(([time]) => time).filter((time) => time > rest[end]![0]))
}

/** True for each line from `end` on, at most 5,000, that is ahead: no earlier than the stretch, and nearer to its level than to where the clock that the line at `end` shows has come by steps of a minute or less. */
function sidesFrom(rest: readonly Stamp[], end: number, level: number): boolean[] {
  const half = Math.max(30 * SECOND, (level - rest[end]![0]) / 2)
  const some = rest.slice(end, end + 5000).map(([time]) => time)
  const passed = some.map((time, i) => (i > 0 && Math.abs(time - some[i - 1]!) <= 60 * SECOND ? time - some[i - 1]! : 0))
  let now = some[0]!
  const clock = passed.map((step) => (now += step))
  const least = leastAhead(rest, end)
  return some.map((time, i) => time >= least && time > clock[i]! + half)
}

function runsOf(sides: readonly boolean[]): { at: number; count: number; isAhead: boolean }[] {
  const runs: { at: number; count: number; isAhead: boolean }[] = []
  for (const [at, isAhead] of sides.entries())
    if (runs.at(-1)?.isAhead === isAhead) runs.at(-1)!.count++
    else runs.push({ at, count: 1, isAhead })
  return runs
}

function isOtherDay(lines: readonly Stamp[], neighbour: number): boolean {
  return lines.every(([time]) => Math.floor(time / DAY) !== Math.floor(neighbour / DAY)) && areNearer(lines, neighbour)
}

function areNearer(lines: readonly Stamp[], neighbour: number): boolean {
  const given = lines.filter(([, exchange]) => !Number.isNaN(exchange))
  return given.length > 0 && given.every(([time, exchange]) => Math.abs(exchange - neighbour) < Math.abs(exchange - time))
}
