import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HOUSE_RULES, parseHouseFile, projectImports, type HouseFile } from './support/house-rules.ts'
import { importCycle, importFault, importTable, roomOf } from './support/import-table.ts'

const root = join(import.meta.dirname, '..')

function filesBelow(folder: string): HouseFile[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
    .map((path) => parseHouseFile(path, readFileSync(join(root, path), 'utf8')))
}

const sources = filesBelow('src')
const others = ['assembly', 'bench', 'bin', 'scripts', 'test'].flatMap(filesBelow)
const rooms = importTable(readFileSync(join(root, 'test/house.table.md'), 'utf8'))

describe('the house', () => {
  test.each(HOUSE_RULES)('$name', (rule) => {
    const files = [...sources, ...others].filter((file) => rule.applies(file.path))
    const faults = files.flatMap((file) => rule.faults(file).map((fault) => `${file.path}:${fault}`))
    expect(faults).toEqual([])
  })

  test('imports follow the import table', () => {
    const faults = sources.flatMap((file) => projectImports(file).flatMap((to) => {
      const fault = importFault(rooms, file.path, to)
      return fault === null ? [] : [`${file.path}: ${fault}`]
    }))
    expect(faults).toEqual([])
  })

  test('no room imports itself in a circle', () => {
    expect(importCycle(new Map(sources.map((file) => [file.path, projectImports(file).map(({ to }) => to)])))).toBeNull()
  })

  test('orders are found by their own id in one place, and where a client or a journal has a look-up of its own', () => {
    const found = sources.filter(({ tree }) => /\bIdMap[<(]|\bMap<Id,/.test(tree.text)).map(({ path }) => path).sort()
    expect(found).toEqual([
      'src/model/id-map.ts', 'src/model/saved-state.ts', 'src/orders/own-orders.ts',
      // Contexts of orders and fills, and what an outage held back.
      'src/exchange/adapter/account-contexts.ts', 'src/exchange/adapter/adapter-order-index.ts', 'src/exchange/client-channel.ts',
      // The journal's own knowledge of instruments.
      'src/protocol/field-writer.ts', 'src/protocol/journal-text.ts', 'src/protocol/known-orders.ts', 'src/protocol/record-writer.ts',
      'src/live/farewell-client.ts', 'src/live/open-orders.ts', 'src/strategy/entry-state-watch.ts', 'src/strategy/order-tracker.ts',
    ].sort())
  })

  test('every room of the sources is in the import table', () => {
    expect([...new Set(sources.map((file) => roomOf(file.path)))].filter((name) => name !== undefined && !rooms.has(name))).toEqual([])
  })
})

/** A rule, where a file lies, and what the rule must refuse there. */
const BAD: readonly (readonly [rule: string, path: string, text: string])[] = [
  ['files have at most 400 lines', 'src/book/a.ts', 'f()\n'.repeat(401)],
  ['functions have at most 70 lines', 'src/book/a.ts', `function f() {\n${'  g()\n'.repeat(69)}}\n`],
  ['functions have at most 70 lines', 'bench/a.mjs', `const f = () => {\n${'  g()\n'.repeat(69)}}\n`],
  ['functions have at most 70 lines', 'src/book/a.ts', `class A {\n  f() {\n${'    g()\n'.repeat(69)}  }\n}\n`],
  ['lines have at most 120 characters', 'src/book/a.ts', `f(${'x'.repeat(120)})\n`],
  ['lines have at most 120 characters', 'src/index.ts', `f(${'x'.repeat(120)})\n`],
  ['file names are kebab-case nouns, none a grab bag', 'src/book/priceLevel.ts', ''],
  ['file names are kebab-case nouns, none a grab bag', 'src/book/utils.ts', ''],
  ['file names are kebab-case nouns, none a grab bag', 'test/support/helpers.ts', ''],
  ['file names are kebab-case nouns, none a grab bag', 'src/book/types.ts', ''],
  ['file names are kebab-case nouns, none a grab bag', 'src/book/constants.ts', ''],
  ['rooms have one level of sub-rooms', 'src/exchange/risk/deep/a.ts', ''],
  ['docstrings begin with what comes back', 'src/book/a.ts', '/** What it is. */\nf()\n'],
  ['docstrings begin with what comes back', 'src/book/a.ts', 'class A {\n  /**\n   * How many.\n   */\n  a = 1\n}\n'],
  ['docstrings begin with what comes back', 'scripts/a.mjs', '/** Whether it is. */\nf()\n'],
  ['no notes for later', 'src/book/a.ts', '// TODO: later\nf()\n'],
  ['no notes for later', 'scripts/a.mjs', 'f()\n/* FIXME soon */\n'],
  ['no commented-out code', 'src/book/a.ts', '// const a = 1\nf()\n'],
  ['no commented-out code', 'src/book/a.ts', 'f()\n// g(1, 2)\n'],
  ['no commented-out code', 'src/book/a.ts', 'function f() {\n  // if (a > b) {\n  g()\n}\n'],
  ['no default exports', 'src/book/a.ts', 'export default 1\n'],
  ['no default exports', 'src/book/a.ts', 'export default function f() {}\n'],
  ['no any', 'src/book/a.ts', 'let a: any\n'],
  ['no any', 'src/book/a.ts', 'f(a as any)\n'],
  ['no enums', 'src/book/a.ts', 'enum Side { BID }\n'],
  ['no enums', 'src/book/a.ts', 'const enum Side { BID }\n'],
  ['no namespaces', 'src/book/a.ts', 'namespace A {}\n'],
  ['no non-null assertions', 'src/book/a.ts', 'f(a!)\n'],
  ['no non-null assertions', 'src/book/a.ts', 'class A { a!: string }\n'],
  ['no barrels', 'src/book/index.ts', ''],
  ['no barrels', 'src/book/a.ts', 'export * from \'./b.js\'\n'],
  ['no barrels', 'src/book/a.ts', 'export { b } from \'./b.js\'\n'],
  ['imports have endings', 'src/book/a.ts', 'import { b } from \'./b\'\n'],
  ['statements end without semicolons', 'src/book/a.ts', 'f();\n'],
  ['strings stand in single quotes', 'src/book/a.ts', 'f("a")\n'],
  ['files and sockets at the rim', 'src/book/a.ts', 'import { readFileSync } from \'node:fs\'\n'],
  ['files and sockets at the rim', 'src/book/a.ts', 'import { open } from \'fs/promises\'\n'],
  ['files and sockets at the rim', 'src/book/a.ts', 'import net from \'node:net\'\n'],
  ['files and sockets at the rim', 'src/book/a.ts', 'const http = await import(\'node:http\')\n'],
  ['timers at the rim', 'src/book/a.ts', 'setTimeout(f, 1)\n'],
  ['timers at the rim', 'src/venue/venue.ts', 'globalThis.setInterval(f, 1)\n'],
  ['wall clock at the rim', 'src/book/a.ts', 'f(Date.now())\n'],
  ['wall clock at the rim', 'src/book/a.ts', 'f(new Date())\n'],
  ['wall clock at the rim', 'src/book/a.ts', 'f(performance.now())\n'],
  ['the process at the rim', 'src/book/a.ts', 'process.exit(1)\n'],
  ['the process at the rim', 'src/book/a.ts', 'f(process[\'env\'])\n'],
  ['no Math.random', 'src/book/order-writer.ts', 'f(Math.random())\n'],
  ['only exact mathematics in the simulation', 'src/synthetic/a.ts', 'f(Math.exp(1))\n'],
  ['only exact mathematics in the simulation', 'src/synthetic/a.ts', 'f(2 ** 3)\n'],
]

/** What the rules must let pass, as they would otherwise forbid it by mistake. */
const GOOD: readonly (readonly [path: string, text: string])[] = [
  ['src/tickfile/archive/source-reader.ts', 'import { open } from \'node:fs/promises\'\nsetTimeout(f, Date.now())\n'],
  ['src/cli/main.ts', 'process.stdout.write(String(new Date()))\n'],
  ['src/panels/a-page.ts', 'setTimeout(f, 1)\n'],
  ['src/model/time.ts', 'f(new Date(0).toISOString(), Date.parse(\'x\'))\n'],
  ['src/model/time.ts', 'f(Math.log(2), 2 ** 3)\n'],
  ['src/synthetic/a.ts', 'f(Math.floor(1.5), Math.sqrt(2), Math.imul(2, 3))\n'],
  ['src/book/a.ts', '// A gap that returns (rarely) is a hole: see spec 4, section 6.\nf(`it\'s`, "it\'s")\n'],
  ['test/book/a.test.ts', 'f(a!)\n'],
  ['vitest.config.ts', 'export default {}\n'],
]

describe('the house rules bite', () => {
  test.each(BAD)('%s: %s refuses %j', (name, path, text) => {
    const rule = HOUSE_RULES.find((one) => one.name === name)
    expect(rule?.applies(path)).toBe(true)
    expect(rule?.faults(parseHouseFile(path, text))).not.toEqual([])
  })

  test('every rule has a bad example', () => {
    expect(HOUSE_RULES.filter((rule) => !BAD.some(([name]) => name === rule.name)).map((rule) => rule.name)).toEqual([])
  })

  test.each(GOOD)('%s may hold %j', (path, text) => {
    const rules = HOUSE_RULES.filter((rule) => rule.applies(path))
    const faults = rules.flatMap((rule) => rule.faults(parseHouseFile(path, text)).map((fault) => `${rule.name}: ${fault}`))
    expect(faults).toEqual([])
  })
})

describe('the import table bites', () => {
  const table = importTable([
    '| 0 | `model` | a | - | - |', '| 1 | `book` | b | - | model |', '| 1 | `store` | c | - | model |',
    '| 2.1 | `tickfile/zstd` | d | walker | model |', '| 2.2 | `tickfile` | d | - | book, tickfile/zstd |',
    '| 3 | `export` | e | - | tickfile |', '| 6 | `cli` | e | - | every room |',
  ].join('\n'))

  test.each([
    ['src/book/a.ts', 'src/tickfile/b.ts', /only lower floors/],
    ['src/book/a.ts', 'src/store/b.ts', /only lower floors/],
    ['src/tickfile/zstd/a.ts', 'src/tickfile/b.ts', /only lower floors/],
    ['src/tickfile/a.ts', 'src/store/b.ts', /does not name it/],
    ['src/tickfile/a.ts', 'src/index.ts', /lies in no room/],
    ['src/attic/a.ts', 'src/model/b.ts', /not in the import table/],
    ['src/tickfile/attic/a.ts', 'src/model/b.ts', /not in the import table/],
    ['src/export/a.ts', 'src/tickfile/zstd/decoder.ts', /it is no face of tickfile\/zstd/],
  ])('%s may not import %s', (from, to, words) => {
    expect(importFault(table, from, { to, isType: false })).toMatch(words)
  })

  test.each([
    ['src/book/a.ts', 'src/book/b.ts', false],
    ['src/tickfile/a.ts', 'src/book/b.ts', false],
    ['src/tickfile/a.ts', 'src/tickfile/zstd/decoder.ts', false],
    ['src/export/a.ts', 'src/tickfile/zstd/walker.ts', false],
    ['src/export/a.ts', 'src/tickfile/zstd/decoder.ts', true],
    ['src/cli/a.ts', 'src/store/b.ts', false],
    ['src/index.ts', 'src/cli/b.ts', false],
  ])('%s may import %s (types alone: %s)', (from, to, isType) => {
    expect(importFault(table, from, { to, isType })).toBeNull()
  })

  test.each([
    ['| 1 | `book` | b | - | - |\n| 1 | `store` | c | - | book |\n', /may import only lower floors/],
    ['| 1 | `book/levels` | b | a | - |\n', /has no parent/],
    ['| 1 | `book` | b | a | - |\n', /no sub-room and has no faces/],
    ['| 1 | `book/levels` | b | a, b, c, d, e | - |\n| 1 | `book` | b | - | - |\n', /at most 4 faces, found 5/],
    ['no table', /Cannot read the import table/],
  ])('the table %j is refused', (page, words) => {
    expect(() => importTable(page)).toThrow(words)
  })

  test('a circle is found', () => {
    expect(importCycle(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]]))).toEqual(['b', 'c', 'b'])
    expect(importCycle(new Map([['a', ['b', 'c']], ['b', ['c']]]))).toBeNull()
  })

  test('imports are seen in every form', () => {
    const lines = ['import { b } from "./b.js"', 'import type { C } from "../model/c.js"', 'export { d } from "./d.js"', 'const e = import("./e.js")', 'import "node:fs"']
    const file = parseHouseFile('src/book/a.ts', lines.join('\n'))
    expect(projectImports(file)).toEqual([
      { to: 'src/book/b.ts', isType: false }, { to: 'src/model/c.ts', isType: true },
      { to: 'src/book/d.ts', isType: false }, { to: 'src/book/e.ts', isType: false },
    ])
  })

  test.each([
    ['import { type B } from "./b.js"', true],
    ['import { type B, c } from "./b.js"', false],
    ['import b, { type C } from "./b.js"', false],
    ['import * as b from "./b.js"', false],
  ])('%s imports types alone: %s', (line, isType) => {
    expect(projectImports(parseHouseFile('src/book/a.ts', line))).toEqual([{ to: 'src/book/b.ts', isType }])
  })
})
