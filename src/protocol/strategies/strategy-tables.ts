import type { RestTables } from '../rest/rest-tables.js'
import { STRATEGY_COMMON_ERRORS, STRATEGY_ERRORS } from './strategy-errors.js'
import { STRATEGY_BUCKETS, STRATEGY_LIMITS } from './strategy-limits.js'
import { STRATEGY_ROUTES, type StrategyRoute } from './strategy-routes.js'
import { STRATEGY_SCHEMAS } from './strategy-schemas.js'

/**
 * Everything that spec 3 says of the REST API of a strategy server, and our choices where it says nothing: server,
 * OpenAPI, reference page and tests are made of these tables.
 */
export const STRATEGIES: RestTables & { readonly routes: Readonly<Record<string, StrategyRoute>> } = {
  schemas: STRATEGY_SCHEMAS, routes: STRATEGY_ROUTES, errors: STRATEGY_ERRORS, commonErrors: STRATEGY_COMMON_ERRORS,
  limits: STRATEGY_LIMITS, buckets: STRATEGY_BUCKETS, rules: {},
}
