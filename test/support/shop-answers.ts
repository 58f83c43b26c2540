import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { COMMON_ERRORS, type ShopErrorName } from '../../src/protocol/shop/shop-errors.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import type { ShopRouteName } from '../../src/protocol/shop/shop-routes.js'
import type { JsonReply } from '../../src/web/rest/rest-reply.js'
import type { RefusalReply, ShopHandlers, ShopReply, ShopRequest } from '../../src/shop/server/shop-reply.js'

const ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: SHOP.jsonSchemas().map(closed) as AnySchemaObject[] })

/** The schema with no other fields than those that it names: what we send is written down. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const named = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return Object.keys(named['properties'] ?? {}).length > 0 ? { ...named, additionalProperties: false } : named
}

export const SHOP_ORIGIN = 'http://127.0.0.1:8080'

/** The reply of a route, which must be one that the tables have for it. */
export async function shopReply(handlers: ShopHandlers, route: ShopRouteName, request: Partial<ShopRequest> = {}): Promise<ShopReply> {
  const handler = handlers[route]
  if (handler === undefined) throw new Error(`no handler of ${route}`)
  const reply = await handler({ path: {}, query: {}, body: undefined, headers: {}, origin: SHOP_ORIGIN, ...request })
  const { answers, errors } = SHOP.routes[route] as { answers: readonly { status: number, schema?: string, media?: string }[], errors: readonly ShopErrorName[] }
  if (reply.kind === 'refusal') {
    expect([...errors, ...COMMON_ERRORS]).toContain(reply.error)
    expect(Object.keys(reply.details ?? {}).sort()).toEqual([...(SHOP.errors[reply.error] as { details?: readonly string[] }).details ?? []].sort())
  } else if (reply.kind === 'json') {
    const faults = answers.filter(({ status, schema }) => status === reply.status && schema !== undefined).map(({ schema }) => {
      const isRight = ajv.validate(`${schema!}#`, reply.body)
      return isRight ? null : `${schema!}: ${ajv.errorsText()}`
    })
    expect(faults.length === 0 ? [`no answer ${String(reply.status)} of ${route}`] : faults).toContain(null)
  } else {
    const status = reply.kind === 'bytes' ? 200 : reply.status
    expect(answers.map((one) => `${String(one.status)} ${one.media ?? ''}`)).toContain(`${String(status)} ${reply.media}`)
  }
  return reply
}

/** The body of an answer of JSON with a status. */
export async function shopJson(handlers: ShopHandlers, route: ShopRouteName, request: Partial<ShopRequest> = {}, status = 200): Promise<Record<string, unknown>> {
  const reply = await shopReply(handlers, route, request)
  expect(reply).toMatchObject({ kind: 'json', status })
  return (reply as JsonReply).body as Record<string, unknown>
}

/** The refusal of a request. */
export async function shopRefusal(handlers: ShopHandlers, route: ShopRouteName, request: Partial<ShopRequest> = {}): Promise<RefusalReply> {
  const reply = await shopReply(handlers, route, request)
  expect(reply.kind).toBe('refusal')
  return reply as RefusalReply
}
