import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedFolder } from '../support/shared-data.ts'

const folder = join(import.meta.dirname, '..')

interface Row {
  readonly key: string
  readonly scenario: string
}

const rows: readonly Row[] = readFileSync(join(folder, 'scenarios/rows.txt'), 'utf8').split('\n').filter((line) => /^\d/.test(line)).map((line) => {
  const [key = '', scenario = ''] = line.split(' => ')
  return { key, scenario }
})

/** Tables of spec 3 that are about order entry; all of spec 2 is. */
const TABLES_OF_3 = ['OrderParams', 'SDK operations']

/** The rows of the tables of a document, as `rows.txt` names them. */
function rowsOf(number: 2 | 3, text: string): string[] {
  const keys: string[] = []
  let heading = ''
  let columns: string[] | null = null
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|') ? line.replace(/`/g, '').split('|').slice(1, -1).map((cell) => cell.trim()) : null
    if (line.startsWith('#')) heading = line.replace(/^#+ /, '')
    if (cells === null) columns = null
    else if (columns === null) columns = cells
    else if (!/^[-| ]+$/.test(line)) {
      const key = keyOf(number, heading, columns, cells)
      if (key !== null) keys.push(`${number} | ${heading} | ${key}`)
    }
  }
  return keys
}

function keyOf(number: 2 | 3, heading: string, [first]: readonly string[], cells: readonly string[]): string | null {
  const [name = '', second = '', , , next = ''] = cells
  const isState = number === 3 && heading === 'States and transitions' && first === 'State'
  const isError = number === 3 && heading === 'Errors' && name === 'SDK'
  if (number === 3 && !TABLES_OF_3.includes(heading) && !isState && !isError) return null
  if (first === 'Object') return `${name} / ${second} / ${next}`
  return first === 'Method' || isError ? second : name
}

describe('rows of the documents', () => {
  const documents = [[2, '2-order-entry-protocol.md'], [3, '3-strategy-server-and-sdk.md']] as const

  test.skipIf(!existsSync(join(sharedFolder, 'spec'))).each(documents)('every row of document %i is in the list, and nothing else', (number, file) => {
    const wanted = rowsOf(number, readFileSync(join(sharedFolder, 'spec', file), 'utf8'))
    expect(rows.filter(({ key }) => key.startsWith(`${number} |`) && !key.includes('Market-data state')).map(({ key }) => key)).toEqual(wanted)
  })

  test.each(rows.filter(({ scenario }) => !/^(wire|open): /.test(scenario)))('$key', ({ scenario }) => {
    const [file = '', words = ''] = scenario.split(' :: ')
    expect(words).not.toBe('')
    expect(readFileSync(join(folder, file), 'utf8')).toContain(words)
  })

  test('what is left to other issues, and what is open, says why', () => {
    for (const { key, scenario } of rows.filter((row) => !row.scenario.includes(' :: '))) expect([key, /^(wire|open): .+/.test(scenario)]).toEqual([key, true])
    expect(rows.filter(({ scenario }) => scenario.startsWith('open: '))).toEqual([])
  })
})

/** The text of every file of a folder and those below, by path. */
function textsOf(path: string, ending: RegExp): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name) && !/rows\.t/.test(name)).map((name) => readFileSync(join(path, name), 'utf8'))
}

test('every type of order error that we make is in its page, and has a scenario; the page names no other', () => {
  const made = new Set(textsOf(join(folder, '../src/exchange'), /\.ts$/).flatMap((text) => [...text.matchAll(/(?:adapterError|exchangeError|#error)\(\s*'([A-Z_]+)'/g)].map(([, type = '']) => type)))
  const section = readFileSync(join(folder, '../docs/reference/order-errors.md'), 'utf8')
  const named = [...section.matchAll(/^\| \w+ \| `([A-Z_]+)` \|/gm)].map(([, type = '']) => type)
  expect(named).toEqual([...made].sort())
  const scenarios = textsOf(folder, /\.(test\.ts|txt)$/)
  expect(named.filter((type) => !scenarios.some((text) => text.includes(type)))).toEqual([])
})
