import type { AnySchema, MessageSchema, TextFormat, TextSchema } from './message-schema.js'

/** Patterns of the forms that JSON Schema has no `format` for. */
const PATTERNS: { readonly [Format in TextFormat]?: string } = {
  days: '^[-0-9.,]*$', month: '^[0-9]{4}-(?:0[1-9]|1[0-2])$', decimal: '^[0-9]+(?:\\.[0-9]+)?$', id: '^[!-~]{1,200}$',
}

const FORMATS: { readonly [Format in TextFormat]?: string } = {
  date: 'date', time: 'date-time', uuid: 'uuid', email: 'email', uri: 'uri',
}

/**
 * A schema in JSON Schema alone (2020-12, as OpenAPI 3.1 has it): the marks become `required`,
 * `additionalProperties` and types with `null`. References keep the form `Coverage#`, for schemas with `$id`.
 *
 * @example `jsonSchema({ type: 'string', isNullable: true })` is `{ minLength: 1, type: ['string', 'null'] }`
 */
export function jsonSchema(schema: MessageSchema): object {
  if ('$ref' in schema) return { $ref: schema.$ref }
  const { isOptional: _optional, isOurs: _ours, neededWhen: _needed, choice: _choice, ...rest } = schema
  switch (rest.type) {
    case 'string': return textSchema(rest)
    case 'any': return withoutType(rest)
    case 'array': return { ...rest, items: jsonSchema(rest.items) }
    case 'object': {
      const { isClosed, properties = {}, envelopeOf: _envelope, ...words } = rest
      const fields = Object.entries(properties)
      return {
        ...words, properties: Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field)])),
        required: fields.flatMap(([name, field]) => (field.isOptional === true ? [] : [name])),
        ...(isClosed === true ? { additionalProperties: false } : {}),
      }
    }
    default: return rest.type === 'integer' ? { maximum: Number.MAX_SAFE_INTEGER, ...rest } : rest
  }
}

function withoutType({ type: _type, ...words }: AnySchema): object {
  return words
}

function textSchema(schema: TextSchema): object {
  const { isNullable, isSecret: _secret, format, ...rest } = schema
  const isFree = format === undefined && rest.enum === undefined
  const named = format === undefined ? undefined : FORMATS[format]
  const pattern = format === undefined ? undefined : PATTERNS[format]
  return {
    ...isFree ? { minLength: 1 } : {}, ...rest, type: isNullable === true ? ['string', 'null'] : 'string',
    ...(named === undefined ? {} : { format: named }), ...(pattern === undefined ? {} : { pattern }),
  }
}
