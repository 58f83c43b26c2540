import { expect, test } from 'vitest'

interface Verdict { place: string, line: number, column: number, mutatorName: string, replacement: string }
interface Survivors {
  nameVerdicts(verdicts: Verdict[], text: string): (Verdict & { hash: string })[]
  isKnown(known: Known, file: string, verdict: { mutatorName: string, hash: string }): boolean
  acceptSurvivors(known: Known, file: string, judgement: Judgement): void
}
interface Judgement { judged: unknown[], isAlive: () => boolean, isWhole: boolean }
type Known = Record<string, Record<string, string[]>>

const script = new URL('../../scripts/mutant-survivors.mjs', import.meta.url).href
const { nameVerdicts, isKnown, acceptSurvivors } = await import(script) as Survivors

function placeOf(text: string, at: number): [line: number, column: number] {
  const before = text.slice(0, at).split('\n')
  return [before.length, before.at(-1)!.length + 1]
}

/** A verdict on the first place of some words in a text. */
function verdictOn(text: string, words: string, replacement = 'true', from = 0): Verdict {
  const at = text.indexOf(words, from)
  const [line, column] = placeOf(text, at)
  const place = `${line}:${column}-${placeOf(text, at + words.length).join(':')}`
  return { place, line, column, mutatorName: 'ConditionalExpression', replacement }
}

function hashOf(text: string, words: string, replacement = 'true'): string {
  return nameVerdicts([verdictOn(text, words, replacement)], text)[0]!.hash
}

const text = 'class Book {\n  isEmpty() {\n    return this.count === 0\n  }\n}\n'

test.each([
  ['lines above it', `// more\n\n${text}`],
  ['white space before it', text.replace('    return', '        return')],
  ['another member', text.replace('  isEmpty', '  size() { return 1 }\n  isEmpty')],
])('a survivor stays known with %s', (_name, changed) => {
  expect(hashOf(changed, 'this.count === 0')).toBe(hashOf(text, 'this.count === 0'))
})

test('a survivor whose lines are broken anew stays known', () => {
  const [long, broken] = ['f(this.count, 0)', 'f(\n      this.count,\n      0,\n    )']
  const hashWith = (words: string): string => hashOf(text.replace('this.count === 0', words), words)
  expect(hashWith(broken)).toBe(hashWith(long))
})

test.each([
  ['another class', text.replace('Book', 'Tape')],
  ['another member', text.replace('isEmpty', 'isFull')],
])('a survivor in %s is another one', (_name, changed) => {
  expect(hashOf(changed, 'this.count === 0')).not.toBe(hashOf(text, 'this.count === 0'))
})

test('another change of the same expression is another survivor', () => {
  expect(hashOf(text, 'this.count === 0', 'false')).not.toBe(hashOf(text, 'this.count === 0'))
})

test('equal expressions of one function are two survivors', () => {
  const twice = 'function f(a) {\n  if (a > 0) g()\n  if (a > 0) h()\n}\n'
  const named = nameVerdicts([verdictOn(twice, 'a > 0'), verdictOn(twice, 'a > 0', 'true', 30)], twice)
  expect(new Set(named.map(({ hash }) => hash)).size).toBe(2)
})

test.each([
  [false, ['old', 'tried']],
  [true, ['tried']],
])('accepted survivors of a file judged whole (%s) are %j', (isWhole, left) => {
  const known: Known = { 'book/x': { ConditionalExpression: ['old'] } }
  const judged = [{ mutatorName: 'ConditionalExpression', hash: 'tried' }]
  acceptSurvivors(known, 'book/x', { judged, isAlive: () => true, isWhole })
  expect(known).toEqual({ 'book/x': { ConditionalExpression: left } })
  expect(isKnown(known, 'book/x', { mutatorName: 'ConditionalExpression', hash: 'tried' })).toBe(true)
  expect(isKnown(known, 'book/x', { mutatorName: 'BlockStatement', hash: 'tried' })).toBe(false)
  expect(isKnown(known, 'book/y', { mutatorName: 'ConditionalExpression', hash: 'tried' })).toBe(false)
  acceptSurvivors(known, 'book/x', { judged, isAlive: () => false, isWhole: true })
  expect(known).toEqual({ 'book/x': {} })
})
