/** The parts of a line that stitching looks at. */
export interface NaiveEvent {
  readonly line: string
  readonly kind: number
  readonly id: string
  readonly timeNs: bigint
}

const DAY_NS = 86_400_000_000_000n

/** Takes a line apart by its first commas. */
function naiveEvent(line: string): NaiveEvent {
  const parts = line.slice(1).split(',', 6)
  const kind = Number(parts[0])
  return { line, kind, id: parts[3] ?? '', timeNs: BigInt((kind === 5 ? parts[2] : parts[4]) ?? '') }
}

/** The lines of a file before, in and after its day, by the running maximum of the adapter time. */
export function naiveDay(lines: readonly string[], epochDay: number): { before: NaiveEvent[]; day: NaiveEvent[]; after: NaiveEvent[] } {
  const start = BigInt(epochDay) * DAY_NS
  const parts = { before: [] as NaiveEvent[], day: [] as NaiveEvent[], after: [] as NaiveEvent[] }
  let maximum = -1n
  for (const line of lines) {
    const event = naiveEvent(line)
    if (event.timeNs > maximum) maximum = event.timeNs
    if (maximum < start) parts.before.push(event)
    else if (maximum < start + DAY_NS) parts.day.push(event)
    else parts.after.push(event)
  }
  return parts
}

/**
 * The lines of two days as one, by the definition: what the earlier file has of its day; then what the later file has before midnight and the earlier
 * one after it; then what the later file has of its day and the earlier one has not delivered. Events are the same when kind and id are.
 */
export function naiveStitch(earlier: readonly string[], later: readonly string[], laterDay: number): { lines: string[]; duplicates: number; recovered: number } {
  const a = naiveDay(earlier, laterDay - 1)
  const b = naiveDay(later, laterDay)
  const key = ({ kind, id, line }: NaiveEvent): string => (kind === 5 || id === '"9223372036854775807"' ? line : `${String(kind)} ${id}`)
  const delivered = new Set(a.day.map(key))
  const behind = new Set(a.after.map(key))
  const recovered = b.before.filter((event) => behind.has(key(event)))
  const fresh = b.day.filter((event) => !delivered.has(key(event)))
  return {
    lines: [...a.day, ...recovered, ...fresh].map(({ line }) => line),
    duplicates: b.day.length - fresh.length,
    recovered: recovered.length,
  }
}
