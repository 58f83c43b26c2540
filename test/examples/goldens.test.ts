import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectRun } from '../../src/testing.js'
import { packageFolder } from '../support/run-folder.ts'
import { COMPILERS, typeFaults } from '../support/strategy-compiler.ts'

const folder = join(packageFolder, 'examples')
const names = readdirSync(folder).filter((name) => !name.includes('.'))

describe.each(names)('%s', (name) => {
  test('does what its golden says', () => expectRun(join(folder, name, `${name}.run.json`)).toMatchGolden(), 60_000)

  test('has at most 60 lines', () => {
    expect(readFileSync(join(folder, name, `${name}.ts`), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })

  test.each(COMPILERS)('has no type fault under %s', (compiler) => {
    expect(typeFaults(compiler, name, readFileSync(join(folder, name, `${name}.ts`), 'utf8'))).toEqual([])
  }, 180_000)
})
