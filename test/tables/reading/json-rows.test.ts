import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readTable } from '../../../src/tables/reading/table-reader.js'
import { openRowFile } from '../../../src/tables/reading/row-file-reader.js'
import type { SignalValue } from '../../../src/model/signal-row.js'
import { refusalOf } from '../../support/collected.ts'
import { newFolder, removeNewFolders } from '../../support/new-folder.ts'

const folder = newFolder()
afterAll(removeNewFolders)
let count = 0
const put = (text: string | Uint8Array): string => {
  const path = join(folder, `j${count++}.json`)
  writeFileSync(path, text)
  return path
}

const shown = (value: SignalValue): string => (value === null ? 'null' : `${typeof value === 'object' ? 'decimal' : typeof value} ${String(value)}`)

async function rowsOf(path: string, options?: Parameters<typeof openRowFile>[1]): Promise<{ readonly names: readonly string[], readonly rows: readonly (readonly string[])[] }> {
  const file = await openRowFile(path, options)
  const rows: string[][] = []
  try {
    for (let batch = await file.next(); batch !== null; batch = await file.next())
      for (let at = 0; at < batch.rowCount; at++) rows.push(batch.columns.map((column) => shown(column[at] ?? null)))
    return { names: file.columns.map(({ name }) => name), rows }
  } finally {
    await file.close()
  }
}

describe('objects of JSON are rows', () => {
  test.each([
    ['a line each', '{"a":1,"b":"x"}\n{"a":2,"b":null}\n', [['decimal 1', 'string x'], ['decimal 2', 'null']]],
    ['in one array', '[{"a":1,"b":"x"},{"a":2,"b":null}]', [['decimal 1', 'string x'], ['decimal 2', 'null']]],
    ['with spaces, a mark and without a last end of line', '\ufeff \r\n\t{ "a" : 1 , "b" : "x" }\r\n\r\n{"b":"y"}', [['decimal 1', 'string x'], ['null', 'string y']]],
    ['over several lines', '{"a":\n1,\n"b":"x"}{"a":3,"b":"z"}', [['decimal 1', 'string x'], ['decimal 3', 'string z']]],
    ['in another order', '{"a":1,"b":"x"}\n{"b":"y","a":2}', [['decimal 1', 'string x'], ['decimal 2', 'string y']]],
    ['exact', '{"a":0.1000000000000000055511151231257827,"b":123456789012345678901234567890}', [['decimal 0.1000000000000000055511151231257827', 'decimal 123456789012345678901234567890']]],
    ['as cells of CSV', '{"a":"1.5","b":true,"c":"2026-07-01T00:00:00.000000001Z","d":"007"}\n{"a":2.5,"b":"false","c":"2026-07-02","d":"x"}', [['decimal 1.5', 'boolean true', 'bigint 1782864000000000001', 'string 007'], ['decimal 2.5', 'boolean false', 'bigint 1782950400000000000', 'string x']]],
    ['of escapes', '{"a":"\\u00e9\\n\\"\\\\","b":"\\ud83d\\ude00"}', [['string é\n"\\', 'string 😀']]],
    ['with empty texts', '{"a":"","b":null}\n{"a":"x","b":""}', [['string ', 'null'], ['string x', 'string ']]],
  ] as const)('%s', async (_, text, rows) => {
    expect((await rowsOf(put(text))).rows).toEqual(rows)
  })

  test('with kinds that somebody states', async () => {
    const path = put('{"n":7,"t":"7","f":1e-3,"when":1782864000000000000}')
    expect((await rowsOf(path, { stated: { n: 'integer', t: 'text', f: 'double', when: 'integer' } })).rows).toEqual([['number 7', 'string 7', 'number 0.001', 'bigint 1782864000000000000']])
  })

  test('whatever they hold, in whatever pieces they come', async () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `t${text}`), fc.constant(null))
    await fc.assert(fc.asyncProperty(fc.array(fc.record({ a: value, b: fc.option(fc.integer()), c: fc.option(fc.boolean()) }), { minLength: 1, maxLength: 6 }), fc.boolean(), fc.integer({ min: 65_400, max: 65_540 }), async (rows, isArray, spaces) => {
      // A piece ends behind so many bytes.
      const lines = rows.map((row) => JSON.stringify(row))
      const text = isArray ? `[${' '.repeat(spaces)}${lines.join(', ')}]` : `${lines[0]}${' '.repeat(spaces)}\n${lines.slice(1).join('\n')}`
      const wanted = rows.map(({ a, b, c }) => [a === null ? 'null' : `string ${a}`, b === null ? 'null' : `decimal ${b}`, c === null ? 'null' : `boolean ${c}`])
      expect(await rowsOf(put(text))).toEqual({ names: ['a', 'b', 'c'], rows: wanted })
    }), { numRuns: 60 })
  })
})

