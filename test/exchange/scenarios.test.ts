import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { playScenario } from '../support/scenario.ts'

const folder = join(import.meta.dirname, '../scenarios')
const isUpdate = process.env['BACKTAPE_UPDATE_SCENARIOS'] === '1'

function pagesIn(path: string): string[] {
  return readdirSync(join(folder, path)).filter((name) => name.endsWith('.txt') && name !== 'rows.txt').sort().map((name) => join(path, name))
}

describe('scenarios', () => {
  test.each([...pagesIn('.'), ...pagesIn('messages')])('%s', (name) => {
    const file = join(folder, name)
    const page = readFileSync(file, 'utf8')
    const found = playScenario(page, name.startsWith('messages'))
    if (isUpdate) writeFileSync(file, found)
    else expect(found).toBe(page)
  })

  test('every rule of sections 1 to 7 has a page, and 8.2', () => {
    const pages = [...pagesIn('.'), ...pagesIn('messages')].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
    const rules = ['1.1', '1.2', '1.3', '1.4', '1.5', '2.1', '2.2', '2.3', '2.4', '3.1', '3.2', '3.3', '3.4', '3.5', '4.1', '4.2', '5.1', '5.2', '5.3', '6.1', '6.2', '6.3', '6.4', '6.5', '7.1', '7.2', '7.3', '7.4', '8.2']
    expect(rules.filter((rule) => !new RegExp(`Rules? [^:]*\\b${rule.replace('.', '\\.')}\\b`).test(pages))).toEqual([])
  })
})
