import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let consumer = ''

/** Where npm's JavaScript lies: told by npm when it runs us, otherwise beside this Node. */
function npmEntry(): string | undefined {
  const bin = dirname(process.execPath)
  return [process.env['npm_execpath'], join(bin, '../lib/node_modules/npm/bin/npm-cli.js'), join(bin, 'node_modules/npm/bin/npm-cli.js')]
    .find((path) => path !== undefined && /\.c?js$/.test(path) && existsSync(path))
}

/** The files that npm would publish, by its own reckoning. */
function publishedFiles(): string[] {
  const npm = npmEntry()
  if (npm === undefined) throw new Error('Cannot find npm: run the tests with npm test')
  const out = execFileSync(process.execPath, [npm, 'pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [pack] = JSON.parse(out) as [{ files: { path: string }[] }]
  return pack.files.map((file) => file.path)
}

const CONSUMER = `import { BacktapeError, epochNsFromText, openTickFile, readEvents } from 'backtape'
import * as everything from 'backtape'
import { createBatch, type EventBatch } from 'backtape/columns'
import { ema, type Bar } from 'backtape/measures'
import * as testing from 'backtape/testing'

function Parameter(): (target: object, key: string) => void { return () => undefined }

class Reader {
  @Parameter() path = ''

  async trades(): Promise<number> {
    let count = 0
    const day = await openTickFile(this.path)
    for await (const event of readEvents(day, { kinds: ['trades'] })) {
      for (const trade of event.trades) if (trade.price.toString() !== '') count++
    }
    return count
  }
}

export const noon: bigint = epochNsFromText('12:00', 0)
export const known: string[] = Object.keys(everything).concat(Object.keys(testing))
export const error = new BacktapeError('NOT_ZSTD', 'x', { line: 1 })
export const line: number | undefined = error.place.line
export const rows = (batch: EventBatch): number => batch.count
export const make: unknown = createBatch
export { Reader }

// A type that the compiler cannot read turns into any, and then this would pass.
// @ts-expect-error
const wrong: number = epochNsFromText('12:00', 0)
export { wrong }
`

let published: readonly string[] = []
beforeAll(() => {
  consumer = mkdtempSync(join(tmpdir(), 'backtape-consumer-'))
  const installed = join(consumer, 'node_modules/backtape')
  // The package as npm would publish it, with our own dependencies beside it, and no other declarations in sight.
  published = publishedFiles()
  for (const path of published) {
    mkdirSync(dirname(join(installed, path)), { recursive: true })
    writeFileSync(join(installed, path), readFileSync(join(root, path)))
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(consumer, 'node_modules', name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name), 'junction')
  }
}, 180_000)
afterAll(() => {
  rmSync(consumer, { recursive: true, force: true })
})

describe('the published package', () => {
  test('compiles in a consumer of TypeScript 5.0.4, node10, decorators, without skipLibCheck', () => {
    writeFileSync(join(consumer, 'package.json'), '{ "name": "consumer", "private": true }')
    writeFileSync(join(consumer, 'consumer.ts'), CONSUMER)
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({
      compilerOptions: {
        target: 'ES2022', module: 'CommonJS', moduleResolution: 'node10', lib: ['ES2022'], types: [], strict: true, exactOptionalPropertyTypes: true,
        experimentalDecorators: true, skipLibCheck: false, outDir: 'out',
      },
      files: ['consumer.ts'],
    }))
    const run = spawnSync(process.execPath, [join(root, 'node_modules/typescript-5.0/bin/tsc'), '-p', consumer], { cwd: consumer, encoding: 'utf8' })
    expect(run.stdout).toBe('')
    expect(run.status).toBe(0)
  }, 180_000)

  test('can be required from CommonJS', () => {
    writeFileSync(join(consumer, 'consumer.cjs'), `const { BacktapeError, epochNsFromText } = require('backtape')
require('backtape/columns')
if (require('backtape/measures').ema(1).next(2) !== 2) process.exit(1)
require('backtape/testing')
if (epochNsFromText('12:00', 0) !== 43200000000000n || !(new BacktapeError('NOT_ZSTD', 'x') instanceof Error)) process.exit(1)
console.log(require('backtape/package.json').name)
`)
    const run = spawnSync(process.execPath, ['--no-warnings', 'consumer.cjs'], { cwd: consumer, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.stdout).toBe('backtape\n')
  }, 180_000)

  test('holds the licence, no tests, no sources and nothing of the build', () => {
    expect(published).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'bin/backtape.js', 'lib/index.js', 'lib/THIRD-PARTY.md', 'lib/chunks/zstd-worker.js', 'lib/chunks/line-decoder.wasm', 'lib/types/index.d.ts', 'lib/types/columns.d.ts', 'lib/types/testing.d.ts']))
    expect(published.filter((path) => /^(src|test|scripts|bench|dist)\/|\/\./.test(path))).toEqual([])
  }, 180_000)
})
