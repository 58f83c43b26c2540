import { EVENT_FLAGS } from '../model/event-batch.js'
import { EVENT_KINDS, EVENT_KIND_NAMES, type EventKind } from '../model/event-kind.js'
import { epochNsFromTime } from '../model/time.js'
import type { Reading, ReadingSummary } from '../tickfile/lines/reading.js'

/** The counts of one pass over a file's columns. */
export interface DayOverview {
  readonly eventsByKind: Readonly<Record<EventKind, number>>
  /** Rows of each kind: levels, fills, liquidations; 0 for kinds without rows. */
  readonly rowsByKind: Readonly<Record<EventKind, number>>
  /** Least and greatest adapter time; null for a file without events. */
  readonly firstTimestampNs: bigint | null
  readonly lastTimestampNs: bigint | null
  readonly chainGapCount: number
  readonly clockStepBackCount: number
  readonly summary: ReadingSummary
}

/** Reads a day once and counts; it may be an open reading of it. */
export async function readOverview(day: Pick<Reading, 'batches' | 'summary'>): Promise<DayOverview> {
  const events = new Float64Array(32)
  const rows = new Float64Array(32)
  let first: bigint | null = null
  let last: bigint | null = null
  let gaps = 0
  let steps = 0
  for await (const { kind, rowStart, adapterTimeNs, flags, count, epochDay } of day.batches()) {
    let least = Infinity
    let greatest = -Infinity
    for (let index = 0; index < count; index++) {
      const code = kind[index] as number
      events[code] = (events[code] as number) + 1
      rows[code] = (rows[code] as number) + (rowStart[index + 1] as number) - (rowStart[index] as number)
      const flag = flags[index] as number
      if ((flag & EVENT_FLAGS.CHAIN_GAP) !== 0) gaps++
      if ((flag & EVENT_FLAGS.CLOCK_STEPPED_BACK) !== 0) steps++
      const time = adapterTimeNs[index] as number
      if (time < least) least = time
      if (time > greatest) greatest = time
    }
    if (count === 0) continue
    const from = epochNsFromTime(least, epochDay)
    const to = epochNsFromTime(greatest, epochDay)
    if (first === null || from < first) first = from
    if (last === null || to > last) last = to
  }
  return {
    eventsByKind: byKind(events),
    rowsByKind: byKind(rows),
    firstTimestampNs: first,
    lastTimestampNs: last,
    chainGapCount: gaps,
    clockStepBackCount: steps,
    summary: day.summary,
  }
}

function byKind(counts: Float64Array): Record<EventKind, number> {
  return Object.fromEntries(EVENT_KIND_NAMES.map((name) => [name, counts[EVENT_KINDS[name]] ?? 0])) as Record<
    EventKind,
    number
  >
}
