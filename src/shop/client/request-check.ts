import { FaultsError, type Fault } from '../../model/fault.js'
import { partFault } from '../../protocol/rest/rest-requests.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { routeOf, type ShopCall } from './shop-call.js'
import { fieldName } from './shop-fields.js'

/** The call, once its path and its parameters are such as the shop takes. Throws OPTION_INVALID. */
export function checkedCall(call: ShopCall): ShopCall {
  const { summary } = routeOf(call)
  refuse(summary, partFault(SHOP, call.route, 'path', call.path ?? {}))
  refuse(summary, partFault(SHOP, call.route, 'query', call.query ?? {}))
  return call
}

/** Throws OPTION_INVALID for a fault in something that was asked of the shop. */
export function refuse(summary: string, found: Fault | null): void {
  if (found === null) return
  const path = fieldName(found.path)
  throw new FaultsError('OPTION_INVALID', `Cannot ask the shop (${summary})`, [{ ...found, path }], 'the request')
}
