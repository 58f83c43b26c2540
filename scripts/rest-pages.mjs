// The pages of the interfaces over HTTP, made of their tables.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './project.mjs'
import { cell } from './schema-page.mjs'

const OURS = '**our choice**'

/** Our choices of an entry as a cell: the whole entry, or the sentence about it. */
function choice({ isOurs, choice: words }) {
  return [isOurs === true ? OURS : '', words === undefined ? '' : `${isOurs === true ? '' : `${OURS}: `}${words}`]
    .filter((part) => part !== '').join(': ')
}

function table(head, rows) {
  const lines = rows.map((row) => `| ${row.map(cell).join(' | ')} |`)
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines].join('\n')
}

const RANGE = (least, most) => (least === undefined && most === undefined ? '' : ` ${least ?? ''}..${most ?? ''}`)

function typeWords(schema) {
  if (schema.$ref !== undefined) return schema.$ref.slice(0, -1)
  const { type, items, enum: words, format, isNullable, minimum, maximum, minItems, maxItems } = schema
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ')
  if (type === 'array') return `list of ${typeWords(items)}${RANGE(minItems, maxItems)}`
  const range = maximum === undefined ? '' : RANGE(minimum, maximum)
  return `${type === 'string' ? format ?? 'text' : type}${range}${isNullable === true ? ' or null' : ''}`
}

function fieldRows({ properties = {} }, path = '') {
  return Object.entries(properties).flatMap(([name, field]) => [
    [`\`${path}${name}\`${field.isOptional === true ? ' (may be absent)' : ''}`, typeWords(field),
      field.description ?? '', choice(field)],
    ...fieldRows(field.type === 'array' ? field.items : field, `${path}${name}.`),
  ])
}

function objectText([name, schema]) {
  const ours = choice(schema)
  const rows = fieldRows(schema)
  const fields = rows.length === 0 ? `${schema.description}: ${typeWords(schema)}.`
    : table(['field', 'type', 'meaning', 'ours'], rows)
  return [`### ${name}`, ...(ours === '' ? [] : [`${ours}.`]), fields].join('\n\n')
}

const named = (name) => `[${name}](#${name.toLowerCase()})`

function answerWords({ schema, media }) {
  if (schema !== undefined) return named(schema)
  return media === undefined ? 'no body' : `\`${media}\``
}

function routeText([, route]) {
  const { method, path, summary, query, headers, body, answers, errors, bucket, credential } = route
  const needs = [['parameters', query], ['headers', headers], ['body', body]]
    .flatMap(([word, name]) => (name === undefined ? [] : [`${word} ${named(name)}`]))
  const refusals = errors.length === 0 ? [] : [`errors: ${errors.join(', ')}`]
  const lines = [
    summary + '.', ...(choice(route) === '' ? [] : [`${choice(route)}.`]),
    `${[...needs, `credential: ${credential}`, `bucket: ${bucket}`, ...refusals].join('; ')}.`,
    table(['status', 'answer', 'asked by', 'ours'], answers.map((one) => [
      String(one.status), answerWords(one),
      one.when === undefined ? '' : `\`${one.when}\``, choice(one),
    ])),
  ]
  return [`### ${method} ${path}`, ...lines].join('\n\n')
}

function machineText([name, { shown, transitions }]) {
  const rows = transitions.map((one) => [
    `\`${one.from}\``, `\`${shown[one.from]}\``, one.after === undefined ? `\`${one.on}\`` : timeWords(one.after),
    `\`${one.to}\``, choice(one),
  ])
  return `### State of ${name}\n\n${table(['state', 'shown', 'on', 'next', 'ours'], rows)}`
}

const timeWords = ({ limit, of }) => `\`${limit}\` after ${of === 'start' ? 'its start' : 'the state began'}`

function errorsText({ errors }) {
  const rows = Object.entries(errors).map(([name, one]) => [
    name, String(one.status), one.code === undefined ? 'none' : `\`${one.code}\``, one.condition,
    [...one.details ?? [], ...one.headers ?? []].map((word) => `\`${word}\``).join(', '), choice(one),
  ])
  return table(['name', 'status', 'code', 'when', 'details and headers', 'ours'], rows)
}

