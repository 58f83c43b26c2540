// Compiles the schemas that run files, options, servers and profiles are compared with, so that no command does it: for
// each a module dist/configuration/NAME.check.js, which finds every fault, and NAME.quick.check.js, a quarter of it,
// which finds whether there is one. Run by scripts/build.mjs when dist/ has its modules.
import { join } from 'node:path'
import { Ajv, _ } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { CHECKED_SCHEMAS } from '../dist/configuration/run-check.js'
import { root } from './project.mjs'

/** The code of a schema's check; what its own keywords test is asked of `this` (`compiledCheck`). */
function checkCode(schema, options) {
  const ajv = new Ajv({
    strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true,
    // The schemas are our own: a test checks them against the draft.
    meta: false, validateSchema: false, passContext: true, code: { source: true, esm: true }, ...options,
  })
  ajv.addKeyword({
    keyword: 'x-meaning', type: 'string', code: (test) => test.fail(_`!this.meaning(${test.schema}, ${test.data})`),
  })
  ajv.addKeyword({ keyword: 'x-program', code: (test) => test.fail(_`!this.form(${test.schema}, ${test.data})`) })
  return standalone.default(ajv, ajv.compile(schema))
}

/** Words for readers, which no check asks for. */
const WORDS = new Set(['$schema', '$id', 'title', 'description', 'default', 'examples'])
/** Keywords that hold schemas: one, a list of them, or some by name. */
const ONE = new Set(['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'])
const LIST = new Set(['allOf', 'anyOf', 'oneOf'])
const NAMED = new Set(['properties', 'patternProperties'])
/** Characters of a part that is worth a function of its own. */
const OWN_FUNCTION = 200

/** A schema whose larger parts are definitions, each once: functions that are compiled when a content has the part. */
function inDefinitions(schema) {
  const names = new Map()
  const definitions = {}
  function own(part) {
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).flatMap(([key, value]) => {
      if (WORDS.has(key)) return []
      if (ONE.has(key)) return [[key, named(value)]]
      if (LIST.has(key)) return [[key, value.map(named)]]
      if (!NAMED.has(key)) return [[key, value]]
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one)]))]]
    }))
  }
  function named(part) {
    const mine = own(part)
    const text = JSON.stringify(mine)
    if (text.length < OWN_FUNCTION) return mine
    if (!names.has(text)) {
      names.set(text, `part${names.size}`)
      definitions[names.get(text)] = mine
    }
    return { $ref: `#/definitions/${names.get(text)}` }
  }
  return { ...own(schema), definitions }
}

for (const [name, schemaOf] of Object.entries(CHECKED_SCHEMAS)) {
  const schema = await schemaOf()
  const codes = [
    [`${name}.check.js`, checkCode(schema, { allErrors: true, verbose: true })],
    [`${name}.quick.check.js`, checkCode(inDefinitions(schema), { messages: false, inlineRefs: false })],
  ]
  for (const [file, contents] of codes)
    await build({
      stdin: { contents, resolveDir: root }, bundle: true, format: 'esm', platform: 'node',
      target: 'node20.19', charset: 'utf8', logLevel: 'warning', minify: file.includes('quick'),
      outfile: join(root, 'dist/configuration', file),
    })
}
