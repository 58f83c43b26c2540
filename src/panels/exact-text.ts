const NS_PER_SECOND = 1_000_000_000n

/** Digits behind the point that some integers at a scale need, at most the scale: what all of them end in is cut. */
export function digitsNeeded(values: readonly number[], scale: number): number {
  let digits = 0
  let unit = 10 ** scale
  for (const value of values) {
    while (digits < scale && value % unit !== 0) {
      digits++
      unit /= 10
    }
    if (digits === scale) break
  }
  return digits
}

/**
 * The exact decimal of an integer at a scale, with at least so many digits behind the point. What is no integer, which
 * only queue models make, is cut to its integer and marked with `~`.
 */
export function exactText(value: number, scale: number, digits: number): string {
  const whole = Math.trunc(value)
  const text = String(Math.abs(whole)).padStart(scale + 1, '0')
  const point = text.length - scale
  let end = text.length
  while (end > point + digits && text[end - 1] === '0') end--
  const fraction = text.slice(point, end)
  const sign = `${whole === value ? '' : '~'}${whole < 0 ? '-' : ''}`
  return `${sign}${text.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

/** `2026-07-01 23:58:00.123456789` of an instant after a begin. */
export function instantText(fromEpochNs: string, timeNs: number): string {
  const epochNs = BigInt(fromEpochNs) + BigInt(timeNs)
  const ns = ((epochNs % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND
  const seconds = (epochNs - ns) / NS_PER_SECOND
  const date = new Date(Number(seconds) * 1000).toISOString()
  return `${date.slice(0, 10)} ${date.slice(11, 19)}.${String(ns).padStart(9, '0')}`
}

/** The same without its day, to the microsecond: what a table has room for. */
export function clockText(fromEpochNs: string, timeNs: number): string {
  return instantText(fromEpochNs, timeNs).slice(11, 26)
}

/** `12.5 ms`, `3 us`, `1.25 s`: whole nanoseconds in a unit that people read, exact. */
export function spanText(ns: number): string {
  for (const [unit, scale, least] of [['s', 9, 1_000_000_000], ['ms', 6, 1_000_000], ['us', 3, 1_000]] as const)
    if (ns >= least) return `${exactText(ns, scale, 0)} ${unit}`
  return `${ns} ns`
}

const TIME = /^(?:(\d{4}-\d{2}-\d{2})[T ])?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?Z?$/

/**
 * Nanoseconds after the begin of an instant that somebody typed; a clock time is of the day of the begin, or of the
 * next one where that lies nearer. Null where it is no time.
 */
export function timeNsFromText(text: string, fromEpochNs: string): number | null {
  const [, day, hours = '', minutes = '', seconds = '0', fraction = ''] = TIME.exec(text.trim()) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null
  const from = BigInt(fromEpochNs)
  const midnight = Date.parse(`${day ?? instantText(fromEpochNs, 0).slice(0, 10)}T00:00:00Z`)
  if (Number.isNaN(midnight)) return null
  const clock = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * NS_PER_SECOND +
    BigInt(fraction.padEnd(9, '0'))
  const timeNs = Number(BigInt(midnight) * 1_000_000n + clock - from)
  const dayNs = 86_400_000_000_000
  return day === undefined && timeNs < -dayNs / 2 ? timeNs + dayNs : timeNs
}
