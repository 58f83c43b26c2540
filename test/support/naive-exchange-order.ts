import { REORDER_WINDOW_NS } from '../../src/replay/exchange-times.js'
import type { MarketLine } from './market-lines.ts'

/** A line, or a row of a trade or liquidation line, as the exchange has it. */
export interface NaiveItem {
  readonly timeNs: number
  readonly line: number
  /** Its row among those of the line; -1 for a whole line. */
  readonly row: number
  /** The file states its time, and that is taken as it stands. */
  readonly isStated: boolean
  readonly isTrade: boolean
}

/**
 * The order of rule 1.1 as anybody would write it down: every item with its time, sorted by it, and the items of each
 * time once more: between those whose time is not stated, rows of trade lines come first.
 */
export function naiveExchangeOrder(lines: readonly MarketLine[], sameStamp: 'trades' | 'file'): NaiveItem[] {
  let greatestNs = -Infinity
  const items = lines.flatMap((line, at): NaiveItem[] => {
    const adapterNs = line.adapterTimeNs ?? line.timeNs
    const hasRows = line.kind === 'trades' || line.kind === 'liquidations'
    const given = hasRows ? (line.rows ?? []).map((row) => row[3] ?? line.timeNs) : [line.timeNs]
    return given.map((statedNs, row) => {
      const early = Number.isNaN(statedNs) || statedNs > adapterNs ? adapterNs : statedNs
      const timeNs = Math.max(early, greatestNs - REORDER_WINDOW_NS)
      greatestNs = Math.max(greatestNs, timeNs)
      return { timeNs, line: at, row: hasRows ? row : -1, isStated: timeNs === statedNs && line.seam !== true, isTrade: line.kind === 'trades' }
    })
  })
  const sorted = [...items].sort((a, b) => a.timeNs - b.timeNs)
  if (sameStamp === 'file') return sorted
  const ordered: NaiveItem[] = []
  let part: NaiveItem[] = []
  const endPart = (): void => {
    ordered.push(...part.filter(({ isTrade }) => isTrade), ...part.filter(({ isTrade }) => !isTrade))
    part = []
  }
  for (const item of sorted) {
    if (part.length > 0 && part[0]!.timeNs !== item.timeNs) endPart()
    if (item.isStated) part.push(item)
    else {
      endPart()
      ordered.push(item)
    }
  }
  endPart()
  return ordered
}
