import { describe, expect, test } from 'vitest'
import type { MessageSchema } from '../../../src/protocol/rest/message-schema.js'
import type { ShopError } from '../../../src/protocol/shop/shop-errors.js'
import type { ShopRoute } from '../../../src/protocol/shop/shop-routes.js'
import { SHOP } from '../../../src/protocol/shop/shop-tables.js'
import { hasSharedData } from '../../support/shared-data.ts'
import { specSections } from '../../support/spec-document.ts'

/** Objects on the wire, by the section of the document that shows them; the section's tables show `tables`. */
const OBJECTS: readonly { readonly section: string, readonly schemas: readonly string[], readonly tables?: readonly string[] }[] = [
  { section: 'Search response', schemas: ['Search', 'SearchHit'], tables: ['Search', 'SearchHit'] },
  { section: 'Coverage response', schemas: ['Coverage', 'Gap'] },
  { section: 'Days list response', schemas: ['Days', 'DaySize'] },
  { section: 'Bundle list entry', schemas: ['Bundle'] },
  { section: 'Quote item (request)', schemas: ['QuoteItem'], tables: ['QuoteItem'] },
  { section: 'Quote response', schemas: ['Quote', 'AvailableItem', 'MissingItem', 'CheckoutHint'] },
  { section: 'Checkout request and response', schemas: ['CheckoutRequest', 'Checkout'] },
  { section: 'Checkout session status', schemas: ['Session'] },
  { section: 'Order', schemas: ['Order', 'OrderItem'] },
  { section: 'Free sample list', schemas: ['Sample'] },
]

/** Schemas that no section shows whole: their fields stand in rows of endpoints, or they are ours. */
const ELSEWHERE = [
  'SearchQuery', 'DaysQuery', 'CalendarQuery', 'StatisticsQuery', 'SampleQuery', 'DownloadQuery', 'RangeQuery',
  'QuoteRequest', 'CheckoutHeaders', 'CartQuery', 'BundleCartQuery', 'PathParameters', 'ExportFormat', 'Bundles',
  'Samples', 'DayState', 'ExportState', 'ArchiveState', 'ArchiveCounts', 'Preparing', 'Failure',
]

/** Names in a section that are of another one: "the `available` entries of the quote", `{id}` of a path. */
const OF_OTHERS = ['available', 'id', 'q', 'bundle_id']

const sections = hasSharedData ? specSections('1-market-data-shop-and-feed.md') : new Map<string, never>()

function section(name: string) {
  const found = sections.get(name)
  if (found === undefined) throw new Error(`The document has no section ${name}`)
  return found
}

const schemas: Readonly<Record<string, MessageSchema>> = SHOP.schemas
const routes: readonly ShopRoute[] = Object.values(SHOP.routes)

/** Every field of a schema with its path, without those of named schemas. */
function fieldsOf(schema: MessageSchema | undefined): (readonly [name: string, field: MessageSchema])[] {
  if (schema === undefined || '$ref' in schema) return []
  if (schema.type === 'array') return fieldsOf(schema.items)
  if (schema.type !== 'object') return []
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [[name, field] as const, ...fieldsOf(field)])
}

/** The names in a text that are fields: in backticks, or in the braces of a shape. Words of values are left out. */
function fieldNames(text: string): string[] {
  const shapes = [...text.matchAll(/\{([a-z_, :[\]]+)\}/g)].flatMap(([, inner = '']) => (
    inner.split(',').map((part) => part.split(':')[0]!.replace('[]', '').trim())))
  const quoted = [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name)
  return [...new Set([...shapes, ...quoted])].filter((name) => name !== '')
}

const isShown = (name: string, text: string): boolean => new RegExp(`(?<![a-z_])${name}(?![a-z_])`).test(text)
const isOfFeed = ([first = '']: readonly string[]): boolean => /^(realtime|feed|directory|access)\b/i.test(first)
/** A path of the document without its base address and its parameters. */
const plainPath = (text: string): string => /`?(\/[^`?]*)/.exec(text.replace('{base_url}', ''))![1]!

