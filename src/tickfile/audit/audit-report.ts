import { Decimal } from '../../model/decimal.js'
import type { ErrorCode, ErrorPlace } from '../../model/error.js'
import type { BookReport } from './audit-book.js'
import type { ChainGap, ChainName } from './audit-chains.js'
import { COVERAGE_PERCENT_MIN, type DayCoverage } from './audit-day.js'
import type { ClockReport } from './audit-clock.js'
import type { RowReport } from './audit-rows.js'
import type { StateReport } from './audit-states.js'
import type { TradeIdReport } from './audit-trade-ids.js'
import type { BoundedList } from '../lines/bounded-list.js'
import type { MasterFault } from '../lines/master-check.js'
import { damageSentences } from '../../model/damage-words.js'
import type { ClockJump } from '../../model/clock-words.js'
import type { ReadingCut } from '../../model/damage-words.js'
import type { Damage } from '../lines/reading.js'

/** The error that ended a reading early. */
export interface ReadFailure {
  /** The stable code of the error. */
  readonly code: ErrorCode
  /** The error in a sentence. */
  readonly message: string
  /** File, line and field of the error, as far as they are known. */
  readonly place: ErrorPlace
}

/**
 * Everything an audit finds in one file. Times are epoch nanoseconds as text, durations integer nanoseconds, prices and
 * quantities decimal text.
 */
export interface AuditReport extends BookReport, RowReport, ClockReport, StateReport {
  /** The file as the user named it. */
  readonly file: string
  /** Id of the instrument. */
  readonly instrumentId: number
  /** Code of the instrument. */
  readonly instrumentCode: string
  /** Code of the exchange. */
  readonly exchangeCode: string
  /** Compressed bytes that were read. */
  readonly compressedBytes: number
  /** Bytes of text that they hold. */
  readonly textBytes: number
  /** Number of known events. */
  readonly events: number
  /** Events by msgType; unknown types are in `unknownTypes` alone. */
  readonly countsByType: Record<string, number>
  /** Lines by unknown msgType. */
  readonly unknownTypes: Record<string, number>
  /** Number of damaged lines. */
  readonly damagedLines: number
  /** The first 100 damages. */
  readonly damages: readonly Damage[]
  /** Set where the file is cut and was read up to there (`onDamage: 'skip'`). */
  readonly cut: ReadingCut | null
  /** Lines that took the adapter time of the line before them, as the recorder's clock had jumped. */
  readonly jumpedLineCount: number
  /** The stretches of those lines. */
  readonly clockJumps: BoundedList<ClockJump>
  /** Exchange, row and funding times more than 104 days from the day of the file: taken as missing. */
  readonly farTimeCount: number
  /** Set where the reading ended before the file did; everything else then speaks of what came before. */
  readonly failure: ReadFailure | null
  /** Values of the master data that no instrument can have. */
  readonly masterFaults: readonly MasterFault[]
  /** First and last event in file order, as recorded; null without events. */
  readonly firstAdapterTimestampNs: string | null
  /** Adapter time of the last event, epoch nanoseconds in digits; null without events. */
  readonly lastAdapterTimestampNs: string | null
  /** From the first to the last event, to the millisecond. */
  readonly coverageSeconds: number
  /** Null where the day of the file is unknown. */
  readonly dayCoverage: DayCoverage | null
  /** Chain gaps by stream. */
  readonly chainGapCounts: Partial<Record<ChainName, number>>
  /** Chain gaps of all streams in file order. */
  readonly chainGaps: BoundedList<ChainGap>
  /** Findings about trade ids. */
  readonly tradeIds: TradeIdReport
  /** Trade rows that a book line of an earlier exchange stamp showed before (exchange rules 1.1). */
  readonly tradeRowsShownBefore: number
}

/** True where a file is sound: neither damaged nor in contradiction with itself. */
export interface AuditVerdict {
  /** True for a sound file. */
  readonly ok: boolean
  /** One sentence a reason. */
  readonly reasons: readonly string[]
}

/**
 * Judges a report. Not ok: the file is damaged (it cannot be read to its end, or lines are damaged, events of another
 * instrument among them), or it contradicts itself (it holds no event, or none on the day that its name says; the book
 * ends crossed although no gap and no outage explains it). Gaps, outages, steps back, quiet periods, prices off the
 * tick and the like are findings: a sound recording may have them.
 */
export function auditVerdict(report: AuditReport): AuditVerdict {
  const reasons: string[] = []
  if (report.failure !== null) reasons.push(report.failure.message)
  const { damagedLines: damagedLineCount, damages, cut } = report
  reasons.push(...damageSentences({ damagedLineCount, damages, cut }))
  reasons.push(
    ...report.masterFaults.map(
      ({ field, expected, found }) => `master data: ${field} must be ${expected}, found ${found}`,
    ),
  )
  const { dayCoverage, finalBestBid, finalBestAsk } = report
  if (report.events === 0) {
    if (reasons.length === 0) reasons.push('the file holds no event')
  } else if (dayCoverage !== null && dayCoverage.eventsBefore + dayCoverage.eventsAfter === report.events) {
    reasons.push(`no event lies on ${dayCoverage.day}, the day of the file`)
  }
  if (isCrossedAtEnd(report))
    reasons.push(
      `the book ends crossed, bid ${finalBestBid?.price ?? ''} over ask ${finalBestAsk?.price ?? ''}, without a gap ` +
        'or an outage before',
    )
  return { ok: reasons.length === 0, reasons }
}

/**
 * True where a recording covers less than 99 % of the part of its day in which the contract existed: a finding, no
 * damage.
 */
export function isPartlyCovered({ dayCoverage }: AuditReport): boolean {
  const percent = dayCoverage?.percentOfExistence ?? null
  return percent !== null && percent < COVERAGE_PERCENT_MIN
}

function isCrossedAtEnd({ finalBestBid, finalBestAsk, finallySuspect }: AuditReport): boolean {
  if (finalBestBid === null || finalBestAsk === null || finallySuspect) return false
  return new Decimal(finalBestBid.price).greaterThan(finalBestAsk.price)
}

/**
 * A report as one JSON-safe object for machines: everything in it, and in flat keys what other readers of such files
 * report: `tradeChainGaps`, `bookChainGaps`, `crossedStates`, `crossedPercent` (of book states, to four decimals),
 * beside `ok` and `reasons`; `partlyCovered` where the file covers less than 99 % of the part of its day in which the
 * contract existed.
 */
export function auditJson(report: AuditReport): Record<string, unknown> {
  const { bookStates, crossed } = report
  return {
    ...report,
    bookChainGaps: report.chainGapCounts.book ?? 0,
    tradeChainGaps: report.chainGapCounts.trades ?? 0,
    crossedStates: crossed.states,
    crossedPercent: bookStates === 0 ? 0 : Number(((100 * crossed.states) / bookStates).toFixed(4)),
    partlyCovered: isPartlyCovered(report),
    ...auditVerdict(report),
  }
}
