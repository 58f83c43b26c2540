import type { IncomingMessage } from 'node:http'
import { fault } from '../../model/fault.js'
import { entryOf, type RestRoute, type RestTables } from '../../protocol/rest/rest-tables.js'
import { readBody } from '../request-body.js'
import { fieldsOf } from './request-fields.js'
import { refusal, unreadable } from './rest-refusal.js'
import { FORM, TEXT_MEDIA, type BodyMedia } from './route-table.js'

/**
 * The body of a request: a value of JSON, a text, or the fields of a form. Throws a refusal for another media type, a
 * body over the limit, and one that is no JSON; null where the client has left. Without a body, where the route allows
 * it, an empty object.
 */
export async function requestBody(
  tables: RestTables, { isBodyOptional, bodyLimit = 'bodyBytes' }: RestRoute, request: IncomingMessage,
  media: BodyMedia,
): Promise<{ value: unknown } | null> {
  if (isBodyOptional === true && !hasBody(request)) return { value: {} }
  if (!isMedia(request, media)) throw refusal(tables, 'wrongMediaType')
  const body = await readBody(request, entryOf(tables.limits, bodyLimit).value)
  if (body === 'tooLong') throw refusal(tables, 'tooLarge')
  if (body === 'cutOff') return null
  const text = textOf(body)
  if (text === null)
    throw unreadable(tables, { ...fault('', 'text in UTF-8', null), found: 'other bytes' }, 'the body')
  if (media === TEXT_MEDIA) return { value: text }
  return { value: media === FORM ? fieldsOf(text) : jsonOf(tables, text) }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function isMedia({ headers }: IncomingMessage, media: BodyMedia): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers
  const [name = '', ...parameters] = type.toLowerCase().split(';').map((part) => part.trim())
  const isText = parameters.every((one) => !one.startsWith('charset=') || /^charset="?utf-8"?$/.test(one))
  return name === media && isText && encoding.toLowerCase() === 'identity'
}

function textOf(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return null
  }
}

function jsonOf(tables: RestTables, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The body may hold secrets: none of it is shown.
    const found = text.trim() === '' ? 'nothing' : 'other text'
    throw unreadable(tables, { ...fault('', 'JSON', null), found }, 'the body')
  }
}
