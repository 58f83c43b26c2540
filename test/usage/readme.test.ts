import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/model/error.js'
import { DISCARD_REASONS } from '../../src/strategy/order-params.js'
import { backtape } from '../support/command.ts'
import { plainProgram, typeFaults } from '../support/public-docs.ts'

const root = join(import.meta.dirname, '../..')
const README_LINES_MAX = 100
const GUIDE_LINES_MAX = 150
const guides = readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md')).sort().map((name) => `docs/guide/${name}`)
/** README and the guide: the pages whose programs and commands run as written. */
const pages = new Map(['README.md', ...guides].map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const readme = [...pages.values()].join('\n')
const reference = (name: string): string => readFileSync(join(root, `docs/reference/${name}.md`), 'utf8')
// Inside the project, so that `backtape` is the package itself.
const folder = join(root, '.cache/readme')
let workplace = ''

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!)
}

const commands = [...new Set(blocks('sh').join('').split('\n').filter((line) => line.startsWith('node bin/backtape.js ')))]
const programs = blocks('ts').map((code, index) => ({ code, file: join(folder, `program-${index}`) }))

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  workplace = mkdtempSync(join(tmpdir(), 'backtape-readme-'))
  symlinkSync(join(root, 'datasets'), join(workplace, 'datasets'), 'junction')
  for (const { code, file } of programs) {
    writeFileSync(`${file}.ts`, `${code}\nexport {}\n`)
    writeFileSync(`${file}.mjs`, plainProgram(code))
  }
})
afterAll(() => {
  rmSync(workplace, { recursive: true, force: true })
})

describe('README.md and the guide', () => {
  test.each([...pages])('%s is a page of its length', (path, text) => {
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(path === 'README.md' ? README_LINES_MAX : GUIDE_LINES_MAX)
  })

  test('README has lines of at most 120 columns', () => {
    expect((pages.get('README.md') ?? '').split('\n').filter((line) => line.length > 120)).toEqual([])
  })

  test('the reference names every error code and every reason of a discarded order', () => {
    for (const [name, meaning] of [...Object.entries(ERROR_CODES), ...Object.entries(DISCARD_REASONS)]) {
      expect(reference('errors')).toContain(`| \`${name}\` | ${meaning} |`)
    }
  })

  test('the reference names every command as the command line does', async () => {
    const help = await backtape(['--help'])
    const listed = [...`${help.out}${help.err}`.matchAll(/^ {2}([a-z-]+) +(.*)$/gm)].map((match) => match[1] ?? '')
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.filter((name) => !new RegExp(`^## .*\\b${name}\\b`, 'm').test(reference('command-line')))).toEqual([])
  })

  test('holds programs with right types', () => {
    expect(programs.length).toBeGreaterThan(0)
    expect(typeFaults(programs.map(({ file }) => `${file}.ts`))).toEqual([])
  }, 180_000)

  test('holds programs that run', () => {
    // One process for all, in which each is a module of its own.
    const runner = join(folder, 'run.mjs')
    writeFileSync(runner, `for (const file of ${JSON.stringify(programs.map(({ file }) => `${file}.mjs`))}) {
  console.log(file)
  try { await import(file) } catch (error) { console.error(file, error) }
}
process.exit()
`)
    const run = spawnSync(process.execPath, [runner], { cwd: workplace, encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, TMPDIR: workplace, TEMP: workplace } })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
    const said = run.stdout.split(/^.*program-\d+\.mjs$/m).slice(1)
    expect(said).toHaveLength(programs.length)
    for (const [at, { code }] of programs.entries()) if (code.includes('log(day.instrument.code')) expect(said[at]).toContain('XRPUSDT')
  }, 180_000)

  test.each(commands)('%s', async (line) => {
    const [, , ...words] = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
    // A shell takes quotes away.
    const args = words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
    const run = await backtape(args, { cwd: workplace })
    expect(run.code, run.err).toBe(0)
  }, 180_000)
})
