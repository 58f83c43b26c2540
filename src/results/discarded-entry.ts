import { scaledFromText } from '../model/decimal.js'
import type { Order } from '../strategy/order.js'
import type { PlaceEntry } from '../venue/messages.js'
import type { InstrumentDirectory } from '../venue/venue.js'

/**
 * A discarded order as the request that it would have been. A price that the instrument's scale cannot state is null,
 * such a quantity NaN.
 */
export function discardedEntry(order: Order, directory: InstrumentDirectory): PlaceEntry {
  const { ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly, price, totalQuantity } = order
  const { priceScale = 0, quantityScale = 0 } = directory.get(instrumentId) ?? {}
  return {
    ownOrderId, clientOrderId, instrumentId, type, side, timeInForce, postOnly,
    price: price === null ? null : scaledFromText(price.toString(), priceScale),
    totalQuantity: scaledFromText(totalQuantity.toString(), quantityScale) ?? NaN,
  }
}
