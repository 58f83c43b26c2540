import ts from 'typescript'
import type { ProjectImport } from './import-table.ts'

/** A source file of the project: path relative to it, with forward slashes. */
export interface HouseFile {
  readonly path: string
  readonly tree: ts.SourceFile
}

/** Something the house forbids, and where it applies. */
export interface HouseRule {
  readonly name: string
  applies(path: string): boolean
  /** Faults in words, each with its line: `12: enum`. */
  faults(file: HouseFile): readonly string[]
}

export function parseHouseFile(path: string, text: string): HouseFile {
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, path.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS) }
}

const inSource = (path: string): boolean => path.startsWith('src/')
const inRoom = (path: string): boolean => /^src\/[^/]+\/./.test(path)
const everywhere = (): boolean => true
const exact = (path: string): boolean => /^src\/(synthetic|exchange|replay|simulation|configuration|results|backtest)\//.test(path)
const RIM = /^src\/(cli\/|.*(?:^|[-/])(?:reader|writer|client|server|worker)\.ts$)/
const isRim = (path: string): boolean => RIM.test(path)

function lineOf(file: HouseFile, position: number): number {
  return file.tree.getLineAndCharacterOfPosition(position).line + 1
}

/** The nodes of a file by their kinds: a rule looks at its own alone. */
const nodes = new WeakMap<HouseFile, ReadonlyMap<ts.SyntaxKind, readonly ts.Node[]>>()

function nodesOf(file: HouseFile): ReadonlyMap<ts.SyntaxKind, readonly ts.Node[]> {
  const known = nodes.get(file)
  if (known !== undefined) return known
  const found = new Map<ts.SyntaxKind, ts.Node[]>()
  const visit = (node: ts.Node): void => {
    const same = found.get(node.kind)
    if (same === undefined) found.set(node.kind, [node])
    else same.push(node)
    ts.forEachChild(node, visit)
  }
  visit(file.tree)
  nodes.set(file, found)
  return found
}

/** Every node of a file of some kinds, or of any, for which `wording` gives words, with its line. */
function nodeFaults(file: HouseFile, kinds: readonly ts.SyntaxKind[] | null, wording: (node: ts.Node) => string | null): string[] {
  const all = nodesOf(file)
  const faults: string[] = []
  for (const kind of kinds ?? all.keys()) {
    for (const node of all.get(kind) ?? []) {
      const words = wording(node)
      if (words !== null) faults.push(`${lineOf(file, node.getStart(file.tree))}: ${words}`)
    }
  }
  return faults
}

function nodeRule(name: string, applies: (path: string) => boolean, kinds: readonly ts.SyntaxKind[] | null, wording: (node: ts.Node) => string | null): HouseRule {
  return { name, applies, faults: (file) => nodeFaults(file, kinds, wording) }
}

const KIND = ts.SyntaxKind
const IMPORTS = [KIND.ImportDeclaration, KIND.ExportDeclaration]
const CALLS = [KIND.CallExpression, KIND.NewExpression]
const MEMBERS = [KIND.PropertyAccessExpression, KIND.ElementAccessExpression]

interface CommentLine {
  readonly line: number
  readonly text: string
}

/** Lines of the comments of a file: several rules ask, and the walk over every token is slow. */
const commentLines = new WeakMap<HouseFile, readonly CommentLine[]>()

function comments(file: HouseFile): readonly CommentLine[] {
  const known = commentLines.get(file) ?? readComments(file)
  commentLines.set(file, known)
  return known
}

/** The comments of a file of which a line may be meant, or it has none. */
function commentsWith(file: HouseFile, isMeant: (line: string) => boolean): readonly CommentLine[] {
  return file.tree.text.split('\n').some(isMeant) ? comments(file) : []
}

function readComments(file: HouseFile): readonly CommentLine[] {
  const starts = new Map<number, number>()
  const collect = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(file.tree.text, node.getFullStart()) ?? []) starts.set(range.pos, range.end)
    for (const range of ts.getTrailingCommentRanges(file.tree.text, node.getEnd()) ?? []) starts.set(range.pos, range.end)
    node.getChildren(file.tree).forEach(collect)
  }
  collect(file.tree)
  return [...starts].flatMap(([start, end]) =>
    file.tree.text.slice(start, end).split('\n').map((text, index) => ({ line: lineOf(file, start) + index, text })))
}

function isCall(node: ts.Node, object: string | null, ...names: readonly string[]): boolean {
  const target = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : undefined
  if (target === undefined) return false
  if (object === null) return ts.isIdentifier(target) && names.includes(target.text)
  return ts.isPropertyAccessExpression(target) && ts.isIdentifier(target.expression) && target.expression.text === object && names.includes(target.name.text)
}

function memberOf(node: ts.Node, object: string): string | null {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === object) return node.name.text
  if (ts.isElementAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === object) return '[...]'
  return null
}

