import { epochNsFromText } from '../../model/time.js'
import type { Sampling } from '../run-summary.js'

/** The nanoseconds that the data of a run cover before a time: shares and means are over this time. */
export function coveredBefore({ covered }: Pick<Sampling, 'covered'>): (ts: bigint) => number {
  let sumNs = 0
  const spans = covered.map(({ from, to }) => {
    const [fromTs, toTs] = [epochNsFromText(from, null), epochNsFromText(to, null)]
    const beforeNs = sumNs
    sumNs += Number(toTs - fromTs)
    return { fromTs, toTs, beforeNs }
  })
  return (ts) => {
    let [low, high] = [0, spans.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((spans[middle]?.fromTs ?? 0n) <= ts) low = middle + 1
      else high = middle
    }
    const span = spans[low - 1]
    return span === undefined ? 0 : span.beforeNs + Number((ts < span.toTs ? ts : span.toTs) - span.fromTs)
  }
}
