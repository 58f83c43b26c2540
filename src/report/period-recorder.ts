import { returnStatistics, type ReturnStatistics } from '../measures/return-statistics.js'
import { Decimal, plus } from '../model/decimal.js'
import { equityOf, type MoneySums } from './equity-recorder.js'

const HOUR_NS = 3_600_000_000_000
const DAY_NS = 24 * HOUR_NS

/** The least number of returns of which statistics are made; from so many days on they are those of days. */
export const RETURNS_LEAST = 20

/** One underlying in one hour; amounts are exact texts in it. */
export interface PeriodRecord {
  /** Begin of the hour. */
  readonly timeNs: number
  readonly underlyingId: number
  /** Equity at its end less equity at its begin. */
  readonly profit: string
  readonly realizedPnl: string
  /** Change of the unrealised profit. */
  readonly unrealizedPnl: string
  readonly fees: string
  readonly flows: string
  /** The part of the flows that is funding. */
  readonly funding: string
  readonly turnover: string
  readonly fillCount: number
  readonly equity: string
  /** The deepest that a sample of the hour lay below the highest of the run so far. */
  readonly drawdown: string
  /** True where the market sent a line in it. */
  readonly hasData: boolean
}

/** Returns of one unit: profit over equity at the begin; null once equity there was not above 0. */
type Returns = number[] | null

interface PeriodTrack {
  /** Sums and equity at the last whole hour, equity at the last midnight. */
  sums: MoneySums
  hourEquity: Decimal
  dayEquity: Decimal
  drawdown: Decimal
  funding: Decimal
  fillCount: number
  hours: Returns
  days: Returns
}

/** The sums of the hours so far. */
interface PeriodSums {
  readonly tracks: Map<number, PeriodTrack>
  /** When hours were closed last, or the run began. */
  closedNs: number
  hasHourData: boolean
  hasDayData: boolean
}

/** The recorder as plain data. */
export interface PeriodRecorderState {
  readonly rows: readonly PeriodRecord[]
  readonly sums: PeriodSums
}

/** Returns of a run over equal periods, and their statistics. */
export interface PeriodReturns {
  readonly unit: 'day' | 'hour'
  readonly sampleCount: number
  readonly periodsPerYear: number
  /** True where equity was not above 0 at the begin of a period: then no return can be made. */
  readonly isBroken: boolean
  /** Null where there are too few returns, or none can be made. */
  readonly statistics: ReturnStatistics | null
}

const ZERO: Decimal = new Decimal(0)

/**
 * Hours and days in UTC by underlying, between whole hours that are samples of equity: what happens at the very instant
 * of one belongs to the hour before it. The first and the last may be shorter.
 */
export class PeriodRecorder {
  rows: PeriodRecord[] = []
  #sums: PeriodSums = { tracks: new Map(), closedNs: 0, hasHourData: false, hasDayData: false }

  /** `isKeeping` false: there are no rows, the sums are the same. */
  constructor(private readonly isKeeping: boolean) {}

  /** A fill was settled in an underlying. */
  filled(underlyingId: number): void {
    this.#trackOf(underlyingId, null).fillCount++
  }

  funded(underlyingId: number, amount: Decimal): void {
    const track = this.#trackOf(underlyingId, null)
    track.funding = plus(track.funding, amount)
  }

  /** The money where the run begins. */
  begin(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    this.#sums.closedNs = timeNs
    for (const [underlyingId, sums] of money) this.#trackOf(underlyingId, sums)
  }

  /**
   * A sample of equity: `fallOf` says how far it lies below the highest so far. Whole hours close an hour, midnights a
   * day. `hasEvents`: the market moved since the sample before.
   */
  sample(
    timeNs: number, money: ReadonlyMap<number, MoneySums>, fallOf: (underlyingId: number) => Decimal,
    hasEvents: boolean,
  ): void {
    this.#sums.hasHourData ||= hasEvents
    this.#sums.hasDayData ||= hasEvents
    for (const [underlyingId, sums] of money) {
      const track = this.#trackOf(underlyingId, sums)
      const fall = fallOf(underlyingId)
      if (fall !== track.drawdown && fall.gt(track.drawdown)) track.drawdown = fall
    }
    if (timeNs % HOUR_NS === 0) this.#closeAll(timeNs, money, timeNs % DAY_NS === 0)
  }

