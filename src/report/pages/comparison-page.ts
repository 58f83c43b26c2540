import { pictures } from '../plots/pictures.js'
import { figureMarkup } from './page-pictures.js'
import { html, type Markup } from '../../web/page-markup.js'
import { pageText, type PageSection } from './page-shell.js'
import { heatCell, noteMarkup, ofNumbers, ofWords, pairsMarkup, tableMarkup, tilesMarkup } from './page-table.js'
import { count, NOTHING, short } from './page-words.js'
import type { ComparisonReport, PairMap } from './comparison-data.js'

/** Curves of one picture. */
const LINES_MAX = 6

function tiles({ setCount, best, bestText, sets, measure }: ComparisonReport): Markup {
  const name = best === null ? null : sets[best]?.name ?? null
  return tilesMarkup([
    [best === null ? 'runs' : 'sets tried', count(setCount)],
    ...(name === null || bestText === null ? [] : [
      [`best by ${measure}`, bestText, `${name}, the best of ${count(setCount)} tried`] as const]),
  ])
}

function setsSection(report: ComparisonReport): Markup {
  const { table, setCount, best, measure, sets } = report
  const partial = sets.filter(({ isPartial }) => isPartial).map(({ name }) => name)
  return html`${tiles(report)}${best !== null && setCount > 1 && noteMarkup(`The best of ${count(setCount)} sets by ` +
    `${measure} is better than its parameters alone: of many sets that know nothing one is best by luck. Judge it ` +
    'on days that it was not chosen on (--split, --walk-forward).')}
${partial.length > 0 && html`<p class="warning">Stopped before the data ended: ${partial.join(', ')}</p>`}
${tableMarkup(best === null ? 'Figures' : `Sets, the best by ${measure} first`, table.columns.map((name, at) => (
    at === 0 ? ofWords(name) : ofNumbers(name))), table.data.map((row) => row.map(String)))}`
}

function setUpSection({ setUp, sets, assumptions }: ComparisonReport): Markup {
  return html`${setUp.length === 0
    ? noteMarkup('Beside the parameters in the table below the set-up of all is the same.')
    : tableMarkup('Set-up that differs', [ofWords('value'), ...sets.map(({ name }) => ofWords(name))],
      setUp.map(({ path, values }) => [path, ...values]))}
<h3>Assumptions of all</h3>${pairsMarkup(Object.entries(assumptions))}${warnings(sets)}`
}

function warnings(sets: ComparisonReport['sets']): Markup {
  const own = new Map<string, string[]>()
  for (const { name, warnings: texts } of sets)
    for (const text of texts) own.set(text, [...(own.get(text) ?? []), name])
  return html`${[...own].map(([text, names]) => html`<p class="warning">${names.length === sets.length ? 'all' :
    names.length > 5 ? `${count(names.length)} of ${count(sets.length)}` : names.join(', ')}: ${text}</p>
`)}`
}

function equitySection({ sets, order }: ComparisonReport): Markup {
  const drawn = order.flatMap((at) => sets[at] ?? []).filter(({ curves }) => curves.length > 0).slice(0, LINES_MAX)
  const codes = [...new Set(drawn.flatMap(({ curves }) => curves.map(({ underlying }) => underlying)))]
  if (codes.length === 0) return noteMarkup('There are no curves of equity: the records are older than they.')
  return html`<div class="grid">${codes.map((code) => figureMarkup((width) => pictures.line(
    drawn.flatMap(({ name, curves }) => curves.filter(({ underlying }) => underlying === code).map((curve) => ({
      name, epochMs: Float64Array.from(curve.epochMs), values: Float64Array.from(curve.equity),
    }))), { title: `Equity, ${code}`, label: 'equity', unit: code, steps: true, width },
  )))}</div>${sets.length > LINES_MAX && noteMarkup(`The first ${String(LINES_MAX)} of the table.`)}`
}

function pairMarkup(
  { rowName, columnName, rows, columns, medians, counts }: PairMap, report: ComparisonReport,
): Markup {
  const values = medians.flat().filter((value): value is number => value !== null)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const middle = (least + most) / 2
  const sign = report.isLessBetter ? -1 : 1
  const share = (value: number): number => (most > least ? (sign * (value - middle)) / ((most - least) / 2) : 0)
  return tableMarkup(`${report.measure}: ${rowName} down, ${columnName} across`, [
    ofWords(`${rowName} \\ ${columnName}`), ...columns.map(ofNumbers),
  ], rows.map((row, at) => [row, ...columns.map((column, place) => {
    const value = medians[at]?.[place] ?? null
    const title = `${rowName} ${row}, ${columnName} ${column}: ${String(counts[at]?.[place] ?? 0)} sets`
    return value === null ? NOTHING : heatCell(short(value), share(value), title)
  })]))
}

function pairsSection(report: ComparisonReport): Markup {
  if (report.pairs.length === 0) return noteMarkup('Fewer than two parameters vary.')
  return html`${noteMarkup('Medians of the sets that share a pair of values. A good set among bad neighbours is ' +
    'luck; a good region is a finding.')}
<div class="grid">${report.pairs.map((pair) => html`<div>${pairMarkup(pair, report)}</div>`)}
</div>`
}

function runsSection({ sets }: ComparisonReport): Markup {
  return tableMarkup('Runs', [ofWords(''), ofWords('from'), ofWords('to'), ofWords('fingerprint')], sets.map((set) => [
    set.name, set.start.slice(0, 19).replace('T', ' '), set.end.slice(0, 19).replace('T', ' '), set.fingerprint,
  ]))
}

/** The page of a comparison: HTML that asks for nothing else. */
export function comparisonPage(report: ComparisonReport): string {
  const sections: readonly (PageSection | false)[] = [
    { id: 'set-up', title: 'Set-up', content: setUpSection(report) },
    { id: 'sets', title: report.best === null ? 'Figures' : 'Sets', content: setsSection(report) },
    { id: 'equity', title: 'Equity', content: equitySection(report) },
    report.best !== null && { id: 'pairs', title: 'Pairs of parameters', content: pairsSection(report) },
    { id: 'runs', title: 'Runs', content: runsSection(report) },
  ]
  return pageText({
    title: `${report.title}: comparison`,
    lead: html`<h1>${report.title}</h1>
<p>${count(report.setCount)} ${report.best === null ? 'runs' : 'parameter sets'}</p>`,
    sections: sections.filter((section) => section !== false),
    footer: html`<p>Made by Backtape. Exact measures are in the JSON beside this page, and the drawn samples of equity
as doubles that nothing rounds further. Nothing of it asks a network.</p>`,
  })
}
