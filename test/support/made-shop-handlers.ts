import { shopSchema, type ShopSchemaName } from '../../src/protocol/shop/shop-schemas.js'
import type { TextFormat, MessageSchema } from '../../src/protocol/rest/message-schema.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import type { ShopRoute } from '../../src/protocol/shop/shop-routes.js'
import { segmentsOf } from '../../src/shop/server/segments.js'
import type { ShopHandlers, ShopReply, ShopRequest } from '../../src/shop/server/shop-reply.js'

const TEXTS: { readonly [Format in TextFormat]: string } = {
  date: '2024-08-08', days: '2024-08-08', month: '2024-08', time: '2024-08-08T12:00:00Z', decimal: '1.00', id: 'ord_1', uuid: '00000000-0000-4000-8000-000000000000',
  email: 'me@example.org', uri: 'http://127.0.0.1/shop',
}

/** A value that a schema accepts, with every field. */
export function exampleOf(schema: MessageSchema): unknown {
  if ('$ref' in schema) return exampleOf(shopSchema(schema.$ref.slice(0, -1) as ShopSchemaName))
  switch (schema.type) {
    case 'object': return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, field]) => [name, exampleOf(field)]))
    case 'array': return [exampleOf(schema.items)]
    case 'string': return schema.enum?.[0] ?? (schema.format === undefined ? 'text' : TEXTS[schema.format])
    case 'integer': case 'number': return schema.minimum ?? 0
    default: return true
  }
}

/** The bytes of every download here. */
export const BYTES = 'bytes of a day'

/** Handlers of every route: each remembers its request in `asked` and gives the first answer of its table. */
export function madeHandlers(asked: (readonly [name: string, request: ShopRequest])[] = []): ShopHandlers {
  const routes: readonly (readonly [string, ShopRoute])[] = Object.entries(SHOP.routes)
  return Object.fromEntries(routes.map(([name, route]) => [name, (request: ShopRequest) => {
    asked.push([name, request])
    return madeReply(route)
  }]))
}

function madeReply(route: ShopRoute): ShopReply {
  const [{ status, schema, media = '' }] = route.answers as [ShopRoute['answers'][number]]
  if (schema !== undefined) return { kind: 'json', status, body: exampleOf(shopSchema(schema)) as object }
  if (route.errors.includes('beyondEnd')) return { kind: 'bytes', segments: segmentsOf([Buffer.from(BYTES)]), media, fileName: 'a day.txt.zst' }
  return { kind: 'text', status, media, text: 'text', ...status === 303 ? { headers: { location: '/shop' } } : {} }
}
