import { BacktapeError } from '../../model/error.js'
import type { EventBatch } from '../../model/event-batch.js'
import type { Instrument } from '../../model/instrument.js'
import { ShownTrades } from '../../model/shown-trades.js'
import { BookAudit } from './audit-book.js'
import { ChainAudit, type ChainName } from './audit-chains.js'
import { ClockAudit } from './audit-clock.js'
import { AuditDay } from './audit-day.js'
import type { AuditReport, ReadFailure } from './audit-report.js'
import { RowAudit } from './audit-rows.js'
import { StateAudit } from './audit-states.js'
import { TradeIdAudit } from './audit-trade-ids.js'
import { masterFaults } from '../lines/master-check.js'
import type { Reading } from '../lines/reading.js'

/**
 * Reads a file to its end, once and in bounded memory, and reports everything it finds. Open the reading with
 * `onDamage: 'count'`, so that a bad line is counted instead of ending it; what ends it all the same (a truncated
 * frame) stands in `failure` instead of being thrown.
 *
 * @example
 * ```ts
 * import { auditJson, auditReading, auditText, auditVerdict, openSource, readTickFile } from 'backtape/columns'
 * const source = await openSource('datasets/synthetic_swap-XRPUSDT-2026-07-01.txt.zst')
 * const report = await auditReading(await readTickFile(source, { onDamage: 'count' }))
 * if (!auditVerdict(report).ok || auditJson(report)['damagedLines'] !== 0) throw new Error(auditText(report))
 * ```
 */
export async function auditReading(reading: Reading): Promise<AuditReport> {
  const audit = new Audit(reading.day, reading.instrument)
  let failure: ReadFailure | null = null
  try {
    for await (const batch of reading.batches()) audit.check(batch)
  } catch (error) {
    // A reading that was stopped gives no verdict.
    if (!(error instanceof BacktapeError) || error.code === 'STOPPED') throw error
    failure = { code: error.code, message: error.message, place: error.place }
  }
  return audit.report(reading, failure)
}

const CHAINS: readonly ChainName[] = ['book', 'trades', 'topOfBook', 'mark', 'index', 'funding', 'liquidations']

/** The checks of one file, each over whole batches, so that every loop stays small and typed. */
class Audit {
  private readonly clock = new ClockAudit()
  private readonly book = new BookAudit()
  private readonly chains = new ChainAudit()
  private readonly rows = new RowAudit()
  private readonly tradeIds = new TradeIdAudit()
  private readonly states = new StateAudit()
  private readonly shownTrades = new ShownTrades()
  private readonly daySpan: AuditDay | null

  constructor(day: number | null, instrument: Instrument) {
    this.daySpan = day === null ? null : new AuditDay(day, instrument)
  }

  check(batch: EventBatch): void {
    this.clock.check(batch)
    this.chains.check(batch)
    this.states.check(batch)
    this.rows.check(batch)
    this.tradeIds.check(batch)
    this.shownTrades.count(batch, 0, batch.count)
    this.book.check(batch)
    this.daySpan?.check(batch)
  }

  report(reading: Reading, failure: ReadFailure | null): AuditReport {
    const { clock, chains } = this
    const { summary, instrument } = reading
    const chainGapCounts: Partial<Record<ChainName, number>> = {}
    for (const chain of CHAINS) if (chains.gapCount(chain) > 0) chainGapCounts[chain] = chains.gapCount(chain)
    const countsByType = clock.countsByType()
    return {
      file: reading.name,
      instrumentId: instrument.id,
      instrumentCode: instrument.code,
      exchangeCode: instrument.exchangeCode,
      compressedBytes: summary.compressedBytes,
      textBytes: summary.textBytes,
      events: Object.values(countsByType).reduce((sum, count) => sum + count, 0),
      countsByType,
      unknownTypes: Object.fromEntries([...summary.unknownTypes].map(([type, count]) => [String(type), count])),
      damagedLines: summary.damagedLineCount,
      damages: [...summary.damages],
      cut: summary.cut,
      jumpedLineCount: summary.jumpedLineCount,
      clockJumps: summary.clockJumps,
      farTimeCount: summary.farTimeCount,
      failure,
      masterFaults: masterFaults(instrument),
      firstAdapterTimestampNs: clock.timestamp(clock.firstNs),
      lastAdapterTimestampNs: clock.timestamp(clock.lastNs),
      coverageSeconds: Number.isNaN(clock.firstNs) ? 0 : Math.round((clock.lastNs - clock.firstNs) / 1e6) / 1000,
      dayCoverage: this.daySpan?.report() ?? null,
      chainGapCounts,
      chainGaps: chains.gaps,
      tradeIds: this.tradeIds.report(),
      tradeRowsShownBefore: this.shownTrades.counts().shownBefore,
      ...this.book.report(),
      ...this.rows.report(),
      ...this.states.report(),
      ...clock.report(),
    }
  }
}
