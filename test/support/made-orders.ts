import type { OrderState } from '../../src/model/order.js'
import { AdapterOrderIndex, type Admission, type Sorted } from '../../src/exchange/adapter/adapter-order-index.js'
import type { AccountConfig } from '../../src/exchange/accounts/account-config.js'
import { OrderAtExchange, type OrderNames, type OrderScales, type RareAttributes } from '../../src/orders/order-at-exchange.js'
import { OrderTable, type RowTerms } from '../../src/orders/order-table.js'
import { RowStore } from '../../src/rows/row-store.js'
import type { PlaceEntry, PlaceResult, ReplaceEntry, ReplaceResult } from '../../src/venue/messages.js'
import type { InstrumentDirectory } from '../../src/venue/venue.js'

/** An order of a test as the exchange holds it, prices and quantities at the scales of its market. */
export type MadeOrder = OrderNames & RowTerms & RareAttributes & {
  readonly state: OrderState
  readonly executedQuantity: number
  readonly quantityAhead: number
  readonly entryQuantityAhead: number
  readonly tradedSince: number
  readonly touchedByGap: boolean
}

/** Numbers of orders are those of their market. */
export const SAME_SCALES: OrderScales = { priceFactor: 1, quantityFactor: 1, quantityDivisor: 1 }

const DEFAULTS = {
  accountId: 'A', clientId: 'c', instrumentId: 1, ownOrderId: 'o', clientOrderId: 'n', exchangeOrderId: 'e', type: 'LIMIT', side: 'BID', timeInForce: 'GOOD_TILL_CANCEL', price: 100, totalQuantity: 1,
  postOnly: false, state: 'CONFIRMED', executedQuantity: 0, quantityAhead: NaN, entryQuantityAhead: NaN, tradedSince: 0, touchedByGap: false,
} as const

/** An order in a table of its own, or in a row of a table that has its terms. */
export function madeOrder(more: Partial<MadeOrder>, scales: OrderScales = SAME_SCALES, table = new OrderTable(new RowStore(false)), at?: number): OrderAtExchange {
  const {
    accountId, clientId, instrumentId, ownOrderId, clientOrderId, exchangeOrderId, type, side, timeInForce, price, totalQuantity, postOnly, state, executedQuantity, quantityAhead, entryQuantityAhead, tradedSince,
    touchedByGap, ...rare
  } = { ...DEFAULTS, ...more }
  const identity = { accountId, clientId, instrumentId, ownOrderId, clientOrderId, exchangeOrderId }
  const row = at ?? table.add(identity, { ...identity, type, side, timeInForce, price, totalQuantity, postOnly }, 0)
  const order = new OrderAtExchange(table, row, scales, identity, Object.keys(rare).length === 0 ? undefined : rare)
  return Object.assign(order, { price, totalQuantity, state, executedQuantity, quantityAhead, entryQuantityAhead, tradedSince, touchedByGap })
}

/** An adapter by itself: its orders have rows of a table of its own. */
export class MadeAdapter {
  readonly table = new OrderTable(new RowStore(false))
  readonly index: AdapterOrderIndex

  constructor(private readonly account: AccountConfig, instruments: InstrumentDirectory) {
    this.index = new AdapterOrderIndex(account, instruments, this.table)
  }

  place(entries: readonly PlaceEntry[], admit?: Admission): Sorted<PlaceEntry, PlaceResult> {
    return this.index.place(entries, entries.map((entry) => this.table.add(this.#owner, entry, 0)), admit)
  }

  replace(entries: readonly ReplaceEntry[], admit?: Admission): Sorted<ReplaceEntry, ReplaceResult> {
    return this.index.replace(entries, entries.map((entry) => this.table.addInPlace(this.#owner, entry, 0)), admit)
  }

  get #owner(): { readonly accountId: string, readonly clientId: string } {
    return { accountId: this.account.accountId, clientId: 'c' }
  }
}
