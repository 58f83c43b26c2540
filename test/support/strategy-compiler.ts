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

/** Declarations are read once; programs of the tests each time, as they change. */
function keepingFiles<Host extends { getSourceFile(name: string, ...more: never[]): unknown }>(host: Host): Host {
  const kept = new Map<string, unknown>()
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name: string, ...more: never[]) => {
    if (!name.endsWith('.d.ts')) return read(name, ...more)
    if (!kept.has(name)) kept.set(name, read(name, ...more))
    return kept.get(name)
  }
  return host
}
const modernHost = keepingFiles(typescript.createCompilerHost(MODERN))
const notebookHost = keepingFiles(typescript50.createCompilerHost(NOTEBOOK))

/** Faults that a compiler finds in a program that imports from 'backtape', as `line: words`. */
export function typeFaults(compiler: Compiler, name: string, text: string): string[] {
  return typeFaultsOfAll(compiler, new Map([[name, text]])).get(name)!
}

/** Faults of several programs by their names: most of the time a compiler begins. */
export function typeFaultsOfAll(compiler: Compiler, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string[]> {
  const files = new Map([...texts].map(([name, text]) => [name, written(`${name}.ts`, text)]))
  const paths = {
    'backtape': [join(root, 'lib/types/index.d.ts')], 'backtape/*': [join(root, 'lib/types/*.d.ts')],
  }
  const program = compiler === COMPILERS[0]
    ? typescript.createProgram([...files.values()], { ...MODERN, paths }, modernHost)
    : typescript50.createProgram([...files.values()], { ...NOTEBOOK, paths }, notebookHost)
  const flatten = compiler === COMPILERS[0] ? typescript.flattenDiagnosticMessageText : typescript50.flattenDiagnosticMessageText
  return new Map([...texts].map(([name, text]) => {
    const source = program.getSourceFile(files.get(name)!)
    const faults = [...program.getSyntacticDiagnostics(source as never), ...program.getSemanticDiagnostics(source as never)]
    return [name, faults.map(({ start = 0, messageText }) => `${text.slice(0, start).split('\n').length}: ${flatten(messageText as never, '\n')}`)]
  }))
}

/** Faults of each of several parts behind a head, compiled as one program: most of the time a compiler begins. */
export function faultsOfParts(compiler: Compiler, name: string, head: string, parts: readonly string[]): string[][] {
  const faults = parts.map((): string[] => [])
  const lineCount = (text: string): number => text.split('\n').length
  for (const fault of typeFaults(compiler, name, [head, ...parts].join('\n'))) {
    let [part, end] = [-1, lineCount(head)]
    while (Number.parseInt(fault) > end) end += lineCount(parts[++part]!)
    if (part < 0) throw new Error(`The head of ${name} has a fault: ${fault}`)
    faults[part]!.push(fault)
  }
  return faults
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
