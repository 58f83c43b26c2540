import { fault, type Fault } from '../../model/fault.js'
import { dayText, epochDayFromText } from '../../model/time.js'
import type { PartRules } from '../rest/rest-tables.js'
import { DAYS_WORDS, schemaFault } from '../rest/schema-check.js'
import { SHOP_LIMITS } from './shop-limits.js'
import { SHOP_ROUTES, type ShopRouteName } from './shop-routes.js'
import { SHOP_SCHEMAS, shopSchema, type Sent, type ShopSchemaName } from './shop-schemas.js'

/** The words of a return URL that stand for the session's id. */
export const RETURN_PLACEHOLDER = '{CHECKOUT_SESSION_ID}'

/** The first thing in a request that its schema refuses, or null. */
export function requestFault(name: ShopSchemaName, value: unknown): Fault | null {
  return schemaFault(SHOP_SCHEMAS, shopSchema(name), value, '')
}

/** True where {@link requestFault} finds nothing. */
export function isRequest<Name extends ShopSchemaName>(name: Name, value: unknown): value is Sent<Name> {
  return requestFault(name, value) === null
}

/** The reason to refuse the body of a quote, or null: items, days that exist, 20 instruments, no item twice. */
export function quoteFault(body: unknown): Fault | null {
  return isRequest('QuoteRequest', body) ? basketFault(body.items) : requestFault('QuoteRequest', body)
}

function basketFault(items: readonly Sent<'QuoteItem'>[]): Fault | null {
  const most = SHOP_LIMITS.quoteInstruments.value
  const seen = new Set<string>()
  const goods = new Set<string>()
  for (const [at, { instrument_id: id, date, kind = 'tick' }] of items.entries()) {
    const key = `${kind} ${id} ${date}`
    if (seen.has(key)) return fault(`items[${at}]`, 'each item once', items[at])
    seen.add(key)
    goods.add(`${kind} ${id}`)
  }
  return goods.size <= most ? null : fault('items', `at most ${most} instruments or bundles`, goods.size)
}

/**
 * The reason to refuse a checkout, or null. `key` is its `Idempotency-Key`, `origin` the origin of the shop:
 * `http://127.0.0.1:8080`.
 */
export function checkoutFault(body: unknown, key: string | undefined, origin: string): Fault | null {
  const keyFault = schemaFault(SHOP_SCHEMAS, { type: 'string', format: 'uuid' }, key, 'Idempotency-Key')
  if (keyFault !== null) return keyFault
  if (!isRequest('CheckoutRequest', body)) return requestFault('CheckoutRequest', body)
  return basketFault(body.items) ?? returnUrlFault('success_url', body.success_url, origin) ??
    returnUrlFault('cancel_url', body.cancel_url, origin)
}

/**
 * The reason to refuse a return URL, or null: it must be an absolute URL of the shop's origin, compared after parsing.
 * A user, a backslash, a space or a control character is refused, as programs differ in how they read them.
 *
 * @example `returnUrlFault('cancel_url', 'http://a.example/', 'http://b.example')` is a fault
 */
