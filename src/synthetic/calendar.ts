import { RandomNumbers } from '../model/random.js'
import { NS_PER_DAY, NS_PER_MINUTE, NS_PER_SECOND } from '../model/time.js'

/** A stretch of time, nanoseconds since the midnight of the first day; `toNs` is not part of it. */
export interface Stretch {
  readonly fromNs: number
  readonly toNs: number
}

/** When the made-up market is open, and what each day's file records. */
export interface Calendar {
  readonly sessions: readonly Stretch[]
  /** Per day: its recording with both margins. */
  readonly recordings: readonly Stretch[]
  /** Per day: its longest part that no other file records, where gaps and outages may lie. */
  readonly cores: readonly Stretch[]
}

const MARGIN_BEFORE_NS = 8 * NS_PER_MINUTE
const MARGIN_AFTER_NS = NS_PER_MINUTE

function mergedSessions(stretches: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = []
  for (const stretch of stretches) {
    const last = merged.at(-1)
    if (last !== undefined && stretch.fromNs <= last.toNs)
      merged[merged.length - 1] = { fromNs: last.fromNs, toNs: Math.max(last.toNs, stretch.toNs) }
    else merged.push(stretch)
  }
  return merged
}

/**
 * The open stretches of day `index`: all `lengthNs` after its midnight, before its end, or half and half between two
 * other days.
 */
function dayStretches(index: number, days: number, lengthNs: number): Stretch[] {
  const start = index * NS_PER_DAY
  const end = start + NS_PER_DAY
  if (index === days - 1) return [{ fromNs: start, toNs: start + lengthNs }]
  if (index === 0) return [{ fromNs: end - lengthNs, toNs: end }]
  const half = Math.floor(lengthNs / 2)
  return [{ fromNs: start, toNs: start + half }, { fromNs: end - half, toNs: end }]
}

/**
 * A market of `minutes` a day. A single or last day has them from its midnight on, a first day up to the next midnight,
 * a day between half and half, so that consecutive days always meet in an open market. A recording begins 8 minutes
 * before its midnight and ends one minute after the next (a fifth and a fortieth of `minutes`, where that is less), as
 * the vendor's do.
 */
export function calendarFor(days: number, minutes: number): Calendar {
  const lengthNs = Math.round(minutes * NS_PER_MINUTE)
  const before = Math.min(MARGIN_BEFORE_NS, Math.floor(lengthNs / 5))
  const after = Math.min(MARGIN_AFTER_NS, Math.floor(lengthNs / 40))
  const opens: Stretch[] = []
  const recordings: Stretch[] = []
  const cores: Stretch[] = []
  for (let day = 0; day < days; day++) {
    const start = day * NS_PER_DAY
    const stretches = dayStretches(day, days, lengthNs)
    const first = stretches[0]?.fromNs ?? start
    const last = stretches.at(-1)?.toNs ?? start
    const fromNs = first === start ? start - before : first
    const toNs = last === start + NS_PER_DAY ? last + after : last
    recordings.push({ fromNs, toNs })
    opens.push({ fromNs, toNs: stretches[0]?.toNs ?? toNs }, { fromNs: stretches.at(-1)?.fromNs ?? fromNs, toNs })
    const core = stretches[0] ?? { fromNs, toNs }
    cores.push({ fromNs: core.fromNs + after, toNs: core.toNs - before })
  }
  return { sessions: mergedSessions(opens), recordings, cores }
}

/** The faults of one recording. Times are nanoseconds since the midnight of the first day. */
export interface RecordingPlan {
  readonly recording: Stretch
  /** Depth and top-of-book lines in this stretch are lost without a word; the chain shows it. */
  readonly gap: Stretch
  /** The connection is down: an ERROR state, nothing, a READY state. In time order. */
  readonly outages: readonly Outage[]
  /** A regular snapshot, as several a day are normal. */
  readonly snapshotNs: number
  /** The first message after this is stamped by a clock that has stepped back. */
  readonly clockStepNs: number
}

/** A stretch without a connection, and why. */
export interface Outage extends Stretch {
  readonly reason: string
}

const GAP_NS = 2 * NS_PER_SECOND
const OUTAGE_LIMIT_NS = 8 * NS_PER_SECOND

function closures(sessions: readonly Stretch[], recording: Stretch): Outage[] {
  return sessions.slice(1).flatMap(({ fromNs: toNs }, before) => {
    const fromNs = sessions[before]?.toNs ?? 0
    return fromNs > recording.fromNs && toNs < recording.toNs ? [{ fromNs, toNs, reason: 'venue closed' }] : []
  })
}

/**
 * The faults of the recording of day `index`: a gap, a regular snapshot, an outage, a clock step, all in what only this
 * file records.
 */
export function recordingPlanFor(calendar: Calendar, index: number, seed: number, instrumentId: number): RecordingPlan {
  const recording = calendar.recordings[index] ?? { fromNs: 0, toNs: 0 }
  const core = calendar.cores[index] ?? recording
  const random = new RandomNumbers(seed, 'recording plan', instrumentId)
  const length = core.toNs - core.fromNs
  const at = (share: number, part: number): number =>
    core.fromNs + Math.floor(length * (share + 0.06 * random.uniform(index, part)))
  const gapFrom = at(0.25, 0)
  const outageFrom = at(0.65, 1)
  const outage = {
    fromNs: outageFrom, toNs: outageFrom + Math.min(OUTAGE_LIMIT_NS, Math.floor(length / 10)),
    reason: 'connection lost',
  }
  return {
    recording, gap: { fromNs: gapFrom, toNs: gapFrom + GAP_NS },
    outages: [outage, ...closures(calendar.sessions, recording)].sort((a, b) => a.fromNs - b.fromNs),
    snapshotNs: at(0.5, 2), clockStepNs: at(0.85, 3),
  }
}
