import { isPageRoute } from '../../protocol/rest/rest-requests.js'
import type { ShopError } from '../../protocol/shop/shop-errors.js'
import type { ShopLimit } from '../../protocol/shop/shop-limits.js'
import type { ShopAnswer, ShopRoute, ShopRouteName } from '../../protocol/shop/shop-routes.js'
import type { SchemaMarks, MessageSchema } from '../../protocol/rest/message-schema.js'
import type { ShopSchemaName } from '../../protocol/shop/shop-schemas.js'
import { SHOP } from '../../protocol/shop/shop-tables.js'
import type { ShopMachine } from '../../protocol/shop/shop-transitions.js'
import { hasRanges } from '../../web/rest/route-table.js'

const ROUTES: Readonly<Record<ShopRouteName, ShopRoute>> = SHOP.routes

/** The way from a search to the bytes. */
const STEPS: readonly string[] = [
  'Find an instrument: `GET /api/search?q=btc perp`. No route up to the quote needs a key.',
  'See its days: `GET /api/instrument/{id}/coverage`, `/days`, `/calendar?month=2024-08`.',
  'Price a basket: `POST /api/quote`. `missing` says what does not exist; `available` goes into the checkout as it is.',
  'Check out: `POST /v1/checkout/session` with an `Idempotency-Key` of this basket. A retry has the same key.',
  'Show `checkout_url` to a person, who pays there. A program does not fetch it.',
  'Poll `GET /v1/checkout/session/{session_id}` until `status` is `paid`. It has `order_id` and `download_token`.',
  'Read the order: `GET /v1/orders/{order_id}` with `Authorization: Bearer DOWNLOAD_TOKEN`.',
  'Download each day: `GET /api/download/order/{order_id}/{instrument_id}/{date}?t=DOWNLOAD_TOKEN`.',
]

/** The delivery, as sentences that no table has. */
const RULES: readonly string[] = [
  'A file is one instrument and one UTC day: JSON lines in zstd, the first line is the master data.',
  'Downloads have `Content-Length`, a strong `ETag` and `Accept-Ranges: bytes`. Resume by `Range` with `If-Range`.',
  'A 202 means: later. Wait its `Retry-After`, then ask again. It is JSON, never the bytes.',
  'A cold day is restored by `restore=1`; poll `status=1` until it is `ready`.',
  'The days of a bundle come as one archive: `kind=series_day&zip=1`, or `/range` for a window. Poll with ' +
    '`probe=1` or `status=1`, read `manifest=1`, then take the bytes with `complete=1`.',
  'The download token is the only credential of a guest order. Treat it as a password.',
]

let text: string | null = null

/** The text of `/llms.txt`: the whole delivery in words, made of the tables. */
export function deliveryText(): string {
  return text ??= [
    '# Market data shop', '> Historical tick data, one file an instrument and UTC day. Find, quote, buy, download.',
    '## Steps', STEPS.map((step, at) => `${at + 1}. ${step}`).join('\n'),
    '## Rules', RULES.map((rule) => `- ${rule}`).join('\n'),
    '## Descriptions', '- [OpenAPI 3.1](/openapi.json): every route, parameter, answer and error.',
    '## Endpoints', ...Object.values(ROUTES).filter((route) => !isPageRoute(route)).map(routeText),
    '## Buy links and pages', Object.values(ROUTES).filter(isPageRoute).map(pageLine).join('\n'),
    '## Objects', ...objectTexts(),
    '## Errors', 'The body is `{"error": {"code", "message", "details"}}`; `code` is absent where none stands here.',
    Object.values<ShopError>(SHOP.errors).map(errorLine).join('\n'),
    '## Limits', Object.values<ShopLimit>(SHOP.limits).map(limitLine).join('\n'),
    '## States', Object.entries<ShopMachine>(SHOP.machines).map(machineLine).join('\n'),
    '## Credentials',
    Object.entries(SHOP.credentials).map(([name, one]) => `- ${name}: ${one.credential}, ${one.where}`).join('\n'),
  ].join('\n\n') + '\n'
}

