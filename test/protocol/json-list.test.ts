import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonListFault, JsonListReader, type JsonListOptions } from '../../src/protocol/json-list.js'
import { parseWireJson } from '../../src/protocol/wire-json.js'

interface Read { readonly items: readonly unknown[], readonly rest: unknown }

/** A text read in pieces that end at some places. */
function read(text: string, ends: readonly number[] = [], more: Partial<JsonListOptions> = {}): Read {
  const reader = new JsonListReader({ list: 'days', numbers: 'exact', ...more })
  const cuts = [0, ...ends.map((end) => end % (text.length + 1)).sort((a, b) => a - b), text.length]
  const items = cuts.slice(1).flatMap((end, at) => reader.push(text.slice(cuts[at], end)))
  return { items, rest: reader.end() }
}

function faultOf(text: string, more: Partial<JsonListOptions> = {}): string {
  try {
    read(text, [], more)
  } catch (error) {
    if (error instanceof JsonListFault) return error.kind
    throw error
  }
  return 'none'
}

describe('a long list of JSON', () => {
  test.each<readonly [string, Read]>([
    ['{"days":[{"size":1},{"size":2}],"next":null}', { items: [{ size: 1 }, { size: 2 }], rest: { next: null } }],
    ['[1,"a",null,true,[],{}]', { items: [1, 'a', null, true, [], {}], rest: {} }],
    ['{"a":{"days":[3]},"days":[],"days2":[4]}', { items: [], rest: { a: { days: [3] }, days2: [4] } }],
    [' { "b" : [ [ ] , { } ] , "days" : [ "\\u00e9\\n" ] } ', { items: ['é\n'], rest: { b: [[], {}] } }],
    ['{"days":{"size":1}}', { items: [], rest: null }], ['{}', { items: [], rest: null }],
    ['[9007199254740993,-0.5,1e3,12345678901234]', { items: [9007199254740993n, -0.5, 1000, 12345678901234], rest: {} }],
  ])('%s', (text, wanted) => {
    expect(read(text)).toEqual(wanted)
    expect(read(text, Array.from({ length: text.length }, (_, at) => at))).toEqual(wanted)
  })

  test('numbers may be texts with their digits', () => {
    expect(read('{"days":[{"a":1.50,"b":-10000000000000000001e2}],"c":7}', [], { numbers: 'digits' })).toEqual({ items: [{ a: '1.50', b: '-10000000000000000001e2' }], rest: { c: '7' } })
  })

  test('a name of the language is a name', () => {
    const { items: [item] } = read('[{"__proto__":{"a":1},"constructor":2}]')
    expect([Object.keys(item as object), ({} as { a?: number }).a]).toEqual([['__proto__', 'constructor'], undefined])
  })

  test.each([
    '', '{', '{"days":[', '{"days":[1]', '[1', '[1]]', '[1] x', '{"days":[1],}', '[01]', '[1,]', '["a', '["\u0001"]', 'true', '7', '"a"', '[NaN]', '{days:[]}', '<html>', '[-]',
    `[${'['.repeat(70)}`, '[1e999]', `[${'9'.repeat(61)}]`,
  ])('%j is refused', (text) => {
    expect(faultOf(text)).toBe('malformed')
  })

  test.each([
    ['a long text', `["${'x'.repeat(300)}"]`], ['a long name', `[{"${'x'.repeat(300)}":1}]`], ['many values', `[[${'1,'.repeat(100)}1]]`],
    ['many names', `[{${Array.from({ length: 60 }, (_, at) => `"${at}":{}`).join()}}]`], ['a long number', `[${'9'.repeat(300)}]`],
    ['much beside the list', `{${Array.from({ length: 60 }, (_, at) => `"a${at}":"xxx"`).join()},"days":[]}`],
  ])('%s is too large', (_, text) => {
    expect(faultOf(text, { lettersMax: 250 })).toBe('too large')
  })

  test('any number of items of any size below the limit', () => {
    const items = Array.from({ length: 20_000 }, (_, at) => ({ at, text: 'x'.repeat(200) }))
    expect(read(JSON.stringify({ days: items }), [70_000, 1_000_000], { lettersMax: 250 }).items).toEqual(items)
  })

  test('reads what a message reads, wherever the text is cut', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat(5000)), (days, more, cuts) => {
      const { days: _days, ...rest } = more
      const text = JSON.stringify({ ...rest, days })
      const parsed = parseWireJson(text).value as { days: unknown[] }
      const { days: wanted, ...beside } = parsed
      expect(read(text, cuts)).toEqual({ items: wanted, rest: beside })
    }))
  })
})
