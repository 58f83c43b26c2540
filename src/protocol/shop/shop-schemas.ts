import { DOWNLOAD_SCHEMAS } from './download-schemas.js'
import { FIND_SCHEMAS } from './find-schemas.js'
import { PURCHASE_SCHEMAS } from './purchase-schemas.js'
import { jsonSchema } from '../rest/json-schema.js'
import {
  resolvedIn, type MessageSchema, type OwnSchema, type Received, type Static,
} from '../rest/message-schema.js'

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
export function shopSchema(name: ShopSchemaName): MessageSchema {
  return SHOP_SCHEMAS[name]
}

/** The schema that a schema stands for: itself, or the one that it names. */
export function resolvedSchema(schema: MessageSchema): OwnSchema {
  return resolvedIn(SHOP_SCHEMAS, schema)
}

/** Every object in JSON Schema, with its name as `$id`. */
export function jsonSchemas(): readonly object[] {
  return Object.entries(SHOP_SCHEMAS).map(([name, schema]) => ({ $id: name, ...jsonSchema(schema) }))
}
