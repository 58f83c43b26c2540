const POINT = 46

/** Behind the JSON number at `at`, or -1 where none ends there. */
export function jsonNumberEnd(bytes: Uint8Array, start: number, end: number): number {
  const digits = (from: number): number => {
    let at = from
    while (at < end && (bytes[at] ?? 0) >= 48 && (bytes[at] ?? 0) <= 57) at++
    return at
  }
  const first = bytes[start] === 45 ? start + 1 : start
  let at = first < end && bytes[first] === 48 ? first + 1 : digits(first)
  if (at === first) return -1
  if (at < end && bytes[at] === POINT) {
    const behind = digits(at + 1)
    if (behind === at + 1) return -1
    at = behind
  }
  if (at < end && ((bytes[at] ?? 0) | 32) === 101) {
    const sign = bytes[at + 1]
    const from = at + (sign === 43 || sign === 45 ? 2 : 1)
    const behind = digits(from)
    if (behind === from) return -1
    at = behind
  }
  const next = at < end ? bytes[at] ?? 0 : 32
  // Whatever else could belong to a number does not end one: `01`, `1-`, `1e5.`
  return (next >= 48 && next <= 57) || next === POINT || next === 43 || next === 45 || (next | 32) === 101 ? -1 : at
}
