import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import typescript from 'typescript'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

interface PublicName {
  readonly name: string
  readonly kind: string
  readonly meaning: string
}

interface EntryNames {
  readonly name: string
  readonly names: readonly PublicName[]
}

/** The same list as docs/reference/api.md, which test/docs compares with the page. */
function publicEntries(): readonly EntryNames[] {
  const url = new URL('../../scripts/api-page.mjs', import.meta.url).href
  const code = `const page = await import(${JSON.stringify(url)}); console.log(JSON.stringify(page.publicNames()))`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  expect(run.stderr).toBe('')
  return JSON.parse(run.stdout) as readonly EntryNames[]
}

describe('public names', () => {
  const entries = publicEntries()

  test('have seven entries, and the root has fewer than 140', () => {
    expect(entries.map(({ name }) => name)).toEqual(['backtape', 'backtape/columns', 'backtape/measures', 'backtape/report', 'backtape/serve', 'backtape/shop', 'backtape/testing'])
    expect(entries[0]!.names.length).toBeLessThan(140)
  })

  test('belong to one entry each', () => {
    const names = entries.flatMap((entry) => entry.names.map(({ name }) => name))
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test('are known to resolvers of exports and to those of typesVersions', () => {
    const { exports, typesVersions } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
      exports: Record<string, { types?: string }>
      typesVersions: { '*': Record<string, readonly string[]> }
    }
    const typed = Object.entries(exports).filter(([path, { types }]) => path !== '.' && types !== undefined)
    expect(typesVersions['*']).toEqual(Object.fromEntries(typed.map(([path, { types }]) => [path.slice(2), [types]])))
  })
})

describe('what a strategy may read and never write', () => {
  const entry = resolve(root, 'dist/index.d.ts')
  const program = typescript.createProgram([entry], {
    target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.NodeNext,
    moduleResolution: typescript.ModuleResolutionKind.NodeNext, strict: true, types: [],
  })
  const checker = program.getTypeChecker()

  function isWritable(member: typescript.Symbol): boolean {
    const flags = typescript.getCombinedModifierFlags(member.valueDeclaration ?? member.declarations![0]!)
    const kept = typescript.ModifierFlags.Private | typescript.ModifierFlags.Protected
      | typescript.ModifierFlags.Readonly
    const isField = (member.flags & typescript.SymbolFlags.Property) !== 0
    return isField && !/^(#|__)/.test(member.name) && (flags & kept) === 0
  }

  test.each(['Account', 'DataInstrument', 'Order', 'TradingInstrument'])('%s has no field to write', (name) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!
    const owner = checker.getAliasedSymbol(checker.getExportsOfModule(module).find((one) => one.name === name)!)
    const members = checker.getDeclaredTypeOfSymbol(owner).getProperties()
    expect(members.length).toBeGreaterThan(5)
    expect(members.filter(isWritable).map((member) => member.name)).toEqual([])
  })
})
