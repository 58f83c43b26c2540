import type { Fault } from '../../model/fault.js'
import type { NamedSchemas } from './message-schema.js'

/** An answer of a route that is no refusal. */
export interface RestAnswer {
  readonly status: number
  /** The object of a JSON answer. */
  readonly schema?: string
  /** The media type of any other answer; without this and `schema` the answer has no body. */
  readonly media?: string
  /** The parameters that ask for it: `zip=1&probe=1`; none: without any of the others. */
  readonly when?: string
  readonly choice?: string
}

/** An endpoint. Its own `errors` stand beside the common ones of its tables. */
export interface RestRoute {
  readonly method: 'GET' | 'POST'
  /** The path as the document writes it: `/api/instrument/{id}`. Its parameters are those of `PathParameters`. */
  readonly path: string
  readonly summary: string
  readonly query?: string
  readonly headers?: string
  readonly body?: string
  /** The media type of the body. Default: JSON, of pages a form. */
  readonly bodyMedia?: 'text/plain'
  /** A request may come without a body: as one of an empty object. */
  readonly isBodyOptional?: true
  /** The limit of the body's bytes. Default: `bodyBytes`. */
  readonly bodyLimit?: string
  readonly answers: readonly RestAnswer[]
  readonly errors: readonly string[]
  readonly bucket: string
  readonly credential: string
  readonly isOurs?: true
  readonly choice?: string
}

/** A refusal. */
export interface RestError {
  readonly status: number
  /** The `code` of the body; none: the body has no code. */
  readonly code?: string
  readonly condition: string
  /** The message of the body. */
  readonly sentence: string
  /** Fields of `details`. */
  readonly details?: readonly string[]
  readonly headers?: readonly string[]
  /** The answer has no body. */
  readonly isEmpty?: true
  readonly isOurs?: true
  readonly choice?: string
}

/** A limit. */
export interface RestLimit {
  readonly value: number
  readonly unit: string
  readonly description: string
  readonly isOurs?: true
  readonly choice?: string
}

/** The parts of a request that the tables have schemas of. */
export type RequestPart = 'path' | 'query' | 'body'

/** Rules beyond a schema: each gives the reason to refuse a part of a request, or null. */
export type PartRules = Partial<Record<RequestPart, (value: unknown) => Fault | null>>

/** The refusals that a server makes by itself: every table of errors has them. */
export type OwnRefusal =
  | 'invalidInput' | 'foreignPage' | 'notFound' | 'wrongMethod' | 'wrongMediaType' | 'tooLarge' | 'tooManyCalls'
  | 'failed'

/** The tables of an interface over HTTP: its server, its description, its reference page and tests are made of them. */
export interface RestTables {
  /** Objects on the wire by name; `PathParameters` has those of all paths. */
  readonly schemas: NamedSchemas
  readonly routes: Readonly<Record<string, RestRoute>>
  /** `invalidFields`, where it is there, is for fields that do not fit; else `invalidInput` is. */
  readonly errors: Readonly<Record<OwnRefusal, RestError>> & Readonly<Record<string, RestError>>
  /** The errors of every route, beside its own. */
  readonly commonErrors: readonly string[]
  readonly limits: Readonly<Record<'bodyBytes', RestLimit>> & Readonly<Record<string, RestLimit>>
  /** The limits of buckets of calls, each of an address; `general` is that of unknown paths. */
  readonly buckets: Readonly<Record<'general', string>> & Readonly<Record<string, string>>
  /** Rules of routes beyond their schemas. */
  readonly rules: Readonly<Record<string, PartRules | undefined>>
}

/** The entry of a name. Throws where there is none: a fault of the tables. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry {
  const entry = Object.hasOwn(table, name) ? table[name] : undefined
  if (entry === undefined) throw new Error(`The tables have no ${name}`)
  return entry
}

/** The calls a minute of a bucket. */
export function callsPerMinute({ buckets, limits }: Pick<RestTables, 'buckets' | 'limits'>, bucket: string): number {
  return entryOf(limits, entryOf(buckets, bucket)).value
}