export function returnUrlFault(path: string, url: string, origin: string): Fault | null {
  const expected = `a URL of ${origin}`
  const isOdd = /[\\\s\p{Cc}\p{Cf}]/u.test(url) || !/^https?:\/\/[^/]/i.test(url)
  if (isOdd || !URL.canParse(url)) return fault(path, expected, url)
  const parsed = new URL(url)
  const isPlain = parsed.username === '' && parsed.password === '' && !/^https?:\/\/[^/?#]*@/i.test(url)
  return isPlain && parsed.origin === new URL(origin).origin ? null : fault(path, expected, url)
}

/** A return URL that was checked, with its placeholder filled. */
export function filledReturnUrl(url: string, sessionId: string): string {
  return url.replaceAll(RETURN_PLACEHOLDER, encodeURIComponent(sessionId))
}

/** The reason to refuse the parameters of a download, or null. */
export function downloadFault(query: unknown): Fault | null {
  if (!isRequest('DownloadQuery', query)) return requestFault('DownloadQuery', query)
  const { status, restore, format, probe, kind, zip, manifest, complete } = query
  const modes = given({ status, restore, format, zip, manifest })
  if (modes.length > 1) return fault(modes.join(' and '), 'one of them', modes.length)
  const [mode] = modes
  if (kind !== undefined && mode !== 'zip' && mode !== 'manifest' && mode !== 'status')
    return fault('kind', 'with zip=1, manifest=1 or status=1', mode)
  if (kind === undefined && (mode === 'zip' || mode === 'manifest')) return fault(mode, 'with kind=series_day', kind)
  if (probe !== undefined && mode !== 'zip' && mode !== 'format') return fault('probe', 'with zip=1 or format', mode)
  return complete !== undefined && mode !== 'zip' ? fault('complete', 'with zip=1', mode) : null
}

/** Names of the parameters that are there. */
function given(parameters: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(parameters).filter((name) => parameters[name] !== undefined)
}

/** The reason to refuse the parameters of a range, or null. */
export function rangeFault(query: unknown): Fault | null {
  if (!isRequest('RangeQuery', query)) return requestFault('RangeQuery', query)
  const { from, to, status, restore, manifest } = query
  const modes = given({ status, restore, manifest })
  if (modes.length > 1) return fault(modes.join(' and '), 'one of them', modes.length)
  const days = dayCount(from, to)
  const most = SHOP_LIMITS.rangeDays.value
  return days >= 1 && days <= most ? null : fault('to', `1 to ${most} days from ${from}`, to)
}

/** Days from one date that exists to another, both included. */
function dayCount(from: string, to: string): number {
  return (epochDayFromText(to) ?? NaN) - (epochDayFromText(from) ?? NaN) + 1
}

/**
 * The days of a buy link, each once, oldest first: `<from>..<to>`, a comma list of days, or both mixed; or why not.
 * `span`: days from the first to the last at most.
 *
 * @example `buyLinkDays('2024-08-08,2024-08-01..2024-08-02')` is `['2024-08-01', '2024-08-02', '2024-08-08']`
 */
export function buyLinkDays(text: string, span: number = SHOP_LIMITS.linkSpan.value): readonly string[] | Fault {
  const days = new Set<number>()
  if (text.length > 20_000) return fault('d', 'at most 20000 characters', text.length)
  for (const part of text.split(',')) {
    const [from = '', to = from, more] = part.split('..')
    const [first, last] = [epochDayFromText(from), epochDayFromText(to)]
    if (first === null || last === null || more !== undefined)
      return fault('d', DAYS_WORDS, part)
    if (last < first || last - first >= span) return fault('d', `a range of 1 to ${span} days`, part)
    for (let day = first; day <= last; day++) days.add(day)
  }
  const sorted = [...days].sort((a, b) => a - b)
  const whole = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) + 1
  return whole <= span ? sorted.map(dayText) : fault('d', `at most ${span} days from the first to the last`, whole)
}

/**
 * The path of a route with its parameters, and the query behind it. Absent values are left out.
 *
 * @example `callPath('days', { id: 5 }, { limit: 3 })` is `/api/instrument/5/days?limit=3`
 */
export function callPath(
  route: ShopRouteName, parameters: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const path = SHOP_ROUTES[route].path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = parameters[name]
    // Every client resolves dots away, escaped ones too.
    if (value === undefined || value === '.' || value === '..') throw new Error(`The path of ${route} needs ${name}`)
    return encodeURIComponent(value)
  })
  const pairs = Object.entries(query).flatMap(([name, value]) => (
    value === undefined ? [] : [`${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`]))
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Rules beyond a schema. Of a checkout {@link checkoutFault} knows more. */
export const SHOP_RULES: { readonly [Name in ShopRouteName]?: PartRules } = {
  quote: { body: quoteFault }, download: { query: downloadFault }, range: { query: rangeFault },
}
