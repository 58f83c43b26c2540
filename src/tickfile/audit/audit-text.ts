import { isShownOften } from '../../model/shown-trades.js'
import { EVENT_KINDS, EVENT_KIND_NAMES } from '../../model/event-kind.js'
import { clockWords } from '../../model/clock-words.js'
import { epochDayFromText, isoFromEpochNs, isoFromTime, NS_PER_DAY } from '../../model/time.js'
import type { BookCondition } from './audit-book.js'
import { auditVerdict, isPartlyCovered, type AuditReport } from './audit-report.js'

/**
 * A report in words: one screen, the verdict first, then what the file holds, then every finding that is not as one
 * would wish.
 */
export function auditText(report: AuditReport): string {
  const { ok, reasons } = auditVerdict(report)
  const findings = findingsOf(report)
  const lines = [
    `${report.file}: ${ok ? (findings.length === 0 ? 'sound' : 'sound, with findings') : 'NOT SOUND'}`,
    ...reasons.map((reason) => `  !  ${reason}`),
    ...contentOf(report).map((line) => `     ${line}`),
    ...findings.map((finding) => `  -  ${finding}`),
  ]
  return `${lines.join('\n')}\n`
}

function contentOf(report: AuditReport): string[] {
  const {
    firstAdapterTimestampNs: first, lastAdapterTimestampNs: last, dayCoverage, finalBestBid: bid, finalBestAsk: ask,
  } = report
  const kinds = EVENT_KIND_NAMES.map((name) => ({
    name, count: report.countsByType[String(EVENT_KINDS[name])] ?? 0,
  })).filter(({ count }) => count > 0)
  const day = dayCoverage === null ? '' : `, ${dayCoverage.percent} % of ${dayCoverage.day}`
  const medians = EVENT_KIND_NAMES.flatMap((name) => {
    const quantiles = report.feedLatency[name]
    return quantiles === undefined
      ? []
      : [`${name} ${durationText(quantiles.medianNs ?? 0)} (99 %: ${durationText(quantiles.p99Ns ?? 0)})`]
  })
  return [
    `${report.instrumentCode} on ${report.exchangeCode}, ${number(report.events)} events: ` +
      kinds.map(({ name, count }) => `${name} ${number(count)}`).join(', '),
    ...(first === null || last === null
      ? []
      : [`${isoFromEpochNs(BigInt(first))} to ${isoFromEpochNs(BigInt(last))}, ${report.coverageSeconds} s${day}`]),
    `trades ${number(report.tradeRows)}, liquidations ${number(report.liquidationRows)}`,
    `book: ${number(report.snapshots)} ${plural(report.snapshots, 'snapshot')}, ${number(report.bookStates)} ` +
      `states, at most ${number(report.maxBookLevels)} levels`,
    `book ends at bid ${levelWords(bid)}, ask ${levelWords(ask)}`,
    ...(medians.length === 0 ? [] : [`feed latency: ${medians.join(', ')}`]),
  ]
}

function levelWords(level: { readonly price: string; readonly quantity: string } | null): string {
  return level === null ? 'none' : `${level.price} x ${level.quantity}`
}

function findingsOf(report: AuditReport): string[] {
  return [
    ...coverageFindings(report), ...chainFindings(report), ...bookFindings(report), ...clockFindings(report),
    ...rowFindings(report),
  ]
}

function coverageFindings(report: AuditReport): string[] {
  const { dayCoverage } = report
  if (dayCoverage === null || !isPartlyCovered(report)) return []
  const { day, percentOfExistence: percent, existedFromNs: from, existedToNs: to } = dayCoverage
  const epochDay = epochDayFromText(day) ?? 0
  const clock = (ns: number): string => (ns === NS_PER_DAY ? '24:00:00' : isoFromTime(ns, epochDay).slice(11, 19))
  const part = from > 0 || to < NS_PER_DAY ? ` from ${clock(from)} to ${clock(to)}, in which the contract existed` : ''
  return [`covers ${percent} % of ${day}${part}`]
}

