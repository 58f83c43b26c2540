import type { ShopErrorName } from '../../protocol/shop/shop-errors.js'
import type { ShopRouteName } from '../../protocol/shop/shop-routes.js'
import type { JsonReply, RefusalReply as RestRefusal, RestRequest, TextReply } from '../../web/rest/rest-reply.js'
import type { Segments } from './segments.js'

/** A request of a route that its schemas accept. */
export type ShopRequest = RestRequest

/** An answer with bytes, of which a client may ask for a part. */
export interface BytesReply {
  readonly kind: 'bytes'
  readonly segments: Segments
  readonly media: string
  /** The name to save it by. */
  readonly fileName: string
}

/** A refusal of the table of errors. */
export type RefusalReply = RestRefusal<ShopErrorName>

/** The answer of a route. */
export type ShopReply = JsonReply | BytesReply | TextReply | RefusalReply

/** The part that answers a route. */
export type ShopHandler = (request: ShopRequest) => Promise<ShopReply> | ShopReply

/** The handlers of routes by name. */
export type ShopHandlers = { readonly [Name in ShopRouteName]?: ShopHandler }
