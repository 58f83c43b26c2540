import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restoredRows, savedRows } from '../../src/model/saved-rows.js'

test('no rows are no columns', () => {
  expect(savedRows([])).toEqual({ count: 0, columns: [] })
  expect(restoredRows(savedRows([]))).toEqual([])
})

test('a field that few rows have names them; a nested record is columns; null is a value, undefined is none', () => {
  const rows = [{ id: 'a', more: undefined, of: { x: 1 } }, { id: 'b', more: null, of: { x: 2, y: [3] } }]
  expect(savedRows(rows, ['of'])).toEqual({
    count: 2,
    columns: [
      { name: 'id', values: ['a', 'b'] },
      { name: 'of', values: { count: 2, columns: [{ name: 'x', values: [1, 2] }, { name: 'y', at: [1], values: [[3]] }] } },
      { name: 'more', at: [1], values: [null] },
    ],
  })
})

test('a value that all rows have stands once; a list does not, nor what is no number', () => {
  const rows = [{ side: 'BID', none: null, list: [1], ahead: NaN }, { side: 'BID', none: null, list: [1], ahead: NaN }]
  expect(savedRows(rows).columns).toEqual([
    { name: 'side', value: 'BID' }, { name: 'none', value: null }, { name: 'list', values: [[1], [1]] },
    { name: 'ahead', values: [NaN, NaN] },
  ])
  expect(restoredRows(savedRows(rows))).toEqual(rows)
})

test('rows come back from the text of their columns as they were', () => {
  const field = fc.constantFrom('a', 'b', 'c', 'd')
  const value = fc.oneof(fc.constant(7), fc.integer(), fc.string(), fc.constant(null), fc.constant([1, 'x']), fc.constant({ y: 2 }))
  const row = fc.record({ fields: fc.dictionary(field, value), of: fc.dictionary(field, value) }).map(({ fields, of }) => ({ ...fields, of }))
  fc.assert(fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
    const text = JSON.stringify(savedRows(rows, ['of']))
    expect(restoredRows(JSON.parse(text) as ReturnType<typeof savedRows<object>>)).toEqual(rows)
  }))
})
