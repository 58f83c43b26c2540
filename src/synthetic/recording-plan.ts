import { RandomNumbers } from '../model/random.js'
import { NS_PER_SECOND } from '../model/time.js'
import type { Calendar, Stretch } from './calendar.js'
import type { Outage, RecordingPlan } from './recorder.js'

const GAP_NS = 2 * NS_PER_SECOND
const OUTAGE_LIMIT_NS = 8 * NS_PER_SECOND

function closures(sessions: readonly Stretch[], recording: Stretch): Outage[] {
  const outages: Outage[] = []
  for (let i = 1; i < sessions.length; i++) {
    const fromNs = sessions[i - 1]?.toNs ?? 0
    const toNs = sessions[i]?.fromNs ?? 0
    if (fromNs > recording.fromNs && toNs < recording.toNs) outages.push({ fromNs, toNs, reason: 'venue closed' })
  }
  return outages
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
  const outages = [outage, ...closures(calendar.sessions, recording)].sort((a, b) => a.fromNs - b.fromNs)
  return {
    recording, gap: { fromNs: gapFrom, toNs: gapFrom + GAP_NS }, outages, snapshotNs: at(0.5, 2),
    clockStepNs: at(0.85, 3),
  }
}
