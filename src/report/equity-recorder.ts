import { Decimal, plus } from '../model/decimal.js'
import { addToDrawdown, beginDrawdown, NO_FALL, type Drawdown } from './drawdown.js'
import type { RowBudget } from './row-budget.js'

/** The money of one underlying at an instant, over all accounts of a world. */
export interface MoneySums {
  /** Starting balances. */
  readonly start: Decimal
  readonly realizedPnl: Decimal
  readonly unrealizedPnl: Decimal
  readonly fees: Decimal
  /** Funding and interest: received less paid. */
  readonly flows: Decimal
  readonly turnover: Decimal
}

/** Money sums as plain data. */
export type MoneySumsState = { readonly [Name in keyof MoneySums]: string }

/** Sums as texts. */
export function moneyTexts({ start, realizedPnl, unrealizedPnl, fees, flows, turnover }: MoneySums): MoneySumsState {
  return {
    start: start.toFixed(), realizedPnl: realizedPnl.toFixed(), unrealizedPnl: unrealizedPnl.toFixed(),
    fees: fees.toFixed(), flows: flows.toFixed(), turnover: turnover.toFixed(),
  }
}

/** Sums of such texts. */
export function moneyFromTexts({
  start, realizedPnl, unrealizedPnl, fees, flows, turnover,
}: MoneySumsState): MoneySums {
  return {
    start: new Decimal(start), realizedPnl: new Decimal(realizedPnl), unrealizedPnl: new Decimal(unrealizedPnl),
    fees: new Decimal(fees), flows: new Decimal(flows), turnover: new Decimal(turnover),
  }
}

/** Start, profits, fees and flows put together. */
export function equityOf({ start, realizedPnl, unrealizedPnl, fees, flows }: MoneySums): Decimal {
  const gross = plus(plus(start, realizedPnl), unrealizedPnl)
  return plus(fees.isZero() ? gross : gross.minus(fees), flows)
}

/** One row of the equity table. */
export interface EquityRecord {
  readonly timeNs: number
  readonly underlyingId: number
  readonly equity: string
  readonly realizedPnl: string
  readonly unrealizedPnl: string
  readonly fees: string
  readonly drawdown: string
}

/** Texts of numbers that stand in rows: most samples of most sums are the very numbers of the sample before. */
const rowTexts: WeakMap<Decimal, string> = new WeakMap()

function rowText(value: Decimal): string {
  let text = rowTexts.get(value)
  if (text === undefined) {
    text = value.toFixed()
    rowTexts.set(value, text)
  }
  return text
}

/** Whole intervals without an event that are a hole, an hour of minutes: prices are not known there. */
export const HOLE_INTERVALS = 60

/** The sums of the samples of one underlying. */
export interface EquityTrack {
  /**
   * The last sample: its sums, null where they are not known any more, its equity, and how far that lies below the
   * peak.
   */
  sums: MoneySums | null
  equity: Decimal
  fall: Decimal
  readonly drawdown: Drawdown
  /** The highest equity of a row. */
  rowPeak: Decimal
}

/** The recorder as plain data. */
export interface EquityRecorderState {
  readonly rows: readonly EquityRecord[]
  readonly startNs: number
  readonly hasBegun: boolean
  readonly runningCount: number
  readonly intervalCount: number
  readonly leftOutCount: number
  readonly tracks: readonly EquityTrackState[]
}

/** {@link EquityTrack} as plain data. */
interface EquityTrackState {
  readonly underlyingId: number
  readonly equity: string
  readonly drawdown: { readonly [Name in keyof Drawdown]: Drawdown[Name] extends number ? number : string }
  readonly rowPeak: string
}

/**
 * Equity by underlying at sampled instants: rows for a table, and as sums what the summary says of them, so that it is
 * the same where no rows are kept.
 */
export class EquityRecorder {
  readonly rows: EquityRecord[] = []
  readonly tracks: Map<number, EquityTrack> = new Map()
  #startNs = 0
  #hasBegun = false
  #runningCount = 0
  #intervalCount = 0
  #leftOutCount = 0

  /** `hasSampleRows` false: samples are no rows, {@link row} alone makes them. */
  constructor(private readonly budget: RowBudget, private readonly hasSampleRows = true) {}

  /** When the first sample was taken. */
  get startNs(): number {
    return this.#startNs
  }

  /** Whole intervals from the one with the first event to the one with the last so far. */
  get intervalCount(): number {
    return this.#intervalCount
  }

  /** Whole intervals in holes: stretches of {@link HOLE_INTERVALS} or more without an event, the one at the end too. */
  get holeCount(): number {
    const idle = this.#runningCount - this.#intervalCount
    return this.#leftOutCount + (idle >= HOLE_INTERVALS ? idle : 0)
  }

