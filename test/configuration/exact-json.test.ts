import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readExactJson } from '../../src/configuration/exact-json-reader.js'
import { newFolder } from '../support/new-folder.ts'

const folder = newFolder('exact-json-')
const path = join(folder, 'a.run.json')

async function read(text: string): Promise<unknown> {
  await writeFile(path, text)
  return readExactJson({ place: path, what: 'run file', name: 'a.run.json', code: 'RUN_FILE_INVALID' })
}

describe('run files and profiles as people write them', () => {
  test.each([
    ['// a run\n{"a": 1, /* why */ "b": [1, 2,], // end\n}\n', { a: 1, b: [1, 2] }],
    ['\uFEFF{"a":"// no comment, /* none */ ,]"}', { a: '// no comment, /* none */ ,]' }],
    ['{"__proto__": {"x": 1}, "a": [ [ ] , ]\n/* , */ , }', JSON.parse('{"__proto__": {"x": 1}, "a": [[]]}')],
    ['[1,\r\n2 , // last\r\n]', [1, 2]],
  ])('%j', async (text, expected) => {
    expect(await read(text)).toEqual(expected)
  })

  test('any JSON is read as JSON.parse reads it', async () => {
    await fc.assert(fc.asyncProperty(fc.json({ noUnicodeString: false, maxDepth: 5 }).filter((text) => !/\d[eE.]|\d{15}|-0/.test(text)), async (text) => {
      expect(await read(`/* a */ ${text} // b`)).toEqual(JSON.parse(text))
    }), { numRuns: 300 })
  })

  test.each([
    ['{\n  "a": 1\n  "b": 2\n}', 'expected a comma, found "b" at line 3, column 3'],
    ['{"a": nope}', 'expected JSON: names and texts stand in double quotes, found nope at line 1, column 7'],
    ['{"a": 1,\n\n "b": }', 'expected a value, found } at line 3, column 7'],
    ['{"a": [1, 2}', 'expected a comma, found } at line 1, column 12'],
    ['', 'expected a value, found the end of the file at line 1, column 1'],
    ['{', 'expected a closing }, found the end of the file at line 1, column 2'],
    ['{,}', 'expected'],
    ['[,]', 'expected a value, found , at line 1, column 2'],
    ['[1,,]', 'expected a value, found , at line 1, column 4'],
    ['{"a": "x\ny"}', 'expected the closing quote of a text, found "x at line 1, column 7'],
    ['{"a": "\\x"}', 'after a backslash, found "\\x" at line 1, column 7'],
    ['{"a": 01}', 'expected'],
    ['/* open', 'expected the end of the comment, */, found /* open at line 1, column 1'],
    ['{"a": 1} 2', 'expected the end of the file, found 2 at line 1, column 10'],
    ["{'a': 1}", "expected JSON: names and texts stand in double quotes, found 'a' at line 1, column 2"],
    ['{"a": 1, /* x */ "a": 2}', 'a: expected one value, found another value of the same name'],
    ['{"a": 0.1000000000000000000001, }', 'a: expected a number that can be held exactly'],
    ['[0.1, /* , */ 12345678901234567890]', '[1]: expected a number that can be held exactly'],
  ])('%j is refused with its place', async (text, words) => {
    await expect(read(text)).rejects.toThrow(words)
    await expect(read(text)).rejects.toMatchObject({ code: 'RUN_FILE_INVALID' })
  })

  test.each([
    ['brackets', '['.repeat(1_000_000)], ['whole brackets', `${'['.repeat(65)}${']'.repeat(65)}`], ['objects', '{"a":'.repeat(200_000)],
    ['brackets that others close', '[},'.repeat(200_000)], ['objects that others close', '{"a":],'.repeat(200_000)], ['brackets behind the end', `${']'.repeat(1000)}${'['.repeat(200_000)}`],
  ])('%s without end are refused, and no stack ends', async (_name, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'RUN_FILE_INVALID' })
  })

  test('sixty-four deep is read', async () => {
    const text = `${'['.repeat(64)}${']'.repeat(64)}`
    expect(await read(text)).toEqual(JSON.parse(text))
  })

  test('a text of megabytes without a name', async () => {
    expect(await read(JSON.stringify({ a: '\\"'.repeat(2_000_000) }))).toEqual({ a: '\\"'.repeat(2_000_000) })
  })
})
