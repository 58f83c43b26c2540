import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { impureCalls } from '../../src/configuration/impure-calls.js'
import { backtape } from '../support/command.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

test.each<readonly [code: string, expected: readonly string[]]>([
  ['export const t = Date.now()', ['Date.now']],
  ['export const t = Date["now"]', ['Date.now']],
  ['export const t = new Date()', ['new Date()']],
  ['export const t = new Date', ['new Date()']],
  ['export const t = Date()', ['new Date()']],
  ['export const t = globalThis.Math.random()', ['Math.random']],
  ['export const t = performance.now() + Math.random() + Math.random()', ['performance.now', 'Math.random']],
  ['export class A { f() { return crypto.getRandomValues(new Uint8Array(1)) } }', ['crypto.getRandomValues']],
  ['import { randomUUID as id } from "node:crypto"\nexport const t = id()', ['crypto.randomUUID']],
  ['import crypto from "crypto"\nexport const t = crypto.randomInt(3)', ['crypto.randomInt']],
  ['import * as own from "node:crypto"\nexport const t = own.randomBytes(3)', ['crypto.randomBytes']],
])('%s is noted', async (code, expected) => {
  expect(await impureCalls(code)).toEqual(expected)
})

test.each([
  'export const t = "Date.now() and new Date() and Math.random()"',
  'export const t = `new Date() ${1} crypto.randomUUID()`',
  '// Date.now()\n/* Math.random() */ export const t = 1',
  'export const t = /Math.random()/.test("x")',
  'export const t = new Date(0), u = new Date("2024-01-01").getTime(), v = Date.UTC(2024, 0)',
  'const Date = class { static now() { return 1 } }\nexport const t = Date.now() + new Date()',
  'export function f(Math) { return Math.random() }',
  'export const t = own.Math.random() + Math.round(1.5)',
  'import { createHash } from "node:crypto"\nexport const t = createHash("sha256")',
  'import crypto from "node:crypto"\nexport const t = crypto.createHash("sha256")',
  'function unused() { return Date.now() }\nexport const t = 1',
  'import { readFileSync } from "node:fs"\nimport x from "file:///package.js"\nexport const t = [x, readFileSync, performance.timeOrigin]',
])('%s is no alarm', async (code) => {
  expect(await impureCalls(code)).toEqual([])
})

describe('a run file', { timeout: 180_000 }, () => {
  test('whose strategy uses them has one warning in the summary and one in the journal, also for what it imports', async () => {
    folder.write('node_modules/clock/package.json', { name: 'clock', type: 'module', exports: './index.js' })
    folder.write('node_modules/clock/index.js', 'export const day = () => performance.now()\n')
    folder.write('noise.ts', 'export function noise(): number { return Math.random() }')
    folder.write('subject.ts', `import { noise } from './noise.ts'\nimport { day } from 'clock'\n${strategyModule('  override onStart(): void { this.log(`Date.now() is a text here ${noise() * 0 + day() * 0}`) }')}`)
    const run = folder.write('noisy.run.json', runContent({ parameters: [{ instrument: 'XRPUSDT' }, { instrument: 'XRPUSDT' }] }))
    const { code, out } = await backtape(['backtest', run, '--json', '--journal', join(folder.path, 'noisy.jsonl')])
    const sentence = 'the source of Subject uses Math.random: no two runs have these alike; use this.now(), and random numbers of a seed of your own'
    expect(code).toBe(0)
    const worlds = JSON.parse(out) as readonly { readonly summary: { readonly warnings: readonly string[] } }[]
    expect(worlds.map(({ summary: { warnings } }) => warnings)).toEqual([[sentence], [sentence]])
    for (const number of [0, 1]) {
      const lines = readFileSync(join(folder.path, `noisy.${number}.jsonl`), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string, level?: string, text?: string })
      expect(lines.filter(({ level }) => level === 'warning').map(({ kind, text }) => [kind, text])).toEqual([['log', sentence]])
    }
  })
})
