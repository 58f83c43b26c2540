import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkProjectName, projectFiles } from '../../src/cli/project-files.js'
import { backtape, type CommandResult } from '../support/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'backtape-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const init = (...words: string[]): Promise<CommandResult> => backtape(['init', ...words], { cwd: folder })

describe('names', () => {
  test.each([
    '', '.', '..', '../up', 'a/b', 'a\\b', '/etc', 'C:', '.hidden', '_private', 'Upper', 'with space', 'ä', 'a..b', 'end.', '-x', '@me/it',
    'backtape', 'vitest', 'node_modules', 'con', 'x'.repeat(101), 'a\nb', 'a$(b)',
  ])('%j is refused', (name) => {
    expect(() => { checkProjectName(name) }).toThrow(/^Cannot make a project: its name must be small letters/)
  })

  test.each(['a', '9lives', 'my-strategy', 'my_strategy.2'])('%j is a name', (name) => {
    expect(() => { checkProjectName(name) }).not.toThrow()
  })
})

describe('a project', () => {
  test('has everything, its run does what its golden says, and nothing of it is overwritten unasked', async () => {
    mkdirSync(join(folder, 'mine'))
    const made = await init('mine', '--package', '1.2.3')
    expect(made).toMatchObject({ code: 0, out: 'mine\n' })
    const project = join(folder, 'mine')
    expect(readdirSync(project).sort()).toEqual([
      '.github', '.gitignore', 'README.md', 'ci.sh', 'data', 'jupyter', 'notebooks', 'package.json', 'strategies', 'test', 'tsconfig.json',
    ])
    expect(statSync(join(project, 'ci.sh')).mode & 0o100).toBe(0o100)
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({
      name: 'mine', private: true, dependencies: { backtape: '1.2.3' }, scripts: { test: 'vitest run' },
    })
    expect(readFileSync(join(project, 'README.md'), 'utf8')).toMatch(/^# mine\n/)
    expect(readFileSync(join(project, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(24)
    const notebook = JSON.parse(readFileSync(join(project, 'notebooks/first-look.ipynb'), 'utf8')) as { cells: { outputs?: unknown[]; execution_count?: unknown }[] }
    for (const cell of notebook.cells) expect([cell.outputs ?? [], cell.execution_count ?? null]).toEqual([[], null])
    expect(await backtape(['verify', join(project, 'strategies')])).toMatchObject({ code: 0 })

    const strategy = join(project, 'strategies/touch-maker.ts')
    writeFileSync(strategy, 'mine')
    const again = await init('mine')
    expect(again).toMatchObject({ code: 2, out: '' })
    expect(again.err).toMatch(/the folder exists and is not empty; choose another name, or write into it with --force/)
    expect(readFileSync(strategy, 'utf8')).toBe('mine')
    writeFileSync(join(project, 'kept.txt'), 'kept')
    expect(await init('mine', '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(strategy, 'utf8')).toContain('class TouchMaker')
    expect(existsSync(join(project, 'kept.txt'))).toBe(true)
  })

  test('depends on the checkout that makes it, where none is installed', async () => {
    const files = await projectFiles('mine', join(folder, 'near'))
    const { dependencies } = JSON.parse(files.find(({ path }) => path === 'package.json')!.text) as { dependencies: { backtape: string } }
    expect(dependencies.backtape).toMatch(/^file:\.\.\/\.\.\/.*[^/]$/)
    expect(existsSync(join(folder, 'near', dependencies.backtape.slice('file:'.length), 'package.json'))).toBe(true)
  })

  test('is not made where a file stands, or at no name, or two', async () => {
    writeFileSync(join(folder, 'taken'), '')
    const [file, none, two, bad] = await Promise.all([init('taken'), init(), init('a', 'b'), init('../up')])
    for (const refused of [file, none, two, bad]) expect(refused).toMatchObject({ code: 2, out: '' })
    expect(file.err).toMatch(/it is a file/)
    expect(existsSync(join(folder, '../up'))).toBe(false)
  })
})
