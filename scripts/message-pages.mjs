// Pages made of interfaces and tables of the source: the summary, the journal, the attributes of an order.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './project.mjs'
import { cell } from './schema-page.mjs'

// An import would look for exports in its nine megabytes first.
const ts = createRequire(import.meta.url)('typescript')

async function fromDist(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href)
}

/**
 * Interfaces of a source file: name, own meaning, fields with their types, meanings and formulas (what stands behind
 * `Formula:`, null where nothing does), in the order of the file.
 */
export function interfacesOf(path) {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.ES2022, true)
  const textOf = (node) => (
    ts.getJSDocCommentsAndTags(node).map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '').join(' ')
      .replace(/\{@link ([^}]*)\}/g, '`$1`').replace(/\s+/g, ' ').trim())
  const meaningOf = (node) => textOf(node).split(/ ?Formula: /)[0]
  return file.statements.filter(ts.isInterfaceDeclaration).map((node) => ({
    name: node.name.text,
    meaning: meaningOf(node),
    fields: node.members.filter(ts.isPropertySignature).map((member) => ({
      name: member.name.getText(file),
      isOptional: member.questionToken !== undefined,
      type: member.type.getText(file).replace(/\s+/g, ' ').replace(/\/\*\*.*?\*\/ /g, '').replaceAll('readonly ', ''),
      meaning: meaningOf(member),
      formula: textOf(member).split('Formula: ')[1] ?? null,
    })),
  }))
}

function fieldTable(fields) {
  const rows = fields.map(({ name, isOptional, type, meaning }) => (
    `| \`${name}\`${isOptional ? ' (may be absent)' : ''} | \`${cell(type)}\` | ${cell(meaning)} |`))
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n')
}

/** The interfaces of the summary, the whole first. */
export function summaryInterfaces() {
  const interfaces = ['run', 'instrument', 'money'].flatMap((one) => interfacesOf(`src/report/${one}-summary.ts`))
  const [quantiles] = interfacesOf('src/model/latency-sketch.ts').filter(({ name }) => name === 'LatencyQuantiles')
  const [rejections] = interfacesOf('src/report/request-counters.ts').filter(({ name }) => name === 'RejectionCount')
  const [shown] = interfacesOf('src/model/shown-trades.ts').filter(({ name }) => name === 'ShownTradeCounts')
  const whole = interfaces.filter(({ name }) => name === 'RunSummary')
  return [...whole, ...interfaces.filter((one) => !whole.includes(one)), quantiles, rejections, shown]
}

/** Every field of the summary. */
export function summaryText() {
  return summaryInterfaces()
    .map(({ name, meaning, fields }) => `## ${name}\n\n${meaning}\n\n${fieldTable(fields)}`).join('\n\n')
}

/** The formula of every figure of the summary. */
export function measuresText() {
  return summaryInterfaces().flatMap(({ name, fields }) => {
    const figures = fields.filter(({ formula }) => formula !== null)
    const rows = figures.map((one) => `| \`${one.name}\` | ${cell(one.formula)} |`)
    return figures.length === 0 ? [] : [`## ${name}\n\n| figure | formula |\n|---|---|\n${rows.join('\n')}`]
  }).join('\n\n')
}

const UNITS = {
  price: 'price', quantity: 'quantity', timeNs: 'time', instrumentId: 'instrument id',
  number: 'number', orderId: 'order id', word: 'word', decimal: 'decimal', text: 'text', flag: 'true or false',
  json: 'JSON',
}

function shapeRows(fields, around = '') {
  // Units without a name are of fields that no line has.
  const written = Object.entries(fields).filter(([, unit]) => typeof unit !== 'string' || unit in UNITS)
  return written.flatMap(([name, unit]) => {
    const path = `${around}${unit === 'timeNs' ? name.replace(/TimeNs$/, 'TimestampNs') : name}`
    if (typeof unit === 'string') return [`| \`${path}\` | ${UNITS[unit]} |`]
    return shapeRows(unit, `${path}.`)
  })
}

function shapeTable(fields) {
  const rows = shapeRows(fields)
  return rows.length === 0 ? 'No field of its own.' : ['| field | unit |', '|---|---|', ...rows].join('\n')
}

