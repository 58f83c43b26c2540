import { terminalCell } from '../../files/terminal-text.js'

const GAP = 2
/** No column of text gets narrower. */
const LEAST_WIDTH = 10

/** Makes the widest columns of text narrower until a line fits, or none can give more; numbers keep their digits. */
function fit(widths: number[], right: ReadonlySet<number>, width: number): void {
  let excess = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width
  while (excess > 0) {
    let widest = -1
    for (const [i, one] of widths.entries())
      if (!right.has(i) && one > LEAST_WIDTH && one > (widths[widest] ?? 0)) widest = i
    if (widest < 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
    excess--
  }
}

function cutTo(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, width - 1)}…`
}

/**
 * Rows of cells as aligned lines: the columns that `right` names by index end flush. Where `width` is given, columns of
 * text are cut, `…` at their end, so that lines fit a terminal; those named by `right` are not.
 */
export function alignedLines(
  cells: readonly (readonly string[])[], right: ReadonlySet<number> = new Set(), width: number | null = null,
): string[] {
  const rows = cells.map((row) => row.map(terminalCell))
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)))
  if (width !== null) fit(widths, right, width)
  return rows.map((row) =>
    row
      .map((cell, i) => cutTo(cell, widths[i] ?? 0))
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
