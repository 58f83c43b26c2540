import type { Fault } from '../../model/fault.js'
import type { ShopErrorName } from '../../protocol/shop/shop-errors.js'
import { isRequest, requestFault } from '../../protocol/shop/shop-requests.js'
import type { Sent, ShopSchemaName } from '../../protocol/shop/shop-schemas.js'
import { faultReply } from '../../web/rest/rest-refusal.js'
import type { RefusalReply, ShopHandler, ShopReply, ShopRequest } from './shop-reply.js'

/** An answer of an object. */
export function json<Name extends ShopSchemaName>(_name: Name, body: Sent<Name> & object, status = 200): ShopReply {
  return { kind: 'json', status, body }
}

/** A refusal with the sentence of the table: refusals that must look alike are made so. */
export function refusal(error: ShopErrorName, details?: object): RefusalReply {
  return { kind: 'refusal', error, ...details === undefined ? {} : { details } }
}

/** The refusal of bad input; `whole` is named where the fault is of it as a whole. */
export function invalidInput(fault: Fault, whole = 'the input'): RefusalReply {
  return faultReply('invalidInput', fault, whole)
}

/** A handler that gets the parameters of its query in the form of their schema. */
export function withQuery<Name extends ShopSchemaName>(
  name: Name, work: (query: Sent<Name>, request: ShopRequest) => Promise<ShopReply> | ShopReply,
): ShopHandler {
  return (request) => {
    const { query } = request
    if (isRequest(name, query)) return work(query, request)
    return invalidInput(requestFault(name, query) ?? { path: '', expected: name, found: 'something else' })
  }
}
