import type { BacktestOptions } from '../backtest/backtest-options.js'
import { Amount } from '../model/amount.js'
import { sampledPrices } from './best-prices.js'
import { drawnEntries, timesOf, type TripSetting } from './entry-draws.js'
import type { RoundTrip } from './round-trips.js'
import { TripPricing } from './trip-pricing.js'

/** The gains of random entries with the same round trips, beside those of the strategy. */
export interface RandomBaseline {
  /** Code of the underlying; amounts are in it, exact decimal texts. */
  readonly underlying: string
  /** Round trips by FIFO; those that were open at the end are among them. */
  readonly tripCount: number
  /** Draws, fewer than were asked for where there are many round trips. */
  readonly drawCount: number
  /** The strategy's round trips, fees deducted, without funding and loans; open ones at the mid of the end. */
  readonly profit: string
  /** Draws with at least that profit. */
  readonly asGoodCount: number
  /** The same as a part of all draws. */
  readonly asGoodShare: number
  /** Mean of the draws, rounded half-even to 18 decimals. */
  readonly mean: string
  /** The draw that 5 % of all do not exceed. */
  readonly low: string
  /** The draw that half of them do not exceed. */
  readonly median: string
  /** The draw that 95 % of all do not exceed. */
  readonly high: string
  /** Codes of underlyings of fees that count on neither side, as nothing states their worth. */
  readonly feesLeftOut: readonly string[]
}

/** The round trips of one part. */
export interface PartTrips {
  readonly trips: readonly RoundTrip[]
  readonly setting: TripSetting
  /** The run of the part, for its data and accounts. */
  readonly options: BacktestOptions
  /** Code of the settlement underlying by instrument. */
  readonly settlements: ReadonlyMap<number, string>
}

/** Round trips of all draws; above it there are fewer draws. */
const WORK_MAX = 1_000_000

/**
 * The baseline of some parts together, one for each underlying; none where nothing was traded, or no price was known.
 * Each part is played once more, for its best prices.
 */
export async function randomBaseline(parts: readonly PartTrips[], draws: number): Promise<RandomBaseline[]> {
  const tripCount = parts.reduce((sum, { trips }) => sum + trips.length, 0)
  if (tripCount === 0) return []
  const drawCount = Math.max(1, Math.min(draws, Math.floor(WORK_MAX / tripCount)))
  const sums = new BaselineSums(drawCount)
  for (const part of parts) if (part.trips.length > 0 && !(await addPart(part, drawCount, sums))) return []
  return sums.baselines()
}

async function addPart(part: PartTrips, drawCount: number, sums: BaselineSums): Promise<boolean> {
  const { trips, setting, options, settlements } = part
  const draws = drawnEntries(trips, drawCount, setting)
  const samples = await sampledPrices(options, timesOf(trips, draws, setting))
  const pricing = new TripPricing(trips, samples, setting, options, settlements)
  const own = pricing.own()
  if (own === null) return false
  for (const trip of trips) sums.countTrip(settlements.get(trip.instrumentId) ?? '')
  sums.add(own, null)
  for (let draw = 0; draw < drawCount; draw++) {
    const drawn = pricing.drawn(draws, draw)
    if (drawn === null) return false
    sums.add(drawn, draw)
  }
  for (const code of pricing.feesLeftOut) sums.feesLeftOut.add(code)
  return true
}

interface UnderlyingSums {
  tripCount: number
  own: Amount
  readonly draws: Amount[]
}

/** Sums over the parts, by code of the underlying. */
class BaselineSums {
  readonly feesLeftOut: Set<string> = new Set()
  readonly #drawCount: number
  readonly #byCode: Map<string, UnderlyingSums> = new Map()

  constructor(drawCount: number) {
    this.#drawCount = drawCount
  }

  countTrip(code: string): void {
    this.#of(code).tripCount++
  }

  /** Adds profits by underlying to those of a draw, of the strategy for null. */
  add(profits: ReadonlyMap<string, Amount>, draw: number | null): void {
    for (const [code, profit] of profits) {
      const sums = this.#of(code)
      if (draw === null) sums.own = sums.own.plus(profit)
      else sums.draws[draw] = (sums.draws[draw] as Amount).plus(profit)
    }
  }

  baselines(): RandomBaseline[] {
    return [...this.#byCode].sort(([a], [b]) => (a < b ? -1 : 1)).map(([underlying, { tripCount, own, draws }]) => {
      const sorted = draws.toSorted((a, b) => a.comparedTo(b))
      const asGoodCount = draws.filter((draw) => draw.gte(own)).length
      const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] as Amount).toFixed()
      const sum = draws.reduce((all, one) => all.plus(one), Amount.ZERO)
      return {
        underlying, tripCount, drawCount: draws.length, profit: own.toFixed(), asGoodCount,
        asGoodShare: asGoodCount / draws.length, mean: sum.quotient(Amount.from(draws.length)).toFixed(),
        low: at(0.05), median: at(0.5), high: at(0.95), feesLeftOut: [...this.feesLeftOut].sort(),
      }
    })
  }

  #of(code: string): UnderlyingSums {
    let sums = this.#byCode.get(code)
    if (sums === undefined) {
      const zero = Amount.ZERO
      sums = { tripCount: 0, own: zero, draws: Array.from({ length: this.#drawCount }, () => zero) }
      this.#byCode.set(code, sums)
    }
    return sums
  }
}
