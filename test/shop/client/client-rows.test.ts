import { describe, expect, test } from 'vitest'
import { RandomNumbers } from '../../../src/model/random.js'
import { COMMON_ERRORS, type ShopError, type ShopErrorName } from '../../../src/protocol/shop/shop-errors.js'
import type { ShopRoute } from '../../../src/protocol/shop/shop-routes.js'
import type { MessageSchema } from '../../../src/protocol/rest/message-schema.js'
import type { ShopSchemaName } from '../../../src/protocol/shop/shop-schemas.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { ShopAsker } from '../../../src/shop/client/shop-asker-client.js'
import type { ShopRefusedError } from '../../../src/shop/client/shop-failure.js'
import { exampleOf } from '../../support/made-shop-handlers.ts'
import { QuickClock } from '../../support/quick-clock.ts'
import { jsonAnswer, scriptedNetwork } from '../../support/scripted-network.ts'
import { clientRoutes } from '../../support/shop-rows.ts'

// Rows of the tables from the side of the client: what each answer and each refusal becomes, and what it becomes without one of its parts.

const CALLS = clientRoutes.map((name) => {
  const route: ShopRoute = SHOP.routes[name]
  const path = Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, one]) => [one!, /date/.test(one!) ? '2026-07-01' : 7]))
  return { name, route, call: { route: name, path, ...route.method === 'POST' ? { body: {}, headers: { 'idempotency-key': '1b4e28ba-2fa1-4d2e-883f-0016d3cca427' } } : {}, ...route.credential === 'none' ? {} : { token: 'token-1' } } } as const
})
const REFUSALS = CALLS.flatMap(({ name, route, call }) => [...new Set([...route.errors, ...COMMON_ERRORS])].map((error) => [`${name}: ${error}`, call, error] as const))
const ANSWERS = CALLS.flatMap(({ name, route: { answers }, call }) => answers.flatMap(({ schema, status, when = '' }) => schema === undefined ? [] : [[`${name}: ${String(status)} ${schema} ${when}`, call, status, schema] as const]))
const SCHEMAS = [...new Set(ANSWERS.map(([, , , schema]) => schema))]
const ERRORS: Readonly<Record<ShopErrorName, ShopError>> = SHOP.errors
const AFTER_SECONDS = 17

/** A client of one answer, which is given again and again. */
function asking(answer: () => Response): { asker: ShopAsker, clock: QuickClock, count: () => number } {
  const [clock, network] = [new QuickClock(), scriptedNetwork(answer)]
  const asker = new ShopAsker({ url: 'https://shop.example', clock, random: new RandomNumbers(1, 'rows', 0), network, answerMs: 20_000, attemptsMax: 2 })
  return { asker, clock, count: () => network.seen.length }
}

describe('a refusal', () => {
  test.each(REFUSALS)('%s', async (_name, call, name) => {
    const { status, code, details = [], headers = [], isEmpty } = ERRORS[name]
    const body = { error: { ...code === undefined ? {} : { code }, message: 'No.', ...details.length === 0 ? {} : { details: Object.fromEntries(details.map((one) => [one, 'x'])) } } }
    const stated = Object.fromEntries(headers.map((one) => [one, String(AFTER_SECONDS)]))
    const { asker, clock, count } = asking(() => isEmpty === true ? new Response(null, { status, headers: stated }) : jsonAnswer(body, status, stated))
    const refused = await asker.ask(call, 'Order').then(() => null, (error: unknown) => error as ShopRefusedError)
    expect([refused?.code, refused?.refusal]).toEqual(['SHOP_REFUSED', {
      status, shopCode: code ?? null, details: isEmpty === true ? {} : body.error.details ?? {}, retryAfterMs: headers.includes('retry-after') ? AFTER_SECONDS * 1000 : null,
    }])
    // Those that pass are asked again, after the time that they state.
    const isPassing = status === 429 || status >= 500
    expect([count(), clock.waits.some((ms) => ms >= AFTER_SECONDS * 1000 && ms < 20_000)]).toEqual([isPassing ? 2 : 1, status === 429])
  })
})

describe('an answer', () => {
  test.each(ANSWERS)('%s', async (_name, call, status, schema) => {
    const sample = exampleOf(SHOP.schema(schema))
    const { asker } = asking(() => jsonAnswer(sample, status, status === 202 ? { 'retry-after': String(AFTER_SECONDS) } : {}))
    expect(await asker.ask(call, schema)).toEqual({ status, answer: sample, retryAfterMs: status === 202 ? AFTER_SECONDS * 1000 : null })
  })
})

/** A field in an answer, and what a client makes of an answer without it. */
interface FieldPlace {
  readonly path: readonly (string | number)[]
  readonly type: string
  /** Without it, or with another type, the answer is refused. */
  readonly isNeeded: boolean
  readonly isCounted: boolean
}

/** The fields of a schema, with those in them. What is ours is not counted on. */
function placesOf(schema: MessageSchema, path: FieldPlace['path'] = [], isCounted = true): FieldPlace[] {
  const whole = '$ref' in schema ? SHOP.resolved(schema) : schema
  if (whole.type === 'array') return placesOf(whole.items, [...path, 0], isCounted)
  if (whole.type !== 'object') return []
  const example = exampleOf(whole) as Record<string, unknown>
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => {
    const { neededWhen } = field
    const isOurs = field.isOurs === true || !isCounted
    const isNeeded = !isOurs && (neededWhen === undefined ? field.isOptional !== true : example[neededWhen.field] === neededWhen.is)
    const type = '$ref' in field ? SHOP.resolved(field).type : field.type
    return [{ path: [...path, name], type, isNeeded, isCounted: !isOurs }, ...placesOf(field, [...path, name], !isOurs)]
  })
}

/** An example of a schema with another value in a place; undefined: without it. */
function changed(schema: ShopSchemaName, path: FieldPlace['path'], value: unknown): unknown {
  const whole = structuredClone(exampleOf(SHOP.schema(schema)))
  const around = path.slice(0, -1).reduce((one, name) => (one as Record<string | number, unknown>)[name], whole) as Record<string | number, unknown>
  const last = path.at(-1)!
  if (value === undefined) Reflect.deleteProperty(around, last)
  else around[last] = value
  return whole
}

describe.each(SCHEMAS)('the answer %s', (schema: ShopSchemaName) => {
  const [{ call }] = CALLS as unknown as readonly [typeof CALLS[number]]
  const taken = async (answer: unknown): Promise<string> => {
    try {
      await asking(() => jsonAnswer(answer)).asker.ask(call, schema)
      return 'taken'
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test.each(placesOf(SHOP.schema(schema)).map((place) => [place.path.join('.'), place] as const))('without %s, and with another type of it', async (_name, { path, type, isNeeded, isCounted }) => {
    const other = type === 'object' || type === 'array' ? 'x' : {}
    expect([await taken(changed(schema, path, undefined)), await taken(changed(schema, path, other))]).toEqual([isNeeded ? 'SHOP_ANSWER_INVALID' : 'taken', isCounted ? 'SHOP_ANSWER_INVALID' : 'taken'])
  })
})
