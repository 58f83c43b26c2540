import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadStrategy, originalStack } from '../../src/configuration/strategy-module-reader.js'
import { Strategy } from '../../src/strategy/strategy.js'
import { parametersOf } from '../../src/strategy/parameter.js'
import { RunFolder, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

/** A decorator that tells how it was called, as no type can. */
const TELLING = `import { Strategy, Parameter, Integer } from 'backtape'
export const told: string[] = []
function telling(first: unknown, second: unknown): void { told.push(typeof second === 'string' ? 'legacy' : 'standard') }
export class Subject extends Strategy {
  @telling depth: number = 5
  @Parameter(Integer, { optional: true }) levels: number = 3
  told(): readonly string[] { return told }
}
`

interface Telling {
  told(): readonly string[]
}

describe('decorators', () => {
  test('are standard where no tsconfig.json says otherwise', async () => {
    folder.write('standard/subject.ts', TELLING)
    const Subject = await loadStrategy('./standard/subject.ts#Subject', folder.path)
    const subject = new Subject()
    expect((subject as unknown as Telling).told()).toEqual(['standard'])
    expect(parametersOf(subject).map(({ name }) => name)).toEqual(['levels'])
  })

  test('are legacy where the tsconfig.json near the module says experimentalDecorators, also by extends', async () => {
    folder.write('legacy/base.json', { compilerOptions: { experimentalDecorators: true } })
    folder.write('legacy/tsconfig.json', { extends: './base.json' })
    folder.write('legacy/deep/subject.ts', TELLING)
    const Subject = await loadStrategy('./legacy/deep/subject.ts#Subject', folder.path)
    const subject = new Subject()
    expect((subject as unknown as Telling).told()).toEqual(['legacy'])
    expect(parametersOf(subject).map(({ name }) => name)).toEqual(['levels'])
  })

  test.each(['js', 'mjs', 'mts'])('work in a .%s module', async (ending) => {
    folder.write(`plain.${ending}`, `import { Strategy, Parameter, Integer } from 'backtape'
export class Subject extends Strategy {
  @Parameter(Integer, { optional: true }) levels = 3
}
`)
    const Subject = await loadStrategy(`./plain.${ending}#Subject`, folder.path)
    expect(parametersOf(new Subject())).toHaveLength(1)
  })
})

describe('imports', () => {
  test('of backtape are the running package, from any folder', async () => {
    folder.write('subject.ts', strategyModule(''))
    const Subject = await loadStrategy('./subject.ts#Subject', folder.path)
    expect(new Subject()).toBeInstanceOf(Strategy)
    expect(Subject.name).toBe('Subject')
  })

  test('of local modules, packages, JSON and Node work; import.meta is that of each module', async () => {
    folder.write('node_modules/one/package.json', { name: 'one', type: 'module', exports: './one.js' })
    folder.write('node_modules/one/one.js', 'globalThis.loadedOnes = (globalThis.loadedOnes ?? 0) + 1\nexport const one = 1\n')
    folder.write('lib/here.ts', 'export const here: string = import.meta.url\n')
    folder.write('figures.json', { two: 2 })
    folder.write('importing.ts', `import { join } from 'node:path'
import { one } from 'one'
import { Strategy } from 'backtape'
import figures from './figures.json'
import { here } from './lib/here.js'
export class Subject extends Strategy { found = [join('a', 'b'), one, figures.two, here.endsWith('/lib/here.ts'), import.meta.url.endsWith('/importing.ts'), import.meta.dirname] }
export class Second extends Strategy {}
`)
    const Subject = await loadStrategy('./importing.ts#Subject', folder.path)
    await loadStrategy('./importing.ts#Second', folder.path)
    expect(new Subject()).toMatchObject({ found: [join('a', 'b'), 1, 2, true, true, folder.path] })
    expect((globalThis as { loadedOnes?: number }).loadedOnes).toBe(1)
  })

  test('leave nothing behind and give the same class again', async () => {
    folder.write('again/subject.ts', strategyModule(''))
    const first = await loadStrategy('./again/subject.ts#Subject', folder.path)
    expect(await loadStrategy(join(folder.path, 'again/subject.ts#Subject'), '/')).toBe(first)
  })
})

test('a stack names lines of the sources, also of bundled ones', async () => {
  folder.write('throwing/inner.ts', 'interface Unused { readonly a: string }\n\nexport function inner(): never {\n  throw new RangeError("here")\n}\n')
  folder.write('throwing/subject.ts', 'import { Strategy } from "backtape"\nimport { inner } from "./inner.ts"\nexport class Subject extends Strategy {\n  interface = 1\n  override onStart(): void {\n    inner()\n  }\n}\n')
  const Subject = await loadStrategy('./throwing/subject.ts#Subject', folder.path)
  const error = (() => {
    try {
      new Subject().onStart()
    } catch (thrown) {
      return thrown as Error
    }
    return new Error('nothing')
  })()
  const stack = originalStack(error.stack ?? '').split('\n')
  expect(stack[0]).toBe('RangeError: here')
  expect(stack[1]).toContain(`${join(folder.path, 'throwing/inner.ts')}:4:9`)
  expect(stack[2]).toContain(`${join(folder.path, 'throwing/subject.ts')}:6:5`)
})

describe('refusals', () => {
  mkdirSync(join(folder.path, 'bad'))
  const file = (name: string, text: string): void => writeFileSync(join(folder.path, 'bad', name), text)
  file('syntax.ts', 'export class A {\n  a: = 1\n}\n')
  file('gone.ts', 'import { x } from "nowhere"\nimport "backtape/inside"\nimport "./away.js"\nconsole.log(x)\n')
  file('other.ts', 'export class Other {}\nexport const three = 3\nexport class Third {}\n')
  file('empty.ts', '\n')
  file('common.js', 'const three = 3\nmodule.exports = { three }\n')
  const NAME = 'it must be a module ending in .ts, .mts, .js or .mjs, # and the name of a class, such as ./maker.ts#Maker'

  test.each([
    ['./away.ts#A', `there is no file ${join(folder.path, 'bad/away.ts')}`],
    ['./other.ts', NAME],
    ['#A', NAME],
    ['./other.ts#', NAME],
    ['./other.py#A', NAME],
    ['./syntax.ts#A', 'syntax.ts:2:6: Unexpected "="'],
    ['./gone.ts#A', '3 faults:\n  gone.ts:1:19: the package nowhere is not installed: npm install nowhere\n  gone.ts:2:8: backtape exports backtape, backtape/columns, backtape/measures, backtape/report, backtape/serve, backtape/testing, found "backtape/inside"\n  gone.ts:3:8: Could not resolve "./away.js"'],
    ['./other.ts#A', 'other.ts exports no A; it exports Other, Third, three'],
    ['./empty.ts#A', 'empty.ts exports no A; it exports nothing'],
    ['./other.ts#toString', 'other.ts exports no toString; it exports Other, Third, three'],
    ['./other.ts#three', 'three must be a class that extends Strategy, found number'],
    ['./other.ts#Other', 'Other must be a class that extends Strategy, found another class or function'],
    ['./common.js#A', 'common.js exports no A; it exports default'],
  ])('%s', async (reference, why) => {
    await expect(loadStrategy(reference, join(folder.path, 'bad'))).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND', message: `Cannot load the strategy ${reference}: ${why}`, place: { field: 'strategy' },
    })
  })

  test('a module that throws when it is loaded is told with its stack', async () => {
    folder.write('bad/throws.ts', 'interface A { a: 1 }\nthrow new TypeError("not today")\n')
    const message = await loadStrategy('./throws.ts#A', join(folder.path, 'bad')).then(() => '', (error: unknown) => (error as Error).message)
    expect(message.split('\n').slice(0, 2)).toEqual(['Cannot load the strategy ./throws.ts#A: the module threw when it was loaded', 'TypeError: not today'])
    expect(message).toContain(`${join(folder.path, 'bad/throws.ts')}:2:7`)
  })
})
