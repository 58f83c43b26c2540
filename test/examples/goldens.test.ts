import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectRun } from '../../src/testing.js'
import { packageFolder } from '../support/run-folder.ts'
import { COMPILERS, typeFaultsOfAll } from '../support/strategy-compiler.ts'

const folder = join(packageFolder, 'examples')
const names = readdirSync(folder).filter((name) => !name.includes('.'))

describe.each(names)('%s', (name) => {
  test('does what its golden says', () => expectRun(join(folder, name, `${name}.run.json`)).toMatchGolden(), 60_000)

  test('has at most 60 lines', () => {
    expect(readFileSync(join(folder, name, `${name}.ts`), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })
})

test.each(COMPILERS)('none has a type fault under %s', (compiler) => {
  const texts = new Map(names.map((name) => [name, readFileSync(join(folder, name, `${name}.ts`), 'utf8')]))
  expect([...typeFaultsOfAll(compiler, texts)]).toEqual(names.map((name) => [name, []]))
}, 180_000)
