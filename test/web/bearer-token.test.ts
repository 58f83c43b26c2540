import { expect, test } from 'vitest'
import { bearerOf, isSameToken } from '../../src/web/bearer-token.js'

test.each<[string | undefined, string | null]>([
  [undefined, null], ['', null], ['Bearer', null], ['Bearer ', null], ['Bearer  ', null], ['Basic abc', null], ['Bearerabc', null], ['abc', null], ['Bearer a b', null], [' Bearer abc', null],
  ['Bearer\tabc', null], ['Bearer abc, Bearer abd', null], ['Token Bearer abc', null],
  ['Bearer abc', 'abc'], ['bearer abc', 'abc'], ['BEARER   abc  ', 'abc'], ['Bearer a=b/+c', 'a=b/+c'],
])('the bearer of %j is %j', (authorization, token) => {
  expect(bearerOf({ authorization })).toBe(token)
})

test.each<[string, string, boolean]>([
  ['', '', false], ['', 'a', false], ['a', '', false], ['a', 'b', false], ['A', 'a', false], ['ab', 'a', false], ['a', 'ab', false], ['a ', 'a', false], ['é', 'e\u0301', false], ['a\0', 'a', false],
  ['a', 'a', true], ['0'.repeat(10_000), '0'.repeat(10_000), true], ['é', 'é', true],
])('%j for %j: %s', (given, expected, is) => {
  expect(isSameToken(given, expected)).toBe(is)
})
