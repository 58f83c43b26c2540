import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENTRIES, plainProgram, publicExports, typeFaults, undocumentedMembers } from '../support/public-docs.ts'

const root = join(import.meta.dirname, '../..')
const exported = ENTRIES.flatMap(publicExports)
const hasDatasets = existsSync(join(root, 'datasets'))
const written = exported.flatMap((one) => one.examples)
const examples = written.filter(({ code }) => hasDatasets || !code.includes('datasets/')).map((example, index) => ({ ...example, file: `${index}-${example.name.replace(/\W/g, '-')}` }))
// Inside the project, so that `backtape` is the package itself.
const folder = join(root, '.cache/examples')
let workplace = ''

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  workplace = mkdtempSync(join(tmpdir(), 'backtape-examples-'))
  symlinkSync(join(root, 'datasets'), join(workplace, 'datasets'), 'junction')
  for (const { file, code } of examples) {
    writeFileSync(join(folder, `${file}.ts`), `${code}\nexport {}\n`)
    writeFileSync(join(folder, `${file}.mjs`), plainProgram(code))
  }
})
afterAll(() => {
  rmSync(workplace, { recursive: true, force: true })
})

describe('docstrings', () => {
  test('every export says what it is', () => {
    expect(exported.filter((one) => one.documentation.trim() === '').map((one) => one.name)).toEqual([])
  })

  test.each(ENTRIES)('every member of the exports of %s says what it is', (entry) => {
    expect(undocumentedMembers(entry)).toEqual([])
  })

  test('every function stands in an example', () => {
    // One example may show several functions that belong together.
    const shown = written.map(({ code }) => code).join('\n')
    const hidden = exported.filter((one) => one.callable && !new RegExp(`\\b${one.name}\\(`).test(shown))
    expect(hidden.map((one) => one.name)).toEqual([])
  })

  test('every value of backtape stands in an example', () => {
    const shown = written.map(({ code }) => code).join('\n')
    const values = publicExports('src/index.ts').filter(({ isValue }) => isValue).map(({ name }) => name)
    expect(values.length).toBeGreaterThan(30)
    expect(values.filter((name) => !new RegExp(`\\b${name}\\b`).test(shown))).toEqual([])
  })

  test('every example has right types', () => {
    expect(typeFaults(examples.map(({ file }) => join(folder, `${file}.ts`)))).toEqual([])
  })

  test('every example runs', () => {
    // One process for all: each import is a module of its own.
    const runner = join(folder, 'run.mjs')
    writeFileSync(runner, `const failed = []
for (const file of ${JSON.stringify(examples.map(({ file }) => file))}) {
  try { await import(new URL(file + '.mjs', ${JSON.stringify(`${pathToFileURL(folder).href}/`)}).href) } catch (error) { failed.push(file + ': ' + error.stack) }
}
if (failed.length > 0) { console.error(failed.join('\\n')); process.exit(1) }
`)
    const run = spawnSync(process.execPath, [runner], { cwd: workplace, encoding: 'utf8', env: { ...process.env, TMPDIR: workplace, TEMP: workplace } })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
  }, 180_000)
})
