import { createHash } from 'node:crypto'
import {
  cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadStrategy, originalStack, strategySourceDigest, strategySourceWarnings } from '../../src/configuration/strategy-module-reader.js'
import { RunFolder } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

const SUFFIX = '.backtape-strategy'
const SOURCE = `import { Strategy } from 'backtape'
import { other } from './other.js'
import figures from './figures.json'
export class Maker extends Strategy {
  static word = 'compiled'
  other = other + figures.one + Math.random()
  fail(): void {
    throw new Error('failed')
  }
}
`

interface Maker {
  fail(): void
}

/** A project of its own, its strategy loaded once and its code kept. */
async function project(name: string): Promise<{ readonly place: string, readonly kept: string }> {
  folder.write(`${name}/src/maker.ts`, SOURCE)
  folder.write(`${name}/src/other.ts`, 'export const other: string = "one"\n')
  folder.write(`${name}/src/figures.json`, { one: 1 })
  const place = join(folder.path, name)
  const kept = join(place, 'kept')
  expect(await wordOf(place, kept)).toBe('compiled')
  return { place, kept }
}

async function wordOf(place: string, kept: string): Promise<string> {
  return (await loadStrategy('./src/maker.ts#Maker', place, kept) as unknown as { readonly word: string }).word
}

const keptFile = (kept: string): string => join(kept, readdirSync(kept).find((name) => name.endsWith(SUFFIX)) ?? '')

/** Makes the kept code another, so that it shows where it is used. */
function mark(kept: string): void {
  const [, content = ''] = readFileSync(keptFile(kept), 'utf8').split('\n')
  const bundle = JSON.parse(content) as { readonly code: string }
  const marked = JSON.stringify({ ...bundle, code: bundle.code.replace('compiled', 'kept') })
  writeFileSync(keptFile(kept), `${createHash('sha256').update(marked).digest('hex')}\n${marked}`)
}

describe('a kept bundle', () => {
  type Change = (at: { readonly src: string, readonly place: string, readonly kept: string }) => void
  test.each<readonly [what: string, word: 'kept' | 'compiled', change: Change]>([
    ['is used while nothing changed', 'kept', () => undefined],
    ['is used where a file appears that no import could mean', 'kept', ({ src }) => { writeFileSync(join(src, 'notes.md'), '') }],
    ['is not used when its source changed', 'compiled', ({ src }) => { writeFileSync(join(src, 'maker.ts'), `${SOURCE}\n`) }],
    ['is not used when a local import changed', 'compiled', ({ src }) => { writeFileSync(join(src, 'other.ts'), 'export const other = "two"\n') }],
    ['is not used when imported JSON changed', 'compiled', ({ src }) => { writeFileSync(join(src, 'figures.json'), '{ "one": 2 }') }],
    ['is not used when a module stands in front of one', 'compiled', ({ src }) => { writeFileSync(join(src, 'other.js'), 'export const other = "js"\n') }],
    ['is not used when a tsconfig.json appears', 'compiled', ({ place }) => { writeFileSync(join(place, 'tsconfig.json'), '{}') }],
    ['is not used when a package.json appears', 'compiled', ({ src }) => { writeFileSync(join(src, 'package.json'), '{}') }],
    ['is not used when it is cut', 'compiled', ({ kept }) => { writeFileSync(keptFile(kept), readFileSync(keptFile(kept)).subarray(0, -3)) }],
    ['is not used when a byte of it is another', 'compiled', ({ kept }) => {
      writeFileSync(keptFile(kept), readFileSync(keptFile(kept), 'utf8').replace('figures', 'gigures'))
    }],
    ['is not used when it is empty', 'compiled', ({ kept }) => { writeFileSync(keptFile(kept), '') }],
    ['is not used when it is no JSON', 'compiled', ({ kept }) => {
      writeFileSync(keptFile(kept), `${createHash('sha256').update('x').digest('hex')}\nx`)
    }],
    ['is not used when it is gone', 'compiled', ({ kept }) => { rmSync(kept, { recursive: true }) }],
    ['is not used when a link leads elsewhere', 'compiled', ({ src, place }) => {
      mkdirSync(join(place, 'elsewhere'))
      writeFileSync(join(place, 'elsewhere/other.ts'), 'export const other = "linked"\n')
      unlinkSync(join(src, 'other.ts'))
      symlinkSync(join(place, 'elsewhere/other.ts'), join(src, 'other.ts'))
    }],
  ])('%s', async (what, word, change) => {
    const { place, kept } = await project(what.replaceAll(' ', '-'))
    mark(kept)
    change({ src: join(place, 'src'), place, kept })
    expect(await wordOf(place, kept)).toBe(word)
  })

  test('is that of its own module alone', async () => {
    const { place, kept } = await project('copied')
    mark(kept)
    const copy = join(folder.path, 'copy')
    cpSync(place, copy, { recursive: true })
    expect(await wordOf(copy, join(copy, 'kept'))).toBe('compiled')
  })

  test('says of its sources what they say', async () => {
    const { place, kept } = await project('words')
    const fresh = await loadStrategy('./src/maker.ts#Maker', place)
    mark(kept)
    const used = await loadStrategy('./src/maker.ts#Maker', place, kept)
    expect((used as unknown as { readonly word: string }).word).toBe('kept')
    expect(strategySourceDigest(used)).toBe(strategySourceDigest(fresh))
    expect(strategySourceWarnings(used)).toEqual(strategySourceWarnings(fresh))
    expect(strategySourceWarnings(used)[0]).toMatch(/Math\.random/)
    try {
      (new used() as unknown as Maker).fail()
    } catch (error) {
      expect(originalStack((error as Error).stack ?? '')).toContain(`${join(place, 'src/maker.ts')}:8:11`)
    }
    expect.assertions(6)
  })
})

describe('no bundle is kept', () => {
  test('where nobody asks for it', async () => {
    folder.write('unasked/maker.ts', SOURCE.replace(/import .* from '\.\/.*\n/g, '').replace('other + figures.one + ', ''))
    await loadStrategy('./maker.ts#Maker', join(folder.path, 'unasked'))
    expect(readdirSync(join(folder.path, 'unasked'))).toEqual(['maker.ts'])
  })

  test('where the folder cannot be made', async () => {
    const { place } = await project('unwritable')
    folder.write('unwritable/file', '')
    expect(await wordOf(place, join(place, 'file/kept'))).toBe('compiled')
  })

  test.each([
    ['extends', { extends: './base.json' }], ['paths', { compilerOptions: { paths: { '~/*': ['./src/*'] } } }],
  ])('where a tsconfig.json says %s', async (word, config) => {
    folder.write(`leads-${word}/base.json`, {})
    folder.write(`leads-${word}/tsconfig.json`, config)
    const { kept } = await project(`leads-${word}`)
    expect(existsSync(kept)).toBe(false)
  })

  test('beyond the 64 that were used last', async () => {
    const { place, kept } = await project('many')
    for (let number = 0; number < 80; number++) {
      const path = join(kept, `${String(number)}${SUFFIX}`)
      writeFileSync(path, '')
      utimesSync(path, number, number)
    }
    writeFileSync(join(place, 'src/other.ts'), 'export const other = "new"\n')
    await wordOf(place, kept)
    const names = readdirSync(kept)
    expect(names).toHaveLength(64)
    expect(names).not.toContain(`16${SUFFIX}`)
    expect(names).toContain(`17${SUFFIX}`)
  })
})
