import type { LatencyQuantiles } from '../../model/latency-sketch.js'
import { textFromScaled } from '../../model/decimal.js'
import { keptValue } from '../../model/kept-value.js'
import { epochNsFromText, isoFromTime } from '../../model/time.js'
import { isUuid, UUID_LENGTH } from '../../model/uuid.js'
import type { ColumnBuffer } from '../../tables/column.js'
import { MadeColumn, valueSource, type ColumnSource } from '../../tables/made-column.js'
import { feeParts, instrumentParts } from './instrument-parts.js'
import { moneyParts } from './money-parts.js'
import { redacted, redactedText } from '../redaction.js'
import {
  REPORT_FORMAT, type ReportLatency, type ReportLog, type ReportMoment, type ReportTable,
  type ReportUnknownBook, type RunReport,
} from './report-data.js'
import { reportTable } from './report-rows.js'
import type { ReportHistogram } from './report-series.js'
import type { ColumnsInput, LatencyBins, ReportInput } from './report-input.js'

/** Columns of the fills and orders of a report, by the names of the tables; ids of the exchange are left to those. */
const FILL_COLUMNS = [
  'exchange_ts', 'instrument', 'account', 'side', 'price', 'qty', 'added_liquidity', 'cause', 'value', 'fee',
  'fee_underlying', 'realized_pnl', 'position', 'net_traded', 'own_order_id', 'mark_out_100ms', 'mark_out_1s',
  'mark_out_10s', 'mark_out_60s',
] as const
const ORDER_COLUMNS = [
  'ts', 'accepted_ts', 'ended_ts', 'instrument', 'account', 'client', 'side', 'type', 'time_in_force', 'post_only',
  'price', 'qty', 'executed_qty', 'state', 'quantity_ahead', 'touched_by_gap', 'error_type', 'own_order_id',
  'replaces', 'arrival_mid',
] as const

/** Columns of texts that a file or a strategy chose; the others are numbers, times and ids that we made. */
const FREE_TEXTS: ReadonlySet<string> = new Set([
  'instrument', 'account', 'client', 'error_type', 'fee_underlying', 'own_order_id', 'replaces', 'type',
  'time_in_force', 'state', 'cause',
])
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isOurs(text: string): boolean {
  return text.length === UUID_LENGTH && UUID.test(text)
}

/** Texts without what a report leaves out; ids of ours are digits alone. */
function redactedTexts(column: MadeColumn): MadeColumn {
  const texts = new Map<string, string>()
  let [last, shown]: [string | null, string | null] = [null, null]
  const ofTexts = valueSource((row) => {
    const value = column.at(row) as string | null
    if (value === last) return shown
    if (value === null || isOurs(value)) return value
    last = value
    return (shown = keptValue(texts, value, redactedText))
  })
  const put: ColumnSource['put'] = (buffer, from, to) => {
    const first = column.at(from) as string | null
    if (first !== null && !isOurs(first)) return ofTexts.put(buffer, from, to)
    column.put(buffer, from, to)
    return isOfUuids(buffer, to - from) ? to : ofTexts.put(buffer, from, to)
  }
  return new MadeColumn(column, { at: ofTexts.at, put }, column.length, 0)
}

/** True where the first texts of a buffer are UUIDs, or null. */
function isOfUuids({ bytes, start, isNull }: ColumnBuffer, count: number): boolean {
  for (let index = 0; index < count; index++) {
    const [from, to] = [start[index] as number, start[index + 1] as number]
    if (isNull[index] !== 1 && (to - from !== UUID_LENGTH || !isUuid(bytes, from))) return false
  }
  return true
}

/** A table in the form of pandas. */
function tableOf<Row>(table: ColumnsInput<Row>, names: readonly (keyof Row & string)[]): ReportTable {
  const columns = names.map((name) => table.column(name))
  return reportTable({
    rowCount: table.rowCount,
    columns: columns.map((column) => FREE_TEXTS.has(column.name) ? redactedTexts(column) : column),
  })
}

function histogram(bins: LatencyBins): ReportHistogram | null {
  if (bins.length === 0) return null
  const edges: number[] = []
  const counts: number[] = []
  for (const [from, to, count] of bins) {
    const last = edges.at(-1)
    if (last !== undefined && last < from) {
      edges.push(from)
      counts.push(0)
    } else if (last === undefined) edges.push(from)
    edges.push(to)
    counts.push(count)
  }
  return { edges, counts }
}

