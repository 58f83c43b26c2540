import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/model/exchange-rules.md'), 'utf8')

/** Rules of a page by number, each as its words without marks of Markdown. */
function rulesOf(text: string): Map<string, string> {
  const rules = new Map<string, string>()
  let number: string | null = null
  for (const line of text.split('\n')) {
    const start = /^(?:\*\*)?(\d+\.\d+)(?:\*\*)? (.*)$/.exec(line)
    if (start !== null) rules.set(number = start[1]!, start[2]!)
    else if (line.startsWith('#')) number = null
    else if (number !== null) rules.set(number, `${rules.get(number) ?? ''} ${line.trim()}`)
  }
  return new Map([...rules].map(([name, words]) => [name, words.replace(/\s+/g, ' ').trim()]))
}

const CITATION = /\b(?:exchange )?rules? (\d+\.\d+(?:(?:, | and )\d+\.\d+)*)/g
const citing = ['src', 'test', 'docs', 'examples', 'profiles', 'schemas'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|md|txt|json)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))))

describe('the rules of the exchange', () => {
  const rules = rulesOf(page)

  test('are numbered, none twice', () => {
    const numbers = [...page.matchAll(/^\*\*(\d+\.\d+)\*\* /gm)].map((match) => match[1]!)
    expect(numbers.length).toBeGreaterThan(30)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('every rule that a file cites is there', () => {
    const missing = citing.flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(CITATION)]
      .flatMap((match) => match[1]!.split(/, | and /))
      .filter((number) => !rules.has(number))
      .map((number) => `${path}: ${number}`))
    expect(missing).toEqual([])
  })
})