describe.skipIf(!hasSharedData)('the document has an entry for each of its rows', () => {
  test.each(OBJECTS.filter(({ tables }) => tables !== undefined))('fields and types of $section', ({ section: name, tables = [] }) => {
    const found = section(name).tables
    expect(found).toHaveLength(tables.length)
    for (const [at, schema] of tables.entries()) {
      const fields = new Map(fieldsOf(schemas[schema]))
      expect(found[at]!.map(([field]) => field).filter((field) => !fields.has(field!))).toEqual([])
      const types = found[at]!.map(([field, type = '']) => [field, /^\w+/.exec(type)![0]])
      const typeOf = (field: MessageSchema): string => '$ref' in field ? 'object' : field.type
      expect(found[at]!.map(([field]) => [field, typeOf(fields.get(field!)!)])).toEqual(types)
      const optional = found[at]!.filter(([, , notes = '']) => /^optional|\(default\)/.test(notes)).map(([field]) => field)
      expect([...fields].filter(([, field]) => field.isOptional).map(([field]) => field)).toEqual(optional)
    }
  })

  test.each(OBJECTS)('names in $section', ({ section: name, schemas: names }) => {
    const fields = new Set(names.flatMap((one) => fieldsOf(schemas[one]).map(([field]) => field)))
    const words = new Set(names.flatMap((one) => (
      fieldsOf(schemas[one]).flatMap(([, field]) => 'enum' in field ? field.enum ?? [] : []))))
    const isKnown = (field: string): boolean => fields.has(field) || words.has(field) || OF_OTHERS.includes(field)
    expect(fieldNames(section(name).text).filter((field) => !isKnown(field))).toEqual([])
  })

  test('endpoints', () => {
    const rows = ['Search and discovery (free, keyless)', 'Purchase', 'Buy links and descriptions']
      .flatMap((name) => section(name).tables.flat())
    expect(rows).toHaveLength(9 + 4 + 4)
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    const wanted = rows.map(([method = '', path = '']) => `${method} ${plainPath(path)}`)
    const prose = [...section('Download').text.matchAll(/`GET ([^`?]+)/g)].map(([, path = '']) => `GET ${path}`)
    expect(prose).toHaveLength(2)
    expect([...wanted, ...prose, 'GET /.well-known/openapi.json'].filter((one) => !known.has(one))).toEqual([])
  })

  test('parameters of search and discovery', () => {
    for (const [method, path = '', words = ''] of section('Search and discovery (free, keyless)').tables[0]!) {
      const route = routes.find((one) => one.method === method && one.path === plainPath(path))
      const names = [...words.replace(/\([^)]*\)/g, '').matchAll(/`([a-z]+)(?:=csv)?`/g)].map(([, name]) => name)
      expect([path, fieldsOf(schemas[route!.query ?? '']).map(([name]) => name)]).toEqual([path, names])
    }
  })

  test('parameters and answers of the download route', () => {
    const parameters = new Map(fieldsOf(schemas['DownloadQuery']))
    const when = SHOP.routes.download.answers.map((answer: { when?: string }) => answer.when ?? '')
    for (const [cell = ''] of section('Download').tables[0]!) {
      for (const [, name = '', value] of cell.matchAll(/(?<![\w(])([a-z]+)(?:=(\w+))?(?=[`&])/g)) {
        const parameter = parameters.get(name)
        expect([name, parameter === undefined]).toEqual([name, false])
        if (value !== undefined) expect([name, parameter !== undefined && 'enum' in parameter ? parameter.enum : []]).toEqual([name, [value]])
      }
      const asked = cell.replace(/\s*\(bundle mode\)/, '').replaceAll('`', '')
      if (!/complete|kind/.test(asked)) expect(when.filter((one) => one.includes(asked))).not.toEqual([])
    }
    const formats = /one of (.+?);/.exec(section('Download').text)![1]!
    expect(SHOP.schemas.ExportFormat.enum).toEqual([...formats.matchAll(/`([^`]+)`/g)].map(([, format]) => format))
  })

  test('parameters of the range', () => {
    const parameters = new Map(fieldsOf(schemas['RangeQuery']))
    const text = section('Download').text
    const names = [...text.slice(text.indexOf('range` with')).matchAll(/`([a-z]+)(?:=[^`]*)?`/g)].map(([, name]) => name!)
    expect(names).toEqual(['kind', 'from', 'to', 't', 'status', 'restore', 'manifest'])
    expect(names.filter((name) => !parameters.has(name))).toEqual([])
    expect([...parameters].filter(([name, field]) => !names.includes(name) && field.isOurs !== true)).toEqual([])
  })

  test('words of states', () => {
    const text = section('States and transitions').text
    const listed = (start: string): string[] => (
      [...text.slice(text.indexOf(start)).split('. ')[0]!.matchAll(/`(\w+)`/g)].map(([, word]) => word!))
    const days = listed('Download `status=1` values')
    expect(SHOP.schemas.DayState.properties.state.enum).toEqual(days)
    expect(SHOP.schemas.ExportState.properties.state.enum.filter((word) => word !== 'cold'))
      .toEqual(listed('Export `probe=1` values'))
  })

  test('credentials', () => {
    const rows = section('Authentication').tables[0]!.filter((row) => !isOfFeed(row))
    expect(rows).toHaveLength(3)
    const known = Object.values(SHOP.credentials).map((one) => 'row' in one ? one.row : undefined)
    expect(rows.map(([surface]) => surface).filter((surface) => !known.some((one) => one === surface))).toEqual([])
  })

  test('errors', () => {
    const rows = section('Errors').tables[0]!
    expect(rows).toHaveLength(10)
    const known = new Set(Object.values(SHOP.errors).map(errorRow))
    expect(rows.map(([status = '', code = '']) => `${status} ${code.replaceAll('`', '')}`).filter((one) => !known.has(one))).toEqual([])
  })

  test('limits', () => {
    const rows = section('Limits').tables[0]!.filter((row) => !isOfFeed(row))
    expect(rows).toHaveLength(12)
    const entries = Object.values(SHOP.limits).filter((one) => 'row' in one)
    for (const [name = '', value = ''] of rows) {
      const values = entries.filter(({ row }) => row === name).map((one) => one.unit === 'bytes' ? one.value / 1e9 : one.value)
      const shown = [...value.replace('about 1 month', 'about 30 days').matchAll(/\d+/g)].map(([digits]) => Number(digits))
      expect([name, values]).toEqual([name, shown.length === 0 ? [120] : shown])
    }
  })

  test('class words of a search', () => {
    const [row] = section('Search and discovery (free, keyless)').tables[0]!
    const [, inner = ''] = /`class` \(([^)]*)\)/.exec(row![2]!)!
    const words = [...inner.matchAll(/`(\w+)`/g)].map(([, word]) => word!)
    expect(Object.keys(SHOP.classes)).toEqual(words)
    expect(SHOP.classes.option).toEqual(['call', 'put'])
  })
})

function errorRow(error: ShopError): string {
  return `${error.status} ${error.row ?? error.code ?? 'none'}`
}

describe.skipIf(!hasSharedData)('each entry is in the document, or marked as ours', () => {
  test.each(OBJECTS)('fields of $section', ({ section: name, schemas: names }) => {
    const { text } = section(name)
    const own = names.flatMap((one) => fieldsOf(schemas[one]).map(([field, schema]) => ({ one, field, isOurs: schema.isOurs })))
    expect(own.filter(({ field, isOurs }) => isOurs !== true && !isShown(field, text))).toEqual([])
  })

  test('schemas', () => {
    const named = new Set([...OBJECTS.flatMap((one) => one.schemas), ...ELSEWHERE])
    expect(Object.entries(schemas).filter(([name, { isOurs }]) => isOurs !== true && !named.has(name)).map(([name]) => name)).toEqual([])
    expect([...named].filter((name) => !(name in schemas))).toEqual([])
  })

  test('fields of objects that are shown elsewhere', () => {
    const text = [...sections.values()].map((one) => one.text).join('\n')
    const own = ELSEWHERE.flatMap((one) => fieldsOf(schemas[one]).map(([field, schema]) => ({ one, field, isOurs: schema.isOurs })))
    const lower = text.toLowerCase()
    expect(own.filter(({ field, isOurs }) => isOurs !== true && !isShown(field, lower))).toEqual([])
  })

  test('endpoints', () => {
    const text = [...sections.values()].map((one) => one.text).join('\n')
    const shown = routes.filter(({ isOurs }) => isOurs !== true)
    expect(shown.filter(({ path }) => !text.includes(`${path}\``) && !text.includes(`${path}?`)).map(({ path }) => path)).toEqual([])
    expect(shown).toHaveLength(9 + 4 + 2 + 4 + 1)
  })

  test('errors', () => {
    const rows = section('Errors').tables[0]!.map(([status = '', code = '']) => `${status} ${code.replaceAll('`', '')}`)
    const errors: readonly ShopError[] = Object.values(SHOP.errors)
    expect(errors.filter((one) => one.isOurs !== true && !rows.includes(errorRow(one)))).toEqual([])
    expect(errors.filter((one) => one.isOurs === true && rows.includes(errorRow(one)))).toEqual([])
  })

  test('limits and credentials', () => {
    const rows = [...section('Limits').tables[0]!, ...section('Authentication').tables[0]!].map(([name]) => name)
    const entries: readonly { row?: string, isOurs?: true }[] = [...Object.values(SHOP.limits), ...Object.values(SHOP.credentials)]
    expect(entries.filter(({ row, isOurs }) => (isOurs === true) === (row !== undefined))).toEqual([])
    expect(entries.filter(({ row }) => row !== undefined && !rows.includes(row))).toEqual([])
  })
})
