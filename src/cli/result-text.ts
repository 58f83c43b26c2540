import { summaryText, type SummaryTextOptions } from '../report/summary-text.js'
import type { BacktestResult } from '../results/backtest-result.js'
import type { SetRecord } from '../results/run-record.js'

/** One world for `--json`: everything but the rows. */
export function resultJson({
  fingerprint, configDigest, parameters, journalDigest, journalLineCount, isPartial, summary,
}: BacktestResult): object {
  return { parameters, fingerprint, configDigest, journalDigest, journalLineCount, isPartial, summary }
}

/** The text of one world, for people. */
export function resultText(
  { fingerprint, journalLineCount, isPartial, summary }: SetRecord, options: SummaryTextOptions = {},
): string {
  const head = isPartial ? 'Stopped before the data ended; so far:\n' : ''
  return `${head}${summaryText(summary, options)}\n\n${String(journalLineCount)} journal lines, fingerprint ` +
    `${fingerprint}\n`
}
