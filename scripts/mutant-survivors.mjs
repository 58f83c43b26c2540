// The survivors that somebody has looked at: test/mutants/survivors.json. A survivor is known by its file, the rule of
// the mutation and a hash of the expression, the change and the function around it: lines may move.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from './project.mjs'

const path = join(root, 'test/mutants/survivors.json')

/** Gives every verdict of a built file its rule and the hash by which it is known; the text is that of the file. */
export function nameVerdicts(verdicts, text) {
  const source = ts.createSourceFile('judged.js', text, ts.ScriptTarget.Latest, true)
  const seen = new Map()
  const inOrder = [...verdicts].sort((a, b) => a.line - b.line || a.column - b.column)
  return inOrder.map((verdict) => {
    const [from, to] = verdict.place.split('-').map((place) => {
      const [line, column] = place.split(':').map(Number)
      return ts.getPositionOfLineAndCharacter(source, line - 1, column - 1)
    })
    const words = [verdict.mutatorName, functionAround(source, from, to), text.slice(from, to), verdict.replacement]
    const name = JSON.stringify(words.map(withoutLayout))
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    // Of equal expressions in one function the second has a hash of its own.
    return { ...verdict, hash: createHash('sha256').update(`${name}${count}`).digest('hex').slice(0, 12) }
  })
}

/** Lines may be broken anew, which moves white space and last commas. */
function withoutLayout(text) {
  return text.replace(/\s+/g, '').replace(/,([)\]}])/g, '$1')
}

/** Names of the classes, functions and members around a place, outermost first. */
function functionAround(source, from, to) {
  const names = []
  const visit = (node) => {
    if (node.getStart(source) > from || node.end < to) return
    const isNamed = ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isVariableDeclaration(node)
    if (isNamed && node.name !== undefined) names.push(node.name.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names.join('.')
}

/** Known survivors: file, then rule, then sorted hashes. */
export function readSurvivors() {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

export function isKnown(known, file, { mutatorName, hash }) {
  return known[file]?.[mutatorName]?.includes(hash) === true
}

/**
 * Takes the survivors of a file in the place of those that were tried now; of a file judged in part the others stay.
 */
export function acceptSurvivors(known, file, { judged, isAlive, isWhole }) {
  const tried = new Set(judged.map(({ hash }) => hash))
  const rules = new Map(isWhole ? [] : Object.entries(known[file] ?? {}))
  for (const [rule, hashes] of rules) rules.set(rule, hashes.filter((hash) => !tried.has(hash)))
  for (const one of judged.filter(isAlive)) rules.set(one.mutatorName, [...rules.get(one.mutatorName) ?? [], one.hash])
  const left = [...rules].filter(([, hashes]) => hashes.length > 0).sort(byName)
  // A file without survivors is named too, as one that was judged.
  known[file] = Object.fromEntries(left.map(([rule, hashes]) => [rule, hashes.sort()]))
}

export function writeSurvivors(known) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(Object.entries(known).sort(byName)), null, 1)}\n`)
}

function byName([a], [b]) {
  return a < b ? -1 : a > b ? 1 : 0
}
