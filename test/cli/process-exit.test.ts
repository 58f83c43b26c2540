import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backtapeProcess as backtape } from '../support/command.ts'
import { isNight, repeated } from '../support/repetitions.ts'
import { RunFolder, runContent, strategyModule } from '../support/run-folder.ts'

const folder = new RunFolder()
afterAll(() => folder.remove())

/** Places an order after a second, and does something else after two. */
const ENDS = (deed: string): string => strategyModule(`  override onStart(): void {
    this.after(1000, () => this.instrument.placeOrder({ side: 'BID', quantity: Quantity.from('10'), price: this.instrument.bestBid.price }))
    this.after(2000, () => this.fall())
  }
  fall(): void { ${deed} }`)

function namesOf(path: string): readonly string[] {
  return readdirSync(path).filter((name) => !name.endsWith('.ts') && !name.endsWith('.run.json') && name !== 'node_modules').sort()
}

function written(name: string, source: string): string {
  folder.write(`${name}.ts`, source)
  return folder.write(`${name}.run.json`, runContent({ strategy: `./${name}.ts#Subject` }))
}

describe('a strategy that ends the process', { timeout: 180_000 }, () => {
  beforeAll(() => {
    folder.write('node_modules/quits/package.json', { name: 'quits', type: 'module', exports: './index.js' })
    folder.write('node_modules/quits/index.js', 'export function quit() {\n  process.exit(0)\n}\n')
  })

  test.each(repeated<readonly [what: string, source: string, words: RegExp]>([
    ['with 0', ENDS('process.exit(0)'), /subject-0\.ts:10:26 ended the process with exit code 0; a strategy ends with this\.stop\(reason\)$/],
    ['with no code', ENDS('process.exit()'), /subject-1\.ts:10:26 ended the process with exit code 0;/],
    ['with 130, as Ctrl-C does', ENDS('process.exit(130)'), /subject-2\.ts:10:26 ended the process with exit code 130;/],
    ['from a package', `import { quit } from 'quits'\n${ENDS('quit()')}`, /node_modules\/quits\/index\.js:2:11 ended the process with exit code 0;/],
    ['by an error outside of callbacks', ENDS('void Promise.reject(new Error("lost"))'), /an error outside of its callbacks ended the process with exit code 1$/],
  ], (_, at) => at !== 1 && at !== 2))('%s fails: exit code 1, the journal kept, nothing half left', async (_what, source, words) => {
    const name = `subject-${String([...namesOf(folder.path)].filter((one) => one.endsWith('.failed.jsonl')).length)}`
    const run = written(name, source)
    const journal = join(folder.path, `${name}.jsonl`)
    const before = namesOf(folder.path)
    const tables = join(folder.path, 'tables', 'of', 'today')
    const { code, out, err } = await backtape(['backtest', run, '--journal', journal, '--out', tables])
    const sentences = err.split('\n')
    const sentence = sentences.find((line) => line.startsWith('Cannot go on')) ?? ''
    expect([code, out]).toEqual([1, ''])
    expect(sentence).toMatch(words)
    expect(sentence.startsWith(`Cannot go on with ${run}: `)).toBe(true)
    expect(sentences).toContain(`The journal up to there: ${join(folder.path, `${name}.failed.jsonl`)}`)
    expect(namesOf(folder.path)).toEqual([...before, `${name}.failed.jsonl`].sort())
    const lines = readFileSync(join(folder.path, `${name}.failed.jsonl`), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string })
    expect(lines.at(-1)).toEqual({ kind: 'failed', reason: sentence })
    expect(lines.map(({ kind }) => kind)).toContain('place')
  })

  test('when its module is loaded fails too, with nothing to keep', async () => {
    const before = namesOf(folder.path)
    const run = written('loaded', `process.exit(0)\n${ENDS('')}`)
    const { code, out, err } = await backtape(['backtest', run, '--journal', join(folder.path, 'loaded.jsonl'), '--out', join(folder.path, 'tables')])
    expect([code, out]).toEqual([1, ''])
    expect(err.trim()).toBe(`Cannot go on with ${run}: ${join(folder.path, 'loaded.ts')}:1:9 ended the process with exit code 0; a strategy ends with this.stop(reason)`)
    expect(namesOf(folder.path)).toEqual(before)
  })

  test('under verify --json is an entry of the JSON, whole', async () => {
    const run = written('json', ENDS('process.exit(0)'))
    const { code, out } = await backtape(['verify', run, '--update', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject([{ path: run, outcome: 'failed', code: 'STRATEGY_FAILED', place: { field: 'process.exit' } }])
  })

  test('under verify fails too, and accepts nothing', async () => {
    const run = written('golden', ENDS('process.exit(0)'))
    for (const more of isNight ? [[], ['--update']] : [['--update']]) {
      const { code, err } = await backtape(['verify', run, ...more])
      expect(code).toBe(1)
      if (more.length > 0) expect(err).toMatch(/golden\.ts:10:26 ended the process with exit code 0;.*\nThe journal up to there: .*golden\.new\.failed\.jsonl\n$/)
    }
    expect(namesOf(folder.path).filter((name) => name.startsWith('golden'))).toEqual(['golden.new.failed.jsonl'])
  })

  test('only by its exit code changes nothing: that is the run\'s', async () => {
    const { code, out } = await backtape(['backtest', written('coded', ENDS('process.exitCode = 3'))])
    expect([code, out.includes('fills')]).toEqual([0, true])
  })

  test('by an abort, which nothing outlives, leaves no journal or table under its name', async () => {
    const [journal, tables] = [join(folder.path, 'abort.jsonl'), join(folder.path, 'abort-tables')]
    const { code } = await backtape(['backtest', written('abort', ENDS('process.abort()')), '--journal', journal, '--out', tables])
    expect(code).not.toBe(0)
    expect([existsSync(journal), readdirSync(tables).filter((name) => !name.includes('backtape-part'))]).toEqual([false, []])
  })
})
