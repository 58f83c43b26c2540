import { html, type Markup } from '../../web/page-markup.js'
import {
  unknownBookSection, costSection, latencySection, momentSection, ordersSection, statesSection,
} from './order-sections.js'
import { markOutSection, positionSection, priceSection, queueSection } from './market-sections.js'
import { benchmarkSection } from './benchmark-sections.js'
import { logSection } from './log-section.js'
import { equitySection, returnsSection } from './money-sections.js'
import { assumptionsSection, leadMarkup, summarySection } from './overview-sections.js'
import { pageText } from './page-shell.js'
import { pairsMarkup } from './page-table.js'
import { count } from './page-words.js'
import { tableJson } from './report-rows.js'
import { tripsSection } from './trip-sections.js'
import type { RunReport } from './report-data.js'

const SECTIONS: readonly (readonly [id: string, title: string, make: (report: RunReport) => Markup])[] = [
  ['assumptions', 'Assumptions', assumptionsSection],
  ['summary', 'Summary', summarySection],
  ['equity', 'Equity and drawdown', equitySection],
  ['returns', 'Returns', returnsSection],
  ['benchmark', 'Buying and holding', benchmarkSection],
  ['position', 'Position and exposure', positionSection],
  ['price', 'Price and fills', priceSection],
  ['trips', 'Round trips', tripsSection],
  ['mark-outs', 'Mark-outs', markOutSection],
  ['queue', 'Fill quality and queue', queueSection],
  ['states', 'Order states and rejections', statesSection],
  ['latencies', 'Latencies', latencySection],
  ['costs', 'Fees and funding', costSection],
  ['book-unknown', 'Book unknown', unknownBookSection],
  ['worst', 'Worst moments', momentSection],
  ['orders', 'Orders', ordersSection],
  ['log', 'Log', logSection],
  ['run', 'Run', runSection],
]

/** The configuration and the digests of the run. */
function runSection({ run }: RunReport): Markup {
  const { about, configuration, parameters } = run
  const words = [
    ['fingerprint', html`<code>${run.fingerprint}</code>`], ['configuration', html`<code>${run.configDigest}</code>`],
    ['journal', html`<code>${run.journalDigest}</code>, ${count(run.journalLineCount)} lines`],
    ...(about.file === undefined ? [] : [['run file', about.file] as const]),
    ...(about.started === undefined ? [] : [['started', about.started] as const]),
    ...(about.overrides === undefined ? [] : [['instead of the run file\'s', about.overrides] as const]),
  ] as const
  return html`${pairsMarkup(words)}
<details open><summary>Parameters</summary><pre>${JSON.stringify(parameters, null, 2)}</pre></details>
${about.runFile !== undefined && html`<details open><summary>Run file, values resolved</summary>
<pre>${JSON.stringify(about.runFile, null, 2)}</pre></details>`}
<details><summary>Resolved configuration, from which the fingerprint is made</summary>
<pre>${JSON.stringify(configuration, null, 2)}</pre></details>`
}

/**
 * The page of a run: HTML that asks for nothing else. The same report gives the same text on one version of Node.js,
 * whose packing of the rows of orders it holds.
 */
export function runPage(report: RunReport): string {
  return pageText({
    title: `${report.title}: backtest report`, lead: leadMarkup(report),
    sections: SECTIONS.map(([id, title, make]) => ({ id, title, content: make(report) })),
    footer: html`<p>Made by Backtape. Money is exact in report.json beside this page; figures here are rounded for
reading. Nothing of this page asks a network.</p>`,
  })
}

/** The report as JSON in pieces; its tables are the last of its parts. */
export function* runJson({ fills, orders, ...rest }: RunReport): Generator<Uint8Array, void> {
  const encoder = new TextEncoder()
  yield encoder.encode(JSON.stringify(rest).slice(0, -1))
  for (const [name, table] of Object.entries({ fills, orders })) {
    yield encoder.encode(`,"${name}":`)
    yield* tableJson(table)
  }
  yield encoder.encode('}')
}
