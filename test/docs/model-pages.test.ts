import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const RULES = 'exchange-rules.md'
/** One to three files, on a line of their own: a newcomer finds the code of a rule. */
const DECIDED = /^Decided in `(src\/[^`]+)`(?:, `(src\/[^`]+)`)?(?:, `(src\/[^`]+)`)?\.$/

interface Rule {
  readonly name: string
  readonly lines: readonly string[]
}

/** The parts of a page from each line that begins one to the next, without what stands before the first. */
function partsOf(text: string, begin: RegExp, end: RegExp = begin): Rule[] {
  const parts: { name: string, lines: string[] }[] = []
  let part: { name: string, lines: string[] } | null = null
  for (const line of text.split('\n')) {
    const name = begin.exec(line)?.[1]
    if (name !== undefined) parts.push(part = { name, lines: [] })
    else if (end.test(line)) part = null
    else part?.lines.push(line)
  }
  return parts
}

/** Rules of the exchange by number, of other pages by heading. */
function rulesOf(page: string, text: string): Rule[] {
  return page === RULES ? partsOf(text, /^\*\*(\d+\.\d+)\*\* /, /^#/) : partsOf(text, /^#+ (.*)/)
}

/** Faults of the lines that name the code of a page's rules. */
function faultsOf(page: string, text: string): string[] {
  return rulesOf(page, text).flatMap(({ name, lines }) => {
    const decided = lines.filter((line) => /decided in/i.test(line))
    if (decided.length !== 1) return [`${name}: ${String(decided.length)} lines "Decided in"`]
    const paths = DECIDED.exec(decided[0]!)?.slice(1).filter((path) => path !== undefined)
    if (paths === undefined) return [`${name}: ${decided[0]!}`]
    if (new Set(paths).size < paths.length) return [`${name}: a file twice`]
    return paths.filter((path) => !path.endsWith('.ts') || !existsSync(join(root, path))).map((path) => `${name}: no ${path}`)
  })
}

const pages = readdirSync(join(root, 'docs/model')).filter((name) => name.endsWith('.md'))

describe('the rules of the model', () => {
  test.each(pages)('of %s name the files that decide them', (page) => {
    const text = readFileSync(join(root, 'docs/model', page), 'utf8')
    expect(rulesOf(page, text).length).toBeGreaterThanOrEqual(page === RULES ? 38 : 1)
    expect(faultsOf(page, text)).toEqual([])
  })

  const FILE = 'src/exchange/agenda.ts'
  test.each<readonly [text: string, faults: string[]]>([
    [`# A\n\nDecided in \`${FILE}\`.\n`, []],
    [`# A\n\nDecided in \`${FILE}\`, \`src/exchange/world.ts\`.\n\n## B\n\nwords\n`, ['B: 0 lines "Decided in"']],
    ['# A\n\nwords\n', ['A: 0 lines "Decided in"']],
    ['# A\n\nDecided in `src/none.ts`.\n', ['A: no src/none.ts']],
    ['# A\n\nDecided in `src/exchange`.\n', ['A: no src/exchange']],
    ['# A\n\nDecided in `exchange/agenda.ts`.\n', ['A: Decided in `exchange/agenda.ts`.']],
    [`# A\n\nDecided in \`${FILE}\`\n`, [`A: Decided in \`${FILE}\``]],
    [`# A\n\nIt is decided in \`${FILE}\`.\n`, [`A: It is decided in \`${FILE}\`.`]],
    [`# A\n\nDecided in \`${FILE}\`, \`${FILE}\`.\n`, ['A: a file twice']],
    [`# A\n\nDecided in \`${FILE}\`.\n\nDecided in \`${FILE}\`.\n`, ['A: 2 lines "Decided in"']],
  ])('%j', (text, faults) => {
    expect(faultsOf('page.md', text)).toEqual(faults)
  })

  test('a rule of the exchange ends with the next one and with a heading', () => {
    const text = `**1.1** One.\nDecided in \`${FILE}\`.\n\n**1.2** Two.\n\n## 2. More\n\nDecided in \`${FILE}\`.\n`
    expect(faultsOf(RULES, text)).toEqual(['1.2: 0 lines "Decided in"'])
  })
})
