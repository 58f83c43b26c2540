import { DOWNLOAD_SCHEMAS } from './download-schemas.js'
import { FIND_SCHEMAS } from './find-schemas.js'
import { PURCHASE_SCHEMAS } from './purchase-schemas.js'
import type { Received, ShopFormat, ShopSchema, Static } from './shop-schema.js'

/** The types of the tables of schemas, joined. */
export type AllSchemas = typeof FIND_SCHEMAS & typeof PURCHASE_SCHEMAS & typeof DOWNLOAD_SCHEMAS

/** The name of an object on the wire. */
export type ShopSchemaName = keyof AllSchemas

/** Every object of the shop's messages by its name. */
export const SHOP_SCHEMAS: AllSchemas = { ...FIND_SCHEMAS, ...PURCHASE_SCHEMAS, ...DOWNLOAD_SCHEMAS }

/** An object as a server sends it: `Sent<'Quote'>`. */
export type Sent<Name extends ShopSchemaName> = Static<AllSchemas[Name], AllSchemas>

/** An object as a client may count on it: `Taken<'Quote'>`. */
export type Taken<Name extends ShopSchemaName> = Received<AllSchemas[Name], AllSchemas>

/** The schema of a name. */
export function shopSchema(name: ShopSchemaName): ShopSchema {
  return SHOP_SCHEMAS[name]
}

/** The schema that a schema stands for: itself, or the one that it names. */
export function resolvedSchema(schema: ShopSchema): Exclude<ShopSchema, { readonly $ref: string }> {
  if (!('$ref' in schema)) return schema
  const name = schema.$ref.slice(0, -1)
  if (!isSchemaName(name)) throw new Error(`No schema of the shop has the name ${name}`)
  return resolvedSchema(shopSchema(name))
}

function isSchemaName(name: string): name is ShopSchemaName {
  return Object.hasOwn(SHOP_SCHEMAS, name)
}

/** Patterns of the forms that JSON Schema has no `format` for. */
const PATTERNS: { readonly [Format in ShopFormat]?: string } = {
  days: '^[-0-9.,]*$', month: '^[0-9]{4}-(?:0[1-9]|1[0-2])$', decimal: '^[0-9]+(?:\\.[0-9]+)?$', id: '^[!-~]{1,200}$',
}

const FORMATS: { readonly [Format in ShopFormat]?: string } = {
  date: 'date', time: 'date-time', uuid: 'uuid', email: 'email', uri: 'uri',
}

/**
 * A schema in JSON Schema alone (2020-12, as OpenAPI 3.1 has it): the marks become `required`,
 * `additionalProperties` and types with `null`. References keep the form `Coverage#`, for schemas with `$id`.
 *
 * @example `jsonSchema({ type: 'string', isNullable: true })` is `{ minLength: 1, type: ['string', 'null'] }`
 */
export function jsonSchema(schema: ShopSchema): object {
  if ('$ref' in schema) return { $ref: schema.$ref }
  const { isOptional: _optional, isOurs: _ours, neededWhen: _needed, choice: _choice, ...rest } = schema
  switch (rest.type) {
    case 'string': return textSchema(rest)
    case 'array': return { ...rest, items: jsonSchema(rest.items) }
    case 'object': {
      const { isClosed, properties = {}, envelopeOf: _envelope, ...words } = rest
      const fields = Object.entries(properties)
      return {
        ...words, properties: Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field)])),
        required: fields.flatMap(([name, field]) => (field.isOptional === true ? [] : [name])),
        ...(isClosed === true ? { additionalProperties: false } : {}),
      }
    }
    default: return rest.type === 'integer' ? { maximum: Number.MAX_SAFE_INTEGER, ...rest } : rest
  }
}

function textSchema(schema: Extract<ShopSchema, { readonly type: 'string' }>): object {
  const { isNullable, isSecret: _secret, format, ...rest } = schema
  const isFree = format === undefined && rest.enum === undefined
  const named = format === undefined ? undefined : FORMATS[format]
  const pattern = format === undefined ? undefined : PATTERNS[format]
  return {
    ...isFree ? { minLength: 1 } : {}, ...rest, type: isNullable === true ? ['string', 'null'] : 'string',
    ...(named === undefined ? {} : { format: named }), ...(pattern === undefined ? {} : { pattern }),
  }
}

/** Every object in JSON Schema, with its name as `$id`. */
export function jsonSchemas(): readonly object[] {
  return Object.entries(SHOP_SCHEMAS).map(([name, schema]) => ({ $id: name, ...jsonSchema(schema) }))
}
