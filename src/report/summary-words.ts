import type { ReturnsSummary } from './money-summary.js'
import type { OrderCounts } from './instrument-summary.js'
import type { MarketSummary, RunSummary, SignalSummary } from './run-summary.js'

/** `12.5 ms`: three decimals at most, none that are zero. */
export function shortDurationText(ns: number): string {
  const magnitude = Math.abs(ns)
  const [unit, size]: [string, number] = magnitude >= 1e9 ? ['s', 1e9] : magnitude >= 1e6 ? ['ms', 1e6] : ['us', 1e3]
  return `${String(Math.round((ns / size) * 1000) / 1000)} ${unit}`
}

/** The same, and `1 h 30 min` from two minutes on. */
export function durationText(ns: number | null): string {
  if (ns === null) return 'unknown'
  return Math.abs(ns) >= 120e9 ? longDurationText(ns) : shortDurationText(ns)
}

function longDurationText(ns: number): string {
  const minutes = Math.round(ns / 60e9)
  const [hours, rest] = [Math.trunc(minutes / 60), minutes % 60]
  if (hours === 0) return `${rest} min`
  return rest === 0 ? `${hours} h` : `${hours} h ${Math.abs(rest)} min`
}

/** `29 min in 1 stretch, of which the book was unknown for 28 min`: the time of a crossed book; null for none. */
export function crossedText(
  { crossedCount, crossedNs, crossedGapNs }: Pick<MarketSummary, 'crossedCount' | 'crossedNs' | 'crossedGapNs'>,
  lengthText: (ns: number) => string = durationText,
): string | null {
  if (crossedCount === 0) return null
  const stretches = `${crossedCount} ${crossedCount === 1 ? 'stretch' : 'stretches'}`
  const isNever = crossedGapNs === null || crossedGapNs === 0
  const unknown = isNever ? '' : `, of which the book was unknown for ${lengthText(crossedGapNs)}`
  return `${lengthText(crossedNs)} in ${stretches}${unknown}`
}

/** A share as per cent, two decimals at most. */
export function percentText(share: number): string {
  return `${String(Math.round(share * 10_000) / 100)} %`
}

/** `maker 62.5 % of the value (14 fills)`. */
export function makerText(
  { makerShare, makerFillCount }: Pick<RunSummary, 'makerShare' | 'makerFillCount'>,
): string {
  const share = makerShare === null ? '' : ` ${percentText(makerShare)} of the value`
  return `maker${share} (${makerFillCount} ${makerFillCount === 1 ? 'fill' : 'fills'})`
}

/** Orders by the state in which they ended; `none` where there was none. */
export function orderCountsText({ orderCount, byState, openAtEndCount }: OrderCounts, none: string): string {
  const states = Object.entries(byState).map(([state, count]) => `${count} ${state}`)
  return orderCount === 0 ? none : `${orderCount}: ${states.join(', ')}; ${openAtEndCount} open at the end`
}

/** `model: 120 rows, 3 before the run skipped (forecasts.csv)`. */
export function signalText({ name, file, playedCount, skippedCount, isCut }: SignalSummary): string {
  const skipped = skippedCount === 0 ? '' : `, ${skippedCount} before the run skipped`
  return `${name}: ${playedCount} rows${skipped}${isCut ? ', more behind its end' : ''} (${file})`
}

/** `24 hourly returns (1 hour left out, of which the data cover less than half)`. */
export function returnsText(
  { unit, sampleCount, leftOutCount }: Pick<ReturnsSummary, 'unit' | 'sampleCount' | 'leftOutCount'>,
): string {
  const counted = `${sampleCount} ${unit === 'day' ? 'daily' : 'hourly'} return${sampleCount === 1 ? '' : 's'}`
  if (leftOutCount === 0) return counted
  const left = `${leftOutCount} ${unit}${leftOutCount === 1 ? '' : 's'} left out`
  return `${counted} (${left}, of which the data cover less than half)`
}
