// The field tables of the SBE schema (schemas/feed.xml): what lies where in each message.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './project.mjs'
import { cell } from './schema-page.mjs'

const PRIMITIVE_BYTES = { uint8: 1, int8: 1, uint16: 2, uint32: 4, uint64: 8, int64: 8, double: 8 }

const childrenOf = (element, ...names) => [...element.children].filter(({ localName }) => names.includes(localName))
const named = (element, name) => element.getAttribute(name) ?? ''

/** Types by name: their bytes and a sentence. A text has the bytes of its length. */
function typesOf(schema) {
  const primitives = Object.entries(PRIMITIVE_BYTES)
  const types = new Map(primitives.map(([name, bytes]) => [name, { name, bytes, form: name, words: '' }]))
  for (const type of childrenOf(childrenOf(schema, 'types')[0], 'type', 'composite', 'enum')) {
    const name = named(type, 'name')
    if (type.localName === 'type') {
      const primitive = named(type, 'primitiveType')
      types.set(name, { name, bytes: PRIMITIVE_BYTES[primitive], form: primitive, words: named(type, 'description') })
    } else if (type.localName === 'enum') {
      const values = childrenOf(type, 'validValue').map((value) => {
        const words = named(value, 'description')
        return `${value.textContent} ${named(value, 'name')}${words === '' ? '' : ` (${words})`}`
      })
      const form = named(type, 'encodingType')
      types.set(name, { name, bytes: PRIMITIVE_BYTES[form], form, words: `${values.join('; ')}` })
    } else {
      const parts = childrenOf(type, 'type').filter((part) => named(part, 'name') !== 'varData')
      const bytes = parts.reduce((sum, part) => sum + PRIMITIVE_BYTES[named(part, 'primitiveType')], 0)
      const text = parts.length < childrenOf(type, 'type').length ? ', then its bytes' : ''
      const form = `${parts.map((part) => `${named(part, 'name')} ${named(part, 'primitiveType')}`).join(', ')}${text}`
      types.set(name, { name, bytes, form, words: named(type, 'description') })
    }
  }
  return types
}

function fieldsOf(element, types, from) {
  let at = from
  return childrenOf(element, 'field').map((field) => {
    const type = types.get(named(field, 'type'))
    const { bytes } = type
    const form = named(field, 'presence') === 'optional' ? `${type.name} or null` : type.name
    const one = { at, name: named(field, 'name'), type: form, bytes, words: named(field, 'description') }
    at += bytes
    return one
  })
}

const bytesOf = (fields) => fields.reduce((sum, { bytes }) => sum + bytes, 0)
const textsOf = (element) =>
  childrenOf(element, 'data').map((data) => ({
    name: named(data, 'name'), type: named(data, 'type'), words: named(data, 'description'),
  }))

/** The schema as plain data: offsets are from the first byte of a frame, those of a group's fields from its entry. */
export function sbeSchema() {
  // Loaded here: this module is read before packages are installed.
  const { DOMParser } = createRequire(import.meta.url)('linkedom')
  const document = new DOMParser().parseFromString(readFileSync(join(root, 'schemas/feed.xml'), 'utf8'), 'text/xml')
  const schema = document.documentElement
  const types = typesOf(schema)
  const messages = childrenOf(schema, 'sbe:message').map((message) => {
    const fields = fieldsOf(message, types, 8)
    const groups = childrenOf(message, 'group').map((group) => {
      const entry = fieldsOf(group, types, 0)
      const [name, words] = [named(group, 'name'), named(group, 'description')]
      return { name, words, fields: entry, entryBytes: bytesOf(entry), texts: textsOf(group) }
    })
    const [name, words] = [named(message, 'name'), named(message, 'description')]
    const id = Number(named(message, 'id'))
    return { id, name, words, fields, blockLength: bytesOf(fields), groups, texts: textsOf(message) }
  })
  return {
    id: Number(named(schema, 'id')), version: Number(named(schema, 'version')), byteOrder: named(schema, 'byteOrder'),
    types: [...types.values()].filter(({ name }) => !Object.hasOwn(PRIMITIVE_BYTES, name)), messages,
  }
}

const row = (...cells) => `| ${cells.join(' | ')} |`

function fieldRows(fields, place) {
  return fields.map(({ at, name, type, bytes, words }) => row(`${place}${at}`, `\`${name}\``, type, bytes, cell(words)))
}

const textRows = (texts, place) =>
  texts.map(({ name, type, words }) => row(place, `\`${name}\``, type, '', cell(words)))

function messageSection(message, envelopeBytes) {
  const rows = fieldRows(message.fields.filter(({ at }) => at >= 8 + envelopeBytes), '')
  for (const { name, words, fields, entryBytes, texts } of message.groups) {
    const meaning = words === '' ? `entries of ${entryBytes} bytes` : words
    rows.push(row('behind', `\`${name}\``, 'groupSize', 6, cell(meaning)))
    rows.push(...fieldRows(fields, '+'), ...textRows(texts, 'behind its entry'))
  }
  const isOwn = ({ name }) => envelopeBytes === 0 || !/^(previousEvent|event)IdText$/.test(name)
  rows.push(...textRows(message.texts.filter(isOwn), 'behind'))
  const head = `### ${message.id} ${message.name}\n\n${message.words}. Block: ${message.blockLength} bytes.`
  return [head, '', '| byte | field | type | bytes | meaning |', '|---|---|---|---|---|', ...rows].join('\n')
}

const ENVELOPE_BYTES = 40
const isEvent = ({ texts }) => texts.some(({ name }) => name === 'eventIdText')

/** The page about SBE, without its head. */
export function sbeText() {
  const { types, messages } = sbeSchema()
  const typeRows = types.map(({ name, bytes, form, words }) => row(`\`${name}\``, bytes, cell(form), cell(words)))
  const events = messages.filter(isEvent)
  const others = messages.filter((message) => !isEvent(message))
  const envelope = events[0].fields.filter(({ at }) => at < 8 + ENVELOPE_BYTES)
  return `## Types

| type | bytes | form | meaning |
|---|---|---|---|
${typeRows.join('\n')}

## Events

All events have these fields, and behind everything else \`previousEventIdText\` and \`eventIdText\` (shortText), each
empty unless its id is null. \`+\` is an offset in an entry of a group.

| byte | field | type | bytes | meaning |
|---|---|---|---|---|
${fieldRows(envelope, '').join('\n')}

${events.map((message) => messageSection(message, ENVELOPE_BYTES)).join('\n\n')}

## Other messages

${others.map((message) => messageSection(message, 0)).join('\n\n')}`
}
