import type { MarketPart } from './made-market-file.ts'
import type { MarketLine, MarketRow } from './market-lines.ts'

/** The parts of a day whose digits grow on the way, and of one that has the same values and the finest digits from its first batch on. */
export interface GrownDay {
  readonly grown: readonly MarketPart[]
  readonly whole: readonly MarketPart[]
}

/** Lines in whole units that come to `digits` more digits at the line `from`: the prices that `isFine` names, there and behind it, are a unit of the last digit higher, with their quantities. */
export function grownParts(lines: readonly MarketLine[], from: number, digits: number, isFine: (price: number) => boolean = () => true): GrownDay {
  const unit = 10 ** digits
  const fine = (part: readonly MarketLine[], isGrown: boolean): MarketLine[] => part.map((line) => {
    if (line.rows === undefined) return line
    const rowOf = ([side, price, quantity, ...time]: MarketRow): MarketRow => {
      const more = isGrown && isFine(price) ? 1 : 0
      return [side, price * unit + more, quantity === 0 ? 0 : quantity * unit + more, ...time]
    }
    return { ...line, rows: line.rows.map(rowOf) }
  })
  const scales = { priceScale: digits, quantityScale: digits }
  const [before, after] = [lines.slice(0, from), fine(lines.slice(from), true)]
  const rows = after.flatMap((line) => [...(line.rows ?? [])])
  const [finePrice, fineQuantity] = [rows.some(([, price]) => price % unit !== 0), rows.some(([, , quantity]) => quantity % unit !== 0)]
  // A trade of the evening before, which no day holds, has the digits that will be needed, or none.
  const margin = (price: number, quantity: number): MarketLine => ({ kind: 'trades', timeNs: -1e9, rows: [[0, price, quantity]] })
  return {
    grown: [{ lines: [margin(1, 1), ...before] }, { ...scales, lines: after }],
    whole: [{ ...scales, lines: [margin(finePrice ? 1 : unit, fineQuantity ? 1 : unit), ...fine(before, false), ...after] }],
  }
}
