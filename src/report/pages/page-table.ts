import { html, type Markup, type MarkupValue } from '../../web/page-markup.js'

/** A column of a table: its heading, and whether it is of numbers, which stand at the right. */
export interface Heading {
  readonly name: string
  readonly isNumber?: boolean
}

/** A heading of numbers. */
export function ofNumbers(name: string): Heading {
  return { name, isNumber: true }
}

/** A heading of words. */
export function ofWords(name: string): Heading {
  return { name }
}

/** A table that scrolls within itself where it is wider than the page. */
export function tableMarkup(
  caption: string, headings: readonly Heading[], rows: readonly (readonly MarkupValue[])[],
): Markup {
  const kind = ({ isNumber }: Heading): Markup => html`${isNumber === true && html` class="n"`}`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col"${kind(heading)}>${heading.name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, at) => (
  html`<td${kind(headings[at] ?? { name: '' })}>${cell}</td>`))}</tr>
`)}</tbody></table></div>`
}

/** Names and values below each other. */
export function pairsMarkup(pairs: readonly (readonly [name: string, value: MarkupValue])[]): Markup {
  return html`<dl class="pairs">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`)}</dl>`
}

/** Figures side by side, the first thing that is read. */
export function tilesMarkup(
  tiles: readonly (readonly [name: string, value: string, more?: string])[],
): Markup {
  return html`<div class="tiles">${tiles.map(([name, value, more]) => html`<div class="tile"><span>${name}</span>
<b>${value}</b>${more !== undefined && html`<small>${more}</small>`}</div>`)}</div>`
}

/** A sentence in small print. */
export function noteMarkup(text: string): Markup {
  return html`<p class="note">${text}</p>`
}

/** A table whose cells are coloured by a share from -1 to 1: losses, nothing, gains; the value stands in each. */
export function heatCell(text: string, share: number | null, title = ''): Markup {
  if (share === null) return html`<span class="none">${text}</span>`
  const level = Math.min(4, Math.ceil(Math.abs(share) * 4))
  const name = share === 0 || level === 0 ? 'zero' : `${share < 0 ? 'loss' : 'gain'}${String(level)}`
  return html`<span class="heat ${name}"${title !== '' && html` title="${title}"`}>${text}</span>`
}
