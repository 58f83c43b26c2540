/**
 * Numbers of the lines of neighbouring events in a file, from 1: pairs of an event of the batch and its line,
 * ascending; the events behind it stand in the lines behind that one, up to the next pair.
 */
export type LineNumbers = readonly (readonly [index: number, line: number])[]

/** The line of event `index`; null where nobody knows it. Blank lines within a batch may go uncounted. */
export function lineNumberOf(lines: LineNumbers | null, index: number): number | null {
  let line: number | null = null
  for (const [from, first] of lines ?? []) {
    if (from > index) break
    line = first + index - from
  }
  return line
}

/** The lines of the events `from` (inclusive) to `to` (exclusive), which are counted from 0 then. */
export function sliceLines(lines: LineNumbers | null, from: number, to: number): LineNumbers | null {
  const first = lineNumberOf(lines, from)
  if (lines === null || first === null) return null
  const behind = lines.filter(([index]) => index > from && index < to)
  return [[0, first], ...behind.map(([index, line]) => [index - from, line] as const)]
}