describe('JSON is refused', () => {
  test.each([
    ['nothing', '[]', 'it must be JSON with at least one object, found none'],
    ['an end in the middle', '{"a":1}\n{"a":', 'Cannot read row 2 of FILE: it must be an object of JSON, found the end of the file'],
    ['an array without an end', '[{"a":1}', 'row 2 of FILE: it must be an object of JSON, found the end of the file'],
    ['other text behind a row', '{"a":1}\nb,c\n', 'row 2 of FILE: it must be an object of JSON, found other text'],
    ['a comma at the end', '[{"a":1},]', 'it must be an object of JSON'],
    ['a number between rows', '{"a":1}\n7\n', 'row 2 of FILE: it must be an object of JSON, found a value that is no object'],
    ['more behind the array', '[{"a":1}]\n{"a":2}', 'row 2 of FILE: it must be an object of JSON, found more behind the array'],
    ['an array in an array', '[[1]]', 'row 1 of FILE: it must be an object of JSON, found an array'],
    ['an object in an object', '{"a":1,"b":{"c":2}}', 'row 1 of FILE: it must be an object of plain values, where "b" is one, found an object'],
    ['a list in an object', '{"a":1}\n{"a":[1,2]}', 'row 2 of FILE: it must be an object of plain values, where "a" is one, found an array'],
    ['a name twice', '{"a":1,"a":2}', 'row 1 of FILE: it must be an object whose names differ, found two of the name "a"'],
    ['a name that the first row lacks', '{"a":1}\n{"a":2,"b":3}', 'row 2 of FILE: it must be an object with the names of the first one (a), found "b"'],
    ['a prototype', '{"__proto__":1}', 'a table without a column __proto__'],
    ['no name', '{}', 'it must be a table of 1 to 1000 columns, found 0'],
    ['a text where numbers are', '{"a":1}\n{"a":"x"}', 'row 2 of FILE: "a" must be a decimal like its first value (or state its type in types), found "x"'],
    ['a number where texts are', '{"a":"x"}\n{"a":1}', 'row 2 of FILE: "a" must be a text like its first value (or state its type in types), found 1'],
    ['a truth where texts are', '{"a":"x"}\n{"a":true}', '"a" must be a text like its first value (or state its type in types), found true'],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'it must be text in UTF-8, found other bytes'],
    ['a row without an end', `{"a":"${'x'.repeat(1_048_600)}"}`, 'row 1 of FILE: it must be an object of at most 1048576 characters, found more'],
  ] as const)('%s', async (_, text, words) => {
    const path = put(text)
    const refusal = await refusalOf(() => rowsOf(path))
    expect(refusal.message.replaceAll(path, 'FILE')).toContain(words)
    expect(['ROW_INVALID', 'FILE_UNREADABLE']).toContain(refusal.code)
  })
})

describe('readTable takes JSON', () => {
  test('with exact decimals at one scale, times, truths and texts', async () => {
    const table = await readTable(put('{"p":1.5,"t":"2026-07-01T00:00:00Z","b":true,"s":"x","none":null}\n{"p":0.25,"s":null}\n'))
    expect(table.rows).toEqual([{ p: '1.5', t: 1_782_864_000_000_000_000n, b: true, s: 'x', none: null }, { p: '0.25', t: null, b: null, s: null, none: null }])
    expect(table.columns.map(({ type }) => type)).toEqual([{ form: 'decimal', precision: 38, scale: 2 }, { form: 'timestamp' }, { form: 'boolean' }, { form: 'text' }, { form: 'text' }])
  })

  test('as it gives it', async () => {
    const table = await readTable(put('[{"p":1.5,"t":"2026-07-01T00:00:00Z","b":true,"s":"x"},{"p":-100,"t":null,"b":false,"s":"y"}]'))
    expect((await readTable(put(JSON.stringify(table.rows, (_, value: unknown) => (typeof value === 'bigint' ? new Date(Number(value / 1_000_000n)).toISOString() : value))))).rows).toEqual(table.rows)
  })

  test.each([
    ['a decimal of 39 digits', `{"p":${'1'.repeat(39)}}`, 'ROW_INVALID', /row 1 of .*"p" must be a decimal of at most 38 digits/],
    ['more rows than the limit', '{"p":1}\n{"p":2}\n{"p":3}', 'LIMIT_EXCEEDED', /at most 2 rows/],
  ] as const)('but not %s', async (_, text, code, words) => {
    const refusal = await refusalOf(() => readTable(put(text), { maxRows: 2 }))
    expect([refusal.code, refusal.message]).toEqual([code, expect.stringMatching(words)])
  })
})
