import { Decimal, textFromScaled } from '../model/decimal.js'
import type { EquityTrack, MoneySums } from './equity-recorder.js'
import { equityOf } from './equity-recorder.js'
import type { FillSums } from './fill-recorder.js'
import { MARK_OUT_HORIZONS_NS, type MarkOutSums } from './mark-outs.js'
import type { OrderSums } from './order-recorder.js'
import { sharpeRatio, sortinoRatio } from './return-sums.js'
import type { DrawdownSummary, InstrumentSummary, MarkOutSummary, MoneySummary, OrderCounts } from './run-summary.js'

const QUOTIENT_DECIMALS = 18
const NS_PER_YEAR = 365 * 86_400_000_000_000

/** Intervals in a year of 365 days. */
export function intervalsPerYear(intervalNs: number): number {
  return NS_PER_YEAR / intervalNs
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function meanText(sum: Decimal, divisor: Decimal): string | null {
  return divisor.isZero()
    ? null
    : sum.div(divisor).toDecimalPlaces(QUOTIENT_DECIMALS, Decimal.ROUND_HALF_EVEN).toFixed()
}

/** Order counts over any number of sums. */
export function orderCounts(all: readonly OrderSums[]): OrderCounts {
  const states = new Map<string, number>()
  let accepted = 0
  let filled = 0
  let open = 0
  let touched = 0
  for (const sums of all) {
    for (const [state, count] of sums.states) states.set(state, (states.get(state) ?? 0) + count)
    accepted += sums.acceptedCount
    filled += sums.filledOrderCount
    open += sums.openCount
    touched += sums.touchedByGapCount
  }
  return {
    orderCount: [...states.values()].reduce((sum, count) => sum + count, 0),
    acceptedCount: accepted,
    byState: Object.fromEntries([...states].sort(([a], [b]) => (a < b ? -1 : 1))),
    openAtEndCount: open,
    touchedByGapCount: touched,
    filledOrderShare: shareOf(filled, accepted),
  }
}

/** Part of the fills that added liquidity. */
export function makerShareOf(all: readonly FillSums[]): number | null {
  let makers = 0
  let fills = 0
  for (const { fillCount, makerFillCount } of all) {
    makers += makerFillCount
    fills += fillCount
  }
  return shareOf(makers, fills)
}

/** Mark-outs of one instrument, one for each horizon. */
export function markOutSummaries(sums: readonly MarkOutSums[] | undefined): MarkOutSummary[] {
  return MARK_OUT_HORIZONS_NS.map((horizonNs, horizon) => {
    const sum = sums?.[horizon]
    return {
      horizonNs, measuredCount: sum?.measuredCount ?? 0,
      mean: sum === undefined ? null : meanText(sum.weighted.toDecimal(), sum.quantity.toDecimal()),
    }
  })
}

function drawdownSummary(
  { drawdown }: EquityTrack, start: Decimal, timeText: (timeNs: number) => string,
): DrawdownSummary {
  const { deepest, fromPeak, fromNs, toNs } = drawdown
  return {
    amount: deepest.toFixed(),
    share: fromPeak.isPositive() && !fromPeak.isZero() && !start.isZero() ? deepest.div(fromPeak).toNumber() : null,
    from: timeText(fromNs), to: timeText(toNs),
  }
}

/** The form of counts and times in a summary. */
export interface SummaryForm {
  readonly intervalNs: number
  readonly timeText: (timeNs: number) => string
}

/** The money of one underlying; `track` holds all its samples. */
export function moneySummary(
  underlying: Pick<MoneySummary, 'underlyingId' | 'underlying'>, sums: MoneySums, track: EquityTrack,
  options: SummaryForm,
): MoneySummary {
  const equity = equityOf(sums)
  const perYear = intervalsPerYear(options.intervalNs)
  return {
    ...underlying,
    startEquity: sums.start.toFixed(),
    realizedPnl: sums.realizedPnl.toFixed(),
    unrealizedPnl: sums.unrealizedPnl.toFixed(),
    fees: sums.fees.toFixed(),
    flows: sums.flows.toFixed(),
    profit: equity.minus(sums.start).toFixed(),
    endEquity: equity.toFixed(),
    turnover: sums.turnover.toFixed(),
    maxDrawdown: drawdownSummary(track, sums.start, options.timeText),
    sharpe: sharpeRatio(track.returns, perYear),
    sortino: sortinoRatio(track.returns, perYear),
  }
}

/** The parts of an instrument's summary that orders and fills say. */
export function tradeSummary(
  fills: FillSums | undefined, orders: OrderSums | undefined, quantityScale: number,
): Pick<
  InstrumentSummary,
  | 'lowestPosition'
  | 'highestPosition'
  | 'fillCount'
  | 'gapFillCount'
  | 'makerShare'
  | 'fillRatio'
  | 'orders'
  | 'queuedCount'
  | 'meanQuantityAhead'
> {
  return {
    lowestPosition: textFromScaled(fills?.lowestPosition ?? 0, quantityScale),
    highestPosition: textFromScaled(fills?.highestPosition ?? 0, quantityScale),
    fillCount: fills?.fillCount ?? 0,
    gapFillCount: fills?.gapFillCount ?? 0,
    makerShare: makerShareOf(fills === undefined ? [] : [fills]),
    fillRatio: orders === undefined ? null : shareOf(orders.executedQuantity, orders.acceptedQuantity),
    orders: orderCounts(orders === undefined ? [] : [orders]),
    queuedCount: orders?.queuedCount ?? 0,
    meanQuantityAhead:
      orders === undefined ? null : meanText(orders.quantityAhead.toDecimal(), new Decimal(orders.queuedCount)),
  }
}
