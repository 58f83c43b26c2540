import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request of a route that its schemas accept. */
export interface RestRequest {
  /** Parameters of the path; numbers where their schema is of integers. */
  readonly path: Readonly<Record<string, string | number>>
  /** Parameters of the query, likewise. */
  readonly query: Readonly<Record<string, string | number>>
  /** The body: a value of JSON, a text, or the fields of a form; undefined: there is none. */
  readonly body: unknown
  /** Headers, names in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The origin of the server as this client reaches it: `http://127.0.0.1:8080`. */
  readonly origin: string
}

/** An answer with an object or a list of JSON. */
export interface JsonReply {
  readonly kind: 'json'
  /** A status of the route's `answers`; 202 gets its `Retry-After`. */
  readonly status: number
  readonly body: object
}

/** A page or another text. */
export interface TextReply {
  readonly kind: 'text'
  readonly status: number
  readonly media: string
  readonly text: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer without a body: 204. */
export interface EmptyReply {
  readonly kind: 'empty'
}

/** A refusal of the table of errors. */
export interface RefusalReply<ErrorName extends string = string> {
  readonly kind: 'refusal'
  readonly error: ErrorName
  /** One sentence; default: that of the table. Equal for things that must look alike. */
  readonly message?: string
  readonly details?: object
  /** Those of the table of errors: `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is sent by other means than the server's own, such as the parts of a file. */
export interface SentReply {
  readonly kind: 'sent'
  /** Sends it. Throws before its first byte: the answer is then 500; behind it the connection has been cut. */
  send(request: IncomingMessage, response: ServerResponse): Promise<unknown>
}

/** The answer of a route. */
export type RestReply = JsonReply | TextReply | EmptyReply | RefusalReply | SentReply

/** The part that answers a route. */
export type RestHandler = (request: RestRequest) => Promise<RestReply> | RestReply
