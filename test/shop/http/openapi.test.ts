import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { isPageRoute, partSchema } from '../../../src/protocol/rest/rest-requests.js'
import type { ShopRoute, ShopRouteName } from '../../../src/protocol/shop/shop-routes.js'
import { exampleOf } from '../../support/made-shop-handlers.ts'
import { madeShop, type MadeShop } from '../../support/made-shop.ts'

interface Response { readonly content?: Record<string, { schema: object }>, readonly headers?: Record<string, object> }
interface Operation {
  readonly operationId: string, readonly parameters?: readonly { readonly name: string, readonly in: string, readonly required: boolean, readonly schema: object }[]
  readonly requestBody?: Response, readonly responses: Record<string, Response>, readonly security: readonly object[]
}
interface Document { readonly openapi: string, readonly paths: Record<string, Record<string, Operation>>, readonly components: { schemas: Record<string, object>, securitySchemes: Record<string, object> } }

/** On a connection of its own: examples are checked for seconds without a pause, and the server ends what waits so long. */
const get = (url: string): Promise<globalThis.Response> => fetch(url, { headers: { connection: 'close' } })

let shop: MadeShop
let text = ''
let document: Document
beforeAll(async () => {
  shop = await madeShop()
  text = await (await get(`${shop.url}/openapi.json`)).text()
  document = JSON.parse(text) as Document
})
afterAll(() => shop.close())

const ROUTES = Object.entries(SHOP.routes) as (readonly [ShopRouteName, ShopRoute])[]
const operationOf = ({ method, path }: ShopRoute): Operation => document.paths[path]![method.toLowerCase()]!
const SCHEMAS = Object.keys(SHOP.schemas)
const isParameters = (name: string): boolean => name === 'PathParameters' || ROUTES.some(([, { query, headers }]) => query === name || headers === name)

