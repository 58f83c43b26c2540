// npm run statements -- [--base REF]: the statements of src/ by room, as a Markdown table. A statement is what
// TypeScript's syntax tree calls one; a block or a lone semicolon does not count. --base adds those of a git ref, whose
// rooms are its own: where rooms have moved, only the total compares.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { filesBelow, root } from './project.mjs'

/** The number of statements in the text of a TypeScript file. */
export function countStatements(text) {
  let count = 0
  const visit = (node) => {
    if (ts.isStatement(node) && !ts.isBlock(node) && !ts.isEmptyStatement(node)) count++
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('counted.ts', text, ts.ScriptTarget.Latest))
  return count
}

/** Statements by room: the folder below src, or `(doors)` for the files in src itself. */
export function statementsByRoom(files) {
  const rooms = new Map()
  for (const { path, text } of files) {
    const room = /^src\/(?:(.+)\/)?[^/]+$/.exec(path)[1] ?? '(doors)'
    rooms.set(room, (rooms.get(room) ?? 0) + countStatements(text))
  }
  return rooms
}

/** A Markdown table of one count by room, or of two and the change in percent. */
export function statementsTable(now, before) {
  const names = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].sort()
  const sum = (rooms) => [...rooms.values()].reduce((total, count) => total + count, 0)
  const row = (name, from, to) => before === undefined
    ? `| ${name} | ${to} |`
    : `| ${name} | ${from} | ${to} | ${from === 0 ? 'new' : (100 * (to - from) / from).toFixed(1)} |`
  return [
    ...(before === undefined ? ['| room | now |', '|---|---|'] : ['| room | before | now | % |', '|---|---|---|---|']),
    ...names.map((name) => row(name, before?.get(name) ?? 0, now.get(name) ?? 0)),
    row('total', before === undefined ? 0 : sum(before), sum(now)),
  ].join('\n')
}

const isCounted = (path) => path.endsWith('.ts')

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

function filesOf(ref) {
  const paths = git('ls-tree', '-r', '--name-only', ref, '--', 'src').split('\n').filter(isCounted)
  return paths.map((path) => ({ path, text: git('show', `${ref}:${path}`) }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { base } = parseArgs({ options: { base: { type: 'string' } } }).values
  const files = filesBelow('src').filter(isCounted)
  const now = statementsByRoom(files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
  console.log(statementsTable(now, base === undefined ? undefined : statementsByRoom(filesOf(base))))
}
