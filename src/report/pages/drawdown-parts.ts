import { Decimal } from '../../model/decimal.js'
import { epochNsFromText, isoFromEpochNs } from '../../model/time.js'
import type { RunSummary } from '../run-summary.js'
import { coveredBefore } from './covered-time.js'
import type { EquityInput } from './report-input.js'
import type { ReportDrawdown, ReportUnderwater } from './report-money.js'

const DRAWDOWNS_MAX = 10

interface Fall {
  fromTs: bigint
  peak: Decimal
  lowestTs: bigint
  lowest: Decimal
  toTs: bigint | null
}

/** Falls of equity below its highest row before, in the order of their begins. */
function fallsOf(rows: readonly EquityInput[]): Fall[] {
  const falls: Fall[] = []
  let [peak, peakTs, known, open] = [null as Decimal | null, 0n, '', null as Fall | null]
  for (const { ts, equity } of rows) {
    if (equity === known) {
      if (open === null) peakTs = ts
      continue
    }
    known = equity
    const value = new Decimal(equity)
    if (peak === null || value.gte(peak)) {
      if (open !== null) open.toTs = ts
      open = null
      peak = value
      peakTs = ts
    } else if (open === null) {
      open = { fromTs: peakTs, peak, lowestTs: ts, lowest: value, toTs: null }
      falls.push(open)
    } else if (value.lt(open.lowest)) {
      open.lowest = value
      open.lowestTs = ts
    }
  }
  return falls
}

/** The deepest falls of equity, from the rows of one underlying. */
export function drawdownsOf(rows: readonly EquityInput[]): ReportDrawdown[] {
  const depth = (fall: Fall): Decimal => fall.peak.minus(fall.lowest)
  return fallsOf(rows).sort((a, b) => depth(b).cmp(depth(a)) || (a.fromTs < b.fromTs ? -1 : 1)).slice(0, DRAWDOWNS_MAX)
    .map((fall) => ({
      from: isoFromEpochNs(fall.fromTs), lowest: isoFromEpochNs(fall.lowestTs),
      to: fall.toTs === null ? null : isoFromEpochNs(fall.toTs), amount: depth(fall).toFixed(),
      share: fall.peak.gt(0) ? depth(fall).div(fall.peak).toNumber() : null,
    }))
}

/** The time below the highest row, from the rows of one underlying. */
export function underwaterOf(
  rows: readonly EquityInput[], { end, sampling }: Pick<RunSummary, 'end' | 'sampling'>,
): ReportUnderwater {
  const endTs = epochNsFromText(end, null)
  const [falls, coveredNs] = [fallsOf(rows), coveredBefore(sampling)]
  let [sumNs, longest] = [0, null as ReportUnderwater['longest']]
  for (const { fromTs, toTs } of falls) {
    const length = (toTs ?? endTs) - fromTs
    sumNs += coveredNs(toTs ?? endTs) - coveredNs(fromTs)
    if (longest === null || Number(length) > longest.lengthNs)
      longest = {
        from: isoFromEpochNs(fromTs), to: toTs === null ? null : isoFromEpochNs(toTs), lengthNs: Number(length),
      }
  }
  const allNs = coveredNs(endTs)
  return { count: falls.length, share: allNs > 0 ? sumNs / allNs : null, longest }
}