/** Every kind of line with its fields and their units. */
export async function journalText() {
  const { REQUEST_FIELDS, MESSAGE_FIELDS } = await fromDist('venue/message-fields.js')
  const { MONEY_EVENT_FIELDS, OWN_FIELDS } = await fromDist('results/run-journal.js')
  const { kind: _kind, exchangeTimeNs: _time, accountId: _account, ...money } = MONEY_EVENT_FIELDS
  const section = (title, kinds) => [`## ${title}`, ...Object.entries(kinds).map(([kind, fields]) => (
    `### ${kind}\n\n${shapeTable(fields)}`))].join('\n\n')
  return [
    section('Requests', REQUEST_FIELDS), section('Responses and events', MESSAGE_FIELDS),
    section('Lines of the run', OWN_FIELDS),
    `## Money\n\nThe kinds are \`funding\`, \`interest\`, \`borrow\`, \`repay\`, \`liquidation\`, \`debt\`, ` +
      `\`settlement\`, \`split\` and \`dividend\`.\nAll have the same fields.\n\n${shapeTable(money)}`,
  ].join('\n\n')
}

const FORMS = {
  time: 'signed, nanoseconds since midnight of the segment\'s day',
  price: 'signed, at the price scale of the instrument', quantity: 'signed, at the quantity scale of the instrument',
  decimal: 'money, see below', fine: 'money of 27 decimals',
  number: 'signed', instrument: 'instrument id, 0: absent', id: 'number of an id, 0: absent',
  name: 'number of a name, 0: absent', uuid: 'the 16 bytes of a UUID', word: 'number of a word, 0: absent',
  flag: '0: absent, 1: false, 2: true', scale: 'decimals, 255: absent',
}

function recordFields({ fields, groups }, path = '') {
  return [
    ...fields.map((field) => ({ ...field, path: `${path}${field.name}` })),
    ...groups.flatMap((group) => recordFields(group, `${path}${group.name}.`)),
  ]
}

/** The forms of fields, and every kind of record with the places of its fields. */
export async function recordsText() {
  const { FORM_BYTES, RECORD_LAYOUTS } = await fromDist('protocol/record-layout.js')
  const forms = Object.entries(FORM_BYTES).map(([form, bytes]) => `| ${form} | ${bytes} | ${FORMS[form]} |`)
  const kinds = RECORD_LAYOUTS.map(({ code, name, kind, byteLength, head, message }) => {
    const rows = [...head.map((field) => ({ ...field, path: field.name })), ...recordFields(message)]
      .map(({ at, path, form, words }) => `| ${at} | \`${path}\` | ${form} | ${words.join(', ')} |`)
    const of = name === 'other'
      ? 'A line that no other kind holds: its text stands in the texts.' : `Lines of \`${kind}\`.`
    const table = ['| at | field | form | words from 1 |', '|---|---|---|---|', ...rows].join('\n')
    return `### ${code}: ${name}\n\n${of} ${byteLength} bytes.\n\n${table}`
  })
  return `## Forms\n\n| form | bytes | meaning |\n|---|---|---|\n${forms.join('\n')}\n\n${MONEY_FORM}\n\n` +
    `## Kinds\n\n${kinds.join('\n\n')}`
}

const MONEY_FORM = `A signed integer of 8 bytes is absent where it is -2^63, and null (an order without a price) \
where it is
-2^63 + 1. A \`number\` is absent where it is -2^31.
Money is two integers of 8 bytes: the whole number below it, signed, and what it is above that in units of 10^-18,
unsigned: -0.25 is -1 and 750000000000000000. It is absent where the first is -2^63. A \`fine\` one has 4 bytes more,
unsigned, in units of 10^-27.`

const STANDS = { must: 'always', may: 'may', no: '' }

/** Every attribute of an order: unit, messages in which it stands, what it needs. */
export async function attributesText() {
  const { ORDER_ATTRIBUTES } = await fromDist('venue/order-attributes.js')
  const rows = Object.entries(ORDER_ATTRIBUTES).map(([name, { unit, place, amend, replace, report, needs }]) => {
    const where = [place, amend, replace, report].map((one) => STANDS[one])
    const needed = { trigger: 'STOP_LIMIT among `orderTypes`', peg: 'a pegged type among `orderTypes`' }[needs] ??
      (needs === undefined ? '' : `\`${needs}\``)
    return `| \`${name}\` | ${UNITS[unit]} | ${where.join(' | ')} | ${needed} |`
  })
  return [
    '| attribute | unit | place | amend | replace | order update | capability |', '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** The fields of `OrderParams`, as a strategy writes them. */
export function orderParamsText() {
  const [params] = interfacesOf('src/strategy/order-params.ts').filter(({ name }) => name === 'OrderParams')
  return fieldTable(params.fields.map((field) => ({ ...field, isOptional: false })))
}
