import { expect, test } from 'vitest'
import { fieldsOf } from '../../../src/web/rest/request-fields.js'

test.each<[string, Record<string, unknown>]>([
  ['', {}], ['&&', {}], ['a=1', { a: '1' }], ['a', { a: '' }], ['a=', { a: '' }], ['=b', { '': 'b' }], ['a=b=c', { a: 'b=c' }], ['a=1&b=2', { a: '1', b: '2' }], ['a=1&a=2', { a: ['1', '2'] }], ['a=1&a=2&%61=3', { a: ['1', '2', '3'] }],
  ['a+b=c+d', { 'a b': 'c d' }], ['a=%2B', { a: '+' }], ['a=%E2%82%AC', { a: '€' }], ['a=%', { a: [] }], ['a=%zz&b=1', { a: [], b: '1' }], ['a=%ff', { a: [] }], ['%zz=1', { '%zz': [] }], ['a=1&a=%zz', { a: ['1'] }], ['a[0]=1', { 'a[0]': '1' }],
  ['a=1;b=2', { a: '1;b=2' }],
])('%s', (text, fields) => {
  expect(fieldsOf(text)).toEqual(fields)
})

test('a field of any name is one of its own', () => {
  expect(Object.keys(fieldsOf('__proto__=1&constructor=2'))).toEqual(['__proto__', 'constructor'])
})
