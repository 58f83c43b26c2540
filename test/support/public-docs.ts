import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')

/** A program in a docstring. */
interface DocExample {
  /** Name of the export it belongs to, with its member where it has one: `OrderBook.apply`. */
  readonly name: string
  readonly code: string
}

/** An export of the package and what its docstring holds. */
export interface PublicExport {
  readonly name: string
  readonly documentation: string
  /** True for functions: these want an example. */
  readonly callable: boolean
  readonly examples: readonly DocExample[]
}

function optionsOf(): ts.CompilerOptions {
  const file = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config as { compilerOptions: unknown }
  return ts.convertCompilerOptionsFromJson(file.compilerOptions, root).options
}

// Out of the comment's own text: the compiler takes a decorator inside a fence for a tag.
function examplesOf(name: string, symbol: ts.Symbol): DocExample[] {
  const comments = (symbol.declarations ?? []).flatMap((declaration) => ts.getJSDocCommentsAndTags(declaration)).filter((one) => ts.isJSDoc(one))
  return comments.map((comment) => comment.getFullText().replace(/^ *\* ?/gm, ''))
    .flatMap((text) => text.split('@example').slice(1))
    .flatMap((text) => [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => ({ name, code: match[1]! })))
}

function isCallable(symbol: ts.Symbol): boolean {
  return symbol.valueDeclaration !== undefined && ts.isFunctionDeclaration(symbol.valueDeclaration)
}

/** The exports of an entry point (`src/index.ts`) with their docstrings. */
export function publicExports(entry: string): PublicExport[] {
  const program = ts.createProgram([join(root, entry), join(root, 'src/webassembly.d.ts')], optionsOf())
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(root, entry))
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) return []
  return checker.getExportsOfModule(module).map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const members = [...symbol.members?.values() ?? [], ...symbol.exports?.values() ?? []]
    return {
      name: exported.name,
      documentation: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      callable: isCallable(symbol),
      examples: [...examplesOf(exported.name, symbol), ...members.flatMap((member) => examplesOf(`${exported.name}.${member.name}`, member))],
    }
  })
}

/** Type faults of programs that import the built package by its name, in words. Paths lie inside the project. */
export function typeFaults(paths: readonly string[], options: ts.CompilerOptions = {}): string[] {
  const program = ts.createProgram(paths, {
    ...optionsOf(), noEmit: true, isolatedDeclarations: false, declaration: false, declarationMap: false, rootDir: root, skipLibCheck: true,
    noUncheckedIndexedAccess: false, ...options,
  })
  return ts.getPreEmitDiagnostics(program).map((fault) => {
    const words = ts.flattenDiagnosticMessageText(fault.messageText, '\n')
    const line = fault.file === undefined ? '' : `${fault.file.fileName}:${ts.getLineAndCharacterOfPosition(fault.file, fault.start ?? 0).line + 1}: `
    return line + words
  })
}

/** The JavaScript of a TypeScript program. */
export function plainProgram(code: string): string {
  return ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, experimentalDecorators: true } }).outputText
}
