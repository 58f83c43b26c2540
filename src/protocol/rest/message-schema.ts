/** Marks of a schema or of a field. "The document" is the interface document that the tables follow. */
export interface SchemaMarks {
  /** Meaning in a few words, as OpenAPI and the reference page print it. */
  readonly description?: string
  /** The field may be absent. */
  readonly isOptional?: true
  /** The field must be present where another field of its object has this value. */
  readonly neededWhen?: { readonly field: string, readonly is: string }
  /** Our choice: the document does not show the field, or not what is in it. A client does not count on it. */
  readonly isOurs?: true
  /** Our choice about something that the document shows, as a sentence. */
  readonly choice?: string
}

/**
 * Forms of a text. `date` is a day that exists, `days` the days of a buy link, `month` is `YYYY-MM`, `time` is ISO-8601
 * in UTC, `decimal` an exact decimal, `id` an id without spaces, `uuid`, `email` and `uri` are as usual. A client takes
 * a number for a `decimal` and an integer for an `id`.
 */
export type TextFormat = 'date' | 'days' | 'month' | 'time' | 'decimal' | 'id' | 'uuid' | 'email' | 'uri'

/** A text; `null` too where `isNullable`. */
export interface TextSchema extends SchemaMarks {
  readonly type: 'string'
  readonly format?: TextFormat
  /** The words that are allowed. A client passes other words through. */
  readonly enum?: readonly string[]
  readonly isNullable?: true
  /** A credential: errors show `***` in its place. */
  readonly isSecret?: true
  readonly minLength?: number
  readonly maxLength?: number
}

/** A number; an integer is at most 2^53 - 1. */
export interface NumberSchema extends SchemaMarks {
  readonly type: 'integer' | 'number'
  readonly minimum?: number
  readonly maximum?: number
}

/** An object. */
export interface ObjectSchema extends SchemaMarks {
  readonly type: 'object'
  /** Fields by name; none: an object of any fields. */
  readonly properties?: Readonly<Record<string, MessageSchema>>
  /** Another field is refused in a request. */
  readonly isClosed?: true
  /** The envelope of one list, which is ours: a client also takes the bare list for the field of this name. */
  readonly envelopeOf?: string
}

/** A list. */
export interface ListSchema extends SchemaMarks {
  readonly type: 'array'
  readonly items: MessageSchema
  readonly minItems?: number
  readonly maxItems?: number
}

/** A schema by its name: `Coverage#`. */
export interface NamedSchema extends SchemaMarks {
  readonly $ref: `${string}#`
}

/** True or false. */
export interface FlagSchema extends SchemaMarks {
  readonly type: 'boolean'
}

/** Any value of JSON. */
export interface AnySchema extends SchemaMarks {
  readonly type: 'any'
}

/** A schema that names no other one. */
export type OwnSchema = TextSchema | NumberSchema | ObjectSchema | ListSchema | FlagSchema | AnySchema

/**
 * A schema of a message: JSON Schema, with marks in place of `required`, `additionalProperties` and `nullable`.
 * `jsonSchema` says it in JSON Schema alone.
 */
export type MessageSchema = OwnSchema | NamedSchema

/** Schemas by the names that others have for them. */
export type NamedSchemas = Readonly<Record<string, MessageSchema>>

type Simplified<T> = { [Name in keyof T]: T[Name] }
type OptionalNames<P> = { [N in keyof P]: P[N] extends { readonly isOptional: true } ? N : never }[keyof P]
type OursNames<P> = { [N in keyof P]: P[N] extends { readonly isOurs: true } ? N : never }[keyof P]
type OrNull<S, T> = S extends { readonly isNullable: true } ? T | null : T

type StaticObject<P, All> = Simplified<
  & { readonly [N in Exclude<keyof P, OptionalNames<P>>]: Static<P[N], All> }
  & { readonly [N in OptionalNames<P>]?: Static<P[N], All> }
>

/** The type of what a schema describes, as a server sends it. `All` has the schemas by name. */
export type Static<S, All> =
  S extends { readonly $ref: `${infer Name}#` } ? Name extends keyof All ? Static<All[Name], All> : never
  : S extends { readonly enum: readonly (infer Word)[] } ? OrNull<S, Word>
  : S extends { readonly type: 'string' } ? OrNull<S, string>
  : S extends { readonly type: 'integer' | 'number' } ? number
  : S extends { readonly type: 'boolean' } ? boolean
  : S extends { readonly type: 'any' } ? unknown
  : S extends { readonly type: 'array', readonly items: infer Item } ? readonly Static<Item, All>[]
  : S extends { readonly properties: infer P } ? StaticObject<P, All>
  : S extends { readonly type: 'object' } ? Readonly<Record<string, unknown>>
  : never

type ReceivedObject<P, All> = Simplified<
  & { readonly [N in Exclude<keyof P, OptionalNames<P> | OursNames<P>>]: Received<P[N], All> }
  & { readonly [N in OptionalNames<P> | OursNames<P>]?: Received<P[N], All> }
>

/**
 * The type of what a client may count on in an answer: words are any text, and a field that is ours may be absent.
 */
export type Received<S, All> =
  S extends { readonly $ref: `${infer Name}#` } ? Name extends keyof All ? Received<All[Name], All> : never
  : S extends { readonly type: 'string' } ? OrNull<S, string>
  : S extends { readonly type: 'integer' | 'number' } ? number
  : S extends { readonly type: 'boolean' } ? boolean
  : S extends { readonly type: 'any' } ? unknown
  : S extends { readonly type: 'array', readonly items: infer Item } ? readonly Received<Item, All>[]
  : S extends { readonly properties: infer P } ? ReceivedObject<P, All>
  : S extends { readonly type: 'object' } ? Readonly<Record<string, unknown>>
  : never

/** The schema that a schema stands for: itself, or the one of `schemas` that it names. */
export function resolvedIn(schemas: NamedSchemas, schema: MessageSchema): OwnSchema {
  if (!('$ref' in schema)) return schema
  const name = schema.$ref.slice(0, -1)
  const named = Object.hasOwn(schemas, name) ? schemas[name] : undefined
  if (named === undefined) throw new Error(`No schema has the name ${name}`)
  return resolvedIn(schemas, named)
}
