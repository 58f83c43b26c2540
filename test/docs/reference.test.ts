import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runBacktest } from '../../src/backtest/run-backtest.js'
import { MESSAGE_FIELDS, REQUEST_FIELDS } from '../../src/venue/message-fields.js'
import type { ParameterConfig } from '../../src/strategy/parameter-values.js'
import { readRunFile } from '../../src/configuration/run-file-reader.js'
import { repeated } from '../support/repetitions.ts'

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

  test.each(repeated(['flow-taker', 'inventory-maker', 'spread-trader'], (name) => name !== 'inventory-maker'))('every line and field of the journal and the summary of %s has its row', async (name) => {
    const { options: { parameters, ...options } } = await readRunFile(join(root, `examples/${name}/${name}.run.json`))
    const lines: string[] = []
    const journal = () => ({ write: (line: string) => { lines.push(line) } })
    const result = await runBacktest({ ...options, parameters: parameters as ParameterConfig, journal })
    const journalPage = pages.find(({ path }) => path.endsWith('journal.md'))?.text ?? ''
    const known = new Set([...journalPage.matchAll(/^\| `([^`]+)` \|/gm)].map(([, field]) => field))
    const head = new Set(['seq', 'side', 'time', 'kind', 'client', 'account'])
    const fields = (value: unknown, path: string): string[] => {
      if (Array.isArray(value)) return value.flatMap((one) => fields(one, path))
      if (typeof value !== 'object' || value === null || /(^|\.)(context|owner)$/.test(path)) return [path]
      return Object.entries(value).flatMap(([key, inner]) => fields(inner, path === '' ? key : `${path}.${key}`))
    }
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(parsed.length).toBeGreaterThan(100)
    const found = new Set(parsed.flatMap((line) => fields(line, '')).filter((field) => !head.has(field)))
    expect([...found].filter((field) => field !== '' && !known.has(field))).toEqual([])
    const kinds = [...new Set(parsed.map(({ kind }) => String(kind)))]
    const isListed = (kind: string): boolean =>
      [`### ${kind}\n`, `\`${kind}\``].some((text) => journalPage.includes(text))
    expect(kinds.filter((kind) => !isListed(kind))).toEqual([])
    const summary = pages.find(({ path }) => path.endsWith('summary.md'))?.text ?? ''
    expect(Object.keys(result.summary).filter((key) => !summary.includes(`| \`${key}\``))).toEqual([])
  })

  test.each(['run', 'venue-profile'])('every field of the %s schema says the value it expects', (name) => {
    const schema = JSON.parse(readFileSync(join(root, `schemas/${name}.schema.json`), 'utf8')) as object
    const fields = fieldsOf(schema)
    expect(fields.length).toBeGreaterThan(30)
    expect(fields.filter(({ expected }) => expected === '').map(({ path }) => path)).toEqual([])
  })
})

describe('the pages of the wire show each kind as a server sends it', () => {
  const examplesOf = (page: string): string => /<!-- examples:.*<!-- end of examples -->/s.exec(readFileSync(join(root, 'docs/reference', page), 'utf8'))![0]
  /** Messages that were sent by the client (`>`) or the server (`<`), put together again. */
  const messagesOf = (page: string, sign: '<' | '>'): string[] => (
    [...examplesOf(page).matchAll(/^([<>]) (.*(?:\n {2}.*)*)/gm)].filter(([, own]) => own === sign).map(([, , text]) => text!.replaceAll('\n  ', '')))

  test('of order entry', () => {
    const kindsOf = (sign: '<' | '>'): Set<string> => new Set(messagesOf('order-entry-wire.md', sign).flatMap((text) => (
      text.startsWith('{"msgType"') ? [(JSON.parse(text) as { readonly msgType: string }).msgType] : [])))
    expect([...Object.keys(REQUEST_FIELDS), 'login', 'logout'].filter((kind) => !kindsOf('>').has(kind))).toEqual([])
    expect([...Object.keys(MESSAGE_FIELDS), 'welcome', 'loginResponse', 'invalidRequest'].filter((kind) => !kindsOf('<').has(kind))).toEqual([])
  })

  test('of the feed', () => {
    const typesOf = (sign: '<' | '>'): Set<unknown> => new Set(messagesOf('feed-wire.md', sign).flatMap((text) => (text.startsWith('[') ? [(JSON.parse(text) as unknown[])[0]] : [])))
    expect([typesOf('>'), typesOf('<')]).toEqual([new Set([11, 12, 13]), new Set([0, 1, 2, 5, 6, 7, 8, 9, 14, 17])])
  })

  test.each(['serve', 'live'])('the guide %s leads to both', (guide) => {
    const text = readFileSync(join(root, `docs/guide/${guide}.md`), 'utf8')
    for (const page of ['feed-wire.md', 'order-entry-wire.md']) expect(text).toContain(`(../reference/${page})`)
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
