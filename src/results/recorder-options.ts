import type { OrderTable } from '../orders/order-table.js'
import type { PriceCourses } from '../report/price-course.js'
import type { RowStore } from '../rows/row-store.js'
import type { Clock, InstrumentDirectory, MarketView } from '../venue/venue.js'
import type { EquityRowOptions } from './run-valuation.js'

/** The sources of a world's report. */
export interface RunRecorderOptions {
  readonly clock: Clock
  readonly instruments: InstrumentDirectory
  readonly views: ReadonlyMap<number, MarketView>
  readonly intervalNs: number
  /** The memory of the run's tables. */
  readonly store: RowStore
  /** The orders of the world, whose rows are in that memory. */
  readonly orders: OrderTable
  /** Rows of equity that were asked for; null: a row for each sample. */
  readonly equityRows: EquityRowOptions | null
  /** True where a gap ends this world: then it is valued there. */
  readonly haltsInGap: boolean
  /** When the first event of the world's instruments was received; Infinity where the run has had none yet. */
  readonly receivedFromNs: () => number
  /** When the last one was; -Infinity where the run has had none yet. */
  readonly receivedUntilNs: () => number
  /** True where a time lies behind the last line of an instrument's data. */
  readonly isBehindData: (instrumentId: number, timeNs: number) => boolean
  /** Instruments that the world has asked for, ascending. */
  readonly instrumentIds: () => readonly number[]
  /** Courses of prices that the worlds of a pass share. */
  readonly courses: PriceCourses
  /** Lets the views take the lines before a time that nobody asked for. */
  readonly passLinesBefore: (timeNs: number) => void
}
