import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/model/error.js'
import { DISCARD_REASONS } from '../../src/strategy/order-params.js'
import { plainProgram, typeFaults } from '../support/public-docs.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
// Inside the project, so that `backtape` is the package itself.
const folder = join(root, '.cache/readme')
let workplace = ''

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!)
}

/** The rows of the table below a heading, as cells. */
function table(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split(/\n###? /)[0] ?? ''
  return [...section.matchAll(/^\| `(.+?)` \| (.*) \|$/gm)].map((match) => [match[1]!, match[2]!])
}

const commands = blocks('sh').join('').split('\n').filter((line) => line.startsWith('node bin/backtape.js '))
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

describe('README.md', () => {
  test('names every error code with its meaning', () => {
    expect(table('Errors')).toEqual(Object.entries(ERROR_CODES))
  })

  test('names every reason of a discarded order with its meaning', () => {
    const section = readme.split('\n### Discard reasons\n')[1]?.split('\n### ')[0] ?? ''
    expect([...section.matchAll(/^\| `(.+?)` \| (.*) \|$/gm)].map(([, reason, meaning]) => [reason, meaning])).toEqual(Object.entries(DISCARD_REASONS))
  })

  test('names every command as the command line does', () => {
    const help = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), '--help'], { encoding: 'utf8' })
    const listed = [...`${help.stdout}${help.stderr}`.matchAll(/^ {2}([a-z]+) +(.*)$/gm)].map((match) => [match[1], match[2]])
    expect(listed.length).toBeGreaterThan(0)
    expect(table('Commands')).toEqual(listed)
  })

  test('holds programs with right types', () => {
    expect(programs.length).toBeGreaterThan(0)
    expect(typeFaults(programs.map(({ file }) => `${file}.ts`))).toEqual([])
  }, 60_000)

  test.each(programs)('holds a program that runs: $file', ({ code, file }) => {
    const run = spawnSync(process.execPath, [`${file}.mjs`], { cwd: workplace, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
    if (code.includes('openTickFile')) expect(run.stdout).toContain('XRPUSDT')
  }, 60_000)

  test.each(commands)('%s', (line) => {
    const [, , ...args] = line.split(/\s+/)
    const run = spawnSync(process.execPath, [join(root, 'bin/backtape.js'), ...args], { cwd: workplace, encoding: 'utf8', maxBuffer: 2 ** 28 })
    expect(run.status, run.stderr).toBe(0)
  }, 60_000)
})
