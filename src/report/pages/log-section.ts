import { momentText } from '../short-summary.js'
import { html, type Markup } from '../../web/page-markup.js'
import { noteMarkup } from './page-table.js'
import { count } from './page-words.js'
import type { ReportLogLine, RunReport } from './report-data.js'

function levelMarkup(
  name: string, lines: readonly ReportLogLine[], total: number, hasClients: boolean,
): Markup {
  const title = lines.length < total ? `${name}, the last ${count(lines.length)} of ${count(total)}` : name
  return html`<div class="scroll log" tabindex="0" role="region" aria-label="${title}"><table>
<caption>${title}</caption>
<tbody>${lines.map(({ time, client, text }) => html`<tr><td>${momentText(time)}</td>${
    hasClients && html`<td>${client}</td>`}<td class="long">${text}</td></tr>
`)}</tbody></table></div>`
}

/** The last lines of the strategies' logs, the warnings of their runtime first. */
export function logSection({ log: { counts, lines } }: RunReport): Markup {
  if (lines.length === 0) return noteMarkup('The strategy wrote no line into its log.')
  const hasClients = new Set(lines.map(({ client }) => client)).size > 1
  const of = (level: ReportLogLine['level']): ReportLogLine[] => lines.filter((line) => line.level === level)
  return html`${([['warning', 'Warnings'], ['log', 'Log']] as const).map(([level, name]) => (
    of(level).length > 0 && levelMarkup(name, of(level), counts[level], hasClients)))}${
    noteMarkup('Times of the market, UTC. The journal has every line.')}`
}
