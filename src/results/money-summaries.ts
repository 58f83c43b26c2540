import { Decimal, declaredDecimal } from '../model/decimal.js'
import { equityOf } from '../report/equity-recorder.js'
import type { MoneySummary, SlippageSummary, TotalSummary } from '../report/money-summary.js'
import { moneySummary, returnOf } from '../report/summary-making.js'
import { isoFromTime } from '../model/time.js'
import type { EndValuation } from './run-recorder.js'
import { underlyingCode } from '../venue/venue.js'
import type { SummaryParts } from './summary-parts.js'
import type { SlippageSums } from './trade-recorder.js'

const DECIMALS = 18
const ZERO: Decimal = new Decimal(0)

function slippageSummary(sums: SlippageSums | undefined): SlippageSummary {
  const { measuredCount = 0, cost = ZERO, value = ZERO } = sums ?? {}
  return { measuredCount, cost: cost.toFixed(), share: value.isZero() ? null : cost.div(value).toNumber() }
}

/** The money of each underlying of a world at its end. */
export function moneySummaries({ report, replay }: SummaryParts, end: EndValuation): MoneySummary[] {
  const { equity, periods, trades } = report
  return [...end.money].flatMap(([underlyingId, sums]) => {
    const track = equity.tracks.get(underlyingId)
    if (track === undefined) return []
    const records = {
      track, returns: periods.returnsOf(underlyingId), trips: trades.trips.sums.get(underlyingId),
      slippage: slippageSummary(trades.slippage.get(underlyingId)),
    }
    const underlying = { underlyingId, underlying: underlyingCode(replay.underlyings, underlyingId) }
    return [moneySummary(underlying, sums, records, (timeNs) => isoFromTime(timeNs, replay.clock.epochDay))]
  })
}

/** All of it in USD, each amount half-even to 18 decimals; null where the rate of something is not declared. */
export function totalSummary({ world }: SummaryParts, end: EndValuation): TotalSummary | null {
  const rates = world.config.money?.usdRates
  let [start, profit, fees, turnover] = [ZERO, ZERO, ZERO, ZERO]
  for (const [underlyingId, sums] of end.money) {
    if (Object.values(sums).every((amount: Decimal) => amount.isZero())) continue
    const rate = rates?.get(underlyingId)?.usd
    if (rate === undefined) return null
    const inUsd = (sum: Decimal, amount: Decimal): Decimal =>
      sum.plus(amount.times(declaredDecimal(rate)).toDecimalPlaces(DECIMALS, Decimal.ROUND_HALF_EVEN))
    start = inUsd(start, sums.start)
    profit = inUsd(profit, equityOf(sums).minus(sums.start))
    fees = inUsd(fees, sums.fees)
    turnover = inUsd(turnover, sums.turnover)
  }
  return {
    currency: 'USD', startEquity: start.toFixed(), profit: profit.toFixed(), fees: fees.toFixed(),
    turnover: turnover.toFixed(), endEquity: start.plus(profit).toFixed(),
    return: returnOf(profit, start),
  }
}
