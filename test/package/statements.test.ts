import { describe, expect, it, test } from 'vitest'

interface Statements {
  countStatements(text: string): number
  statementsByRoom(files: { path: string, text: string }[]): Map<string, number>
  statementsTable(now: Map<string, number>, before?: Map<string, number>): string
}

const script = new URL('../../scripts/statements.mjs', import.meta.url).href
const { countStatements, statementsByRoom, statementsTable } = await import(script) as Statements

describe('a count of statements', () => {
  it.each([
    ['', 0],
    ['// f()\n', 0],
    [';;', 0],
    ['{ }', 0],
    ['f()\ng()', 2],
    ['{ f(); { g() } }', 2],
    ['if (a) f()\nelse { g() }', 3],
    ['const a = 1, b = 2', 1],
    ['function f() { return 1 }', 2],
    ['const f = () => 1', 1],
    ['class A { b = 1\n c() { return this.b } }', 2],
    ['import { a } from \'a\'\nexport { a }', 2],
    ['interface A { b: number }\ntype C = A', 2],
  ])('%j: %d', (text, count) => {
    expect(countStatements(text)).toBe(count)
  })
})

test('a room is the folder of a file, sub-rooms apart', () => {
  const files = ['src/index.ts', 'src/book/a.ts', 'src/book/b.ts', 'src/exchange/risk/a.ts']
  expect([...statementsByRoom(files.map((path) => ({ path, text: 'f()' })))])
    .toEqual([['(doors)', 1], ['book', 2], ['exchange/risk', 1]])
})

test('a table names rooms of both sides and the change in percent', () => {
  const now = new Map([['book', 3], ['files', 1]])
  expect(statementsTable(now)).toBe('| room | now |\n|---|---|\n| book | 3 |\n| files | 1 |\n| total | 4 |')
  expect(statementsTable(now, new Map([['book', 4], ['data', 1]]))).toBe([
    '| room | before | now | % |', '|---|---|---|---|',
    '| book | 4 | 3 | -25.0 |', '| data | 1 | 0 | -100.0 |', '| files | 0 | 1 | new |', '| total | 5 | 4 | -20.0 |',
  ].join('\n'))
})
