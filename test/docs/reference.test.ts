import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

interface Page {
  readonly path: string
  readonly text: string
}

interface Field {
  readonly path: string
  readonly expected: string
  readonly meaning: string
  readonly like: string
}

/** The result of an expression over a script of the project, which is plain JavaScript without types. */
function fromScript(script: string, expression: string): unknown {
  const url = new URL(`../../scripts/${script}`, import.meta.url).href
  const code = `const script = await import(${JSON.stringify(url)}); console.log(JSON.stringify(await ${expression}))`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  expect(run.status, run.stderr).toBe(0)
  return JSON.parse(run.stdout)
}

function fieldsOf(schema: object): readonly Field[] {
  return fromScript('schema-page.mjs', `script.schemaFields(${JSON.stringify(schema)})`) as readonly Field[]
}

describe('docs/reference', () => {
  const pages = fromScript('reference-pages.mjs', 'script.referencePages()') as readonly Page[]

  test.each(pages)('$path is fresh; else npm run reference', ({ path, text }) => {
    expect(existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : 'no such page').toBe(text)
  })

  test.each(['run', 'venue-profile'])('every field of the %s schema says the value it expects', (name) => {
    const schema = JSON.parse(readFileSync(join(root, `schemas/${name}.schema.json`), 'utf8')) as object
    const fields = fieldsOf(schema)
    expect(fields.length).toBeGreaterThan(30)
    expect(fields.filter(({ expected }) => expected === '').map(({ path }) => path)).toEqual([])
  })
})

describe('fields of a schema', () => {
  const text = { type: 'string', description: 'm' }
  test.each([
    ['a plain field', { properties: { a: text } }, ['a string m ']],
    ['an item of a list', { properties: { a: { type: 'array', items: { properties: { b: text } } } } },
      ['a array  ', 'a[].b string m ']],
    ['a free name', { additionalProperties: { properties: { b: text } } }, ['*.b string m ']],
    ['a choice', { properties: { a: { anyOf: [{ enum: ['x'] }, { properties: { b: text } }] } } },
      ['a "x"  ', 'a.b string m ']],
    ['a definition used twice',
      { properties: { a: { $ref: '#/d/x' }, b: { $ref: '#/d/x' } }, d: { x: { title: 't', properties: { c: text } } } },
      ['a t  ', 'a.c string m ', 'b t  a']],
    ['a definition inside itself',
      { properties: { a: { $ref: '#/d/x' } }, d: { x: { title: 't', properties: { a: { $ref: '#/d/x' } } } } },
      ['a t  ', 'a.a t  ']],
  ])('%s', (_name, schema, wanted) => {
    expect(fieldsOf(schema).map(({ path, expected, meaning, like }) => `${path} ${expected} ${meaning} ${like}`))
      .toEqual(wanted)
  })
})