describe('the document says what the tables say', () => {
  test('the two places have equal bytes, the second time too', async () => {
    for (const path of ['/.well-known/openapi.json', '/openapi.json']) {
      const response = await get(shop.url + path)
      expect([response.headers.get('content-type'), await response.text()]).toEqual(['application/json', text])
    }
    const other = await madeShop()
    expect(await (await get(`${other.url}/openapi.json`)).text()).toBe(text)
    await other.close()
    expect(document.openapi).toBe('3.1.0')
  })

  test('every route, and no other', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`))
    expect(found.sort()).toEqual(ROUTES.map(([name, { method, path }]) => `${name}: ${method} ${path}`).sort())
    expect(found.join()).not.toContain('realtime')
  })

  test.each(ROUTES)('parameters of %s', (_name, route) => {
    const expected = [['path', partSchema(SHOP.schemas, route, 'path')], ['query', partSchema(SHOP.schemas, route, 'query')], ['header', route.headers === undefined ? null : SHOP.schemas[route.headers]]] as const
    const wanted = expected.flatMap(([place, schema]) => Object.entries((schema as { properties?: Record<string, { isOptional?: true }> } | null)?.properties ?? {})
      .filter(([name]) => name !== 'content-type').map(([name, { isOptional }]) => `${place} ${name}${isOptional === true ? '' : ' needed'}`))
    expect((operationOf(route).parameters ?? []).map((one) => `${one.in} ${one.name}${one.required ? ' needed' : ''}`).sort()).toEqual(wanted.sort())
  })

  test.each(ROUTES)('the body of %s', (_name, route) => {
    const media = isPageRoute(route) ? 'application/x-www-form-urlencoded' : 'application/json'
    expect(operationOf(route).requestBody?.content).toEqual(route.body === undefined ? undefined : { [media]: { schema: { $ref: `#/components/schemas/${route.body}` } } })
  })

  test.each(ROUTES)('answers and errors of %s', (_name, route) => {
    const { responses } = operationOf(route)
    const errors = [...SHOP.commonErrors, ...route.errors].map((name) => SHOP.errors[name] as { status: number, headers?: readonly string[], isEmpty?: boolean })
    const isRanged = route.errors.includes('beyondEnd')
    const statuses = new Set([...route.answers.map(({ status }) => status), ...errors.map(({ status }) => status), ...isRanged ? [206] : []])
    expect(Object.keys(responses).map(Number)).toEqual([...statuses].sort((a, b) => a - b))
    for (const { status, schema, media = 'application/json' } of route.answers) {
      expect(Object.keys(responses[status]!.content ?? {})).toContain(media)
      if (schema !== undefined) expect(JSON.stringify(responses[status]!.content![media])).toContain(`"#/components/schemas/${schema}"`)
    }
    for (const [status, { content = {} }] of Object.entries(responses).filter(([one]) => Number(one) < 300)) {
      const wanted = route.answers.filter((one) => one.status === Number(status) || (status === '206' && one.status === 200 && one.media !== undefined))
      expect([status, Object.keys(content).sort()]).toEqual([status, [...new Set(wanted.map(({ media = 'application/json' }) => media))].sort()])
      const named = [...JSON.stringify(content).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name)
      expect(named).toEqual([...new Set(wanted.flatMap(({ schema }) => schema ?? []))])
    }
    for (const { status, headers = [], isEmpty = false } of errors) {
      expect(Object.keys(responses[status]!.headers ?? {})).toEqual(expect.arrayContaining([...headers]))
      const content = isPageRoute(route) ? { 'text/html': { schema: { type: 'string' } } } : { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } }
      expect(responses[status]!.content).toEqual(isEmpty ? undefined : content)
    }
    if (responses[202] !== undefined) expect(Object.keys(responses[202].headers ?? {})).toEqual(['retry-after'])
    if (responses[303] !== undefined) expect(Object.keys(responses[303].headers ?? {})).toEqual(['location'])
    if (isRanged) expect(Object.keys(responses[206]!.headers ?? {})).toEqual(['accept-ranges', 'etag', 'content-disposition', 'content-range'])
  })

  test('every object by its name, and no other', () => {
    expect(Object.keys(document.components.schemas)).toEqual(SCHEMAS.filter((name) => !isParameters(name)))
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const { $id: _id, ...wanted } = SHOP.jsonSchemas().find((one) => (one as { $id: string }).$id === name) as Record<string, unknown>
      expect(JSON.stringify(schema).replaceAll('#/components/schemas/', '')).toBe(JSON.stringify(wanted).replaceAll(/("\$ref":"\w+)#"/g, '$1"'))
    }
  })

  test('every reference leads somewhere', () => {
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
    expect(named.filter((name) => document.components.schemas[name] === undefined)).toEqual([])
    expect([...text.matchAll(/"\$ref":/g)]).toHaveLength(named.length)
  })

  test.each(SCHEMAS.filter((name) => !isParameters(name)))('an example of %s fits its schema', (name) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'document', ...document })
    const isRight = ajv.validate({ $ref: `document#/components/schemas/${name}` }, exampleOf(SHOP.schemas[name as keyof typeof SHOP.schemas]))
    expect([isRight, ajv.errors]).toEqual([true, null])
  })

  test('words of the classes, and the whole of a token', () => {
    const { parameters = [] } = operationOf(SHOP.routes.search)
    expect(parameters.find(({ name }) => name === 'class')?.schema).toMatchObject({ enum: Object.keys(SHOP.classes) })
    expect(operationOf(SHOP.routes.order).security).toEqual([{ downloadToken: [] }])
    expect(operationOf(SHOP.routes.account).security).toEqual([{}, { accountToken: [] }])
    expect(operationOf(SHOP.routes.search).security).toEqual([])
  })
})

describe('llms.txt', () => {
  test('has every route, parameter, field, word, error, limit and state', async () => {
    const response = await get(`${shop.url}/llms.txt`)
    const words = await response.text()
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const [, { method, path, summary }] of ROUTES) expect([path, words.includes(`${method} ${path}`), words.includes(summary)]).toEqual([path, true, true])
    for (const { condition, code = '' } of Object.values(SHOP.errors) as { condition: string, code?: string }[]) expect(words.includes(condition) && words.includes(code)).toBe(true)
    for (const { description, value } of Object.values(SHOP.limits)) expect(words).toContain(`${description}: ${value}`)
    for (const name of Object.keys(SHOP.machines)) expect(words).toContain(`- ${name}, shown as`)
    const fields = Object.values(SHOP.schemas).flatMap((schema) => Object.keys((schema as { properties?: object }).properties ?? {}))
    const isInPath = (name: string): boolean => Object.keys(SHOP.schemas.PathParameters.properties).includes(name)
    expect(fields.filter((name) => !words.includes(`\`${name}\``) && !isInPath(name))).toEqual([])
    expect(words.split('\n').filter((line) => /undefined|\[object/.test(line))).toEqual([])
  })
})
