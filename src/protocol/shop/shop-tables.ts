import { SEARCH_CLASSES } from './search-classes.js'
import { SHOP_CREDENTIALS, type ShopCredentialPlace } from './shop-credentials.js'
import { COMMON_ERRORS, SHOP_ERRORS, type ShopError } from './shop-errors.js'
import { SHOP_BUCKETS, SHOP_LIMITS, type ShopLimit } from './shop-limits.js'
import { SHOP_RULES } from './shop-requests.js'
import { SHOP_ROUTES, type ShopRoute } from './shop-routes.js'
import { jsonSchema } from '../rest/json-schema.js'
import { jsonSchemas, resolvedSchema, SHOP_SCHEMAS, shopSchema } from './shop-schemas.js'
import { SHOP_MACHINES, type ShopMachine } from './shop-transitions.js'

/** Entries with their own types, each of which is an `Entry`. */
type Checked<Table, Entry> = { readonly [Name in keyof Table]: Table[Name] & Entry }

/**
 * Everything that spec 1 says of the shop, and our choices where it says nothing: client, server, OpenAPI, reference
 * page and tests are made of these tables.
 */
export const SHOP: {
  /** Objects on the wire by name. */
  readonly schemas: typeof SHOP_SCHEMAS
  readonly routes: Checked<typeof SHOP_ROUTES, ShopRoute>
  readonly errors: Checked<typeof SHOP_ERRORS, ShopError>
  /** The errors of every route, beside its own. */
  readonly commonErrors: typeof COMMON_ERRORS
  readonly limits: Checked<typeof SHOP_LIMITS, ShopLimit>
  readonly buckets: typeof SHOP_BUCKETS
  readonly credentials: Checked<typeof SHOP_CREDENTIALS, ShopCredentialPlace>
  readonly machines: Checked<typeof SHOP_MACHINES, ShopMachine>
  readonly rules: typeof SHOP_RULES
  /** Classes by the words of a search. */
  readonly classes: typeof SEARCH_CLASSES
  /** The schema of a name. */
  readonly schema: typeof shopSchema
  /** The schema that a schema stands for. */
  readonly resolved: typeof resolvedSchema
  readonly jsonSchema: typeof jsonSchema
  readonly jsonSchemas: typeof jsonSchemas
} = {
  schemas: SHOP_SCHEMAS, routes: SHOP_ROUTES, errors: SHOP_ERRORS,
  commonErrors: COMMON_ERRORS, limits: SHOP_LIMITS, buckets: SHOP_BUCKETS, credentials: SHOP_CREDENTIALS,
  rules: SHOP_RULES, classes: SEARCH_CLASSES, machines: SHOP_MACHINES, schema: shopSchema,
  resolved: resolvedSchema, jsonSchema, jsonSchemas,
}
