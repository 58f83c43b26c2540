import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import typescript from 'typescript'
import typescript50 from 'typescript-5.0'

const root = resolve(import.meta.dirname, '../..')
const folder = join(root, 'dist/.usage')

/** The two ways in which users' decorators are compiled: by TypeScript 6 (standard) and as tslab does it (TypeScript 5.0, legacy, no metadata, node10). */
export const COMPILERS = ['TypeScript 6, standard decorators', 'TypeScript 5.0, legacy decorators'] as const
export type Compiler = (typeof COMPILERS)[number]

type Options6 = typescript.CompilerOptions
type Options50 = typescript50.CompilerOptions

const STRICT = { strict: true, noEmit: true, skipLibCheck: true, lib: ['lib.es2022.d.ts'], types: [] as string[] }
const MODERN: Options6 = { ...STRICT, target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.ESNext, moduleResolution: typescript.ModuleResolutionKind.Bundler }
const NOTEBOOK: Options50 = {
  ...STRICT, target: typescript50.ScriptTarget.ES2022, module: typescript50.ModuleKind.ESNext, moduleResolution: typescript50.ModuleResolutionKind.Node10, experimentalDecorators: true, baseUrl: root,
}

/** Faults that a compiler finds in a program that imports from 'backtape', as `line: words`. */
export function typeFaults(compiler: Compiler, name: string, text: string): string[] {
  const file = written(`${name}.ts`, text)
  const paths = {
    'backtape': [join(root, 'lib/types/index.d.ts')], 'backtape/*': [join(root, 'lib/types/*.d.ts')],
  }
  const program = compiler === COMPILERS[0]
    ? typescript.createProgram([file], { ...MODERN, paths })
    : typescript50.createProgram([file], { ...NOTEBOOK, paths })
  const source = program.getSourceFile(file)
  const flatten = compiler === COMPILERS[0] ? typescript.flattenDiagnosticMessageText : typescript50.flattenDiagnosticMessageText
  return [...program.getSyntacticDiagnostics(source as never), ...program.getSemanticDiagnostics(source as never)]
    .map(({ start = 0, messageText }) => `${text.slice(0, start).split('\n').length}: ${flatten(messageText as never, '\n')}`)
}

/** Compiles a program that imports from 'backtape' and loads it. */
export async function loaded(compiler: Compiler, name: string, text: string): Promise<{ readonly [name: string]: unknown }> {
  const { outputText } = compiler === COMPILERS[0]
    ? typescript.transpileModule(text, { compilerOptions: MODERN })
    : typescript50.transpileModule(text, { compilerOptions: NOTEBOOK })
  const file = written(`${name}-${COMPILERS.indexOf(compiler)}.mjs`, outputText.replace(/from 'backtape'/g, `from '${pathToFileURL(join(root, 'dist/index.js')).href}'`))
  return await import(/* @vite-ignore */ pathToFileURL(file).href) as { readonly [name: string]: unknown }
}

function written(name: string, text: string): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
