import { readFile } from 'node:fs/promises'
import { closedUpDurations } from '../model/duration.js'
import { fault, pathPart, type Fault } from '../model/fault.js'

/** Reads a schema of `schemas/`, with every definition in its place, those of other schemas too. */
export async function readSchema(name: string): Promise<SchemaPart> {
  const root = await readSchemaFile(name)
  const references = JSON.stringify(root).matchAll(/"([a-z-]+)\.schema\.json#/g)
  const others = new Set([...references].map(([, other = '']) => other))
  const roots = new Map([['', root]])
  for (const other of others) roots.set(`${other}.schema.json`, await readSchemaFile(other))
  return withReferences(root, '', roots) as SchemaPart
}

async function readSchemaFile(name: string): Promise<SchemaPart> {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url)
  return JSON.parse(await readFile(url, 'utf8')) as SchemaPart
}

/** A part of the schema `file`, in which `roots` are the schemas by the names that references have. */
function withReferences(part: unknown, file: string, roots: ReadonlyMap<string, SchemaPart>): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => withReferences(one, file, roots))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, definitions: _, ...own } = part as SchemaPart
  const rest = Object.entries(own).map(([key, value]) => [key, withReferences(value, file, roots)] as const)
  if (typeof $ref !== 'string') return Object.fromEntries(rest)
  const [other = '', path = ''] = $ref.split('#')
  const within = other === '' ? file : other
  let named: unknown = roots.get(within)
  for (const step of path.split('/').slice(1)) named = (named as SchemaPart | undefined)?.[step]
  return { ...(withReferences(named ?? {}, within, roots) as SchemaPart), ...Object.fromEntries(rest) }
}

/** A JSON schema, as far as sentences are made of it. */
export interface SchemaPart {
  /** The value that fits, in words: `a whole number from 0`. */
  readonly title?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly [keyword: string]: unknown
}

/** A content that was compared with a schema. */
export interface Checked<Content> {
  /** In the order of the schema; one for each place. */
  readonly faults: readonly Fault[]
  /**
   * The content without the values that are at fault, and without the items of lists that hold one: the rest can be
   * read.
   */
  readonly sound: Content
}

/** Compares a content with a schema. */
export type Check<Content> = (content: unknown) => Promise<Checked<Content>>

/**
 * The words of the keyword `x-meaning`: the expected value where a text of the right form has no meaning, else null.
 */
export type Meanings = Readonly<Record<string, (text: string) => string | null>>

/** The tests of the keyword `x-program`: values that a program may give beside those of a file. */
export type ProgramForms = Readonly<Record<string, (value: unknown) => boolean>>

/** A fault as a compiled schema reports it. */
interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: object
  readonly propertyName?: string
  readonly schema?: unknown
  readonly parentSchema?: SchemaPart
  readonly data?: unknown
}

/** The tests that a compiled schema asks for. */
interface SchemaTests {
  meaning(name: string, text: string): boolean
  form(name: string, value: unknown): boolean
}

/** A schema as scripts/schema-checks.mjs compiles it. */
interface CompiledSchema {
  (this: SchemaTests, content: unknown): boolean
  readonly errors?: readonly SchemaError[] | null
}

/** A module that scripts/schema-checks.mjs made. */
async function compiledSchema(file: string): Promise<CompiledSchema> {
  const { validate } = (await import(new URL(`./${file}.js`, import.meta.url).href)) as { validate: CompiledSchema }
  return validate
}

/**
 * Loads the check of a schema that the build compiled, by its name. `x-program` counts as a test where `forms` are
 * given, else as nothing. The part that finds every fault is loaded for the first content that has one.
 */
export async function compiledCheck<Content>(
  name: string, meanings: Meanings = {}, forms: ProgramForms = {},
): Promise<Check<Content>> {
  const isSound = await compiledSchema(`${name}.quick.check`)
  const tests: SchemaTests = {
    meaning: (of, text) => (meanings[of]?.(text) ?? null) === null,
    form: (of, value) => forms[of]?.(value) ?? true,
  }
  return async (content) => {
    if (isSound.call(tests, content)) return { faults: [], sound: content as Content }
    const validate = await compiledSchema(`${name}.check`)
    const kept = onePerPlace(saying(validate.call(tests, content) ? [] : (validate.errors ?? [])))
    return {
      faults: kept.map((error) => faultOf(error, meanings)),
      sound: kept.reduce((sound, error) => without(sound, pathOf(error)), content) as Content,
    }
  }
}

