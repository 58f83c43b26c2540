import type { EquityRecorderState, MoneySums } from '../report/equity-recorder.js'
import type { DataTimeState } from '../report/data-time.js'
import type { FillRecorderState } from '../report/fill-recorder.js'
import type { LogRecorderState } from '../report/log-recorder.js'
import type { MarkOutsState } from '../report/mark-outs.js'
import type { MoneySum } from '../report/money-recorder.js'
import type { OrderRecorderState } from '../report/order-recorder.js'
import type { PeriodRecorderState } from '../report/period-recorder.js'
import type { RequestCountersState } from '../report/request-counters.js'
import type { TrackRecorderState } from '../report/track-recorder.js'
import type { RoundTripRecorderState } from './round-trip-recorder.js'
import type { EquityRowsState, LastPrices, Valuation } from './run-valuation.js'
import type { WorldRatesState } from './world-rates.js'

/** A report as plain data; its timers are the clock's to keep. */
export interface RunRecorderState {
  readonly fills: FillRecorderState
  readonly orders: OrderRecorderState
  readonly equity: EquityRecorderState
  readonly equityRows: EquityRowsState | null
  readonly dataTime: DataTimeState
  readonly periods: PeriodRecorderState
  readonly roundTrips: RoundTripRecorderState
  readonly markOuts: MarkOutsState
  readonly requests: RequestCountersState
  readonly moneySums: readonly MoneySum[]
  readonly tracks: TrackRecorderState
  readonly log: LogRecorderState
  readonly lastPrices: LastPrices | null
  readonly rates: WorldRatesState
  readonly own: RecorderContent
}

/** The world as it was valued last of all. */
export interface EndValuation {
  readonly timeNs: number
  readonly money: ReadonlyMap<number, MoneySums>
  readonly prices: ReadonlyMap<number, Valuation>
}

/** The recorder's own memory; `end` is null until the world has ended. */
export interface RecorderContent {
  lastSampleNs: number
  receivedUntilNs: number
  readonly stops: StopRecord[]
  readonly warnings: string[]
  end: EndValuation | null
}

/** When and why a strategy ended before its data did. */
export interface StopRecord {
  /** Its client. */
  readonly clientId: string
  readonly timeNs: number
  readonly reason: string
}
