// The page of public names: every export of every entry of package.json, out of the built declarations.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './project.mjs'
import { cell } from './schema-page.mjs'

// An import would look for exports in its nine megabytes first.
const ts = createRequire(import.meta.url)('typescript')

const KINDS = [
  [ts.SymbolFlags.Class, 'class'], [ts.SymbolFlags.Function, 'function'], [ts.SymbolFlags.Variable, 'constant'],
  [ts.SymbolFlags.Interface, 'interface'], [ts.SymbolFlags.TypeAlias, 'type'],
]
const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected

/** The entries of package.json that hold code: the name that programs import, and the path of its declarations. */
function packageEntries() {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports).flatMap(([path, { types }]) => (
    types === undefined ? [] : [{ name: `${name}${path.slice(1)}`, path: types }]
  ))
}

function firstSentence(text) {
  const plain = text.replace(/\{@link ([^}|]*?)\s*(?:\|[^}]*)?\}/g, '`$1`').replace(/\s+/g, ' ').trim()
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

/** Members of instances, then a bar and the static ones: what is neither private nor hidden. */
function membersOf(checker, symbol) {
  const shown = (member) => {
    const declaration = member.valueDeclaration ?? member.declarations?.[0]
    const flags = declaration === undefined ? 0 : ts.getCombinedModifierFlags(declaration)
    return !/^(?:#|__)|^prototype$/.test(member.name) && (flags & HIDDEN) === 0
  }
  const names = (members) => members.filter(shown).map(({ name }) => `\`${name}\``).join(' ')
  const parts = [
    names(checker.getDeclaredTypeOfSymbol(symbol).getProperties()), names([...symbol.exports?.values() ?? []]),
  ]
  return parts.filter((part) => part !== '').join(' | ')
}

function publicName(checker, exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const kind = KINDS.find(([flag]) => symbol.flags & flag)?.[1]
  if (kind === undefined) throw new Error(`Cannot list ${exported.name}: it is neither a value nor a type`)
  const own = symbol.declarations?.every((one) => !one.getSourceFile().fileName.includes('/node_modules/'))
  return {
    name: exported.name,
    kind,
    meaning: firstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    members: kind === 'class' && own ? membersOf(checker, symbol) : '',
  }
}

/** Every public name of the built package, by entry, in the order of their letters. */
export function publicNames() {
  const entries = packageEntries().map(({ name, path }) => ({ name, path: join(root, path) }))
  const program = ts.createProgram(entries.map(({ path }) => path), {
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true, types: [],
  })
  const checker = program.getTypeChecker()
  return entries.map(({ name, path }) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path))
    const names = checker.getExportsOfModule(module).map((exported) => publicName(checker, exported))
    return { name, names: names.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  })
}

function section({ name, names }) {
  const rows = names.map((one) => `| \`${one.name}\` | ${one.kind} | ${cell(one.meaning)} |`)
  const classes = names.filter(({ members }) => members !== '')
    .map((one) => `- \`${one.name}\`: ${one.members}`)
  return [
    `## ${name}`, '', `${names.length} names.`, '', '| name | kind | meaning |', '|---|---|---|', ...rows,
    ...(classes.length === 0 ? [] : ['', `Members of the classes of \`${name}\`:`, '', ...classes]),
  ].join('\n')
}

/** The text below the heading of the page. */
export function apiText() {
  return `The names that a program can import. What is not on this page may change without notice.
Static members of a class stand behind the bar. A new name or member is a decision: read the diff of this page.

${publicNames().map(section).join('\n\n')}`
}
