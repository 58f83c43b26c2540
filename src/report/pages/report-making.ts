import type { LatencyQuantiles } from '../../model/latency-sketch.js'
import { textFromScaled } from '../../model/decimal.js'
import { epochNsFromText, isoFromEpochNs, isoFromTime } from '../../model/time.js'
import { feeParts, instrumentParts } from './instrument-parts.js'
import { moneyParts } from './money-parts.js'
import { redacted, redactedText } from './redaction.js'
import {
  REPORT_FORMAT, type ReportBlind, type ReportCell, type ReportHistogram, type ReportLatency, type ReportMoment,
  type ReportTable, type RunReport,
} from './report-data.js'
import type { FillInput, LatencyBins, ReportInput } from './report-input.js'

/** Columns of texts that a file or a strategy chose; the others are numbers, times and ids that we made. */
const FREE_TEXTS: ReadonlySet<string> = new Set([
  'instrument', 'account', 'client', 'error_type', 'error_source', 'underlying', 'fee_underlying', 'leg', 'exit',
  'own_order_id', 'client_order_id', 'exchange_order_id', 'own_fill_id', 'replaces', 'entry_fill_id', 'exit_fill_id',
  'other_fee_underlying', 'type', 'time_in_force', 'state', 'cause',
])
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A cell: times as ISO-8601, other integers as numbers, texts without what a report leaves out. */
function cellOf(value: unknown, name: string, texts: Map<string, string>): ReportCell {
  if (typeof value === 'bigint') return name.endsWith('ts') ? isoFromEpochNs(value) : Number(value)
  if (typeof value !== 'string') return value as ReportCell
  if (!FREE_TEXTS.has(name) || UUID.test(value)) return value
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = redactedText(value)
  texts.set(value, text)
  return text
}

/** Rows as a table in the form of pandas. */
function tableOf(rows: readonly object[]): ReportTable {
  const columns = Object.keys(rows[0] ?? {})
  const texts = new Map<string, string>()
  return {
    columns, data: rows.map((row) => (
      columns.map((name) => cellOf((row as Record<string, unknown>)[name], name, texts)))),
  }
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

function blind({ tracks, epochDay, instrumentOf }: ReportInput): ReportBlind[] {
  const text = (timeNs: number | null): string | null => timeNs === null ? null : isoFromTime(timeNs, epochDay)
  return tracks.blind.map(({ instrumentId, sinceNs, detectedNs, endNs, reason }) => ({
    instrument: instrumentOf(instrumentId), since: text(sinceNs), detected: isoFromTime(detectedNs, epochDay),
    end: text(endNs), reason,
  }))
}

function fillsWithin(fills: readonly FillInput[], since: string, time: string): number {
  const [fromNs, toNs] = [epochNsFromText(since, null), epochNsFromText(time, null)]
  return fills.filter(({ exchange_ts: ts }) => ts > fromNs && ts <= toNs).length
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

/**
 * Everything that the report of a run shows. Texts of files and strategies stand in it as they are, but for absolute
 * paths and secrets. The same run gives the same data.
 */
export function makeReport(input: ReportInput): RunReport {
  const { summary, parameters, configuration, about } = input
  const small = redacted({
    title: input.title, assumptions: summary.assumptions, summary, money: moneyParts(input),
    fees: feeParts(input.fills), instruments: instrumentParts(input), latencies: latencies(input), blind: blind(input),
    worst: moments(input),
    run: { parameters: parameters as Readonly<Record<string, unknown>>, configuration, about },
  })
  const { fingerprint, configDigest, journalDigest, journalLineCount } = input
  return {
    format: REPORT_FORMAT, kind: 'run', ...small,
    run: { fingerprint, configDigest, journalDigest, journalLineCount, ...small.run },
    fills: tableOf(input.fills), orders: tableOf(input.orders), trades: tableOf(input.trades),
  }
}
