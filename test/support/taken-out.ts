import { createServer, request as ask, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ShopRoute } from '../../src/protocol/shop/shop-routes.js'
import type { MessageSchema } from '../../src/protocol/rest/message-schema.js'
import { SHOP } from '../../src/protocol/shop/shop-tables.js'
import { answerOf, answerRow, errorsOf, routesOf } from './shop-rows.ts'

/** The row that servers lack at present: a field, a status or a header; null: none. */
export const takenOut: { row: string | null } = { row: null }

/** True for rows that can be taken out of a server. */
export const isTakable = (row: string): boolean => /^(?:field \S+\.\w+|answer \w+|error \w+|header \w+): /.test(row)

interface Answer { readonly status: number, readonly headers: IncomingHttpHeaders, readonly bytes: Buffer }

/** The answer of a server that lacks a row. */
function without(row: string, method: string, url: URL, answer: Answer): { status: number, headers: OutgoingHttpHeaders, bytes: Buffer } {
  const { status, bytes } = answer
  const lacking = (name: string): IncomingHttpHeaders => Object.fromEntries(Object.entries(answer.headers).filter(([one]) => one !== name))
  const { headers } = answer
  // Of a method that no route has, the answer is that of each of them.
  const routes = routesOf(url.pathname).filter((one) => status === 405 || one.method === method)
  const { name } = routes.find((one) => row.includes(` ${one.name}: `)) ?? routes[0] ?? {}
  if (name === undefined) return { status, headers, bytes }
  const route: ShopRoute = SHOP.routes[name]
  const isJson = headers['content-type'] === 'application/json'
  const body = isJson ? JSON.parse(bytes.toString()) as Record<string, unknown> : {}
  const given = status >= 400 ? undefined : answerOf(route, Object.fromEntries(url.searchParams), status, headers['content-type'] ?? '')
  if (row.startsWith(`header ${name}: `)) return { status, headers: lacking(row.slice(`header ${name}: `.length)), bytes }
  if (given !== undefined && answerRow(name, given) === row) return { status: 299, headers, bytes }
  if (status >= 400 && errorsOf(route, { status, headers: new Headers(headers as Record<string, string>), bytes, body }).some((error) => row === `error ${name}: ${error}`)) return { status: 499, headers, bytes }
  const schema = status >= 400 ? 'Failure' : given?.schema
  const [, field] = /^field (\S+): /.exec(row) ?? []
  if (!isJson || schema === undefined || field === undefined) return { status, headers, bytes }
  const text = Buffer.from(JSON.stringify(withoutField(schema, SHOP.schema(schema), body, field)))
  return { status, headers: { ...headers, 'content-length': text.length }, bytes: text }
}

/** A value without the fields of a place, as rows have it. */
function withoutField(place: string, schema: MessageSchema, value: unknown, field: string): unknown {
  if ('$ref' in schema) return withoutField(schema.$ref.slice(0, -1), SHOP.resolved(schema), value, field)
  if (schema.type === 'array') return Array.isArray(value) ? value.map((one) => withoutField(`${place}[]`, schema.items, one, field)) : value
  if (schema.type !== 'object' || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => {
    const own = schema.properties?.[name]
    return `${place}.${name}` === field ? [] : [[name, own === undefined ? one : withoutField(`${place}.${name}`, own, one, field)]]
  }))
}

/** Listens in front of a server, as one that lacks a row. */
export async function withoutRow(target: string, row: string): Promise<{ readonly url: string, readonly close: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    const inner = ask(target + url, { method, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => outgoing.destroy()).on('end', () => {
        const altered = without(row, method, new URL(url, target), { status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(pieces) })
        outgoing.writeHead(altered.status, altered.headers).end(altered.bytes)
      })
    })
    inner.on('error', () => outgoing.destroy())
    incoming.pipe(inner)
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => {
      server.close(() => { resolve() })
      server.closeAllConnections()
    }),
  }
}
