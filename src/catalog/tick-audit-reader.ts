import { clockWords } from '../model/clock-words.js'
import { eventKindFromCode } from '../model/event-kind.js'
import type { StopSignal } from '../model/stop-signal.js'
import { openSource } from '../tickfile/archive/source-reader.js'
import { auditVerdict } from '../tickfile/audit/audit-report.js'
import { auditReading } from '../tickfile/audit/audit.js'
import { readTickFile } from '../tickfile/tick-file-reader.js'
import type { AuditFacts } from './catalog-file.js'
import { TABLE_KINDS, type TableKind } from './table-kind.js'

/** The table that events of a type stand in. */
function kindOfType(type: string): TableKind | null {
  const kind = eventKindFromCode(Number(type))
  if (kind === undefined) return null
  if (kind === 'topOfBook') return 'bbo'
  if (kind === 'snapshot' || kind === 'update') return 'depth'
  return kind === 'state' ? 'states' : kind
}

/** Audits one tick file; an archive's member by `bundle.tar#member`. Throws STOPPED, and what opening it throws. */
export async function auditTick(name: string, signal: StopSignal | undefined): Promise<AuditFacts> {
  const stop = signal === undefined ? {} : { signal }
  const reading = await readTickFile(await openSource(name, stop), { onDamage: 'count', ...stop })
  try {
    const report = await auditReading(reading)
    const { ok, reasons } = auditVerdict(report)
    const found = new Set(Object.keys(report.countsByType).map(kindOfType))
    return {
      isSound: ok, reasons, clockNotes: clockWords(report),
      firstNs: report.firstAdapterTimestampNs, lastNs: report.lastAdapterTimestampNs,
      coveragePercent: report.dayCoverage?.percent ?? null,
      chainGapCount: Object.values(report.chainGapCounts).reduce((sum, count) => sum + count, 0),
      quietPeriodCount: report.quietPeriods.count, kinds: TABLE_KINDS.filter((kind) => found.has(kind)),
    }
  } finally {
    await reading.close()
  }
}
