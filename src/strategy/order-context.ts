import { BacktapeError } from '../model/error.js'
import { foundText } from '../model/fault.js'
import type { Context } from '../model/order.js'

/** Levels that the context of an order may have: a circle has no end. */
const DEPTH_LIMIT = 64

/**
 * Terms of a request with their context as plain JSON: a member that is `undefined` is left out, and in a list it is
 * null. Throws OPTION_INVALID, with the path, for what JSON cannot hold.
 */
export function withPlainContext<Terms extends { readonly context?: Context | null }>(
  verb: 'place' | 'amend' | 'replace', terms: Terms,
): Terms {
  const { context } = terms
  if (context === undefined || context === null) return terms
  return { ...terms, context: plainJson(context, 'context', verb, DEPTH_LIMIT) as Context }
}

function plainJson(value: unknown, path: string, verb: string, depth: number): unknown {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return value
  if (typeof value !== 'object' || depth === 0) throw refusal(path, verb, value)
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return plainJson(toJSON.call(value, ''), path, verb, depth - 1)
  if (Array.isArray(value)) return Array.from(value, (one, at) => plainJson(one, `${path}[${at}]`, verb, depth - 1))
  // Maps and the like have no members that JSON would see.
  if (Object.prototype.toString.call(value) !== '[object Object]') throw refusal(path, verb, value)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, plainJson(member, `${path}.${name}`, verb, depth - 1)]),
  )
}

function refusal(field: string, verb: string, value: unknown): BacktapeError {
  const expected = `JSON of at most ${DEPTH_LIMIT} levels`
  const found = value instanceof Object && Object.prototype.toString.call(value) !== '[object Object]'
    ? Object.prototype.toString.call(value).slice(8, -1)
    : foundText(value)
  return new BacktapeError('OPTION_INVALID', `Cannot ${verb} an order: ${field} must be ${expected}, found ${found}`, {
    field, expected, found,
  })
}
