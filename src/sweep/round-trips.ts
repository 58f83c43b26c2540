import { Amount } from '../model/amount.js'
import type { Side } from '../model/side.js'
import type { FillRow } from '../results/result-rows.js'

/** One side of a round trip. */
export interface TripLeg {
  /** Exchange time, epoch nanoseconds. */
  readonly timeNs: bigint
  readonly side: Side
  readonly price: Amount
  readonly isMaker: boolean
  /** The fill's fee, by the share of its quantity, in the fee underlying; positive is a cost. */
  readonly fee: Amount
  /** Code of the fee underlying. */
  readonly feeUnderlying: string
}

/** A quantity that was opened by one fill and closed by another. */
export interface RoundTrip {
  readonly account: string
  readonly instrumentId: number
  readonly isLong: boolean
  readonly quantity: Amount
  readonly entry: TripLeg
  /** Null where it was open when the run ended. */
  readonly exit: TripLeg | null
}

interface OpenLot {
  readonly entry: FillRow
  quantity: Amount
}

/**
 * Round trips of fills by FIFO: a fill closes the oldest open quantity of its account and instrument first, and opens
 * with what is left. In the order of their ends, those that stay open last.
 */
export function roundTrips(fills: readonly FillRow[]): RoundTrip[] {
  const open = new Map<string, OpenLot[]>()
  const trips: RoundTrip[] = []
  for (const fill of fills) {
    const key = `${fill.instrument_id} ${fill.account}`
    const lots = open.get(key) ?? []
    open.set(key, lots)
    let left = Amount.from(fill.qty)
    for (let lot = lots[0]; lot !== undefined && lot.entry.side !== fill.side && left.sign > 0; lot = lots[0]) {
      const quantity = Amount.min(left, lot.quantity)
      trips.push(tripOf(lot.entry, fill, quantity))
      left = left.minus(quantity)
      lot.quantity = lot.quantity.minus(quantity)
      if (lot.quantity.isZero()) lots.shift()
    }
    if (left.sign > 0) lots.push({ entry: fill, quantity: left })
  }
  for (const lots of open.values())
    for (const { entry, quantity } of lots) trips.push(tripOf(entry, null, quantity))
  return trips
}

function tripOf(entry: FillRow, exit: FillRow | null, quantity: Amount): RoundTrip {
  const { account, instrument_id: instrumentId, side } = entry
  return {
    account, instrumentId, isLong: side === 'BID', quantity, entry: legOf(entry, quantity),
    exit: exit === null ? null : legOf(exit, quantity),
  }
}

function legOf(
  { exchange_ts: timeNs, side, price, fee, qty, fee_underlying: feeUnderlying, added_liquidity: isMaker }: FillRow,
  part: Amount,
): TripLeg {
  const [whole, quantity] = [Amount.from(fee), Amount.from(qty)]
  const share = part.eq(quantity) ? whole : whole.times(part).ratio(quantity)
  return { timeNs, side, price: Amount.from(price), isMaker, fee: share, feeUnderlying }
}
