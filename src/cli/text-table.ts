import { terminalCell } from '../files/terminal-text.js'

/** Rows of cells as aligned lines: the columns that `right` names by index end flush. */
export function alignedLines(cells: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const rows = cells.map((row) => row.map(terminalCell))
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)))
  return rows.map((row) =>
    row
      .map((cell, i) => (right.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 file`, `2 files`; the last letter is added, so for words that take an s. */
export function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`
}

/** `2.4 MB` of a count of bytes. */
export function byteText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 ? String(value) : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${units[unit] ?? ''}`
}