/** The errors that say something of their own: neither those of one form of a union, nor those that others frame. */
function saying(errors: readonly SchemaError[]): SchemaError[] {
  const unions = new Set(errors.filter(({ keyword }) => /^(any|one)Of$/.test(keyword)).map((one) => one.schemaPath))
  const isForm = (path: string): boolean => [...unions].some((union) => path.startsWith(`${union}/`))
  return errors.filter(({ keyword, schemaPath, propertyName }) =>
    keyword === 'x-meaning' || (keyword !== 'if' && propertyName === undefined && !isForm(schemaPath)),
  )
}

/** The error that says most about its place. */
const RANKS: Readonly<Record<string, number>> = { additionalProperties: 2, 'x-meaning': 1 }

function onePerPlace(errors: readonly SchemaError[]): SchemaError[] {
  const kept = new Map<string, SchemaError>()
  for (const error of errors) {
    const place = pathText(pathOf(error))
    const other = kept.get(place)
    if (other === undefined || (RANKS[error.keyword] ?? 0) > (RANKS[other.keyword] ?? 0)) kept.set(place, error)
  }
  return [...kept.values()]
}

/** The names and numbers on the way to the place of an error. */
function pathOf({ instancePath, params }: SchemaError): string[] {
  const { missingProperty, additionalProperty, propertyName } = params as Readonly<Record<string, string | undefined>>
  const last = missingProperty ?? additionalProperty ?? propertyName
  const names = instancePath.split('/').slice(1)
  return [...names.map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~')), ...(last === undefined ? [] : [last])]
}

function pathText(path: readonly string[]): string {
  const text = path.map(pathPart).join('')
  return text.startsWith('.') ? text.slice(1) : text
}

function faultOf(error: SchemaError, meanings: Meanings): Fault {
  const { data, keyword, params, schema } = error
  const path = pathOf(error)
  const last = path.at(-1) ?? ''
  const { title = 'another value', properties = {} } = error.parentSchema ?? {}
  const at = pathText(path)
  if (keyword === 'additionalProperties') {
    const found = `the unknown field ${JSON.stringify(last)}`
    return { path: at, expected: `one of ${Object.keys(properties).join(', ')}`, found }
  }
  if ('missingProperty' in params) return fault(at, properties[last]?.title ?? title, undefined)
  if (keyword === 'x-meaning') return fault(at, meanings[schema as string]?.(data as string) ?? title, data)
  if (keyword === 'propertyNames')
    return fault(at, (schema as SchemaPart).title ?? title, (data as Readonly<Record<string, unknown>>)[last])
  const advice = closedUpAdvice(data, keyword === 'anyOf' ? (schema as readonly SchemaPart[]) : [{ [keyword]: schema }])
  return { ...fault(at, title, data), ...(advice === null ? {} : { advice }) }
}

/** The patterns of a form, and of the forms of which it chooses one. */
function patternsOf({ pattern, then, else: other }: SchemaPart): string[] {
  const chosen = [then, other].filter((part): part is SchemaPart => part !== undefined)
  return [...(typeof pattern === 'string' ? [pattern] : []), ...chosen.flatMap(patternsOf)]
}

/** The text without spaces before units, where one of the forms takes it so: `write 10ms`. */
function closedUpAdvice(text: unknown, forms: readonly SchemaPart[]): string | null {
  if (typeof text !== 'string' || text.length > 200) return null
  const closed = closedUpDurations(text)
  const isTaken = forms.flatMap(patternsOf).some((pattern) => new RegExp(pattern, 'u').test(closed))
  return closed !== text && isTaken ? `write ${closed}` : null
}

/** A copy without the value at a path: of a list without the whole item, whose place stays empty. */
function without(content: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof content !== 'object' || content === null) return undefined
  if (Array.isArray(content)) {
    const items: unknown[] = []
    content.forEach((item: unknown, index) => {
      if (String(index) !== name) items[index] = item
    })
    return items
  }
  const { [name]: value, ...others } = content as Readonly<Record<string, unknown>>
  return rest.length === 0 ? others : { ...others, [name]: without(value, rest) }
}