function routeText(route: ShopRoute): string {
  const { method, path, summary, query, headers, body, answers, errors, credential, bucket } = route
  const all = [...SHOP.commonErrors, ...errors].map((name) => SHOP.errors[name].status)
  const lines = [
    ...query === undefined ? [] : fieldLines(schemaOf(query)),
    ...headers === undefined ? [] : fieldLines(schemaOf(headers)),
    ...body === undefined ? [] : [`- body: ${body}`],
    ...answers.map(answerLine),
    ...hasRanges(route) ? ['- `Range` gives 206; HEAD is allowed'] : [],
    `- errors: ${[...new Set(all)].sort((a, b) => a - b).join(', ')}`,
    `- credential: ${credential}; calls a minute: ${SHOP.limits[SHOP.buckets[bucket]].value}`,
  ]
  return [`### ${method} ${path}`, `${summary}.${noteOf(route)}`, lines.join('\n')].join('\n\n')
}

function pageLine(route: ShopRoute): string {
  const { method, path, summary, query } = route
  return [`- ${method} ${path}: ${summary}.${noteOf(route)}`,
    ...query === undefined ? [] : fieldLines(schemaOf(query)).map((line) => `  ${line}`)].join('\n')
}

function answerLine({ status, schema, media, when, choice }: ShopAnswer): string {
  const asked = when === undefined ? '' : ` with \`${when}\``
  return `- ${status}${asked}: ${schema ?? media ?? ''}${noteOf({ choice })}`
}

function noteOf({ choice }: { readonly choice?: string | undefined }): string {
  return choice === undefined ? '' : ` (${choice})`
}

/** The objects that stand in bodies, with their fields. */
function objectTexts(): readonly string[] {
  const isParameter = (name: string): boolean => Object.values(ROUTES).some((one) => (
    one.query === name || one.headers === name)) || name === 'PathParameters'
  return Object.keys(SHOP.schemas).filter((name) => !isParameter(name)).map((name) => {
    const schema = schemaOf(name as ShopSchemaName)
    const lines = fieldLines(schema)
    return `### ${name}${lines.length === 0 ? `\n\n${typeWords(schema)}` : `\n\n${lines.join('\n')}`}`
  })
}

function fieldLines(schema: MessageSchema): readonly string[] {
  if (!('type' in schema) || schema.type !== 'object') return []
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const marks: SchemaMarks = field
    const words = [marks.description, marks.choice].filter((part) => part !== undefined).join('; ')
    const absent = marks.isOptional === true ? ', may be absent' : ''
    return `- \`${name}\` (${typeWords(field)}${absent})${words === '' ? '' : `: ${words}`}`
  })
}

function typeWords(schema: MessageSchema): string {
  if ('$ref' in schema) return schema.$ref.slice(0, -1)
  switch (schema.type) {
    case 'array': return `list of ${typeWords(schema.items)}`
    case 'object': {
      const names = Object.keys(schema.properties ?? {})
      return names.length === 0 ? 'object' : `object of ${names.join(', ')}`
    }
    case 'string': {
      const words = schema.enum?.map((word) => `\`${word}\``).join(' or ') ?? schema.format ?? 'text'
      return `${words}${schema.isNullable === true ? ' or null' : ''}`
    }
    default: return schema.type
  }
}

function errorLine({ status, code, condition, details, headers, choice }: ShopError): string {
  const parts = [...details ?? [], ...headers ?? []].map((part) => `\`${part}\``).join(', ')
  return `- ${status} ${code === undefined ? 'without code' : `\`${code}\``}: ${condition}` +
    `${parts === '' ? '' : `; ${parts}`}${noteOf({ choice })}`
}

function limitLine({ value, unit, description, choice }: ShopLimit): string {
  return `- ${description}: ${value} ${unit}${noteOf({ choice })}`
}

function machineLine([name, { shown, transitions }]: readonly [string, ShopMachine]): string {
  const moves = transitions.map(({ from, on, to }) => `${from} to ${to} on ${on}`).join(', ')
  return `- ${name}, shown as ${[...new Set(Object.values(shown))].join(', ')}: ${moves}`
}

function schemaOf(name: ShopSchemaName): MessageSchema {
  return SHOP.schemas[name]
}
