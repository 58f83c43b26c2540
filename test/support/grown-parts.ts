import type { MarketPart } from './made-market-file.ts'
import type { MarketLine, MarketRow } from './market-lines.ts'

/** The parts of a day that is read as batches of growing digits, and of the same day with the finest from its first line on. */
export interface GrownDay {
  readonly grown: readonly MarketPart[]
  readonly whole: readonly MarketPart[]
}

/** Lines of a book whose prices and quantities come to `digits` more digits at the line `from`: its rows, and those behind it, are a unit of the last of them higher. */
export function grownParts(lines: readonly MarketLine[], from: number, digits: number): GrownDay {
  const fine = (part: readonly MarketLine[], more: number): MarketLine[] => part.map((line) => (
    line.rows === undefined ? line : { ...line, rows: line.rows.map(([side, price, quantity, ...time]): MarketRow => [side, price * 10 ** digits + more, quantity * 10 ** digits, ...time]) }))
  const scales = { priceScale: digits, quantityScale: digits }
  const after = fine(lines.slice(from), 1)
  const [first, ...rest] = fine(lines.slice(0, from), 0)
  // A level that nobody reaches has the finest digits from the first line on.
  const widest = { ...first!, rows: [...first!.rows!, [0, 1, 1] as const] }
  return { grown: [{ lines: lines.slice(0, from) }, { ...scales, lines: after }], whole: [{ ...scales, lines: [widest, ...rest, ...after] }] }
}