/** What a declaration or `import()` names, or undefined for any other node. */
function importTarget(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined
}

const LENGTHS: readonly HouseRule[] = [
  {
    name: 'files have at most 400 lines',
    applies: (path) => path !== 'src/index.ts',
    faults(file) {
      const lines = file.tree.text.split('\n').length - (file.tree.text.endsWith('\n') ? 1 : 0)
      return lines > 400 ? [`1: ${lines} lines`] : []
    },
  },
  {
    name: 'functions have at most 70 lines',
    applies: (path) => !path.startsWith('test/'),
    faults: (file) => nodeFaults(file, null, (node) => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return null
      const lines = lineOf(file, node.getEnd()) - lineOf(file, node.getStart(file.tree)) + 1
      return lines > 70 ? `a function of ${lines} lines` : null
    }),
  },
  {
    // Tables of tests are wider: a row stays a row.
    name: 'lines have at most 120 characters',
    applies: (path) => !path.startsWith('test/'),
    faults: (file) => file.tree.text.split('\n').flatMap((line, index) => (
      line.length > 120 ? [`${index + 1}: ${line.length} characters`] : []
    )),
  },
]

const CODE = [
  /^(const|let|var) [\w{[].*=/, /^import .*['"]/, /^export (const|function|class|type|interface|\{)/, /^return\b.*[;)]$/, /^(if|for|while|switch) ?\(.*\) ?\{?$/,
  /^\}( else( if \(.*\))? \{|\)?;?)$/, /^[\w.#]+\([^)]*\);?$/, /^(this\.)?[\w.#[\]]+ [-+*]?= [^=,]*$/, /[;{]$/,
]

const NOTE = /\b(TODO|FIXME|XXX|HACK)\b/

/** The code of a line that is a comment of code; null for any other. */
function codeBehind(line: string): string | null {
  const words = /^\/\/ ?(.*)$/.exec(line)?.[1]?.trim()
  return words !== undefined && CODE.some((shape) => shape.test(words)) ? words : null
}

function hasCodeBehind(line: string): boolean {
  return [...line.matchAll(/\/\//g)].some(({ index }) => codeBehind(line.slice(index).trim()) !== null)
}

const WORDS: readonly HouseRule[] = [
  {
    name: 'file names are kebab-case nouns, none a grab bag',
    applies: everywhere,
    faults({ path }) {
      const name = path.slice(path.lastIndexOf('/') + 1).replace(/(\.(test|d|setup|config))?\.(ts|mjs|js)$/, '')
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return ['1: not in kebab-case']
      return /^(utils?|helpers?|common|shared|misc|types|constants)$/.test(name) ? [`1: a file called ${name}`] : []
    },
  },
  {
    name: 'rooms have one level of sub-rooms',
    applies: inSource,
    faults: ({ path }) => path.split('/').length > 4 ? ['1: deeper than src/room/sub-room/file.ts'] : [],
  },
  {
    name: 'docstrings begin with what comes back',
    applies: (path) => !path.startsWith('test/'),
    faults: (file) => [...file.tree.text.matchAll(/\/\*\*\s*(?:\* )?(What|How|Whether)\b/g)].map(({ index, 1: word = '' }) => (
      `${lineOf(file, index)}: begins with ${word}`
    )),
  },
  {
    name: 'no notes for later',
    applies: (path) => path !== 'test/house.test.ts' && path !== 'test/support/house-rules.ts',
    faults: (file) => commentsWith(file, (line) => NOTE.test(line)).flatMap(({ line, text }) => NOTE.test(text) ? [`${line}: ${text.trim()}`] : []),
  },
  {
    name: 'no commented-out code',
    applies: everywhere,
    faults: (file) => commentsWith(file, hasCodeBehind).flatMap(({ line, text }) => {
      const words = codeBehind(text.trim())
      return words === null ? [] : [`${line}: ${words}`]
    }),
  },
]

const CONSTRUCTS: readonly HouseRule[] = [
  nodeRule('no default exports', (path) => !/\.config\.(ts|js)$/.test(path), [KIND.ExportAssignment, KIND.DefaultKeyword], () => 'export default'),
  nodeRule('no any', everywhere, [KIND.AnyKeyword], () => 'any'),
  nodeRule('no enums', everywhere, [KIND.EnumDeclaration], (node) => ts.isEnumDeclaration(node) ? `enum ${node.name.text}` : null),
  nodeRule('no namespaces', (path) => !path.endsWith('.d.ts'), [KIND.ModuleDeclaration], (node) => ts.isModuleDeclaration(node) && !ts.isStringLiteral(node.name) && node.name.text !== 'global' ? `namespace ${node.name.text}` : null),
  nodeRule('no non-null assertions', inSource, [KIND.NonNullExpression, KIND.PropertyDeclaration], (node) => {
    if (ts.isNonNullExpression(node)) return node.getText()
    return ts.isPropertyDeclaration(node) && node.exclamationToken !== undefined ? node.getText() : null
  }),
  nodeRule('no barrels', inRoom, [KIND.SourceFile, KIND.ExportDeclaration], (node) => {
    if (ts.isSourceFile(node) && node.fileName.endsWith('/index.ts')) return 'a file called index.ts in a room'
    return ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined ? node.getText() : null
  }),
  nodeRule('imports have endings', inSource, IMPORTS, (node) => {
    const target = (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) ? node.moduleSpecifier : undefined
    return target !== undefined && ts.isStringLiteral(target) && target.text.startsWith('.') && !target.text.endsWith('.js') ? target.text : null
  }),
  nodeRule('statements end without semicolons', (path) => !path.startsWith('assembly/'), null, (node) => {
    if (!ts.isStatement(node) && !ts.isClassElement(node) || ts.isEmptyStatement(node) || ts.isIterationStatement(node, false)) return null
    // One at the start of a line guards what follows it. The text of a statement is long, and its last two characters are enough.
    return /[^\s];$/.test(node.getSourceFile().text.slice(node.end - 2, node.end)) ? node.getText().slice(0, 60) : null
  }),
  nodeRule('strings stand in single quotes', everywhere, [KIND.StringLiteral], (node) =>
    ts.isStringLiteral(node) && node.getText().startsWith('"') && !node.text.includes('\'') ? node.getText().slice(0, 60) : null),
]

const RIM_MODULES = /^(node:)?(fs|fs\/promises|net|tls|dgram|http|https|http2|child_process|readline|timers|timers\/promises|dns)$/
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate']
const MATH = new Set(['floor', 'ceil', 'round', 'trunc', 'abs', 'min', 'max', 'sign', 'imul', 'fround', 'sqrt'])
/** A page runs in a browser, where no simulation does. */
const beyondRim = (path: string): boolean => inSource(path) && !isRim(path) && !path.endsWith('-page.ts')

const EFFECTS: readonly HouseRule[] = [
  nodeRule('files and sockets at the rim', beyondRim, [...IMPORTS, KIND.CallExpression], (node) => {
    const target = importTarget(node)
    const typeOnly = ts.isImportDeclaration(node) && node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
    return target !== undefined && !typeOnly && ts.isStringLiteral(target) && RIM_MODULES.test(target.text) ? target.text : null
  }),
  nodeRule('timers at the rim', beyondRim, CALLS, (node) =>
    isCall(node, null, ...TIMERS) || isCall(node, 'globalThis', ...TIMERS) ? node.getText().slice(0, 60) : null),
  nodeRule('wall clock at the rim', beyondRim, CALLS, (node) => {
    if (isCall(node, 'Date', 'now') || isCall(node, 'performance', 'now') || isCall(node, 'process', 'hrtime')) return node.getText()
    return isCall(node, null, 'Date') && ((node as ts.NewExpression).arguments?.length ?? 0) === 0 ? node.getText() : null
  }),
  nodeRule('the process at the rim', beyondRim, MEMBERS, (node) => {
    const member = memberOf(node, 'process')
    return member === null || member === 'version' ? null : `process.${member}`
  }),
  nodeRule('no Math.random', (path) => inSource(path) || path.startsWith('bench/'), MEMBERS, (node) => memberOf(node, 'Math') === 'random' ? 'Math.random' : null),
  nodeRule('only exact mathematics in the simulation', exact, [...MEMBERS, KIND.BinaryExpression], (node) => {
    const member = memberOf(node, 'Math')
    if (member !== null && !MATH.has(member)) return `Math.${member}`
    return ts.isBinaryExpression(node) && /^\*\*=?$/.test(node.operatorToken.getText()) ? node.getText() : null
  }),
]

/** What the house forbids in one file; imports between rooms are in `import-table.ts`. */
export const HOUSE_RULES: readonly HouseRule[] = [...LENGTHS, ...WORDS, ...CONSTRUCTS, ...EFFECTS]

/** The imports of a file from the project, as paths of sources relative to it. */
export function projectImports(file: HouseFile): readonly ProjectImport[] {
  const folder = file.path.slice(0, file.path.lastIndexOf('/') + 1)
  const found: ProjectImport[] = []
  nodeFaults(file, [...IMPORTS, KIND.CallExpression], (node) => {
    const target = importTarget(node)
    if (target !== undefined && ts.isStringLiteral(target) && target.text.startsWith('.')) {
      const to = new URL(target.text.replace(/\.js$/, '.ts'), `file:///${folder}`).pathname.slice(1)
      found.push({ to, isType: isTypeImport(node) })
    }
    return null
  })
  return found
}

/** True where a declaration imports types alone. */
function isTypeImport(node: ts.Node): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  if (!ts.isImportDeclaration(node)) return false
  const clause = node.importClause
  if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = clause?.namedBindings
  return clause?.name === undefined && names !== undefined && ts.isNamedImports(names) && names.elements.every((one) => one.isTypeOnly)
}
