import type { ShopErrorName } from '../../protocol/shop/shop-errors.js'
import type { ShopRouteName } from '../../protocol/shop/shop-routes.js'
import type { Segments } from './segments.js'

/** A request of a route that its schemas accept. */
export interface ShopRequest {
  /** Parameters of the path; numbers where their schema is of integers. */
  readonly path: Readonly<Record<string, string | number>>
  /** Parameters of the query, likewise. */
  readonly query: Readonly<Record<string, string | number>>
  /** The body: an object of JSON, or the fields of a form; undefined: there is none. */
  readonly body: unknown
  /** Headers, names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The origin of the shop as this client reaches it: `http://127.0.0.1:8080`. */
  readonly origin: string
}

/** An answer with an object of JSON. */
export interface JsonReply {
  readonly kind: 'json'
  /** A status of the route's `answers`; 202 gets its `Retry-After`. */
  readonly status: number
  readonly body: object
}

/** An answer with bytes, of which a client may ask for a part. */
export interface BytesReply {
  readonly kind: 'bytes'
  readonly segments: Segments
  readonly media: string
  /** The name to save it by. */
  readonly fileName: string
}

/** A page or another text. */
export interface TextReply {
  readonly kind: 'text'
  readonly status: number
  readonly media: string
  readonly text: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal of the table of errors. */
export interface RefusalReply {
  readonly kind: 'refusal'
  readonly error: ShopErrorName
  /** One sentence; default: that of the table. Equal for things that must look alike. */
  readonly message?: string
  readonly details?: object
}

/** The answer of a route. */
export type ShopReply = JsonReply | BytesReply | TextReply | RefusalReply

/** The part that answers a route. */
export type ShopHandler = (request: ShopRequest) => Promise<ShopReply> | ShopReply

/** The handlers of routes by name. */
export type ShopHandlers = { readonly [Name in ShopRouteName]?: ShopHandler }
