import type { IncomingMessage } from 'node:http'
import { fault } from '../../model/fault.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import { readBody } from '../../web/request-body.js'
import { fieldsOf } from './request-fields.js'
import { FORM, type BodyMedia } from './route-table.js'
import { invalidInput, refusal } from './shop-refusal.js'

/**
 * The body of a request: a value of JSON, or the fields of a form. Throws a refusal for another media type, a body over
 * the limit, and one that is no JSON; null where the client has left.
 */
export async function requestBody(request: IncomingMessage, media: BodyMedia): Promise<{ value: unknown } | null> {
  if (!isMedia(request, media)) throw refusal('wrongMediaType')
  const body = await readBody(request, SHOP.limits.bodyBytes.value)
  if (body === 'tooLong') throw refusal('tooLarge')
  if (body === 'cutOff') return null
  const text = textOf(body)
  if (text === null) throw invalidInput({ ...fault('', 'text in UTF-8', null), found: 'other bytes' }, 'the body')
  return { value: media === FORM ? fieldsOf(text) : jsonOf(text) }
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The body may hold secrets: none of it is shown.
    throw invalidInput({ ...fault('', 'JSON', null), found: text.trim() === '' ? 'nothing' : 'other text' }, 'the body')
  }
}
