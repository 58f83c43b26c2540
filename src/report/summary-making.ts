import { Decimal, textFromScaled } from '../model/decimal.js'
import type { EquityTrack, MoneySums } from './equity-recorder.js'
import { equityOf } from './equity-recorder.js'
import type { FillSums } from './fill-recorder.js'
import { MARK_OUT_HORIZONS_NS } from './fill-rows.js'
import type { MarkOutSums } from './mark-outs.js'
import type { OrderSums } from './order-recorder.js'
import { RETURNS_LEAST, type PeriodReturns } from './period-recorder.js'
import type { TripSums } from './round-trips.js'
import type {
  DrawdownSummary, MoneySummary, ReturnsSummary, RoundTripSummary, SlippageSummary,
} from './money-summary.js'
import type { InstrumentSummary, MarkOutSummary, OrderCounts } from './instrument-summary.js'
import { returnsText } from './summary-words.js'

const QUOTIENT_DECIMALS = 18
const NO_MONEY: Decimal = new Decimal(0)

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function meanText(sum: Decimal, divisor: Decimal): string | null {
  return divisor.isZero()
    ? null
    : sum.div(divisor).toDecimalPlaces(QUOTIENT_DECIMALS, Decimal.ROUND_HALF_EVEN).toFixed()
}

/** Order counts over any number of sums; `isSimulated`: the exchange was asked too. */
export function orderCounts(all: readonly OrderSums[], isSimulated: boolean): OrderCounts {
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
    touchedByGapCount: isSimulated ? touched : null,
    filledOrderShare: shareOf(filled, accepted),
  }
}

/** Part of the value of the fills that added liquidity. */
function makerShareOf({ value, makerValue }: FillSums): number | null {
  const all = value.toDecimal()
  return all.isZero() ? null : makerValue.toDecimal().div(all).toNumber()
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

function returnsSummary(start: Decimal, returns: PeriodReturns | null): ReturnsSummary {
  const { unit, sampleCount, leftOutCount, periodsPerYear, statistics } = returns ?? {
    unit: 'hour', sampleCount: 0, leftOutCount: 0, periodsPerYear: 8_760, statistics: null,
  }
  const some = returnsText({ unit, sampleCount, leftOutCount })
  const few = `${some}, ratios need ${RETURNS_LEAST}`
  const reason = !start.gt(0)
    ? 'the account starts at 0'
    : returns?.isBroken === true ? 'equity was not above 0' : few
  const { volatility, maxDrawdown, calmar, winRate, profitFactor } = statistics ?? {}
  return {
    unit, sampleCount, leftOutCount, periodsPerYear, notComputed: statistics === null ? reason : null,
    volatility: volatility ?? null, maxDrawdown: maxDrawdown ?? null, calmar: calmar ?? null, winRate: winRate ?? null,
    profitFactor: profitFactor ?? null,
  }
}

function roundTripSummary(sums: TripSums | undefined): RoundTripSummary {
  const { count = 0, winCount = 0, lossCount = 0, openCount = 0 } = sums ?? {}
  const [wins, losses] = [sums?.wins.toDecimal() ?? NO_MONEY, sums?.losses.toDecimal() ?? NO_MONEY]
  return {
    count, winCount, lossCount, openCount, wins: wins.toFixed(), losses: losses.toFixed(),
    winRate: shareOf(winCount, count), profitFactor: losses.isZero() ? null : wins.div(losses).toNumber(),
  }
}

/** Profit as a part of what there was at the start. */
export function returnOf(profit: Decimal, start: Decimal): number | null {
  return start.gt(0) ? profit.div(start).toNumber() : null
}

/** The records behind the money of one underlying. */
export interface MoneyRecords {
  /** Holds all samples. */
  readonly track: EquityTrack
  readonly returns: PeriodReturns | null
  readonly trips: TripSums | undefined
  readonly slippage: SlippageSummary
}

/** The money of one underlying. */
export function moneySummary(
  underlying: Pick<MoneySummary, 'underlyingId' | 'underlying'>, sums: MoneySums,
  { track, returns, trips, slippage }: MoneyRecords, timeText: (timeNs: number) => string,
): MoneySummary {
  const equity = equityOf(sums)
  const profit = equity.minus(sums.start)
  return {
    ...underlying,
    startEquity: sums.start.toFixed(),
    realizedPnl: sums.realizedPnl.toFixed(),
    unrealizedPnl: sums.unrealizedPnl.toFixed(),
    fees: sums.fees.toFixed(),
    flows: sums.flows.toFixed(),
    profit: profit.toFixed(),
    endEquity: equity.toFixed(),
    turnover: sums.turnover.toFixed(),
    maxDrawdown: drawdownSummary(track, sums.start, timeText),
    return: returnOf(profit, sums.start),
    sharpe: returns?.statistics?.sharpe ?? null,
    sortino: returns?.statistics?.sortino ?? null,
    returns: returnsSummary(sums.start, returns),
    roundTrips: roundTripSummary(trips),
    slippage,
  }
}

/** The parts of an instrument's summary that orders and fills say; `isSimulated`: the exchange was asked too. */
export function tradeSummary(
  fills: FillSums | undefined, orders: OrderSums | undefined, quantityScale: number, isSimulated: boolean,
): Pick<
  InstrumentSummary,
  | 'lowestPosition'
  | 'highestPosition'
  | 'fillCount'
  | 'gapFillCount'
  | 'crossedFillCount'
  | 'makerShare'
  | 'makerFillCount'
  | 'fillRatio'
  | 'orders'
  | 'queuedCount'
  | 'meanQuantityAhead'
> {
  return {
    lowestPosition: textFromScaled(fills?.lowestPosition ?? 0, quantityScale),
    highestPosition: textFromScaled(fills?.highestPosition ?? 0, quantityScale),
    fillCount: fills?.fillCount ?? 0,
    gapFillCount: isSimulated ? fills?.gapFillCount ?? 0 : null,
    crossedFillCount: fills?.crossedFillCount ?? 0,
    makerShare: fills === undefined ? null : makerShareOf(fills),
    makerFillCount: fills?.makerFillCount ?? 0,
    fillRatio: orders === undefined ? null : shareOf(orders.executedQuantity, orders.acceptedQuantity),
    orders: orderCounts(orders === undefined ? [] : [orders], isSimulated),
    queuedCount: isSimulated ? orders?.queuedCount ?? 0 : null,
    meanQuantityAhead:
      orders === undefined ? null : meanText(orders.quantityAhead.toDecimal(), new Decimal(orders.queuedCount)),
  }
}
