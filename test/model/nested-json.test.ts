import { expect, test } from 'vitest'
import { parseNestedJson } from '../../src/model/nested-json.js'

test.each([
  ['[1,{"a":"[[[[\\"[[[{{{"}]', 3], ['"]]]"', 1], ['[[],[],[{}]]', 3], ['7', 0],
])('%s is read as JSON is', (text, limit) => {
  expect(parseNestedJson(text, limit)).toEqual(JSON.parse(text))
})

test.each([['[[[]]]', 2], ['{"a":{"b":[]}}', 2], ['['.repeat(10_000_000), 64], [`{"a":${'['.repeat(65)}${']'.repeat(65)}}`, 64]])('brackets beyond a limit are refused', (text, limit) => {
  expect(() => parseNestedJson(text, limit)).toThrow(`brackets nested more than ${limit} deep`)
})

test.each(['', '[', '{"a"}', '[1,]', '// 1'])('%j is no JSON', (text) => {
  expect(() => parseNestedJson(text)).toThrow(SyntaxError)
})
