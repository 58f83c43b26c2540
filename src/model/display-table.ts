/*
 * Tables of texts as people see them: aligned lines for a terminal, HTML for a notebook. Every cell is text: no markup
 * of a file reaches a page, no control character a terminal.
 */

/** The forms in which a value shows itself. */
export interface Shown {
  /** One line, for a value inside another and below a picture or table. */
  readonly line: string
  /** Text for a terminal. */
  readonly text: string
  /** HTML for a notebook: no scripts, nothing from the network. */
  readonly html: string
}

/** A table to show. */
export interface ShownTable {
  /** One line above it. */
  readonly title: string
  /** A sentence under the title. */
  readonly warning?: string
  /** Column names; numbers stand at the right. */
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[]
  readonly rowCount: number
  /** The cells of a row as texts. */
  readonly rowAt: (index: number) => readonly string[]
}

/** Rows of a long table at its begin and at its end. */
const ENDS = 10
const CELL_MAX = 60
const TITLE_MAX = 160
const HTML_SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;',
}
/** Control characters, marks that turn the direction of text, halves of characters. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu

/** Text of several lines as it may be shown anywhere. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (sign) => sign === '\n' || sign === '\t' ? sign : '\ufffd')
}

/** A text as one line that may be shown anywhere, of at most 60 characters or as many as are given. */
export function cellText(text: string, lengthMax: number = CELL_MAX): string {
  const safe = text.slice(0, 4 * lengthMax).replace(UNSAFE, '\ufffd')
  const characters = Array.from(safe)
  return characters.length <= lengthMax ? safe : `${characters.slice(0, lengthMax - 1).join('')}…`
}

/** Text as HTML. */
export function htmlText(text: string): string {
  return safeText(text).replace(/[&<>"']/g, (sign) => HTML_SIGNS[sign] ?? '')
}

/** Indices of the rows that are shown: all up to 20, else the first and the last ten; null stands for those between. */
function shownRows(rowCount: number): (number | null)[] {
  if (rowCount <= 2 * ENDS) return Array.from({ length: rowCount }, (_, index) => index)
  const first = Array.from({ length: ENDS }, (_, index) => index)
  return [...first, null, ...first.map((index) => rowCount - ENDS + index)]
}

/** `1,234 rows`. */
export function rowsText(rowCount: number): string {
  return `${String(rowCount).replace(/\B(?=(\d{3})+$)/g, ',')} row${rowCount === 1 ? '' : 's'}`
}

function textOf({ title, warning, columns }: ShownTable, rows: readonly (readonly string[])[]): string {
  const all = [columns.map(({ name }) => cellText(name)), ...rows]
  const widths = columns.map((_, column) => all.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0))
  const lines = all.map((row) => columns.map(({ isNumber }, column) => {
    const [cell, width] = [row[column] ?? '', widths[column] ?? 0]
    return isNumber ? cell.padStart(width) : cell.padEnd(width)
  }).join('  ').trimEnd())
  return [title, ...(warning === undefined ? [] : [`Warning: ${safeText(warning)}`]), ...lines].join('\n')
}

function htmlOf({ title, warning, columns }: ShownTable, rows: readonly (readonly string[])[]): string {
  const align = (isNumber: boolean): string => ` style="text-align:${isNumber ? 'right' : 'left'};white-space:nowrap"`
  const row = (cells: readonly string[], tag: string): string => '<tr>' + columns.map(({ isNumber }, column) => (
    `<${tag}${align(isNumber)}>${htmlText(cells[column] ?? '')}</${tag}>`)).join('') + '</tr>'
  return `<table class="bt-table"><caption style="text-align:left;white-space:nowrap">${htmlText(title)}`
    + `${warning === undefined ? '' : `<br>Warning: ${htmlText(warning)}`}</caption>`
    + `<thead>${row(columns.map(({ name }) => cellText(name)), 'th')}</thead>`
    + `<tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`
}

/** A table as it is shown: at most 20 rows, the first and the last ten, with the count in its title. */
export function shownTable(table: ShownTable): Shown {
  const rows = shownRows(table.rowCount)
    .map((index) => index === null ? table.columns.map(() => '…') : table.rowAt(index).map((cell) => cellText(cell)))
  const titled = { ...table, title: cellText(table.title, TITLE_MAX) }
  return { line: titled.title, text: textOf(titled, rows), html: htmlOf(titled, rows) }
}

/** Facts as they are shown: a label and its value a row. */
export function shownFacts(title: string, facts: readonly (readonly [label: string, value: string])[]): Shown {
  const rows = facts.map((fact) => fact.map((cell) => cellText(cell, TITLE_MAX)))
  const width = rows.reduce((most, [label = '']) => Math.max(most, label.length), 0)
  const lines = rows.map(([label = '', value = '']) => `  ${label.padEnd(width)}  ${value}`.trimEnd())
  const cells = rows.map(([label = '', value = '']) => (
    `<tr><th style="text-align:left">${htmlText(label)}</th><td style="text-align:left">${htmlText(value)}</td></tr>`))
  const name = cellText(title, TITLE_MAX)
  return {
    line: name, text: [name, ...lines].join('\n'),
    html: `<table class="bt-table"><caption style="text-align:left;white-space:nowrap">${htmlText(name)}</caption>`
      + `<tbody>${cells.join('')}</tbody></table>`,
  }
}
