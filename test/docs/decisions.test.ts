import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../docs/decisions')
const index = readFileSync(join(folder, 'README.md'), 'utf8')
const names = readdirSync(folder).filter((name) => name !== 'README.md').sort()
const table = readFileSync(join(folder, '../../test/house.table.md'), 'utf8')
const PARTS = [
  /^\*\*Context\.\*\* \S/m, /^\*\*Decision\.\*\* \S/m, /^\*\*Rejected\.\*\* \S/m, /^\*\*Revisit when\*\* \S/m,
]

describe('decisions', () => {
  test.each(names)('%s has its four parts in twenty lines or fewer', (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const lines = text.trimEnd().split('\n')
    const [, date, room] = /^(\d{4}-\d\d-\d\d), room `([a-z-]+)`$/.exec(lines[2]!) ?? []
    expect(name).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/)
    expect(lines[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)} \\S`))
    expect(date).toBeDefined()
    const isRoom = new RegExp(`^\\| [0-9.]+ \\| \`${room!}[\`/]`, 'm').test(table)
    expect(isRoom || room === 'repository', `${room!} is a room`).toBe(true)
    expect(PARTS.map((part) => text.search(part))).toEqual(PARTS.map((part) => text.search(part)).sort((a, b) => a - b))
    expect(PARTS.filter((part) => !part.test(text))).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(20)
    expect(lines.filter((line) => line.length > 120)).toEqual([])
    const section = index.split(/^## /m).find((one) => one.startsWith(`${room!}\n`))
    expect(section, `docs/decisions/README.md has a section "${room!}"`).toBeDefined()
    expect(section).toContain(`- [${lines[0]!.slice(2)}](${name})`)
  })

  test('numbers follow each other in order of date', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_name, at) => at + 1))
    const dates = names.map((name) => readFileSync(join(folder, name), 'utf8').split('\n')[2]!.slice(0, 10))
    expect(dates).toEqual([...dates].sort())
  })

  test('the index names every page once', () => {
    expect([...index.matchAll(/\]\((\d{4}-[^)]+)\)/g)].map((match) => match[1]!).sort()).toEqual(names)
  })
})
