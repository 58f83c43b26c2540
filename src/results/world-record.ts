import type { Contract } from '../model/contract.js'
import { restoredState, savedState, type Saved } from '../model/saved-state.js'
import type { LatencyBins } from '../report/pages/report-input.js'
import { EquitySamples } from '../report/equity-recorder.js'
import { FillRows } from '../report/fill-rows.js'
import { LogRecorder, type LogRecorderState } from '../report/log-recorder.js'
import { OrderRows } from '../report/order-rows.js'
import { OrderTable } from '../orders/order-table.js'
import type { PeriodRecord } from '../report/period-recorder.js'
import { RowStore } from '../rows/row-store.js'
import type { RowTableState } from '../rows/row-table.js'
import { LOOK_NS } from '../report/price-course.js'
import { RunTracks, type RunTracksState } from '../report/run-tracks.js'
import type { TripPlace } from '../report/trip-legs.js'
import { TripRows } from '../report/trip-rows.js'
import type { RecordedWorld } from './recorded-world.js'
import type { RunRecorder } from './run-recorder.js'

/** An instrument that an account traded, as its tables and reports name it. */
export interface TradedTerms {
  readonly accountId: string
  readonly contract: Contract
  /** Its fills pay fees in this one. */
  readonly feeUnderlyingId: number
}

/** The rows of a world's tables. */
interface WorldRows {
  readonly fills: FillRows
  readonly orders: OrderRows
  readonly equity: EquitySamples
  readonly trips: TripRows
}

/** All else that tables and reports are made of. */
interface WorldFacts {
  /** Legs of the trips, by their number. */
  readonly places: readonly TripPlace[]
  readonly traded: readonly TradedTerms[]
  readonly periods: readonly PeriodRecord[]
  readonly requestBins: LatencyBins
  readonly responseBins: LatencyBins
}

/**
 * The part of a world that stays when it has ended, for its tables and its report. Nothing of it leads back to the
 * world: orders, accounts and strategies of a thousand worlds do not live on in their results.
 */
export interface WorldRecord extends WorldRows, WorldFacts {
  readonly tracks: RunTracks
  readonly log: LogRecorder
}

/** The record as it goes to another thread. */
interface WorldRecordState {
  /** Null where none were kept. */
  readonly rows: { readonly [Name in keyof WorldRows]: RowTableState } | null
  readonly facts: WorldFacts
  readonly tracks: RunTracksState
  readonly log: LogRecorderState
}

function newRows(store: RowStore): WorldRows {
  const orders = new OrderTable(store)
  return {
    fills: new FillRows(orders.fills), orders: new OrderRows(orders), equity: new EquitySamples(store),
    trips: new TripRows(store),
  }
}

const NO_ROWS: WorldRows = newRows(new RowStore(false))

/** The record of a world that has ended. */
export function recordOf(
  { fills, orders, equity, roundTrips: { trips }, periods, tracks, requests, log }: RunRecorder,
  { accounts }: RecordedWorld, isKeeping: boolean,
): WorldRecord {
  const traded = [...accounts].flatMap(([accountId, { positions }]) => (
    [...positions.values()].map(({ contract, entry: { instrument } }) => ({
      accountId, contract, feeUnderlyingId: instrument.feeUnderlyingId ?? contract.settlementUnderlyingId,
    }))))
  const rows = { fills: fills.rows, orders: orders.rows, equity: equity.rows, trips: trips.rows }
  if (isKeeping) endRows(rows)
  return {
    ...(isKeeping ? rows : NO_ROWS), places: trips.places, traded, periods: periods.rows, tracks: tracks.tracks,
    requestBins: requests.requestNs.bins(), responseBins: requests.responseNs.bins(), log,
  }
}

function endRows({ fills, orders, equity, trips }: WorldRows): void {
  for (const table of [fills.fills.rows, orders.orders.rows, equity.table, trips.table]) table.end()
}

/** The record as plain data, for another thread. */
export function stateOfRecord(
  { fills, orders, equity, trips, tracks, log, ...facts }: WorldRecord,
): Saved<WorldRecordState> {
  return savedState<WorldRecordState>({
    rows: fills === NO_ROWS.fills ? null : {
      fills: fills.fills.rows.state(), orders: orders.orders.rows.state(), equity: equity.table.state(),
      trips: trips.table.state(),
    },
    facts, tracks: tracks.state(), log: log.state(),
  })
}

/** A record of another thread, its rows in the memory of this one's tables. */
export function restoredRecord(saved: Saved<WorldRecordState>, store: RowStore): WorldRecord {
  const { rows, facts, tracks, log } = restoredState(saved)
  const own = rows === null ? NO_ROWS : newRows(store)
  if (rows !== null) {
    own.fills.fills.rows.restore(rows.fills)
    own.orders.orders.rows.restore(rows.orders)
    own.equity.table.restore(rows.equity)
    own.trips.table.restore(rows.trips)
    endRows(own)
  }
  const record = {
    ...own, ...facts, tracks: new RunTracks(store.isKeeping, LOOK_NS),
    log: new LogRecorder(store.isKeeping),
  }
  record.tracks.restore(tracks)
  record.log.restore(log)
  return record
}

/** The terms of what an account traded. */
export function tradedTerms({ traded }: WorldRecord, accountId: string, instrumentId: number): TradedTerms {
  const found = traded.find((one) => one.contract.instrumentId === instrumentId && one.accountId === accountId)
  if (found === undefined) throw new Error(`Account ${accountId} has no position in ${instrumentId}`)
  return found
}
