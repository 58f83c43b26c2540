import type { EventBatch } from '../../src/model/event-batch.js'
import { EVENT_KINDS } from '../../src/model/event-kind.js'
import type { Instrument } from '../../src/model/instrument.js'
import { openSource } from '../../src/tickfile/archive/source-reader.js'
import { readTickFile } from '../../src/tickfile/tick-file-reader.js'
import type { MarketLine, MarketRow } from './market-lines.ts'

/** A few events of a day behind a snapshot of what the book was. */
export interface DayWindow {
  readonly instrument: Instrument
  readonly priceScale: number
  readonly quantityScale: number
  readonly lines: readonly MarketLine[]
}

const KINDS: ReadonlyMap<number, MarketLine['kind']> = new Map([[EVENT_KINDS.snapshot, 'snapshot'], [EVENT_KINDS.update, 'update'], [EVENT_KINDS.trades, 'trades'], [EVENT_KINDS.topOfBook, 'top']])
const LEVELS = 30

/** The first `count` windows of a file, `eventCount` events each, with `apart` events between; times count from the begin of each. */
export async function dayWindows(path: string, { count, eventCount, apart }: { readonly count: number, readonly eventCount: number, readonly apart: number }): Promise<DayWindow[]> {
  const windows: DayWindow[] = []
  const sides = [new Map<number, number>(), new Map<number, number>()]
  let lines: MarketLine[] = []
  let seen = 0
  let startNs = 0
  let lastNs = 0
  for await (const batch of (await readTickFile(await openSource(path))).batches()) {
    for (let index = 0; index < batch.count; index++) {
      const line = lineOf(batch, index)
      if (line === null) continue
      const isOpen = lines.length > 0
      if (!isOpen && seen >= apart && sides[0]!.size > 0 && sides[1]!.size > 0) {
        startNs = line.timeNs
        lastNs = 0
        lines.push({ kind: 'snapshot', timeNs: 0, rows: [...best(sides[0]!, 0), ...best(sides[1]!, 1)] })
      }
      apply(sides, line)
      if (lines.length > 0) {
        lastNs = Math.max(lastNs + 1, line.timeNs - startNs)
        lines.push({ ...line, timeNs: lastNs })
      } else seen++
      if (lines.length <= eventCount) continue
      windows.push({ instrument: batch.instrument, priceScale: batch.priceScale, quantityScale: batch.quantityScale, lines })
      lines = []
      seen = 0
      if (windows.length === count) return windows
    }
  }
  return windows
}

function lineOf(batch: EventBatch, index: number): MarketLine | null {
  const kind = KINDS.get(batch.kind[index]!)
  if (kind === undefined) return null
  const rows: MarketRow[] = []
  for (let row = batch.rowStart[index]!; row < batch.rowStart[index + 1]!; row++) rows.push([batch.side[row]!, batch.price[row]!, batch.quantity[row]!])
  const exchangeNs = batch.exchangeTimeNs[index]!
  return { kind, timeNs: Number.isNaN(exchangeNs) ? batch.adapterTimeNs[index]! : exchangeNs, rows }
}

function apply(sides: readonly Map<number, number>[], { kind, rows = [] }: MarketLine): void {
  if (kind === 'snapshot') for (const side of sides) side.clear()
  if (kind !== 'snapshot' && kind !== 'update') return
  for (const [side, price, quantity] of rows) {
    if (quantity === 0) sides[side]!.delete(price)
    else sides[side]!.set(price, quantity)
  }
}

function best(levels: ReadonlyMap<number, number>, side: number): MarketRow[] {
  return [...levels].sort(([a], [b]) => (side === 0 ? b - a : a - b)).slice(0, LEVELS).map(([price, quantity]) => [side, price, quantity])
}
