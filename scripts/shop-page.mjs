// The page of the shop's interface, made of its tables.
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

function routeText([, route]) {
  const { method, path, summary, query, headers, body, answers, errors, bucket, credential } = route
  const needs = [['parameters', query], ['headers', headers], ['body', body]]
    .flatMap(([word, name]) => (name === undefined ? [] : [`${word} ${named(name)}`]))
  const refusals = errors.length === 0 ? [] : [`errors: ${errors.join(', ')}`]
  const lines = [
    summary + '.', ...(choice(route) === '' ? [] : [`${choice(route)}.`]),
    `${[...needs, `credential: ${credential}`, `bucket: ${bucket}`, ...refusals].join('; ')}.`,
    table(['status', 'answer', 'asked by', 'ours'], answers.map((one) => [
      String(one.status), one.schema === undefined ? `\`${one.media}\`` : named(one.schema),
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

/** Everything of the shop on the wire. */
export async function shopWireText() {
  const { SHOP } = await import(pathToFileURL(join(root, 'dist/protocol/shop/shop-tables.js')).href)
  const errors = Object.entries(SHOP.errors).map(([name, one]) => [
    name, String(one.status), one.code === undefined ? 'none' : `\`${one.code}\``, one.condition,
    [...one.details ?? [], ...one.headers ?? []].map((word) => `\`${word}\``).join(', '), choice(one),
  ])
  const limits = Object.values(SHOP.limits)
    .map((one) => [one.description, one.value.toLocaleString('en'), one.unit, choice(one)])
  const credentials = Object.entries(SHOP.credentials)
    .map(([name, one]) => [name, one.credential, one.where, choice(one)])
  const classes = Object.entries(SHOP.classes)
    .map(([word, of]) => `\`${word}\`${of[0] === word ? '' : ` (${of.join(' + ')})`}`)
  const statuses = SHOP.commonErrors.map((name) => SHOP.errors[name].status)
  const common = `${statuses.slice(0, -1).join(', ')} and ${statuses.at(-1)}`
  return `The shop of the vendor's document (spec 1). Where the document does not show
something, the line is marked ${OURS}: our server does exactly this, and our client takes other forms too. A client
must not count on it elsewhere. Fields and words that a client does not know pass through.

Bodies are JSON in UTF-8. Days are UTC. Realtime days (49 and 99 EUR) have no purchase route in the document.
The feed reads the realtime key and the days of an account, by the server's clock. \`/mcp\` has no interface shown
and is absent.
Every route may also answer ${common}. Other parameters than those shown are refused, except on pages.

## Endpoints

${Object.entries(SHOP.routes).map(routeText).join('\n\n')}

Parameters in paths:

${table(['parameter', 'type', 'meaning', 'ours'], fieldRows(SHOP.schemas.PathParameters))}

Classes of a search: ${classes.join(', ')}.

## Credentials

${table(['name', 'credential', 'where', 'ours'], credentials)}

## Errors

${table(['name', 'status', 'code', 'when', 'details and headers', 'ours'], errors)}

## Limits

${table(['limit', 'value', 'unit', 'ours'], limits)}

## States

An event that a state has no row for changes nothing.

${Object.entries(SHOP.machines).map(machineText).join('\n\n')}

## Objects

${Object.entries(SHOP.schemas).filter(([name]) => name !== 'PathParameters').map(objectText).join('\n\n')}`
}
