import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { auditReading } from '../../src/tickfile/audit/audit.js'
import { auditJson, auditVerdict, type AuditReport } from '../../src/tickfile/audit/audit-report.js'
import { isSkippedMember, openSources } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import { isNight } from '../support/repetitions.ts'
import { bundleFiles, dayFiles, hasSharedData, sharedData } from '../support/shared-data.js'

interface Expected {
  events: number
  counts: Record<string, number>
  parse_errors: number
  coverage_s: number
  snapshots: number
  trades_fills: number
  liquidation_rows: number
  book_chain_gaps: number
  trade_chain_gaps: number
  book_states_checked: number
  crossed_states: number
  crossed_pct: number
  max_book_levels: number
  final_best_bid: [number, number] | null
  final_best_ask: [number, number] | null
  first_adapter_ts: string
  last_adapter_ts: string
  snapshot_ts: string[]
}

/** The vendor's reader; its times exceed 2^53, so their digits are read as texts. */
function expectations(): Record<string, Expected> {
  const text = readFileSync(sharedData('expected/file-stats.json'), 'utf8')
  return JSON.parse(text.replace(/(?<=[[\s,:])(\d{19})(?=[\s,\]}])/g, '"$1"')) as Record<string, Expected>
}

function inTheirWords(report: AuditReport): Expected {
  const json = auditJson(report)
  const level = (l: AuditReport['finalBestBid']): [number, number] | null => (l === null ? null : [Number(l.price), Number(l.quantity)])
  return {
    events: report.events, counts: report.countsByType, parse_errors: report.damagedLines, coverage_s: report.coverageSeconds, snapshots: report.snapshots,
    trades_fills: report.tradeRows, liquidation_rows: report.liquidationRows,
    book_chain_gaps: json['bookChainGaps'] as number, trade_chain_gaps: json['tradeChainGaps'] as number,
    book_states_checked: report.bookStates, crossed_states: json['crossedStates'] as number, crossed_pct: json['crossedPercent'] as number,
    max_book_levels: report.maxBookLevels, final_best_bid: level(report.finalBestBid), final_best_ask: level(report.finalBestAsk),
    first_adapter_ts: String(report.firstAdapterTimestampNs), last_adapter_ts: String(report.lastAdapterTimestampNs), snapshot_ts: [...report.snapshotTimestampsNs],
  }
}

async function audits(path: string): Promise<Map<string, AuditReport>> {
  const reports = new Map<string, AuditReport>()
  for await (const source of openSources(path)) {
    if (isSkippedMember(source)) throw new Error(`${source.name} is no tick file`)
    reports.set(source.fileName, await auditReading(await readTickFile(source, { onDamage: 'count' })))
  }
  return reports
}

describe.skipIf(!hasSharedData)('the audit agrees with the vendor\'s reader in every field', () => {
  const expected = hasSharedData ? expectations() : {}
  const seen = new Set<string>()
  test.each([...dayFiles, ...bundleFiles])('%s', { timeout: 180_000 }, async (path) => {
    for (const [fileName, report] of await audits(path)) {
      seen.add(fileName)
      expect(inTheirWords(report), fileName).toEqual(expected[fileName])
      expect(auditVerdict(report)).toEqual({ ok: true, reasons: [] })
      const { file: _, ...rest } = auditJson(report)
      expect(JSON.parse(JSON.stringify(rest))).toEqual(rest)
    }
  })
  // By day the large days are left out, but those of bundles.
  test('no expectation is left unread', () => {
    const large = new Set(isNight ? [] : Object.keys(expected).filter((name) => !dayFiles.some((path) => path.endsWith(name)) && existsSync(sharedData(`days/${name}`))))
    expect([...seen].sort()).toEqual(Object.keys(expected).filter((name) => !large.has(name) || seen.has(name)).sort())
  })
})
