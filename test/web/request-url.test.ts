import { expect, test } from 'vitest'
import { queryValue, requestPath, unescapedPart } from '../../src/web/request-url.js'

test.each<[string, string]>([['/', '/'], ['', ''], ['/a?b=c', '/a'], ['/a?b?c', '/a'], ['?b', ''], ['/a%3Fb', '/a%3Fb'], ['http://evil.example/a?b', 'http://evil.example/a']])('the path of %j is %j', (url, path) => {
  expect(requestPath(url)).toBe(path)
})

test.each<[string, string | null]>([
  ['/a', ''], ['/a?', ''], ['/a?T=1', ''], ['/a?tt=1', ''], ['/a?t', ''], ['/a?t=', ''],
  ['/a?t=1&t=1', null], ['/a?t=1&%74=2', null], ['/a?t=%', null], ['/a?%=1', null], ['/a?t=1&x=%zz', null],
  ['/a?t=1', '1'], ['/a?%74=1', '1'], ['/a?x=2&t=a=b', 'a=b'], ['/a?t=a%26b', 'a&b'], ['/a?t=a+b', 'a+b'],
])('t of %j is %j', (url, value) => {
  expect(queryValue(url, 't')).toBe(value)
})

test.each<[string, string]>([['a', 'a'], ['a%2Fb', 'a/b'], ['%', '%'], ['%zz', '%zz'], ['%ff', '%ff'], ['', '']])('%j unescaped is %j', (part, text) => {
  expect(unescapedPart(part)).toBe(text)
})
