import type { MarketLine } from './market-lines.ts'

/** A silence: the adapter time of the counting line before it, when it is detected, and the place of the line that ends it (null: none). */
export interface NaiveSilence {
  readonly lastNs: number
  readonly detectedNs: number
  readonly endIndex: number | null
}

/** Rule 6.4 read plainly: the counting lines by the running maximum of adapter time; a silence where two lie further apart, and behind the last. */
export function naiveSilences(lines: readonly MarketLine[], afterNs: number, counts: 'book' | 'any', endNs: number): NaiveSilence[] {
  const times = lines.map((_, index) => Math.max(...lines.slice(0, index + 1).map(({ adapterTimeNs, timeNs }) => adapterTimeNs ?? timeNs)))
  const counting = lines.flatMap(({ kind }, index) => (counts === 'any' || ['snapshot', 'update', 'top'].includes(kind) ? [index] : []))
  return counting.flatMap((index, at): NaiveSilence[] => {
    const next = counting[at + 1]
    const lastNs = times[index]!
    const nextNs = next === undefined ? Infinity : times[next]!
    return nextNs - lastNs > afterNs && lastNs + afterNs < endNs ? [{ lastNs, detectedNs: lastNs + afterNs, endIndex: next ?? null }] : []
  })
}