/** Bins of a feed, where they hold what the world received and nothing more. */
function feedHistogram({ count, negativeCount }: LatencyQuantiles, bins: LatencyBins = []): ReportHistogram | null {
  return bins.reduce((sum, [, , one]) => sum + one, 0) === count - negativeCount ? histogram(bins) : null
}

function latencies({ summary, requestBins, responseBins, feedBins }: ReportInput): ReportLatency[] {
  return [
    { name: 'request: sent to exchange', quantiles: summary.requestLatency, histogram: histogram(requestBins) },
    { name: 'response: exchange to client', quantiles: summary.responseLatency, histogram: histogram(responseBins) },
    ...summary.markets.map(({ instrument, feedLatency }) => (
      {
        name: `feed of ${instrument}`, quantiles: feedLatency,
        histogram: feedHistogram(feedLatency, feedBins.get(instrument)),
      })),
  ]
}

function bookUnknown({ bookUnknown: spans, epochDay, instrumentOf }: ReportInput): ReportUnknownBook[] {
  const text = (timeNs: number | null): string | null => timeNs === null ? null : isoFromTime(timeNs, epochDay)
  const inTime = [...spans].sort((a, b) => a.detectedNs - b.detectedNs)
  return inTime.map(({ instrumentId, sinceNs, detectedNs, endNs, reason }) => ({
    instrument: instrumentOf(instrumentId), since: text(sinceNs), detected: isoFromTime(detectedNs, epochDay),
    end: text(endNs), reason,
  }))
}

function fillsWithin(fills: ReportInput['fills'], since: string, time: string): number {
  const [fromNs, toNs] = [epochNsFromText(since, null), epochNsFromText(time, null)]
  const times = fills.column('exchange_ts')
  let count = 0
  for (let row = 0; row < fills.rowCount; row++) {
    const ts = times.at(row) as bigint
    if (ts > fromNs && ts <= toNs) count++
  }
  return count
}

function moments({ tracks, epochDay, instrumentOf, underlyingOf, fills }: ReportInput): ReportMoment[] {
  return tracks.worst.falls.map(({ underlyingId, sinceNs, timeNs, fall, equity, books }) => {
    const [since, time] = [isoFromTime(sinceNs, epochDay), isoFromTime(timeNs, epochDay)]
    return {
      underlying: underlyingOf(underlyingId), since, time, fall: fall.toFixed(), equity: equity.toFixed(),
      books: books.map(({ instrumentId, priceScale, quantityScale, bids, asks }) => {
        const levels = (side: typeof bids): (readonly [string, string])[] => side.map(([price, quantity]) => (
          [textFromScaled(price, priceScale), textFromScaled(quantity, quantityScale)] as const))
        return { instrument: instrumentOf(instrumentId), bids: levels(bids), asks: levels(asks) }
      }),
      fillCount: fillsWithin(fills, since, time),
    }
  })
}

/** The last lines of each level, put together by time; a line of the log before a warning of the same instant. */
function logOf({ log, epochDay }: ReportInput): ReportLog {
  const lines = (['log', 'warning'] as const).flatMap((level) => log.linesOf(level).map((line) => ({ level, ...line })))
  return {
    counts: { log: log.countOf('log'), warning: log.countOf('warning') },
    lines: lines.sort((a, b) => a.timeNs - b.timeNs).map(({ timeNs, level, clientId, text }) => (
      { time: isoFromTime(timeNs, epochDay), level, client: clientId, text })),
  }
}

/**
 * Everything that the report of a run shows. Texts of files and strategies stand in it as they are, but for absolute
 * paths and secrets. The same run gives the same data.
 */
export function makeReport(input: ReportInput): RunReport {
  const { summary, parameters, configuration, about } = input
  const small = redacted({
    title: input.title, assumptions: summary.assumptions, summary, money: moneyParts(input),
    fees: feeParts(input.fills), instruments: instrumentParts(input), latencies: latencies(input),
    bookUnknown: bookUnknown(input), worst: moments(input), log: logOf(input),
    run: { parameters: parameters as Readonly<Record<string, unknown>>, configuration, about },
  })
  const { fingerprint, configDigest, journalDigest, journalLineCount } = input
  return {
    format: REPORT_FORMAT, kind: 'run', ...small,
    run: { fingerprint, configDigest, journalDigest, journalLineCount, ...small.run },
    fills: tableOf(input.fills, FILL_COLUMNS), orders: tableOf(input.orders, ORDER_COLUMNS),
  }
}
