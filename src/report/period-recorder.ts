import { returnStatistics, type ReturnStatistics } from '../measures/return-statistics.js'
import { Decimal, plus } from '../model/decimal.js'
import { NS_PER_DAY, NS_PER_HOUR } from '../model/time.js'
import type { DataTime } from './data-time.js'
import { equityOf, type MoneySums } from './equity-recorder.js'

/** The least number of returns of which statistics are made; from so many days on they are those of days. */
export const RETURNS_LEAST = 20

/** The least part of a period that data cover where its return is a sample of the ratios. */
export const COVERED_LEAST = 0.5

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
  /** Time of it that the data cover. */
  coveredNs: number
}

/** Returns of one unit. */
interface Returns {
  /** Profit over equity at the begin; null once equity there was not above 0. */
  values: number[] | null
  /** Periods with data or a profit that are no sample, as the data cover too little of them. */
  leftOutCount: number
}

/** One underlying since a whole hour. */
interface HourContent {
  /** Sums and equity at the last whole hour, equity at the last midnight. */
  sums: MoneySums
  hourEquity: Decimal
  dayEquity: Decimal
  drawdown: Decimal
  funding: Decimal
  fillCount: number
}

interface PeriodTrack extends HourContent {
  readonly hours: Returns
  readonly days: Returns
  /** The hour that was closed last, as it was before; null before the first, and once its return is known. */
  held: HourContent | null
}

/** An hour that was closed: it waits for the time that its data cover, which the next line may change. */
interface HeldHour {
  readonly startNs: number
  /** When the hour before it was closed, or the run began. */
  readonly closedNs: number
  readonly isDay: boolean
  /** The first of its rows. */
  readonly row: number
}

/** The sums of the hours so far. */
interface PeriodSums {
  readonly tracks: Map<number, PeriodTrack>
  /** When hours were closed last, or the run began. */
  closedNs: number
  held: HeldHour | null
  /** Covered time of the hours of the day whose returns are known. */
  dayCoveredNs: number
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
  /** Periods that were left out, as the data cover too little of them. */
  readonly leftOutCount: number
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
  #sums: PeriodSums = { tracks: new Map(), closedNs: 0, held: null, dayCoveredNs: 0 }

  /** `isKeeping` false: there are no rows, the sums are the same. `startOf`: what the accounts began with. */
  constructor(
    private readonly isKeeping: boolean, private readonly time: DataTime,
    private readonly startOf: (underlyingId: number) => Decimal,
  ) {}

  /** A fill was settled in an underlying. */
  filled(underlyingId: number): void {
    this.#trackOf(underlyingId).fillCount++
  }

  funded(underlyingId: number, amount: Decimal): void {
    const track = this.#trackOf(underlyingId)
    track.funding = plus(track.funding, amount)
  }

  /** The money where the run begins. */
  begin(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    this.#sums.closedNs = timeNs
    for (const underlyingId of money.keys()) this.#trackOf(underlyingId)
  }

  /**
   * A sample of equity: `fallOf` says how far it lies below the highest so far. Whole hours close an hour, midnights a
   * day. The time of the data has taken the sample before.
   */
  sample(
    timeNs: number, money: ReadonlyMap<number, MoneySums>, fallOf: (underlyingId: number) => Decimal,
  ): void {
    for (const underlyingId of money.keys()) {
      const track = this.#trackOf(underlyingId)
      const fall = fallOf(underlyingId)
      if (fall !== track.drawdown && fall.gt(track.drawdown)) track.drawdown = fall
    }
    if (timeNs % NS_PER_HOUR === 0) this.#closeAll(timeNs, money, timeNs % NS_PER_DAY === 0)
  }

