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
  return last < before || mostStayBack(rest, end) ? end : 0
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
      return Number.isFinite(time) && earlier.every(([one]) => one > time + 60 * SECOND) && manyStayBack(rest, i) ? i : 0
  }
  return 0
}

/** Of as many lines as stand before `end`, at least half of those from it on are back. */
function mostStayBack(rest: readonly Stamp[], end: number): boolean {
  const ahead = areAhead(rest, end, end)
  return 2 * ahead.filter((one) => !one).length >= ahead.length
}

/** Of 2,001 lines from `end` on most are back; in a shorter file more than stand before it, too, and their exchange times do not say that they belong there. */
function manyStayBack(rest: readonly Stamp[], end: number): boolean {
  const ahead = areAhead(rest, end, 2001)
  const [backCount, aheadCount] = [ahead.filter((one) => !one).length, ahead.filter((one) => one).length]
  if (Math.max(backCount, aheadCount) > 1000) return backCount > 1000
  const [last] = rest[end - 1] as Stamp
  return backCount > Math.max(end, aheadCount) && !areNearer(rest.slice(end), last)
}

function areAhead(rest: readonly Stamp[], end: number, count: number): boolean[] {
  const [back] = rest[end] as Stamp
  const half = (back + Math.min(...rest.slice(0, end).map(([time]) => time).filter((time) => time > back))) / 2
  let isAhead = false
  return rest.slice(end, end + count).map(([time], i) => {
    const [last] = rest[end + i - 1] as Stamp
    isAhead = time >= half && (isAhead || time > last + 30 * SECOND)
    return isAhead
  })
}

function isOtherDay(lines: readonly Stamp[], neighbour: number): boolean {
  return lines.every(([time]) => Math.floor(time / DAY) !== Math.floor(neighbour / DAY)) && areNearer(lines, neighbour)
}

function areNearer(lines: readonly Stamp[], neighbour: number): boolean {
  const given = lines.filter(([, exchange]) => !Number.isNaN(exchange))
  return given.length > 0 && given.every(([time, exchange]) => Math.abs(exchange - neighbour) < Math.abs(exchange - time))
}
