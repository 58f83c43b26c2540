import { summaryText, type SummaryTextOptions } from '../report/summary-text.js'
import type { BacktestResult } from '../results/backtest-result.js'

/** What `--json` prints of one world: everything but the rows. */
export function resultJson({
  fingerprint, configDigest, parameters, journalDigest, journalLineCount, isPartial, summary,
}: BacktestResult): object {
  return { parameters, fingerprint, configDigest, journalDigest, journalLineCount, isPartial, summary }
}

/** What people read of one world. */
export function resultText(
  { fingerprint, journalLineCount, isPartial, summary }: BacktestResult, options: SummaryTextOptions = {},
): string {
  const head = isPartial ? 'Stopped before the data ended; so far:\n' : ''
  return `${head}${summaryText(summary, options)}\n\n${String(journalLineCount)} journal lines, fingerprint ` +
    `${fingerprint}\n`
}