  /** The end of the run; what changed after an hour was closed at that very instant is an hour of its own. */
  end(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    const isChanged = [...money].some(([id, sums]) => !equityOf(sums).eq(this.#trackOf(id, sums).hourEquity))
    if (timeNs > this.#sums.closedNs || isChanged) this.#closeAll(timeNs, money, true)
  }

  /** Daily returns from {@link RETURNS_LEAST} days on, else those of hours; null of an underlying without money. */
  returnsOf(underlyingId: number): PeriodReturns | null {
    const track = this.#sums.tracks.get(underlyingId)
    if (track === undefined) return null
    const hasDays = track.days !== null && track.days.length >= RETURNS_LEAST
    const [unit, returns, periodsPerYear] = hasDays
      ? (['day', track.days, 365] as const)
      : (['hour', track.hours, 8_760] as const)
    const sampleCount = returns?.length ?? 0
    return {
      unit, sampleCount, periodsPerYear, isBroken: returns === null,
      statistics:
        returns === null || sampleCount < RETURNS_LEAST ? null : returnStatistics(returns, periodsPerYear),
    }
  }

  state(): PeriodRecorderState {
    return { rows: this.rows, sums: this.#sums }
  }

  restore({ rows, sums }: PeriodRecorderState): void {
    this.rows = [...rows]
    this.#sums = sums
  }

  #closeAll(timeNs: number, money: ReadonlyMap<number, MoneySums>, isDay: boolean): void {
    const startNs = timeNs > this.#sums.closedNs ? (Math.ceil(timeNs / HOUR_NS) - 1) * HOUR_NS : timeNs
    for (const [underlyingId, sums] of money) this.#close(startNs, underlyingId, sums, isDay)
    this.#sums.closedNs = timeNs
    this.#sums.hasHourData = false
    if (isDay) this.#sums.hasDayData = false
  }

  #close(timeNs: number, underlyingId: number, sums: MoneySums, isDay: boolean): void {
    const track = this.#trackOf(underlyingId, sums)
    const { sums: before, drawdown, funding, fillCount } = track
    const equity = sums === before ? track.hourEquity : equityOf(sums)
    if (this.isKeeping) {
      this.rows.push({
        timeNs, underlyingId, profit: equity.minus(track.hourEquity).toFixed(),
        realizedPnl: sums.realizedPnl.minus(before.realizedPnl).toFixed(),
        unrealizedPnl: sums.unrealizedPnl.minus(before.unrealizedPnl).toFixed(),
        fees: sums.fees.minus(before.fees).toFixed(), flows: sums.flows.minus(before.flows).toFixed(),
        funding: funding.toFixed(), turnover: sums.turnover.minus(before.turnover).toFixed(), fillCount,
        equity: equity.toFixed(), drawdown: drawdown.toFixed(), hasData: this.#sums.hasHourData,
      })
    }
    track.hours = withReturn(track.hours, track.hourEquity, equity, this.#sums.hasHourData)
    if (isDay) {
      track.days = withReturn(track.days, track.dayEquity, equity, this.#sums.hasDayData)
      track.dayEquity = equity
      // From now on the returns are those of days.
      if (track.days !== null && track.days.length >= RETURNS_LEAST) track.hours = []
    }
    track.sums = sums
    track.hourEquity = equity
    track.drawdown = ZERO
    track.funding = ZERO
    track.fillCount = 0
  }

  /** An underlying that shows up later stood at its start until then. */
  #trackOf(underlyingId: number, sums: MoneySums | null): PeriodTrack {
    const known = this.#sums.tracks.get(underlyingId)
    if (known !== undefined) return known
    const start = sums?.start ?? ZERO
    const track: PeriodTrack = {
      sums: { start, realizedPnl: ZERO, unrealizedPnl: ZERO, fees: ZERO, flows: ZERO, turnover: ZERO },
      hourEquity: start, dayEquity: start, drawdown: ZERO, funding: ZERO, fillCount: 0, hours: [], days: [],
    }
    this.#sums.tracks.set(underlyingId, track)
    return track
  }
}

/** A period without data and without a change of equity is none. */
function withReturn(returns: Returns, from: Decimal, to: Decimal, hasData: boolean): Returns {
  if (returns === null) return null
  const profit = to === from ? ZERO : to.minus(from)
  if (!hasData && profit.isZero()) return returns
  if (!from.gt(0)) return null
  returns.push(profit.isZero() ? 0 : profit.div(from).toNumber())
  return returns
}
