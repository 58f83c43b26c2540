import { FaultsError, type Fault } from '../../model/fault.js'
import { requestFault } from '../../protocol/shop/shop-requests.js'
import { schemaFault } from '../../protocol/shop/request-schema.js'
import { shopSchema, resolvedSchema } from '../../protocol/shop/shop-schemas.js'
import { routeOf, type ShopCall } from './shop-call.js'
import { fieldName } from './shop-fields.js'

/** The call, once its parameters and its body are such as the shop takes. Throws OPTION_INVALID. */
export function checkedCall(call: ShopCall): ShopCall {
  const { query, summary } = routeOf(call)
  for (const [name, value] of Object.entries(call.path ?? {})) refuse(summary, parameterFault(name, value))
  if (query !== undefined) refuse(summary, requestFault(query, call.query ?? {}))
  return call
}

function parameterFault(name: string, value: unknown): Fault | null {
  const schema = resolvedSchema(shopSchema('PathParameters'))
  const field = schema.type === 'object' ? schema.properties?.[name] : undefined
  return field === undefined ? null : schemaFault(field, value, name)
}

/** Throws OPTION_INVALID for a fault in something that was asked of the shop. */
export function refuse(summary: string, found: Fault | null): void {
  if (found === null) return
  const path = fieldName(found.path)
  throw new FaultsError('OPTION_INVALID', `Cannot ask the shop (${summary})`, [{ ...found, path }], 'the request')
}
