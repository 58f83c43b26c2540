/** The bytes that a range of HTTP selects, position by position. */
export interface NaiveRange {
  readonly status: number
  readonly positions: readonly number[]
}

/** RFC 9110, section 14, read letter by letter: each position of a thing is asked whether the header selects it. */
export function naiveRange(header: string, size: number): NaiveRange {
  const all = [...Array(size).keys()]
  const whole = { status: 200, positions: all }
  if (header.slice(0, 6).toLowerCase() !== 'bytes=') return whole
  const specs: string[] = []
  for (const one of header.slice(6).split(',')) {
    let text = one
    while (text.startsWith(' ') || text.startsWith('\t')) text = text.slice(1)
    while (text.endsWith(' ') || text.endsWith('\t')) text = text.slice(0, -1)
    if (text !== '') specs.push(text)
  }
  const dash = specs[0]?.indexOf('-') ?? -1
  if (specs.length !== 1 || dash < 0) return whole
  const [first, last] = [specs[0]!.slice(0, dash), specs[0]!.slice(dash + 1)]
  if (Array.from(first + last).some((letter) => !'0123456789'.includes(letter)) || first + last === '') return whole
  if (first !== '' && last !== '' && BigInt(last) < BigInt(first)) return whole
  const positions = all.filter((at) => first === ''
    ? BigInt(size - at) <= BigInt(last)
    : BigInt(at) >= BigInt(first) && (last === '' || BigInt(at) <= BigInt(last)))
  if (positions.length > 0) return { status: 206, positions }
  return first === '' && BigInt(last) > 0n ? whole : { status: 416, positions }
}