  /** The first sample: equity where the run begins. */
  begin(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    this.#startNs = timeNs
    this.#add(timeNs, money)
    if (!this.hasSampleRows) this.row(timeNs, money)
  }

  /**
   * A later sample. `isInterval`: it ends a whole interval that began with the sample before it. `hasEvents`: the
   * market moved since then; intervals before the first and after the last that did, as in files that are cut, do not
   * count, nor do those of a hole.
   */
  sample(timeNs: number, money: ReadonlyMap<number, MoneySums>, isInterval: boolean, hasEvents: boolean): void {
    if (hasEvents) this.#hasBegun = true
    const counts = isInterval && this.#hasBegun
    const endsHole = hasEvents && this.#runningCount - this.#intervalCount >= HOLE_INTERVALS
    // The idle intervals of a hole are taken back.
    if (endsHole) {
      this.#leftOutCount += this.#runningCount - this.#intervalCount
      this.#runningCount = this.#intervalCount
    }
    this.#add(timeNs, money)
    if (counts) this.#runningCount++
    if (!hasEvents) return
    this.#intervalCount = this.#runningCount
  }

  /** Rows between samples, of which nothing else is made. */
  row(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    if (!this.budget.isKeeping) return
    for (const [underlyingId, sums] of money) {
      const track = this.#trackOf(underlyingId, sums.start)
      this.#keep(timeNs, underlyingId, sums, sums === track.sums ? track.equity : equityOf(sums), track)
    }
  }

  state(): EquityRecorderState {
    const tracks = [...this.tracks].map(([underlyingId, { equity, drawdown, rowPeak }]) => {
      const { peak, deepest, fromPeak } = drawdown
      const falls = { ...drawdown, peak: peak.toFixed(), deepest: deepest.toFixed(), fromPeak: fromPeak.toFixed() }
      return { underlyingId, equity: equity.toFixed(), drawdown: falls, rowPeak: rowPeak.toFixed() }
    })
    return {
      rows: this.rows, startNs: this.#startNs, hasBegun: this.#hasBegun, runningCount: this.#runningCount,
      intervalCount: this.#intervalCount, leftOutCount: this.#leftOutCount, tracks,
    }
  }

  restore(state: EquityRecorderState): void {
    const { rows, startNs, hasBegun, runningCount, intervalCount, leftOutCount, tracks } = state
    for (const row of rows) {
      this.budget.take('equity')
      this.rows.push(row)
    }
    this.#startNs = startNs
    this.#hasBegun = hasBegun
    this.#runningCount = runningCount
    this.#intervalCount = intervalCount
    this.#leftOutCount = leftOutCount
    for (const { underlyingId, equity, drawdown, rowPeak } of tracks) {
      const { peak, deepest, fromPeak } = drawdown
      const falls = {
        ...drawdown, peak: new Decimal(peak), deepest: new Decimal(deepest), fromPeak: new Decimal(fromPeak),
      }
      this.tracks.set(underlyingId, {
        sums: null, equity: new Decimal(equity), fall: NO_FALL, drawdown: falls, rowPeak: new Decimal(rowPeak),
      })
    }
  }

  #add(timeNs: number, money: ReadonlyMap<number, MoneySums>): void {
    for (const [underlyingId, sums] of money) {
      const track = this.#trackOf(underlyingId, sums.start)
      const equity = sums === track.sums ? track.equity : equityOf(sums)
      if (equity !== track.equity || track.sums === null) track.fall = addToDrawdown(track.drawdown, equity, timeNs)
      else if (track.fall.isZero()) track.drawdown.peakNs = timeNs
      track.sums = sums
      track.equity = equity
      if (this.hasSampleRows && this.budget.isKeeping) this.#keep(timeNs, underlyingId, sums, equity, track)
    }
  }

  #keep(timeNs: number, underlyingId: number, sums: MoneySums, equity: Decimal, track: EquityTrack): void {
    this.budget.take('equity')
    if (equity !== track.rowPeak && equity.gt(track.rowPeak)) track.rowPeak = equity
    const drawdown = equity === track.rowPeak ? NO_FALL : track.rowPeak.minus(equity)
    const { realizedPnl, unrealizedPnl, fees } = sums
    this.rows.push({
      timeNs, underlyingId, equity: rowText(equity), realizedPnl: rowText(realizedPnl),
      unrealizedPnl: rowText(unrealizedPnl), fees: rowText(fees), drawdown: rowText(drawdown),
    })
  }

  /** An underlying that shows up later stood at its start until then. */
  #trackOf(underlyingId: number, start: Decimal): EquityTrack {
    let track = this.tracks.get(underlyingId)
    if (track === undefined) {
      track = {
        sums: null, equity: start, fall: NO_FALL, drawdown: beginDrawdown(start, this.#startNs), rowPeak: start,
      }
      this.tracks.set(underlyingId, track)
    }
    return track
  }
}