function chainFindings(report: AuditReport): string[] {
  const findings = Object.entries(report.chainGapCounts).map(([stream, count]) => {
    const first = report.chainGaps.first.find((gap) => gap.stream === stream)
    const place =
      first === undefined
        ? ''
        : `, the first at ${iso(first.timestampNs)} (${durationText(first.lengthNs)}, event ` +
          `${number(first.eventIndex)})`
    return `${number(count)} chain ${plural(count, 'gap')} in ${stream}${place}`
  })
  const { count, first } = report.outages
  if (first[0] !== undefined) {
    const begin = `the first at ${iso(first[0].fromTimestampNs)}: ${first[0].text}`
    findings.push(`${number(count)} ${plural(count, 'outage')}, ${durationText(report.outageNs)} together, ${begin}`)
  }
  for (const [type, count] of Object.entries(report.unknownTypes))
    findings.push(`${number(count)} lines of the unknown type ${type}`)
  return findings
}

function bookFindings(report: AuditReport): string[] {
  const findings: string[] = []
  const note = (word: string, { states, durationNs, longestNs, begins }: BookCondition): void => {
    const begin = begins.first[0]
    if (begin === undefined) return
    const times = `${number(begins.count)} ${plural(begins.count, 'time')} (${number(states)} ` +
      `${plural(states, 'state')})`
    findings.push(
      `book ${word} ${times}, ${durationText(durationNs)} together, ${durationText(longestNs)} at most, first at ` +
        iso(begin),
    )
  }
  note('crossed', report.crossed)
  note('locked', report.locked)
  note('suspect', report.suspect)
  if (report.snapshots === 0) findings.push('no book snapshot: the book is not known at any time')
  return findings
}

function clockFindings(report: AuditReport): string[] {
  const findings = clockWords(report)
  const { stepsBack, largestStepBackNs } = report
  if (stepsBack > 0)
    findings.push(
      `adapter clock stepped back ${number(stepsBack)} ${plural(stepsBack, 'time')}, by ` +
        `${durationText(largestStepBackNs)} at most`,
    )
  const { count, first } = report.quietPeriods
  if (first[0] !== undefined) {
    const begin = `the first at ${iso(first[0].fromTimestampNs)} (${durationText(first[0].durationNs)})`
    findings.push(`${number(count)} quiet ${plural(count, 'period')} over a minute, ${begin}`)
  }
  for (const name of EVENT_KIND_NAMES) {
    const quantiles = report.feedLatency[name]
    if (quantiles === undefined || quantiles.negativeCount === 0) continue
    const share = `${number(quantiles.negativeCount)} of ${number(quantiles.count)} ${name} events`
    findings.push(
      `${share} received before the venue sent them, by ${durationText(-(quantiles.smallestNs ?? 0))} at most`,
    )
  }
  for (const [name, missing] of Object.entries(report.withoutExchangeTime))
    findings.push(`${number(missing)} ${name} events without exchange time`)
  return findings
}

function rowFindings(report: AuditReport): string[] {
  const { tradeIds } = report
  const counts: [number, string][] = [
    [tradeIds.missing, 'trades without id'],
    [tradeIds.duplicates, 'trade ids that stood before'],
    [tradeIds.outOfOrder, 'trade ids out of order'],
    [report.pricesOffTick.trades, 'trade prices off the tick'],
    [report.pricesOffTick.depth, 'depth prices off the tick'],
    [report.priceDigitsBeyondTick.trades + report.priceDigitsBeyondTick.depth, 'prices with more digits than the tick'],
    [report.quantitiesOffLot.trades, 'trade quantities off the lot'],
    [report.quantitiesOffLot.depth, 'depth quantities off the lot'],
  ]
  const { tradeRows, tradeRowsShownBefore: shownBefore } = report
  if (isShownOften({ tradeRows, shownBefore }))
    counts.push([shownBefore, `of ${number(tradeRows)} trades that a book line of an earlier stamp shows before`])
  return counts.flatMap(([count, words]) => (count > 0 ? [`${number(count)} ${words}`] : []))
}

/** `1,234,567`. */
function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`
}

function iso(timestampNs: string): string {
  return isoFromEpochNs(BigInt(timestampNs))
}

/** A duration in the unit that suits it: `12 µs`, `3.4 ms`, `1.25 s`, `2 h 3 min`. */
function durationText(ns: number): string {
  const size = Math.abs(ns)
  if (size < 1e3) return `${ns} ns`
  if (size < 1e6) return `${short(ns / 1e3)} µs`
  if (size < 1e9) return `${short(ns / 1e6)} ms`
  if (size < 120e9) return `${short(ns / 1e9)} s`
  if (size < 7200e9) return `${short(ns / 60e9)} min`
  return `${short(ns / 3600e9)} h`
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}
