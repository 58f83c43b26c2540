import { epochNsFromTime } from '../model/time.js'
import { equityOf } from '../report/equity-recorder.js'
import type { Clock } from '../venue/venue.js'
import type { RecordedWorld } from './recorded-world.js'
import type { RunRecorder } from './run-recorder.js'
import type { RunValuation } from './run-valuation.js'

/** A world while its run goes on. */
export interface WorldProgress {
  /** Market time, epoch nanoseconds. */
  readonly timeNs: bigint
  /** Lines received of the instruments that it asked for. */
  readonly eventCount: number
  /** Times in which the book of one of those was unknown, and how many are so now. */
  readonly gapCount: number
  readonly suspectBookCount: number
  readonly orderCount: number
  /** Fills of its orders: of an account that others trade on too, theirs left out. */
  readonly fillCount: number
  /** Exchange time of the last of them, epoch nanoseconds; null: it has none. */
  readonly lastFillNs: bigint | null
  readonly openOrderCount: number
  /** Those of its accounts that are not flat, trades of others included; signed sizes, decimal texts. */
  readonly positions: readonly {
    readonly accountId: string, readonly instrumentId: number, readonly size: string
  }[]
  /**
   * Equity of its accounts less the balances of the begin, by underlying in which anything was gained or paid; decimal
   * texts, in which quotients are rounded half-even to 18 decimals.
   */
  readonly profits: readonly { readonly currency: string, readonly amount: string }[]
}

/** The parts that progress is made of. */
export interface ProgressParts extends Pick<
  WorldProgress, 'eventCount' | 'gapCount' | 'suspectBookCount'
> {
  readonly clock: Pick<Clock, 'nowNs' | 'epochDay'>
  readonly world: Pick<RecordedWorld, 'accounts'>
  readonly report: RunRecorder
  /** Fills of its own orders, where its accounts have others too; absent: all are its own. */
  readonly ownFills?: { readonly count: number, readonly lastNs: number | null }
  /** Of the program that asks: prices that it has seen last are no part of the run. */
  readonly valuation: RunValuation
  /** The code of an underlying. */
  readonly codeOf: (underlyingId: number) => string
}

/** The progress of a world: looking changes nothing of it. */
export function worldProgress(
  { clock, world, report, valuation, codeOf, ownFills, ...counts }: ProgressParts,
): WorldProgress {
  const { orders } = report
  const openOrderCount = orders.rows.orders.openCount
  // Those that are open are counted among the states once the run is over.
  const overCount = [...orders.sums.values()].flatMap((sums) => [...sums.values()]).reduce((sum, one) => (
    [...one.states.values()].reduce((count, inState) => count + inState, sum) -
      (one.states.get('DISCARDED') ?? 0) - one.openCount), 0)
  const fills = [...report.fills.sums.values()].flatMap((sums) => [...sums.values()])
  const lastNs = ownFills === undefined ? report.fills.lastNs : ownFills.lastNs
  return {
    ...counts, openOrderCount, timeNs: epochNsFromTime(clock.nowNs(), clock.epochDay),
    lastFillNs: lastNs === null ? null : epochNsFromTime(lastNs, clock.epochDay),
    orderCount: overCount + openOrderCount,
    fillCount: ownFills?.count ?? fills.reduce((sum, { fillCount }) => sum + fillCount, 0),
    positions: [...world.accounts].flatMap(([accountId, { positions }]) => (
      [...positions].flatMap(([instrumentId, { legs }]) => [...legs.values()]
        .filter(({ sums }) => !sums.quantity.isZero())
        .map(({ sums }) => ({ accountId, instrumentId, size: sums.quantity.toDecimal().toFixed() }))))),
    profits: worldProfits(valuation, codeOf),
  }
}

/** Equity less the balances of the begin, by underlying in which anything was gained or paid. */
export function worldProfits(
  valuation: RunValuation, codeOf: ProgressParts['codeOf'],
): WorldProgress['profits'] {
  return [...valuation.money()].map(([id, money]) => (
    { currency: codeOf(id), amount: equityOf(money).minus(money.start).toFixed() }))
}