function limitsText({ limits }) {
  return table(['limit', 'value', 'unit', 'ours'], Object.values(limits)
    .map((one) => [one.description, one.value.toLocaleString('en'), one.unit, choice(one)]))
}

function parametersText({ schemas }) {
  return table(['parameter', 'type', 'meaning', 'ours'], fieldRows(schemas.PathParameters))
}

function commonText({ commonErrors, errors }) {
  const statuses = commonErrors.map((name) => errors[name].status)
  return `${statuses.slice(0, -1).join(', ')} and ${statuses.at(-1)}`
}

function objectsText({ schemas }) {
  return Object.entries(schemas).filter(([name]) => name !== 'PathParameters').map(objectText).join('\n\n')
}

/** Everything of the REST API of a strategy server on the wire. */
export async function strategyWireText() {
  const load = (name) => import(pathToFileURL(join(root, 'dist/protocol/strategies', name)).href)
  const { STRATEGIES } = await load('strategy-tables.js')
  const { INSTANCE_STATES, INSTANCE_TRANSITIONS } = await load('instance-states.js')
  const states = Object.entries(INSTANCE_STATES).map(([name, meaning]) => [`\`${name}\``, meaning])
  const changes = INSTANCE_TRANSITIONS.map(({ from, on, to }) => [
    from.map((state) => `\`${state}\``).join(', '), `\`${on}\``, to === null ? 'gone' : `\`${to}\``,
  ])
  return `The REST API of the vendor's strategy server (spec 3). The document names eight requests and the fields of an
instance's configuration; it shows no bodies, errors, states and limits. These are ours, as is what is marked ${OURS}.

Bodies are JSON in UTF-8, but for the message that is sent to a channel. An error is
\`{"error": {"code", "message", "details"}}\`. Every route may also answer ${commonText(STRATEGIES)}.
Other parameters and fields than those shown are refused.

## Endpoints

${Object.entries(STRATEGIES.routes).map(routeText).join('\n\n')}

Parameters in paths:

${parametersText(STRATEGIES)}

## States of an instance

${table(['state', 'meaning'], states)}

${table(['state', 'on', 'next'], changes)}

## Errors

${errorsText(STRATEGIES)}

## Limits

${limitsText(STRATEGIES)}

## Objects

${objectsText(STRATEGIES)}`
}

/** Everything of the shop on the wire. */
export async function shopWireText() {
  const { SHOP } = await import(pathToFileURL(join(root, 'dist/protocol/shop/shop-tables.js')).href)
  const credentials = Object.entries(SHOP.credentials)
    .map(([name, one]) => [name, one.credential, one.where, choice(one)])
  const classes = Object.entries(SHOP.classes)
    .map(([word, of]) => `\`${word}\`${of[0] === word ? '' : ` (${of.join(' + ')})`}`)
  return `The shop of the vendor's document (spec 1). Where the document does not show
something, the line is marked ${OURS}: our server does exactly this, and our client takes other forms too. A client
must not count on it elsewhere. Fields and words that a client does not know pass through.

Bodies are JSON in UTF-8. Days are UTC. Realtime days (49 and 99 EUR) have no purchase route in the document.
The feed reads the realtime key and the days of an account, by the server's clock. \`/mcp\` has no interface shown
and is absent.
Every route may also answer ${commonText(SHOP)}. Other parameters than those shown are refused, except on pages.

## Endpoints

${Object.entries(SHOP.routes).map(routeText).join('\n\n')}

Parameters in paths:

${parametersText(SHOP)}

Classes of a search: ${classes.join(', ')}.

## Credentials

${table(['name', 'credential', 'where', 'ours'], credentials)}

## Errors

${errorsText(SHOP)}

## Limits

${limitsText(SHOP)}

## States

An event that a state has no row for changes nothing.

${Object.entries(SHOP.machines).map(machineText).join('\n\n')}

## Objects

${objectsText(SHOP)}`
}