  /** The end of the run; what changed after an hour was closed at that very instant belongs to that hour. */
  end(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    const isChanged = [...money].some(([id, sums]) => !equityOf(sums).eq(this.#trackOf(id).hourEquity))
    if (timeNs === this.#sums.closedNs && isChanged) this.#open()
    if (timeNs > this.#sums.closedNs || isChanged) this.#closeAll(timeNs, money, true)
    this.#settle()
  }

  /** Daily returns from {@link RETURNS_LEAST} days on, else those of hours; null of an underlying without money. */
  returnsOf(underlyingId: number): PeriodReturns | null {
    const track = this.#sums.tracks.get(underlyingId)
    if (track === undefined) return null
    const [unit, { values, leftOutCount }, periodsPerYear] = hasDailyReturns(track)
      ? (['day', track.days, 365] as const)
      : (['hour', track.hours, 8_760] as const)
    const sampleCount = values?.length ?? 0
    return {
      unit, sampleCount, leftOutCount, periodsPerYear, isBroken: values === null,
      statistics: values === null || sampleCount < RETURNS_LEAST ? null : returnStatistics(values, periodsPerYear),
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
    this.#settle()
    const own = this.#sums
    const { closedNs } = own
    const startNs = timeNs > closedNs ? (Math.ceil(timeNs / NS_PER_HOUR) - 1) * NS_PER_HOUR : timeNs
    own.held = { startNs, closedNs, isDay, row: this.rows.length }
    own.closedNs = timeNs
    for (const [underlyingId, sums] of money) this.#close(startNs, underlyingId, sums, isDay)
  }

  #close(timeNs: number, underlyingId: number, sums: MoneySums, isDay: boolean): void {
    const track = this.#trackOf(underlyingId)
    const { sums: before, hourEquity, dayEquity, drawdown, funding, fillCount } = track
    const equity = sums === before ? hourEquity : equityOf(sums)
    if (this.isKeeping) {
      this.rows.push({
        timeNs, underlyingId, profit: equity.minus(hourEquity).toFixed(),
        realizedPnl: sums.realizedPnl.minus(before.realizedPnl).toFixed(),
        unrealizedPnl: sums.unrealizedPnl.minus(before.unrealizedPnl).toFixed(),
        fees: sums.fees.minus(before.fees).toFixed(), flows: sums.flows.minus(before.flows).toFixed(),
        funding: funding.toFixed(), turnover: sums.turnover.minus(before.turnover).toFixed(), fillCount,
        equity: equity.toFixed(), drawdown: drawdown.toFixed(), coveredNs: 0,
      })
    }
    track.held = { sums: before, hourEquity, dayEquity, drawdown, funding, fillCount }
    track.sums = sums
    track.hourEquity = equity
    if (isDay) track.dayEquity = equity
    track.drawdown = ZERO
    track.funding = ZERO
    track.fillCount = 0
  }

  /** The hour that was closed last goes on. */
  #open(): void {
    const own = this.#sums
    if (own.held === null) return
    own.closedNs = own.held.closedNs
    this.rows.length = own.held.row
    own.held = null
    for (const track of own.tracks.values()) {
      if (track.held === null) continue
      const { drawdown, funding, fillCount, ...held } = track.held
      Object.assign(track, held)
      track.drawdown = Decimal.max(drawdown, track.drawdown)
      track.funding = plus(funding, track.funding)
      track.fillCount += fillCount
      track.held = null
    }
  }

  /** The time that the data cover of the hour that was closed last is known now: its return, and that of a day. */
  #settle(): void {
    const own = this.#sums
    if (own.held === null) return
    const { startNs, isDay, row } = own.held
    const coveredNs = this.time.coveredBetween(startNs, startNs + NS_PER_HOUR)
    for (let at = row; at < this.rows.length; at++) (this.rows[at] as PeriodRecord).coveredNs = coveredNs
    own.dayCoveredNs += coveredNs
    for (const track of own.tracks.values()) {
      if (track.held === null) continue
      const { hourEquity, dayEquity } = track.held
      addReturn(track.hours, hourEquity, track.hourEquity, coveredNs / NS_PER_HOUR)
      if (isDay) addReturn(track.days, dayEquity, track.dayEquity, own.dayCoveredNs / NS_PER_DAY)
      // From now on the returns are those of days.
      if (hasDailyReturns(track)) track.hours.values = []
      track.held = null
    }
    if (isDay) own.dayCoveredNs = 0
    own.held = null
  }

  /** An underlying that shows up later stood at its start until then. */
  #trackOf(underlyingId: number): PeriodTrack {
    const known = this.#sums.tracks.get(underlyingId)
    if (known !== undefined) return known
    const start = this.startOf(underlyingId)
    const track: PeriodTrack = {
      sums: { start, realizedPnl: ZERO, unrealizedPnl: ZERO, fees: ZERO, flows: ZERO, turnover: ZERO },
      hourEquity: start, dayEquity: start, drawdown: ZERO, funding: ZERO, fillCount: 0,
      hours: { values: [], leftOutCount: 0 }, days: { values: [], leftOutCount: 0 }, held: null,
    }
    this.#sums.tracks.set(underlyingId, track)
    return track
  }
}

function hasDailyReturns({ days }: PeriodTrack): boolean {
  return days.values !== null && days.values.length >= RETURNS_LEAST
}

/** A period whose data cover less than half of it is no sample; without data and without a profit it is none at all. */
function addReturn(returns: Returns, from: Decimal, to: Decimal, covered: number): void {
  if (returns.values === null) return
  const profit = to === from ? ZERO : to.minus(from)
  if (covered < COVERED_LEAST) {
    if (covered > 0 || !profit.isZero()) returns.leftOutCount++
    return
  }
  if (!from.gt(0)) returns.values = null
  else returns.values.push(profit.isZero() ? 0 : profit.div(from).toNumber())
}
