import type { Contract } from '../../src/model/contract.js'
import { Amount } from '../../src/model/amount.js'
import type { ExactCell } from '../../src/model/exact-cell.js'
import { ScaledAmount, textOfExact } from '../../src/rows/exact-integer.js'
import { RoundTrips } from '../../src/report/round-trips.js'
import type { TripPlace } from '../../src/report/trip-legs.js'
import { RowStore } from '../../src/rows/row-store.js'
import type { DecimalFill, TripRecord } from './decimal-trips.ts'
import { throughJson } from './through-json.ts'

function textRead(read: (cell: ExactCell) => void): string {
  const cell: ExactCell = { integer: NaN, scale: 0 }
  read(cell)
  return textOfExact(cell.integer, cell.scale)
}

/** Round trips that are fed with Decimals and ids of fills, and whose rows are texts. */
export class TextTrips {
  trips: RoundTrips
  readonly #ids: string[] = []

  constructor(readonly store: RowStore = new RowStore()) {
    this.trips = new RoundTrips(store)
  }

  filled(place: TripPlace, contract: Contract, fill: DecimalFill): void {
    const [quantity, price] = [new ScaledAmount().read(fill.quantity), new ScaledAmount().read(fill.price)]
    if (fill.fillId !== null && !this.#ids.includes(fill.fillId)) this.#ids.push(fill.fillId)
    this.trips.filled(place.accountId, place.leg, { ...contract, instrumentId: place.instrumentId }, {
      ...fill, quantity: quantity.integer, quantityScale: quantity.scale, price: price.integer, priceScale: price.scale,
      fillRow: fill.fillId === null ? -1 : this.#ids.indexOf(fill.fillId),
    })
  }

  sampled(instrumentId: number, price: Amount): void {
    const { integer, scale } = new ScaledAmount().read(price)
    this.trips.sample((id) => id === instrumentId ? { integer, scale } : null)
  }

  /** Goes on from its own state as JSON. */
  resume(contractOf: (place: TripPlace) => Contract, store: RowStore = this.store): void {
    const state = throughJson(this.trips.state())
    this.trips = new RoundTrips(store)
    this.trips.restore(state, contractOf)
  }

  rows(contractOf: (place: TripPlace) => Contract): TripRecord[] {
    const { rows } = this.trips
    const idOf = (fill: number): string | null => fill < 0 ? null : this.#ids[fill]!
    return Array.from({ length: rows.table.length }, (_, row) => {
      const place = this.trips.places[rows.leg.at(row)]!
      const contract = contractOf(place)
      const exitNs = rows.exitNs.at(row)
      return {
        ...place, sign: rows.isLong.at(row) === 1 ? 1 : -1, entryNs: rows.entryNs.at(row),
        exitNs: Number.isNaN(exitNs) ? null : exitNs, quantity: rows.quantity.textAt(row)!,
        entryPrice: rows.entryPrice.textAt(row)!, exitPrice: rows.exitPrice.textAt(row),
        grossProfit: rows.grossProfit.textAt(row)!, fees: rows.fees.textAt(row)!, otherFees: rows.otherFees.textAt(row)!,
        highPrice: rows.highPrice.textAt(row)!, lowPrice: rows.lowPrice.textAt(row)!,
        favorableExcursion: textRead((cell) => rows.readFavorableExcursion(row, contract, cell)),
        adverseExcursion: textRead((cell) => rows.readAdverseExcursion(row, contract, cell)), exit: rows.exit.at(row),
        entryFillId: idOf(rows.entryFill.at(row)), exitFillId: idOf(rows.exitFill.at(row)),
      }
    })
  }
}
