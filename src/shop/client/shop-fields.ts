import { isJsonObject } from '../../model/json-object.js'
import type { MessageSchema } from '../../protocol/rest/message-schema.js'
import type { ShopSchemaName, Taken } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'

/** A name of the wire as programs write it: `instrument_id` is `instrumentId`. */
type FieldName<Name> = Name extends `${infer Begin}_${infer Letter}${infer Rest}`
  ? `${Begin}${Uppercase<Letter>}${FieldName<Rest>}` : Name

type Fields<T> =
  T extends readonly (infer Item)[] ? readonly Fields<Item>[]
  : T extends object ? string extends keyof T ? T : { readonly [Name in keyof T as FieldName<Name>]: Fields<T[Name]> }
  : T

/** An object of a shop's answers with the names that programs write. */
export type ShopFields<Name extends ShopSchemaName> = Fields<Taken<Name>>

/** The fields of an answer with the names that programs write; objects without known fields stay as they are. */
export function fieldsOf<Name extends ShopSchemaName>(name: Name, answer: Taken<Name>): ShopFields<Name> {
  const fields = renamed(SHOP.schema(name), answer)
  if (isOf(name, fields)) return fields
  throw new Error(`The answer ${name} is no object`)
}

function isOf<Name extends ShopSchemaName>(_name: Name, fields: unknown): fields is ShopFields<Name> {
  return isJsonObject(fields)
}

function renamed(schema: MessageSchema, value: unknown): unknown {
  const named = SHOP.resolved(schema)
  if (named.type === 'array' && Array.isArray(value)) return value.map((item) => renamed(named.items, item))
  if (named.type !== 'object' || named.properties === undefined || !isJsonObject(value)) return value
  const { properties } = named
  return Object.fromEntries(Object.entries(value).map(([name, one]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [fieldName(name), field === undefined ? one : renamed(field, one)]
  }))
}

/** A name of the wire as programs write it. */
export function fieldName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Fields of an object that have a value: what is undefined is left out. */
export function given<T>(fields: { readonly [name: string]: T | undefined }): Record<string, T> {
  const there: Record<string, T> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) there[name] = value
  return there
}

/** The text of JSON of a value, bigints as their digits: for comparing two. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))
}
