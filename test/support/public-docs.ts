import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')
const { typesVersions } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly typesVersions: { readonly '*': object } }

/** The entries of the package. */
export const ENTRIES: readonly string[] = ['index', ...Object.keys(typesVersions['*'])].map((name) => `src/${name}.ts`)

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
  /** False for types, which are gone at run time. */
  readonly isValue: boolean
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

interface EntryPoint {
  readonly checker: ts.TypeChecker
  /** Exports by their public names, aliases resolved. */
  readonly exports: readonly (readonly [name: string, symbol: ts.Symbol])[]
}

let sources: ts.Program | undefined

function entryPoint(entry: string): EntryPoint {
  // One program for all: each reads the whole of the sources.
  const program = sources ??= ts.createProgram([...ENTRIES, 'src/webassembly.d.ts'].map((path) => join(root, path)), optionsOf(), hostOf(optionsOf()))
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(join(root, entry))
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  const exports = module === undefined ? [] : checker.getExportsOfModule(module)
  const aliased = (one: ts.Symbol): ts.Symbol => one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
  return { checker, exports: exports.map((exported) => [exported.name, aliased(exported)]) }
}

/** The exports of an entry point (`src/index.ts`) with their docstrings. */
export function publicExports(entry: string): PublicExport[] {
  const { checker, exports } = entryPoint(entry)
  return exports.map(([name, symbol]) => {
    const members = [...symbol.members?.values() ?? [], ...symbol.exports?.values() ?? []]
    return {
      name,
      documentation: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      callable: isCallable(symbol),
      isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
      examples: [
        ...examplesOf(name, symbol),
        ...members.flatMap((member) => examplesOf(`${name}.${member.name}`, member)),
      ],
    }
  })
}

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected

function isPublicMember(node: ts.Node): node is ts.PropertySignature | ts.MethodSignature | ts.ClassElement {
  const isMember = ts.isPropertySignature(node) || ts.isMethodSignature(node) || ts.isPropertyDeclaration(node)
    || ts.isMethodDeclaration(node) || ts.isGetAccessor(node)
  return isMember && !/^[#[]/.test(node.name.getText()) && (ts.getCombinedModifierFlags(node) & HIDDEN) === 0
}

/** The only value that it can have says all of a field such as `kind: 'trades'`. */
function isOneValue(node: ts.Node): boolean {
  return ts.isPropertySignature(node) && node.type !== undefined && ts.isLiteralTypeNode(node.type)
}

/**
 * Members of the exported interfaces and classes without a docstring, as `file: Owner.member`. The docstring of a
 * member or type is also that of the literal types inside it.
 */
export function undocumentedMembers(entry: string): string[] {
  const declarations = entryPoint(entry).exports.flatMap(([, symbol]) => symbol.declarations ?? [])
  return declarations
    .filter((one) => ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one))
    .filter((one) => !one.getSourceFile().fileName.includes('/node_modules/'))
    .flatMap((owner) => [...owner.members].filter(isPublicMember)
      .filter((member) => !isOneValue(member) && !ts.getJSDocCommentsAndTags(member).some((one) => ts.isJSDoc(one)))
      .map((member) => {
        const file = owner.getSourceFile().fileName.slice(root.length + 1)
        return `${file}: ${owner.name?.text}.${member.name?.getText()}`
      }))
}

/** Declarations of the language and of packages, read once: each program reads the same hundreds. */
const declarations = new Map<string, ts.SourceFile | undefined>()

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes('/node_modules/')) return read(path, ...rest)
    if (!declarations.has(path)) declarations.set(path, read(path, ...rest))
    return declarations.get(path)
  }
  return host
}

/** Type faults of programs that import the built package by its name, in words. Paths lie inside the project. */
export function typeFaults(paths: readonly string[], options: ts.CompilerOptions = {}): string[] {
  const all = {
    ...optionsOf(), noEmit: true, isolatedDeclarations: false, declaration: false, declarationMap: false, rootDir: root, skipLibCheck: true,
    noUncheckedIndexedAccess: false, ...options,
  }
  const program = ts.createProgram(paths, all, hostOf(all))
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
