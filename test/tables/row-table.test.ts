import { inspect } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { expect, test } from 'vitest'
import { tableOf } from '../../src/tables/row-table.js'

const formsOf = (...rows: Parameters<typeof tableOf>[0]): string[] => (
  tableOf(rows).columns.map(({ name, type: { form }, nullable }) => `${name} ${form}${nullable ? ' or null' : ''}`)
)

test.each([
  [[{ a: 1 }, { a: NaN }], ['a double']],
  [[{ a: '1' }, { a: '-2.50' }], ['a decimal']],
  [[{ a: '1' }, { a: '' }], ['a text']],
  [[{ a: '1' }, { a: '1e5' }], ['a text']],
  [[{ a: '123456789012345678901' }], ['a text']],
  [[{ a: 1n }, { a: 2n ** 64n - 1n }], ['a uint64']],
  [[{ a: 2n ** 64n }], ['a text']],
  [[{ a: -1n }], ['a text']],
  [[{ a: 1 }, { a: '1' }], ['a text']],
  [[{ a: true }, { b: false }], ['a boolean or null', 'b boolean or null']],
  [[{ a: null }, { a: undefined }], ['a text or null']],
  [[], []],
])('columns of the rows of case %#', (rows: Parameters<typeof tableOf>[0], forms) => {
  expect(formsOf(...rows)).toEqual(forms)
})

test('columns stand in the order in which rows first have them; values are kept', () => {
  const table = tableOf([{ b: '1.10', a: 'x' }, { a: 'y', c: 2 }])
  expect(table.rows).toEqual([{ b: '1.10', a: 'x', c: null }, { b: null, a: 'y', c: 2 }])
  expect(table.numbers('b')).toEqual(Float64Array.of(1.1, NaN))
})

test('it shows itself, and other libraries read it', () => {
  const table = tableOf([{ market: '<b>spot', bps: '1.85' }])
  expect(inspect(table)).toContain('<b>spot')
  expect([...tableFromIPC(table.toArrow()).getChild('market')!] as unknown[]).toEqual(['<b>spot'])
})
