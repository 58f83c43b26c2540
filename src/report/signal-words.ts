import type { SignalSummary } from './run-summary.js'

/** `model: 120 rows, 3 before the run skipped (forecasts.csv)`. */
export function signalText({ name, file, playedCount, skippedCount, isCut }: SignalSummary): string {
  const skipped = skippedCount === 0 ? '' : `, ${skippedCount} before the run skipped`
  return `${name}: ${playedCount} rows${skipped}${isCut ? ', more behind its end' : ''} (${file})`
}
